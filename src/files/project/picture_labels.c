#include "files/project/picture_labels.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>

#include "base/array.h"
#include "base/integers.h"
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
static bool paint_run(struct shw_label_runs *runs, uint32_t stroke, uint32_t from, uint32_t to, uint32_t y)
{
    const uint32_t side = SHW_TOP_STROKES_SIDE;

    while (from < to) {
        uint32_t end = (from / side + 1) * side, count = (to < end ? to : end) - from;
        struct shw_top_strokes_block *block = shw_top_strokes_change(&runs->top, from, y);
        uint32_t *row = block != NULL ? block->strokes + (size_t)(y % side) * side + from % side : NULL;

        if (row == NULL)
            return false;
        for (uint32_t i = 0; i < count; i++)
            row[i] = stroke;
        block->count += count;
        from += count;
    }
    return true;
}

/* No two areas overlap. False: out of memory. */
static bool paint(struct shw_label_runs *runs)
{
    uint32_t stroke = 0;
    bool fine = true;

    for (uint32_t c = 0; c < runs->class_count; c++) {
        const struct shw_stroke *area = &runs->areas[c];

        stroke += area->point_count > 0;
        for (uint32_t p = 0; p < area->point_count && fine; p += 2) {
            const struct shw_point first = area->points[p], last = area->points[p + 1];
            fine = paint_run(runs, stroke, (uint32_t)first.x, (uint32_t)last.x + 1, (uint32_t)first.y);
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
                                    .top = shw_top_strokes_make(width, height),
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
    shw_top_strokes_free(&runs->top);
    *runs = (struct shw_label_runs){0};
}

#define SIDE SHW_TOP_STROKES_SIDE

struct shw_top_strokes shw_top_strokes_make(uint32_t width, uint32_t height)
{
    return (struct shw_top_strokes){width, height, (width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE, NULL};
}

static size_t block_count(const struct shw_top_strokes *top)
{
    return top->blocks != NULL ? (size_t)top->columns * top->rows : 0;
}

static void release(struct shw_top_strokes_block **block)
{
    if (*block != NULL && atomic_fetch_sub(&(*block)->shares, 1) == 1)
        free(*block);
    *block = NULL;
}

void shw_top_strokes_free(struct shw_top_strokes *top)
{
    for (size_t b = 0; b < block_count(top); b++)
        release(&top->blocks[b]);
    free(top->blocks);
    top->blocks = NULL;
}

bool shw_top_strokes_share(const struct shw_top_strokes *top, struct shw_top_strokes *copy)
{
    size_t count = block_count(top);

    *copy = *top;
    copy->blocks = NULL;
    if (count == 0)
        return true;
    copy->blocks = malloc(count * sizeof(struct shw_top_strokes_block *));
    if (copy->blocks == NULL)
        return false;
    memcpy(copy->blocks, top->blocks, count * sizeof(struct shw_top_strokes_block *));
    for (size_t b = 0; b < count; b++)
        if (copy->blocks[b] != NULL)
            atomic_fetch_add(&copy->blocks[b]->shares, 1);
    return true;
}

static size_t place_in_block(uint32_t x, uint32_t y)
{
    return (size_t)(y % SIDE) * SIDE + x % SIDE;
}

uint32_t shw_top_strokes_get(const struct shw_top_strokes *top, uint32_t x, uint32_t y)
{
    const struct shw_top_strokes_block *block = shw_top_strokes_block(top, x / SIDE, y / SIDE);

    return block != NULL ? block->strokes[place_in_block(x, y)] : 0;
}

static struct shw_top_strokes_block *make_block(const struct shw_top_strokes_block *from)
{
    struct shw_top_strokes_block *block = from != NULL ? malloc(sizeof *block) : calloc(1, sizeof *block);

    if (block != NULL && from != NULL) {
        block->count = from->count;
        memcpy(block->strokes, from->strokes, sizeof block->strokes);
    }
    if (block != NULL)
        atomic_init(&block->shares, 1);
    return block;
}

struct shw_top_strokes_block *shw_top_strokes_change(struct shw_top_strokes *top, uint32_t x, uint32_t y)
{
    struct shw_top_strokes_block **place, *own;

    if (top->blocks == NULL)
        top->blocks = calloc((size_t)top->columns * top->rows, sizeof(struct shw_top_strokes_block *));
    if (top->blocks == NULL)
        return NULL;
    place = &top->blocks[(size_t)(y / SIDE) * top->columns + x / SIDE];
    if (*place != NULL && atomic_load(&(*place)->shares) == 1)
        return *place;
    own = make_block(*place);
    if (own != NULL) {
        release(place);
        *place = own;
    }
    return own;
}

/* Grows from..to to whole blocks within 0..size. */
static void cover(int32_t *from, int32_t *to, uint32_t size)
{
    int64_t begin = shw_clamp_i64(*from, 0, size), end = shw_clamp_i64(*to, 0, size);

    *from = (int32_t)(begin / SIDE * SIDE);
    *to = begin < end ? (int32_t)shw_clamp_i64((end + SIDE - 1) / SIDE * SIDE, 0, size) : *from;
}

struct shw_rect shw_top_strokes_cover(const struct shw_top_strokes *top, struct shw_rect rect)
{
    cover(&rect.x0, &rect.x1, top->width);
    cover(&rect.y0, &rect.y1, top->height);
    return rect.x0 < rect.x1 && rect.y0 < rect.y1 ? rect : (struct shw_rect){0};
}

void shw_top_strokes_clear(struct shw_top_strokes *top, struct shw_rect rect)
{
    for (uint32_t y = (uint32_t)rect.y0; top->blocks != NULL && y < (uint32_t)rect.y1; y += SIDE)
        for (uint32_t x = (uint32_t)rect.x0; x < (uint32_t)rect.x1; x += SIDE)
            release(&top->blocks[(size_t)(y / SIDE) * top->columns + x / SIDE]);
}

/* One row of the picture: the pixels x, x + step, ... */
static void copy_row(const struct shw_top_strokes *top, int64_t x, uint32_t y, uint32_t width, uint32_t step,
                     const uint16_t *values, uint16_t *out)
{
    uint32_t i = x < 0 ? (uint32_t)shw_min_u64(((uint64_t)-x + step - 1) / step, width) : 0;

    for (uint32_t j = 0; j < i; j++)
        out[j] = values[0];
    while (i < width && x + (int64_t)i * step < top->width) {
        uint32_t at = (uint32_t)(x + (int64_t)i * step), end = (at / SIDE + 1) * SIDE;
        const struct shw_top_strokes_block *block = shw_top_strokes_block(top, at / SIDE, y / SIDE);

        end = end < top->width ? end : top->width;
        for (; at < end && i < width; at += step)
            out[i++] = block != NULL ? values[block->strokes[place_in_block(at, y)]] : values[0];
    }
    for (; i < width; i++)
        out[i] = values[0];
}
/* Writes values[stroke] for the pixels (x + step * i, y + step * j), i < width, j < height, row by row; values[0] where
 * there is no stroke and outside the picture. */
static void top_strokes_copy(const struct shw_top_strokes *top, int64_t x, int64_t y, uint32_t width, uint32_t height,
                             uint32_t step, const uint16_t *values, uint16_t *out)
{
    for (uint32_t j = 0; j < height; j++, out += width) {
        int64_t row = y + (int64_t)j * step;

        if (row >= 0 && row < top->height)
            copy_row(top, x, (uint32_t)row, width, step, values, out);
        else
            for (uint32_t i = 0; i < width; i++)
                out[i] = values[0];
    }
}

/* Counts the pixels of each stroke. False: one has a stroke that there is not, or is outside the picture. */
static bool count_visible(const struct shw_top_strokes *top, uint32_t stroke_count, uint64_t *visible)
{
    for (size_t b = 0; b < block_count(top); b++) {
        const uint32_t *strokes = top->blocks[b] != NULL ? top->blocks[b]->strokes : NULL;
        const uint32_t left = (uint32_t)(b % top->columns) * SIDE, above = (uint32_t)(b / top->columns) * SIDE;

        for (uint32_t i = 0; strokes != NULL && i < SIDE * SIDE; i++) {
            if (strokes[i] == 0)
                continue;
            if (strokes[i] > stroke_count || left + i % SIDE >= top->width || above + i / SIDE >= top->height)
                return false;
            visible[strokes[i] - 1]++;
        }
    }
    return true;
}

enum shw_result shw_picture_labels_make(const struct shw_top_strokes *top, const uint16_t *classes,
                                        uint32_t stroke_count, struct shw_picture_labels **labels)
{
    struct shw_picture_labels *made = calloc(1, sizeof *made);
    enum shw_result result = SHW_ERROR_MEMORY;

    if (made == NULL)
        return result;
    atomic_init(&made->shares, 1);
    made->width = top->width;
    made->height = top->height;
    made->stroke_count = stroke_count;
    made->values = malloc((stroke_count + (size_t)1) * sizeof *made->values);
    made->visible = shw_zeros(stroke_count, sizeof *made->visible);
    if (made->values != NULL && made->visible != NULL && shw_top_strokes_share(top, &made->top))
        result = count_visible(top, stroke_count, made->visible) ? SHW_OK : SHW_ERROR_FORMAT;
    if (result != SHW_OK) {
        shw_picture_labels_release(&made);
        return result;
    }
    made->values[0] = SHW_LABEL_VOID;
    if (stroke_count > 0)
        memcpy(made->values + 1, classes, stroke_count * sizeof *classes);
    for (uint32_t s = 0; s < stroke_count; s++)
        made->count += classes[s] != SHW_LABEL_VOID ? made->visible[s] : 0;
    *labels = made;
    return SHW_OK;
}

struct shw_picture_labels *shw_picture_labels_share(struct shw_picture_labels *labels)
{
    atomic_fetch_add(&labels->shares, 1);
    return labels;
}

void shw_picture_labels_release(struct shw_picture_labels **labels)
{
    struct shw_picture_labels *gone = *labels;

    *labels = NULL;
    if (gone == NULL || atomic_fetch_sub(&gone->shares, 1) > 1)
        return;
    shw_top_strokes_free(&gone->top);
    free(gone->values);
    free(gone->visible);
    free(gone);
}

void shw_picture_labels_copy(const struct shw_picture_labels *labels, int64_t x, int64_t y, uint32_t width,
                             uint32_t height, uint32_t step, uint16_t *out)
{
    top_strokes_copy(&labels->top, x, y, width, height, step, labels->values, out);
}
