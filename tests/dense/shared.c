/* The arithmetic that C and GLSL share, against plain definitions. */
#include "testing/testing.h"

#include <math.h>
#include <string.h>

#include "dense/channels/pixels.h"
#include "shared/random.h"
#include "shared/rectangle.h"
#include "shared/source_code.h"
#include "shared/types.h"

TESTING_CASE(round_shift_is_floor_of_half_more)
{
    struct testing_random random = {1};

    for (int i = 0; i < 100000; i++) {
        int32_t value =
            testing_random_range(&random, -(1 << 30) + 1, (1 << 30) - 1) >> testing_random_below(&random, 30);
        uint32_t shift = testing_random_below(&random, 30);
        double expected = floor((double)value / (double)(1u << shift) + (shift > 0 ? 0.5 : 0.0));
        assert_int_equal(shw_round_shift(value, shift), (int32_t)expected);
    }
}

TESTING_CASE(halves_of_words_are_signed)
{
    for (int32_t low = -32768; low <= 32767; low += 37)
        for (int32_t high = -32768; high <= 32767; high += 1771) {
            uint32_t word = (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
            assert_int_equal(shw_low16(word), low);
            assert_int_equal(shw_high16(word), high);
        }
}

/* The number that a half float's bits stand for, by its definition. */
static double half_of(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double magnitude = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                       : exponent > 0 ? ldexp(1024 + fraction, exponent - 25)
                                      : ldexp(fraction, -24);

    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/* nearbyint() rounds halves to even, and the product is exact. */
TESTING_CASE(all_halves_become_the_nearest_code)
{
    uint32_t ties = 0;

    for (uint32_t bits = 0; bits < 65536; bits++) {
        double value = half_of(bits), scaled = isnan(value) ? 0 : fmin(fmax(value, 0), 1) * 65535;
        ties += scaled - floor(scaled) == 0.5;
        assert_int_equal(shw_code_of_half(bits), (uint32_t)nearbyint(scaled));
    }
    assert_true(ties > 0);
}

TESTING_CASE(all_halves_are_found_in_floats)
{
    for (uint32_t bits = 0; bits < 65536; bits++) {
        float value = (float)half_of(bits);
        uint32_t word, half;
        memcpy(&word, &value, sizeof word);
        half = shw_half_of_float(word);
        if (isnan(value))
            assert_true((half & 0x7c00) == 0x7c00 && (half & 1023) != 0);
        else
            assert_int_equal(half, bits);
    }
}

/* Exponents of 5 bits, fractions of 6 and 5 bits, no sign. */
TESTING_CASE(small_floats_are_halves)
{
    for (uint32_t exponent = 0; exponent < 31; exponent++)
        for (uint32_t fraction = 0; fraction < 64; fraction++) {
            double one = exponent > 0 ? 1 : 0, scale = ldexp(1, (exponent > 0 ? (int)exponent : 1) - 15);
            assert_true(half_of(shw_half_of_11(exponent << 6 | fraction)) == (one + fraction / 64.0) * scale);
            if (fraction < 32)
                assert_true(half_of(shw_half_of_10(exponent << 5 | fraction)) == (one + fraction / 32.0) * scale);
        }
    assert_true(isinf(half_of(shw_half_of_11(31 << 6))) && isinf(half_of(shw_half_of_10(31 << 5))));
    assert_true(isnan(half_of(shw_half_of_11(31 << 6 | 1))) && isnan(half_of(shw_half_of_10(31 << 5 | 1))));
}

TESTING_CASE(ten_bits_become_the_nearest_code)
{
    for (uint32_t value = 0; value < 1024; value++)
        assert_int_equal(shw_code_of_10(value), (uint32_t)nearbyint(value * 65535 / 1023.0));
}

/* Depth, by the definition in docs/channels.md. */
__extension__ typedef unsigned __int128 wide;

static const struct shw_depth depths[] = {
    {SHW_DEPTH_LINEAR, .unit = 1000},
    {SHW_DEPTH_LINEAR, .unit = 1},
    {SHW_DEPTH_LINEAR, .unit = 0.2f},
    {SHW_DEPTH_LINEAR, .unit = 1e-6f},
    {SHW_DEPTH_LINEAR, .unit = 1e9f},
    {SHW_DEPTH_PERSPECTIVE, .near_plane = 100, .far_plane = 100000},
    {SHW_DEPTH_PERSPECTIVE, .near_plane = 1, .far_plane = 1.5f},
    {SHW_DEPTH_PERSPECTIVE, .near_plane = 10.3f, .far_plane = INFINITY},
    {SHW_DEPTH_REVERSED, .near_plane = 100, .far_plane = 100000},
    {SHW_DEPTH_REVERSED, .near_plane = 500, .far_plane = 65535.6f},
    {SHW_DEPTH_REVERSED, .near_plane = 1, .far_plane = INFINITY},
    {SHW_DEPTH_REVERSED, .near_plane = 65535, .far_plane = 1e30f},
};

#define DEPTHS (sizeof depths / sizeof *depths)

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t linear_depth(double value, const struct shw_depth *depth)
{
    double exact = value * (double)depth->unit; /* 48 bits */
    double nearest = floor(exact) + (exact - floor(exact) >= 0.5 ? 1 : 0);

    return nearest >= 1 && nearest <= 65535 ? (uint32_t)nearest : 0;
}

/* `fraction`: with 48 fraction bits, rounded down. */
static uint32_t depth_between_planes(uint64_t fraction, const struct shw_depth *depth)
{
    const uint64_t one = (uint64_t)1 << 48;
    uint64_t ratio = (uint64_t)floor((double)depth->near_plane / (double)depth->far_plane * 0x1p48 + 0.5);
    uint64_t t = depth->kind == SHW_DEPTH_REVERSED ? one - fraction : fraction;
    wide near = (wide)((double)depth->near_plane * 0x1p48), w = one - t + (uint64_t)((wide)t * ratio >> 48);
    wide nearest;

    if (t >= one)
        return 0;
    nearest = (2 * near + w) / (2 * w);
    return nearest <= 65535 ? (uint32_t)nearest : 0;
}

/* Of any float as a double: denormal ones are too small to matter. */
static uint32_t depth_of(double value, const struct shw_depth *depth)
{
    if (isnan(value) || value < 0 || isinf(value))
        return 0;
    if (depth->kind == SHW_DEPTH_LINEAR)
        return linear_depth(value, depth);
    return value <= 1 ? depth_between_planes((uint64_t)floor(value * 0x1p48), depth) : 0;
}

/* The exact depth in millimetres of a fraction between planes; in long double, to say how near the definition is. */
static long double true_depth(double value, const struct shw_depth *depth)
{
    long double t = depth->kind == SHW_DEPTH_REVERSED ? 1 - (long double)value : (long double)value;

    return depth->near_plane / (1 - t + t * ((long double)depth->near_plane / (long double)depth->far_plane));
}

static void expect_depth(uint32_t bits, const struct shw_depth *depth)
{
    double value = (double)float_of(bits);
    uint32_t got = shw_pixel_depth(SHW_PIXEL_GREY32_FLOAT, &bits, shw_depth_scale(depth));

    if (got != depth_of(value, depth))
        fail_msg("%a (%08x) with kind %d, unit %g, planes %g and %g is %u mm, not %u", value, bits, (int)depth->kind,
                 (double)depth->unit, (double)depth->near_plane, (double)depth->far_plane, got, depth_of(value, depth));
    if (got != 0 && depth->kind != SHW_DEPTH_LINEAR)
        assert_true(fabsl((long double)got - true_depth(value, depth)) <= 0.5L + 0.0001L);
}

/* The float that lies as far as `millimetres`, or near it. */
static float float_at(double millimetres, const struct shw_depth *depth)
{
    double ratio = (double)depth->near_plane / (double)depth->far_plane, t;

    if (depth->kind == SHW_DEPTH_LINEAR)
        return (float)(millimetres / (double)depth->unit);
    t = (1 - (double)depth->near_plane / millimetres) / (1 - ratio);
    return (float)(depth->kind == SHW_DEPTH_REVERSED ? 1 - t : t);
}

TESTING_CASE(floats_become_the_nearest_millimetre)
{
    static const uint32_t edges[] = {0,          1,          0x7fffff,   0x800000,   0x3f800000, 0x3f800001,
                                     0x3f7fffff, 0x3f7ffffe, 0x3f000000, 0x387fffff, 0x38800000, 0x27800000,
                                     0x277fffff, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x4b7fffff,
                                     0x4b800000, 0x42831275, 0x42831206};
    struct testing_random random = {11};
    uint32_t present = 0;

    for (size_t d = 0; d < DEPTHS; d++) {
        for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
            expect_depth(edges[e], &depths[d]);
            expect_depth(edges[e] | 0x80000000, &depths[d]);
        }
        for (int i = 0; i < 20000; i++) {
            double millimetres =
                testing_random_below(&random, 70000) + (i % 2 != 0 ? 0.5 : 0); /* ties and their like */
            uint32_t about = bits_of(float_at(millimetres, &depths[d])) + testing_random_below(&random, 5) - 2;
            expect_depth(about, &depths[d]);
            expect_depth(testing_random_below(&random, 0x3f800001), &depths[d]);
            expect_depth((uint32_t)testing_random_below(&random, UINT32_MAX), &depths[d]);
            present += depth_of((double)float_of(about), &depths[d]) != 0;
        }
    }
    assert_true(present > 100000);
}

TESTING_CASE(integers_become_the_nearest_millimetre)
{
    for (size_t d = 0; d < DEPTHS; d++) {
        const struct shw_depth *depth = &depths[d];
        shw_uint4 scale = shw_depth_scale(depth);
        for (uint32_t code = 0; code < 65536; code++) {
            uint16_t stored = (uint16_t)code;
            uint32_t step = code * 256 + (code == 65535 ? 255 : code * 7 & 255), expected;
            expected = depth->kind == SHW_DEPTH_LINEAR
                           ? linear_depth(code, depth)
                           : depth_between_planes((uint64_t)(((wide)code << 48) / 65535), depth);
            assert_int_equal(shw_pixel_depth(SHW_PIXEL_GREY16, &stored, scale), expected);
            expected = depth->kind == SHW_DEPTH_LINEAR
                           ? linear_depth(step, depth)
                           : depth_between_planes((uint64_t)(((wide)step << 48) / 0xffffff), depth);
            assert_int_equal(shw_pixel_depth(SHW_PIXEL_X8_D24, &(uint32_t){step | code << 24}, scale), expected);
            expected = (code & 0x7c00) == 0 ? depth_of(0, depth) : depth_of(half_of(code), depth);
            assert_int_equal(shw_pixel_depth(SHW_PIXEL_GREY16_FLOAT, &stored, scale), expected);
        }
    }
}

TESTING_CASE(placed_rectangles_keep_a_pixel)
{
    struct testing_random random = {2};

    for (int i = 0; i < 100000; i++) {
        struct shw_rect image = {0, 0, testing_random_range(&random, 1, 40), testing_random_range(&random, 1, 40)};
        int32_t x = testing_random_range(&random, 0, image.x1 - 1), y = testing_random_range(&random, 0, image.y1 - 1);
        int32_t x0 = testing_random_range(&random, -60, 60), y0 = testing_random_range(&random, -60, 60);
        int32_t x1 = x0 + testing_random_range(&random, 1, 30), y1 = y0 + testing_random_range(&random, 1, 30);
        struct shw_rect rect = shw_rect_place((uint32_t)(uint16_t)x0 | (uint32_t)(uint16_t)y0 << 16,
                                              (uint32_t)(uint16_t)x1 | (uint32_t)(uint16_t)y1 << 16, x, y, image);
        uint32_t inside = 0;
        for (int32_t v = 0; v < image.y1; v++)
            for (int32_t u = 0; u < image.x1; u++)
                if (u >= x + x0 && u < x + x1 && v >= y + y0 && v < y + y1) {
                    assert_true(u >= rect.x0 && u < rect.x1 && v >= rect.y0 && v < rect.y1);
                    inside++;
                }
        assert_true(rect.x0 >= 0 && rect.y0 >= 0 && rect.x1 <= image.x1 && rect.y1 <= image.y1);
        assert_true(rect.x0 < rect.x1 && rect.y0 < rect.y1);
        if (inside > 0)
            assert_int_equal(shw_rect_area(rect), inside);
        else /* outside: as near as the image gets, in each direction alone */
            assert_true(rect.x1 - rect.x0 <= x1 - x0 && rect.y1 - rect.y0 <= y1 - y0);
    }
}

TESTING_CASE(mean_rounds_towards_zero)
{
    struct testing_random random = {3};

    for (int i = 0; i < 100000; i++) {
        int32_t sum = testing_random_range(&random, -(1 << 30) + 1, (1 << 30) - 1) >> testing_random_below(&random, 30);
        int32_t area = testing_random_range(&random, 1, 1 << testing_random_below(&random, 25));
        assert_int_equal(shw_mean(sum, (uint32_t)area), sum / area);
    }
}

/* The generator's published test vectors (Random123, kat_vectors, philox2x32 with 10 rounds). */
/* For areas about powers of two and any others, and for sums next to multiples of them. */
TESTING_CASE(means_need_no_division)
{
    struct testing_random random = {4};

    for (int i = 0; i < 300000; i++) {
        uint32_t area = 1 + testing_random_below(&random, (1u << 30) - 1) / (1u << testing_random_below(&random, 30));
        uint32_t shift = shw_mean_shift(area), multiplier = shw_mean_multiplier(area);
        uint32_t most = (1u << 30) - 1, times = testing_random_below(&random, most / area + 1);
        int64_t sum = (int64_t)times * area + testing_random_range(&random, -1, 1);
        if (i % 3 == 0)
            sum = testing_random_below(&random, most + 1);
        if (i % 5 == 0)
            area = 1u << testing_random_below(&random, 30), shift = shw_mean_shift(area),
            multiplier = shw_mean_multiplier(area);
        sum = sum > most ? most : sum < 0 ? 0 : sum;
        assert_in_range(multiplier, 1u << 30, (1u << 31) - 1);
        assert_int_equal(shw_mean_by((int32_t)sum, multiplier, shift), sum / area);
        assert_int_equal(shw_mean_by(-(int32_t)sum, multiplier, shift), -(sum / area));
    }
}

TESTING_CASE(random_numbers_are_philox)
{
    struct shw_uint2 out;

    out = shw_random2(0, 0, 0);
    assert_int_equal(out.x, 0xff1dae59);
    assert_int_equal(out.y, 0x6cd10df2);
    out = shw_random2(0xffffffff, 0xffffffff, 0xffffffff);
    assert_int_equal(out.x, 0x2c3f628b);
    assert_int_equal(out.y, 0xab4fd7ad);
    out = shw_random2(0x13198a2e, 0x243f6a88, 0x85a308d3);
    assert_int_equal(out.x, 0xdd7ce038);
    assert_int_equal(out.y, 0xf62a4c12);
}

TESTING_CASE(bounded_random_numbers_are_even)
{
    uint32_t count[7] = {0};

    for (uint32_t i = 0; i < 70000; i++) {
        uint32_t value = shw_random_below(shw_random(42, i, 7), 7);
        assert_in_range(value, 0, 6);
        count[value]++;
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(count[i], 9600, 10400); /* four standard deviations */
}
