/* What the level below says as 8-bit images of three classes each, for C and GLSL (docs/stacking.md). */
#ifndef SHW_SHARED_POSTERIOR_H
#define SHW_SHARED_POSTERIOR_H

#include "source_code.h"

#define SHW_POSTERIOR_CLASSES 3u /* of an image: its R, G and B */

/* The share of a class in 255ths, of a probability of 65535. */
SHW_INLINE shw_uint shw_posterior_share(shw_uint probability)
{
    return shw_code8_of_16(probability);
}

/* One pass from distributions to images. */
#define SHW_POSTERIOR_DISTRIBUTION 0
#define SHW_POSTERIOR_IMAGES       1 /* of compute */
#define SHW_POSTERIOR_ATTACHMENTS  4 /* images that a fragment draws at once */

struct shw_posterior_push {
    shw_int x, y;          /* where the tile is in the images; it begins at (0, 0) of the distributions */
    shw_int width, height; /* of the tile */
    shw_uint class_count;
    shw_uint first;      /* fragment: the first image that is drawn */
    shw_uint row, plane; /* in buffers: words from row to row and from plane to plane */
};

#endif
