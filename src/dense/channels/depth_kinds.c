/* The channel kinds of depth and height (Schulz, Waldvogel, Sheikh, Behnke: CURFIL, sections 4 and 6.5). */
#include <shadewood/channel_kind.h>
#include <shadewood/input.h>

extern const struct shw_channel_code shw_channel_code_depth, shw_channel_code_constant_depth;
extern const struct shw_channel_kind shw_channel_kind_depth, shw_channel_kind_constant_depth, shw_channel_kind_height;

static const struct shw_channel_info depth[] = {{"depth", 32767, 0, SHW_CONTENT_DEPTH, SHW_MIRRORED_SAME},
                                                {"depth-count", 1, 0, SHW_CONTENT_COUNT, SHW_MIRRORED_SAME}};
static const struct shw_channel_info distance[] = {{"distance", 32767, 0, SHW_CONTENT_DISTANCE, SHW_MIRRORED_SAME},
                                                   {"distance-count", 1, 0, SHW_CONTENT_COUNT, SHW_MIRRORED_SAME}};
static const struct shw_channel_info height[] = {{"height", 32767, 0, SHW_CONTENT_HEIGHT, SHW_MIRRORED_SAME},
                                                 {"height-count", 1, 0, SHW_CONTENT_COUNT, SHW_MIRRORED_SAME}};

const struct shw_channel_kind shw_channel_kind_depth = {.version = SHW_CHANNEL_KIND_VERSION,
                                                        .name = "depth",
                                                        .channel_count = 2,
                                                        .channels = depth,
                                                        .input = SHW_DEPTH,
                                                        .code = &shw_channel_code_depth};
const struct shw_channel_kind shw_channel_kind_constant_depth = {.version = SHW_CHANNEL_KIND_VERSION,
                                                                 .name = "constant-depth",
                                                                 .parameter_min = 1,
                                                                 .parameter_max = 32767,
                                                                 .channel_count = 2,
                                                                 .channels = distance,
                                                                 .code = &shw_channel_code_constant_depth};
/* The heights of an image are depths of another plane. */
const struct shw_channel_kind shw_channel_kind_height = {.version = SHW_CHANNEL_KIND_VERSION,
                                                         .name = "height",
                                                         .channel_count = 2,
                                                         .channels = height,
                                                         .input = SHW_HEIGHT,
                                                         .code = &shw_channel_code_depth};
