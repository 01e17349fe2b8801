/* The channel kinds of the filter bank. The parameter is sigma. */
#include <stdio.h>

#include "channels/channel_maker.h"
#include "channels/filter_bank.h"

#define BASE_MAX 4080u

static bool accepts(uint32_t sigma)
{
    return (sigma & (sigma - 1)) == 0;
}

static uint32_t radius(uint32_t sigma)
{
    return 3 * sigma;
}

static struct shw_channel_info describe(const char *kind, uint32_t sigma, uint32_t max_abs)
{
    struct shw_channel_info info = {.max_abs = max_abs, .fraction_bits = 4};

    snprintf(info.name, sizeof info.name, "%s-%u", kind, sigma);
    return info;
}

/* The bounds of the Laplacians are what the kernels give for the worst image, rounding included
 * (tests/unit/channels.c). */
static uint32_t log_max(uint32_t sigma)
{
    return sigma == 1 ? 2857 : sigma == 2 ? 2951 : sigma == 4 ? 2922 : 2898;
}

static struct shw_channel_info describe_gauss(uint32_t sigma, uint32_t channel)
{
    static const char *const names[] = {"gauss-r", "gauss-g", "gauss-b"};

    return describe(names[channel], sigma, BASE_MAX);
}

#define DESCRIBE(id, name, bound)                                                                                      \
    static struct shw_channel_info describe_##id(uint32_t sigma, uint32_t channel)                                     \
    {                                                                                                                  \
        (void)channel;                                                                                                 \
        return describe(name, sigma, bound);                                                                           \
    }
DESCRIBE(log, "log", log_max(sigma))
DESCRIBE(dx, "dx", BASE_MAX)
DESCRIBE(dy, "dy", BASE_MAX)
DESCRIBE(abs_log, "abs-log", log_max(sigma))
DESCRIBE(abs_dx, "abs-dx", BASE_MAX)
DESCRIBE(abs_dy, "abs-dy", BASE_MAX)

#define G SHW_KERNEL_GAUSS_1
#define H SHW_KERNEL_SECOND_1
#define D SHW_KERNEL_FIRST_1

static const struct shw_filter gauss = {{SHW_BASE_R, SHW_BASE_G, SHW_BASE_B}, false, 1, {{G, G}}};
static const struct shw_filter laplacian = {{SHW_BASE_Y}, false, 2, {{H, G}, {G, H}}};
static const struct shw_filter dx = {{SHW_BASE_Y}, false, 1, {{D, G}}};
static const struct shw_filter dy = {{SHW_BASE_Y}, false, 1, {{G, D}}};
static const struct shw_filter abs_laplacian = {{SHW_BASE_Y}, true, 2, {{H, G}, {G, H}}};
static const struct shw_filter abs_dx = {{SHW_BASE_Y}, true, 1, {{D, G}}};
static const struct shw_filter abs_dy = {{SHW_BASE_Y}, true, 1, {{G, D}}};

#define KIND(id, kind_name, filter, count)                                                                             \
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
                                                           .user = &(filter)}
KIND(gauss, "gauss", gauss, 3);
KIND(log, "log", laplacian, 1);
KIND(dx, "dx", dx, 1);
KIND(dy, "dy", dy, 1);
KIND(abs_log, "abs-log", abs_laplacian, 1);
KIND(abs_dx, "abs-dx", abs_dx, 1);
KIND(abs_dy, "abs-dy", abs_dy, 1);
