#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/annotations_build.h"

/* A number of an image or category in the file, and ours. */
struct key {
    json_int_t id;
    uint32_t number;
};

struct keys {
    struct key *list;
    size_t count;
};

static int compare_keys(const void *a, const void *b)
{
    json_int_t first = ((const struct key *)a)->id, second = ((const struct key *)b)->id;

    return first < second ? -1 : first > second;
}

static const struct key *find(const struct keys *keys, const json_t *id)
{
    const struct key wanted = {.id = json_integer_value(id)};

    return json_is_integer(id) ? bsearch(&wanted, keys->list, keys->count, sizeof wanted, compare_keys) : NULL;
}

static enum shw_result wrong(const struct shw_annotation_builder *builder, const char *list, size_t entry,
                             const char *what)
{
    return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s: entry %zu of \"%s\" %s", builder->name, entry,
                    list, what);
}

/* Reads the `id` and the text `member` of all entries of a list; `add` enters the text. */
static enum shw_result read_keys(struct shw_annotation_builder *builder, const json_t *root, const char *list,
                                 const char *member,
                                 enum shw_result (*add)(struct shw_annotation_builder *builder, const char *name,
                                                        size_t length, uint32_t *number),
                                 struct keys *keys)
{
    const json_t *entries = json_object_get(root, list);

    if (!json_is_array(entries))
        return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: COCO's annotations have a list \"%s\", which is missing", builder->name, list);
    keys->list = malloc((json_array_size(entries) + 1) * sizeof *keys->list);
    if (keys->list == NULL)
        return shw_fail_memory(builder->log, builder->name);
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i), *id = json_object_get(entry, "id");
        const json_t *name = json_object_get(entry, member);
        struct key *key = &keys->list[keys->count];

        if (!json_is_integer(id))
            return wrong(builder, list, i, "has no \"id\", an integer");
        if (!json_is_string(name) || json_string_length(name) == 0)
            return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s: entry %zu of \"%s\" has no \"%s\", a string that is not empty", builder->name, i, list,
                            member);
        SHW_PROPAGATE(add(builder, json_string_value(name), json_string_length(name), &key->number));
        key->id = json_integer_value(id);
        keys->count++;
    }
    qsort(keys->list, keys->count, sizeof *keys->list, compare_keys);
    for (size_t i = 1; i < keys->count; i++)
        if (keys->list[i].id == keys->list[i - 1].id)
            return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s: two entries of \"%s\" have the id %" JSON_INTEGER_FORMAT, builder->name, list,
                            keys->list[i].id);
    return SHW_OK;
}

static enum shw_result read_object(struct shw_annotation_builder *builder, const json_t *entry, size_t number,
                                   const struct keys *images, const struct keys *categories)
{
    static const char list[] = "annotations";
    const json_t *box = json_object_get(entry, "bbox"), *crowd = json_object_get(entry, "iscrowd");
    const struct key *image = find(images, json_object_get(entry, "image_id"));
    const struct key *category = find(categories, json_object_get(entry, "category_id"));
    struct shw_annotated_object object = {.is_crowd = json_integer_value(crowd) != 0 || json_is_true(crowd),
                                          .entry = (uint32_t)number};
    double sides[4];
    const char *why;

    if (image == NULL)
        return wrong(builder, list, number, "has no \"image_id\" that is the id of an image");
    if (category == NULL)
        return wrong(builder, list, number, "has no \"category_id\" that is the id of a category");
    if (!json_is_array(box) || json_array_size(box) != 4)
        return wrong(builder, list, number, "has no \"bbox\", a list of four numbers: x, y, width, height");
    for (size_t i = 0; i < 4; i++) {
        if (!json_is_number(json_array_get(box, i)))
            return wrong(builder, list, number, "has a \"bbox\" with values that are not numbers");
        sides[i] = json_number_value(json_array_get(box, i));
    }
    why = shw_annotation_round(sides, &object);
    if (why != NULL)
        return wrong(builder, list, number, why);
    object.label = category->number;
    return shw_annotation_add(builder, image->number, &object);
}

static enum shw_result read_root(struct shw_annotation_builder *builder, const json_t *root, struct keys *images,
                                 struct keys *categories)
{
    const json_t *entries = json_object_get(root, "annotations");

    SHW_PROPAGATE(read_keys(builder, root, "images", "file_name", shw_annotation_image, images));
    SHW_PROPAGATE(read_keys(builder, root, "categories", "name", shw_annotation_label, categories));
    if (!json_is_array(entries))
        return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: COCO's annotations have a list \"annotations\", which is missing", builder->name);
    for (size_t i = 0; i < json_array_size(entries); i++)
        SHW_PROPAGATE(read_object(builder, json_array_get(entries, i), i, images, categories));
    return SHW_OK;
}

static enum shw_result keep_ids(struct shw_annotation_builder *builder, const struct keys *images,
                                const struct keys *categories)
{
    struct shw_annotations *annotations = &builder->annotations;

    for (size_t i = 0; i < images->count; i++)
        annotations->images[images->list[i].number].id = images->list[i].id;
    annotations->label_ids = calloc(annotations->label_count + (size_t)1, sizeof *annotations->label_ids);
    if (annotations->label_ids == NULL)
        return shw_fail_memory(builder->log, builder->name);
    for (size_t i = 0; i < categories->count; i++)
        annotations->label_ids[categories->list[i].number] = categories->list[i].id;
    return SHW_OK;
}

enum shw_result shw_annotations_coco(struct shw_annotation_builder *builder, const char *text, size_t size)
{
    struct keys images = {0}, categories = {0};
    json_error_t error;
    json_t *root = json_loadb(text, size, 0, &error);
    enum shw_result result;

    if (root == NULL)
        return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is not JSON: line %d, column %d: %s",
                        builder->name, error.line, error.column, error.text);
    result = read_root(builder, root, &images, &categories);
    if (result == SHW_OK)
        result = keep_ids(builder, &images, &categories);
    free(images.list);
    free(categories.list);
    json_decref(root);
    return result;
}
