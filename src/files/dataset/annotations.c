#include "files/dataset/annotations.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "files/dataset/annotations_build.h"
#include "files/io/file_bytes.h"
#include "files/io/image_paths.h"

/* The number of a name in the map, or `next`, under which it is then entered. UINT32_MAX if memory is exhausted. */
static uint32_t number_of(json_t *map, const char *name, uint32_t next)
{
    json_t *known = json_object_get(map, name);

    if (known != NULL)
        return (uint32_t)json_integer_value(known);
    return json_object_set_new_nocheck(map, name, json_integer(next)) == 0 ? next : UINT32_MAX;
}

enum shw_result shw_annotation_image(struct shw_annotation_builder *builder, const char *name, size_t length,
                                     uint32_t *image)
{
    struct shw_annotations *annotations = &builder->annotations;
    char *copy = strndup(name, length);

    *image = copy != NULL ? number_of(builder->image_numbers, copy, annotations->image_count) : UINT32_MAX;
    if (*image < annotations->image_count) {
        free(copy);
        return SHW_OK;
    }
    if (*image == UINT32_MAX ||
        !SHW_RESERVE(annotations->images, builder->image_capacity, (size_t)annotations->image_count + 1)) {
        free(copy);
        return shw_fail_memory(builder->log, builder->name);
    }
    annotations->images[annotations->image_count++] = (struct shw_annotated_image){
        .name = copy, .path = shw_path_in(builder->folder, copy), .id = (int64_t)*image + 1};
    return annotations->images[*image].path != NULL ? SHW_OK : shw_fail_memory(builder->log, builder->name);
}

enum shw_result shw_annotation_label(struct shw_annotation_builder *builder, const char *name, size_t length,
                                     uint32_t *label)
{
    struct shw_annotations *annotations = &builder->annotations;
    char *copy = strndup(name, length);

    *label = copy != NULL ? number_of(builder->label_numbers, copy, annotations->label_count) : UINT32_MAX;
    if (*label < annotations->label_count) {
        free(copy);
        return SHW_OK;
    }
    if (*label == UINT32_MAX ||
        !SHW_RESERVE(annotations->labels, builder->label_capacity, (size_t)annotations->label_count + 1)) {
        free(copy);
        return shw_fail_memory(builder->log, builder->name);
    }
    annotations->labels[annotations->label_count++] = copy;
    return SHW_OK;
}

const char *shw_annotation_round(const double box[4], struct shw_annotated_object *object)
{
    for (int i = 0; i < 4; i++)
        if (!(fabs(box[i]) <= SHW_ANNOTATION_MAX))
            return "has a number beyond 65535";
    if (box[2] <= 0 || box[3] <= 0)
        return "has a rectangle whose width or height is not positive";
    object->x = (int32_t)floor(box[0] + 0.5);
    object->y = (int32_t)floor(box[1] + 0.5);
    object->width = (uint32_t)fmax(floor(box[0] + box[2] + 0.5) - object->x, 1);
    object->height = (uint32_t)fmax(floor(box[1] + box[3] + 0.5) - object->y, 1);
    return NULL;
}

enum shw_result shw_annotation_add(struct shw_annotation_builder *builder, uint32_t image,
                                   const struct shw_annotated_object *object)
{
    struct shw_annotations *annotations = &builder->annotations;
    size_t count = (size_t)annotations->object_count + 1;

    if (builder->label != NULL &&
        (object->label == SHW_NO_OBJECT_LABEL || strcmp(annotations->labels[object->label], builder->label) != 0))
        return SHW_OK;
    if (!SHW_RESERVE(annotations->objects, builder->object_capacity, count) ||
        !SHW_RESERVE(builder->object_images, builder->object_image_capacity, count))
        return shw_fail_memory(builder->log, builder->name);
    builder->object_images[annotations->object_count] = image;
    annotations->objects[annotations->object_count] = *object;
    annotations->objects[annotations->object_count++].file = builder->name;
    annotations->images[image].object_count++;
    return SHW_OK;
}

/* Moves the objects of each image together, in their order. */
static enum shw_result group_objects(struct shw_annotation_builder *builder)
{
    struct shw_annotations *annotations = &builder->annotations;
    struct shw_annotated_object *grouped = malloc(((size_t)annotations->object_count + 1) * sizeof *grouped);
    uint32_t first = 0;

    if (grouped == NULL)
        return shw_fail_memory(builder->log, builder->name);
    for (uint32_t i = 0; i < annotations->image_count; i++) {
        annotations->images[i].first_object = first;
        first += annotations->images[i].object_count;
        annotations->images[i].object_count = 0;
    }
    for (uint32_t o = 0; o < annotations->object_count; o++) {
        struct shw_annotated_image *image = &annotations->images[builder->object_images[o]];
        grouped[image->first_object + image->object_count++] = annotations->objects[o];
    }
    free(annotations->objects);
    annotations->objects = grouped;
    return SHW_OK;
}

/* A label that nothing has is probably misspelt. */
static enum shw_result check_label(const struct shw_annotation_builder *builder)
{
    const struct shw_annotations *annotations = &builder->annotations;

    if (builder->label == NULL || json_object_get(builder->label_numbers, builder->label) != NULL)
        return SHW_OK;
    if (annotations->label_count == 0)
        return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: its objects have no labels, so none is %s", builder->name, builder->label);
    return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "%s: no object is labelled %s; the first label is %s", builder->name, builder->label,
                    annotations->labels[0]);
}

enum shw_result shw_annotations_decode(const void *bytes, size_t size, const char *name, const char *folder,
                                       const char *label, const struct shw_log *log,
                                       struct shw_annotations *annotations)
{
    struct shw_annotation_builder builder = {.name = name,
                                             .folder = folder,
                                             .label = label,
                                             .log = log,
                                             .image_numbers = json_object(),
                                             .label_numbers = json_object()};
    const char *text = shw_skip_byte_order_mark(bytes, &size);
    size_t blank = 0;
    enum shw_result result;

    while (blank < size && isspace((unsigned char)text[blank]))
        blank++;
    SHW_TRY(blank < size && text[blank] == '{' ? shw_annotations_coco(&builder, text, size)
                                               : shw_annotations_csv(&builder, text, size));
    if (builder.annotations.image_count == 0)
        SHW_TRY(shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s names no image", name));
    SHW_TRY(check_label(&builder));
    SHW_TRY(group_objects(&builder));
    *annotations = builder.annotations;
    builder.annotations = (struct shw_annotations){0};

fail:
    shw_annotations_free(&builder.annotations);
    free(builder.object_images);
    json_decref(builder.image_numbers);
    json_decref(builder.label_numbers);
    return result;
}

enum shw_result shw_annotations_read(const char *path, const char *folder, const char *label, const struct shw_log *log,
                                     struct shw_annotations *annotations)
{
    struct shw_file_bytes bytes = {0};
    char *own = strndup(path, (size_t)(shw_path_last(path) - path));
    enum shw_result result = own != NULL ? SHW_OK : shw_fail_memory(log, path);

    /* without the slash: shw_path_in() adds one */
    if (own != NULL && strlen(own) > 1)
        own[strlen(own) - 1] = '\0';
    if (result == SHW_OK)
        result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX * 8, log, &bytes);
    if (result == SHW_OK)
        result = shw_annotations_decode(bytes.bytes, bytes.size, path, folder != NULL ? folder : own, label, log,
                                        annotations);
    shw_file_bytes_free(&bytes);
    free(own);
    return result;
}

void shw_annotations_free(struct shw_annotations *annotations)
{
    for (uint32_t i = 0; i < annotations->image_count; i++) {
        free(annotations->images[i].name);
        free(annotations->images[i].path);
        free(annotations->images[i].real);
    }
    for (uint32_t i = 0; i < annotations->label_count; i++)
        free(annotations->labels[i]);
    free(annotations->images);
    free(annotations->objects);
    free(annotations->labels);
    free(annotations->label_ids);
    *annotations = (struct shw_annotations){0};
}
