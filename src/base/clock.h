/* The monotonic clock. */
#ifndef SHW_BASE_CLOCK_H
#define SHW_BASE_CLOCK_H

#include <time.h>

/* Seconds since an arbitrary point in time. */
static inline double shw_clock(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
