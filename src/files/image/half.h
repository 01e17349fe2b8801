/* Half floats in files of images. */
#ifndef SHW_FILES_IMAGE_HALF_H
#define SHW_FILES_IMAGE_HALF_H

#include <math.h>
#include <stdint.h>

/* The value of a half float (IEEE 754 binary16), by its bits. */
static inline double shw_half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(1024 + fraction, exponent - 25);

    return bits >> 15 != 0 ? -value : value;
}

#endif
