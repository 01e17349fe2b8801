/* The spread of a measure over several measurements. */
#ifndef SHW_DENSE_METRICS_SPREAD_H
#define SHW_DENSE_METRICS_SPREAD_H

#include <stdint.h>

/* The mean and the sample standard deviation, with the divisor count - 1. */
struct shw_spread {
    double mean, deviation; /* NaN where not defined: without values, and with fewer than two */
};

/* Of those of the values that are not NaN: `count` doubles, `stride` doubles apart. */
struct shw_spread shw_spread_of(const double *values, uint32_t count, uint32_t stride);

#endif
