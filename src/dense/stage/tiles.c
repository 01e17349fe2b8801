#include "dense/stage/tiles.h"

/* Along one side of an image of `length` pixels: pixels first, first + step, ... are labelled, `count` of them. */
struct side {
    uint32_t length, first, count, step, margin;
};

static struct side across(uint32_t image_width, const struct shw_part *part, uint32_t margin)
{
    return (struct side){image_width, part->x, part->width, part->step, margin};
}

static struct side down(uint32_t image_height, const struct shw_part *part, uint32_t margin)
{
    return (struct side){image_height, part->y, part->height, part->step, margin};
}

struct shw_tile shw_tile_whole(uint32_t width, uint32_t height)
{
    return (struct shw_tile){.region = {width, height, 0, 0, width, height},
                             .width = width,
                             .height = height,
                             .results = {0, 0, width, height, 1}};
}

/* Some pixels of a side as a tile, and the region around them. */
struct place {
    uint32_t length;                      /* from the first to the last */
    uint32_t region_first, region_length; /* clipped to the image */
    uint32_t offset;                      /* of the first pixel in the region */
};

static struct place place_of(const struct side *side, uint32_t begin, uint32_t count)
{
    uint32_t first = side->first + begin * side->step, length = shw_part_span(count, side->step);
    uint32_t end = first + length;
    uint32_t before = first < side->margin ? first : side->margin;
    uint32_t after = side->length - end < side->margin ? side->length - end : side->margin;

    return (struct place){length, first - before, before + length + after, before};
}

static uint32_t region_of(const struct side *side, uint32_t begin, uint32_t count)
{
    return place_of(side, begin, count).region_length;
}

/* The larger region of two pieces. */
static uint32_t region_of_halves(const struct side *side)
{
    uint32_t half = side->count / 2 + side->count % 2, first = region_of(side, 0, half);
    uint32_t second = half < side->count ? region_of(side, half, side->count - half) : 0;

    return first > second ? first : second;
}

/* The number of pieces that a side is cut into, and their size in *size; 0 if it cannot be cut. */
static uint32_t cut(const struct side *side, uint32_t region, uint32_t *size)
{
    uint32_t inner = region > 2 * (uint64_t)side->margin ? region - 2 * side->margin : 0, count;

    *size = side->count;
    if (region_of(side, 0, side->count) <= region)
        return 1;
    *size = side->count / 2 + side->count % 2;
    if (region_of_halves(side) <= region) /* at the image's ends a piece has a margin on one side only */
        return 2;
    if (inner == 0)
        return 0;
    count = (side->count - 1) / ((inner - 1) / side->step + 1) + 1;
    *size = (side->count - 1) / count + 1;
    return (side->count - 1) / *size + 1;
}

bool shw_tiling_make_part(uint32_t image_width, uint32_t image_height, const struct shw_part *part, uint32_t margin,
                          uint32_t region_width, uint32_t region_height, struct shw_tiling *tiling)
{
    const struct side x = across(image_width, part, margin), y = down(image_height, part, margin);

    *tiling =
        (struct shw_tiling){.image_width = image_width, .image_height = image_height, .part = *part, .margin = margin};
    tiling->columns = cut(&x, region_width, &tiling->width);
    tiling->rows = cut(&y, region_height, &tiling->height);
    return tiling->columns > 0 && tiling->rows > 0;
}

bool shw_tiling_make(uint32_t image_width, uint32_t image_height, uint32_t margin, uint32_t region_width,
                     uint32_t region_height, struct shw_tiling *tiling)
{
    const struct shw_part whole = shw_part_whole(image_width, image_height);

    return shw_tiling_make_part(image_width, image_height, &whole, margin, region_width, region_height, tiling);
}

static uint32_t least_region(const struct side *side)
{
    const uint64_t inner = 2 * (uint64_t)side->margin + 1;
    uint32_t whole = region_of(side, 0, side->count), halves = region_of_halves(side);
    uint32_t least = halves < whole ? halves : whole;

    return inner < least ? (uint32_t)inner : least;
}

uint32_t shw_tiling_region_min(uint32_t length, uint32_t margin)
{
    return least_region(&(struct side){length, 0, length, 1, margin});
}

struct shw_tiling_limits shw_tiling_limits(uint32_t image_width, uint32_t image_height, const struct shw_part *part,
                                           uint32_t margin)
{
    const struct side x = across(image_width, part, margin), y = down(image_height, part, margin);

    return (struct shw_tiling_limits){.least_width = least_region(&x),
                                      .least_height = least_region(&y),
                                      .width = region_of(&x, 0, x.count),
                                      .height = region_of(&y, 0, y.count)};
}

/* Pixels of piece `number`. */
static uint32_t count_of(const struct side *side, uint32_t number, uint32_t size)
{
    uint32_t left = side->count - number * size;

    return left < size ? left : size;
}

struct shw_tile shw_tiling_get(const struct shw_tiling *tiling, uint32_t index)
{
    const struct shw_part *part = &tiling->part;
    const struct side x = across(tiling->image_width, part, tiling->margin),
                      y = down(tiling->image_height, part, tiling->margin);
    uint32_t column = index % tiling->columns, row = index / tiling->columns;
    uint32_t left = column * tiling->width, top = row * tiling->height;
    const struct place over = place_of(&x, left, count_of(&x, column, tiling->width)),
                       along = place_of(&y, top, count_of(&y, row, tiling->height));

    return (struct shw_tile){.region = {over.region_length, along.region_length, over.region_first, along.region_first,
                                        tiling->image_width, tiling->image_height},
                             .x = over.offset,
                             .y = along.offset,
                             .width = over.length,
                             .height = along.length,
                             .results = {left, top, part->width, part->height, part->step}};
}
