#include "teach/runs.h"

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

void view_runs_sort(struct view_runs *runs)
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
