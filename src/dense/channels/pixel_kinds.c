/* The channel kinds that read a single pixel. */
#include <shadewood/channel_kind.h>

#include "dense/channels/lab.h"

extern const struct shw_channel_code shw_channel_code_rgb, shw_channel_code_position, shw_channel_code_lab,
    shw_channel_code_lab_linear;
extern const struct shw_channel_kind shw_channel_kind_rgb, shw_channel_kind_position, shw_channel_kind_lab,
    shw_channel_kind_lab_linear;

static const struct shw_channel_info rgb[] = {{"r", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                              {"g", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                              {"b", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};
static const struct shw_channel_info position[] = {{"x", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_FIXED},
                                                   {"y", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};
static const struct shw_channel_info lab[] = {{"l", 3200, 5, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                              {"a", 4095, 5, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                              {"b", 4095, 5, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};

const struct shw_channel_kind shw_channel_kind_rgb = {.version = SHW_CHANNEL_KIND_VERSION,
                                                      .name = "rgb",
                                                      .channel_count = 3,
                                                      .channels = rgb,
                                                      .code = &shw_channel_code_rgb};
const struct shw_channel_kind shw_channel_kind_position = {.version = SHW_CHANNEL_KIND_VERSION,
                                                           .name = "position",
                                                           .channel_count = 2,
                                                           .channels = position,
                                                           .code = &shw_channel_code_position};
const struct shw_channel_kind shw_channel_kind_lab = {.version = SHW_CHANNEL_KIND_VERSION,
                                                      .name = "lab",
                                                      .channel_count = 3,
                                                      .channels = lab,
                                                      .get_table = shw_lab_get_table,
                                                      .code = &shw_channel_code_lab};
const struct shw_channel_kind shw_channel_kind_lab_linear = {.version = SHW_CHANNEL_KIND_VERSION,
                                                             .name = "lab-linear",
                                                             .channel_count = 3,
                                                             .channels = lab,
                                                             .get_table = shw_lab_get_table,
                                                             .code = &shw_channel_code_lab_linear};
