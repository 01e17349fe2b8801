/* The channels of one image, block by block. */
#ifndef SHW_EXPLAIN_CHANNEL_READER_H
#define SHW_EXPLAIN_CHANNEL_READER_H

#include <shadewood/explain.h>

#include "base/thread_pool.h"
#include "input/inputs.h"
#include "integrate/integral.h"

#define SHW_BLOCK_SIDE 64u                    /* pixels */
#define SHW_BLOCKS_MAX ((64u << 20) / 16900u) /* that are kept: 64 MiB of integral images of that size */

#define SHW_NO_PLACE UINT32_MAX

/* The integral image of one channel over one square of the image, clipped at the image's end. */
struct shw_channel_block {
    uint32_t place; /* which channel and square it is of: (channel * rows + row) * columns + column; or SHW_NO_PLACE */
    bool recent;    /* read since the search for one to give up came by */
    uint32_t *integral; /* shw_integral_size(width, height) numbers, with room for a whole square's; NULL: not used
                           until now */
};

struct shw_channel_reader {
    struct shw_channel_reader_params params; /* without its inputs */
    struct shw_image image;                  /* the colour */
    struct shw_image others[SHW_INPUTS_MAX]; /* by the list's inputs, from 1 on */
    struct shw_channel_list list;
    struct shw_thread_pool *pool;
    uint32_t columns, rows;           /* of squares */
    uint32_t *places;                 /* by place, the number of its block, from 1; 0: there is none */
    struct shw_channel_block *blocks; /* SHW_BLOCKS_MAX */
    uint32_t next;                    /* the first block that may be given up */
};

#endif
