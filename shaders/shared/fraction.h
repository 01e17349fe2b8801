/* Scores as exact fractions in 32-bit words, for devices: they compare as shw_score_value does on the host
 * (src/dense/split/score.h).
 *
 * The including file may define SHW_TIMES_LOG2(n) with the values of shw_times_log2(n), for example from a table. */
#ifndef SHW_SHARED_FRACTION_H
#define SHW_SHARED_FRACTION_H

#include "score.h"

/* As in enum shw_score. */
#define SHW_MEASURE_INFORMATION_GAIN  0u
#define SHW_MEASURE_GINI              1u
#define SHW_MEASURE_MISCLASSIFICATION 2u
#define SHW_MEASURE_NORMALISED_GAIN   3u
#define SHW_MEASURE_GAIN_RATIO        4u

#ifndef SHW_TIMES_LOG2
#define SHW_TIMES_LOG2(n) shw_times_log2(n)
#endif

/* (n0 + n1 2^32 + n2 2^64) / (d0 + d1 2^32). */
struct shw_fraction {
    shw_uint n0, n1, n2, d0, d1;
};

#ifdef SHW_GLSL
#define SHW_FRACTION shw_fraction
#else
#define SHW_FRACTION struct shw_fraction
#endif

/* a * b + c + d, which fits 64 bits; x: high word. */
SHW_INLINE SHW_UINT2 shw_multiply_add(shw_uint a, shw_uint b, shw_uint c, shw_uint d)
{
    SHW_UINT2 sum = shw_multiply_wide(a, b);

    sum.y += c;
    sum.x += SHW_AS_UINT(sum.y < c);
    sum.y += d;
    sum.x += SHW_AS_UINT(sum.y < d);
    return sum;
}

SHW_INLINE SHW_UINT2 shw_add_wide(SHW_UINT2 a, SHW_UINT2 b)
{
    a.y += b.y;
    a.x += b.x + SHW_AS_UINT(a.y < b.y);
    return a;
}

SHW_INLINE SHW_UINT2 shw_subtract_wide(SHW_UINT2 a, SHW_UINT2 b)
{
    a.x -= b.x + SHW_AS_UINT(a.y < b.y);
    a.y -= b.y;
    return a;
}

/* 1 if a < b, otherwise 0. */
SHW_INLINE shw_uint shw_less_wide(SHW_UINT2 a, SHW_UINT2 b)
{
    if (a.x != b.x)
        return SHW_AS_UINT(a.x < b.x);
    return SHW_AS_UINT(a.y < b.y);
}

/* Numerator times a two-word number: five words, the lowest first. */
struct shw_long {
    shw_uint w0, w1, w2, w3, w4;
};

#ifdef SHW_GLSL
#define SHW_LONG shw_long
#else
#define SHW_LONG struct shw_long
#endif

SHW_INLINE SHW_LONG shw_long_product(SHW_FRACTION a, shw_uint d0, shw_uint d1)
{
    SHW_LONG product;
    SHW_UINT2 step = shw_multiply_add(a.n0, d0, 0u, 0u);

    product.w0 = step.y;
    step = shw_multiply_add(a.n1, d0, step.x, 0u);
    product.w1 = step.y;
    step = shw_multiply_add(a.n2, d0, step.x, 0u);
    product.w2 = step.y;
    product.w3 = step.x;
    step = shw_multiply_add(a.n0, d1, product.w1, 0u);
    product.w1 = step.y;
    step = shw_multiply_add(a.n1, d1, product.w2, step.x);
    product.w2 = step.y;
    step = shw_multiply_add(a.n2, d1, product.w3, step.x);
    product.w3 = step.y;
    product.w4 = step.x;
    return product;
}

/* 1 if a > b, otherwise 0. */
SHW_INLINE shw_uint shw_fraction_greater(SHW_FRACTION a, SHW_FRACTION b)
{
    SHW_LONG left = shw_long_product(a, b.d0, b.d1);
    SHW_LONG right = shw_long_product(b, a.d0, a.d1);

    if (left.w4 != right.w4)
        return SHW_AS_UINT(left.w4 > right.w4);
    if (left.w3 != right.w3)
        return SHW_AS_UINT(left.w3 > right.w3);
    if (left.w2 != right.w2)
        return SHW_AS_UINT(left.w2 > right.w2);
    if (left.w1 != right.w1)
        return SHW_AS_UINT(left.w1 > right.w1);
    return SHW_AS_UINT(left.w0 > right.w0);
}

/* Adds the weighted count of one more class to the measure of one side. */
SHW_INLINE SHW_UINT2 shw_measure_add(shw_uint measure, SHW_UINT2 side, shw_uint count)
{
    if (measure == SHW_MEASURE_GINI)
        return shw_add_wide(side, shw_multiply_wide(count, count));
    if (measure != SHW_MEASURE_MISCLASSIFICATION)
        return shw_add_wide(side, SHW_TIMES_LOG2(count));
    side.y = SHW_AS_UINT(shw_max(SHW_AS_INT(side.y), SHW_AS_INT(count)));
    return side;
}

/* The gain divided by the entropy of the split, or twice the gain divided by that plus the entropy of the classes; 0 if
 * the gain could be due to rounding, and at most 1. `all`: measure of both sides together; `together`: n log2 n of
 * their mass. */
SHW_INLINE SHW_FRACTION shw_gain_quotient(shw_uint measure, SHW_UINT2 all, SHW_UINT2 together, SHW_UINT2 left,
                                          shw_uint left_mass, SHW_UINT2 right, shw_uint right_mass)
{
    SHW_UINT2 apart = shw_add_wide(SHW_TIMES_LOG2(left_mass), SHW_TIMES_LOG2(right_mass));
    SHW_UINT2 more = shw_add_wide(together, shw_add_wide(left, right)), less = shw_add_wide(all, apart);
    SHW_UINT2 gain = shw_subtract_wide(more, less), upper = together, lower = apart;
    SHW_FRACTION value;

    value.n0 = 0u;
    value.n1 = 0u;
    value.n2 = 0u;
    value.d0 = 1u;
    value.d1 = 0u;
    if (shw_less_wide(shw_add_wide(less, shw_multiply_wide(left_mass + right_mass, 2u)), more) == 0u)
        return value;
    if (measure == SHW_MEASURE_NORMALISED_GAIN) {
        gain = shw_add_wide(gain, gain);
        upper = shw_add_wide(together, together);
        lower = less;
    }
    value.n0 = 1u;
    if (shw_less_wide(shw_add_wide(gain, lower), upper) == 0u)
        return value;
    upper = shw_subtract_wide(upper, lower);
    value.n0 = gain.y;
    value.n1 = gain.x;
    value.d0 = upper.y;
    value.d1 = upper.x;
    return value;
}

/* The score of a partition into two sides of these masses; one of them may be empty. `all` and `together` are used for
 * quotients of gains only: the measure of both sides together, and n log2 n of their mass. */
SHW_INLINE SHW_FRACTION shw_fraction_of(shw_uint measure, SHW_UINT2 all, SHW_UINT2 together, SHW_UINT2 left,
                                        shw_uint left_mass, SHW_UINT2 right, shw_uint right_mass)
{
    SHW_FRACTION value;

    if (measure == SHW_MEASURE_NORMALISED_GAIN || measure == SHW_MEASURE_GAIN_RATIO)
        return shw_gain_quotient(measure, all, together, left, left_mass, right, right_mass);
    value.n2 = 0u;
    value.d0 = 1u;
    value.d1 = 0u;
    if (measure == SHW_MEASURE_GINI) {
        /* (left * right_mass + right * left_mass) / (left_mass * right_mass) */
        shw_uint l = left_mass + SHW_AS_UINT(left_mass == 0u), r = right_mass + SHW_AS_UINT(right_mass == 0u);
        SHW_UINT2 step = shw_multiply_wide(left.y, r);
        SHW_UINT2 masses = shw_multiply_wide(l, r);
        value.n0 = step.y;
        step = shw_multiply_add(left.x, r, step.x, 0u);
        value.n1 = step.y;
        value.n2 = step.x;
        step = shw_multiply_add(right.y, l, value.n0, 0u);
        value.n0 = step.y;
        step = shw_multiply_add(right.x, l, value.n1, step.x);
        value.n1 = step.y;
        value.n2 += step.x;
        value.d0 = masses.y;
        value.d1 = masses.x;
        return value;
    }
    left = shw_add_wide(left, right);
    if (measure == SHW_MEASURE_INFORMATION_GAIN) {
        left = shw_subtract_wide(left, shw_add_wide(SHW_TIMES_LOG2(left_mass), SHW_TIMES_LOG2(right_mass)));
        left.x ^= 0x80000000u; /* sorts negative numbers first */
    }
    value.n0 = left.y;
    value.n1 = left.x;
    return value;
}

#endif
