/* Shared by the types whose response is a difference of rectangles. */
#ifndef SHW_FEATURE_RECTANGLE_DIFFERENCE_H
#define SHW_FEATURE_RECTANGLE_DIFFERENCE_H

#include "feature/feature_code.h"

bool shw_rectangle_difference_check(const struct shw_feature *feature, const struct shw_channel_list *channels,
                                    char why[SHW_WHY_SIZE]);
uint64_t shw_rectangle_difference_bound(const struct shw_feature *feature, const struct shw_channel_list *channels);
struct shw_reach shw_rectangle_difference_reach(const struct shw_feature *feature);
uint32_t shw_rectangle_difference_regions(const struct shw_feature *feature,
                                          struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX]);

/* Kinds of sides for vector code; rectangle_patch.h and rectangle_respond.c compute them. */
enum shw_side_kind { SHW_SIDES_SUMS, SHW_SIDES_MEANS, SHW_SIDES_PIXELS };

#define SHW_PATCH_DECLARE(name)                                                                                        \
    void name(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *blocks, uint32_t *leaves);
SHW_PATCH_DECLARE(shw_sum_patch_vectors)
SHW_PATCH_DECLARE(shw_sum_patch_avx2)
SHW_PATCH_DECLARE(shw_sum_patch_avx512)
SHW_PATCH_DECLARE(shw_mean_patch_vectors)
SHW_PATCH_DECLARE(shw_mean_patch_avx2)
SHW_PATCH_DECLARE(shw_mean_patch_avx512)
SHW_PATCH_DECLARE(shw_pixel_patch_vectors)
SHW_PATCH_DECLARE(shw_pixel_patch_avx2)
SHW_PATCH_DECLARE(shw_pixel_patch_avx512)
extern const struct shw_respond shw_sum_respond_avx2, shw_mean_respond_avx2, shw_pixel_respond_avx2;

#endif
