/* Statistics of repeated measurements. */
#ifndef SHW_BENCH_STATISTICS_H
#define SHW_BENCH_STATISTICS_H

#include <stdint.h>

struct shw_bench_statistics {
    double median, min, max, q1, q3;
    double mean, deviation; /* that of a sample, with n - 1; 0 of one value */
};

/* Of `count` values, at least one, which are sorted in place. Quartiles by linear interpolation between order
 * statistics (Hyndman and Fan's type 7). */
struct shw_bench_statistics shw_bench_summarise(double *values, uint32_t count);

#endif
