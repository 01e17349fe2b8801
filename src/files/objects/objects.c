#include "files/objects/objects.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"
#include "files/objects/outline.h"

#define NONE UINT32_MAX

/* Until they are numbered, pixels point to an earlier pixel of their component, its first pixel to itself: runs of a
 * row point to their first pixels, and those are united with runs of the row above. */

/* The first pixel of a component; shortens the path to it. */
static uint32_t find(uint32_t *parents, uint32_t pixel)
{
    while (parents[pixel] != pixel) {
        parents[pixel] = parents[parents[pixel]];
        pixel = parents[pixel];
    }
    return pixel;
}

static void unite(uint32_t *parents, uint32_t a, uint32_t b)
{
    a = find(parents, a);
    b = find(parents, b);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}

/* Unites the run from `start` to before `end` with the runs of the row above that touch it. */
static void join_above(const uint16_t *labels, uint32_t width, uint32_t row, uint32_t start, uint32_t end, bool four,
                       uint32_t *parents)
{
    const uint16_t *above = labels + row - width;
    uint32_t from = !four && start > 0 ? start - 1 : start, to = !four && end < width ? end + 1 : end;
    uint16_t label = labels[row + start];

    for (uint32_t x = from; x < to; x++)
        if (above[x] == label && (x == from || above[x - 1] != label))
            unite(parents, row - width + x, row + start);
}

static void find_runs(const uint16_t *labels, uint32_t width, uint32_t row, bool four, uint32_t *parents)
{
    for (uint32_t start = 0, end; start < width; start = end) {
        uint16_t label = labels[row + start];
        uint32_t parent = label != SHW_LABEL_VOID ? row + start : NONE;

        for (end = start; end < width && labels[row + end] == label; end++)
            parents[row + end] = parent;
        if (label != SHW_LABEL_VOID && row > 0)
            join_above(labels, width, row, start, end, four, parents);
    }
}

uint32_t shw_find_components(const uint16_t *labels, uint32_t width, uint32_t height, bool four, uint32_t *numbers)
{
    uint32_t pixels = width * height, count = 0;

    for (uint32_t row = 0; row < pixels; row += width)
        find_runs(labels, width, row, four, numbers);
    for (uint32_t i = 0; i < pixels; i++)
        if (numbers[i] == NONE)
            numbers[i] = 0;
        else
            numbers[i] = numbers[i] == i ? ++count : numbers[numbers[i]]; /* that one is numbered already */
    return count;
}

/* How many pixels of each class a window has. */
struct window {
    uint32_t *counts;  /* [class_count] */
    uint16_t *present; /* the classes that have some, in any order */
    uint32_t *places;  /* of a class in `present` */
    uint32_t present_count;
};

/* Void pixels are not counted. */
static void add(struct window *window, uint16_t label)
{
    if (label == SHW_LABEL_VOID)
        return;
    if (window->counts[label]++ == 0) {
        window->places[label] = window->present_count;
        window->present[window->present_count++] = label;
    }
}

static void take(struct window *window, uint16_t label)
{
    uint16_t last;

    if (label == SHW_LABEL_VOID)
        return;
    if (--window->counts[label] > 0)
        return;
    last = window->present[--window->present_count];
    window->present[window->places[label]] = last;
    window->places[last] = window->places[label];
}

/* A void pixel stays one. */
static uint16_t most_frequent(const struct window *window, uint16_t own)
{
    uint32_t most = own != SHW_LABEL_VOID ? window->counts[own] : UINT32_MAX;
    uint16_t found = own;

    for (uint32_t i = 0; i < window->present_count; i++) {
        uint16_t label = window->present[i];
        uint32_t count = window->counts[label];

        if (count > most || (count == most && found != own && label < found)) {
            most = count;
            found = label;
        }
    }
    return found;
}

static void clear(struct window *window)
{
    for (uint32_t i = 0; i < window->present_count; i++)
        window->counts[window->present[i]] = 0;
    window->present_count = 0;
}

static void smooth_row(const struct shw_object_picture *picture, uint32_t radius, uint32_t y, struct window *window,
                       uint16_t *smoothed)
{
    uint32_t width = picture->width, top = y > radius ? y - radius : 0;
    uint32_t bottom = shw_min_u32(picture->height - 1, y + radius);

    clear(window);
    for (uint32_t x = 0; x < width + radius; x++) {
        for (uint32_t row = top; row <= bottom; row++) {
            const uint16_t *labels = picture->labels + (size_t)row * width;

            if (x < width)
                add(window, labels[x]);
            if (x > 2 * radius)
                take(window, labels[x - 2 * radius - 1]);
        }
        if (x >= radius)
            smoothed[(size_t)y * width + x - radius] =
                most_frequent(window, picture->labels[(size_t)y * width + x - radius]);
    }
}

/* The labels of the picture smoothed with a radius (objects.h), into `smoothed`. Errors: MEMORY. */
static enum shw_result smooth_labels(const struct shw_object_picture *picture, uint32_t radius,
                                     const struct shw_log *log, uint16_t *smoothed)
{
    struct window window = {.counts = calloc(picture->class_count, sizeof *window.counts),
                            .present = malloc(picture->class_count * sizeof *window.present),
                            .places = malloc(picture->class_count * sizeof *window.places)};
    bool enough = window.counts != NULL && window.present != NULL && window.places != NULL;

    for (uint32_t y = 0; enough && y < picture->height; y++)
        smooth_row(picture, radius, y, &window, smoothed);
    free(window.counts);
    free(window.present);
    free(window.places);
    return enough ? SHW_OK : shw_fail_memory(log, "counts of classes");
}

/* A vertical edge of a hole's outline, on the left of pixel (x, y). */
struct wall {
    uint32_t y, x, hole;
};

struct walls {
    struct wall *list;
    uint32_t count, capacity;
    uint32_t hole; /* of those that are added */
    bool incomplete;
};

/* The holes around a pixel while walls of a row are passed from left to right. Holes are numbered by rank: the least
 * one decides. */
struct around {
    uint32_t *heap; /* holes; some may have ended */
    uint32_t count;
    bool *inside, *in_heap; /* of each hole */
};

static void add_wall(void *user, uint32_t x, uint32_t y)
{
    struct walls *walls = user;

    if (SHW_RESERVE(walls->list, walls->capacity, walls->count + (size_t)1))
        walls->list[walls->count++] = (struct wall){y, x, walls->hole};
    else
        walls->incomplete = true;
}

static int compare_walls(const void *one, const void *two)
{
    const struct wall *a = one, *b = two;

    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return (a->x > b->x) - (a->x < b->x);
}

/* The largest first. A hole's outline begins below the hole's upper edge, so its component's first pixel decides. */
static int compare_holes(const void *one, const void *two)
{
    const struct shw_outline_ring *a = one, *b = two;

    if (a->area != b->area)
        return a->area < b->area ? -1 : 1; /* areas are negative */
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

static void push(struct around *around, uint32_t hole)
{
    uint32_t at = around->count++;

    for (; at > 0 && around->heap[(at - 1) / 2] > hole; at = (at - 1) / 2)
        around->heap[at] = around->heap[(at - 1) / 2];
    around->heap[at] = hole;
    around->in_heap[hole] = true;
}

static void pop(struct around *around)
{
    uint32_t last = around->heap[--around->count], at = 0, child;

    around->in_heap[around->heap[0]] = false;
    while ((child = 2 * at + 1) < around->count) {
        if (child + 1 < around->count && around->heap[child + 1] < around->heap[child])
            child++;
        if (around->heap[child] >= last)
            break;
        around->heap[at] = around->heap[child];
        at = child;
    }
    around->heap[at] = last;
}

static void pass(struct around *around, uint32_t hole)
{
    around->inside[hole] = !around->inside[hole];
    if (around->inside[hole] && !around->in_heap[hole])
        push(around, hole);
    while (around->count > 0 && !around->inside[around->heap[0]])
        pop(around);
}

/* Fills between the walls, which are sorted. */
static void fill(uint16_t *labels, uint32_t width, const struct walls *walls, const uint16_t *hole_labels,
                 struct around *around)
{
    for (uint32_t i = 0; i < walls->count; i++) {
        const struct wall *wall = &walls->list[i];

        pass(around, wall->hole);
        if (around->count > 0)
            for (uint32_t x = wall->x; x < wall[1].x; x++)
                labels[(size_t)wall->y * width + x] = hole_labels[around->heap[0]];
    }
}

/* The holes are sorted. */
static enum shw_result fill_sorted(uint16_t *labels, const struct shw_outline_plane *plane,
                                   const struct shw_outline_rings *holes, const struct shw_log *log)
{
    struct walls walls = {0};
    const struct shw_outline_walk walk = {.wall = add_wall, .user = &walls};
    struct around around = {.heap = malloc(holes->count * sizeof *around.heap),
                            .inside = calloc(holes->count, sizeof *around.inside),
                            .in_heap = calloc(holes->count, sizeof *around.in_heap)};
    uint16_t *hole_labels = malloc(holes->count * sizeof *hole_labels);
    bool enough = around.heap != NULL && around.inside != NULL && around.in_heap != NULL && hole_labels != NULL;

    for (uint32_t i = 0; enough && i < holes->count; i++) {
        walls.hole = i;
        hole_labels[i] = labels[holes->list[i].start];
        shw_walk_outline(plane, &holes->list[i], &walk);
        enough = !walls.incomplete;
    }
    if (enough) {
        qsort(walls.list, walls.count, sizeof *walls.list, compare_walls);
        fill(labels, plane->width, &walls, hole_labels, &around);
    }
    free(walls.list);
    free(around.heap);
    free(around.inside);
    free(around.in_heap);
    free(hole_labels);
    return enough ? SHW_OK : shw_fail_memory(log, "holes of objects");
}

/* Gives the pixels of holes of at most `hole_max` pixels the labels of their components (objects.h). `numbers`: of the
 * components, connected as `four` says. *filled: whether there were such holes. Errors: MEMORY. */
static enum shw_result fill_holes(uint16_t *labels, const uint32_t *numbers, uint32_t width, uint32_t height, bool four,
                                  uint32_t hole_max, const struct shw_log *log, bool *filled)
{
    const struct shw_outline_plane plane = {numbers, width, height, .diagonal = !four};
    struct shw_outline_rings holes = {0};
    enum shw_result result = shw_find_outlines(&plane, hole_max, log, &holes);

    *filled = result == SHW_OK && holes.count > 0;
    if (*filled) {
        qsort(holes.list, holes.count, sizeof *holes.list, compare_holes);
        result = fill_sorted(labels, &plane, &holes, log);
    }
    free(holes.list);
    return result;
}

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
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the label %u is not one of %u classes",
                            picture->labels[i], picture->class_count);
    return SHW_OK;
}

/* The labels that components are made from. */
static enum shw_result take_labels(const struct shw_object_picture *picture, const struct shw_object_settings *settings,
                                   const struct shw_log *log, struct shw_objects *objects)
{
    size_t pixels = pixel_count(objects);

    if (settings->smooth > 0)
        SHW_PROPAGATE(smooth_labels(picture, settings->smooth, log, objects->labels));
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

/* Drops components with too few pixels or too many, and numbers the others. */
static enum shw_result drop_others(uint32_t count, const struct shw_object_settings *settings,
                                   const struct shw_log *log, struct shw_objects *objects)
{
    const uint32_t area_max = settings->area_max > 0 ? settings->area_max : UINT32_MAX;
    uint32_t *numbers = calloc(count + (size_t)1, sizeof *numbers);
    size_t pixels = pixel_count(objects);

    if (numbers == NULL)
        return shw_fail_memory(log, "areas of objects");
    for (size_t i = 0; i < pixels; i++)
        numbers[objects->numbers[i]]++;
    numbers[0] = 0;
    for (uint32_t n = 1; n <= count; n++)
        numbers[n] = numbers[n] >= settings->area_min && numbers[n] <= area_max ? ++objects->count : 0;
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
        SHW_PROPAGATE(fill_holes(objects->labels, objects->numbers, objects->width, objects->height, objects->four,
                                 settings->hole_max, log, &filled));
    if (filled)
        count = find_components(objects);
    SHW_PROPAGATE(drop_others(count, settings, log, objects));
    objects->list = calloc(objects->count + (size_t)1, sizeof *objects->list);
    if (objects->list == NULL)
        return shw_fail_memory(log, "objects");
    measure(picture, objects);
    return SHW_OK;
}

enum shw_result shw_objects_keep(struct shw_objects *objects, const bool *kept, const struct shw_log *log)
{
    uint32_t *numbers = calloc(objects->count + (size_t)1, sizeof *numbers), count = 0;
    size_t pixels = pixel_count(objects);

    if (numbers == NULL)
        return shw_fail_memory(log, "objects");
    for (uint32_t n = 1; n <= objects->count; n++)
        if (kept[n - 1]) {
            objects->list[count] = objects->list[n - 1];
            numbers[n] = ++count;
        }
    for (size_t i = 0; count < objects->count && i < pixels; i++) {
        objects->numbers[i] = numbers[objects->numbers[i]];
        if (objects->numbers[i] == 0)
            objects->labels[i] = SHW_LABEL_VOID;
    }
    objects->count = count;
    free(numbers);
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
