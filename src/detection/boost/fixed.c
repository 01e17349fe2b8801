#include "detection/boost/fixed.h"

#define LOG2_E    UINT64_C(1549082005) /* 1 / ln 2, in units of 2^-30 */
#define HALF_LN_2 INT64_C(1488522236)  /* ln 2 / 2, in units of 2^-32 */

/* 2^-(2^-k), k from 1 on, in units of 2^-32. */
static const uint32_t powers[24] = {3037000500u, 3611622603u, 3938502376u, 4112874773u, 4202935003u, 4248701965u,
                                    4271771996u, 4283353945u, 4289156690u, 4292061010u, 4293513907u, 4294240540u,
                                    4294603903u, 4294785595u, 4294876445u, 4294921870u, 4294944583u, 4294955939u,
                                    4294961618u, 4294964457u, 4294965876u, 4294966586u, 4294966941u, 4294967119u};

uint32_t shw_boost_exp(uint32_t x)
{
    uint64_t exponent = (x * LOG2_E) >> 22; /* of two, in units of 2^-24 */
    uint32_t whole = (uint32_t)(exponent >> 24), fraction = (uint32_t)exponent & 0xffffffu;
    uint64_t value = UINT64_C(1) << 32;

    if (whole > 31)
        return 0;
    for (uint32_t k = 0; k < 24; k++)
        if ((fraction >> (23 - k) & 1u) != 0)
            value = (value * powers[k]) >> 32;
    return (uint32_t)(value >> (whole + 1));
}

/* The logarithm to base two in units of 2^-24, rounded down. */
static int64_t log2_of(uint64_t x)
{
    int whole = 63 - __builtin_clzll(x);
    uint64_t mantissa = whole > 31 ? x >> (whole - 31) : x << (31 - whole); /* 1 to 2, in units of 2^-31 */
    int64_t result = whole;

    for (int bit = 0; bit < 24; bit++) {
        mantissa = (mantissa * mantissa) >> 31;
        result = 2 * result + (int64_t)(mantissa >> 32);
        mantissa >>= mantissa >> 32;
    }
    return result;
}

int32_t shw_boost_half_log(uint64_t a, uint64_t b)
{
    int64_t scaled = (log2_of(a) - log2_of(b)) * HALF_LN_2; /* in units of 2^-56 */
    int64_t magnitude = scaled < 0 ? -scaled : scaled;

    magnitude = (magnitude + (INT64_C(1) << 39)) >> 40;
    return (int32_t)(scaled < 0 ? -magnitude : magnitude);
}

uint32_t shw_boost_root(uint64_t x)
{
    uint64_t root = 0, rest = x;

    for (uint64_t bit = UINT64_C(1) << 62; bit != 0; bit >>= 2) {
        uint64_t with = root + bit;
        root >>= 1;
        if (rest >= with) {
            rest -= with;
            root += bit;
        }
    }
    return (uint32_t)root;
}
