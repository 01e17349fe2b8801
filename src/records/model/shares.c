#include "records/model/shares.h"

#include <math.h>
#include <stdlib.h>

#include <shadewood/record_forest.h>

struct remainder {
    double size;
    uint32_t class_number;
};

/* The largest first, of equal ones the lowest class. */
static int compare(const void *a, const void *b)
{
    const struct remainder *one = a, *other = b;

    if (one->size != other->size)
        return one->size > other->size ? -1 : 1;
    return one->class_number < other->class_number ? -1 : 1;
}

/* The quotient in whole units, and what remains of it in units of the sum. */
static int32_t divide(double value, double sum, double *remainder)
{
    double quotient = floor(value / sum);

    *remainder = fma(-quotient, sum, value);
    if (*remainder < 0) { /* the division was rounded up to a whole number */
        *remainder += sum;
        quotient -= 1;
    }
    return (int32_t)quotient;
}

bool shw_record_shares(const double *values, uint32_t count, int32_t *shares)
{
    struct remainder remainders[SHW_RECORD_OUTPUTS_MAX];
    double sum = 0;
    uint32_t left = 1u << SHW_RECORD_SHARE_BITS;
    int exponent;

    for (uint32_t c = 0; c < count; c++) {
        if (!(values[c] >= 0))
            return false;
        sum += values[c];
    }
    if (!(sum > 0 && isfinite(sum)))
        return false;
    sum = frexp(sum, &exponent);
    for (uint32_t c = 0; c < count; c++) {
        remainders[c].class_number = c;
        shares[c] = divide(ldexp(values[c], SHW_RECORD_SHARE_BITS - exponent), sum, &remainders[c].size);
        left -= (uint32_t)shares[c]; /* the rounding of the sum is too small to make the shares sum to more */
    }
    if (left > 0)
        qsort(remainders, count, sizeof *remainders, compare);
    for (uint32_t i = 0; i < left; i++)
        shares[remainders[i].class_number]++;
    return true;
}
