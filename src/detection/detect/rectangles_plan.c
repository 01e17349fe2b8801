/* OpenCV's scan: sizes and positions in the precision in which it has them. */
#include <math.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/detect/rectangles.h"

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

static uint32_t usual_step(float scale)
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
    level.step = scan->step != 0 ? scan->step : usual_step(scale);
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
