#include "files/formats/fixed_score.h"

#include <math.h>

bool shw_score_bits(double bound, uint32_t count, uint32_t *bits)
{
    for (uint32_t b = 31; b-- > 0;)
        if (ldexp(bound, (int)b) + count / 2.0 <= INT32_MAX) {
            *bits = b;
            return true;
        }
    return false;
}

static int32_t limit(double value)
{
    return value <= INT32_MIN ? INT32_MIN : value >= INT32_MAX ? INT32_MAX : (int32_t)value;
}

int32_t shw_score_round(double value, uint32_t bits)
{
    return limit(round(ldexp(value, (int)bits)));
}

int32_t shw_score_floor(double value, uint32_t bits)
{
    return limit(floor(ldexp(value, (int)bits)));
}
