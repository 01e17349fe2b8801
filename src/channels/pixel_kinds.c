/* The channel kinds of single pixels. */
#include <shadewood/channel_kind.h>

#include "channels/lab.h"

extern const struct shw_channel_code shw_channel_code_rgb, shw_channel_code_position, shw_channel_code_lab;
extern const struct shw_channel_kind shw_channel_kind_rgb, shw_channel_kind_position, shw_channel_kind_lab;

static uint32_t radius(uint32_t parameter)
{
    (void)parameter;
    return 0;
}

static struct shw_channel_info describe_rgb(uint32_t parameter, uint32_t channel)
{
    static const struct shw_channel_info infos[] = {{"r", 4080, 4}, {"g", 4080, 4}, {"b", 4080, 4}};

    (void)parameter;
    return infos[channel];
}

static struct shw_channel_info describe_position(uint32_t parameter, uint32_t channel)
{
    static const struct shw_channel_info infos[] = {{"x", 4080, 4}, {"y", 4080, 4}};

    (void)parameter;
    return infos[channel];
}

static struct shw_channel_info describe_lab(uint32_t parameter, uint32_t channel)
{
    static const struct shw_channel_info infos[] = {{"l", 3200, 5}, {"a", 4095, 5}, {"b", 4095, 5}};

    (void)parameter;
    return infos[channel];
}

const struct shw_channel_kind shw_channel_kind_rgb = {.version = SHW_CHANNEL_KIND_VERSION,
                                                      .name = "rgb",
                                                      .channel_count = 3,
                                                      .get_radius = radius,
                                                      .get_info = describe_rgb,
                                                      .code = &shw_channel_code_rgb};
const struct shw_channel_kind shw_channel_kind_position = {.version = SHW_CHANNEL_KIND_VERSION,
                                                           .name = "position",
                                                           .channel_count = 2,
                                                           .get_radius = radius,
                                                           .get_info = describe_position,
                                                           .code = &shw_channel_code_position};
const struct shw_channel_kind shw_channel_kind_lab = {.version = SHW_CHANNEL_KIND_VERSION,
                                                      .name = "lab",
                                                      .channel_count = 3,
                                                      .get_radius = radius,
                                                      .get_info = describe_lab,
                                                      .get_table = shw_lab_get_table,
                                                      .code = &shw_channel_code_lab};
