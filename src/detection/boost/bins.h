/* The bins of a candidate's responses, for the back end `cpu`. */
#ifndef SHW_DETECTION_BOOST_BINS_H
#define SHW_DETECTION_BOOST_BINS_H

#include <stdint.h>

#include "base/simd.h"

#define SHW_BOOST_BLOCK 256u /* samples */

/* The number of thresholds, `count` in order and at most 31, that are less than first[i] - second[i], for each sample
 * of a block. The values of a block are aligned to 32 bytes. Vectors do not change the result. */
void shw_boost_bins(const uint16_t *first, const uint16_t *second, const int32_t *thresholds, uint32_t count,
                    enum shw_simd simd, uint8_t *bins);

#endif
