/* Reliability of probabilities, and the power that calibrates them, against figures worked out by hand. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>

#include "dense/metrics/power.h"
#include "dense/metrics/reliability.h"

/* Four pixels and two that do not count, of two classes. */
TESTING_CASE(small_table_has_the_known_errors)
{
    const uint16_t labels[] = {0, 0, 1, 1, SHW_LABEL_VOID, 0};
    const uint16_t predictions[] = {0, 1, 1, 0, 0, SHW_LABEL_VOID};
    const uint16_t distribution[] = {52428, 26214, 13107, 52428, 65535, 0, 13107, 39321, 52428, 13107, 0, 0};
    struct shw_reliability reliability = {0};
    struct shw_reliability_summary summary;

    shw_reliability_add(&reliability, labels, predictions, distribution, 2, 6);
    /* 52428 of 65536 is in the bin from 0.7 on, 39321 in that from 0.5 on */
    assert_int_equal(reliability.bins[7].pixels, 3);
    assert_int_equal(reliability.bins[7].correct, 2);
    assert_int_equal(reliability.bins[7].confidence, 3 * 52428);
    assert_int_equal(reliability.bins[5].pixels, 1);
    assert_int_equal(reliability.bins[5].correct, 0);
    summary = shw_reliability_summarise(&reliability);
    assert_int_equal(summary.pixels, 4);
    assert_true(summary.accuracy == 0.5);
    assert_true(fabs(summary.confidence - (3 * 0.8 + 0.6) / 4) < 1e-12);
    assert_true(fabs(summary.calibration_error - ((3 * 0.8 - 2) + 0.6) / 4) < 1e-12);
    assert_true(fabs(summary.brier - (2 * 0.04 + 2 * 0.36 + 2 * 0.04 + 2 * 0.64) / 4) < 1e-12);
}

TESTING_CASE(nothing_has_no_error)
{
    const struct shw_reliability reliability = {0};
    struct shw_reliability_summary summary = shw_reliability_summarise(&reliability);

    assert_int_equal(summary.pixels, 0);
    assert_true(isnan(summary.accuracy) && isnan(summary.calibration_error) && isnan(summary.brier));
}

/* Certainty is in the last bin. */
TESTING_CASE(ends_are_in_bins)
{
    const uint16_t label = 0, prediction = 0, values[] = {65535, 0, 6553, 6554};
    struct shw_reliability reliability = {0};

    for (int i = 0; i < 4; i++)
        shw_reliability_add(&reliability, &label, &prediction, &values[i], 1, 1);
    assert_int_equal(reliability.bins[9].pixels, 1);
    assert_int_equal(reliability.bins[0].pixels, 2);
    assert_int_equal(reliability.bins[1].pixels, 1);
}

/* The table is that of pow(), to rounding. */
TESTING_CASE(powers_are_powers)
{
    struct shw_power *power = malloc(sizeof *power);

    for (uint32_t sixteenths = SHW_POWER_MIN; sixteenths <= SHW_POWER_MAX; sixteenths += 5) {
        shw_power_make(power, sixteenths);
        assert_int_equal(power->values[0], 0);
        assert_int_equal(power->values[65535], (uint32_t)1 << 31);
        for (uint32_t p = 1; p <= 65535; p += 7) {
            double expected = ldexp(pow(p / 65535.0, sixteenths / 16.0), 31);

            if (fabs(power->values[p] - expected) > 2 + 2e-6 * expected)
                fail_msg("power %u/16 of %u is %u, not %.1f", sixteenths, p, power->values[p], expected);
            assert_true(power->values[p] >= power->values[p - 1]);
        }
    }
    free(power);
}

TESTING_CASE(power_one_changes_nothing)
{
    struct shw_power *power = malloc(sizeof *power);
    const uint16_t given[] = {65535, 0, 40000, 1, 0, 0, 15535, 65534, 0, 0, 10000, 0};
    uint16_t values[12];

    memcpy(values, given, sizeof given);
    shw_power_make(power, SHW_POWER_ONE);
    shw_power_apply(power, values, 3, 4);
    for (int i = 0; i < 12; i++)
        assert_true(abs(values[i] - given[i]) <= 1);
    /* squares: 0.6, 0.3, 0.1 become 36, 9 and 1 of 46; void pixels stay */
    shw_power_make(power, 2 * SHW_POWER_ONE);
    memcpy(values, (uint16_t[]){39321, 0, 19660, 0, 6554, 0}, 6 * sizeof *values);
    shw_power_apply(power, values, 3, 2);
    assert_true(abs(values[0] - 65535 * 36 / 46) <= 2);
    assert_true(abs(values[2] - 65535 * 9 / 46) <= 2);
    assert_true(abs(values[4] - 65535 / 46) <= 2);
    assert_int_equal(values[1] + values[3] + values[5], 0);
    free(power);
}

/* 60 % of the labels are those of probability 0.6, so that no power is better than one; of others, 90 %. */
TESTING_CASE(the_power_that_fits_is_chosen)
{
    enum { COUNT = 1000 };
    static uint16_t distributions[2 * COUNT], labels[COUNT];
    const struct shw_power_pixels pixels = {COUNT, 2, distributions, labels};
    double brier[2];

    for (uint32_t i = 0; i < COUNT; i++) {
        distributions[2 * i] = 39321;
        distributions[2 * i + 1] = 26214;
        labels[i] = i % 10 >= 6;
    }
    assert_int_equal(shw_power_choose(&pixels, NULL, brier), SHW_POWER_ONE);
    assert_true(brier[0] == brier[1] && fabs(brier[0] - 2 * (0.6 * 0.16 + 0.4 * 0.36)) < 1e-3);
    for (uint32_t i = 0; i < COUNT; i++)
        labels[i] = i % 10 == 9;
    /* 1.5^p = 9 for p = 5.4: the greatest power */
    assert_int_equal(shw_power_choose(&pixels, NULL, brier), SHW_POWER_MAX);
    for (uint32_t i = 0; i < COUNT; i++)
        labels[i] = i % 100 >= 77;
    /* 1.5^p = 0.77 / 0.23 for p = 2.98 */
    assert_int_equal(shw_power_choose(&pixels, NULL, brier), 48);
    assert_true(brier[1] < brier[0]);
}
