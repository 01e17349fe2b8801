/* Files of pico with random trees, and what its runtime makes of a window, by pico's own description. */
#ifndef SHW_TESTS_PICO_PLAIN_H
#define SHW_TESTS_PICO_PLAIN_H

#include "testing/testing.h"

/* Bytes of a file. */
size_t pico_size(uint32_t depth, uint32_t trees);

/* Points and leaves by chance, and thresholds that some windows reach. Values are fractions that are exact in fixed
 * point, so that no rounding differs. To be freed with free(). */
uint8_t *make_pico(struct testing_random *random, uint32_t depth, uint32_t trees);

/* Whether a window passes, and its score. `image`: grey, `width` pixels to a row. */
bool walk_pico(const uint8_t *bytes, const uint8_t *image, int32_t width, int32_t row, int32_t column, int32_t size,
               double *score);

#endif
