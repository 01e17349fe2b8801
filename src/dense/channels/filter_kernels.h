/* The one-dimensional kernels of the filter bank, as integers with SHW_KERNEL_BITS fraction bits. docs/channels.md
 * derives them. */
#ifndef SHW_DENSE_CHANNELS_FILTER_KERNELS_H
#define SHW_DENSE_CHANNELS_FILTER_KERNELS_H

#include <stdint.h>

#include "shared/filter_push.h"

#define SHW_KERNEL_RADIUS_MAX 24u

#define SHW_KERNEL_SCALES 4u /* sigma 1, 2, 4 and 8 of each family, in this order */

enum shw_kernel {
    SHW_KERNEL_GAUSS_1, /* Gaussian, sums to 1 */
    SHW_KERNEL_GAUSS_2,
    SHW_KERNEL_GAUSS_4,
    SHW_KERNEL_GAUSS_8,
    SHW_KERNEL_SECOND_1, /* sigma^2 times its second derivative, sums to 0 */
    SHW_KERNEL_SECOND_2,
    SHW_KERNEL_SECOND_4,
    SHW_KERNEL_SECOND_8,
    SHW_KERNEL_FIRST_1, /* the first derivative; the weights at larger coordinates are positive and sum to 1 */
    SHW_KERNEL_FIRST_2,
    SHW_KERNEL_FIRST_4,
    SHW_KERNEL_FIRST_8,
    SHW_KERNEL_COUNT
};

struct shw_filter_kernel {
    uint32_t radius;
    const int16_t *weights; /* 2 * radius + 1; weights[radius + d] belongs to the sample at distance d */
};

extern const struct shw_filter_kernel shw_filter_kernels[SHW_KERNEL_COUNT];

#endif
