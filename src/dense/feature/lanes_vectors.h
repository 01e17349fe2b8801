/* As lanes_avx2.h, with the compiler's own vectors. */
#ifndef SHW_DENSE_FEATURE_LANES_VECTORS_H
#define SHW_DENSE_FEATURE_LANES_VECTORS_H

#include <stddef.h>
#include <string.h>

#include "shared/types.h"

#define LANES 4
#define TARGET
#define VECTOR static inline

typedef uint32_t lanes __attribute__((vector_size(16))); /* sums wrap around */
typedef int32_t signed_lanes __attribute__((vector_size(16)));
typedef uint64_t wide_lanes __attribute__((vector_size(32)));
typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(32)));

VECTOR lanes load(const uint32_t *from)
{
    lanes values;

    memcpy(&values, from, sizeof values);
    return values;
}

VECTOR lanes load_short(const int16_t *from)
{
    return (lanes){(uint32_t)from[0], (uint32_t)from[1], (uint32_t)from[2], (uint32_t)from[3]};
}

VECTOR lanes spread(int32_t value)
{
    uint32_t word = (uint32_t)value;

    return (lanes){word, word, word, word};
}

VECTOR lanes add(lanes a, lanes b)
{
    return a + b;
}

VECTOR lanes subtract(lanes a, lanes b)
{
    return a - b;
}

VECTOR lanes multiply(lanes a, lanes b)
{
    return a * b;
}

VECTOR lanes minimum(lanes a, lanes b)
{
    lanes less = (lanes)((signed_lanes)a < (signed_lanes)b);

    return (a & less) | (b & ~less);
}

VECTOR lanes maximum(lanes a, lanes b)
{
    lanes less = (lanes)((signed_lanes)a < (signed_lanes)b);

    return (b & less) | (a & ~less);
}

VECTOR lanes load_apart(const uint32_t *from, ptrdiff_t step)
{
    return (lanes){from[0], from[step], from[2 * step], from[3 * step]};
}

VECTOR lanes load_short_apart(const int16_t *from, ptrdiff_t step)
{
    return (lanes){(uint32_t)from[0], (uint32_t)from[step], (uint32_t)from[2 * step], (uint32_t)from[3 * step]};
}

VECTOR lanes gather(const uint32_t *from, lanes places)
{
    const signed_lanes at = (signed_lanes)places;

    return (lanes){from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
}

VECTOR lanes gather_short(const int16_t *from, lanes places)
{
    const signed_lanes at = (signed_lanes)places;

    return (lanes){(uint32_t)from[at[0]], (uint32_t)from[at[1]], (uint32_t)from[at[2]], (uint32_t)from[at[3]]};
}

VECTOR lanes count_lanes(void)
{
    return (lanes){0, 1, 2, 3};
}

VECTOR lanes clamp_lanes(int32_t first)
{
    lanes places;

    for (int32_t i = 0; i < LANES; i++)
        places[i] = (uint32_t)shw_clamp(first + i, 0, LANES - 1);
    return places;
}

VECTOR lanes permute(lanes values, lanes from)
{
    return (lanes){values[from[0]], values[from[1]], values[from[2]], values[from[3]]};
}

VECTOR lanes multiply_down(lanes values, double factor)
{
    doubles products = __builtin_convertvector((signed_lanes)values, doubles) * factor;

    return (lanes) __builtin_convertvector(products, signed_lanes);
}

VECTOR lanes divide(lanes values, lanes divisors)
{
    doubles quotients = __builtin_convertvector((signed_lanes)values, doubles) /
                        __builtin_convertvector((signed_lanes)divisors, doubles);

    return (lanes) __builtin_convertvector(quotients, signed_lanes);
}

VECTOR uint32_t lies_between(lanes values, lanes low, lanes high)
{
    const lanes bits = {1, 2, 4, 8};
    signed_lanes both = ((signed_lanes)low <= (signed_lanes)values) & ((signed_lanes)values < (signed_lanes)high);
    lanes set = (lanes)both & bits;

    return (set[0] | set[1]) | (set[2] | set[3]);
}

VECTOR void store_some(uint32_t *to, uint32_t mask, lanes values)
{
    const lanes bits = {1, 2, 4, 8};
    lanes chosen = (lanes)((spread((int32_t)mask) & bits) == bits), stored = (values & chosen) | (load(to) & ~chosen);

    memcpy(to, &stored, sizeof stored);
}

VECTOR lanes bits_and(lanes a, lanes b)
{
    return a & b;
}

VECTOR lanes bits_or(lanes a, lanes b)
{
    return a | b;
}

VECTOR lanes bits_xor(lanes a, lanes b)
{
    return a ^ b;
}

VECTOR lanes shift_left(lanes values, int bits)
{
    return values << bits;
}

VECTOR lanes shift_right(lanes values, int bits)
{
    return values >> bits;
}

VECTOR lanes shift_down(lanes values, int bits)
{
    return (lanes)((signed_lanes)values >> bits);
}

VECTOR lanes shift_right_each(lanes values, lanes bits)
{
    return values >> bits;
}

VECTOR lanes is_equal(lanes a, lanes b)
{
    return (lanes)(a == b);
}

VECTOR lanes is_greater(lanes a, lanes b)
{
    return (lanes)((signed_lanes)a > (signed_lanes)b);
}

VECTOR lanes multiply_high(lanes a, lanes b)
{
    wide_lanes products = __builtin_convertvector(a, wide_lanes) * __builtin_convertvector(b, wide_lanes);

    return __builtin_convertvector(products >> 32, lanes);
}

VECTOR lanes highest_bit(lanes values)
{
    return ((lanes) __builtin_convertvector((signed_lanes)values, floats) >> 23) - 127;
}

VECTOR lanes divide_scaled(lanes values, double factor, lanes divisors, double lift)
{
    doubles quotients = __builtin_convertvector((signed_lanes)values, doubles) * factor /
                        __builtin_convertvector((signed_lanes)divisors, doubles);

    return (lanes) __builtin_convertvector(quotients + lift, signed_lanes);
}

VECTOR uint32_t signs_of(lanes values)
{
    const lanes set = (values >> 31) << (lanes){0, 1, 2, 3};

    return (set[0] | set[1]) | (set[2] | set[3]);
}

VECTOR void load_rows(const uint32_t *from, lanes rows, lanes words[8])
{
    for (int w = 0; w < 8; w++)
        words[w] = (lanes){from[8 * (size_t)rows[0] + (size_t)w], from[8 * (size_t)rows[1] + (size_t)w],
                           from[8 * (size_t)rows[2] + (size_t)w], from[8 * (size_t)rows[3] + (size_t)w]};
}

VECTOR void store(uint32_t *to, lanes values)
{
    memcpy(to, &values, sizeof values);
}

#endif
