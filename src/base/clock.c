#include "base/clock.h"

#define LEAST_SECONDS   1.0
#define LEAST_ESTIMATES 3u
#define NEARLY          1.5 /* between the longest and the shortest duration */

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double greatest(double a, double b)
{
    return a > b ? a : b;
}

static void begin(struct shw_time_left *time, double now)
{
    if (!time->begun)
        time->begin = now;
    time->begun = true;
}

bool shw_time_left_take(struct shw_time_left *time, double now, double left)
{
    double passed, whole;

    begin(time, now);
    passed = now - time->begin;
    whole = passed + left;
    if (time->estimates == 0 || passed >= time->next) {
        time->low[1] = time->estimates > 0 ? time->low[0] : whole;
        time->high[1] = time->estimates > 0 ? time->high[0] : whole;
        time->low[0] = time->high[0] = whole;
        time->next = 2 * passed;
    }
    time->low[0] = least(time->low[0], whole);
    time->high[0] = greatest(time->high[0], whole);
    time->estimates++;
    time->reported =
        time->reported || (time->estimates >= LEAST_ESTIMATES && passed >= LEAST_SECONDS &&
                           greatest(time->high[0], time->high[1]) <= NEARLY * least(time->low[0], time->low[1]));
    return time->reported;
}

bool shw_time_left_of(struct shw_time_left *time, double now, double fraction, double *left)
{
    if (time->begun && fraction < time->last)
        *time = (struct shw_time_left){.begun = false};
    if (!time->begun)
        time->first = time->last = fraction;
    begin(time, now);
    if (fraction <= time->first)
        return false;
    *left = (now - time->begin) / (fraction - time->first) * (1 - fraction);
    if (fraction == time->last)
        return time->reported; /* it is the same estimate */
    time->last = fraction;
    return shw_time_left_take(time, now, *left);
}
