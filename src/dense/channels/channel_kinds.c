#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <shadewood/channel_kind.h>
#include <shadewood/input.h>

#include "base/text.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/channels.h"
#include "dense/channels/derived_kind.h"
#include "dense/channels/filter_bank.h"
#include "dense/channels/pixels.h"
#include "dense/channels/posterior.h"
#include "shared/lab_table.h"

/* The tables of shared/lab.h, equal on all machines. */

#define ONE 131072.0 /* 17 fraction bits */

/* Newton's method, starting from 1, far past convergence. Only + - * /, so results are equal on all machines. */
static double cube_root(double value)
{
    double root = 1.0;

    for (int i = 0; i < 16; i++)
        root = (2.0 * root + value / (root * root)) / 3.0;
    return root;
}

static double fifth_root(double value)
{
    double root = 1.0;

    for (int i = 0; i < 16; i++)
        root = (4.0 * root + value / (root * root * root * root)) / 5.0;
    return root;
}

static double linear_light(double stored)
{
    double base = (stored + 0.055) / 1.055;

    if (stored <= 0.04045)
        return stored / 12.92;
    return base * base * fifth_root(base * base);
}

static double lab_curve(double value)
{
    if (value > 216.0 / 24389.0)
        return cube_root(value);
    return value * 841.0 / 108.0 + 4.0 / 29.0;
}

static uint32_t table[SHW_LAB_TABLE_COUNT];

static void fill_table(void)
{
    for (uint32_t i = 0; i < SHW_LAB_ROOT; i++)
        table[i] = (uint32_t)(linear_light(i / (double)SHW_BASE_MAX) * ONE + 0.5);
    for (uint32_t i = 0; i < SHW_LAB_ROOT_COUNT; i++)
        table[SHW_LAB_ROOT + i] = (uint32_t)(lab_curve((i < 4096 ? i : 4096) / 4096.0) * ONE + 0.5);
}

static const uint32_t *lab_get_table(uint32_t *count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, fill_table);
    *count = SHW_LAB_TABLE_COUNT;
    return table;
}

/* The channel kinds that read a single pixel. */

extern const struct shw_channel_code shw_channel_code_rgb, shw_channel_code_position, shw_channel_code_lab,
    shw_channel_code_lab_linear;

static const struct shw_channel_info rgb[] = {{"r", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                              {"g", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                              {"b", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};
static const struct shw_channel_info position[] = {{"x", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_FIXED},
                                                   {"y", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};
static const struct shw_channel_info lab[] = {{"l", 3200, 5, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                              {"a", 4095, 5, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                              {"b", 4095, 5, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};

static const struct shw_channel_kind kind_rgb = {.version = SHW_CHANNEL_KIND_VERSION,
                                                 .name = "rgb",
                                                 .channel_count = 3,
                                                 .channels = rgb,
                                                 .code = &shw_channel_code_rgb};
static const struct shw_channel_kind kind_position = {.version = SHW_CHANNEL_KIND_VERSION,
                                                      .name = "position",
                                                      .channel_count = 2,
                                                      .channels = position,
                                                      .code = &shw_channel_code_position};
static const struct shw_channel_kind kind_lab = {.version = SHW_CHANNEL_KIND_VERSION,
                                                 .name = "lab",
                                                 .channel_count = 3,
                                                 .channels = lab,
                                                 .get_table = lab_get_table,
                                                 .code = &shw_channel_code_lab};
static const struct shw_channel_kind kind_lab_linear = {.version = SHW_CHANNEL_KIND_VERSION,
                                                        .name = "lab-linear",
                                                        .channel_count = 3,
                                                        .channels = lab,
                                                        .get_table = lab_get_table,
                                                        .code = &shw_channel_code_lab_linear};

/* The channel kinds of depth and height (Schulz, Waldvogel, Sheikh, Behnke: CURFIL, sections 4 and 6.5). */

extern const struct shw_channel_code shw_channel_code_depth, shw_channel_code_constant_depth;

static const struct shw_channel_info depth[] = {{"depth", 32767, 0, SHW_CONTENT_DEPTH, SHW_MIRRORED_SAME},
                                                {"depth-count", 1, 0, SHW_CONTENT_COUNT, SHW_MIRRORED_SAME}};
static const struct shw_channel_info distance[] = {{"distance", 32767, 0, SHW_CONTENT_DISTANCE, SHW_MIRRORED_SAME},
                                                   {"distance-count", 1, 0, SHW_CONTENT_COUNT, SHW_MIRRORED_SAME}};
static const struct shw_channel_info height[] = {{"height", 32767, 0, SHW_CONTENT_HEIGHT, SHW_MIRRORED_SAME},
                                                 {"height-count", 1, 0, SHW_CONTENT_COUNT, SHW_MIRRORED_SAME}};

static const struct shw_channel_kind kind_depth = {.version = SHW_CHANNEL_KIND_VERSION,
                                                   .name = "depth",
                                                   .channel_count = 2,
                                                   .channels = depth,
                                                   .input = SHW_DEPTH,
                                                   .code = &shw_channel_code_depth};
static const struct shw_channel_kind kind_constant_depth = {.version = SHW_CHANNEL_KIND_VERSION,
                                                            .name = "constant-depth",
                                                            .parameter_min = 1,
                                                            .parameter_max = 32767,
                                                            .channel_count = 2,
                                                            .channels = distance,
                                                            .code = &shw_channel_code_constant_depth};
/* The heights of an image are depths of another plane. */
static const struct shw_channel_kind kind_height = {.version = SHW_CHANNEL_KIND_VERSION,
                                                    .name = "height",
                                                    .channel_count = 2,
                                                    .channels = height,
                                                    .input = SHW_HEIGHT,
                                                    .code = &shw_channel_code_depth};

/* The channel kinds of motion (Sharp 2008, figure 11: temporal derivatives for head tracking). */

extern const struct shw_channel_code shw_channel_code_dt, shw_channel_code_dt_gradient;

static const struct shw_channel_info change[] = {{"dt", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                                 {"abs-dt", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};
/* the weights of either sign sum to 1, and differences may have either sign */
static const struct shw_channel_info gradient[] = {{"dt-dx", 8160, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_NEGATED},
                                                   {"dt-dy", 8160, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};

static const struct shw_channel_kind kind_dt = {.version = SHW_CHANNEL_KIND_VERSION,
                                                .name = "dt",
                                                .channel_count = 2,
                                                .channels = change,
                                                .code = &shw_channel_code_dt};
static const struct shw_channel_kind kind_dt_gradient = {.version = SHW_CHANNEL_KIND_VERSION,
                                                         .name = "dt-gradient",
                                                         .channel_count = 2,
                                                         .channels = gradient,
                                                         .code = &shw_channel_code_dt_gradient};

/* The channel kinds of the filter bank. Their parameter is sigma. */

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
    static const struct shw_channel_kind kind_##id = {.version = SHW_CHANNEL_KIND_VERSION,                             \
                                                      .name = kind_name,                                               \
                                                      .parameter_min = 1,                                              \
                                                      .parameter_max = 8,                                              \
                                                      .accepts = accepts,                                              \
                                                      .channel_count = count,                                          \
                                                      .get_radius = radius,                                            \
                                                      .get_info = describe_##id,                                       \
                                                      .maker = &shw_filter_bank_maker,                                 \
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

/* The shares of classes according to the level below, which has posterior-N of inputs. */

static struct shw_channel_info describe_posterior(uint32_t number, uint32_t channel)
{
    struct shw_channel_info info = {.max_abs = BASE_MAX, .fraction_bits = 4, .mirrored = SHW_MIRRORED_SAME};

    snprintf(info.name, sizeof info.name, "posterior-%u", SHW_POSTERIOR_CLASSES * number + channel);
    return info;
}

extern const struct shw_channel_code shw_channel_code_posterior;
static const struct shw_channel_kind kind_posterior = {.version = SHW_CHANNEL_KIND_VERSION,
                                                       .name = "posterior",
                                                       .parameter_max = SHW_POSTERIOR_INPUTS - 1,
                                                       .channel_count = SHW_POSTERIOR_CLASSES,
                                                       .get_info = describe_posterior,
                                                       .code = &shw_channel_code_posterior};

/* Planes of the filter bank for derived kinds only: second derivatives. */
#define SECOND(id, ...)                                                                                                \
    static const struct shw_filter filter_##id = {{SHW_BASE_Y}, false, 1, {__VA_ARGS__}};                              \
    static const struct shw_channel_kind kind_##id = {                                                                 \
        .channel_count = 1, .maker = &shw_filter_bank_maker, .user = &filter_##id}
SECOND(xx, {H, G});
SECOND(yy, {G, H});
SECOND(xy, {D, D});

/* The kinds that are derived from planes of the filter bank. Their parameter is sigma. */

/* Bounds are those of sigma 1, rounding included, which are the greatest: of the second derivative in any direction,
 * and of the first (tests/dense/derived.c). */
#define HESSIAN_MAX  2020u
#define GRADIENT_MAX 4410u

static uint32_t tensor_radius(uint32_t sigma)
{
    return 3 * sigma + (sigma > 1 ? sigma : 2);
}

static const char *const pairs[] = {"1", "2"}, *const opponents[] = {"-rg", "-yb"}, *const angles[] = {"-0",   "-30",
                                                                                                       "-60",  "-90",
                                                                                                       "-120", "-150"};

/* Mirrored, the orientation of an angle is that of 180 degrees minus the angle. */
static uint32_t opposite(uint32_t channel)
{
    return (6 - channel) % 6;
}

#define ALONE NULL /* the partner of each channel is itself */

#define DERIVED(id, count, names, bound, mirrored, partner, reach, ...)                                                \
    extern const struct shw_derived_code shw_derived_code_##id;                                                        \
    static struct shw_channel_info describe_##id(uint32_t sigma, uint32_t channel)                                     \
    {                                                                                                                  \
        return describe(#id, names[channel], sigma, bound, SHW_MIRRORED_##mirrored);                                   \
    }                                                                                                                  \
    static const struct shw_derivation derivation_##id = {&shw_derived_code_##id, {__VA_ARGS__}};                      \
    static const struct shw_channel_kind kind_##id = {.version = SHW_CHANNEL_KIND_VERSION,                             \
                                                      .name = #id,                                                     \
                                                      .parameter_min = 1,                                              \
                                                      .parameter_max = 8,                                              \
                                                      .accepts = accepts,                                              \
                                                      .channel_count = count,                                          \
                                                      .get_radius = reach,                                             \
                                                      .get_info = describe_##id,                                       \
                                                      .maker = &shw_derived_maker,                                     \
                                                      .user = &derivation_##id,                                        \
                                                      .get_partner = partner}

DERIVED(hessian, 2, pairs, HESSIAN_MAX, SAME, ALONE, radius, &kind_xx, &kind_yy, &kind_xy);
DERIVED(tensor, 2, pairs, GRADIENT_MAX, SAME, ALONE, tensor_radius, &kind_dx, &kind_dy);
DERIVED(orient, 6, angles, GRADIENT_MAX, SAME, opposite, radius, &kind_dx, &kind_dy);
DERIVED(opponent, 2, opponents, BASE_MAX, SAME, ALONE, radius, &kind_gauss);

/* The local standard deviation. Its parameter is the radius of the square. */

extern const struct shw_channel_code shw_channel_code_deviation;

static uint32_t square_radius(uint32_t parameter)
{
    return parameter;
}

static struct shw_channel_info describe_deviation(uint32_t parameter, uint32_t channel)
{
    (void)channel;
    return describe("deviation", "", parameter, BASE_MAX / 2, SHW_MIRRORED_SAME);
}

static const struct shw_channel_kind kind_deviation = {.version = SHW_CHANNEL_KIND_VERSION,
                                                       .name = "deviation",
                                                       .parameter_min = 1,
                                                       .parameter_max = 8,
                                                       .channel_count = 1,
                                                       .get_radius = square_radius,
                                                       .get_info = describe_deviation,
                                                       .code = &shw_channel_code_deviation};

/* The kinds that read planes, which lists name. Those with '@' are the kinds of the same name on a grey image. */

extern const struct shw_channel_code shw_channel_code_plane, shw_channel_code_ndiff;

static const struct shw_channel_info plane[] = {{"plane", BASE_MAX, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};
static const struct shw_channel_info ndiff[] = {{"ndiff", BASE_MAX, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};

static const struct shw_channel_kind kind_plane = {.version = SHW_CHANNEL_KIND_VERSION,
                                                   .name = "plane",
                                                   .channel_count = 1,
                                                   .channels = plane,
                                                   .code = &shw_channel_code_plane,
                                                   .naming = SHW_NAMES_ONE};
static const struct shw_channel_kind kind_ndiff = {.version = SHW_CHANNEL_KIND_VERSION,
                                                   .name = "ndiff",
                                                   .channel_count = 1,
                                                   .channels = ndiff,
                                                   .code = &shw_channel_code_ndiff,
                                                   .naming = SHW_NAMES_TWO};

static struct shw_channel_info describe_grey_gauss(uint32_t sigma, uint32_t channel)
{
    (void)channel;
    return describe("gauss", "", sigma, BASE_MAX, SHW_MIRRORED_SAME);
}

static const struct shw_filter filter_grey_gauss = {{SHW_BASE_Y}, false, 1, {{G, G}}};

#define AT(id, kind_name, count, reach, description, partner, ...)                                                     \
    static const struct shw_channel_kind kind_at_##id = {.version = SHW_CHANNEL_KIND_VERSION,                          \
                                                         .name = kind_name,                                            \
                                                         .parameter_min = 1,                                           \
                                                         .parameter_max = 8,                                           \
                                                         .channel_count = count,                                       \
                                                         .get_radius = reach,                                          \
                                                         .get_info = description,                                      \
                                                         .get_partner = partner,                                       \
                                                         .naming = SHW_NAMES_AT,                                       \
                                                         __VA_ARGS__}

#define BANK(which)    .accepts = accepts, .maker = &shw_filter_bank_maker, .user = &filter_##which
#define DERIVES(which) .accepts = accepts, .maker = &shw_derived_maker, .user = &derivation_##which
AT(gauss, "gauss", 1, radius, describe_grey_gauss, ALONE, BANK(grey_gauss));
AT(log, "log", 1, radius, describe_log, ALONE, BANK(log));
AT(dx, "dx", 1, radius, describe_dx, ALONE, BANK(dx));
AT(dy, "dy", 1, radius, describe_dy, ALONE, BANK(dy));
AT(abs_log, "abs-log", 1, radius, describe_abs_log, ALONE, BANK(abs_log));
AT(abs_dx, "abs-dx", 1, radius, describe_abs_dx, ALONE, BANK(abs_dx));
AT(abs_dy, "abs-dy", 1, radius, describe_abs_dy, ALONE, BANK(abs_dy));
AT(hessian, "hessian", 2, radius, describe_hessian, ALONE, DERIVES(hessian));
AT(tensor, "tensor", 2, tensor_radius, describe_tensor, ALONE, DERIVES(tensor));
AT(orient, "orient", 6, radius, describe_orient, opposite, DERIVES(orient));
AT(deviation, "deviation", 1, square_radius, describe_deviation, ALONE, .code = &shw_channel_code_deviation);

/* The list. */

#define KIND_NAME_MAX 15u

/* The library's kinds, one line each. */
#define KINDS(X)                                                                                                       \
    X(gauss)                                                                                                           \
    X(log)                                                                                                             \
    X(dx)                                                                                                              \
    X(dy)                                                                                                              \
    X(abs_log)                                                                                                         \
    X(abs_dx)                                                                                                          \
    X(abs_dy)                                                                                                          \
    X(position)                                                                                                        \
    X(dt)                                                                                                              \
    X(dt_gradient)                                                                                                     \
    X(depth)                                                                                                           \
    X(constant_depth)                                                                                                  \
    X(height)                                                                                                          \
    X(rgb)                                                                                                             \
    X(lab)                                                                                                             \
    X(lab_linear)                                                                                                      \
    X(posterior)                                                                                                       \
    X(hessian)                                                                                                         \
    X(tensor)                                                                                                          \
    X(orient)                                                                                                          \
    X(deviation)                                                                                                       \
    X(opponent)                                                                                                        \
    X(plane)                                                                                                           \
    X(ndiff)                                                                                                           \
    X(at_gauss)                                                                                                        \
    X(at_log)                                                                                                          \
    X(at_dx)                                                                                                           \
    X(at_dy)                                                                                                           \
    X(at_abs_log)                                                                                                      \
    X(at_abs_dx)                                                                                                       \
    X(at_abs_dy)                                                                                                       \
    X(at_hessian)                                                                                                      \
    X(at_tensor)                                                                                                       \
    X(at_orient)                                                                                                       \
    X(at_deviation)

#define POINT(name) &kind_##name,
static const struct shw_channel_kind *const own[] = {KINDS(POINT)};

#define OWN_COUNT (sizeof own / sizeof *own)

const struct shw_channel_kind *shw_channel_kind_get(const struct shw_channel_kinds *kinds, uint32_t index)
{
    if (index < OWN_COUNT)
        return own[index];
    index -= (uint32_t)OWN_COUNT;
    return kinds != NULL && index < SHW_CHANNEL_KINDS_MAX ? kinds->kinds[index] : NULL;
}

static bool has_shaders(const struct shw_channel_shader shaders[2])
{
    return shaders[0].words != NULL && shaders[1].words != NULL;
}

static const char *find_missing_input(const struct shw_channel_kind *kind)
{
    if (!kind->code->reads_plane)
        return kind->input == NULL ? NULL : "an input, but its header reads no plane";
    if (kind->input == NULL)
        return "not an input, but its header reads a plane";
    return shw_name_is_valid(kind->input, SHW_INPUT_NAME_SIZE - 1) && shw_source_is_plane(kind->input)
               ? NULL
               : "an input that is not the name of a plane";
}

static const char *find_missing_passes(const struct shw_channel_code *code)
{
    for (uint32_t p = 0; p <= code->pass_count; p++) {
        const struct shw_channel_reading reading = shw_channel_reading_of(code, p);

        if (reading.planes >> p != 0)
            return "a pass that reads planes of later ones";
        if (reading.reach > (reading.inputs ? code->radius : SHW_CHANNEL_REACH_MAX))
            return "a pass that reads too far away";
        if (p < code->pass_count && (code->passes[p].fill_row == NULL ||
                                     (code->get_shaders == NULL && (!has_shaders(code->passes[p].fragment) ||
                                                                    !has_shaders(code->passes[p].compute)))))
            return "a pass without a technique";
    }
    return shw_channel_code_total(code) <= SHW_CHANNEL_TOTAL_RADIUS_MAX ? NULL : "passes that reach too far";
}

static const char *find_missing_code(const struct shw_channel_kind *kind)
{
    const struct shw_channel_code *code = kind->code;
    const char *missing;

    if (code->channel_count != kind->channel_count || code->channel_count > SHW_CHANNEL_COUNT_MAX)
        return "a different number of channels than its header";
    if (code->radius > SHW_CHANNEL_CODE_RADIUS_MAX)
        return "a larger radius than headers may have";
    if (code->pass_count > SHW_CHANNEL_PASSES_MAX)
        return "more passes than kinds may have";
    missing = find_missing_passes(code);
    if (missing != NULL)
        return missing;
    if (code->has_table && kind->get_table == NULL)
        return "no table";
    if (code->samples != (kind->naming == SHW_NAMES_ONE ? 1 : kind->naming == SHW_NAMES_TWO ? 2 : 0))
        return "a header that reads fewer or more planes than its entries name";
    if (kind->naming == SHW_NAMES_AT && !code->reads_grey)
        return "entries that name a plane, but its header does not read one";
    if (code->fill_row == NULL)
        return "no technique cpu";
    if (code->get_shaders == NULL && !has_shaders(code->fragment))
        return "no technique fragment";
    return code->get_shaders != NULL || has_shaders(code->compute) ? find_missing_input(kind) : "no technique compute";
}

static const char *find_missing(const struct shw_channel_kind *kind)
{
    if (kind->channel_count < 1 || kind->channel_count > SHW_CHANNELS_MAX)
        return "no channels, or too many";
    if (kind->parameter_min > kind->parameter_max ||
        (kind->parameter_max > 0 && (kind->naming == SHW_NAMES_ONE || kind->naming == SHW_NAMES_TWO)))
        return "no valid parameter";
    if (kind->maker == NULL && kind->code == NULL)
        return "no technique cpu, fragment or compute";
    if (kind->get_radius == NULL && kind->code == NULL)
        return "no radius";
    if (kind->get_info == NULL && kind->channels == NULL)
        return "no bound";
    return kind->maker == NULL             ? find_missing_code(kind)
           : kind->maker->cpu == NULL      ? "no technique cpu"
           : kind->maker->fragment == NULL ? "no technique fragment"
           : kind->maker->compute == NULL  ? "no technique compute"
                                           : NULL;
}

static bool check(const struct shw_channel_kind *kind, char why[SHW_CHANNEL_WHY_SIZE])
{
    const char *missing;

    if (kind->version != SHW_CHANNEL_KIND_VERSION) {
        snprintf(why, SHW_CHANNEL_WHY_SIZE, "a channel kind has version %u; this version of Shadewood takes %u",
                 kind->version, SHW_CHANNEL_KIND_VERSION);
        return false;
    }
    if (!shw_name_is_valid(kind->name, KIND_NAME_MAX)) {
        snprintf(why, SHW_CHANNEL_WHY_SIZE,
                 "the name of a channel kind is not 1 to %u lower-case letters, digits and '-'", KIND_NAME_MAX);
        return false;
    }
    missing = find_missing(kind);
    if (missing != NULL)
        snprintf(why, SHW_CHANNEL_WHY_SIZE, "the channel kind %s has %s", kind->name, missing);
    return missing == NULL;
}

/* Whether an earlier kind or a named list has that kind's name, or it begins what is no entry. */
static bool is_taken(const struct shw_channel_kinds *kinds, uint32_t index)
{
    const char *name = shw_channel_kind_get(kinds, index)->name, *listed;

    for (uint32_t i = 0; i < index; i++)
        if (strcmp(shw_channel_kind_get(kinds, i)->name, name) == 0)
            return true;
    for (uint32_t i = 0; (listed = shw_channel_list_get_name(i)) != NULL; i++)
        if (strcmp(listed, name) == 0)
            return true;
    return strcmp(name, "range") == 0;
}

bool shw_channel_kinds_check(const struct shw_channel_kinds *kinds, char why[SHW_CHANNEL_WHY_SIZE])
{
    const struct shw_channel_kind *kind;

    for (uint32_t i = 0; (kind = shw_channel_kind_get(kinds, i)) != NULL; i++) {
        if (!check(kind, why))
            return false;
        if (i >= OWN_COUNT && is_taken(kinds, i)) {
            snprintf(why, SHW_CHANNEL_WHY_SIZE, "there is a channel kind or list '%s' already", kind->name);
            return false;
        }
    }
    return true;
}

const struct shw_channel_maker *shw_channel_maker_of(const struct shw_channel_kind *kind)
{
    return kind->maker != NULL ? kind->maker : &shw_channel_code_maker;
}
