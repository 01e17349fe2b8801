#include "dense/channels/channel_kinds.h"

#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "dense/channels/code_step.h"
#include "dense/channels/source_pixels.h"

#define KIND_NAME_MAX  15u
#define INPUT_NAME_MAX 31u

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
    X(lab_linear)

#define DECLARE(name) extern const struct shw_channel_kind shw_channel_kind_##name;
KINDS(DECLARE)

#define POINT(name) &shw_channel_kind_##name,
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
        return "no input, but its header reads a plane";
    return shw_name_is_valid(kind->input, INPUT_NAME_MAX) && shw_source_is_plane(kind->input)
               ? NULL
               : "an input that is not the name of a plane";
}

static const char *find_missing_code(const struct shw_channel_kind *kind)
{
    const struct shw_channel_code *code = kind->code;

    if (code->channel_count != kind->channel_count || code->channel_count > SHW_CHANNEL_COUNT_MAX)
        return "a different number of channels than its header";
    if (code->radius > SHW_CHANNEL_CODE_RADIUS_MAX)
        return "a larger radius than headers may have";
    if (code->has_table && kind->get_table == NULL)
        return "no table";
    if (code->fill_row == NULL)
        return "no technique cpu";
    if (!has_shaders(code->fragment))
        return "no technique fragment";
    return has_shaders(code->compute) ? find_missing_input(kind) : "no technique compute";
}

static const char *find_missing(const struct shw_channel_kind *kind)
{
    if (kind->channel_count < 1 || kind->channel_count > SHW_CHANNELS_MAX)
        return "no channels, or too many";
    if (kind->parameter_min > kind->parameter_max)
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

/* Whether an earlier kind or a named list has that kind's name. */
static bool is_taken(const struct shw_channel_kinds *kinds, uint32_t index)
{
    const char *name = shw_channel_kind_get(kinds, index)->name, *listed;

    for (uint32_t i = 0; i < index; i++)
        if (strcmp(shw_channel_kind_get(kinds, i)->name, name) == 0)
            return true;
    for (uint32_t i = 0; (listed = shw_channel_list_get_name(i)) != NULL; i++)
        if (strcmp(listed, name) == 0)
            return true;
    return false;
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
