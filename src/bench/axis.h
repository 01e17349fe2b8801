/* Axes of charts: mapping of values to positions, and ticks. */
#ifndef SHW_BENCH_AXIS_H
#define SHW_BENCH_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#define SHW_TICKS_MAX 24u

struct shw_axis {
    bool logarithmic;
    double low, high; /* values at `from` and `to`, low < high */
    double from, to;  /* positions */
    double ticks[SHW_TICKS_MAX];
    size_t tick_count;
};

/* An axis for values from `low` to `high`, which are positive if it is logarithmic, with some margin and round ticks.
 */
struct shw_axis shw_axis_make(bool logarithmic, double low, double high, double from, double to);

/* The position of a value, clamped to the axis. */
double shw_axis_place(const struct shw_axis *axis, double value);

#endif
