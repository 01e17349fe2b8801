/* Smoothing of class distributions, guided by the image's colours: the guided filter (He, Sun, Tang 2010, equations 19
 * to 21, for a colour guide) on cells of `step` x `step` pixels (He, Sun 2015), applied to the planes of a cost volume
 * (Hosni et al. 2013). Everything is integers; docs/smoothing.md specifies it.
 *
 * Words: a cell is the mean of its pixels. A guide value is a mean colour in quarters of an 8-bit sample, less
 * SHW_SMOOTH_MIDDLE: -510 to 510; that of a pixel is of the pixels near it, so that texture makes no specks. A share is
 * a probability in units of 1/4095. In a window of cells, each class's share is modelled as a linear function of the
 * guide: slope . guide + level. */
#ifndef SHW_SHARED_SMOOTH_H
#define SHW_SHARED_SMOOTH_H

#include "types.h"

#define SHW_SMOOTH_MIDDLE     510
#define SHW_SMOOTH_SHARE_MAX  4095 /* the largest share */
#define SHW_SMOOTH_CELLS_MAX  15u  /* the largest distance of a window's cells from its centre */
#define SHW_SMOOTH_NEAR_REACH 2    /* in pixels: the guide of a pixel is that of those within it */
/* In squares of a guide unit; keeps slopes below SHW_SMOOTH_SLOPE_MAX. */
#define SHW_SMOOTH_EPSILON_MIN 41u

#define SHW_SMOOTH_SLOPE_BITS 10u    /* fraction bits of a slope, in shares per guide unit */
#define SHW_SMOOTH_LEVEL_BITS 2u     /* fraction bits of a level, in shares */
#define SHW_SMOOTH_SLOPE_MAX  163840 /* 160 shares per guide unit */

#define SHW_SMOOTH_RATIO_BITS 20u /* fraction bits of the factors of the covariance matrix */
#define SHW_SMOOTH_SOLVE_BITS 14u /* fraction bits of slopes while they are solved for */

/* The magnitude of a number. */
SHW_INLINE shw_uint shw_magnitude(shw_int value)
{
    return SHW_AS_UINT(value < 0 ? 0 - value : value);
}

SHW_INLINE shw_int shw_with_sign(shw_uint magnitude, shw_uint negative)
{
    return negative != 0u ? 0 - SHW_AS_INT(magnitude) : SHW_AS_INT(magnitude);
}

/* a / b rounded to the nearest, halves away from zero. b > 0; |a| + b / 2 < 2^31. */
SHW_INLINE shw_int shw_divide_round(shw_int a, shw_uint b)
{
    return shw_with_sign((shw_magnitude(a) + (b >> 1u)) / b, SHW_AS_UINT(a < 0));
}

/* (a b + more) / 2^shift, rounded down. 1 <= shift <= 63; the result is less than 2^32. */
SHW_INLINE shw_uint shw_multiply_down(shw_uint a, shw_uint b, shw_uint more, shw_uint shift)
{
#ifdef SHW_GLSL
    SHW_UINT2 product = shw_multiply_wide(a, b);
    shw_uint low = product.y + more;

    product.x += SHW_AS_UINT(low < product.y);
    if (shift >= 32u)
        return product.x >> (shift - 32u);
    return product.x << (32u - shift) | low >> shift;
#else
    return SHW_AS_UINT(((uint64_t)a * b + more) >> shift);
#endif
}

/* a b / 2^shift rounded to the nearest, halves away from zero. 1 <= shift <= 31; the result is less than 2^31. */
SHW_INLINE shw_int shw_multiply_shift(shw_int a, shw_int b, shw_uint shift)
{
    return shw_with_sign(shw_multiply_down(shw_magnitude(a), shw_magnitude(b), 1u << (shift - 1u), shift),
                         SHW_AS_UINT(a < 0) ^ SHW_AS_UINT(b < 0));
}

/* What divides many numbers: on the CPU by multiplying, a / value = floor(a multiplier / 2^shift) for a < 2^31. */
struct shw_divisor {
    shw_uint value;
#ifndef SHW_GLSL
    shw_uint multiplier, shift;
#endif
};

#ifdef SHW_GLSL
#define SHW_DIVISOR shw_divisor
#else
#define SHW_DIVISOR struct shw_divisor
#endif

/* 1 <= value < 2^31 */
SHW_INLINE SHW_DIVISOR shw_divisor_of(shw_uint value)
{
    SHW_DIVISOR divisor;

    divisor.value = value;
#ifndef SHW_GLSL
    /* 2^(shift - 31) is the least power of two that is not below the value: the multiplier is below 2^32, and larger
     * than 2^shift / value by at most one, so that the product exceeds the quotient by less than 1 / value */
    divisor.shift = 31u + (value > 1u ? 1u + shw_highest_bit(value - 1u) : 0u);
    divisor.multiplier = SHW_AS_UINT(((uint64_t)1 << divisor.shift) / value + 1u);
#endif
    return divisor;
}

/* shw_divide_round(a, divisor.value) */
SHW_INLINE shw_int shw_divide_round_by(shw_int a, SHW_DIVISOR divisor)
{
#ifdef SHW_GLSL
    return shw_divide_round(a, divisor.value);
#else
    return shw_with_sign(
        shw_multiply_down(shw_magnitude(a) + (divisor.value >> 1u), divisor.multiplier, 0u, divisor.shift),
        SHW_AS_UINT(a < 0));
#endif
}

/* 1 / value = mantissa / 2^(62 - shift), with an error below 2^-28 of it. */
struct shw_reciprocal {
    shw_uint mantissa; /* 2^30 to 2^31 */
    shw_uint shift;    /* 0 to 31 */
};

#ifdef SHW_GLSL
#define SHW_RECIPROCAL shw_reciprocal
#else
#define SHW_RECIPROCAL struct shw_reciprocal
#endif

/* value > 0. A division of 32 bits gives half of the digits, a step of Newton's method the others. */
SHW_INLINE SHW_RECIPROCAL shw_reciprocal_of(shw_uint value)
{
    SHW_RECIPROCAL reciprocal;
    shw_uint scaled, first, error;

    reciprocal.shift = 31u - shw_highest_bit(value);
    scaled = value << reciprocal.shift;
    first = (0xffffffffu / ((scaled >> 16u) + 1u)) << 14u;          /* not above 2^62 / scaled */
    error = 0x80000000u - shw_multiply_wide(scaled, first << 1u).x; /* 2^31 (1 - scaled first / 2^62) */
    reciprocal.mantissa = first + shw_multiply_wide(first, error << 1u).x;
    return reciprocal;
}

/* value / divisor with `bits` fraction bits, 1 <= bits, rounded down in magnitude. The result is less than 2^31, and
 * |value| < 2^31. */
SHW_INLINE shw_int shw_divide_by(shw_int value, SHW_RECIPROCAL divisor, shw_uint bits)
{
    /* the product is times 2^-(62 - shift): to be moved down by 11 to 61 places */
    return shw_with_sign(shw_multiply_down(shw_magnitude(value), divisor.mantissa, 0u, 62u - divisor.shift - bits),
                         SHW_AS_UINT(value < 0));
}

/* Sums over a window of cells, of guide values g and, for one class, shares p. With up to 961 cells none exceeds 31
 * bits. */
struct shw_guide_sums {
    shw_int r, g, b;                /* g */
    shw_int rr, rg, rb, gg, gb, bb; /* products of two of g */
};
struct shw_share_sums {
    shw_int p, rp, gp, bp; /* p; p times g */
};

/* What a window's guide values contribute to the models of all classes: their mean m, and the covariance matrix with
 * epsilon on its diagonal, factored into L D L'. */
struct shw_guide_factors {
    SHW_DIVISOR count;
    shw_int r, g, b;                          /* m, rounded */
    shw_int rest_r, rest_g, rest_b;           /* sum - count m */
    shw_int gr, br, bg;                       /* L below its diagonal, SHW_SMOOTH_RATIO_BITS */
    SHW_RECIPROCAL pivot_r, pivot_g, pivot_b; /* 1 / D */
};

/* A class's model. */
struct shw_smooth_model {
    shw_int r, g, b; /* slope, SHW_SMOOTH_SLOPE_BITS */
    shw_int level;   /* SHW_SMOOTH_LEVEL_BITS */
};

#ifdef SHW_GLSL
#define SHW_GUIDE_SUMS    shw_guide_sums
#define SHW_SHARE_SUMS    shw_share_sums
#define SHW_GUIDE_FACTORS shw_guide_factors
#define SHW_SMOOTH_MODEL  shw_smooth_model
#else
#define SHW_GUIDE_SUMS    struct shw_guide_sums
#define SHW_SHARE_SUMS    struct shw_share_sums
#define SHW_GUIDE_FACTORS struct shw_guide_factors
#define SHW_SMOOTH_MODEL  struct shw_smooth_model
#endif

/* The covariance of two guide channels, rounded: sum over (x - mx)(y - my), divided by the count. `products` is the sum
 * of x y, `sum_y` that of y, rest_x and rest_y as in the factors. */
SHW_INLINE shw_int shw_guide_covariance(shw_int products, shw_int mean_x, shw_int sum_y, shw_int mean_y, shw_int rest_x,
                                        shw_int rest_y, SHW_DIVISOR count)
{
    /* sum (x - mx)(y - my) = sum xy - mx sum y - my (sum x - count mx), and the means are rounded */
    shw_int about_means = products - mean_x * sum_y - mean_y * rest_x;

    return shw_divide_round_by(about_means - shw_divide_round_by(rest_x * rest_y, count), count);
}

SHW_INLINE SHW_GUIDE_FACTORS shw_guide_factors_of(SHW_GUIDE_SUMS sums, SHW_DIVISOR count, shw_uint epsilon)
{
    SHW_GUIDE_FACTORS f;
    shw_int rr, rg, rb, gg, gb, bb;

    f.count = count;
    f.r = shw_divide_round_by(sums.r, count);
    f.g = shw_divide_round_by(sums.g, count);
    f.b = shw_divide_round_by(sums.b, count);
    f.rest_r = sums.r - SHW_AS_INT(count.value) * f.r;
    f.rest_g = sums.g - SHW_AS_INT(count.value) * f.g;
    f.rest_b = sums.b - SHW_AS_INT(count.value) * f.b;
    rr = shw_guide_covariance(sums.rr, f.r, sums.r, f.r, f.rest_r, f.rest_r, count);
    rg = shw_guide_covariance(sums.rg, f.r, sums.g, f.g, f.rest_r, f.rest_g, count);
    rb = shw_guide_covariance(sums.rb, f.r, sums.b, f.b, f.rest_r, f.rest_b, count);
    gg = shw_guide_covariance(sums.gg, f.g, sums.g, f.g, f.rest_g, f.rest_g, count);
    gb = shw_guide_covariance(sums.gb, f.g, sums.b, f.b, f.rest_g, f.rest_b, count);
    bb = shw_guide_covariance(sums.bb, f.b, sums.b, f.b, f.rest_b, f.rest_b, count);

    f.pivot_r = shw_reciprocal_of(SHW_AS_UINT(shw_max(rr, 0)) + epsilon);
    f.gr = shw_divide_by(rg, f.pivot_r, SHW_SMOOTH_RATIO_BITS);
    f.br = shw_divide_by(rb, f.pivot_r, SHW_SMOOTH_RATIO_BITS);
    gg = gg - shw_multiply_shift(f.gr, rg, SHW_SMOOTH_RATIO_BITS);
    gb = gb - shw_multiply_shift(f.br, rg, SHW_SMOOTH_RATIO_BITS);
    bb = bb - shw_multiply_shift(f.br, rb, SHW_SMOOTH_RATIO_BITS);
    f.pivot_g = shw_reciprocal_of(SHW_AS_UINT(shw_max(gg, 0)) + epsilon);
    f.bg = shw_divide_by(gb, f.pivot_g, SHW_SMOOTH_RATIO_BITS);
    bb = bb - shw_multiply_shift(f.bg, gb, SHW_SMOOTH_RATIO_BITS);
    f.pivot_b = shw_reciprocal_of(SHW_AS_UINT(shw_max(bb, 0)) + epsilon);
    return f;
}

/* The covariance of a guide channel and shares, rounded. */
SHW_INLINE shw_int shw_share_covariance(shw_int products, shw_int mean_x, shw_int rest_x, shw_int sum_p, shw_int mean_p,
                                        SHW_DIVISOR count)
{
    return shw_divide_round_by(products - mean_x * sum_p - rest_x * mean_p, count);
}

/* The model of a class in the window of the factors. */
SHW_INLINE SHW_SMOOTH_MODEL shw_smooth_solve(SHW_GUIDE_FACTORS f, SHW_SHARE_SUMS sums)
{
    SHW_SMOOTH_MODEL model;
    shw_int mean = shw_divide_round_by(sums.p, f.count), r, g, b, level;

    r = shw_share_covariance(sums.rp, f.r, f.rest_r, sums.p, mean, f.count);
    g = shw_share_covariance(sums.gp, f.g, f.rest_g, sums.p, mean, f.count);
    b = shw_share_covariance(sums.bp, f.b, f.rest_b, sums.p, mean, f.count);
    g = g - shw_multiply_shift(f.gr, r, SHW_SMOOTH_RATIO_BITS);
    b = b - shw_multiply_shift(f.br, r, SHW_SMOOTH_RATIO_BITS) - shw_multiply_shift(f.bg, g, SHW_SMOOTH_RATIO_BITS);
    r = shw_divide_by(r, f.pivot_r, SHW_SMOOTH_SOLVE_BITS);
    g = shw_divide_by(g, f.pivot_g, SHW_SMOOTH_SOLVE_BITS);
    b = shw_divide_by(b, f.pivot_b, SHW_SMOOTH_SOLVE_BITS);
    g = g - shw_multiply_shift(f.bg, b, SHW_SMOOTH_RATIO_BITS);
    r = r - shw_multiply_shift(f.gr, g, SHW_SMOOTH_RATIO_BITS) - shw_multiply_shift(f.br, b, SHW_SMOOTH_RATIO_BITS);
    model.r = shw_clamp(shw_multiply_shift(r, 1, SHW_SMOOTH_SOLVE_BITS - SHW_SMOOTH_SLOPE_BITS),
                        0 - SHW_SMOOTH_SLOPE_MAX, SHW_SMOOTH_SLOPE_MAX);
    model.g = shw_clamp(shw_multiply_shift(g, 1, SHW_SMOOTH_SOLVE_BITS - SHW_SMOOTH_SLOPE_BITS),
                        0 - SHW_SMOOTH_SLOPE_MAX, SHW_SMOOTH_SLOPE_MAX);
    model.b = shw_clamp(shw_multiply_shift(b, 1, SHW_SMOOTH_SOLVE_BITS - SHW_SMOOTH_SLOPE_BITS),
                        0 - SHW_SMOOTH_SLOPE_MAX, SHW_SMOOTH_SLOPE_MAX);
    /* the mean of the shares, less the slope times the mean of the guide values; below 2^28 */
    level = model.r * f.r + model.g * f.g + model.b * f.b +
            shw_divide_round_by(model.r * f.rest_r + model.g * f.rest_g + model.b * f.rest_b, f.count);
    model.level = shw_divide_round_by(sums.p << SHW_SMOOTH_LEVEL_BITS, f.count) -
                  shw_multiply_shift(level, 1, SHW_SMOOTH_SLOPE_BITS - SHW_SMOOTH_LEVEL_BITS);
    return model;
}

/* The guide value of a cell, or near a pixel, from the sum of base values (4080 for white) of its pixels, and a cell's
 * share from the sum of probabilities (65535 for certainty); rounded. */
SHW_INLINE shw_int shw_smooth_guide(shw_uint sum, shw_uint pixels)
{
    return SHW_AS_INT((sum + 2u * pixels) / (4u * pixels)) - SHW_SMOOTH_MIDDLE;
}

SHW_INLINE shw_uint shw_smooth_share(shw_uint sum, shw_uint pixels)
{
    /* 65535 / 4095 = 16.0037: shares are a little smaller than 4095ths, which normalising undoes */
    return SHW_AS_UINT(shw_min(SHW_AS_INT((sum + 8u * pixels) / (16u * pixels)), SHW_SMOOTH_SHARE_MAX));
}

/* The mean of the models of a window's `count` cells, from their sum. */
SHW_INLINE SHW_SMOOTH_MODEL shw_smooth_mean(SHW_SMOOTH_MODEL sum, SHW_DIVISOR count)
{
    sum.r = shw_divide_round_by(sum.r, count);
    sum.g = shw_divide_round_by(sum.g, count);
    sum.b = shw_divide_round_by(sum.b, count);
    sum.level = shw_divide_round_by(sum.level, count);
    return sum;
}

/* Where pixel `x` is between the centres of two cells of 2^bits pixels: 2 step - weight parts of the first and `weight`
 * parts of the next one, which is the same at the end. */
struct shw_smooth_place {
    shw_int first, next;
    shw_int weight;
};

#ifdef SHW_GLSL
#define SHW_SMOOTH_PLACE shw_smooth_place
#else
#define SHW_SMOOTH_PLACE struct shw_smooth_place
#endif

SHW_INLINE SHW_SMOOTH_PLACE shw_smooth_place_of(shw_int x, shw_uint bits, shw_int cells)
{
    SHW_SMOOTH_PLACE place;
    shw_uint at = SHW_AS_UINT(shw_max(2 * x + 1 - (1 << bits), 0)); /* in halves of a pixel after the first centre */

    place.first = SHW_AS_INT(at >> (bits + 1u));
    place.next = shw_min(place.first + 1, cells - 1);
    place.weight = SHW_AS_INT(at & ((2u << bits) - 1u));
    return place;
}

/* Cells in one direction. */
struct shw_smooth_range {
    shw_int first, count;
};

#ifdef SHW_GLSL
#define SHW_SMOOTH_RANGE shw_smooth_range
#else
#define SHW_SMOOTH_RANGE struct shw_smooth_range
#endif

/* The cells of 2^bits pixels, of `cells` in the image, within `more` cells of those between which the pixels `x` to
 * x + count - 1 lie. */
SHW_INLINE SHW_SMOOTH_RANGE shw_smooth_range_of(shw_int x, shw_int count, shw_uint bits, shw_int more, shw_int cells)
{
    SHW_SMOOTH_RANGE range;
    SHW_SMOOTH_PLACE last = shw_smooth_place_of(x + count - 1, bits, cells);

    range.first = shw_max(shw_smooth_place_of(x, bits, cells).first - more, 0);
    range.count = shw_min(last.next + more, cells - 1) - range.first + 1;
    return range;
}

/* A sum of models with weights of both directions, to the model between four cells. */
SHW_INLINE SHW_SMOOTH_MODEL shw_smooth_model_between(SHW_SMOOTH_MODEL sum, shw_uint bits)
{
    sum.r = shw_round_shift(sum.r, 2u * bits + 2u);
    sum.g = shw_round_shift(sum.g, 2u * bits + 2u);
    sum.b = shw_round_shift(sum.b, 2u * bits + 2u);
    sum.level = shw_round_shift(sum.level, 2u * bits + 2u);
    return sum;
}

/* A value as a part of the sum of all, in 65535ths, rounded down. What is missing to 65535 goes to the largest. */
SHW_INLINE shw_uint shw_smooth_normalise(shw_uint value, shw_uint sum)
{
    return value * 65535u / sum;
}

/* One class's probability at a pixel, 0 to 65535, not yet normalised, from the mean model there and its guide value. */
SHW_INLINE shw_uint shw_smooth_value(SHW_SMOOTH_MODEL mean, shw_int r, shw_int g, shw_int b)
{
    shw_int value = mean.r * r + mean.g * g + mean.b * b +
                    mean.level * (1 << (SHW_SMOOTH_SLOPE_BITS - SHW_SMOOTH_LEVEL_BITS)); /* below 2^29 */

    /* shares of 4095ths with 10 fraction bits to 65535ths: times 16 */
    return SHW_AS_UINT(shw_clamp(value, 0, 65535 << 6) + 32) >> 6u;
}

#endif
