#include "files/synth/vector.h"

#include <math.h>
#include <stdint.h>

struct synth_vector synth_normalise(struct synth_vector a)
{
    return synth_scale(a, 1 / sqrt(synth_dot(a, a)));
}

void synth_sine_cosine(double turns, double *sine, double *cosine)
{
    double whole = (double)(int64_t)turns, angle, square;
    int quarter;

    turns -= whole;
    if (turns < 0)
        turns += 1;
    quarter = (int)(turns * 4 + 0.5);
    angle = (turns - 0.25 * quarter) * 6.283185307179586; /* at most an eighth of a turn */
    square = angle * angle;
    *sine = angle * (1 - square / 6 * (1 - square / 20 * (1 - square / 42)));
    *cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)));
    for (; quarter > 0; quarter--) { /* a quarter turn further */
        double kept = *sine;
        *sine = *cosine;
        *cosine = -kept;
    }
}
