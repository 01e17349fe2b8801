#include "label/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "gpu/frames.h"
#include "viewer/overlay_push.h"

#define MARGIN 8 /* of the seen part: one of so many */

static uint32_t count_steps(uint32_t length, uint32_t step)
{
    return (length - 1) / step + 1;
}

struct shw_part view_part_overview(uint32_t width, uint32_t height, uint32_t most, uint32_t longest)
{
    struct shw_part part = {.step = 1};

    while ((uint64_t)count_steps(width, part.step) * count_steps(height, part.step) > most ||
           count_steps(shw_max_u32(width, height), part.step) > longest)
        part.step++;
    part.width = count_steps(width, part.step);
    part.height = count_steps(height, part.step);
    return part;
}

/* One side of what is seen: the pixels of the picture on the canvas from `first` to before `end`. False: none. */
static bool see(int32_t first, uint32_t length, int32_t offset, uint32_t zoom, uint32_t size, int64_t *begin,
                int64_t *end)
{
    int64_t from = (int64_t)first * VIEW_ZOOM_ONE - offset, to = from + (int64_t)length * VIEW_ZOOM_ONE;

    if (length == 0 || to <= 0 || from >= (int64_t)size * zoom)
        return false;
    *begin = from > 0 ? from / zoom : 0;
    *end = shw_clamp_i64((to - 1) / zoom + 1, 0, size);
    return true;
}

/* The pixels at multiples of the step, from the one at or before `begin` on. */
static void take_side(int64_t begin, int64_t end, uint32_t step, uint32_t *first, uint32_t *count)
{
    *first = (uint32_t)(begin / step * step);
    *count = count_steps((uint32_t)end - *first, step);
}

static struct shw_part part_of(int64_t x0, int64_t y0, int64_t x1, int64_t y1, uint32_t step)
{
    struct shw_part part = {.step = step};

    take_side(x0, x1, step, &part.x, &part.width);
    take_side(y0, y1, step, &part.y, &part.height);
    return part;
}

/* Adds the margin to one side of what is seen, as far as the part may be as long. */
static void widen(int64_t *begin, int64_t *end, uint32_t size, uint32_t step, uint32_t longest)
{
    int64_t length = *end - *begin, room = ((int64_t)longest - 1) * step - length;
    int64_t more = shw_clamp_i64(length / MARGIN, 0, room > 0 ? room / 2 : 0);

    *begin = shw_clamp_i64(*begin - more, 0, *begin);
    *end = shw_clamp_i64(*end + more, *end, size);
}

static bool is_longer(const struct shw_part *part, uint32_t longest)
{
    return part->width > longest || part->height > longest;
}

bool view_part_detail(uint32_t width, uint32_t height, uint32_t coarse, uint32_t longest,
                      const struct view_place *place, const struct view_area *area, struct shw_part *seen,
                      struct shw_part *detail)
{
    uint32_t step = place->zoom < VIEW_ZOOM_ONE ? VIEW_ZOOM_ONE / place->zoom : 1;
    int64_t x0, y0, x1, y1;

    if (!see(area->x, area->width, place->offset_x, place->zoom, width, &x0, &x1) ||
        !see(area->y, area->height, place->offset_y, place->zoom, height, &y0, &y1))
        return false;
    *seen = part_of(x0, y0, x1, y1, step);
    while (is_longer(seen, longest))
        *seen = part_of(x0, y0, x1, y1, ++step);
    if (step >= coarse)
        return false;
    widen(&x0, &x1, width, step, longest);
    widen(&y0, &y1, height, step, longest);
    *detail = part_of(x0, y0, x1, y1, step);
    return true;
}

bool view_part_covers(const struct shw_part *part, const struct shw_part *other)
{
    return part->step == other->step && part->x <= other->x && part->y <= other->y &&
           (uint64_t)part->x + (uint64_t)part->width * part->step >=
               (uint64_t)other->x + (uint64_t)other->width * other->step &&
           (uint64_t)part->y + (uint64_t)part->height * part->step >=
               (uint64_t)other->y + (uint64_t)other->height * other->step;
}

void view_part_middle(const struct view_place *place, const struct view_area *area, int64_t *x, int64_t *y)
{
    *x = ((2 * (int64_t)area->x + area->width) * VIEW_ZOOM_ONE / 2 - place->offset_x) / place->zoom;
    *y = ((2 * (int64_t)area->y + area->height) * VIEW_ZOOM_ONE / 2 - place->offset_y) / place->zoom;
}

#define CELL_MIN   4u                 /* labels */
#define ROUND      256u               /* sizes of images that may be larger are multiples of this */
#define BAND_BYTES ((size_t)16 << 20) /* that are uploaded in a frame */

enum { ARGMAX, PLANES };

static size_t labels_in(const struct shw_part *part)
{
    return (size_t)part->width * part->height;
}

static void free_host(struct view_part_labels *labels)
{
    free(labels->exact);
    free(labels->argmax);
    free(labels->planes);
    labels->exact = NULL;
    labels->argmax = labels->planes = NULL;
    labels->part = (struct shw_part){0};
    labels->columns = labels->rows = labels->exact_count = labels->classes = 0;
    labels->dirty = labels->dirty_end = 0;
    labels->known = labels->covered = false;
}

void view_part_labels_destroy(const struct view_gpu *gpu, struct view_part_labels *labels)
{
    for (uint32_t i = 0; i < 2; i++)
        view_image_destroy(gpu, &labels->images[i]);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &labels->staging[s]);
    free_host(labels);
    memset(labels, 0, sizeof *labels);
}

/* Where the label of pixel `place` is along a side of a part; UINT32_MAX: outside. */
static uint32_t find(uint32_t place, uint32_t first, uint32_t count, uint32_t step)
{
    return place >= first && (place - first) / step < count ? (place - first) / step : UINT32_MAX;
}

/* Shows what is known where nothing else is. */
static void show_known(const struct view_part_labels *known, struct view_part_labels *labels, uint32_t *columns)
{
    const struct shw_part *part = &labels->part, *from = &known->part;

    for (uint32_t i = 0; i < part->width; i++)
        columns[i] = find(part->x + i * part->step, from->x, from->width, from->step);
    for (uint32_t j = 0; j < part->height; j++) {
        uint32_t row = find(part->y + j * part->step, from->y, from->height, from->step);
        uint16_t *to = labels->argmax + (size_t)j * part->width;
        for (uint32_t i = 0; row != UINT32_MAX && i < part->width; i++)
            if (to[i] == VIEW_NO_LABEL && columns[i] != UINT32_MAX)
                to[i] = known->argmax[(size_t)row * from->width + columns[i]];
    }
    labels->known = true;
}

/* Whether all labels are known in a rectangle, which is given in labels. */
static bool is_covered(const struct view_part_labels *labels, const struct shw_part *rect)
{
    for (uint32_t y = rect->y; y < rect->y + rect->height; y++)
        for (uint32_t x = rect->x; x < rect->x + rect->width; x++)
            if (labels->argmax[(size_t)y * labels->part.width + x] == VIEW_NO_LABEL)
                return false;
    return true;
}

/* In squares of `side` labels. */
static uint32_t count_squares(uint32_t length, uint32_t side)
{
    return (length - 1) / side + 1;
}

static enum shw_result make_host(const struct shw_part *part, uint32_t classes, uint32_t pixels,
                                 struct view_part_labels *labels)
{
    labels->part = *part;
    labels->classes = classes;
    labels->side = pixels / part->step > CELL_MIN ? pixels / part->step : CELL_MIN;
    labels->columns = count_squares(part->width, labels->side);
    labels->rows = count_squares(part->height, labels->side);
    labels->exact = calloc(view_part_labels_cells(labels), 1);
    labels->argmax = malloc(labels_in(part) * sizeof *labels->argmax);
    if (classes > 0)
        labels->planes = calloc(labels_in(part) * classes, sizeof *labels->planes);
    if (labels->exact == NULL || labels->argmax == NULL || (classes > 0 && labels->planes == NULL))
        return SHW_ERROR_MEMORY;
    memset(labels->argmax, 0xff, labels_in(part) * sizeof *labels->argmax);
    labels->dirty_end = part->height;
    return SHW_OK;
}

enum shw_result view_part_labels_set(const struct view_gpu *gpu, const struct shw_part *part, uint32_t classes,
                                     uint32_t pixels, const struct view_part_labels *known,
                                     struct view_part_labels *labels)
{
    struct view_part_labels old = *labels, made = *labels;
    uint32_t *columns = malloc(part->width * sizeof *columns);
    enum shw_result result = SHW_ERROR_MEMORY;

    made.exact = NULL;
    made.argmax = made.planes = NULL;
    made.known = made.covered = false;
    made.exact_count = made.dirty = 0;
    if (columns != NULL)
        result = make_host(part, classes, pixels, &made);
    if (result == SHW_OK && old.known)
        show_known(&old, &made, columns);
    if (result == SHW_OK && known != NULL && known->known)
        show_known(known, &made, columns);
    if (result == SHW_OK)
        made.covered = is_covered(&made, &(struct shw_part){0, 0, part->width, part->height, 1});
    free(columns);
    free_host(&old);
    *labels = made;
    if (result == SHW_OK)
        return SHW_OK;
    free_host(labels);
    return shw_fail_memory(&gpu->log, "labels");
}

void view_part_labels_expire(struct view_part_labels *labels)
{
    if (labels->exact != NULL)
        memset(labels->exact, 0, view_part_labels_cells(labels));
    labels->exact_count = 0;
}

void view_part_labels_forget(struct view_part_labels *labels)
{
    free_host(labels);
}

/* The square of that number, in labels. */
static struct shw_part square_part(const struct shw_part *part, uint32_t side, uint32_t number)
{
    uint32_t columns = count_squares(part->width, side), left = number % columns * side, top = number / columns * side;
    uint32_t width = part->width - left, height = part->height - top;

    return (struct shw_part){left, top, width < side ? width : side, height < side ? height : side, 1};
}

static struct shw_part cell_part(const struct view_part_labels *labels, uint32_t cell)
{
    const struct shw_part *part = &labels->part, square = square_part(part, labels->side, cell);

    return (struct shw_part){part->x + square.x * part->step, part->y + square.y * part->step, square.width,
                             square.height, part->step};
}

/* The square of the distance from the middle of a part to a pixel. */
static int64_t distance(const struct shw_part *part, int64_t x, int64_t y)
{
    int64_t dx = part->x + (int64_t)part->width * part->step / 2 - x;
    int64_t dy = part->y + (int64_t)part->height * part->step / 2 - y;

    return dx * dx + dy * dy;
}

/* Adds a part behind those that are nearer to the pixel. */
static void add_by_distance(const struct shw_part *part, uint32_t number, int64_t x, int64_t y, uint32_t count,
                            uint32_t *numbers, struct shw_part *parts)
{
    uint32_t place = count;

    for (; place > 0 && distance(&parts[place - 1], x, y) > distance(part, x, y); place--) {
        parts[place] = parts[place - 1];
        numbers[place] = numbers[place - 1];
    }
    parts[place] = *part;
    numbers[place] = number;
}

uint32_t view_part_labels_list(const struct view_part_labels *labels, int64_t x, int64_t y, uint32_t *cells,
                               struct shw_part *parts)
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < view_part_labels_cells(labels); c++) {
        const struct shw_part part = cell_part(labels, c);
        if (!labels->exact[c])
            add_by_distance(&part, c, x, y, count++, cells, parts);
    }
    return count;
}

uint32_t view_part_labels_block_side(const struct shw_part *part, uint32_t most)
{
    uint32_t side = 1;

    while ((uint64_t)count_squares(part->width, side) * count_squares(part->height, side) > most)
        side++;
    return side;
}

uint32_t view_part_labels_sketch(const struct view_part_labels *labels, uint32_t side, int64_t x, int64_t y,
                                 uint32_t *blocks, struct shw_part *parts)
{
    const struct shw_part *part = &labels->part;
    uint32_t all = count_squares(part->width, side) * count_squares(part->height, side), count = 0;

    for (uint32_t b = 0; b < all; b++) {
        const struct shw_part block = square_part(part, side, b);
        const struct shw_part middle = {part->x + (block.x + block.width / 2) * part->step,
                                        part->y + (block.y + block.height / 2) * part->step, 1, 1, part->step};
        if (!is_covered(labels, &block))
            add_by_distance(&middle, b, x, y, count++, blocks, parts);
    }
    return count;
}

static void mark_dirty(struct view_part_labels *labels, uint32_t first, uint32_t end)
{
    bool clean = view_part_labels_are_uploaded(labels);

    labels->dirty = clean || first < labels->dirty ? first : labels->dirty;
    labels->dirty_end = clean || end > labels->dirty_end ? end : labels->dirty_end;
}

void view_part_labels_take_block(struct view_part_labels *labels, uint32_t side, uint32_t block,
                                 const uint16_t *results)
{
    const struct shw_part rect = square_part(&labels->part, side, block);

    for (uint32_t y = rect.y; y < rect.y + rect.height; y++)
        for (uint32_t x = rect.x; x < rect.x + rect.width; x++) {
            size_t at = (size_t)y * labels->part.width + x;
            if (labels->argmax[at] != VIEW_NO_LABEL)
                continue;
            labels->argmax[at] = results[0];
            for (uint32_t c = 0; c < labels->classes; c++)
                labels->planes[c * labels_in(&labels->part) + at] = results[c + 1];
        }
    labels->known = true;
    mark_dirty(labels, rect.y, rect.y + rect.height);
}

static void copy_plane(const struct shw_part *part, const struct shw_part *cell, const uint16_t *from, uint16_t *to)
{
    size_t left = (cell->x - part->x) / part->step, top = (cell->y - part->y) / part->step;

    for (uint32_t j = 0; j < cell->height; j++)
        memcpy(to + (top + j) * part->width + left, from + (size_t)j * cell->width, cell->width * sizeof *to);
}

void view_part_labels_take(struct view_part_labels *labels, uint32_t cell, const uint16_t *results)
{
    const struct shw_part *part = &labels->part, place = cell_part(labels, cell);
    uint32_t top = (place.y - part->y) / part->step;

    copy_plane(part, &place, results, labels->argmax);
    for (uint32_t c = 0; c < labels->classes; c++)
        copy_plane(part, &place, results + (c + 1) * labels_in(&place), labels->planes + c * labels_in(part));
    labels->exact_count += !labels->exact[cell];
    labels->exact[cell] = 1;
    labels->known = true;
    labels->covered = labels->covered || view_part_labels_are_exact(labels);
    mark_dirty(labels, top, top + place.height);
}

/* Rows that are uploaded in a frame. */
static uint32_t band_rows(const struct view_part_labels *labels)
{
    size_t rows = BAND_BYTES / ((1 + (size_t)labels->classes) * labels->part.width * sizeof(uint16_t));

    return rows == 0 ? 1 : rows < labels->part.height ? (uint32_t)rows : labels->part.height;
}

static enum shw_result fit_image(const struct view_gpu *gpu, VkExtent2D extent, bool larger, uint32_t layers,
                                 struct view_image *image, bool *renewed)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    bool fits = view_image_holds(image, extent, larger) && (layers == 0 || image->layers == layers);

    if (fits)
        return SHW_OK;
    if (larger)
        extent = (VkExtent2D){(extent.width + ROUND - 1) / ROUND * ROUND, (extent.height + ROUND - 1) / ROUND * ROUND};
    view_image_retire(gpu, image);
    *renewed = true;
    return view_image_create(gpu, VK_FORMAT_R16_UINT, extent, layers, usage, image);
}

enum shw_result view_part_labels_fit(const struct view_gpu *gpu, bool larger, struct view_part_labels *labels)
{
    const VkExtent2D extent = {labels->part.width, labels->part.height};
    size_t size;
    bool renewed = false;

    if (view_part_labels_are_uploaded(labels))
        return SHW_OK;
    size = (1 + (size_t)labels->classes) * band_rows(labels) * labels->part.width * sizeof(uint16_t);
    SHW_PROPAGATE(fit_image(gpu, extent, larger, 0, &labels->images[ARGMAX], &renewed));
    if (labels->classes > 0)
        SHW_PROPAGATE(fit_image(gpu, extent, larger, labels->classes, &labels->images[PLANES], &renewed));
    if (renewed) {
        labels->begun = false;
        mark_dirty(labels, 0, labels->part.height);
    }
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        if (labels->staging[s].size < size) {
            view_buffer_retire(gpu, &labels->staging[s]);
            SHW_PROPAGATE(view_buffer_create(gpu, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, &labels->staging[s]));
        }
    return SHW_OK;
}

bool view_part_labels_upload(struct view_part_labels *labels, VkCommandBuffer commands, uint32_t slot)
{
    const struct view_buffer *staging = &labels->staging[slot];
    uint32_t width = labels->part.width, first = labels->dirty, rows = labels->dirty_end - first;
    size_t plane;

    if (view_part_labels_are_uploaded(labels))
        return false;
    rows = rows < band_rows(labels) ? rows : band_rows(labels);
    plane = (size_t)rows * width;
    for (uint32_t p = 0; p <= labels->classes; p++) {
        const uint16_t *from = p == 0 ? labels->argmax : labels->planes + (p - 1) * labels_in(&labels->part);
        memcpy((uint16_t *)staging->mapped + p * plane, from + (size_t)first * width, plane * sizeof *from);
    }
    view_image_copy_rows(commands, &labels->images[ARGMAX], staging->handle, 0, first, rows, width, labels->begun);
    if (labels->classes > 0)
        view_image_copy_rows(commands, &labels->images[PLANES], staging->handle, plane * sizeof(uint16_t), first, rows,
                             width, labels->begun);
    labels->begun = true;
    labels->dirty += rows;
    return true;
}
