#include <math.h>
#include <string.h>

#include <shadewood/record_forest.h>

#include "shared/record.h"

_Static_assert(SHW_RECORD_CODE_MISSING == SHW_RECORD_MISSING, "one code of what is missing");
_Static_assert(SHW_RECORD_SET_MEMBERS_RIGHT == 1u << SHW_RECORD_SET_RIGHT_SHIFT &&
                   SHW_RECORD_SET_WHOLE == 1u << SHW_RECORD_SET_WHOLE_SHIFT &&
                   SHW_RECORD_SET_FROM_BELOW == 1u << SHW_RECORD_SET_BELOW_SHIFT &&
                   SHW_RECORD_SET_FIRST == SHW_RECORD_SET_FIRST_MASK,
               "one layout of sets");

int32_t shw_record_code_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return shw_record_code(bits);
}

float shw_record_code_value(int32_t code)
{
    int32_t highest = shw_record_code_of(INFINITY);
    uint32_t bits;
    float value;

    if (code == -1) /* between zero and the first number below it, since both zeros have one code */
        code = -2;
    if (code > highest)
        code = highest;
    bits = code >= 0 ? (uint32_t)code : 0x80000000u | ~(uint32_t)code;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The code of the largest float32 that is at most `limit`. */
int32_t shw_record_threshold_at_most(double limit)
{
    float nearest = (float)limit;
    int32_t code = shw_record_code_of(nearest);

    return (double)nearest > limit ? code - 1 : code;
}

int32_t shw_record_threshold_below(double limit)
{
    float nearest = (float)limit;
    int32_t code = shw_record_code_of(nearest);

    return (double)nearest >= limit ? code - 1 : code;
}
