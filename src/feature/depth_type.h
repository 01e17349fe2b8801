/* Shared by the feature types that divide by the depth at the pixel. */
#ifndef SHW_FEATURE_DEPTH_TYPE_H
#define SHW_FEATURE_DEPTH_TYPE_H

#include "feature/feature_code.h"

/* Whether the list begins with a depth or a constant distance; if not, writes the reason. */
bool shw_depth_type_check_list(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);

/* Whether there are also channels to compare. */
bool shw_depth_type_can_draw(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);

/* Rectangles for display: 16-bit coordinates, at least one pixel. */
struct shw_rectangle shw_depth_type_rectangle(int32_t x0, int32_t y0, int32_t x1, int32_t y1);

#endif
