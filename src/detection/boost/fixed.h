/* Exponentials, logarithms and roots in integers, the same on every machine. */
#ifndef SHW_DETECTION_BOOST_FIXED_H
#define SHW_DETECTION_BOOST_FIXED_H

#include <stdint.h>

/* exp(-x / 2^16) in units of 2^-31; off by at most 2^-24 of the value, and 2^-31. */
uint32_t shw_boost_exp(uint32_t x);

/* ln(a / b) / 2 in units of 2^-16, rounded to the nearest; a, b from 1 to 2^32; off by less than 1. */
int32_t shw_boost_half_log(uint64_t a, uint64_t b);

/* The square root, rounded down. */
uint32_t shw_boost_root(uint64_t x);

#endif
