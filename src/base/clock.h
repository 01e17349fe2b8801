/* The monotonic clock, and estimates of the time left. */
#ifndef SHW_BASE_CLOCK_H
#define SHW_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The monotonic clock. */

/* Seconds since an arbitrary point in time. */
static inline double shw_clock(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Whether an estimate of the time left is reliable. The first ones are not: they come from the first steps, which
 * include one-off work such as compiling shaders. The caller passes the time. */

/* Zero-initialise it for each piece of work. */
struct shw_time_left {
    bool begun, reported;
    uint32_t estimates;     /* so far */
    double begin;           /* of the clock, at the first call */
    double next;            /* when the open window ends, in seconds after that */
    double low[2], high[2]; /* of the predicted durations: in the open window, and in that before it; together, these
                               are the later half of the time or more */
    double first, last;     /* fractions, at the first call and at the last one */
};

/* Takes the estimate made `now`, in seconds of any clock, that `left` seconds are left. Returns whether it should be
 * shown: once at least three estimates have predicted nearly the same end for half of the time that has passed, and
 * one second has; then always. One thread at a time. */
bool shw_time_left_take(struct shw_time_left *time, double now, double left);

/* The same for work that proceeds evenly and of which a fraction from 0 to 1 is done: *left is estimated from what was
 * done since the first call. A smaller fraction than before begins another piece of work. *left is set if the
 * result is true. */
bool shw_time_left_of(struct shw_time_left *time, double now, double fraction, double *left);

#endif
