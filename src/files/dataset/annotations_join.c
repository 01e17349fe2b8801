#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/array.h"
#include "base/image.h"
#include "base/log.h"
#include "files/dataset/annotations.h"
#include "files/io/image_paths.h"

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

/* Takes `.` and doubled slashes out of a path, which is to name one file that there is not by one text. */
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
static void group_objects(struct joining *joining, const uint32_t *numbers)
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
            if (joined->objects[from].width > 0)
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
    group_objects(&joining, numbers);
    SHW_TRY(leave_out_twice(&joining));
    *joined = joining.joined;
    joining.joined = (struct shw_annotations){0};

fail:
    shw_annotations_free(&joining.joined);
    json_decref(joining.numbers);
    free(numbers);
    return result;
}

uint32_t shw_annotations_tell_outside(const struct shw_annotations *annotations,
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
