/* Shared by the feature types that divide by the depth at the pixel. */
#ifndef SHW_DENSE_FEATURE_DEPTH_TYPE_H
#define SHW_DENSE_FEATURE_DEPTH_TYPE_H

#include "dense/feature/vectors.h"

/* Whether the list begins with a depth or a constant distance; if not, writes the reason. */
bool shw_depth_type_check_list(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);

/* Whether the list, which shw_depth_type_check_list() accepts, has a channel with one of these contents, of bits
 * 1 << enum shw_channel_content, for candidates to compare; if not, writes the reason. */
bool shw_depth_type_has_content(const struct shw_channel_list *channels, uint32_t contents, char why[SHW_WHY_SIZE]);

/* Regions or positions that count: 1 or 2. */
static inline uint32_t shw_depth_type_sides(const struct shw_feature *feature)
{
    return 1 + (feature->words[0] >> SHW_NODE_SECOND_SHIFT & 1);
}

/* Whether the channel of region `side` is in the list, and the region is a mean over counted pixels if and only if that
 * channel has a count. */
bool shw_depth_type_check_channel(const struct shw_feature *feature, uint32_t side,
                                  const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);

/* The greatest magnitude of the channels of the regions that count. */
uint64_t shw_depth_type_greatest(const struct shw_feature *feature, const struct shw_channel_list *channels);

/* The whole image: at small depths, any pixel is read. */
struct shw_reach shw_depth_type_reach(const struct shw_feature *feature);

/* Rectangles for display: 16-bit coordinates, at least one pixel. */
struct shw_rectangle shw_depth_type_rectangle(int32_t x0, int32_t y0, int32_t x1, int32_t y1);

/* For vector code. */
enum shw_depth_feature {
    SHW_DEPTH_FEATURE_MEANS,
    SHW_DEPTH_FEATURE_CURFIL,
    SHW_DEPTH_FEATURE_PIXELS,
    SHW_DEPTH_FEATURE_KINECT
};

SHW_VECTORS_DECLARE(depth_mean)
SHW_VECTORS_DECLARE(curfil)
SHW_VECTORS_DECLARE(depth_pixel)
SHW_VECTORS_DECLARE(kinect)

#endif
