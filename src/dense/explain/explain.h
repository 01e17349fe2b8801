/* The channels of one image, computed block by block. */
#ifndef SHW_DENSE_EXPLAIN_EXPLAIN_H
#define SHW_DENSE_EXPLAIN_EXPLAIN_H

#include <shadewood/explain.h>

#include "base/thread_pool.h"
#include "dense/channels/posterior.h"
#include "dense/input/inputs.h"
#include "dense/integrate/integral.h"

#define SHW_BLOCK_SIDE 64u                    /* pixels */
#define SHW_BLOCKS_MAX ((64u << 20) / 16900u) /* blocks kept: 64 MiB of integral images of that size */

#define SHW_NO_PLACE UINT32_MAX

/* The integral image of one channel over one square of the image, clipped at the image's end. */
struct shw_channel_block {
    uint32_t place;     /* channel and square: (channel * rows + row) * columns + column; or SHW_NO_PLACE */
    bool recent;        /* read since the last search for a block to evict */
    uint32_t *integral; /* room for shw_integral_size() of a whole square; NULL until first used */
};

struct shw_channel_reader {
    struct shw_channel_reader_params params; /* without its inputs */
    struct shw_image image;                  /* colour */
    struct shw_image others[SHW_INPUTS_MAX]; /* the other inputs, in the list's order, from 1 on */
    struct shw_depth depth[SHW_INPUTS_MAX];  /* theirs */
    struct shw_channel_list list;
    struct shw_forest *below;         /* a reference; NULL: there is none */
    struct shw_labeller *labeller;    /* by the level below */
    struct shw_posteriors posteriors; /* what it says about the image; among the other inputs */
    struct shw_thread_pool *pool;
    uint32_t columns, rows;           /* of squares */
    uint32_t *places;                 /* [place]: the number of its block, from 1; 0: none */
    struct shw_channel_block *blocks; /* SHW_BLOCKS_MAX */
    uint32_t next;                    /* where the search for a block to evict continues */
};

#endif
