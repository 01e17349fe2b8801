#include "bench/statistics.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double quantile(const double *sorted, uint32_t count, double share)
{
    double place = share * (count - 1);
    uint32_t below = (uint32_t)place;
    uint32_t above = below + 1 < count ? below + 1 : below;

    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

struct shw_bench_statistics shw_bench_summarise(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return (struct shw_bench_statistics){.median = quantile(values, count, 0.5),
                                         .min = values[0],
                                         .max = values[count - 1],
                                         .q1 = quantile(values, count, 0.25),
                                         .q3 = quantile(values, count, 0.75)};
}
