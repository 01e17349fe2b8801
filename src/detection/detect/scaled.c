/* SCALED: pixels of the grey image itself; windows of all sizes as pico has them (Markus 2013). */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/detect/plan.h"
#include "detection/detect/walk.h"

#define HALF_DIAGONAL 46341 /* of a square, in 2^-16 of its side */

/* Successive centres on a line of `length` pixels, in single precision; returns how many. `positions` may be NULL. */
static uint32_t place(float size, float stride, uint32_t length, struct shw_detect_position *positions)
{
    float step = stride * size, last = (float)length - size / 2 - 1;
    uint32_t count = 0;

    step = step > 1 ? step : 1;
    for (float centre = size / 2 + 1; centre <= last; centre += step, count++)
        if (positions != NULL)
            positions[count] = (struct shw_detect_position){(int32_t)centre, (int32_t)centre - (int32_t)size / 2};
    return count;
}

/* Those whose circle is inside, to less than a pixel. */
static struct shw_detect_range turned_range(const struct shw_detect_position *positions, uint32_t count, uint32_t size,
                                            uint32_t length)
{
    int64_t reach = (int64_t)HALF_DIAGONAL * size, full = (int64_t)length << 16;
    struct shw_detect_range range = {0, 0};

    while (range.first < count && ((int64_t)positions[range.first].at << 16) - reach <= -65536)
        range.first++;
    while (range.first + range.count < count && ((int64_t)positions[range.first + range.count].at << 16) + reach < full)
        range.count++;
    return range;
}

static enum shw_result add_size(const struct shw_scan *scan, float size, uint32_t number, const struct shw_log *log,
                                struct shw_detect_plan *plan)
{
    float stride = (float)scan->stride;
    struct shw_detect_level level = {.number = number,
                                     .scaled_width = plan->width,
                                     .scaled_height = plan->height,
                                     .width = plan->width,
                                     .height = plan->height,
                                     .size = (uint32_t)size,
                                     .columns = place(size, stride, plan->width, NULL),
                                     .rows = place(size, stride, plan->height, NULL),
                                     .out_width = (uint32_t)size,
                                     .out_height = (uint32_t)size};
    struct shw_detect_position *columns, *rows;
    struct shw_detect_range turned_columns, turned_rows;

    if (level.columns == 0 || level.rows == 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_detect_plan_add(plan, &level, log, &columns, &rows));
    place(size, stride, plan->width, columns);
    place(size, stride, plan->height, rows);
    turned_columns = turned_range(columns, level.columns, level.size, plan->width);
    turned_rows = turned_range(rows, level.rows, level.size, plan->height);
    shw_detect_plan_turn(plan, turned_columns, turned_rows);
    return SHW_OK;
}

static enum shw_result make_plan(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                 const struct shw_log *log, struct shw_detect_plan *plan)
{
    float most = (float)shw_min_u32(scan->max_size, shw_min_u32(plan->width, plan->height));
    uint32_t number = 0;

    (void)cascade;
    if (((uint64_t)plan->width + 1) * ((uint64_t)plan->height + 1) >= (uint64_t)1 << 31)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "an image of %u x %u has 2^31 pixels or more",
                        plan->width, plan->height);
    plan->mipmap_width = plan->width;
    plan->mipmap_height = plan->height;
    for (float size = (float)scan->min_size; size <= most; size *= (float)scan->scale_factor)
        SHW_PROPAGATE(add_size(scan, size, number++, log, plan));
    return SHW_OK;
}

struct walker {
    struct shw_walk_trees trees;
    const struct shw_detect_plan *plan;
    enum shw_simd simd;
    uint8_t *grey;
    size_t stride;
};

static void destroy(void *handle)
{
    struct walker *walker = handle;

    if (walker == NULL)
        return;
    shw_walk_trees_free(&walker->trees);
    free(walker->grey);
    free(walker);
}

static enum shw_result create(const struct shw_cascade *cascade, const struct shw_scan *scan, const struct shw_log *log,
                              void **out)
{
    struct walker *walker = calloc(1, sizeof *walker);
    enum shw_result result = SHW_OK;

    (void)scan;
    if (walker == NULL)
        return shw_fail_memory(log, "a detector");
    walker->simd = shw_simd_level();
    SHW_TRY(shw_walk_trees_make(cascade, log, &walker->trees));
    *out = walker;
    return SHW_OK;

fail:
    destroy(walker);
    return result;
}

/* With a row above and a column to the left, which repeat the first: windows at angles other than 0 may reach them. */
static enum shw_result resize(void *handle, const struct shw_detect_plan *plan, const struct shw_log *log)
{
    struct walker *walker = handle;
    size_t stride = (size_t)plan->width + 1;
    uint8_t *grey = malloc(stride * ((size_t)plan->height + 1));

    if (grey == NULL)
        return shw_fail_memory(log, "a grey image");
    free(walker->grey);
    walker->grey = grey;
    walker->stride = stride;
    walker->plan = plan;
    return SHW_OK;
}

static void prepare(void *handle, const uint8_t *grey, struct shw_thread_pool *pool)
{
    struct walker *walker = handle;
    size_t width = walker->plan->width, height = walker->plan->height;

    (void)pool;
    for (size_t y = 0; y <= height; y++) {
        const uint8_t *from = grey + (y > 0 ? y - 1 : 0) * width;
        walker->grey[y * walker->stride] = from[0];
        memcpy(walker->grey + y * walker->stride + 1, from, width);
    }
}

static void walk(const void *handle, const struct shw_detect_band *band, struct shw_detect_tally *tally)
{
    const struct walker *walker = handle;
    int32_t size = (int32_t)band->level->size;
    struct shw_walk walk = {.trees = &walker->trees,
                            .nodes = walker->trees.nodes,
                            .grey = walker->grey + walker->stride + 1,
                            .stride = (int32_t)walker->stride,
                            .size = size,
                            .turned = band->angle != 0};

    if (walk.turned) {
        walk.cosine = size * shw_detect_cosine(band->angle);
        walk.sine = size * shw_detect_sine(band->angle);
    }
    shw_walk_band(&walk, walker->simd, band, tally);
}

const struct shw_detect_kind shw_detect_kind_scaled = SHW_DETECT_KIND(CLUSTER, COMPUTE_AND_FRAGMENT, make_plan);
