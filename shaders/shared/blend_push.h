/* Shared between the passes of the technique `blend` and the host, in addition to train_push.h.
 *
 * A group is up to 4 * SHW_BLEND_SLOT_MAX samples of one chunk, sorted by image: each component of the textures has the
 * samples of one image, of several small ones, or of a part of a large one. Texel k of a component stands for its k-th
 * sample. */
#ifndef SHW_SHARED_BLEND_PUSH_H
#define SHW_SHARED_BLEND_PUSH_H

#include "types.h"

/* Bindings in addition to those of train_push.h. */
#define SHW_BLEND_NODES                                                                                                \
    20 /* the tree as texels of four words; word z of a leaf: its index among the open nodes or SHW_BLEND_NONE */
#define SHW_BLEND_LEAVES    21 /* texture: open node of each sample */
#define SHW_BLEND_RESPONSES 22 /* texture: responses, one layer per candidate */
#define SHW_BLEND_COUNTS    23 /* texture: some cells of the histogram as floats, row by row, then layer by layer */

#define SHW_BLEND_NONE       0xffffffffu
#define SHW_BLEND_WIDTH      512u /* texels per row of leaves and responses */
#define SHW_BLEND_SLOT_MAX   (256u * SHW_BLEND_WIDTH)
#define SHW_BLEND_TOGETHER   4u /* candidates per pass */
#define SHW_BLEND_FLUSH_SIZE 64u

struct shw_blend_push {
    shw_uint chunk; /* as in shw_train_push, like the others of the same names */
    shw_uint open_begin, open_count;
    shw_uint candidate_count;
    shw_uint sample_capacity;
    shw_uint bins, scheme, all_bins;
    shw_uint depth;                  /* of the tree so far */
    shw_uint first, begins[4];       /* first sample of the group; where components begin in the group */
    shw_uint count;                  /* samples of the group */
    shw_uint candidate;              /* the first one of the pass, relative to the batch */
    shw_uint cell_begin, cell_count; /* the cells of the histogram that the texture holds */
    shw_uint width_shift;            /* of the texture */
    shw_uint layer;
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_blend_push) == 20 * 4, "push constants are 20 words in GLSL");
#endif

#endif
