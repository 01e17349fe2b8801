#include "object/found.h"

#include <stdlib.h>

#include "base/log.h"
#include "files/objects/outline.h"

#define CORNERS_MAX (1u << 20) /* that are drawn */

static int compare_areas(const void *one, const void *two)
{
    const struct shw_object *a = *(const struct shw_object *const *)one, *b = *(const struct shw_object *const *)two;

    if (a->area != b->area)
        return a->area > b->area ? -1 : 1;
    return (a > b) - (a < b);
}

/* The numbers of objects, by falling area; NULL if memory is exhausted. */
static uint32_t *sort_by_area(const struct shw_objects *objects)
{
    const struct shw_object **sorted = malloc((objects->count + (size_t)1) * sizeof *sorted);
    uint32_t *numbers = malloc((objects->count + (size_t)1) * sizeof *numbers);

    if (sorted == NULL || numbers == NULL) {
        free(sorted);
        free(numbers);
        return NULL;
    }
    for (uint32_t i = 0; i < objects->count; i++)
        sorted[i] = &objects->list[i];
    qsort(sorted, objects->count, sizeof *sorted, compare_areas);
    for (uint32_t i = 0; i < objects->count; i++)
        numbers[i] = (uint32_t)(sorted[i] - objects->list) + 1;
    free(sorted);
    return numbers;
}

static void count_corner(void *user, uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    ++*(uint32_t *)user;
}

/* Corners being collected. */
struct collection {
    struct view_corner *corners;
    uint32_t count;
};

static void add_corner(void *user, uint32_t x, uint32_t y)
{
    struct collection *collection = user;

    collection->corners[collection->count++] = (struct view_corner){x, y};
}

/* Decides whose outlines are drawn, the largest objects first: the others' corners become 0. Returns the corners. */
static uint32_t choose(struct view_found *found, const uint32_t *sorted, uint32_t *corners)
{
    uint32_t sum = 0, i = 0;

    for (; i < found->objects.count && sum + (uint64_t)corners[sorted[i]] <= CORNERS_MAX; i++)
        sum += corners[sorted[i]];
    found->without_outline = found->objects.count - i;
    for (; i < found->objects.count; i++)
        corners[sorted[i]] = 0;
    return sum;
}

static enum shw_result collect(struct view_found *found, const struct shw_object_outlines *outlines,
                               const uint32_t *corners, uint32_t corner_count)
{
    struct collection collection = {malloc((corner_count + (size_t)1) * sizeof *collection.corners), 0};
    const struct shw_outline_walk walk = {.corner = add_corner, .user = &collection};

    found->corners = collection.corners;
    found->contours = malloc((outlines->rings.count + (size_t)1) * sizeof *found->contours);
    if (found->corners == NULL || found->contours == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t r = 0; r < outlines->rings.count; r++) {
        const struct shw_outline_ring *ring = &outlines->rings.list[r];
        uint32_t object = found->objects.numbers[ring->start], first = collection.count;

        if (corners[object] == 0)
            continue;
        shw_walk_outline(&outlines->plane, ring, &walk);
        found->contours[found->contour_count++] = (struct view_contour){object, first, collection.count - first};
    }
    return SHW_OK;
}

static enum shw_result outline(struct view_found *found, const uint32_t *sorted, const struct shw_log *log)
{
    struct shw_object_outlines outlines;
    uint32_t *corners = calloc(found->objects.count + (size_t)1, sizeof *corners);
    enum shw_result result =
        corners != NULL ? shw_object_outlines_find(&found->objects, log, &outlines) : SHW_ERROR_MEMORY;

    if (corners == NULL)
        return result;
    for (uint32_t r = 0; result == SHW_OK && r < outlines.rings.count; r++) {
        const struct shw_outline_ring *ring = &outlines.rings.list[r];
        const struct shw_outline_walk walk = {.corner = count_corner,
                                              .user = &corners[found->objects.numbers[ring->start]]};

        shw_walk_outline(&outlines.plane, ring, &walk);
    }
    if (result == SHW_OK)
        result = collect(found, &outlines, corners, choose(found, sorted, corners));
    shw_object_outlines_free(&outlines);
    free(corners);
    return result;
}

static enum shw_result make(const struct shw_object_picture *picture, const struct shw_object_settings *settings,
                            const struct shw_log *log, struct view_found *found)
{
    SHW_PROPAGATE(shw_objects_find(picture, settings, log, &found->objects));
    found->class_count = picture->class_count;
    found->counts = calloc(picture->class_count, sizeof *found->counts);
    found->largest = sort_by_area(&found->objects);
    if (found->counts == NULL || found->largest == NULL)
        return shw_fail_memory(log, "objects");
    for (uint32_t n = 0; n < found->objects.count; n++)
        found->counts[found->objects.list[n].label]++;
    found->largest_count = found->objects.count < VIEW_LARGEST_MAX ? found->objects.count : VIEW_LARGEST_MAX;
    return outline(found, found->largest, log);
}

enum shw_result view_found_make(const struct shw_object_picture *picture, const struct shw_object_settings *settings,
                                const struct shw_log *log, struct view_found **made)
{
    enum shw_result result;

    *made = calloc(1, sizeof **made);
    if (*made == NULL)
        return shw_fail_memory(log, "objects");
    result = make(picture, settings, log, *made);
    if (result != SHW_OK)
        view_found_destroy(made);
    return result;
}

void view_found_destroy(struct view_found **found)
{
    struct view_found *gone = *found;

    if (gone == NULL)
        return;
    shw_objects_free(&gone->objects);
    free(gone->counts);
    free(gone->largest);
    free(gone->contours);
    free(gone->corners);
    free(gone);
    *found = NULL;
}

uint32_t view_found_at(const struct view_found *found, uint32_t x, uint32_t y)
{
    const struct shw_objects *objects = &found->objects;

    return x < objects->width && y < objects->height ? objects->numbers[(size_t)y * objects->width + x] : 0;
}
