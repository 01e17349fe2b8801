#include "teach/region.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"

enum shw_result view_runs_add(struct view_runs *runs, int32_t y, int32_t left, int32_t right)
{
    uint64_t pixels = runs->pixels + (uint64_t)(right - left) + 1;

    if (pixels > VIEW_RUNS_PIXELS_MAX || runs->count + 2 > SHW_STROKE_POINTS_MAX)
        return SHW_ERROR_LIMIT;
    if (!SHW_RESERVE(runs->points, runs->capacity, runs->count + 2u))
        return SHW_ERROR_MEMORY;
    runs->points[runs->count++] = (struct shw_point){left, y};
    runs->points[runs->count++] = (struct shw_point){right, y};
    runs->pixels = pixels;
    return SHW_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct shw_point *one = a, *other = b;

    if (one->y != other->y)
        return one->y < other->y ? -1 : 1;
    return (one->x > other->x) - (one->x < other->x);
}

/* Sorts them row by row. */
static void view_runs_sort(struct view_runs *runs)
{
    if (runs->count > 0)
        qsort(runs->points, runs->count / 2, 2 * sizeof *runs->points, by_place);
}

enum shw_result view_runs_check(enum shw_result result, const struct shw_log *log)
{
    if (result == SHW_ERROR_MEMORY)
        return shw_fail_memory(log, "a region");
    if (result != SHW_OK)
        return shw_fail(log, result, SHW_LOG_ARGUMENT,
                        "the region is too large: at most %llu pixels in %u runs are labelled at once",
                        (unsigned long long)VIEW_RUNS_PIXELS_MAX, SHW_STROKE_POINTS_MAX / 2);
    return SHW_OK;
}

void view_runs_free(struct view_runs *runs)
{
    free(runs->points);
    *runs = (struct view_runs){0};
}

/* A run that has been added and whose neighbours have not been looked at. */
struct run {
    uint32_t y, left, right;
};

struct growth {
    const struct view_values *values;
    struct view_runs *runs;
    uint16_t value;
    uint8_t *seen; /* a bit for each pixel; the system provides its pages when they are first written to */
    struct run *todo;
    uint32_t todo_count, todo_capacity;
    unsigned sides;
};

/* Whether the pixel belongs to the region and has not been added. */
static bool is_new(const struct growth *growth, uint32_t x, uint32_t y)
{
    size_t number = (size_t)y * growth->values->width + x;

    return ((unsigned)growth->seen[number / 8] >> number % 8 & 1u) == 0 &&
           growth->values->at(growth->values->user, x, y) == growth->value;
}

static void mark_seen(struct growth *growth, struct run run)
{
    size_t number = (size_t)run.y * growth->values->width + run.left, end = number + (run.right - run.left) + 1;

    for (; number < end; number++)
        if (number % 8 == 0 && number + 8 <= end) {
            growth->seen[number / 8] = 0xff;
            number += 7;
        } else {
            growth->seen[number / 8] = (uint8_t)(growth->seen[number / 8] | 1u << number % 8);
        }
}

/* Adds the whole run of a new pixel. */
static enum shw_result add_run(struct growth *growth, uint32_t x, uint32_t y, struct run *added)
{
    const struct view_values *values = growth->values;
    struct run run = {y, x, x};

    while (run.left > 0 && is_new(growth, run.left - 1, y))
        run.left--;
    while (run.right + 1 < values->width && is_new(growth, run.right + 1, y))
        run.right++;
    SHW_PROPAGATE(view_runs_add(growth->runs, (int32_t)y, (int32_t)run.left, (int32_t)run.right));
    if (!SHW_RESERVE(growth->todo, growth->todo_capacity, growth->todo_count + 1u))
        return SHW_ERROR_MEMORY;
    growth->todo[growth->todo_count++] = *added = run;
    mark_seen(growth, run);
    growth->sides |= (run.left == 0 ? VIEW_REGION_LEFT : 0) | (run.right + 1 == values->width ? VIEW_REGION_RIGHT : 0) |
                     (y == 0 ? VIEW_REGION_TOP : 0) | (y + 1 == values->height ? VIEW_REGION_BOTTOM : 0);
    return SHW_OK;
}

/* Adds the new runs of a row that have pixels from left to right. */
static enum shw_result look_beside(struct growth *growth, uint32_t y, uint32_t left, uint32_t right)
{
    struct run added;

    for (uint32_t x = left; x <= right; x++)
        if (is_new(growth, x, y)) {
            SHW_PROPAGATE(add_run(growth, x, y, &added));
            x = added.right;
        }
    return SHW_OK;
}

static enum shw_result look_around(struct growth *growth, struct run run)
{
    if (run.y > 0)
        SHW_PROPAGATE(look_beside(growth, run.y - 1, run.left, run.right));
    return run.y + 1 < growth->values->height ? look_beside(growth, run.y + 1, run.left, run.right) : SHW_OK;
}

enum shw_result view_region_grow(const struct view_values *values, uint32_t x, uint32_t y, unsigned bounds,
                                 struct view_runs *runs, unsigned *sides)
{
    struct growth growth = {.values = values,
                            .runs = runs,
                            .value = values->at(values->user, x, y),
                            .seen = calloc((size_t)values->width * values->height / 8 + 1, 1)};
    enum shw_result result = SHW_ERROR_MEMORY;
    bool over = growth.seen == NULL;

    if (!over)
        result = look_beside(&growth, y, x, x);
    while (result == SHW_OK && growth.todo_count > 0 && !over) {
        result = look_around(&growth, growth.todo[--growth.todo_count]);
        over = bounds != 0 && (growth.sides & bounds) == bounds;
    }
    free(growth.seen);
    free(growth.todo);
    view_runs_sort(runs);
    *sides = growth.sides;
    return result;
}

/* A side, downwards. */
struct side {
    struct shw_point top, bottom;
    int32_t direction; /* 1: the outline runs downwards, -1: upwards */
};

/* Where a row crosses a side: from pixel `x` on, the winding number differs by `change`. */
struct crossing {
    int64_t x;
    int32_t change;
};

/* Pixels of a row, the last one included. */
struct span {
    int64_t left, right;
};

struct row {
    struct crossing *crossings;
    struct span *spans;
    uint32_t crossing_count, span_count;
};

static int by_top(const void *a, const void *b)
{
    const struct side *one = a, *other = b;

    return (one->top.y > other->top.y) - (one->top.y < other->top.y);
}

static int by_x(const void *a, const void *b)
{
    const struct crossing *one = a, *other = b;

    return (one->x > other->x) - (one->x < other->x);
}

static int by_left(const void *a, const void *b)
{
    const struct span *one = a, *other = b;

    return (one->left > other->left) - (one->left < other->left);
}

static void make_sides(const struct shw_point *corners, uint32_t count, struct side *sides)
{
    for (uint32_t i = 0; i < count; i++) {
        struct shw_point a = corners[i], b = corners[i + 1 < count ? i + 1 : 0];

        sides[i] = a.y <= b.y ? (struct side){a, b, 1} : (struct side){b, a, -1};
    }
    qsort(sides, count, sizeof *sides, by_top);
}

/* A side that has the row: what lies on it, and where the winding number changes. */
static void cross(struct row *row, const struct side *side, int32_t y)
{
    int64_t rows = (int64_t)side->bottom.y - side->top.y, across = (int64_t)side->bottom.x - side->top.x;
    int64_t product, x;

    if (rows == 0) {
        row->spans[row->span_count++] =
            across < 0 ? (struct span){side->bottom.x, side->top.x} : (struct span){side->top.x, side->bottom.x};
        return;
    }
    product = across * ((int64_t)y - side->top.y);
    x = side->top.x + product / rows + (product % rows > 0); /* rounded up */
    if (product % rows == 0)
        row->spans[row->span_count++] = (struct span){x, x};
    if (y < side->bottom.y) /* a corner belongs to the side below it */
        row->crossings[row->crossing_count++] = (struct crossing){x, side->direction};
}

/* The spans inside the polygon. */
static void wind(struct row *row)
{
    int32_t winding = 0;

    qsort(row->crossings, row->crossing_count, sizeof *row->crossings, by_x);
    for (uint32_t i = 0; i + 1 < row->crossing_count; i++) {
        int64_t left = row->crossings[i].x, next = row->crossings[i + 1].x;

        winding += row->crossings[i].change;
        if (winding != 0 && left < next)
            row->spans[row->span_count++] = (struct span){left, next - 1};
    }
}

/* Adds the union of the spans. */
static enum shw_result add_spans(struct row *row, int32_t y, uint32_t width, struct view_runs *runs)
{
    int64_t done = -1; /* pixels up to here have been added */

    qsort(row->spans, row->span_count, sizeof *row->spans, by_left);
    for (uint32_t i = 0; i < row->span_count;) {
        int64_t left = row->spans[i].left, right = row->spans[i].right;

        for (i++; i < row->span_count && row->spans[i].left <= right + 1; i++)
            right = row->spans[i].right > right ? row->spans[i].right : right;
        left = left <= done ? done + 1 : left;
        right = right >= width ? (int64_t)width - 1 : right;
        if (left > right)
            continue;
        SHW_PROPAGATE(view_runs_add(runs, y, (int32_t)left, (int32_t)right));
        done = right;
    }
    return SHW_OK;
}

static enum shw_result fill_rows(struct side *sides, uint32_t count, uint32_t width, uint32_t height, struct row *row,
                                 struct view_runs *runs)
{
    uint32_t first = 0, end = 0; /* sides[first] to before sides[end] may have the row */

    for (int32_t y = sides[0].top.y > 0 ? sides[0].top.y : 0; y < (int32_t)height && (first < end || end < count);
         y++) {
        while (end < count && sides[end].top.y <= y)
            end++;
        row->crossing_count = row->span_count = 0;
        for (uint32_t i = first; i < end; i++) {
            struct side side = sides[i];

            if (side.bottom.y >= y) {
                cross(row, &side, y);
            } else { /* over: makes room at the beginning */
                sides[i] = sides[first];
                sides[first++] = side;
            }
        }
        wind(row);
        SHW_PROPAGATE(add_spans(row, y, width, runs));
    }
    return SHW_OK;
}

enum shw_result view_polygon_fill(const struct shw_point *corners, uint32_t count, uint32_t width, uint32_t height,
                                  struct view_runs *runs)
{
    struct side *sides = calloc(count + (size_t)1, sizeof *sides);
    struct row row = {.crossings = calloc(count + (size_t)1, sizeof *row.crossings),
                      .spans = calloc(2 * (size_t)count + 1, sizeof *row.spans)};
    enum shw_result result = SHW_ERROR_MEMORY;

    if (sides != NULL && row.crossings != NULL && row.spans != NULL) {
        make_sides(corners, count, sides);
        result = fill_rows(sides, count, width, height, &row, runs);
    }
    free(sides);
    free(row.crossings);
    free(row.spans);
    return result;
}
