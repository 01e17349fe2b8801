#include "project/stroke.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/integers.h"

/* Coordinates have 18 bits, so the square of a cross product has up to 77. */
__extension__ typedef unsigned __int128 wide;

static uint64_t square(int64_t value)
{
    return (uint64_t)(value * value);
}

bool shw_stroke_covers(struct shw_point a, struct shw_point b, uint32_t radius, struct shw_point pixel)
{
    int64_t dx = (int64_t)b.x - a.x, dy = (int64_t)b.y - a.y;
    int64_t vx = (int64_t)pixel.x - a.x, vy = (int64_t)pixel.y - a.y;
    int64_t length = dx * dx + dy * dy, along = dx * vx + dy * vy, across = dx * vy - dy * vx;
    uint64_t reach = square(2 * (int64_t)radius + 1);

    if (along <= 0)
        return 4 * (square(vx) + square(vy)) <= reach;
    if (along >= length)
        return 4 * (square((int64_t)pixel.x - b.x) + square((int64_t)pixel.y - b.y)) <= reach;
    if (across < 0)
        across = -across;
    return 4 * (wide)across * (wide)across <= (wide)reach * (wide)length;
}

bool shw_stroke_append_raw(struct shw_stroke *stroke, struct shw_point point)
{
    if (stroke->point_count == SHW_STROKE_POINTS_MAX ||
        !SHW_RESERVE(stroke->points, stroke->point_capacity, stroke->point_count + 1u))
        return false;
    stroke->points[stroke->point_count++] = point;
    return true;
}

bool shw_stroke_append(struct shw_stroke *stroke, struct shw_point point)
{
    point.x = (int32_t)shw_clamp_i64(point.x, -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX);
    point.y = (int32_t)shw_clamp_i64(point.y, -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX);
    if (stroke->point_count > 0) {
        struct shw_point last = stroke->points[stroke->point_count - 1];

        if (last.x == point.x && last.y == point.y)
            return true;
    }
    return shw_stroke_append_raw(stroke, point);
}

void shw_stroke_sweep(struct shw_point a, struct shw_point b, uint32_t radius, uint32_t width, uint32_t height,
                      void (*visit)(void *user, uint32_t x, uint32_t y), void *user)
{
    int64_t reach = radius;
    int32_t left = (int32_t)shw_clamp_i64((a.x < b.x ? a.x : b.x) - reach, 0, width),
            right = (int32_t)shw_clamp_i64((a.x > b.x ? a.x : b.x) + reach, -1, (int64_t)width - 1);
    int32_t top = (int32_t)shw_clamp_i64((a.y < b.y ? a.y : b.y) - reach, 0, height);
    int32_t bottom = (int32_t)shw_clamp_i64((a.y > b.y ? a.y : b.y) + reach, -1, (int64_t)height - 1);

    for (int32_t y = top; y <= bottom; y++) {
        bool inside = false;

        /* A row of a convex shape is one run. */
        for (int32_t x = left; x <= right; x++) {
            bool covered = shw_stroke_covers(a, b, radius, (struct shw_point){x, y});

            if (inside && !covered)
                break;
            inside = covered;
            if (covered)
                visit(user, (uint32_t)x, (uint32_t)y);
        }
    }
}

void shw_stroke_free(struct shw_stroke *stroke)
{
    free(stroke->points);
    free(stroke->locked);
    *stroke = (struct shw_stroke){0};
}
