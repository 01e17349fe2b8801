/* Scores of splits, against long double and 128-bit arithmetic. */
#include "testing/testing.h"

#include <math.h>

#include "dense/split/score.h"
#include "shared/score.h"

TESTING_CASE(logarithm_is_at_most_one_unit_low)
{
    struct testing_random random = {1};

    for (uint32_t i = 0; i < 400000; i++) {
        uint32_t value =
            i < 100000 ? i + 1 : (uint32_t)(testing_random_next(&random) >> (32 + testing_random_below(&random, 31)));
        long double error;
        if (value == 0)
            continue;
        error = log2l(value) * (1 << SHW_LOG2_FRACTION_BITS) - shw_log2(value);
        assert_true(error > -1e-6L && error < 2);
    }
    for (uint32_t bit = 0; bit < 32; bit++)
        assert_int_equal(shw_log2(1u << bit), bit << SHW_LOG2_FRACTION_BITS);
}

TESTING_CASE(times_log2_is_the_product)
{
    struct testing_random random = {2};

    assert_int_equal(shw_score_times_log2(0), 0);
    assert_int_equal(shw_score_times_log2(1), 0);
    for (uint32_t i = 0; i < 300000; i++) {
        uint32_t n = 1 + (uint32_t)(testing_random_next(&random) >> (33 + testing_random_below(&random, 31)));
        assert_true(shw_score_times_log2(n) == (uint64_t)n * shw_log2(n));
        assert_true(shw_score_times_log2(n) ==
                    (uint64_t)n * shw_log2(n)); /* now remembered, whatever was asked before */
    }
}

/* a * b by schoolbook multiplication in 16-bit digits. */
static void multiply(uint64_t a, uint64_t b, uint32_t digits[8])
{
    uint64_t carry = 0;

    for (int i = 0; i < 8; i++) {
        uint64_t sum = carry & 0xffff, next = carry >> 16;
        for (int j = 0; j <= i; j++)
            if (j < 4 && i - j < 4) {
                uint64_t product = (a >> 16 * j & 0xffff) * (b >> 16 * (i - j) & 0xffff);
                sum += product & 0xffff;
                next += product >> 16;
            }
        digits[i] = sum & 0xffff;
        carry = next + (sum >> 16);
    }
}

static int plain_compare(const struct shw_score_value *a, const struct shw_score_value *b)
{
    uint32_t left[8], right[8];

    if (a->whole != b->whole)
        return a->whole < b->whole ? -1 : 1;
    multiply(a->numerator, b->denominator, left);
    multiply(b->numerator, a->denominator, right);
    for (int i = 7; i >= 0; i--)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

TESTING_CASE(comparison_is_exact)
{
    struct testing_random random = {3};
    unsigned seen[3] = {0};

    for (int i = 0; i < 200000; i++) {
        struct shw_score_value a = {.denominator =
                                        1 + (testing_random_next(&random) >> (2 + testing_random_below(&random, 60)))},
                               b;
        a.numerator = testing_random_next(&random) % a.denominator;
        b = a;
        switch (testing_random_below(&random, 4)) {
        case 0: /* the same value in other terms */
            if (a.denominator < (uint64_t)1 << 61) {
                b.numerator *= 2;
                b.denominator *= 2;
            }
            break;
        case 1: b.numerator = a.numerator > 0 ? a.numerator - 1 : 0; break;
        case 2: b.whole = testing_random_range(&random, -1, 1); break;
        default:
            b.denominator = 1 + (testing_random_next(&random) >> 3);
            b.numerator = testing_random_next(&random) % b.denominator;
            break;
        }
        assert_int_equal(sign(shw_score_compare(&a, &b)), plain_compare(&a, &b));
        assert_int_equal(sign(shw_score_compare(&b, &a)), -plain_compare(&a, &b));
        seen[1 + plain_compare(&a, &b)]++;
    }
    assert_true(seen[0] > 1000 && seen[1] > 1000 && seen[2] > 1000);
}

enum { CLASSES = 6 };

static long double plain_side(enum shw_score score, const uint32_t *counts)
{
    long double mass = 0, measure = 0, largest = 0;

    for (int c = 0; c < CLASSES; c++) {
        mass += counts[c];
        measure += score == SHW_SCORE_GINI ? (long double)counts[c] * counts[c]
                   : counts[c] > 0         ? counts[c] * log2l(counts[c])
                                           : 0;
        largest = counts[c] > largest ? counts[c] : largest;
    }
    if (mass <= 0)
        return 0;
    switch (score) {
    case SHW_SCORE_INFORMATION_GAIN: return measure - mass * log2l(mass);
    case SHW_SCORE_GINI: return measure / mass;
    case SHW_SCORE_MISCLASSIFICATION:
    case SHW_SCORE_NORMALISED_GAIN:
    case SHW_SCORE_GAIN_RATIO: break;
    }
    return largest;
}

/* Of both sides together. */
static struct shw_score_side join(enum shw_score score, uint32_t counts[2][CLASSES])
{
    uint32_t both[CLASSES];

    for (int c = 0; c < CLASSES; c++)
        both[c] = counts[0][c] + counts[1][c];
    return shw_score_side_of(score, both, CLASSES);
}

/* What the counts score by a quotient of the gain; *side: of both sides together. */
static struct shw_score_value quotient_of(enum shw_score score, uint32_t counts[2][CLASSES], struct shw_score_side *all)
{
    struct shw_score_side left = shw_score_side_of(score, counts[0], CLASSES),
                          right = shw_score_side_of(score, counts[1], CLASSES);

    *all = join(score, counts);
    return shw_score_of(score, all, &left, &right);
}

static void fill_random(struct testing_random *random, uint32_t counts[2][CLASSES])
{
    uint32_t limit = 2 + (uint32_t)(testing_random_next(random) >> (36 + testing_random_below(random, 28)));

    for (int s = 0; s < 2; s++)
        for (int c = 0; c < CLASSES; c++)
            counts[s][c] = testing_random_below(random, 3) == 0
                               ? 0
                               : testing_random_below(random, limit < 170000000 ? limit : 170000000);
}

TESTING_CASE(gain_quotients_have_their_definition)
{
    struct testing_random random = {6};
    unsigned one = 0;

    for (int i = 0; i < 60000; i++) {
        enum shw_score score = i % 2 ? SHW_SCORE_GAIN_RATIO : SHW_SCORE_NORMALISED_GAIN;
        uint32_t counts[2][CLASSES];
        struct shw_score_side all;
        struct shw_score_value value;
        long double gain, classes, split, mass[2] = {0}, unit = 1, got, expected;
        fill_random(&random, counts);
        value = quotient_of(score, counts, &all);
        for (int s = 0; s < 2; s++)
            for (int c = 0; c < CLASSES; c++)
                mass[s] += counts[s][c];
        if (mass[0] <= 0 || mass[1] <= 0) {
            assert_true(value.whole == 0 && value.numerator == 0);
            continue;
        }
        split = -mass[0] * log2l(mass[0] / (mass[0] + mass[1])) - mass[1] * log2l(mass[1] / (mass[0] + mass[1]));
        classes = gain = 0;
        for (int c = 0; c < CLASSES; c++) {
            long double both = (long double)counts[0][c] + counts[1][c];
            classes -= both > 0 ? both * log2l(both / (mass[0] + mass[1])) : 0;
            for (int s = 0; s < 2; s++)
                gain += counts[s][c] > 0 ? counts[s][c] * log2l(counts[s][c] / mass[s]) : 0;
        }
        gain += classes;
        expected = score == SHW_SCORE_GAIN_RATIO ? gain / split : 2 * gain / (classes + split);
        got = (long double)value.whole + (long double)value.numerator / (long double)value.denominator;
        unit = 4 * (mass[0] + mass[1]) / (1 << SHW_LOG2_FRACTION_BITS) / split;
        assert_true(value.denominator > 0 && got <= 1 && (value.whole == 0 || value.numerator == 0));
        assert_true(fabsl(got - expected) <= unit + 1e-12L);
        one += value.whole == 1;
    }
    assert_true(one > 100);
}

/* Sides that have no class in common tell as much as there is to know; sides of the same mixture nothing, however
 * large, although the logarithms are rounded. */
TESTING_CASE(gain_quotients_keep_their_bounds)
{
    struct testing_random random = {7};

    for (int i = 0; i < 20000; i++) {
        enum shw_score score = i % 2 ? SHW_SCORE_GAIN_RATIO : SHW_SCORE_NORMALISED_GAIN;
        uint32_t counts[2][CLASSES] = {{0}}, times = 1 + testing_random_below(&random, 20);
        struct shw_score_side all;
        struct shw_score_value value;
        counts[0][testing_random_below(&random, 3)] = 1 + testing_random_below(&random, 1u << 30);
        counts[1][3 + testing_random_below(&random, 3)] =
            1 + testing_random_below(&random, 1u << (1 + testing_random_below(&random, 30)));
        value = quotient_of(score, counts, &all);
        if ((uint64_t)counts[0][0] + counts[0][1] + counts[0][2] < (uint64_t)1 << 20)
            assert_true(value.whole == 1 && value.numerator == 0);
        else
            assert_true(value.whole == 0 || value.numerator == 0);
        for (int c = 0; c < CLASSES; c++) {
            counts[0][c] = testing_random_below(&random, 1u << (4 + testing_random_below(&random, 20)));
            counts[1][c] = counts[0][c] * times;
        }
        value = quotient_of(score, counts, &all);
        assert_true(value.whole == 0 && value.numerator == 0);
    }
}

TESTING_CASE(scores_have_their_definition)
{
    struct testing_random random = {4};

    for (int i = 0; i < 30000; i++) {
        uint32_t counts[2][CLASSES], shift = 5 + testing_random_below(&random, 27);
        for (int s = 0; s < 2; s++)
            for (int c = 0; c < CLASSES; c++)
                counts[s][c] = testing_random_below(&random, 4) == 0
                                   ? 0
                                   : (uint32_t)(testing_random_next(&random) >> (32 + shift)) / 16;
        if (testing_random_below(&random, 20) == 0)
            for (int c = 0; c < CLASSES; c++)
                counts[1][c] = 0;
        for (int score = 0; score < 3; score++) {
            enum shw_score kind = (enum shw_score)score;
            struct shw_score_side left = shw_score_side_of(kind, counts[0], CLASSES),
                                  right = shw_score_side_of(kind, counts[1], CLASSES);
            struct shw_score_side all = join(kind, counts);
            struct shw_score_value value = shw_score_of(kind, &all, &left, &right);
            long double expected = plain_side(kind, counts[0]) + plain_side(kind, counts[1]);
            long double got = (long double)value.whole + (long double)value.numerator / (long double)value.denominator;
            long double mass = (long double)(left.mass + right.mass) + 1;
            assert_true(value.denominator > 0 && value.numerator < value.denominator);
            if (kind == SHW_SCORE_INFORMATION_GAIN)
                got /= 1 << SHW_LOG2_FRACTION_BITS;
            assert_true(fabsl(got - expected) <= (kind == SHW_SCORE_INFORMATION_GAIN ? mass * 3e-7L : mass * 1e-15L));
        }
    }
}

TESTING_CASE(gini_is_the_exact_fraction)
{
    struct testing_random random = {5};

    for (int i = 0; i < 30000; i++) {
        uint32_t counts[2][CLASSES];
        struct shw_score_side side[2], all;
        struct shw_score_value value;
        unsigned __int128 numerator, denominator;
        for (int s = 0; s < 2; s++) {
            for (int c = 0; c < CLASSES; c++)
                counts[s][c] = 1 + testing_random_below(&random, 170000000);
            side[s] = shw_score_side_of(SHW_SCORE_GINI, counts[s], CLASSES);
        }
        all = join(SHW_SCORE_GINI, counts);
        value = shw_score_of(SHW_SCORE_GINI, &all, &side[0], &side[1]);
        numerator =
            (unsigned __int128)side[0].measure * side[1].mass + (unsigned __int128)side[1].measure * side[0].mass;
        denominator = (unsigned __int128)side[0].mass * side[1].mass;
        assert_true(value.denominator == (uint64_t)denominator);
        assert_true((unsigned __int128)value.whole * denominator + value.numerator == numerator);
    }
}

TESTING_CASE(pure_samples_gain_nothing)
{
    for (uint32_t left = 1; left < 300; left += 7) {
        uint32_t counts[3][CLASSES] = {{[2] = left}, {[2] = 300 - left}, {[2] = 300}};
        for (int score = 0; score < 5; score++) {
            enum shw_score kind = (enum shw_score)score;
            struct shw_score_side sides[3], none = {0};
            struct shw_score_value split, whole;
            for (int s = 0; s < 3; s++)
                sides[s] = shw_score_side_of(kind, counts[s], CLASSES);
            split = shw_score_of(kind, &sides[2], &sides[0], &sides[1]);
            whole = shw_score_of(kind, &sides[2], &sides[2], &none);
            assert_int_equal(shw_score_compare(&split, &whole), 0);
        }
    }
}

TESTING_CASE(weights_are_halved_while_samples_weigh_too_much)
{
    static const uint64_t many[] = {(1u << 30) + 5, 0, (1u << 30) - 6}, few[] = {3, 0, 1};
    static const double relative[] = {2796202.6640625, 1e300, 0.001}, large[] = {1, 7, 3e6};
    uint32_t weights[3];

    shw_weights_scale(NULL, many, 3, weights);
    assert_int_equal(weights[0] + weights[1] + weights[2], 3);
    shw_weights_scale(relative, few, 3, weights); /* 3 * 715827882 + 1: the last weight that fits */
    assert_int_equal(weights[0], 715827882);
    assert_int_equal(weights[1], UINT32_MAX);
    assert_int_equal(weights[2], 1);
    shw_weights_scale(large, few, 3, weights);
    assert_int_equal(weights[0], 256);
    assert_int_equal(weights[2], 256 * 3000000);
    shw_weights_scale(large, many, 3, weights); /* nothing smaller than 1 fits, and 1 does not exceed the limit */
    assert_int_equal(weights[0], 1);
    assert_int_equal(weights[2], 1);
}
