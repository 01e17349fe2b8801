#include "files/project/label_runs.h"

#include <stdlib.h>

#include <shadewood/dataset.h>

#include "base/log.h"

static enum shw_result add_run(struct shw_label_runs *runs, uint16_t number, uint32_t from, uint32_t to, uint32_t y,
                               const char *name, const struct shw_log *log)
{
    struct shw_stroke *area;

    if (number >= runs->class_count)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: there is no class %u, which the labels use",
                        name, number);
    area = &runs->areas[number];
    if (area->point_count == SHW_STROKE_POINTS_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "%s: class %u of the labels has more than %u runs of pixels", name, number,
                        SHW_STROKE_POINTS_MAX / 2);
    return shw_stroke_append_raw(area, (struct shw_point){(int32_t)from, (int32_t)y}) &&
                   shw_stroke_append_raw(area, (struct shw_point){(int32_t)to - 1, (int32_t)y})
               ? SHW_OK
               : shw_fail_memory(log, name);
}

/* False: out of memory. */
static bool paint_run(struct shw_label_runs *runs, uint32_t owner, uint32_t from, uint32_t to, uint32_t y)
{
    const uint32_t side = SHW_OWNERS_SIDE;

    while (from < to) {
        uint32_t end = (from / side + 1) * side, count = (to < end ? to : end) - from;
        struct shw_top_strokes_block *block = shw_top_strokes_change(&runs->owners, from, y);
        uint32_t *row = block != NULL ? block->owners + (size_t)(y % side) * side + from % side : NULL;

        if (row == NULL)
            return false;
        for (uint32_t i = 0; i < count; i++)
            row[i] = owner;
        block->count += count;
        from += count;
    }
    return true;
}

/* No two areas overlap. False: out of memory. */
static bool paint(struct shw_label_runs *runs)
{
    uint32_t owner = 0;
    bool fine = true;

    for (uint32_t c = 0; c < runs->class_count; c++) {
        const struct shw_stroke *area = &runs->areas[c];

        owner += area->point_count > 0;
        for (uint32_t p = 0; p < area->point_count && fine; p += 2) {
            const struct shw_point first = area->points[p], last = area->points[p + 1];
            fine = paint_run(runs, owner, (uint32_t)first.x, (uint32_t)last.x + 1, (uint32_t)first.y);
            runs->pixels[c] += (uint64_t)(last.x - first.x) + 1;
        }
    }
    return fine;
}

enum shw_result shw_label_runs_find(const uint16_t *labels, uint32_t width, uint32_t height, uint32_t class_count,
                                    const char *name, const struct shw_log *log, struct shw_label_runs *runs)
{
    enum shw_result result = SHW_OK;

    *runs = (struct shw_label_runs){.width = width,
                                    .height = height,
                                    .class_count = class_count,
                                    .areas = calloc(class_count + (size_t)1, sizeof *runs->areas),
                                    .owners = shw_top_strokes_make(width, height),
                                    .pixels = calloc(class_count + (size_t)1, sizeof *runs->pixels)};
    if (runs->areas == NULL || runs->pixels == NULL)
        result = shw_fail_memory(log, name);
    for (uint32_t y = 0; y < height && result == SHW_OK; y++) {
        const uint16_t *row = labels + (size_t)y * width;

        for (uint32_t from = 0, to; from < width && result == SHW_OK; from = to) {
            for (to = from + 1; to < width && row[to] == row[from]; to++)
                continue;
            if (row[from] != SHW_LABEL_VOID)
                result = add_run(runs, row[from], from, to, y, name, log);
        }
    }
    if (result == SHW_OK && !paint(runs))
        result = shw_fail_memory(log, name);
    if (result != SHW_OK)
        shw_label_runs_free(runs);
    return result;
}

void shw_label_runs_free(struct shw_label_runs *runs)
{
    for (uint32_t c = 0; runs->areas != NULL && c < runs->class_count; c++)
        shw_stroke_free(&runs->areas[c]);
    free(runs->areas);
    free(runs->pixels);
    shw_top_strokes_free(&runs->owners);
    *runs = (struct shw_label_runs){0};
}
