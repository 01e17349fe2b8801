#include "files/tune/setting.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/integers.h"
#include "dense/channels/channels.h"
#include "dense/channels/fill.h"
#include "dense/samples/images.h"
#include "dense/split/traits.h"

enum kind { TEXT, FEATURE, NUMBER, COUNT, CHOICE };

static const char *const combinations[] = {"mean", "vote", NULL};
static const char *const flips[] = {"none", "images", "paired", NULL}; /* enum shw_mirroring */

/* Choices are enums, numbered as their names from `low` on. */
static const struct member {
    const char *name;
    enum kind kind;
    size_t offset;
    uint32_t low, high;
    const char *const *names;
} members[] = {
#define AT(field) offsetof(struct shw_trainer_params, field)
    {"channels", TEXT, AT(channels), 0, 0, NULL},
    {"feature", FEATURE, AT(feature), 0, 0, NULL},
    {"trees", NUMBER, AT(tree_count), 1, SHW_TREES_MAX, NULL},
    {"depth", NUMBER, AT(depth), 1, SHW_DEPTH_MAX, NULL},
    {"leaves", NUMBER, AT(leaf_max), 1, SHW_NODES_MAX / 2, NULL},
    {"candidates", NUMBER, AT(candidates), 1, 1u << 20, NULL},
    {"pool", CHOICE, AT(pool), 0, 0, shw_pool_names},
    {"thresholds", CHOICE, AT(thresholds), 0, 0, shw_threshold_names},
    {"bins", NUMBER, AT(bins), 2, 256, NULL},
    {"score", CHOICE, AT(score), 0, 0, shw_score_names},
    {"offset", NUMBER, AT(offset_max), 1, 16383, NULL},
    {"offset-min", NUMBER, AT(offset_min), 0, 16383, NULL},
    {"size", NUMBER, AT(size_max), 1, 32767, NULL},
    {"shapes", NUMBER, AT(shapes), 0, SHW_SHAPES_MAX, NULL},
    {"single", NUMBER, AT(single_percent), 0, 100, NULL},
    {"pixels", COUNT, AT(pixels_per_image), 1, 1u << 30, NULL},
    {"sampling", CHOICE, AT(sampling), 0, 0, shw_sampling_names},
    {"images-percent", NUMBER, AT(images_percent), 1, 100, NULL},
    {"min-samples", NUMBER, AT(samples_min), 1, 1u << 30, NULL},
    {"weights", CHOICE, AT(weighting), 0, 0, shw_weighting_names},
    {"prior", CHOICE, AT(prior), 0, 0, shw_prior_names},
    {"bias", NUMBER, AT(bias_percent), 0, 99, NULL},
    {"combine", CHOICE, AT(combine), SHW_COMBINE_MEAN, 0, combinations},
    {"fill", CHOICE, AT(fill), SHW_FILL_NONE, 0, shw_fill_names + SHW_FILL_NONE},
    {"flip", CHOICE, AT(mirror), 0, 0, flips},
    {"levels", NUMBER, AT(levels), 1, SHW_LEVELS_MAX, NULL},
    {"fold-run", NUMBER, AT(fold_run), 1, 1u << 24, NULL},
    {"below-offset", NUMBER, AT(below_offset_max), 1, 16383, NULL},
    {"below-size", NUMBER, AT(below_size_max), 1, 32767, NULL},
    {"folds", NUMBER, AT(folds), 2, SHW_TREES_MAX, NULL},
    {SHW_SETTING_SMOOTH, NUMBER, AT(smoothing.radius), 0, SHW_SMOOTHING_RADIUS_MAX, NULL},
#undef AT
};

#define MEMBER_COUNT (sizeof members / sizeof *members)

_Static_assert(sizeof(enum shw_score) == sizeof(uint32_t), "choices are stored as numbers of 32 bits");

#define REFUSE(...) (snprintf(why, SHW_SETTING_WHY_SIZE, __VA_ARGS__), false)

static const struct member *find(const char *name)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        if (strcmp(members[i].name, name) == 0)
            return &members[i];
    return NULL;
}

static bool take_text(const struct member *member, const char *text, const struct shw_channel_kinds *kinds, void *field,
                      char why[SHW_SETTING_WHY_SIZE])
{
    char channels_why[SHW_CHANNEL_WHY_SIZE];
    struct shw_channel_list channels;

    if (text == NULL)
        return REFUSE("'%s' is a text", member->name);
    if (!shw_channel_list_read(text, kinds, &channels, channels_why))
        return REFUSE("'%s': %s", member->name, channels_why);
    *(const char **)field = text;
    return true;
}

static bool take_feature(const struct member *member, const char *text, void *field, char why[SHW_SETTING_WHY_SIZE])
{
    const struct shw_feature_type *feature = *(const struct shw_feature_type **)field;

    if (text != NULL && feature != NULL && strcmp(feature->name, text) == 0)
        return true;
    for (uint32_t i = 0; (feature = shw_feature_type_get(i)) != NULL; i++)
        if (text != NULL && strcmp(feature->name, text) == 0) {
            *(const struct shw_feature_type **)field = feature;
            return true;
        }
    return REFUSE("'%s' is no feature type", text != NULL ? text : member->name);
}

static bool take_choice(const struct member *member, const char *text, void *field, char why[SHW_SETTING_WHY_SIZE])
{
    for (uint32_t i = 0; text != NULL && member->names[i] != NULL; i++)
        if (strcmp(member->names[i], text) == 0) {
            const uint32_t value = member->low + i;
            memcpy(field, &value, sizeof value);
            return true;
        }
    return REFUSE("'%s' cannot be '%s'", member->name, text != NULL ? text : "what is no text");
}

static bool take_number(const struct member *member, const json_t *value, uint32_t *number,
                        char why[SHW_SETTING_WHY_SIZE])
{
    const char *text = json_string_value(value);

    if (member->kind == COUNT && text != NULL && strcmp(text, "all") == 0) {
        *number = UINT32_MAX;
        return true;
    }
    if (!json_is_integer(value) || json_integer_value(value) < member->low || json_integer_value(value) > member->high)
        return REFUSE("'%s' is a number from %u to %u", member->name, member->low, member->high);
    *number = (uint32_t)json_integer_value(value);
    return true;
}

bool shw_setting_take(const char *name, const json_t *value, struct shw_trainer_params *params,
                      char why[SHW_SETTING_WHY_SIZE])
{
    const struct member *member = find(name);
    void *field;

    if (member == NULL)
        return REFUSE("there is no setting '%.80s'", name);
    field = (char *)params + member->offset;
    switch (member->kind) {
    case TEXT: return take_text(member, json_string_value(value), &params->kinds, field, why);
    case FEATURE: return take_feature(member, json_string_value(value), field, why);
    case CHOICE: return take_choice(member, json_string_value(value), field, why);
    case NUMBER:
    case COUNT: return take_number(member, value, field, why);
    }
    return false;
}

bool shw_setting_apply(const json_t *setting, struct shw_trainer_params *params, char why[SHW_SETTING_WHY_SIZE])
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)setting, name,
                        value) if (!shw_setting_take(name, value, params, why)) return false;
    shw_setting_fit_size(params);
    return true;
}

void shw_setting_fit_size(struct shw_trainer_params *params)
{
    params->size_max = shw_min_u32(params->size_max, 2 * shw_offset_max(params) + 1);
}

bool shw_channels_begin_with_depth(const char *channels)
{
    return channels != NULL && (strncmp(channels, "depth", 5) == 0 && (channels[5] == ',' || channels[5] == '\0'));
}

char *shw_setting_options(const json_t *setting)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL)
        return NULL;
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        const json_t *value = json_object_get(setting, members[i].name);
        const char *separator = ftell(stream) > 0 ? " " : "";

        if (json_is_integer(value))
            fprintf(stream, "%s--%s %lld", separator, members[i].name, (long long)json_integer_value(value));
        else if (json_is_string(value))
            fprintf(stream, "%s--%s %s", separator, members[i].name, json_string_value(value));
    }
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
