/* Cuts a picture into rectangular tiles around its labels. */
#ifndef SHW_PROJECT_CUT_H
#define SHW_PROJECT_CUT_H

#include "project/picture_labels.h"

/* A block of struct shw_owners with labels. */
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

/* Cuts where that saves pixels. One tile is the whole picture if tiles would cover most of it, or if the margin is
 * UINT32_MAX. Depends on which pixels are labelled, and on nothing else. False: out of memory; *cut is then zero. */
bool shw_cut_make(const struct shw_picture_labels *labels, uint32_t margin, struct shw_cut *cut);
void shw_cut_free(struct shw_cut *cut);

#endif
