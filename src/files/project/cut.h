/* Cuts a picture into rectangular tiles around its labels. */
#ifndef SHW_FILES_PROJECT_CUT_H
#define SHW_FILES_PROJECT_CUT_H

#include "files/project/picture_labels.h"

/* Tiles without their margins have at most about so many pixels, if margins are at most SHW_CUT_MARGIN_MAX, so that
 * what training makes of one tile takes little memory. */
#define SHW_CUT_PIXELS_MAX ((uint64_t)1 << 22)
#define SHW_CUT_MARGIN_MAX 512u

/* A block of struct shw_top_strokes with labels. */
struct shw_cut_block {
    uint32_t column, row;
    struct shw_rect labels; /* surrounds its labelled pixels */
};

/* Every block belongs to one tile. */
struct shw_cut_tile {
    struct shw_rect rect;  /* the labels of its blocks, with a margin, clipped to the picture */
    uint32_t first, count; /* of its blocks */
};

struct shw_cut {
    struct shw_cut_block *blocks;
    struct shw_cut_tile *tiles;
    uint32_t block_count, tile_count;
};

/* Cuts where that saves pixels, and what is too large. One tile is the whole picture if tiles would cover most of it
 * and it is not too large, or if the margin is UINT32_MAX. Depends on which pixels are labelled, and on nothing else.
 * False: out of memory; *cut is then zero. */
bool shw_cut_make(const struct shw_picture_labels *labels, uint32_t margin, struct shw_cut *cut);
void shw_cut_free(struct shw_cut *cut);

#endif
