#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "detection/cascade/cascade.h"

#define FORMAT_VERSION 2
#define FIRST_VERSION  1 /* is still written where there is no least score */
#define JSON_FLAGS     (JSON_COMPACT | JSON_SORT_KEYS)

/* NULL if there are none, or if memory runs out. */
static json_t *format_survivors(const struct shw_cascade_info *info)
{
    json_t *array = info->survivors != NULL ? json_array() : NULL;

    for (uint32_t s = 0; s <= info->stage_count && array != NULL; s++)
        if (json_array_append_new(array, json_integer((json_int_t)info->survivors[s])) != 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *format_planes(const struct shw_cascade_planes *planes)
{
    return json_pack("{s:i, s:b, s:b, s:b}", "shrink", (int)planes->shrink, "blur_before", (int)planes->blur_before,
                     "blur_after", (int)planes->blur_after, "octaves", (int)planes->octaves);
}

/* Adds a member, whose reference is taken. False if it is NULL or cannot be added. */
static bool add(json_t *root, const char *name, json_t *member)
{
    return json_object_set_new(root, name, member) == 0;
}

char *shw_cascade_format_metadata(const struct shw_cascade_info *info)
{
    json_t *root = json_pack("{s:i, s:s, s:s, s:o}", "version", info->has_min_score ? FORMAT_VERSION : FIRST_VERSION,
                             "kind", shw_cascade_kind_name(info->kind), "name", info->name, "training",
                             json_loads(info->training, 0, NULL));
    bool whole = root != NULL;
    char *text;

    if (whole && info->kind == SHW_CASCADE_PIXELS)
        whole = add(root, "planes", format_planes(&info->planes)) &&
                add(root, "levels_per_octave", json_integer(info->levels_per_octave));
    else if (whole)
        whole = add(root, "scale_factor", json_real(info->scale_factor));
    if (whole && info->survivors != NULL)
        whole = add(root, "survivors", format_survivors(info));
    if (whole && info->has_min_score)
        whole = add(root, "min_score", json_integer(info->min_score));
    text = whole ? json_dumps(root, JSON_FLAGS) : NULL;
    json_decref(root);
    return text;
}

static enum shw_result check_version(const json_t *root, const struct shw_cascade_source *source)
{
    const json_t *version = json_object_get(root, "version");

    if (!json_is_integer(version) || json_integer_value(version) < 1)
        return SHW_BAD_CASCADE(source, "%s", "the metadata has no format version");
    if (json_integer_value(version) > FORMAT_VERSION)
        return shw_fail(source->log, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION,
                        "%s: cascade format %lld, but this version of Shadewood reads only up to %d; use a newer one",
                        source->name, (long long)json_integer_value(version), FORMAT_VERSION);
    return SHW_OK;
}

static enum shw_result parse_kind(const char *name, const struct shw_cascade_source *source,
                                  struct shw_cascade_info *info)
{
    for (uint32_t k = 0; k < SHW_CASCADE_KIND_COUNT; k++)
        if (strcmp(name, shw_cascade_kind_name((enum shw_cascade_kind)k)) == 0) {
            info->kind = (enum shw_cascade_kind)k;
            return SHW_OK;
        }
    return SHW_BAD_CASCADE(source, "there is no kind of cascade '%s'", name);
}

/* What does not fit is left to the check as the largest number, which nothing may be. */
static uint32_t to_number(json_int_t value)
{
    return value >= 0 && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static enum shw_result parse_planes(json_t *object, const struct shw_cascade_source *source,
                                    struct shw_cascade_planes *planes)
{
    json_int_t shrink;
    int blur_before, blur_after, octaves;
    json_error_t error;

    if (json_unpack_ex(object, &error, JSON_STRICT, "{s:I, s:b, s:b, s:b}", "shrink", &shrink, "blur_before",
                       &blur_before, "blur_after", &blur_after, "octaves", &octaves) != 0)
        return SHW_BAD_CASCADE(source, "planes in the metadata: %s", error.text);
    *planes = (struct shw_cascade_planes){to_number(shrink), blur_before != 0, blur_after != 0, octaves != 0};
    return SHW_OK;
}

static enum shw_result parse_survivors(const json_t *array, const struct shw_cascade_source *source,
                                       struct shw_cascade_metadata *metadata)
{
    size_t count = json_array_size(array);

    if (!json_is_array(array) || count < 2 || count > SHW_CASCADE_STAGES_MAX + 1)
        return SHW_BAD_CASCADE(source, "survivors in the metadata are not a list of 2 to %u numbers",
                               SHW_CASCADE_STAGES_MAX + 1);
    metadata->survivors = calloc(count, sizeof *metadata->survivors);
    if (metadata->survivors == NULL)
        return shw_fail_memory(source->log, "the metadata of a cascade");
    metadata->survivor_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return SHW_BAD_CASCADE(source, "number %zu of the survivors in the metadata is not one", i);
        metadata->survivors[i] = (uint64_t)json_integer_value(value);
    }
    return SHW_OK;
}

/* Of version 2, and of that alone. */
static enum shw_result parse_min_score(const json_t *value, json_int_t version, const struct shw_cascade_source *source,
                                       struct shw_cascade_info *info)
{
    info->has_min_score = value != NULL;
    if ((version != FIRST_VERSION) != info->has_min_score)
        return SHW_BAD_CASCADE(source, "format %lld of the metadata %s", (long long)version,
                               info->has_min_score ? "has no min_score" : "needs min_score");
    if (value != NULL &&
        (!json_is_integer(value) || json_integer_value(value) < INT32_MIN || json_integer_value(value) > INT32_MAX))
        return SHW_BAD_CASCADE(source, "%s", "min_score in the metadata is not a number of 32 bits");
    info->min_score = (int32_t)json_integer_value(value);
    return SHW_OK;
}

static enum shw_result parse_root(json_t *root, const struct shw_cascade_source *source,
                                  struct shw_cascade_metadata *metadata, struct shw_cascade_info *info)
{
    json_t *training, *planes = NULL, *survivors = NULL, *min_score = NULL;
    const char *kind, *name;
    double scale_factor = 0;
    json_int_t version, levels_per_octave = 0;
    json_error_t error;

    SHW_PROPAGATE(check_version(root, source));
    if (json_unpack_ex(root, &error, JSON_STRICT, "{s:I, s:s, s:s, s:o, s?o, s?I, s?F, s?o, s?o}", "version", &version,
                       "kind", &kind, "name", &name, "training", &training, "planes", &planes, "levels_per_octave",
                       &levels_per_octave, "scale_factor", &scale_factor, "survivors", &survivors, "min_score",
                       &min_score) != 0)
        return SHW_BAD_CASCADE(source, "metadata: %s", error.text);
    if (!json_is_object(training))
        return SHW_BAD_CASCADE(source, "%s", "the training record is not a JSON object");
    SHW_PROPAGATE(parse_kind(kind, source, info));
    if (planes != NULL)
        SHW_PROPAGATE(parse_planes(planes, source, &info->planes));
    if (survivors != NULL)
        SHW_PROPAGATE(parse_survivors(survivors, source, metadata));
    SHW_PROPAGATE(parse_min_score(min_score, version, source, info));
    info->levels_per_octave = to_number(levels_per_octave);
    info->scale_factor = scale_factor;
    metadata->name = strdup(name);
    metadata->training = json_dumps(training, JSON_FLAGS);
    if (metadata->name == NULL || metadata->training == NULL)
        return shw_fail_memory(source->log, "the metadata of a cascade");
    info->name = metadata->name;
    info->training = metadata->training;
    info->survivors = metadata->survivors;
    return SHW_OK;
}

enum shw_result shw_cascade_parse_metadata(const char *text, size_t length, const struct shw_cascade_source *source,
                                           struct shw_cascade_metadata *metadata, struct shw_cascade_info *info)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    enum shw_result result;

    *metadata = (struct shw_cascade_metadata){0};
    if (root == NULL)
        return SHW_BAD_CASCADE(source, "metadata, byte %d: %s", error.position, error.text);
    if (!json_is_object(root)) /* arrays are accepted by the parser, too */
        result = SHW_BAD_CASCADE(source, "%s", "the metadata is not a JSON object");
    else
        result = parse_root(root, source, metadata, info);
    json_decref(root);
    return result;
}

void shw_cascade_metadata_free(struct shw_cascade_metadata *metadata)
{
    free(metadata->name);
    free(metadata->training);
    free(metadata->survivors);
    *metadata = (struct shw_cascade_metadata){0};
}
