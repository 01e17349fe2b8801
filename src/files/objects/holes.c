#include "files/objects/holes.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"
#include "files/objects/outline.h"

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

enum shw_result shw_fill_holes(uint16_t *labels, const uint32_t *numbers, uint32_t width, uint32_t height, bool four,
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
