/* Gathers of the processor: reads of words at pseudo-random positions of a table. */
#ifndef SHW_BENCH_ROOFLINE_GATHERS_H
#define SHW_BENCH_ROOFLINE_GATHERS_H

#include <stdbool.h>
#include <stdint.h>

#define SHW_GATHERS_BITS  16u /* log2 of the words of the table: 256 KiB, which fits second-level caches */
#define SHW_GATHERS_LANES 32u /* reads of one step */

/* The sum of `steps` times SHW_GATHERS_LANES words of `table`, with AVX2 if available and `vector` is true. */
uint32_t shw_gathers(const uint32_t *table, uint32_t seed, uint32_t steps, bool vector);

/* Whether `vector` above has an effect on this processor. */
bool shw_gathers_have_vector(void);

#endif
