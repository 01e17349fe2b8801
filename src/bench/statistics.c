#include "bench/statistics.h"

#include <math.h>
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

static double mean_of(const double *values, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static double deviation_of(const double *values, uint32_t count, double mean)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sqrt(sum / (count - 1)) : 0;
}

struct shw_bench_statistics shw_bench_summarise(double *values, uint32_t count)
{
    double mean = mean_of(values, count);

    qsort(values, count, sizeof *values, ascending);
    return (struct shw_bench_statistics){.median = quantile(values, count, 0.5),
                                         .min = values[0],
                                         .max = values[count - 1],
                                         .q1 = quantile(values, count, 0.25),
                                         .q3 = quantile(values, count, 0.75),
                                         .mean = mean,
                                         .deviation = deviation_of(values, count, mean)};
}
