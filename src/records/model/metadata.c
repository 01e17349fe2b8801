#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "records/model/record_forest.h"

#define FORMAT_VERSION            2 /* with sets */
#define FORMAT_VERSION_THRESHOLDS 1
#define JSON_FLAGS                (JSON_COMPACT | JSON_SORT_KEYS)

/* An array of items; `item` makes one of them. NULL if memory runs out. */
static json_t *format_array(const void *items, uint32_t count, json_t *(*item)(const void *items, uint32_t index))
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < count && array != NULL; i++)
        if (json_array_append_new(array, item(items, i)) != 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *format_name(const void *items, uint32_t index)
{
    return json_string(((const char *const *)items)[index]);
}

static json_t *format_integer(const void *items, uint32_t index)
{
    return json_integer(((const int64_t *)items)[index]);
}

/* Adds a member, whose reference is taken. False if it is NULL or cannot be added. */
static bool add(json_t *root, const char *name, json_t *member)
{
    return json_object_set_new(root, name, member) == 0;
}

static bool add_names(json_t *root, const char *name, const char *const *names, uint32_t count)
{
    return names == NULL || add(root, name, format_array(names, count, format_name));
}

char *shw_record_forest_format_metadata(const struct shw_record_forest_info *info)
{
    json_t *root =
        json_pack("{s:i, s:s, s:s, s:b, s:i, s:o}", "version",
                  info->set_word_count > 0 ? FORMAT_VERSION : FORMAT_VERSION_THRESHOLDS, "task",
                  shw_record_task_name(info->task), "link", shw_record_link_name(info->link), "mean", (int)info->mean,
                  "fraction_bits", (int)info->fraction_bits, "training", json_loads(info->training, 0, NULL));
    bool whole = root != NULL && add(root, "base", format_array(info->base, info->output_count, format_integer)) &&
                 add_names(root, "attributes", info->attribute_names, info->attribute_count) &&
                 add_names(root, "classes", info->class_names, info->class_count) &&
                 add_names(root, "outputs", info->output_names, info->output_count);
    char *text;

    if (whole && shw_record_link_get_traits(info->link)->has_scale)
        whole = add(root, "link_scale", json_real(info->link_scale));
    if (whole && info->class_count > info->output_count)
        whole = add(root, "cut", json_integer(info->cut));
    text = whole ? json_dumps(root, JSON_FLAGS) : NULL;
    json_decref(root);
    return text;
}

static enum shw_result check_version(const json_t *root, const struct shw_record_forest_source *source)
{
    const json_t *version = json_object_get(root, "version");

    if (!json_is_integer(version) || json_integer_value(version) < 1)
        return SHW_BAD_RECORD_FOREST(source, "%s", "the metadata has no format version");
    if (json_integer_value(version) > FORMAT_VERSION)
        return shw_fail(
            source->log, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION,
            "%s: record forest format %lld, but this version of Shadewood reads only up to %d; use a newer one",
            source->name, (long long)json_integer_value(version), FORMAT_VERSION);
    return SHW_OK;
}

static enum shw_result parse_task(const char *name, const struct shw_record_forest_source *source,
                                  enum shw_record_task *task)
{
    for (uint32_t t = 0; t < SHW_RECORD_TASK_COUNT; t++)
        if (strcmp(name, shw_record_task_name((enum shw_record_task)t)) == 0) {
            *task = (enum shw_record_task)t;
            return SHW_OK;
        }
    return SHW_BAD_RECORD_FOREST(source, "there is no task '%s', unless a newer version of Shadewood has it", name);
}

static enum shw_result parse_link(const char *name, const struct shw_record_forest_source *source,
                                  enum shw_record_link *link)
{
    for (uint32_t l = 0; l < SHW_RECORD_LINK_COUNT; l++)
        if (strcmp(name, shw_record_link_name((enum shw_record_link)l)) == 0) {
            *link = (enum shw_record_link)l;
            return SHW_OK;
        }
    return SHW_BAD_RECORD_FOREST(source, "there is no link '%s', unless a newer version of Shadewood has it", name);
}

/* Names of a list, which stay its own. */
static enum shw_result parse_names(const json_t *array, const char *what, uint32_t most,
                                   const struct shw_record_forest_source *source, const char ***out, uint32_t *count)
{
    size_t size = json_array_size(array);
    const char **names;

    if (array == NULL)
        return SHW_OK;
    if (!json_is_array(array) || size < 1 || size > most)
        return SHW_BAD_RECORD_FOREST(source, "%s in the metadata are not a list of 1 to %u names", what, most);
    *out = names = calloc(size, sizeof *names);
    if (names == NULL)
        return shw_fail_memory(source->log, source->name);
    *count = (uint32_t)size;
    for (size_t i = 0; i < size; i++) {
        names[i] = json_string_value(json_array_get(array, i));
        if (names[i] == NULL)
            return SHW_BAD_RECORD_FOREST(source, "number %zu of the %s in the metadata is not a name", i + 1, what);
    }
    return SHW_OK;
}

static enum shw_result parse_base(const json_t *array, const struct shw_record_forest_source *source,
                                  struct shw_record_metadata *metadata)
{
    size_t size = json_array_size(array);

    if (!json_is_array(array) || size < 1 || size > SHW_RECORD_OUTPUTS_MAX)
        return SHW_BAD_RECORD_FOREST(source, "the base in the metadata is not a list of 1 to %u integers",
                                     SHW_RECORD_OUTPUTS_MAX);
    metadata->base = calloc(size, sizeof *metadata->base);
    if (metadata->base == NULL)
        return shw_fail_memory(source->log, source->name);
    metadata->base_count = (uint32_t)size;
    for (size_t i = 0; i < size; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_integer(value))
            return SHW_BAD_RECORD_FOREST(source, "number %zu of the base in the metadata is not an integer", i + 1);
        metadata->base[i] = json_integer_value(value);
    }
    return SHW_OK;
}

static enum shw_result parse_lists(const json_t *root, const struct shw_record_forest_source *source,
                                   struct shw_record_metadata *metadata)
{
    SHW_PROPAGATE(parse_names(json_object_get(root, "attributes"), "attributes", SHW_RECORD_ATTRIBUTES_MAX, source,
                              &metadata->attribute_names, &metadata->attribute_count));
    SHW_PROPAGATE(parse_names(json_object_get(root, "classes"), "classes", SHW_RECORD_OUTPUTS_MAX, source,
                              &metadata->class_names, &metadata->class_count));
    SHW_PROPAGATE(parse_names(json_object_get(root, "outputs"), "outputs", SHW_RECORD_OUTPUTS_MAX, source,
                              &metadata->output_names, &metadata->output_count));
    return parse_base(json_object_get(root, "base"), source, metadata);
}

/* What does not fit is left to the check as a number that nothing may be. */
static int32_t to_fraction_bits(json_int_t value)
{
    return value >= INT32_MIN && value <= INT32_MAX ? (int32_t)value : INT32_MIN;
}

static enum shw_result parse_root(json_t *root, const struct shw_record_forest_source *source,
                                  struct shw_record_metadata *metadata, struct shw_record_forest_info *info)
{
    json_t *training, *lists[4] = {NULL};
    const char *task, *link;
    double link_scale = 1;
    json_int_t version, fraction_bits, cut = 0;
    int mean;
    json_error_t error;

    SHW_PROPAGATE(check_version(root, source));
    if (json_unpack_ex(root, &error, JSON_STRICT, "{s:I, s:s, s:s, s:b, s:I, s:o, s:o, s?o, s?o, s?o, s?F, s?I}",
                       "version", &version, "task", &task, "link", &link, "mean", &mean, "fraction_bits",
                       &fraction_bits, "training", &training, "base", &lists[0], "attributes", &lists[1], "classes",
                       &lists[2], "outputs", &lists[3], "link_scale", &link_scale, "cut", &cut) != 0)
        return SHW_BAD_RECORD_FOREST(source, "metadata: %s", error.text);
    if (!json_is_object(training))
        return SHW_BAD_RECORD_FOREST(source, "%s", "the training record is not a JSON object");
    SHW_PROPAGATE(parse_task(task, source, &info->task));
    SHW_PROPAGATE(parse_link(link, source, &info->link));
    SHW_PROPAGATE(parse_lists(root, source, metadata));
    metadata->training = json_dumps(training, JSON_FLAGS);
    if (metadata->training == NULL)
        return shw_fail_memory(source->log, source->name);
    metadata->has_sets = version == FORMAT_VERSION;
    info->mean = mean != 0;
    info->link_scale = link_scale;
    info->fraction_bits = to_fraction_bits(fraction_bits);
    info->cut = cut;
    info->class_count = metadata->class_count;
    info->attribute_names = metadata->attribute_names;
    info->class_names = metadata->class_names;
    info->output_names = metadata->output_names;
    info->base = metadata->base;
    info->training = metadata->training;
    return SHW_OK;
}

enum shw_result shw_record_metadata_parse(const char *text, size_t length,
                                          const struct shw_record_forest_source *source,
                                          struct shw_record_metadata *metadata, struct shw_record_forest_info *info)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);

    *metadata = (struct shw_record_metadata){.root = root};
    if (root == NULL)
        return SHW_BAD_RECORD_FOREST(source, "metadata, byte %d: %s", error.position, error.text);
    if (!json_is_object(root)) /* arrays are accepted by the parser, too */
        return SHW_BAD_RECORD_FOREST(source, "%s", "the metadata is not a JSON object");
    return parse_root(root, source, metadata, info);
}

void shw_record_metadata_free(struct shw_record_metadata *metadata)
{
    json_decref(metadata->root);
    free(metadata->attribute_names);
    free(metadata->class_names);
    free(metadata->output_names);
    free(metadata->base);
    free(metadata->training);
    *metadata = (struct shw_record_metadata){0};
}
