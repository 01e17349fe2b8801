#include "bench/axis.h"

#include <math.h>

#define ROOM        0.06 /* of the length, at both ends */
#define TICKS       6.0  /* approximate number on a linear axis */
#define LINEAR_SPAN 5.0  /* logarithmic axes that span less have linear ticks */
#define WIDEST      36.0 /* decades */

static void add_tick(struct shw_axis *axis, double value)
{
    if (value >= axis->low && value <= axis->high && axis->tick_count < SHW_TICKS_MAX)
        axis->ticks[axis->tick_count++] = value;
}

/* Powers of ten; also 2 and 5 times them if there are few; fewer if there are many. */
static void logarithmic_ticks(struct shw_axis *axis)
{
    double decades = log10(axis->high / axis->low);
    int step = decades > 12 ? 4 : decades > 7 ? 2 : 1;

    for (int power = (int)floor(log10(axis->low)); power <= (int)ceil(log10(axis->high)); power++) {
        double ten = pow(10, power);
        if (power % step == 0)
            add_tick(axis, ten);
        if (decades < 3.5) {
            add_tick(axis, 2 * ten);
            add_tick(axis, 5 * ten);
        }
    }
}

static void linear_ticks(struct shw_axis *axis)
{
    double step = pow(10, floor(log10((axis->high - axis->low) / TICKS)));
    double wanted = (axis->high - axis->low) / TICKS / step;

    step *= wanted > 5 ? 10 : wanted > 2 ? 5 : wanted > 1 ? 2 : 1;
    for (double tick = ceil(axis->low / step) * step; tick <= axis->high && axis->tick_count < SHW_TICKS_MAX;
         tick += step)
        add_tick(axis, tick);
}

struct shw_axis shw_axis_make(bool logarithmic, double low, double high, double from, double to)
{
    struct shw_axis axis = {.logarithmic = logarithmic, .from = from, .to = to};

    if (logarithmic) {
        double room;
        low = fmax(low, 1e-18);
        high = fmin(fmax(high, low), low * pow(10, WIDEST));
        room = fmax(ROOM * log10(high / low), high / low < 1.5 ? 0.2 : 0.04);
        axis.low = low * pow(10, -room);
        axis.high = high * pow(10, room);
        if (axis.high / axis.low < LINEAR_SPAN)
            linear_ticks(&axis);
        else
            logarithmic_ticks(&axis);
    } else {
        double room = high > low ? ROOM * (high - low) : fmax(0.5 * fabs(low), 1);
        axis.low = low - room;
        axis.high = high + room;
        linear_ticks(&axis);
    }
    return axis;
}

double shw_axis_place(const struct shw_axis *axis, double value)
{
    double share = axis->logarithmic ? log(fmax(value, axis->low) / axis->low) / log(axis->high / axis->low)
                                     : (value - axis->low) / (axis->high - axis->low);

    return axis->from + fmin(fmax(share, 0), 1) * (axis->to - axis->from);
}
