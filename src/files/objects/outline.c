#include "files/objects/outline.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"
#include "files/objects/objects.h"

enum direction { EAST, SOUTH, WEST, NORTH };

/* A place on an outline, at a corner of pixels. */
struct walker {
    const struct shw_outline_plane *plane;
    uint32_t number;
    uint32_t x, y;
    enum direction direction;
};

static bool belongs(const struct walker *walker, uint32_t x, uint32_t y)
{
    const struct shw_outline_plane *plane = walker->plane;

    return x < plane->width && y < plane->height && /* -1 is large */
           plane->numbers[(size_t)y * plane->width + x] == walker->number;
}

/* Whether the pixel ahead, on the left or on the right, belongs to the part. */
static bool is_ahead(const struct walker *walker, bool right)
{
    static const uint32_t across[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}},
                          down[4][2] = {{1, 0}, {0, 0}, {0, 1}, {1, 1}};

    return belongs(walker, walker->x - across[walker->direction][right], walker->y - down[walker->direction][right]);
}

static enum direction turn(const struct walker *walker)
{
    bool left = is_ahead(walker, false), right = is_ahead(walker, true);
    unsigned turned = walker->direction;

    if (left && (right || walker->plane->diagonal))
        turned += 3;
    else if (!right)
        turned += 1;
    return turned % 4;
}

static void step(struct walker *walker)
{
    switch (walker->direction) {
    case EAST: walker->x++; break;
    case SOUTH: walker->y++; break;
    case WEST: walker->x--; break;
    case NORTH: walker->y--; break;
    }
}

/* One edge of the ring: what it adds to the area. */
static int64_t walk_edge(struct walker *walker, const struct shw_outline_walk *walk)
{
    int64_t area = 0;

    if (walker->direction == EAST)
        area = -(int64_t)walker->y;
    else if (walker->direction == WEST)
        area = walker->y;
    else if (walk != NULL && walk->wall != NULL)
        walk->wall(walk->user, walker->x, walker->direction == SOUTH ? walker->y : walker->y - 1);
    step(walker);
    return area;
}

/* `visited`, if it is not NULL, has a bit per pixel whose upper edge belongs to a ring that was found. */
static int64_t walk_ring(const struct shw_outline_plane *plane, const struct shw_outline_ring *ring,
                         const struct shw_outline_walk *walk, uint8_t *visited)
{
    uint32_t x = ring->start % plane->width, y = ring->start / plane->width;
    struct walker walker = {plane, ring->number, x, y, EAST};
    int64_t area = 0;

    if (walk != NULL && walk->corner != NULL)
        walk->corner(walk->user, x, y);
    for (;;) {
        enum direction direction;

        if (visited != NULL && walker.direction == EAST) {
            size_t pixel = (size_t)walker.y * plane->width + walker.x;
            visited[pixel / 8] = (uint8_t)(visited[pixel / 8] | 1u << pixel % 8);
        }
        area += walk_edge(&walker, walk);
        direction = turn(&walker);
        if (walker.x == x && walker.y == y && direction == EAST)
            return area;
        if (direction != walker.direction && walk != NULL && walk->corner != NULL)
            walk->corner(walk->user, walker.x, walker.y);
        walker.direction = direction;
    }
}

int64_t shw_walk_outline(const struct shw_outline_plane *plane, const struct shw_outline_ring *ring,
                         const struct shw_outline_walk *walk)
{
    return walk_ring(plane, ring, walk, NULL);
}

enum shw_result shw_find_outlines(const struct shw_outline_plane *plane, uint32_t holes_to, const struct shw_log *log,
                                  struct shw_outline_rings *rings)
{
    uint32_t width = plane->width, pixels = width * plane->height;
    const uint32_t *numbers = plane->numbers;
    uint8_t *visited = calloc(pixels / 8 + (size_t)1, 1);

    for (uint32_t i = 0; visited != NULL && i < pixels; i++) {
        struct shw_outline_ring ring = {.number = numbers[i], .start = i};

        if (numbers[i] == 0 || (i >= width && numbers[i - width] == numbers[i]) || (visited[i / 8] >> i % 8 & 1) != 0)
            continue;
        ring.area = walk_ring(plane, &ring, NULL, visited);
        if (holes_to > 0 && (ring.area > 0 || -ring.area > holes_to))
            continue;
        if (!SHW_RESERVE(rings->list, rings->capacity, rings->count + (size_t)1)) {
            free(visited);
            return shw_fail_memory(log, "outlines");
        }
        rings->list[rings->count++] = ring;
    }
    if (visited == NULL)
        return shw_fail_memory(log, "outlines");
    free(visited);
    return SHW_OK;
}

/* By object, polygon, and outer rings first: an outer ring has the first of its polygon's edges. */
struct ranked {
    uint32_t object;
    struct shw_outline_ring ring;
};

static int compare(const void *one, const void *two)
{
    const struct ranked *a = one, *b = two;

    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (a->ring.number != b->ring.number)
        return a->ring.number < b->ring.number ? -1 : 1;
    return (a->ring.start > b->ring.start) - (a->ring.start < b->ring.start);
}

static enum shw_result sort(const struct shw_objects *objects, const struct shw_log *log,
                            struct shw_outline_rings *rings)
{
    struct ranked *ranked = malloc((rings->count + (size_t)1) * sizeof *ranked);

    if (ranked == NULL)
        return shw_fail_memory(log, "outlines");
    for (uint32_t i = 0; i < rings->count; i++)
        ranked[i] = (struct ranked){objects->numbers[rings->list[i].start], rings->list[i]};
    qsort(ranked, rings->count, sizeof *ranked, compare);
    for (uint32_t i = 0; i < rings->count; i++)
        rings->list[i] = ranked[i].ring;
    free(ranked);
    return SHW_OK;
}

enum shw_result shw_object_outlines_find(const struct shw_objects *objects, const struct shw_log *log,
                                         struct shw_object_outlines *outlines)
{
    uint32_t width = objects->width, height = objects->height;

    *outlines = (struct shw_object_outlines){.plane = {objects->numbers, width, height, .diagonal = true}};
    if (!objects->four) {
        outlines->parts = malloc((size_t)width * height * sizeof *outlines->parts);
        if (outlines->parts == NULL)
            return shw_fail_memory(log, "the parts of objects");
        shw_find_components(objects->labels, width, height, true, outlines->parts);
        outlines->plane.numbers = outlines->parts;
    }
    SHW_PROPAGATE(shw_find_outlines(&outlines->plane, 0, log, &outlines->rings));
    return sort(objects, log, &outlines->rings);
}

void shw_object_outlines_free(struct shw_object_outlines *outlines)
{
    free(outlines->rings.list);
    free(outlines->parts);
    *outlines = (struct shw_object_outlines){0};
}
