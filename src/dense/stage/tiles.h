/* Cuts images that are too large into tiles, each with the surrounding region that its pixels depend on. */
#ifndef SHW_DENSE_STAGE_TILES_H
#define SHW_DENSE_STAGE_TILES_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/label.h>

/* The part of an image that is processed at once, in pixels. Only the channels x and y depend on its position: image
 * borders are those of the part. */
struct shw_region {
    uint32_t width, height;           /* of the part */
    uint32_t x, y;                    /* its first pixel in the whole image */
    uint32_t full_width, full_height; /* the whole image */
};

/* Cuts images that are too large into tiles, each with the surrounding region that its pixels depend on. */

/* Where a tile's results go, and which of its pixels have one: that of pixel (step * i, step * j) is at
 * (x + i, y + j) of planes of width * height elements. */
struct shw_tile_results {
    uint32_t x, y, width, height, step;
};

struct shw_tile {
    struct shw_region region; /* what is processed: tile and margin, clipped to the image */
    uint32_t x, y;            /* its first pixel in the region */
    uint32_t width, height;   /* of the tile */
    struct shw_tile_results results;
};

/* Results of a tile, across and down. */
static inline uint32_t shw_tile_columns(const struct shw_tile *tile)
{
    return (tile->width - 1) / tile->results.step + 1;
}

static inline uint32_t shw_tile_rows(const struct shw_tile *tile)
{
    return (tile->height - 1) / tile->results.step + 1;
}

/* A whole image. */
struct shw_tile shw_tile_whole(uint32_t width, uint32_t height);

/* All pixels of an image. */
static inline struct shw_part shw_part_whole(uint32_t width, uint32_t height)
{
    return (struct shw_part){.width = width, .height = height, .step = 1};
}

/* Whether a part is given: one that is all zero stands for all pixels of the image. */
static inline bool shw_part_is_given(const struct shw_part *part)
{
    return part->step > 0 || part->width > 0 || part->height > 0 || part->x > 0 || part->y > 0;
}

static inline struct shw_part shw_part_or_whole(const struct shw_part *part, uint32_t width, uint32_t height)
{
    return shw_part_is_given(part) ? *part : shw_part_whole(width, height);
}

/* The number of pixels between the first and the last of `count`, both included. */
static inline uint32_t shw_part_span(uint32_t count, uint32_t step)
{
    return (count - 1) * step + 1;
}

/* Where the pixels within `reach` of `count` pixels from `first` on begin and end, in one direction of an image of
 * `full` pixels. */
struct shw_pixel_range {
    uint32_t begin, end;
};
static inline struct shw_pixel_range shw_within_reach(uint32_t first, uint32_t count, uint32_t reach, uint32_t full)
{
    const uint64_t end = (uint64_t)first + count + reach;

    return (struct shw_pixel_range){first > reach ? first - reach : 0, end < full ? (uint32_t)end : full};
}

struct shw_tiling {
    uint32_t image_width, image_height;
    struct shw_part part;
    uint32_t margin;        /* distance in pixels within which pixels influence a tile */
    uint32_t width, height; /* pixels of the part in a tile; the last ones of a row or column may have fewer */
    uint32_t columns, rows;
};

/* Cuts an image into tiles of one size whose regions are at most `region_width` by `region_height`: in each dimension
 * into as few as margins on both sides allow, or into two with one margin each. False if margins alone fill such a
 * region. */
bool shw_tiling_make(uint32_t image_width, uint32_t image_height, uint32_t margin, uint32_t region_width,
                     uint32_t region_height, struct shw_tiling *tiling);

/* The same for a part of an image. */
bool shw_tiling_make_part(uint32_t image_width, uint32_t image_height, const struct shw_part *part, uint32_t margin,
                          uint32_t region_width, uint32_t region_height, struct shw_tiling *tiling);

/* The smallest region, along one side of an image of `length` pixels, that allows cutting it. */
uint32_t shw_tiling_region_min(uint32_t length, uint32_t margin);

/* The smallest region that allows cutting a part, and the smallest that makes cutting unnecessary. */
struct shw_tiling_limits {
    uint32_t least_width, least_height, width, height;
};
struct shw_tiling_limits shw_tiling_limits(uint32_t image_width, uint32_t image_height, const struct shw_part *part,
                                           uint32_t margin);

/* Tile `index` < columns * rows, row by row. */
struct shw_tile shw_tiling_get(const struct shw_tiling *tiling, uint32_t index);

#endif
