/* Rows of grey values, for grey.c. */
#ifndef SHW_DETECTION_DETECT_GREY_ROWS_H
#define SHW_DETECTION_DETECT_GREY_ROWS_H

#include <stdint.h>

#include "base/simd.h"

/* Samples from pixel to pixel, and where colours are in one. */
struct shw_grey_layout {
    uint32_t step, red, green, blue;
};

/* With AVX2, of 3 or 4 bytes a pixel. Returns how many pixels it has made of the `count`; the rest is left. */
uint32_t shw_grey_row_avx2(const struct shw_grey_layout *layout, const uint8_t *from, uint32_t count, uint8_t *to);

#endif
