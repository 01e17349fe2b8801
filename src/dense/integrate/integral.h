/* The integrate stage on the CPU. */
#ifndef SHW_DENSE_INTEGRATE_INTEGRAL_H
#define SHW_DENSE_INTEGRATE_INTEGRAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/thread_pool.h"

/* Values per integral image of a channel: it has a column and a row more than the channel. */
static inline size_t shw_integral_size(uint32_t width, uint32_t height)
{
    return ((size_t)width + 1) * ((size_t)height + 1);
}

/* Makes `count` integral images of (width + 1) x (height + 1) values from `count` planes of width x height, all tightly
 * packed: value (x, y) is the sum over all pixels left of x and above y, modulo 2^32; row 0 and column 0 are zero.
 * `pool` may be NULL. */
void shw_integrate_cpu(const int16_t *planes, uint32_t width, uint32_t height, uint32_t count, uint32_t *integrals,
                       struct shw_thread_pool *pool);

#endif
