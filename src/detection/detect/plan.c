/* Angles, the table of kinds, scans and their plans. */
#include "detection/detect/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"
#include "shared/detect.h"

int32_t shw_detect_cosine(uint32_t angle)
{
    static const int32_t half_turn[] = {256, 251, 236,  212,  181,  142,  97,   49,  0,
                                        -49, -97, -142, -181, -212, -236, -251, -256};
    uint32_t a = angle % SHW_DETECT_ANGLES;

    return half_turn[a <= SHW_DETECT_ANGLES / 2 ? a : SHW_DETECT_ANGLES - a];
}

int32_t shw_detect_sine(uint32_t angle)
{
    return shw_detect_cosine(angle + SHW_DETECT_ANGLES - SHW_DETECT_ANGLES / 4);
}

struct shw_detect_point shw_detect_turn_point(uint32_t angle, uint32_t size, int32_t x, int32_t y)
{
    int32_t last = (int32_t)size - 1, cosine = shw_detect_cosine(angle), sine = shw_detect_sine(angle);
    int32_t across = 2 * x - last, down = 2 * y - last; /* in half pixels from the centre */

    return (struct shw_detect_point){shw_detect_turned_pixel(cosine * across + sine * down, (int32_t)size),
                                     shw_detect_turned_pixel(cosine * down - sine * across, (int32_t)size)};
}

uint32_t shw_detect_turn_margin(uint32_t size)
{
    return ((size - 1) * (2 * 181 - 256) + 256) / 512;
}

#define KINDS(ENTRY)        ENTRY(PIXELS, pixels) ENTRY(SCALED, scaled) ENTRY(HAAR, haar) ENTRY(LBP, lbp)
#define DECLARE(kind, name) extern const struct shw_detect_kind shw_detect_kind_##name;
#define LIST(kind, name)    [SHW_CASCADE_##kind] = &shw_detect_kind_##name,
KINDS(DECLARE)

const struct shw_detect_kind *shw_detect_kind_get(enum shw_cascade_kind kind)
{
    static const struct shw_detect_kind *const kinds[] = {KINDS(LIST)};
    _Static_assert(sizeof kinds / sizeof *kinds == SHW_CASCADE_KIND_COUNT, "an entry for each kind");

    return kinds[kind];
}

void shw_detect_tally_add(struct shw_detect_tally *tally, const struct shw_detect_band *band, uint32_t column,
                          uint32_t row, int32_t score)
{
    const struct shw_detect_level *level = band->level;
    const struct shw_detect_position *positions = tally->plan->positions;

    if (!SHW_RESERVE(tally->items, tally->capacity, (size_t)tally->count + 1)) {
        tally->failed = true;
        return;
    }
    tally->items[tally->count++] = (struct shw_detection){
        .x = positions[level->first_column + column].image,
        .y = positions[level->first_row + row].image,
        .width = level->out_width,
        .height = level->out_height,
        .score = score - tally->score_base,
        .level = level->number,
        .angle = band->angle,
        .neighbours = 1,
    };
}

#define COUNT_MAX ((uint64_t)1 << 31) /* of windows and of pixels: indices have 31 bits */

static enum shw_result refuse(const struct shw_log *log, const char *what)
{
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "scan: %s", what);
}

static enum shw_result check_angles(const struct shw_cascade_info *info, const struct shw_scan *scan,
                                    const struct shw_log *log)
{
    uint32_t seen = 0;

    if (scan->angle_count > 0 && scan->angles == NULL)
        return refuse(log, "angle_count is given without angles");
    for (uint32_t a = 0; a < scan->angle_count; a++) {
        if (scan->angles[a] > 31)
            return refuse(log, "angles must be below 32");
        if ((seen >> scan->angles[a] & 1u) != 0)
            return refuse(log, "an angle is given twice");
        seen |= 1u << scan->angles[a];
    }
    if ((seen & ~1u) == 0)
        return SHW_OK;
    if (!shw_cascade_get_traits(info->kind)->has_angles)
        return refuse(log, "only cascades of the kinds pixels and scaled-pixels have angles");
    return info->window_width == info->window_height ? SHW_OK : refuse(log, "only square windows have angles");
}

static enum shw_result check_ratios(const struct shw_cascade_info *info, const struct shw_scan *scan,
                                    const struct shw_log *log)
{
    const struct shw_cascade_traits *traits = shw_cascade_get_traits(info->kind);
    bool has_octaves = traits->has_pyramid, has_stride = traits->is_relative;

    if (has_octaves ? scan->scale_factor != 0 : scan->levels_per_octave != 0)
        return refuse(log, has_octaves ? "cascades of the kind pixels have levels_per_octave, not scale_factor"
                                       : "only cascades of the kind pixels have levels_per_octave");
    if (scan->levels_per_octave > 16)
        return refuse(log, "levels_per_octave must be from 1 to 16");
    if (scan->scale_factor != 0 && !(scan->scale_factor > 1.01 && scan->scale_factor <= 10))
        return refuse(log, "scale_factor must be above 1.01 and at most 10");
    if (!has_stride && scan->stride != 0)
        return refuse(log, "only cascades of the kind scaled-pixels have stride");
    if (scan->stride != 0 && !(scan->stride > 0 && scan->stride <= 10))
        return refuse(log, "stride must be above 0 and at most 10");
    if (has_stride && scan->step != 0)
        return refuse(log, "cascades of the kind scaled-pixels have stride, not step");
    return scan->step <= SHW_IMAGE_SIZE_MAX ? SHW_OK : refuse(log, "step must be at most 65535");
}

enum shw_result shw_scan_resolve(const struct shw_cascade *cascade, const struct shw_log *log, struct shw_scan *scan)
{
    static const uint32_t upright = 0;
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    const struct shw_cascade_traits *traits = shw_cascade_get_traits(info->kind);

    SHW_PROPAGATE(check_angles(info, scan, log));
    SHW_PROPAGATE(check_ratios(info, scan, log));
    if (scan->max_size != 0 && scan->max_size < scan->min_size)
        return refuse(log, "max_size is below min_size");
    if (scan->min_size == 0)
        scan->min_size = traits->min_size;
    if (scan->max_size == 0)
        scan->max_size = UINT32_MAX;
    if (scan->angle_count == 0) {
        scan->angles = &upright;
        scan->angle_count = 1;
    }
    if (traits->has_pyramid) {
        scan->levels_per_octave = scan->levels_per_octave != 0 ? scan->levels_per_octave : info->levels_per_octave;
        scan->step = shw_max_u32(scan->step, 1);
    } else if (scan->scale_factor == 0)
        scan->scale_factor = info->scale_factor;
    if (traits->is_relative && scan->stride == 0)
        scan->stride = 0.1;
    return SHW_OK;
}

enum shw_result shw_detect_plan_add(struct shw_detect_plan *plan, const struct shw_detect_level *level,
                                    const struct shw_log *log, struct shw_detect_position **columns,
                                    struct shw_detect_position **rows)
{
    uint32_t positions = level->columns + level->rows;

    if (!SHW_RESERVE(plan->levels, plan->level_capacity, (size_t)plan->level_count + 1) ||
        !SHW_RESERVE(plan->positions, plan->position_capacity, (size_t)plan->position_count + positions))
        return shw_fail_memory(log, "the levels of a scan");
    plan->window_count += (uint64_t)level->columns * level->rows;
    if (plan->window_count >= COUNT_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "an image of %u x %u has 2^31 windows or more: give a greater step or min_size", plan->width,
                        plan->height);
    plan->levels[plan->level_count] = *level;
    plan->levels[plan->level_count].first_column = plan->position_count;
    plan->levels[plan->level_count++].first_row = plan->position_count + level->columns;
    *columns = plan->positions + plan->position_count;
    *rows = *columns + level->columns;
    plan->position_count += positions;
    return SHW_OK;
}

void shw_detect_plan_turn(struct shw_detect_plan *plan, struct shw_detect_range columns, struct shw_detect_range rows)
{
    struct shw_detect_level *level = &plan->levels[plan->level_count - 1];

    level->turned_column = columns.first;
    level->turned_columns = columns.count;
    level->turned_row = rows.first;
    level->turned_rows = rows.count;
    plan->turned_window_count += (uint64_t)columns.count * rows.count;
}

/* On shelves one below the other, which are twice as wide as the first level. */
enum shw_result shw_detect_plan_pack(struct shw_detect_plan *plan, const struct shw_log *log)
{
    uint64_t shelf = plan->level_count > 0 ? 2 * (uint64_t)plan->levels[0].width : 0, x = 0, y = 0, next = 0,
             widest = 0;

    for (uint32_t l = 0; l < plan->level_count; l++) {
        struct shw_detect_level *level = &plan->levels[l];
        if (x + level->width > shelf) {
            x = 0;
            y = next;
        }
        level->x = (uint32_t)x;
        level->y = (uint32_t)y;
        x += level->width;
        widest = shw_max_u64(widest, x);
        next = shw_max_u64(next, y + level->height);
    }
    plan->mipmap_width = (uint32_t)widest;
    plan->mipmap_height = (uint32_t)next;
    if (widest * next < COUNT_MAX)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                    "the levels of an image of %u x %u have 2^31 pixels or more", plan->width, plan->height);
}

struct shw_detect_range shw_detect_level_columns(const struct shw_detect_level *level, uint32_t angle)
{
    return angle == 0 ? (struct shw_detect_range){0, level->columns}
                      : (struct shw_detect_range){level->turned_column, level->turned_columns};
}

struct shw_detect_range shw_detect_level_rows(const struct shw_detect_level *level, uint32_t angle)
{
    return angle == 0 ? (struct shw_detect_range){0, level->rows}
                      : (struct shw_detect_range){level->turned_row, level->turned_rows};
}

void shw_detect_plan_free(struct shw_detect_plan *plan)
{
    free(plan->levels);
    free(plan->positions);
    memset(plan, 0, sizeof *plan);
}

enum shw_result shw_detect_plan_make(const struct shw_cascade *cascade, const struct shw_scan *scan, uint32_t width,
                                     uint32_t height, const struct shw_log *log, struct shw_detect_plan *plan)
{
    const struct shw_detect_kind *kind = shw_detect_kind_get(shw_cascade_get_info(cascade)->kind);
    enum shw_result result = SHW_OK;

    *plan = (struct shw_detect_plan){.width = width,
                                     .height = height,
                                     .levels = plan->levels,
                                     .positions = plan->positions,
                                     .level_capacity = plan->level_capacity,
                                     .position_capacity = plan->position_capacity};
    SHW_TRY(kind->make_plan(cascade, scan, log, plan));
    return SHW_OK;

fail:
    shw_detect_plan_free(plan);
    return result;
}
