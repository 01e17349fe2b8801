/* What HAAR and LBP have in common: the scan, the integrals and the walk. */
#include "detection/detect/rectangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/simd.h"
#include "shared/detect.h"

#define SHW_RECTANGLES_MARGIN 16u /* values after the last that can be read */

/* OpenCV's scan: sizes and positions in the precision in which it has them. */

#define SIDE_MAX 46340u /* (2 at + 1) full of shw_detect_sample() stays below 2^32 */

static uint32_t count_positions(uint32_t length, uint32_t window, uint32_t step)
{
    return length >= window ? (length - window) / step + 1 : 0;
}

/* A rectangle that rounding would push out of the image is moved back. */
static void place(const struct shw_detect_level *level, float scale, uint32_t count, uint32_t full, uint32_t out,
                  struct shw_detect_position *positions)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i * level->step, image = (uint32_t)lrintf((float)at * scale);
        positions[i].at = (int32_t)at;
        positions[i].image = (int32_t)shw_min_u32(image, full - out);
    }
}

static uint32_t default_step(float scale)
{
    return scale < 2 ? 2 : 1;
}

/* OpenCV walks a level in as many stripes as the finest one has columns, divided by 32 and rounded up; their rows are
 * counted rounded down, so that the last row of windows of a level may lie in none. */
static uint32_t rows_in_stripes(uint32_t finest_columns, uint32_t rows, uint32_t step)
{
    uint32_t stripes = (finest_columns + 31) / 32;
    uint32_t stripe = shw_max_u32((rows / step + stripes - 1) / stripes, 1) * step;

    return (uint32_t)shw_min_u64(rows, (uint64_t)stripes * stripe);
}

static enum shw_result add_level(const struct shw_cascade_info *info, const struct shw_scan *scan, float scale,
                                 struct shw_detect_level level, const struct shw_log *log, struct shw_detect_plan *plan)
{
    struct shw_detect_position *columns, *rows;

    level.scaled_width = (uint32_t)lrintf((float)plan->width / scale);
    level.scaled_height = (uint32_t)lrintf((float)plan->height / scale);
    level.width = level.scaled_width + 1;
    level.height = level.scaled_height + 1;
    level.step = scan->step != 0 ? scan->step : default_step(scale);
    level.columns = count_positions(level.scaled_width, info->window_width, level.step);
    level.rows = count_positions(level.scaled_height, info->window_height, level.step);
    if (level.columns == 0 || level.rows == 0)
        return SHW_OK;
    if (scan->step == 0) {
        uint32_t finest = plan->level_count > 0 ? plan->levels[0].scaled_width : level.scaled_width;
        uint32_t tested =
            rows_in_stripes(finest + 1 - info->window_width, level.scaled_height + 1 - info->window_height, level.step);
        level.rows = (tested + level.step - 1) / level.step;
    }
    SHW_PROPAGATE(shw_detect_plan_add(plan, &level, log, &columns, &rows));
    place(&level, scale, level.columns, plan->width, level.out_width, columns);
    place(&level, scale, level.rows, plan->height, level.out_height, rows);
    return SHW_OK;
}

enum shw_result shw_rectangles_plan(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                    const struct shw_log *log, struct shw_detect_plan *plan)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    double factor = 1;

    if (plan->width > SIDE_MAX || plan->height > SIDE_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "an image of %u x %u: cascades of the kinds haar and lbp take at most %u pixels a side",
                        plan->width, plan->height, SIDE_MAX);
    for (uint32_t number = 0;; number++, factor *= scan->scale_factor) {
        float scale = (float)factor;
        struct shw_detect_level level = {.number = number,
                                         .out_width = (uint32_t)lrintf((float)info->window_width * scale),
                                         .out_height = (uint32_t)lrintf((float)info->window_height * scale)};
        uint32_t size = shw_min_u32(level.out_width, level.out_height);
        if (level.out_width > plan->width || level.out_height > plan->height || size > scan->max_size)
            return shw_detect_plan_pack(plan, log);
        if (size >= scan->min_size)
            SHW_PROPAGATE(add_level(info, scan, scale, level, log, plan));
    }
}

/* Rows of one level while its integrals are made. */
struct shw_rectangles_rows {
    struct shw_uint2 *samples; /* shw_detect_sample() of each column */
    uint16_t *between;         /* as wide as the image, and one value more */
    uint8_t *grey;             /* of the level */
    /* One value more than the level has pixels, and another: sums along the lines that go up to the left and to the
     * right */
    uint32_t *left, *right;
};

static bool allocate_rows(struct shw_rectangles *rectangles)
{
    const struct shw_detect_plan *plan = rectangles->plan;

    rectangles->rows = calloc(plan->level_count + 1, sizeof *rectangles->rows);
    for (uint32_t l = 0; rectangles->rows != NULL && l < plan->level_count; l++) {
        struct shw_rectangles_rows *rows = &rectangles->rows[rectangles->row_count++];
        uint32_t width = plan->levels[l].scaled_width;
        rows->samples = malloc(width * sizeof *rows->samples);
        rows->between = malloc((plan->width + 1) * sizeof *rows->between);
        rows->grey = malloc(width);
        rows->left = malloc((width + 2) * sizeof *rows->left);
        rows->right = malloc((width + 2) * sizeof *rows->right);
        if (rows->samples == NULL || rows->between == NULL || rows->grey == NULL || rows->left == NULL ||
            rows->right == NULL)
            return false;
        for (uint32_t x = 0; x < width; x++)
            rows->samples[x] = shw_detect_sample(x, width, plan->width);
    }
    return rectangles->rows != NULL;
}

void shw_rectangles_free(struct shw_rectangles *rectangles)
{
    for (uint32_t l = 0; l < rectangles->row_count; l++) {
        free(rectangles->rows[l].samples);
        free(rectangles->rows[l].between);
        free(rectangles->rows[l].grey);
        free(rectangles->rows[l].left);
        free(rectangles->rows[l].right);
    }
    free(rectangles->rows);
    free(rectangles->sums);
    free(rectangles->squares);
    free(rectangles->tilted);
    *rectangles = (struct shw_rectangles){0};
}

enum shw_result shw_rectangles_create(const struct shw_detect_plan *plan, bool has_squares, bool has_tilted,
                                      const struct shw_log *log, struct shw_rectangles *rectangles)
{
    size_t size = (size_t)plan->mipmap_width * plan->mipmap_height + SHW_RECTANGLES_MARGIN;

    *rectangles = (struct shw_rectangles){.plan = plan};
    rectangles->sums = calloc(size, sizeof *rectangles->sums);
    rectangles->squares = has_squares ? calloc(size, sizeof *rectangles->squares) : NULL;
    rectangles->tilted = has_tilted ? calloc(size, sizeof *rectangles->tilted) : NULL;
    if (rectangles->sums != NULL && (rectangles->squares != NULL || !has_squares) &&
        (rectangles->tilted != NULL || !has_tilted) && allocate_rows(rectangles))
        return SHW_OK;
    shw_rectangles_free(rectangles);
    return shw_fail_memory(log, "the integrals of an image");
}

/* The row of a level as shw_detect_between() has it, first between rows of the image, then between columns. */
static void resample_row(const struct shw_detect_plan *plan, const struct shw_detect_level *level, const uint8_t *image,
                         uint32_t y, const struct shw_rectangles_rows *rows)
{
    struct shw_uint2 sample = shw_detect_sample(y, level->scaled_height, plan->height);
    const uint8_t *upper = image + (size_t)sample.x * plan->width;
    const uint8_t *lower = sample.x + 1 < plan->height ? upper + plan->width : upper;

    for (uint32_t x = 0; x < plan->width; x++)
        rows->between[x] = (uint16_t)(upper[x] * (256 - sample.y) + lower[x] * sample.y);
    rows->between[plan->width] = rows->between[plan->width - 1];
    for (uint32_t x = 0; x < level->scaled_width; x++) {
        const uint16_t *at = rows->between + rows->samples[x].x;
        rows->grey[x] = (uint8_t)((at[0] * (256 - rows->samples[x].y) + at[1] * rows->samples[x].y + 32768) >> 16);
    }
}

/* Row `y + 1` of the integrals from row `y` of the level; `at` is their first value. */
static void sum_row(const struct shw_rectangles *rectangles, size_t at, uint32_t width, const uint8_t *grey)
{
    uint32_t pitch = rectangles->plan->mipmap_width, sum = 0;

    for (uint32_t x = 0; x < width; x++) {
        sum += grey[x];
        rectangles->sums[at + x + 1] = rectangles->sums[at - pitch + x + 1] + sum;
    }
}

static void square_row(const struct shw_rectangles *rectangles, size_t at, uint32_t width, const uint8_t *grey)
{
    uint32_t pitch = rectangles->plan->mipmap_width, sum = 0;

    for (uint32_t x = 0; x < width; x++) {
        sum += (uint32_t)grey[x] * grey[x];
        rectangles->squares[at + x + 1] = rectangles->squares[at - pitch + x + 1] + sum;
    }
}

static void tilt_row(const struct shw_rectangles *rectangles, size_t at, uint32_t width,
                     const struct shw_rectangles_rows *rows)
{
    const uint32_t *above = rectangles->tilted + at - rectangles->plan->mipmap_width;
    uint32_t *here = rectangles->tilted + at;

    memmove(rows->left + 1, rows->left, width * sizeof *rows->left);
    memmove(rows->right, rows->right + 1, (width + 1) * sizeof *rows->right);
    rows->left[0] = 0;
    here[0] = above[0] + rows->right[0];
    for (uint32_t x = 1; x <= width; x++) {
        uint32_t pixel = rows->grey[x - 1];
        here[x] = above[x] + rows->left[x] + rows->right[x] + pixel;
        rows->left[x] += pixel;
        rows->right[x] += pixel;
    }
}

static void make_level(void *user, uint32_t index, uint32_t thread)
{
    const struct shw_rectangles *rectangles = user;
    const struct shw_detect_level *level = &rectangles->plan->levels[index];
    const struct shw_rectangles_rows *rows = &rectangles->rows[index];
    uint32_t width = level->scaled_width;

    (void)thread;
    memset(rows->left, 0, (width + 2) * sizeof *rows->left);
    memset(rows->right, 0, (width + 2) * sizeof *rows->right);
    for (uint32_t y = 0; y < level->scaled_height; y++) {
        size_t at = (size_t)(level->y + y + 1) * rectangles->plan->mipmap_width + level->x;
        resample_row(rectangles->plan, level, rectangles->image, y, rows);
        sum_row(rectangles, at, width, rows->grey);
        if (rectangles->squares != NULL)
            square_row(rectangles, at, width, rows->grey);
        if (rectangles->tilted != NULL)
            tilt_row(rectangles, at, width, rows);
    }
}

void shw_rectangles_make(struct shw_rectangles *rectangles, const uint8_t *grey, struct shw_thread_pool *pool)
{
    rectangles->image = grey;
    shw_thread_pool_run(pool, rectangles->plan->level_count, make_level, rectangles);
}

/* What the first stage has said of a window. */
enum fate { FLAT, REJECTED, PASSED };

static void keep_window(struct shw_rectangles_windows *windows, uint32_t from, uint32_t to)
{
    windows->base[to] = windows->base[from];
    windows->number[to] = windows->number[from];
    windows->norm[to] = windows->norm[from];
    windows->score[to] = windows->score[from];
}

/* The windows of the band from number `first` on. */
static void begin_windows(const struct shw_rectangles_walk *walk, const struct shw_detect_band *band,
                          const struct shw_detect_tally *tally, uint32_t first, struct shw_rectangles_windows *windows)
{
    const struct shw_detect_level *level = band->level;
    const struct shw_detect_position *columns = tally->plan->positions + level->first_column;
    const struct shw_detect_position *rows = tally->plan->positions + level->first_row + band->first_row;
    uint32_t row = first / level->columns, column = first % level->columns;

    windows->count = (uint32_t)shw_min_u64(SHW_RECTANGLES_WINDOWS, (uint64_t)band->rows * level->columns - first);
    for (uint32_t w = 0; w < windows->count; w++) {
        windows->base[w] = (int32_t)(walk->first + (size_t)rows[row].at * walk->pitch + (size_t)columns[column].at);
        windows->number[w] = first + w;
        windows->norm[w] = 0;
        windows->score[w] = 0;
        if (++column == level->columns) {
            column = 0;
            row++;
        }
    }
}

/* Vectors read windows after the last one. */
static void repeat_last(struct shw_rectangles_windows *windows)
{
    for (uint32_t w = windows->count; windows->count > 0 && w < windows->count + SHW_RECTANGLES_LANES; w++)
        keep_window(windows, windows->count - 1, w);
}

/* Removes windows whose deviation is too small, and marks the others. */
static void remove_flat(struct shw_rectangles_windows *windows, uint8_t *fates)
{
    uint32_t kept = 0;

    for (uint32_t w = 0; w < windows->count; w++) {
        fates[w] = windows->norm[w] == 0 ? FLAT : REJECTED;
        keep_window(windows, w, kept);
        kept += windows->norm[w] != 0;
    }
    windows->count = kept;
}

static void run_stage(const struct shw_rectangles_walk *walk, uint32_t s, struct shw_rectangles_windows *windows)
{
    const struct shw_cascade_stage *stage = &walk->info->stages[s];
    uint32_t kept = 0;

    for (uint32_t w = 0; walk->info->restarts && w < windows->count; w++)
        windows->score[w] = 0;
    repeat_last(windows);
    for (uint32_t t = 0; t < stage->tree_count; t++)
        walk->add_tree(walk->walker, stage->first_tree + t, windows);
    for (uint32_t w = 0; w < windows->count; w++) {
        keep_window(windows, w, kept);
        kept += windows->score[w] >= stage->threshold;
    }
    windows->count = kept;
}

/* OpenCV's rule: the window after one that the first stage has rejected is left out. Marks those as flat and returns
 * how many are left; *leaves_out tells whether the rule applies to the first window, and becomes that for the window
 * after the last. */
static uint32_t leave_out(uint32_t columns, uint32_t first, uint32_t count, uint8_t *fates, bool *leaves_out)
{
    uint32_t column = first % columns, tested = 0;

    for (uint32_t w = 0; w < count; w++) {
        *leaves_out = *leaves_out && column > 0;
        if (*leaves_out)
            fates[w] = FLAT;
        tested += !*leaves_out;
        *leaves_out = !*leaves_out && fates[w] == REJECTED;
        column = column + 1 < columns ? column + 1 : 0;
    }
    return tested;
}

static void remove_left_out(struct shw_rectangles_windows *windows, uint32_t first, const uint8_t *fates)
{
    uint32_t kept = 0;

    for (uint32_t w = 0; w < windows->count; w++) {
        keep_window(windows, w, kept);
        kept += fates[windows->number[w] - first] == PASSED;
    }
    windows->count = kept;
}

/* The first stage, and the windows that it is run on. */
static void begin_stages(const struct shw_rectangles_walk *walk, uint32_t columns, uint32_t first,
                         struct shw_rectangles_windows *windows, uint64_t *survivors, bool *leaves_out)
{
    uint8_t fates[SHW_RECTANGLES_WINDOWS];
    uint32_t count = windows->count;

    for (uint32_t w = 0; w < count; w++)
        fates[w] = REJECTED;
    if (walk->set_norms != NULL) {
        repeat_last(windows);
        walk->set_norms(walk->walker, windows);
        remove_flat(windows, fates);
    }
    run_stage(walk, 0, windows);
    for (uint32_t w = 0; w < windows->count; w++)
        fates[windows->number[w] - first] = PASSED;
    survivors[0] += walk->step == 0 ? leave_out(columns, first, count, fates, leaves_out) : count;
    remove_left_out(windows, first, fates);
    survivors[1] += windows->count;
}

enum shw_result shw_rectangles_create_walker(size_t size, size_t feature_size, const struct shw_cascade *cascade,
                                             const struct shw_scan *scan, const struct shw_log *log, void **out)
{
    struct shw_rectangles_walker *walker = calloc(1, size);

    if (walker == NULL)
        return shw_fail_memory(log, "a detector");
    walker->info = shw_cascade_get_info(cascade);
    walker->step = scan->step;
    walker->has_avx2 = shw_simd_level() >= SHW_SIMD_AVX2;
    walker->features = calloc((size_t)walker->info->feature_count + 1, feature_size);
    if (walker->features == NULL) {
        free(walker);
        return shw_fail_memory(log, "a detector");
    }
    *out = walker;
    return SHW_OK;
}

void shw_rectangles_destroy_walker(void *handle)
{
    struct shw_rectangles_walker *walker = handle;

    if (walker == NULL)
        return;
    shw_rectangles_free(&walker->rectangles);
    free(walker->features);
    free(walker);
}

void shw_rectangles_prepare(void *handle, const uint8_t *grey, struct shw_thread_pool *pool)
{
    struct shw_rectangles_walker *walker = handle;

    shw_rectangles_make(&walker->rectangles, grey, pool);
}

struct shw_rectangles_walk shw_rectangles_begin_walk(const struct shw_rectangles_walker *walker,
                                                     const struct shw_detect_level *level)
{
    size_t pitch = walker->rectangles.plan->mipmap_width;

    return (struct shw_rectangles_walk){.info = walker->info,
                                        .walker = walker,
                                        .step = walker->step,
                                        .first = level->y * pitch + level->x,
                                        .pitch = pitch};
}

void shw_rectangles_walk_band(const struct shw_rectangles_walk *walk, const struct shw_detect_band *band,
                              struct shw_detect_tally *tally)
{
    uint32_t columns = band->level->columns;
    uint64_t count = (uint64_t)band->rows * columns;
    struct shw_rectangles_windows windows;
    bool leaves_out = false;

    for (uint64_t first = 0; first < count; first += SHW_RECTANGLES_WINDOWS) {
        begin_windows(walk, band, tally, (uint32_t)first, &windows);
        begin_stages(walk, columns, (uint32_t)first, &windows, tally->survivors, &leaves_out);
        for (uint32_t s = 1; s < walk->info->stage_count && windows.count > 0; s++) {
            run_stage(walk, s, &windows);
            tally->survivors[s + 1] += windows.count;
        }
        for (uint32_t w = 0; w < windows.count; w++)
            shw_detect_tally_add(tally, band, windows.number[w] % columns,
                                 band->first_row + windows.number[w] / columns, windows.score[w]);
    }
}
