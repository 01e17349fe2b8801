#include "pipeline/tiles.h"

struct shw_tile shw_tile_whole(uint32_t width, uint32_t height)
{
    return (struct shw_tile){.region = {width, height, 0, 0, width, height}, .width = width, .height = height};
}

/* The number of pieces that a length is cut into, and their length in *size; 0 if it cannot be cut. */
static uint32_t cut(uint32_t length, uint32_t margin, uint32_t region, uint32_t *size)
{
    uint32_t half = length / 2 + length % 2, inner = region > 2 * (uint64_t)margin ? region - 2 * margin : 0, count;

    *size = length;
    if (length <= region)
        return 1;
    *size = half;
    if ((uint64_t)half + margin <= region) /* each of two pieces has a margin on one side only */
        return 2;
    if (inner == 0)
        return 0;
    count = (length - 1) / inner + 1;
    *size = (length - 1) / count + 1;
    return (length - 1) / *size + 1;
}

bool shw_tiling_make(uint32_t image_width, uint32_t image_height, uint32_t margin, uint32_t region_width,
                     uint32_t region_height, struct shw_tiling *tiling)
{
    *tiling = (struct shw_tiling){.image_width = image_width, .image_height = image_height, .margin = margin};
    tiling->columns = cut(image_width, margin, region_width, &tiling->width);
    tiling->rows = cut(image_height, margin, region_height, &tiling->height);
    return tiling->columns > 0 && tiling->rows > 0;
}

uint32_t shw_tiling_region_min(uint32_t length, uint32_t margin)
{
    const uint64_t two_pieces = (uint64_t)length / 2 + length % 2 + margin, inner = 2 * (uint64_t)margin + 1;
    const uint64_t smaller = two_pieces < inner ? two_pieces : inner;

    return smaller < length ? (uint32_t)smaller : length;
}

/* One dimension of a tile: where it begins, its length, and the region around it. */
static void place(uint32_t number, uint32_t size, uint32_t length, uint32_t margin, uint32_t *tile_length,
                  uint32_t *region_first, uint32_t *region_length, uint32_t *offset)
{
    uint32_t first = number * size;
    uint32_t end = length - first < size ? length : first + size;
    uint32_t before = first < margin ? first : margin;
    uint32_t after = length - end < margin ? length - end : margin;

    *tile_length = end - first;
    *region_first = first - before;
    *region_length = end + after - *region_first;
    *offset = before;
}

struct shw_tile shw_tiling_get(const struct shw_tiling *tiling, uint32_t index)
{
    struct shw_tile tile = {.region = {.full_width = tiling->image_width, .full_height = tiling->image_height}};

    place(index % tiling->columns, tiling->width, tiling->image_width, tiling->margin, &tile.width, &tile.region.x,
          &tile.region.width, &tile.x);
    place(index / tiling->columns, tiling->height, tiling->image_height, tiling->margin, &tile.height, &tile.region.y,
          &tile.region.height, &tile.y);
    return tile;
}
