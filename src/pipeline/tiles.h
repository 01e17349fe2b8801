/* How an image that is too large is cut: tiles, and around each the region that its pixels look at. */
#ifndef SHW_PIPELINE_TILES_H
#define SHW_PIPELINE_TILES_H

#include <stdbool.h>
#include <stdint.h>

#include "channels/channels.h"

struct shw_tile {
    struct shw_region region; /* what is processed: tile and margin, clipped to the image */
    uint32_t x, y;            /* the tile's first pixel in the region */
    uint32_t width, height;   /* of the tile */
};

/* A whole image. */
struct shw_tile shw_tile_whole(uint32_t width, uint32_t height);

struct shw_tiling {
    uint32_t image_width, image_height;
    uint32_t margin;        /* pixels around a tile that influence it */
    uint32_t width, height; /* of a tile; the last ones of a row or column may be smaller */
    uint32_t columns, rows;
};

/* Cuts an image into tiles of one size whose regions are at most `region_width` by `region_height`, each way into as
 * few as margins on both sides allow, or into two with a margin between them. False if the margins alone fill such a
 * region. */
bool shw_tiling_make(uint32_t image_width, uint32_t image_height, uint32_t margin, uint32_t region_width,
                     uint32_t region_height, struct shw_tiling *tiling);

/* Tile `index` < columns * rows, row by row. */
struct shw_tile shw_tiling_get(const struct shw_tiling *tiling, uint32_t index);

#endif
