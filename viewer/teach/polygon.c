#include "teach/polygon.h"

#include <stdlib.h>

#include "base/log.h"

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
