/* Cuts images that are too large into tiles, each with the surrounding region that its pixels depend on. */
#ifndef SHW_PIPELINE_TILES_H
#define SHW_PIPELINE_TILES_H

#include <stdbool.h>
#include <stdint.h>

#include "channels/channels.h"

struct shw_tile {
    struct shw_region region; /* what is processed: tile and margin, clipped to the image */
    uint32_t x, y;            /* its first pixel in the region */
    uint32_t width, height;   /* of the tile */
};

/* A whole image. */
struct shw_tile shw_tile_whole(uint32_t width, uint32_t height);

struct shw_tiling {
    uint32_t image_width, image_height;
    uint32_t margin;        /* distance in pixels within which pixels influence a tile */
    uint32_t width, height; /* of a tile; the last ones of a row or column may be smaller */
    uint32_t columns, rows;
};

/* Cuts an image into tiles of one size whose regions are at most `region_width` by `region_height`: in each dimension
 * into as few as margins on both sides allow, or into two with one margin each. False if margins alone fill such a
 * region. */
bool shw_tiling_make(uint32_t image_width, uint32_t image_height, uint32_t margin, uint32_t region_width,
                     uint32_t region_height, struct shw_tiling *tiling);

/* The smallest region, along one side of an image of `length` pixels, with which it can be cut. */
uint32_t shw_tiling_region_min(uint32_t length, uint32_t margin);

/* Tile `index` < columns * rows, row by row. */
struct shw_tile shw_tiling_get(const struct shw_tiling *tiling, uint32_t index);

#endif
