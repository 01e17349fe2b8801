/* What the processor can gather: reads of words at pseudo-random places of a table. */
#ifndef SHW_BENCH_ROOFLINE_GATHERS_H
#define SHW_BENCH_ROOFLINE_GATHERS_H

#include <stdbool.h>
#include <stdint.h>

#define SHW_GATHERS_BITS  16u /* log2 of the words of the table: 256 KiB, which second-level caches hold */
#define SHW_GATHERS_LANES 32u /* reads of one step */

/* The sum of `steps` times SHW_GATHERS_LANES words of `table`, with AVX2 where the processor has it and `vector` is
 * true. */
uint32_t shw_gathers(const uint32_t *table, uint32_t seed, uint32_t steps, bool vector);

/* Whether `vector` above makes a difference here. */
bool shw_gathers_have_vector(void);

#endif
