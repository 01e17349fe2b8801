#include "files/dataset/annotations.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/csv_read.h"
#include "base/file_bytes.h"
#include "base/image.h"
#include "base/log.h"
#include "files/io/image_paths.h"

struct shw_annotation_builder {
    const char *name, *folder, *label; /* the file's name; of the call */
    const struct shw_log *log;
    struct shw_annotations annotations;
    uint32_t *object_images; /* the image of each object */
    uint32_t image_capacity, object_capacity, object_image_capacity, label_capacity;
    json_t *image_numbers, *label_numbers; /* by name */
};

/* The number of a name in the map, or `next`, under which it is then entered. UINT32_MAX if memory is exhausted. */
static uint32_t number_of(json_t *map, const char *name, uint32_t next)
{
    json_t *known = json_object_get(map, name);

    if (known != NULL)
        return (uint32_t)json_integer_value(known);
    return json_object_set_new_nocheck(map, name, json_integer(next)) == 0 ? next : UINT32_MAX;
}

/* `length` bytes of a name as those of an image or a label, which is added if it is new. Errors: MEMORY. */
static enum shw_result annotation_image(struct shw_annotation_builder *builder, const char *name, size_t length,
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

static enum shw_result annotation_label(struct shw_annotation_builder *builder, const char *name, size_t length,
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

/* Rounds the rectangle `box`, x, y, width and height, into the object. Returns what is wrong with it, or NULL. */
static const char *annotation_round(const double box[4], struct shw_annotated_object *object)
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

/* Adds an object of the image, unless another label is wanted. Errors: MEMORY. */
static enum shw_result annotation_add(struct shw_annotation_builder *builder, uint32_t image,
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
    annotations->objects[annotations->object_count].is_wrong =
        object->label != SHW_NO_OBJECT_LABEL && strcmp(annotations->labels[object->label], SHW_FALSE_ALARM) == 0;
    annotations->objects[annotations->object_count++].file = builder->name;
    annotations->images[image].object_count++;
    return SHW_OK;
}

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
                        "%s: the list \"%s\" of COCO's annotations is missing", builder->name, list);
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
                            "%s: entry %zu of \"%s\" has no \"%s\", a non-empty string", builder->name, i, list,
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
    why = annotation_round(sides, &object);
    if (why != NULL)
        return wrong(builder, list, number, why);
    object.label = category->number;
    return annotation_add(builder, image->number, &object);
}

static enum shw_result read_root(struct shw_annotation_builder *builder, const json_t *root, struct keys *images,
                                 struct keys *categories)
{
    const json_t *entries = json_object_get(root, "annotations");

    SHW_PROPAGATE(read_keys(builder, root, "images", "file_name", annotation_image, images));
    SHW_PROPAGATE(read_keys(builder, root, "categories", "name", annotation_label, categories));
    if (!json_is_array(entries))
        return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: the list \"annotations\" of COCO's annotations is missing", builder->name);
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
static enum shw_result annotations_coco(struct shw_annotation_builder *builder, const char *text, size_t size)
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

#define FIELDS 6u
#define HEADER "image,x,y,width,height[,label]"

static const char *const names[FIELDS] = {"image", "x", "y", "width", "height", "label"};

static enum shw_result wrong_row(const struct shw_annotation_builder *builder, const struct shw_csv_reader *row,
                                 const char *what)
{
    return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: %s", builder->name, row->line, what);
}

static bool is_heading(const struct shw_csv_reader *row)
{
    if (row->count < 5)
        return false;
    for (uint32_t i = 0; i < row->count; i++)
        if (strcmp(row->fields[i], names[i]) != 0)
            return false;
    return true;
}

static bool is_number(const char *field)
{
    char *end;

    strtod(field, &end);
    return end > field && *end == '\0';
}

/* Whether a record has names where rectangles have numbers, or is not divided by commas. */
static bool is_other_heading(const struct shw_csv_reader *row)
{
    uint32_t separators = 0;

    for (const char *at = row->fields[0]; row->count == 1 && *at != '\0'; at++)
        separators += *at == ';' || *at == '\t';
    for (uint32_t i = 1; i < row->count; i++)
        if (row->fields[i][0] == '\0' || is_number(row->fields[i]))
            return false;
    return row->count > 1 || separators >= 4;
}

static bool has_rectangle(const struct shw_csv_reader *row)
{
    for (uint32_t i = 1; i < row->count; i++)
        if (row->fields[i][0] != '\0')
            return true;
    return false;
}

static enum shw_result read_rectangle(const struct shw_annotation_builder *builder, const struct shw_csv_reader *row,
                                      struct shw_annotated_object *object)
{
    double box[4];
    const char *why;

    if (row->count < 5)
        return wrong_row(builder, row, "fewer than five fields: the columns are " HEADER);
    for (uint32_t i = 0; i < 4; i++) {
        char *end;

        box[i] = strtod(row->fields[i + 1], &end);
        if (end == row->fields[i + 1] || *end != '\0')
            return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s, line %u: %s is \"%.40s\", not a number", builder->name, row->line, names[i + 1],
                            row->fields[i + 1]);
    }
    why = annotation_round(box, object);
    return why == NULL ? SHW_OK
                       : shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u %s", builder->name,
                                  row->line, why);
}

static enum shw_result read_row(struct shw_annotation_builder *builder, const struct shw_csv_reader *row)
{
    struct shw_annotated_object object = {.label = SHW_NO_OBJECT_LABEL, .line = row->line};
    uint32_t image;

    if (row->fields[0][0] == '\0')
        return wrong_row(builder, row, "the name of the image is missing");
    SHW_PROPAGATE(annotation_image(builder, row->fields[0], strlen(row->fields[0]), &image));
    if (!has_rectangle(row))
        return SHW_OK;
    SHW_PROPAGATE(read_rectangle(builder, row, &object));
    if (row->count > 5 && row->fields[5][0] != '\0')
        SHW_PROPAGATE(annotation_label(builder, row->fields[5], strlen(row->fields[5]), &object.label));
    return annotation_add(builder, image, &object);
}

static enum shw_result read_rows(struct shw_annotation_builder *builder, struct shw_csv_reader *row)
{
    for (bool first = true;; first = false) {
        SHW_PROPAGATE(shw_csv_next(row));
        if (row->count == 0)
            return SHW_OK;
        if (row->count > FIELDS)
            return wrong_row(builder, row, "more than six fields: the columns are " HEADER);
        if (first && is_heading(row))
            continue;
        if (first && is_other_heading(row))
            return wrong_row(builder, row,
                             "the columns are not those of " HEADER
                             ", separated by commas and in this order, of which the "
                             "file may have a header");
        SHW_PROPAGATE(read_row(builder, row));
    }
}

static enum shw_result annotations_csv(struct shw_annotation_builder *builder, const char *text, size_t size)
{
    struct shw_csv_reader reader = {.name = builder->name,
                                    .log = builder->log,
                                    .item = SHW_LOG_DATASET,
                                    .comment = "#",
                                    .fields_max = FIELDS,
                                    .keeps_blanks = true};
    enum shw_result result = shw_csv_begin(&reader, text, size);

    if (result == SHW_OK)
        result = read_rows(builder, &reader);
    shw_csv_end(&reader);
    return result;
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
    SHW_TRY(blank < size && text[blank] == '{' ? annotations_coco(&builder, text, size)
                                               : annotations_csv(&builder, text, size));
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

#define PLACE_SIZE 400u

struct joining {
    const struct shw_annotations *files;
    uint32_t file_count;
    json_t *numbers; /* of the joined images, by what tells their files apart */
    uint32_t capacity;
    struct shw_annotations joined;
    uint32_t twice;                                   /* objects that are left out */
    const struct shw_annotated_object *first, *again; /* the first of these, and what it is the same as */
    const struct shw_log *log;
};

/* Where an object is written. */
static const char *place_of(const struct shw_annotated_object *object, char place[PLACE_SIZE])
{
    if (object->line > 0)
        snprintf(place, PLACE_SIZE, "%.340s, line %u", object->file, object->line);
    else
        snprintf(place, PLACE_SIZE, "%.340s: entry %u of \"annotations\"", object->file, object->entry);
    return place;
}

/* Removes `.` and doubled slashes from a path, so that a missing file has one name. */
static void shorten(char *path)
{
    char *to = path;

    for (const char *from = path; *from != '\0';) {
        bool begins = from == path || from[-1] == '/';
        if (begins && from[0] == '.' && from[1] == '/')
            from += 2;
        else if (begins && from > path && from[0] == '/')
            from++;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

/* The number of the joined image, which is added if it is new. */
static enum shw_result join_image(struct joining *joining, const struct shw_annotated_image *image, uint32_t *number)
{
    struct shw_annotations *joined = &joining->joined;
    char *real = shw_image_real_path(image->path), *key = real != NULL ? real : strdup(image->path);
    const json_t *known;
    struct shw_annotated_image copy = {.real = real, .id = image->id};

    if (key == NULL)
        return shw_fail_memory(joining->log, image->path);
    if (real == NULL)
        shorten(key);
    known = json_object_get(joining->numbers, key);
    *number = known != NULL ? (uint32_t)json_integer_value(known) : joined->image_count;
    if (known == NULL && (!SHW_RESERVE(joined->images, joining->capacity, (size_t)joined->image_count + 1) ||
                          json_object_set_new_nocheck(joining->numbers, key, json_integer(*number)) != 0)) {
        free(key);
        return shw_fail_memory(joining->log, image->path);
    }
    if (known != NULL || real == NULL)
        free(key);
    if (known != NULL)
        return SHW_OK;
    copy.name = strdup(image->name);
    copy.path = strdup(image->path);
    joined->images[joined->image_count++] = copy;
    return copy.name != NULL && copy.path != NULL ? SHW_OK : shw_fail_memory(joining->log, image->path);
}

/* Joins the images, and counts the objects of each. numbers[i]: the joined image of the i-th of all that were read. */
static enum shw_result join_images(struct joining *joining, uint32_t *numbers)
{
    struct shw_annotations *joined = &joining->joined;
    size_t all = 0;

    for (uint32_t f = 0; f < joining->file_count; f++)
        for (uint32_t i = 0; i < joining->files[f].image_count; i++) {
            const struct shw_annotated_image *image = &joining->files[f].images[i];

            SHW_PROPAGATE(join_image(joining, image, &numbers[all]));
            joined->images[numbers[all++]].object_count += image->object_count;
        }
    return SHW_OK;
}

/* Puts the objects of each image in a row. */
static void group_joined_objects(struct joining *joining, const uint32_t *numbers)
{
    struct shw_annotations *joined = &joining->joined;
    uint32_t first = 0;

    for (uint32_t i = 0; i < joined->image_count; i++) {
        joined->images[i].first_object = first;
        first += joined->images[i].object_count;
        joined->images[i].object_count = 0;
    }
    for (uint32_t f = 0; f < joining->file_count; f++)
        for (uint32_t i = 0; i < joining->files[f].image_count; i++) {
            const struct shw_annotated_image *from = &joining->files[f].images[i];
            struct shw_annotated_image *to = &joined->images[*numbers++];

            for (uint32_t o = 0; o < from->object_count; o++) {
                struct shw_annotated_object *object = &joined->objects[to->first_object + to->object_count++];
                *object = joining->files[f].objects[from->first_object + o];
                object->label = SHW_NO_OBJECT_LABEL;
            }
        }
}

static int compare_values(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_rectangles(const struct shw_annotated_object *a, const struct shw_annotated_object *b)
{
    int order = compare_values(a->x, b->x);

    order = order != 0 ? order : compare_values(a->y, b->y);
    order = order != 0 ? order : compare_values(a->width, b->width);
    order = order != 0 ? order : compare_values(a->height, b->height);
    return order != 0 ? order : compare_values(a->is_crowd, b->is_crowd);
}

/* Equal ones in the order in which they were read. */
static int compare_objects(const void *a, const void *b)
{
    const struct shw_annotated_object *first = *(const struct shw_annotated_object *const *)a,
                                      *second = *(const struct shw_annotated_object *const *)b;
    int order = compare_rectangles(first, second);

    return order != 0 ? order : (first > second) - (first < second);
}

/* Marks, by a width of 0, the objects of an image that are the same as one before. */
static void mark_twice(struct joining *joining, struct shw_annotated_object **sorted,
                       const struct shw_annotated_image *image)
{
    struct shw_annotated_object *objects = joining->joined.objects + image->first_object;
    uint32_t kept = 0;

    for (uint32_t o = 0; o < image->object_count; o++)
        sorted[o] = &objects[o];
    qsort(sorted, image->object_count, sizeof(struct shw_annotated_object *), compare_objects);
    for (uint32_t o = 1; o < image->object_count; o++) {
        if (compare_rectangles(sorted[kept], sorted[o]) != 0) {
            kept = o;
            continue;
        }
        sorted[o]->width = 0;
        joining->twice++;
        if (joining->again == NULL || sorted[o] < joining->again) {
            joining->first = sorted[kept];
            joining->again = sorted[o];
        }
    }
}

static void say_twice(const struct joining *joining)
{
    char first[PLACE_SIZE], again[PLACE_SIZE];

    if (joining->twice > 0)
        shw_log_message(joining->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: the rectangle is that of %s; %u that %s twice in an image count%s once",
                        place_of(joining->again, again), place_of(joining->first, first), joining->twice,
                        joining->twice == 1 ? "is" : "are", joining->twice == 1 ? "s" : "");
}

static enum shw_result leave_out_twice(struct joining *joining)
{
    struct shw_annotations *joined = &joining->joined;
    struct shw_annotated_object **sorted = malloc(((size_t)joined->object_count + 1) * sizeof *sorted);
    uint32_t kept = 0;

    if (sorted == NULL)
        return shw_fail_memory(joining->log, "the annotations");
    for (uint32_t i = 0; i < joined->image_count; i++)
        mark_twice(joining, sorted, &joined->images[i]);
    say_twice(joining);
    for (uint32_t i = 0; i < joined->image_count; i++) {
        struct shw_annotated_image *image = &joined->images[i];
        uint32_t from = image->first_object, end = from + image->object_count;

        image->first_object = kept;
        for (; from < end; from++)
            if (joined->objects[from].width > 0 && !joined->objects[from].is_wrong)
                joined->objects[kept++] = joined->objects[from];
        image->object_count = kept - image->first_object;
    }
    joined->object_count = kept;
    free(sorted);
    return SHW_OK;
}

enum shw_result shw_annotations_join(const struct shw_annotations *files, uint32_t count, const struct shw_log *log,
                                     struct shw_annotations *joined)
{
    struct joining joining = {.files = files, .file_count = count, .numbers = json_object(), .log = log};
    size_t images = 1, objects = 1;
    uint32_t *numbers;
    enum shw_result result;

    *joined = (struct shw_annotations){0};
    for (uint32_t f = 0; f < count; f++) {
        images += files[f].image_count;
        objects += files[f].object_count;
    }
    numbers = malloc(images * sizeof *numbers);
    joining.joined.objects = malloc(objects * sizeof *joining.joined.objects);
    joining.joined.object_count = (uint32_t)(objects - 1);
    if (numbers == NULL || joining.joined.objects == NULL || objects > UINT32_MAX || images > UINT32_MAX)
        SHW_TRY(shw_fail_memory(log, "the annotations"));
    SHW_TRY(join_images(&joining, numbers));
    group_joined_objects(&joining, numbers);
    SHW_TRY(leave_out_twice(&joining));
    *joined = joining.joined;
    joining.joined = (struct shw_annotations){0};

fail:
    shw_annotations_free(&joining.joined);
    json_decref(joining.numbers);
    free(numbers);
    return result;
}

uint32_t shw_annotations_report_outside(const struct shw_annotations *annotations,
                                        const struct shw_annotated_image *image, uint32_t width, uint32_t height,
                                        const struct shw_log *log)
{
    const struct shw_annotated_object *objects = annotations->objects + image->first_object, *first = NULL;
    char place[PLACE_SIZE], others[64] = "";
    uint32_t count = 0;

    for (uint32_t o = image->object_count; o-- > 0;)
        if (shw_rectangle_is_outside(objects[o].x, objects[o].y, objects[o].width, objects[o].height, width, height)) {
            first = &objects[o];
            count++;
        }
    if (first == NULL)
        return 0;
    if (count > 1)
        snprintf(others, sizeof others, "; so %s %u more of its rectangles", count == 2 ? "is" : "are", count - 1);
    shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                    "%s: the rectangle at %d, %d of %u x %u pixels lies outside of %s, which has %u x %u, and is left "
                    "out%s",
                    place_of(first, place), first->x, first->y, first->width, first->height, image->path, width, height,
                    others);
    return count;
}
