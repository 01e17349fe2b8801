/* Simple filling of depth on a device, for C and GLSL: four passes. Rows are divided into blocks, so that a missing
 * pixel looks at its own block and at one number of each other, however large the hole is. */
#ifndef SHW_SHARED_FILL_PUSH_H
#define SHW_SHARED_FILL_PUSH_H

#include "types.h"

#define SHW_FILL_BLOCK 16 /* pixels of a row */

/* Passes. Each makes the planes of its number, and reads those of earlier ones and the depth. */
#define SHW_FILL_BLOCKS  0 /* of each block: its first depth, and in the upper half its last one; 0: it has none */
#define SHW_FILL_ROWS    1 /* of each row: whether it has depth */
#define SHW_FILL_SOURCES 2 /* of each row: the row that it is filled from */
#define SHW_FILL_FILLED  3 /* of each pixel: the depth */
#define SHW_FILL_DEPTH   4 /* the binding of what is filled */

struct shw_fill_push {
    shw_int width, height;                           /* of the image */
    shw_uint depth_words, block_words, filled_words; /* of a row, in buffers */
};

#endif
