/* The channel kinds of the filter bank. Their parameter is sigma. */
#include <stdio.h>

#include "dense/channels/channel_maker.h"
#include "dense/channels/filter_bank.h"

#define BASE_MAX 4080u

static bool accepts(uint32_t sigma)
{
    return (sigma & (sigma - 1)) == 0;
}

static uint32_t radius(uint32_t sigma)
{
    return 3 * sigma;
}

static struct shw_channel_info describe(const char *kind, const char *colour, uint32_t sigma, uint32_t max_abs,
                                        enum shw_channel_mirror mirrored)
{
    struct shw_channel_info info = {.max_abs = max_abs, .fraction_bits = 4, .mirrored = mirrored};

    snprintf(info.name, sizeof info.name, "%s%s-%u", kind, colour, sigma);
    return info;
}

/* The bounds of the Laplacians are the extremes over all images, rounding included (tests/dense/filter_kernels.c). */
#define LOG_MAX (sigma == 1 ? 2857u : sigma == 2 ? 2951u : sigma == 4 ? 2922u : 2898u)

static const char *const colours[] = {"-r", "-g", "-b"};

#define KIND(id, kind_name, count, bound, mirrored, ...)                                                               \
    static struct shw_channel_info describe_##id(uint32_t sigma, uint32_t channel)                                     \
    {                                                                                                                  \
        return describe(kind_name, (count) > 1 ? colours[channel] : "", sigma, bound, SHW_MIRRORED_##mirrored);        \
    }                                                                                                                  \
    static const struct shw_filter filter_##id = __VA_ARGS__;                                                          \
    extern const struct shw_channel_kind shw_channel_kind_##id;                                                        \
    const struct shw_channel_kind shw_channel_kind_##id = {.version = SHW_CHANNEL_KIND_VERSION,                        \
                                                           .name = kind_name,                                          \
                                                           .parameter_min = 1,                                         \
                                                           .parameter_max = 8,                                         \
                                                           .accepts = accepts,                                         \
                                                           .channel_count = count,                                     \
                                                           .get_radius = radius,                                       \
                                                           .get_info = describe_##id,                                  \
                                                           .maker = &shw_filter_bank_maker,                            \
                                                           .user = &filter_##id}

#define G SHW_KERNEL_GAUSS_1
#define H SHW_KERNEL_SECOND_1
#define D SHW_KERNEL_FIRST_1
KIND(gauss, "gauss", 3, BASE_MAX, SAME, {{SHW_BASE_R, SHW_BASE_G, SHW_BASE_B}, false, 1, {{G, G}}});
KIND(log, "log", 1, LOG_MAX, SAME, {{SHW_BASE_Y}, false, 2, {{H, G}, {G, H}}});
KIND(dx, "dx", 1, BASE_MAX, NEGATED, {{SHW_BASE_Y}, false, 1, {{D, G}}});
KIND(dy, "dy", 1, BASE_MAX, SAME, {{SHW_BASE_Y}, false, 1, {{G, D}}});
KIND(abs_log, "abs-log", 1, LOG_MAX, SAME, {{SHW_BASE_Y}, true, 2, {{H, G}, {G, H}}});
KIND(abs_dx, "abs-dx", 1, BASE_MAX, SAME, {{SHW_BASE_Y}, true, 1, {{D, G}}});
KIND(abs_dy, "abs-dy", 1, BASE_MAX, SAME, {{SHW_BASE_Y}, true, 1, {{G, D}}});
