/* The channel kind of edge.h. */
#include <stdio.h>

#include "extend.h"

extern const struct shw_channel_code shw_channel_code_edge;

static uint32_t get_radius(uint32_t parameter)
{
    return parameter;
}

static struct shw_channel_info get_info(uint32_t parameter, uint32_t channel)
{
    struct shw_channel_info info = {
        .max_abs = 4080, .fraction_bits = 4, .mirrored = channel == 1 ? SHW_MIRRORED_SAME : SHW_MIRRORED_NEGATED};

    snprintf(info.name, sizeof info.name, "%sedge-%u", channel == 1 ? "abs-" : "", parameter);
    return info;
}

const struct shw_channel_kind edge = {.version = SHW_CHANNEL_KIND_VERSION,
                                      .name = "edge",
                                      .parameter_min = 1,
                                      .parameter_max = 4,
                                      .channel_count = 2,
                                      .get_radius = get_radius,
                                      .get_info = get_info,
                                      .code = &shw_channel_code_edge};
