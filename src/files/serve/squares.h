/* Squares of pixels, by their content: a cache of what has come, or a list of what was sent. */
#ifndef SHW_FILES_SERVE_SQUARES_H
#define SHW_FILES_SERVE_SQUARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/rectangle.h"

#define SHW_SQUARE_SIDE 128u

/* XXH3 of the pixels, 128 bits. */
struct shw_square_digest {
    uint64_t low, high;
};
struct shw_square_digest shw_square_digest_of(const void *bytes, size_t size);

static inline bool shw_square_digest_is_same(struct shw_square_digest a, struct shw_square_digest b)
{
    return a.low == b.low && a.high == b.high;
}

/* Squares across a picture, and down. */
static inline uint32_t shw_squares_across(uint32_t size)
{
    return (size + SHW_SQUARE_SIDE - 1) / SHW_SQUARE_SIDE;
}

/* The pixels of a square of a picture of that size; empty if it has no such square. */
struct shw_rect shw_square_rect(uint32_t square, uint32_t width, uint32_t height);

/* Zero-initialised: empty, and without a limit. */
struct shw_squares {
    size_t limit;              /* bytes of pixels; 0: none */
    size_t bytes;              /* of pixels */
    struct shw_square **table; /* by digest */
    uint32_t count, capacity;  /* of the table, a power of two */
    struct shw_square *newest, *oldest;
};

struct shw_square {
    struct shw_square_digest digest;
    struct shw_square *next;          /* in the table */
    struct shw_square *newer, *older; /* by their last use */
    size_t size;
    uint8_t pixels[];
};

/* Finds a square, which becomes the newest; NULL: it is not there. */
const struct shw_square *shw_squares_find(struct shw_squares *squares, struct shw_square_digest digest);

/* Adds one that is not there, and removes the oldest ones beyond the limit, perhaps this one. `pixels` may be NULL with
 * a size of 0. False: out of memory, and nothing was added. */
bool shw_squares_add(struct shw_squares *squares, struct shw_square_digest digest, const void *pixels, size_t size);

/* Removes all. */
void shw_squares_free(struct shw_squares *squares);

#endif
