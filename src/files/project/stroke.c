#include "files/project/stroke.h"

#include <stdlib.h>
#include <string.h>

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

bool shw_stroke_share(struct shw_stroke *stroke, struct shw_stroke *copy)
{
    if (stroke->shares == NULL) {
        stroke->shares = malloc(sizeof *stroke->shares);
        if (stroke->shares == NULL)
            return false;
        atomic_init(stroke->shares, 1);
    }
    atomic_fetch_add(stroke->shares, 1);
    *copy = *stroke;
    return true;
}

/* Copies what others share. False: out of memory. */
static bool make_own(struct shw_stroke *stroke)
{
    struct shw_stroke own = *stroke;

    if (stroke->shares == NULL || atomic_load(stroke->shares) == 1)
        return true;
    own.shares = NULL;
    own.point_capacity = stroke->point_count;
    own.points = malloc(stroke->point_count * sizeof *own.points);
    own.locked = stroke->locked_count > 0 ? malloc(stroke->locked_count * sizeof *own.locked) : NULL;
    if (own.points == NULL || (own.locked == NULL && stroke->locked_count > 0)) {
        free(own.points);
        free(own.locked);
        return false;
    }
    memcpy(own.points, stroke->points, stroke->point_count * sizeof *own.points);
    if (own.locked != NULL)
        memcpy(own.locked, stroke->locked, stroke->locked_count * sizeof *own.locked);
    shw_stroke_free(stroke);
    *stroke = own;
    return true;
}

bool shw_stroke_append_raw(struct shw_stroke *stroke, struct shw_point point)
{
    if (stroke->point_count == SHW_STROKE_POINTS_MAX || !make_own(stroke) ||
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

/* The part of a row in which the segment can cover pixels: at most radius + 1 from its points that are at most so far
 * from the row. */
static void find_reach(struct shw_point a, struct shw_point b, int64_t reach, int64_t y, int64_t *left, int64_t *right)
{
    int64_t dx = (int64_t)b.x - a.x, dy = (int64_t)b.y - a.y, x0 = a.x, x1 = b.x;

    if (dy != 0) {
        int64_t top = shw_clamp_i64(y - reach, a.y < b.y ? a.y : b.y, a.y < b.y ? b.y : a.y);
        int64_t bottom = shw_clamp_i64(y + reach, a.y < b.y ? a.y : b.y, a.y < b.y ? b.y : a.y);

        x0 = a.x + dx * (top - a.y) / dy;
        x1 = a.x + dx * (bottom - a.y) / dy;
    }
    *left = (x0 < x1 ? x0 : x1) - reach - 1; /* quotients are truncated */
    *right = (x0 < x1 ? x1 : x0) + reach + 1;
}

/* The pixels from one to another of the same row. */
static void visit_run(struct shw_point a, struct shw_point b, struct shw_rect clip,
                      void (*visit)(void *user, uint32_t from, uint32_t to, uint32_t y), void *user)
{
    int64_t from = a.x < b.x ? a.x : b.x, to = (int64_t)(a.x < b.x ? b.x : a.x) + 1;

    from = from > clip.x0 ? from : clip.x0;
    to = to < clip.x1 ? to : clip.x1;
    if (a.y >= clip.y0 && a.y < clip.y1 && from < to)
        visit(user, (uint32_t)from, (uint32_t)to, (uint32_t)a.y);
}

void shw_stroke_sweep(struct shw_point a, struct shw_point b, uint32_t radius, struct shw_rect clip,
                      void (*visit)(void *user, uint32_t from, uint32_t to, uint32_t y), void *user)
{
    int64_t reach = (int64_t)radius + 1;
    int64_t top = shw_clamp_i64((a.y < b.y ? a.y : b.y) - reach, clip.y0, clip.y1);
    int64_t bottom = shw_clamp_i64((a.y > b.y ? a.y : b.y) + reach, (int64_t)clip.y0 - 1, (int64_t)clip.y1 - 1);

    if (radius == 0 && a.y == b.y) { /* most segments of areas */
        visit_run(a, b, clip, visit, user);
        return;
    }
    for (int64_t y = top; y <= bottom; y++) {
        int64_t left, right;

        find_reach(a, b, reach, y, &left, &right);
        left = shw_clamp_i64(left, clip.x0, clip.x1);
        right = shw_clamp_i64(right, (int64_t)clip.x0 - 1, (int64_t)clip.x1 - 1);
        /* a row of a convex shape is one run */
        while (left <= right && !shw_stroke_covers(a, b, radius, (struct shw_point){(int32_t)left, (int32_t)y}))
            left++;
        while (right > left && !shw_stroke_covers(a, b, radius, (struct shw_point){(int32_t)right, (int32_t)y}))
            right--;
        if (left <= right)
            visit(user, (uint32_t)left, (uint32_t)right + 1, (uint32_t)y);
    }
}

struct shw_rect shw_stroke_bounds(const struct shw_stroke *stroke, uint32_t first)
{
    uint32_t p = first > 0 ? first - 1 : 0;
    int32_t reach = (int32_t)stroke->radius;
    struct shw_rect bounds = {stroke->points[p].x, stroke->points[p].y, stroke->points[p].x, stroke->points[p].y};

    for (p++; p < stroke->point_count; p++) {
        struct shw_point point = stroke->points[p];

        bounds.x0 = point.x < bounds.x0 ? point.x : bounds.x0;
        bounds.y0 = point.y < bounds.y0 ? point.y : bounds.y0;
        bounds.x1 = point.x > bounds.x1 ? point.x : bounds.x1;
        bounds.y1 = point.y > bounds.y1 ? point.y : bounds.y1;
    }
    return (struct shw_rect){bounds.x0 - reach, bounds.y0 - reach, bounds.x1 + reach + 1, bounds.y1 + reach + 1};
}

void shw_stroke_free(struct shw_stroke *stroke)
{
    if (stroke->shares == NULL || atomic_fetch_sub(stroke->shares, 1) == 1) {
        free(stroke->points);
        free(stroke->locked);
        free(stroke->shares);
    }
    *stroke = (struct shw_stroke){0};
}
