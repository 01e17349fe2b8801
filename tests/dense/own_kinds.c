#include "dense/own_kinds.h"

#include <shadewood/input.h>

static uint32_t radius(uint32_t parameter)
{
    (void)parameter;
    return 1;
}

static struct shw_channel_info describe(uint32_t parameter, uint32_t channel)
{
    static const struct shw_channel_info infos[] = {{"difference", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                                    {"slope", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_NEGATED}};

    (void)parameter;
    return infos[channel];
}

const struct shw_channel_info own_heat_channels[4] = {{"high", 255, 0, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                                      {"low", 255, 0, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                                      {"slope", 16384, 0, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                                      {"luma", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};

const struct shw_channel_kind own_before = {.version = SHW_CHANNEL_KIND_VERSION,
                                            .name = "before",
                                            .channel_count = 2,
                                            .get_radius = radius,
                                            .get_info = describe,
                                            .code = &shw_channel_code_second},
                              own_heat = {.version = SHW_CHANNEL_KIND_VERSION,
                                          .name = "heat",
                                          .channel_count = 4,
                                          .channels = own_heat_channels,
                                          .input = OWN_PLANE,
                                          .code = &shw_channel_code_stored};

const struct shw_channel_kinds own_kinds = {{&own_before, &own_heat}};

const struct shw_channel_kind own_deep = {.version = SHW_CHANNEL_KIND_VERSION,
                                          .name = "deep",
                                          .channel_count = 4,
                                          .channels = own_heat_channels,
                                          .input = SHW_DEPTH,
                                          .code = &shw_channel_code_stored};
const struct shw_channel_kinds own_deep_kinds = {{&own_deep}};
