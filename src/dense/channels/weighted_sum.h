/* The inner loop of convolution on the CPU. */
#ifndef SHW_DENSE_CHANNELS_WEIGHTED_SUM_H
#define SHW_DENSE_CHANNELS_WEIGHTED_SUM_H

#include <stdint.h>

#include "base/simd.h"

#define SHW_WEIGHTED_SUM_MAX 98u /* rows: two terms of the largest kernel */

/* out[x] = shw_round_shift(sum of weights[i] * rows[i][x], shift) for x < width; it must fit int16_t. The magnitude of
 * all partial sums must stay below 2^31 and that of the whole sum below 2^30. count <= SHW_WEIGHTED_SUM_MAX. `out` must
 * not overlap any row. */
void shw_weighted_sum(const int16_t *const *rows, const int16_t *weights, uint32_t count, uint32_t width,
                      uint32_t shift, int16_t *out, enum shw_simd simd);

#endif
