#include "record_forest/shares.h"

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

/* Adds what is left to the shares with the largest remainders; `left` is below 0 if quotients were rounded up. */
static void even_out(struct remainder *remainders, uint32_t count, int64_t left, int32_t *shares)
{
    qsort(remainders, count, sizeof *remainders, compare);
    for (uint32_t i = 0; i < count && left > 0; i++, left--)
        shares[remainders[i].class_number]++;
    for (uint32_t i = count; i-- > 0 && left < 0;)
        if (shares[remainders[i].class_number] > 0) {
            shares[remainders[i].class_number]--;
            left++;
        }
}

bool shw_record_shares(const double *values, uint32_t count, int32_t *shares)
{
    struct remainder remainders[SHW_RECORD_OUTPUTS_MAX];
    double sum = 0;
    int64_t left = INT64_C(1) << SHW_RECORD_SHARE_BITS;

    for (uint32_t c = 0; c < count; c++) {
        if (!(values[c] >= 0))
            return false;
        sum += values[c];
    }
    if (!(sum > 0 && isfinite(sum)))
        return false;
    for (uint32_t c = 0; c < count; c++) {
        double quotient = ldexp(values[c] / sum, SHW_RECORD_SHARE_BITS);
        shares[c] = (int32_t)floor(quotient);
        remainders[c] = (struct remainder){quotient - shares[c], c};
        left -= shares[c];
    }
    if (left != 0)
        even_out(remainders, count, left, shares);
    return true;
}
