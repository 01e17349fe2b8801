/* Shared between the shaders of boosting and the host.
 *
 * A slice is some samples whose patches are in one buffer: plane by plane, one for each point of the window, two
 * samples per word. A batch is some candidates and some rows of the histograms, which are the nodes of a call. */
#ifndef SHW_SHARED_BOOST_PUSH_H
#define SHW_SHARED_BOOST_PUSH_H

#include "types.h"

/* Storage buffers of 32-bit words. */
#define SHW_BOOST_PATCHES 0 /* of the slice */
#define SHW_BOOST_SAMPLES 1 /* of all: two planes of `capacity` words: weight | class << 24, node */
#define SHW_BOOST_TABLES  2 /* for each node of the tree its row or SHW_BOOST_NO_ROW, then candidates or splits */
/* Histograms of a batch by candidate, row, bin and class. Or samples to put: the place of each, then their patches. */
#define SHW_BOOST_WORK 3

#define SHW_BOOST_WORKGROUP 256u /* of moving */
#define SHW_BOOST_PUT_X     64u
#define SHW_BOOST_PUT_Y     4u
#define SHW_BOOST_NO_ROW    0xffffffffu

/* Of a candidate: thresholds, of which those that are missing exceed every response, then its points, the first one in
 * the low half. */
#define SHW_BOOST_CANDIDATE_WORDS 32u
#define SHW_BOOST_SPLIT_WORDS     3u /* points, threshold, left child */

struct shw_boost_push {
    shw_uint stride;                           /* words of a plane */
    shw_uint first, count;                     /* samples of the slice; put: count of those to put */
    shw_uint capacity;                         /* of all samples */
    shw_uint list;                             /* word of the tables where candidates or splits begin */
    shw_uint candidate_begin, candidate_count; /* of the dispatch, in the list */
    shw_uint together;                         /* candidates of a work group */
    shw_uint chunk;                            /* words of a plane per work group */
    shw_uint row_begin, row_count;             /* of the batch */
    shw_uint bins;
    shw_uint patch_words, points;    /* put: of a patch */
    shw_uint cell_begin, cell_count; /* blend: the cells that the texture holds */
    shw_uint width_shift;            /* blend: of the texture */
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_boost_push) == 17 * 4, "push constants are 17 words in GLSL");
#endif

#endif
