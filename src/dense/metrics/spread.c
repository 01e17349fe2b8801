#include "dense/metrics/spread.h"

#include <math.h>
#include <stddef.h>

/* The two passes are exact to rounding also where the deviation is far below the mean. */
struct shw_spread shw_spread_of(const double *values, uint32_t count, uint32_t stride)
{
    struct shw_spread spread = {(double)NAN, (double)NAN};
    double sum = 0, squares = 0;
    uint32_t defined = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i * stride])) {
            sum += values[i * stride];
            defined++;
        }
    if (defined == 0)
        return spread;
    spread.mean = sum / defined;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i * stride]))
            squares += (values[i * stride] - spread.mean) * (values[i * stride] - spread.mean);
    if (defined > 1)
        spread.deviation = sqrt(squares / (defined - 1));
    return spread;
}
