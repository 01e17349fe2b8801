#include "label/parts.h"

#include "base/integers.h"
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
