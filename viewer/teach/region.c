#include "teach/region.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"

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
