/* Rows of the levels of the pyramid, for levels.c: the arithmetic of shaders/shared/detect.h over lines of pixels. */
#ifndef SHW_DETECTION_DETECT_LEVEL_ROWS_H
#define SHW_DETECTION_DETECT_LEVEL_ROWS_H

#include <stdint.h>

#include "base/simd.h"

#define SHW_LEVEL_STRIP 1024u

struct shw_level_rows {
    /* [1 2 1] in both directions over three rows of grey values, to 12 bits: for values first..first + count - 1 of
     * `width`, of which `out` is the first; count <= SHW_LEVEL_STRIP. Borders repeat. */
    void (*blur_grey)(const uint8_t *const rows[3], uint32_t width, uint32_t first, uint32_t count, uint16_t *out);
    /* The same of 16 bits, to 16 bits. */
    void (*blur_level)(const uint16_t *const rows[3], uint32_t width, uint32_t first, uint32_t count, uint16_t *out);
    /* Means of 2 x 2 values; `width` is that of `out`. */
    void (*halve)(const uint16_t *upper, const uint16_t *lower, uint32_t width, uint16_t *out);
    /* Between value places[i] of the row and the next one, times 256. The lower half of weights[i] is the weight of the
     * first, the upper half that of the next. */
    void (*mix_across)(const uint16_t *row, const uint32_t *places, const uint32_t *weights, uint32_t count,
                       uint32_t *out);
    /* Adds what is between two rows of mix_across(), the lower one with `weight` 256ths. */
    void (*mix_down)(const uint32_t *upper, const uint32_t *lower, uint32_t weight, uint32_t count, uint32_t *sums);
    /* Means of blocks from the sums of their rows; `width` is that of `out`. */
    void (*shrink)(const uint32_t *sums, uint32_t shrink, uint32_t width, uint16_t *out);
};

const struct shw_level_rows *shw_level_rows_get(enum shw_simd simd);

extern const struct shw_level_rows shw_level_rows_avx2; /* for processors that have it */

#endif
