/* Bindings and push constants of the fragment shaders that evaluate record forests, for C and GLSL.
 *
 * Records are an image with an attribute a column and a record a row, in parts of at most SHW_RECORD_DRAW_SIDE by that:
 * attribute a of record r is at (a % SIDE, r % rows) of layer r / rows * folds + a / SIDE. Results are images whose
 * texels, row by row, are those of the caller's buffers. */
#ifndef SHW_SHARED_RECORD_DRAW_H
#define SHW_SHARED_RECORD_DRAW_H

#include "types.h"

#define SHW_RECORD_DRAW_FOREST   0
#define SHW_RECORD_DRAW_INPUT    1 /* of the leaves: records; of sums: leaves; of classes: sums */
#define SHW_RECORD_DRAW_BASES    2 /* two words an output, the lower one first */
#define SHW_RECORD_DRAW_BINDINGS 3

#define SHW_RECORD_DRAW_SIDE_SHIFT 12u
#define SHW_RECORD_DRAW_SIDE       4096u

struct shw_record_draw_push {
    shw_uint count;                  /* records */
    shw_uint record_step;            /* 1; 0: all records are the first one */
    shw_uint row_shift;              /* 1 << row_shift rows of records in a layer */
    shw_uint folds;                  /* layers of attributes */
    shw_int missing;                 /* a code that is missing, too */
    shw_uint trees, outputs, values; /* values: of a leaf */
    shw_uint forest_shift;           /* texels of a row of the forest's texture: 1 << forest_shift */
    shw_uint width;                  /* of the image that is drawn */
    shw_uint input_width;            /* of the image that is read, if it is a result */
    shw_uint cut_low, cut_high;
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_record_draw_push) == 13 * 4, "push constants are 13 words in GLSL");
#endif

#endif
