/* A channel at one pixel minus a channel at another. */
#include <stdio.h>

#include "dense/feature/rectangle_difference.h"

extern const struct shw_feature_code shw_feature_code_pixel_difference;

static const struct shw_feature_vectors vectors = {SHW_VECTORS(pixel)};

static bool check(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);

    if (!shw_rectangle_difference_check(feature, channels, why))
        return false;
    for (int i = 0; i < 2; i++) {
        struct shw_rectangle rect = difference.rectangle[i];
        if (rect.x1 - rect.x0 != 1 || rect.y1 - rect.y0 != 1) {
            snprintf(why, SHW_WHY_SIZE, "rectangle %d has %d x %d pixels; of this feature type it must be one", i,
                     rect.x1 - rect.x0, rect.y1 - rect.y0);
            return false;
        }
    }
    return true;
}

const struct shw_feature_type shw_feature_pixel_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                              .name = "pixel-difference",
                                                              .label = "pixel difference",
                                                              .reads = SHW_FEATURE_READS_CHANNELS,
                                                              .check = check,
                                                              .get_bound = shw_rectangle_difference_bound,
                                                              .get_reach = shw_rectangle_difference_reach,
                                                              .get_regions = shw_rectangle_difference_regions,
                                                              .code = &shw_feature_code_pixel_difference,
                                                              .fast = &vectors};
