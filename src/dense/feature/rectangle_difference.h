/* Shared by the types whose response is a difference of rectangles. */
#ifndef SHW_DENSE_FEATURE_RECTANGLE_DIFFERENCE_H
#define SHW_DENSE_FEATURE_RECTANGLE_DIFFERENCE_H

#include "dense/feature/vectors.h"

bool shw_rectangle_difference_check(const struct shw_feature *feature, const struct shw_channel_list *channels,
                                    char why[SHW_WHY_SIZE]);
uint64_t shw_rectangle_difference_bound(const struct shw_feature *feature, const struct shw_channel_list *channels);
struct shw_reach shw_rectangle_difference_reach(const struct shw_feature *feature);
uint32_t shw_rectangle_difference_regions(const struct shw_feature *feature,
                                          struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX]);

/* Kinds of sides for vector code; rectangle_patch.h and rectangle_respond.c compute them. */
enum shw_side_kind { SHW_SIDES_SUMS, SHW_SIDES_MEANS, SHW_SIDES_PIXELS };

SHW_VECTORS_DECLARE(sum)
SHW_VECTORS_DECLARE(mean)
SHW_VECTORS_DECLARE(pixel)

#endif
