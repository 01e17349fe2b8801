#include "files/objects/objects.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>

#include "base/integers.h"
#include "base/log.h"
#include "files/objects/components.h"
#include "files/objects/holes.h"
#include "files/objects/smooth.h"

#define PIXELS_MAX (UINT32_C(1) << 28)

static size_t pixel_count(const struct shw_objects *objects)
{
    return (size_t)objects->width * objects->height;
}

static enum shw_result check(const struct shw_object_picture *picture, const struct shw_object_settings *settings,
                             const struct shw_log *log)
{
    size_t pixels = (size_t)picture->width * picture->height;

    if (pixels == 0 || pixels > PIXELS_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "objects cannot be found in %u x %u pixels",
                        picture->width, picture->height);
    if (settings->smooth > SHW_OBJECT_SMOOTH_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "labels are smoothed with a radius of at most %u",
                        SHW_OBJECT_SMOOTH_MAX);
    for (size_t i = 0; i < pixels; i++)
        if (picture->labels[i] >= picture->class_count && picture->labels[i] != SHW_LABEL_VOID)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the label %u is none of %u classes",
                            picture->labels[i], picture->class_count);
    return SHW_OK;
}

/* The labels that components are made from. */
static enum shw_result take_labels(const struct shw_object_picture *picture, const struct shw_object_settings *settings,
                                   const struct shw_log *log, struct shw_objects *objects)
{
    size_t pixels = pixel_count(objects);

    if (settings->smooth > 0)
        SHW_PROPAGATE(shw_smooth_labels(picture, settings->smooth, log, objects->labels));
    else
        memcpy(objects->labels, picture->labels, pixels * sizeof *objects->labels);
    for (size_t i = 0; settings->classes != NULL && i < pixels; i++)
        if (objects->labels[i] != SHW_LABEL_VOID && !settings->classes[objects->labels[i]])
            objects->labels[i] = SHW_LABEL_VOID;
    return SHW_OK;
}

static uint32_t find_components(struct shw_objects *objects)
{
    return shw_find_components(objects->labels, objects->width, objects->height, objects->four, objects->numbers);
}

/* Drops components with too few pixels and numbers the others. */
static enum shw_result drop_small(uint32_t count, uint32_t area_min, const struct shw_log *log,
                                  struct shw_objects *objects)
{
    uint32_t *numbers = calloc(count + (size_t)1, sizeof *numbers);
    size_t pixels = pixel_count(objects);

    if (numbers == NULL)
        return shw_fail_memory(log, "areas of objects");
    for (size_t i = 0; i < pixels; i++)
        numbers[objects->numbers[i]]++;
    numbers[0] = 0;
    for (uint32_t n = 1; n <= count; n++)
        numbers[n] = numbers[n] >= area_min ? ++objects->count : 0;
    for (size_t i = 0; objects->count < count && i < pixels; i++) {
        objects->numbers[i] = numbers[objects->numbers[i]];
        if (objects->numbers[i] == 0)
            objects->labels[i] = SHW_LABEL_VOID;
    }
    free(numbers);
    return SHW_OK;
}

/* The edges of a pixel that separate it from other objects, from none, or from what is outside of the picture. */
static uint32_t count_edges(const struct shw_objects *objects, uint32_t x, uint32_t y)
{
    uint32_t width = objects->width;
    const uint32_t *at = objects->numbers + (size_t)y * width + x;

    return (uint32_t)(x == 0 || at[-1] != *at) + (x == width - 1 || at[1] != *at) + (y == 0 || *(at - width) != *at) +
           (y == objects->height - 1 || at[width] != *at);
}

/* Adds a pixel. `width` and `height` are the box's last column and row meanwhile. */
static void measure_pixel(const struct shw_objects *objects, uint32_t x, uint32_t y, struct shw_object *object)
{
    if (object->area++ == 0) {
        object->label = objects->labels[(size_t)y * objects->width + x];
        object->x = x;
        object->y = y;
    }
    object->x = shw_min_u32(object->x, x);
    object->width = shw_max_u32(object->width, x);
    object->height = y;
    object->sum_x += x;
    object->sum_y += y;
    object->perimeter += count_edges(objects, x, y);
}

static void measure(const struct shw_object_picture *picture, const struct shw_objects *objects)
{
    size_t pixels = pixel_count(objects), i = 0;

    for (uint32_t y = 0; y < objects->height; y++)
        for (uint32_t x = 0; x < objects->width; x++, i++) {
            struct shw_object *object;

            if (objects->numbers[i] == 0)
                continue;
            object = &objects->list[objects->numbers[i] - 1];
            measure_pixel(objects, x, y, object);
            if (picture->distribution != NULL)
                object->probability += picture->distribution[object->label * pixels + i];
        }
    for (uint32_t n = 0; n < objects->count; n++) {
        struct shw_object *object = &objects->list[n];

        object->at_border = object->x == 0 || object->y == 0 || object->width == objects->width - 1 ||
                            object->height == objects->height - 1;
        object->width -= object->x - 1;
        object->height -= object->y - 1;
    }
}

enum shw_result shw_objects_find(const struct shw_object_picture *picture, const struct shw_object_settings *settings,
                                 const struct shw_log *log, struct shw_objects *objects)
{
    size_t pixels = (size_t)picture->width * picture->height;
    uint32_t count;
    bool filled = false;

    *objects = (struct shw_objects){.width = picture->width,
                                    .height = picture->height,
                                    .four = settings->four,
                                    .has_probability = picture->distribution != NULL};
    SHW_PROPAGATE(check(picture, settings, log));
    objects->numbers = malloc(pixels * sizeof *objects->numbers);
    objects->labels = malloc(pixels * sizeof *objects->labels);
    if (objects->numbers == NULL || objects->labels == NULL)
        return shw_fail_memory(log, "objects");
    SHW_PROPAGATE(take_labels(picture, settings, log, objects));
    count = find_components(objects);
    if (settings->hole_max > 0)
        SHW_PROPAGATE(shw_fill_holes(objects->labels, objects->numbers, objects->width, objects->height, objects->four,
                                     settings->hole_max, log, &filled));
    if (filled)
        count = find_components(objects);
    SHW_PROPAGATE(drop_small(count, settings->area_min, log, objects));
    objects->list = calloc(objects->count + (size_t)1, sizeof *objects->list);
    if (objects->list == NULL)
        return shw_fail_memory(log, "objects");
    measure(picture, objects);
    return SHW_OK;
}

void shw_objects_free(struct shw_objects *objects)
{
    free(objects->list);
    free(objects->numbers);
    free(objects->labels);
    *objects = (struct shw_objects){0};
}

/* The quotient rounded half up. */
static uint64_t divide(uint64_t dividend, uint64_t divisor)
{
    return (2 * dividend + divisor) / (2 * divisor);
}

struct shw_object_centre shw_object_get_centre(const struct shw_object *object)
{
    uint64_t pixels = object->area;

    return (struct shw_object_centre){divide(500 * (2 * object->sum_x + pixels), pixels),
                                      divide(500 * (2 * object->sum_y + pixels), pixels)};
}

uint32_t shw_object_get_probability(const struct shw_object *object)
{
    return (uint32_t)divide(object->probability * 100000, (uint64_t)object->area * 65535);
}
