/* Scores of other programs' cascades, which are floating-point numbers there, in fixed point. */
#ifndef SHW_FILES_FORMATS_FIXED_SCORE_H
#define SHW_FILES_FORMATS_FIXED_SCORE_H

#include <stdbool.h>
#include <stdint.h>

/* The most fraction bits, up to 30, with which `count` rounded numbers whose magnitudes add up to `bound` at most, and
 * their sums, fit into 32 bits. False if none do, or if it is not a number. */
bool shw_score_bits(double bound, uint32_t count, uint32_t *bits);

/* value * 2^bits, a whole number or not, at the ends of 32 bits at most: rounded to the nearest, halves away from zero,
 * or down. */
int32_t shw_score_round(double value, uint32_t bits);
int32_t shw_score_floor(double value, uint32_t bits);

#endif
