/* PIXELS: pixels of a level of the image pyramid (Jurak 2015). */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/detect/levels.h"
#include "detection/detect/plan.h"
#include "detection/detect/walk.h"

#define SIDE_MAX 46340u /* (2 at + 1) full of shw_detect_sample() stays below 2^32 */

/* 2^(-1/N) with 32 fraction bits, rounded. */
static const uint32_t roots[] = {0,          0x80000000, 3037000500, 3408917802, 3611622603, 3738986199,
                                 3826380858, 3890053517, 3938502376, 3976601609, 4007346185, 4032677554,
                                 4053909305, 4071961918, 4087499558, 4101013462, 4112874773};

/* A side of the image at a level before shrinking. */
static uint32_t scale(uint32_t side, uint32_t per_octave, uint32_t number)
{
    uint64_t ratio = (uint64_t)1 << 32; /* 2^(-(number % N) / N) */
    uint32_t octave = number / per_octave;

    for (uint32_t i = 0; i < number % per_octave; i++)
        ratio = (ratio * roots[per_octave] + ((uint64_t)1 << 31)) >> 32;
    return (uint32_t)((side * ratio + ((uint64_t)1 << (31 + octave))) >> (32 + octave));
}

/* `at` pixels of a level in pixels of the image, rounded, halves up. */
static uint32_t in_image(uint32_t at, uint32_t shrink, uint32_t scaled, uint32_t full)
{
    return (uint32_t)((2 * (uint64_t)at * shrink * full + scaled) / (2 * (uint64_t)scaled));
}

static uint32_t count_positions(uint32_t length, uint32_t window, uint32_t step)
{
    return length >= window ? (length - window) / step + 1 : 0;
}

/* A rectangle that rounding would push out of the image is moved back. */
static void place(const struct shw_detect_level *level, uint32_t count, uint32_t shrink, uint32_t scaled, uint32_t full,
                  uint32_t out, struct shw_detect_position *positions)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t image = in_image(i * level->step, shrink, scaled, full);
        positions[i].at = (int32_t)(i * level->step);
        positions[i].image = (int32_t)shw_min_u32(image, full - out);
    }
}

/* Windows that are at least `margin` pixels away from both ends. */
static struct shw_detect_range turned_range(uint32_t count, uint32_t step, uint32_t length, uint32_t window,
                                            uint32_t margin)
{
    uint32_t first = (margin + step - 1) / step;
    uint32_t end = shw_min_u32(count, count_positions(length, window + margin, step));

    return first < end ? (struct shw_detect_range){first, end - first} : (struct shw_detect_range){0, 0};
}

static struct shw_detect_level measure(const struct shw_cascade_info *info, const struct shw_scan *scan,
                                       const struct shw_detect_plan *plan, uint32_t number)
{
    uint32_t per_octave = scan->levels_per_octave, shrink = info->planes.shrink;
    struct shw_detect_level level = {.number = number,
                                     .octave = info->planes.octaves ? number / per_octave : 0,
                                     .scaled_width = scale(plan->width, per_octave, number),
                                     .scaled_height = scale(plan->height, per_octave, number),
                                     .step = scan->step};

    level.scaled_width = shw_min_u32(level.scaled_width, plan->width >> level.octave);
    level.scaled_height = shw_min_u32(level.scaled_height, plan->height >> level.octave);
    level.width = level.scaled_width / shrink;
    level.height = level.scaled_height / shrink;
    level.columns = count_positions(level.width, info->window_width, scan->step);
    level.rows = count_positions(level.height, info->window_height, scan->step);
    if (level.columns > 0 && level.rows > 0) {
        level.out_width = in_image(info->window_width, shrink, level.scaled_width, plan->width);
        level.out_height = in_image(info->window_height, shrink, level.scaled_height, plan->height);
    }
    return level;
}

static enum shw_result add_level(const struct shw_cascade_info *info, const struct shw_detect_level *level,
                                 const struct shw_log *log, struct shw_detect_plan *plan)
{
    uint32_t shrink = info->planes.shrink, size = info->window_width, margin = shw_detect_turn_margin(size);
    struct shw_detect_position *columns, *rows;

    SHW_PROPAGATE(shw_detect_plan_add(plan, level, log, &columns, &rows));
    place(level, level->columns, shrink, level->scaled_width, plan->width, level->out_width, columns);
    place(level, level->rows, shrink, level->scaled_height, plan->height, level->out_height, rows);
    if (info->window_width == info->window_height)
        shw_detect_plan_turn(plan, turned_range(level->columns, level->step, level->width, size, margin),
                             turned_range(level->rows, level->step, level->height, size, margin));
    plan->octave_count = level->octave;
    return SHW_OK;
}

static enum shw_result make_plan(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                 const struct shw_log *log, struct shw_detect_plan *plan)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);

    if (plan->width > SIDE_MAX || plan->height > SIDE_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "an image of %u x %u: cascades of the kind pixels take at most %u pixels a side", plan->width,
                        plan->height, SIDE_MAX);
    for (uint32_t number = 0;; number++) {
        struct shw_detect_level level = measure(info, scan, plan, number);
        uint32_t size = shw_min_u32(level.out_width, level.out_height);
        if (level.columns == 0 || level.rows == 0 || size > scan->max_size)
            return shw_detect_plan_pack(plan, log);
        if (size >= scan->min_size)
            SHW_PROPAGATE(add_level(info, &level, log, plan));
    }
}

struct walker {
    struct shw_walk_trees trees;
    struct shw_walk_node *nodes[SHW_DETECT_ANGLES]; /* with points turned, at the scan's angles; 0: of `trees` */
    enum shw_simd simd;
    const struct shw_detect_plan *plan;
    struct shw_levels *levels;
};

static void destroy(void *handle)
{
    struct walker *walker = handle;

    if (walker == NULL)
        return;
    for (uint32_t a = 1; a < SHW_DETECT_ANGLES; a++)
        free(walker->nodes[a]);
    shw_walk_trees_free(&walker->trees);
    shw_levels_destroy(&walker->levels);
    free(walker);
}

static void turn_points(uint32_t angle, uint32_t size, struct shw_walk_node *node)
{
    struct shw_detect_point one = shw_detect_turn_point(angle, size, node->x1, node->y1);
    struct shw_detect_point two = shw_detect_turn_point(angle, size, node->x2, node->y2);

    node->x1 = (int16_t)one.x;
    node->y1 = (int16_t)one.y;
    node->x2 = (int16_t)two.x;
    node->y2 = (int16_t)two.y;
}

static enum shw_result turn_nodes(struct walker *walker, uint32_t angle, const struct shw_log *log)
{
    const struct shw_cascade_info *info = walker->trees.info;
    size_t bytes = info->node_count * sizeof **walker->nodes;

    if (angle == 0) {
        walker->nodes[0] = walker->trees.nodes;
        return SHW_OK;
    }
    walker->nodes[angle] = malloc(bytes);
    if (walker->nodes[angle] == NULL)
        return shw_fail_memory(log, "the trees of a cascade");
    memcpy(walker->nodes[angle], walker->trees.nodes, bytes);
    for (uint32_t n = 0; n < info->node_count; n++)
        turn_points(angle, info->window_width, &walker->nodes[angle][n]);
    return SHW_OK;
}

static enum shw_result create(const struct shw_cascade *cascade, const struct shw_scan *scan, const struct shw_log *log,
                              void **out)
{
    struct walker *walker = calloc(1, sizeof *walker);
    enum shw_result result = SHW_OK;

    if (walker == NULL)
        return shw_fail_memory(log, "a detector");
    walker->simd = shw_simd_level();
    SHW_TRY(shw_walk_trees_make(cascade, log, &walker->trees));
    for (uint32_t a = 0; a < scan->angle_count; a++)
        SHW_TRY(turn_nodes(walker, scan->angles[a], log));
    *out = walker;
    return SHW_OK;

fail:
    destroy(walker);
    return result;
}

static enum shw_result resize(void *handle, const struct shw_detect_plan *plan, const struct shw_log *log)
{
    struct walker *walker = handle;

    shw_levels_destroy(&walker->levels);
    walker->plan = plan;
    return shw_levels_create(&walker->trees.info->planes, plan, log, &walker->levels);
}

static void prepare(void *handle, const uint8_t *grey, struct shw_thread_pool *pool)
{
    struct walker *walker = handle;

    shw_levels_make(walker->levels, grey, pool);
}

static void walk(const void *handle, const struct shw_detect_band *band, struct shw_detect_tally *tally)
{
    const struct walker *walker = handle;
    struct shw_walk walk = {.trees = &walker->trees,
                            .nodes = walker->nodes[band->angle],
                            .levels = shw_levels_get(walker->levels),
                            .stride = (int32_t)walker->plan->mipmap_width,
                            .first = (int32_t)(band->level->y * walker->plan->mipmap_width + band->level->x)};

    shw_walk_band(&walk, walker->simd, band, tally);
}

const struct shw_detect_kind shw_detect_kind_pixels = SHW_DETECT_KIND(SUPPRESS, COMPUTE_AND_FRAGMENT, make_plan);
