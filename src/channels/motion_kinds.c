/* The channel kinds of motion (Sharp 2008, 5.2: temporal derivatives for head tracking). */
#include <shadewood/channel_kind.h>

extern const struct shw_channel_code shw_channel_code_dt, shw_channel_code_dt_gradient;
extern const struct shw_channel_kind shw_channel_kind_dt, shw_channel_kind_dt_gradient;

static uint32_t no_radius(uint32_t parameter)
{
    (void)parameter;
    return 0;
}

static uint32_t one(uint32_t parameter)
{
    (void)parameter;
    return 1;
}

static struct shw_channel_info describe(uint32_t parameter, uint32_t channel)
{
    static const struct shw_channel_info infos[] = {{"dt", 4080, 4}, {"abs-dt", 4080, 4}};

    (void)parameter;
    return infos[channel];
}

/* The weights of either sign sum to 1, and differences have both signs. */
static struct shw_channel_info describe_gradient(uint32_t parameter, uint32_t channel)
{
    static const struct shw_channel_info infos[] = {{"dt-dx", 8160, 4}, {"dt-dy", 8160, 4}};

    (void)parameter;
    return infos[channel];
}

const struct shw_channel_kind shw_channel_kind_dt = {.version = SHW_CHANNEL_KIND_VERSION,
                                                     .name = "dt",
                                                     .channel_count = 2,
                                                     .get_radius = no_radius,
                                                     .get_info = describe,
                                                     .code = &shw_channel_code_dt};
const struct shw_channel_kind shw_channel_kind_dt_gradient = {.version = SHW_CHANNEL_KIND_VERSION,
                                                              .name = "dt-gradient",
                                                              .channel_count = 2,
                                                              .get_radius = one,
                                                              .get_info = describe_gradient,
                                                              .code = &shw_channel_code_dt_gradient};
