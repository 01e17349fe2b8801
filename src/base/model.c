#include "base/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"

struct shw_model_source shw_model_source(const struct shw_model_traits *traits, const char *name,
                                         const struct shw_log *log)
{
    return (struct shw_model_source){traits, name != NULL ? name : shw_ktx2_content_name(traits->content), log};
}

enum shw_result shw_model_save_memory(const struct shw_model_traits *traits, const void *model, void **bytes,
                                      size_t *size)
{
    json_t *root = traits->format(model);
    char *metadata = root != NULL ? json_dumps(root, SHW_MODEL_JSON_FLAGS) : NULL;
    struct shw_ktx2 image = {.content = traits->content, .layers = 1, .metadata = metadata};
    void *own = NULL, *below = NULL;
    enum shw_result result = SHW_ERROR_MEMORY;

    json_decref(root);
    traits->get_texture(model, &image, &own);
    if (traits->get_below == NULL || traits->get_below(model, &below, &image.below_size)) {
        image.below = below;
        result = shw_ktx2_write(&image, bytes, size);
    }
    free(below);
    free(metadata);
    free(own);
    return result;
}

enum shw_result shw_model_save(const struct shw_model_traits *traits, const void *model, const char *path,
                               const struct shw_log *log)
{
    void *bytes;
    size_t size;
    enum shw_result result;

    if (shw_model_save_memory(traits, model, &bytes, &size) != SHW_OK)
        return shw_fail_memory(log, path);
    result = shw_atomic_file_write(path, bytes, size, log);
    free(bytes);
    return result;
}

static enum shw_result check_version(const json_t *root, const struct shw_model_source *source)
{
    const json_t *version = json_object_get(root, "version");

    if (!json_is_integer(version) || json_integer_value(version) < 1)
        return SHW_BAD_MODEL(source, "%s", "the metadata has no format version");
    if (json_integer_value(version) > source->traits->version)
        return shw_fail(source->log, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION,
                        "%s: %s format %lld, but this version of Shadewood reads only up to %d; use a newer one",
                        source->name, shw_ktx2_content_name(source->traits->content),
                        (long long)json_integer_value(version), source->traits->version);
    return SHW_OK;
}

/* The version comes first: newer files may differ in everything else. */
static enum shw_result parse_metadata(const struct shw_ktx2 *image, const struct shw_model_source *source,
                                      void *reading, json_t **root)
{
    json_error_t error;

    *root = json_loadb(image->metadata, image->metadata_length, JSON_REJECT_DUPLICATES, &error);
    if (*root == NULL)
        return SHW_BAD_MODEL(source, "metadata, byte %d: %s", error.position, error.text);
    if (!json_is_object(*root)) /* arrays are accepted by the parser, too */
        return SHW_BAD_MODEL(source, "%s", "the metadata is not a JSON object");
    SHW_PROPAGATE(check_version(*root, source));
    return source->traits->parse(*root, source, reading);
}

enum shw_result shw_model_load(const struct shw_model_source *source, const void *bytes, size_t size, void *reading)
{
    const struct shw_ktx2_source file = {.name = source->name, .log = source->log, .content = source->traits->content};
    struct shw_ktx2 image = {0};
    json_t *root = NULL;
    void *own = NULL;
    enum shw_result result;

    if (bytes == NULL) {
        SHW_PROPAGATE(shw_ktx2_read_file(source->name, source->log, &own, &size));
        bytes = own;
    }
    result = shw_ktx2_read_metadata(bytes, size, &file, &image);
    if (result == SHW_OK)
        result = parse_metadata(&image, source, reading, &root);
    if (result == SHW_OK)
        result = shw_ktx2_read(bytes, size, &file, &image);
    if (result == SHW_OK)
        result = source->traits->unpack(&image, source, reading);
    json_decref(root);
    free(own);
    return result;
}

enum shw_result shw_model_parse_provenance(const json_t *object, const struct shw_model_source *source, char **text)
{
    if (!json_is_object(object))
        return SHW_BAD_MODEL(source, "%s", "the provenance is not a JSON object");
    *text = json_dumps(object, SHW_MODEL_JSON_FLAGS);
    if (*text == NULL)
        return shw_fail_memory(source->log, "the provenance");
    if (strlen(*text) <= SHW_PROVENANCE_MAX)
        return SHW_OK;
    free(*text);
    *text = NULL;
    return shw_fail(source->log, SHW_ERROR_LIMIT, source->traits->item, "%s: the provenance is longer than %u bytes",
                    source->name, SHW_PROVENANCE_MAX);
}

enum shw_result shw_model_read_provenance(const char *given, const struct shw_model_source *source, char **text)
{
    json_error_t error;
    json_t *object = json_loads(given != NULL ? given : "{}", JSON_REJECT_DUPLICATES, &error);
    enum shw_result result;

    if (object == NULL)
        return SHW_BAD_MODEL(source, "the provenance is not a JSON object: %s", error.text);
    result = shw_model_parse_provenance(object, source, text);
    json_decref(object);
    return result;
}

enum shw_result shw_model_check_texels(const uint32_t *texels, const struct shw_ktx2 *image, const char *fault,
                                       const struct shw_model_source *source)
{
    size_t count = (size_t)image->width * image->height * image->layers;

    for (size_t t = 0; t < count; t++)
        if (memcmp(texels + 4 * t, shw_ktx2_texel(image, t), 16) != 0)
            return SHW_BAD_MODEL(source, "texel %zu %s", t, fault);
    return SHW_OK;
}

json_t *shw_model_format_array(const void *items, uint32_t count, json_t *(*item)(const void *items, uint32_t index))
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < count && array != NULL; i++)
        if (json_array_append_new(array, item(items, i)) != 0) { /* fails for NULL and frees the item */
            json_decref(array);
            array = NULL;
        }
    return array;
}

bool shw_model_add(json_t *root, const char *name, json_t *member)
{
    return json_object_set_new(root, name, member) == 0;
}

void shw_model_walk_begin(struct shw_model_walk *walk, uint32_t node_count)
{
    walk->node_count = node_count;
    walk->splits = 0;
    walk->depth = 0;
    walk->level_end = 1;
}

enum shw_result shw_model_walk_node(struct shw_model_walk *walk, uint32_t n)
{
    if (n > 2 * walk->splits)
        return SHW_BAD_NODE(walk, n, "%s", "it is not the child of an earlier node");
    if (n == walk->level_end) {
        walk->depth++;
        walk->level_end = 1 + 2 * walk->splits;
    }
    return SHW_OK;
}

enum shw_result shw_model_walk_split(struct shw_model_walk *walk, uint32_t n, uint32_t left)
{
    uint32_t expected = 1 + 2 * walk->splits;

    if (left != expected || left + 1 >= walk->node_count)
        return SHW_BAD_NODE(walk, n, "child %u: breadth-first order requires %u, and both children below %u", left,
                            expected, walk->node_count);
    walk->splits++;
    return SHW_OK;
}

enum shw_result shw_model_walk_leaf(const struct shw_model_walk *walk, uint32_t n, uint32_t left)
{
    if (left != n)
        return SHW_BAD_NODE(walk, n, "the child of a leaf is node %u instead of the leaf itself", left);
    return SHW_OK;
}

enum shw_result shw_model_walk_end(const struct shw_model_walk *walk, uint32_t depth_max)
{
    if (walk->depth > depth_max)
        return shw_fail(walk->source->log, SHW_ERROR_LIMIT, walk->source->traits->tree_item,
                        "%s: %s is %u tests deep; at most %u are supported", walk->source->name, walk->where,
                        walk->depth, depth_max);
    return SHW_OK;
}
