/* Local binary patterns of rectangles (Zhang 2007, section 3.1), with the order of bits that OpenCV has. */
#ifndef SHW_SHARED_DETECT_LBP_H
#define SHW_SHARED_DETECT_LBP_H

#include "types.h"

/* From the sums over nine rectangles, row by row: which of the outer eight are not less than the middle one, clockwise
 * from the top left, which is the highest bit. */
SHW_INLINE shw_uint shw_lbp_pattern(shw_uint sums[9])
{
    return SHW_AS_UINT(sums[0] >= sums[4]) << 7u | SHW_AS_UINT(sums[1] >= sums[4]) << 6u |
           SHW_AS_UINT(sums[2] >= sums[4]) << 5u | SHW_AS_UINT(sums[5] >= sums[4]) << 4u |
           SHW_AS_UINT(sums[8] >= sums[4]) << 3u | SHW_AS_UINT(sums[7] >= sums[4]) << 2u |
           SHW_AS_UINT(sums[6] >= sums[4]) << 1u | SHW_AS_UINT(sums[3] >= sums[4]);
}

#endif
