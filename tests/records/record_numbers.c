/* Codes of float32 decide as the numbers do; predictions follow from sums. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/record.h"
#include "testing/record_forests.h"

static float of_bits(uint32_t bits)
{
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static const double edges[] = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    -0.1,
    1e-45,
    -1e-45,
    1e-50,
    -1e-50,
    1e-38,
    -1e-38,
    FLT_MIN,
    -FLT_MIN,
    FLT_MAX,
    -FLT_MAX,
    3.5e38,
    -3.5e38,
    1e300,
    -1e300,
    DBL_MAX,
    -DBL_MAX,
    INFINITY,
    -INFINITY,
    16777217.0,
    -16777217.,
    1e-35,
    -1e-35,
    5e-324,
    -5e-324,
    FLT_TRUE_MIN,
    -FLT_TRUE_MIN,
    0.5 + 1e-12,
    0.5 - 1e-12,
    2.5e-45,
    -2.5e-45,
    7.0064923216240853e-46 /* half of the least float32 */,
    -7.0064923216240853e-46,
};
#define EDGE_COUNT (sizeof edges / sizeof *edges)

/* All floats, in steps that are prime to their number, and the neighbours of a limit, against a limit in double. */
static void assert_decides(double limit, float value)
{
    int32_t code = shw_record_code_of(value);
    int32_t at_most = shw_record_threshold_at_most(limit), below = shw_record_threshold_below(limit);

    if (((double)value <= limit) != (code <= at_most) || ((double)value < limit) != (code <= below))
        fail_msg("%.9g against %.17g: codes %d, %d and %d", (double)value, limit, code, at_most, below);
    assert_true(at_most > SHW_RECORD_CODE_MISSING && below > SHW_RECORD_CODE_MISSING);
}

TESTING_CASE(thresholds_decide_as_the_numbers_do)
{
    struct testing_random random = {5};

    for (size_t e = 0; e < EDGE_COUNT; e++) {
        float near = (float)edges[e];
        for (int step = -2; step <= 2; step++)
            assert_decides(edges[e], step < 0   ? nextafterf(step < -1 ? nextafterf(near, -INFINITY) : near, -INFINITY)
                                     : step > 0 ? nextafterf(step > 1 ? nextafterf(near, INFINITY) : near, INFINITY)
                                                : near);
        for (size_t other = 0; other < EDGE_COUNT; other++)
            assert_decides(edges[e], (float)edges[other]);
        for (uint64_t bits = e; bits < UINT64_C(1) << 32; bits += 1000003)
            if (!isnan(of_bits((uint32_t)bits)))
                assert_decides(edges[e], of_bits((uint32_t)bits));
    }
    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t bits = testing_random_next(&random);
        float value = of_bits((uint32_t)testing_random_next(&random));
        double limit;
        memcpy(&limit, &bits, sizeof limit);
        if (i % 2 == 0) /* near the number */
            limit = (double)value * (1 + ldexp(testing_random_range(&random, -8, 8), -26));
        if (!isnan(limit) && !isnan(value))
            assert_decides(limit, value);
    }
}

/* The order of codes is that of numbers, over a sample of all of them in ascending order. */
TESTING_CASE(codes_are_in_the_order_of_numbers)
{
    float before = -INFINITY;
    int32_t code_before = shw_record_code_of(before);

    for (uint64_t step = 1; step < UINT64_C(0xff000001); step += 997) { /* from -inf to inf, by bits */
        uint32_t bits = step <= 0x7f800000 ? 0xff800000u - (uint32_t)step : (uint32_t)(step - 0x7f800001);
        float value = of_bits(bits);
        int32_t code = shw_record_code_of(value);
        assert_true(value > before && code > code_before && code > SHW_RECORD_CODE_MISSING);
        assert_true(shw_record_code_value(code) == value);
        before = value;
        code_before = code;
    }
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 65521)
        assert_true(isnan(of_bits((uint32_t)bits)) ==
                    (shw_record_code_of(of_bits((uint32_t)bits)) == SHW_RECORD_CODE_MISSING));
    assert_int_equal(shw_record_code_of(0.0f), 0);
    assert_int_equal(shw_record_code_of(-0.0f), 0);
    assert_int_equal(shw_record_code_of(NAN), INT32_MIN);
    assert_int_equal(shw_record_code_of(-NAN), INT32_MIN);
}

/* What a test compares with, for codes of no number, too. */
TESTING_CASE(values_of_codes_decide_as_they_do)
{
    static const float numbers[] = {-INFINITY, -FLT_MAX,     -1, -FLT_TRUE_MIN, -0.0f,
                                    0,         FLT_TRUE_MIN, 1,  FLT_MAX,       INFINITY};
    int32_t lowest = shw_record_code_of(-INFINITY), highest = shw_record_code_of(INFINITY);
    const int32_t codes[] = {INT32_MIN + 1, lowest - 1, lowest,      lowest + 1, -3, -2, -1, 0, 1, 2,
                             highest - 1,   highest,    highest + 1, INT32_MAX};

    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
        float limit = shw_record_code_value(codes[c]);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            assert_int_equal(shw_record_code_of(numbers[i]) > codes[c], isnan(limit) || numbers[i] > limit);
    }
    assert_true(isnan(shw_record_code_value(SHW_RECORD_CODE_MISSING)));
}

static bool plain_goes_right(float value, int32_t threshold, bool missing_right, bool zero_missing)
{
    float limit = shw_record_code_value(threshold);

    if (isnan(value) || (zero_missing && fabsf(value) <= 1e-35f))
        return missing_right;
    return isnan(limit) || value > limit;
}

/* The test that shaders share, with both flags, against the comparison of numbers. */
TESTING_CASE(tests_treat_missing_and_zero_as_told)
{
    struct testing_random random = {6};
    struct shw_record_forest *forest =
        random_record_forest(&(struct random_record_forest_params){.seed = 9, .trees = 20, .attributes = 100});
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    float *values = random_records(forest, 400, 8);
    uint32_t missing = 0, zeros = 0;

    for (uint32_t v = 0; v < 40000; v++) {
        int32_t threshold = info->nodes[testing_random_below(&random, info->node_count)].threshold;
        for (uint32_t flags = 0; flags < 4; flags++) {
            shw_int code = shw_record_code_for(shw_record_code_of(values[v]), flags >> 1);
            assert_int_equal(shw_record_goes_right(code, threshold, flags & 1),
                             plain_goes_right(values[v], threshold, flags & 1, flags >> 1));
        }
        missing += isnan(values[v]) ? 1 : 0;
        zeros += fabsf(values[v]) <= 1e-35f ? 1 : 0;
    }
    assert_true(missing > 1000 && zeros > 1000); /* of the 40,000 */
    free(values);
    shw_record_forest_destroy(&forest);
}

/* A forest of one leaf, whose sums are given. */
static struct shw_record_forest *with_link(enum shw_record_link link, bool classes, uint32_t outputs, bool mean,
                                           double scale)
{
    const struct shw_record_tree trees[2] = {{.node_count = 1}, {.first_node = 1, .node_count = 1}};
    const struct shw_record_node nodes[2] = {{0}, {0}};
    const int32_t values[8] = {0};
    struct shw_record_forest *forest = NULL;

    assert_int_equal(shw_record_forest_create(
                         &(struct shw_record_forest_info){.task = classes ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES,
                                                          .link = link,
                                                          .link_scale = scale,
                                                          .mean = mean,
                                                          .attribute_count = 1,
                                                          .output_count = outputs,
                                                          .class_count = !classes       ? 0
                                                                         : outputs == 1 ? 2
                                                                                        : outputs,
                                                          .fraction_bits = 16,
                                                          .values_per_leaf = outputs,
                                                          .tree_count = 2,
                                                          .node_count = 2,
                                                          .leaf_count = 2,
                                                          .trees = trees,
                                                          .nodes = nodes,
                                                          .leaf_values = values},
                         NULL, &forest),
                     SHW_OK);
    return forest;
}

TESTING_CASE(predictions_follow_from_sums)
{
    static const struct {
        enum shw_record_link link;
        bool classes, mean;
        uint32_t outputs, count;
        double scale, sums[3], expected[3];
    } cases[] = {
        {SHW_RECORD_IDENTITY, true, true, 3, 3, 0, {2, 0, -1}, {1, 0, -0.5}},
        {SHW_RECORD_IDENTITY, true, false, 1, 1, 0, {-0.25}, {-0.25}},
        {SHW_RECORD_IDENTITY, false, false, 1, 1, 0, {1e9}, {1e9}},
        {SHW_RECORD_LOGISTIC, true, false, 1, 2, 0, {1}, {0.26894142137, 0.73105857863}},
        {SHW_RECORD_LOGISTIC, true, false, 1, 2, 2, {-0.5}, {0.73105857863, 0.26894142137}},
        {SHW_RECORD_LOGISTIC, true, false, 3, 3, 0, {0, 1, -1000}, {0.5, 0.73105857863, 0}},
        {SHW_RECORD_SOFTMAX, true, false, 3, 3, 0, {1000, 1001, 999}, {0.24472847105, 0.66524095577, 0.09003057317}},
        {SHW_RECORD_SOFTMAX, true, true, 2, 2, 0, {2, 0}, {0.73105857863, 0.26894142137}},
        {SHW_RECORD_SOFTMAX_ZERO, true, false, 3, 3, 0, {1, 0, 1}, {0.5, 0, 0.5}},
        {SHW_RECORD_SOFTMAX_ZERO, true, false, 3, 3, 0, {0, 0, 0}, {0, 0, 0}},
        {SHW_RECORD_EXP, false, false, 1, 1, 0, {1}, {2.71828182846}},
        {SHW_RECORD_PROBIT, false, false, 3, 3, 0, {0.5, 0.975, 0.025}, {0, 1.95996398454, -1.95996398454}},
        {SHW_RECORD_PROBIT, false, false, 3, 3, 0, {0, 1, 2}, {-INFINITY, INFINITY, NAN}},
        {SHW_RECORD_SOFTPLUS, false, false, 3, 3, 0, {0, 1000, -100}, {0.69314718056, 1000, 3.720075976e-44}},
        {SHW_RECORD_SIGNED_SQUARE, false, false, 3, 3, 0, {1.5, -3, 0}, {2.25, -9, 0}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_record_forest *forest =
            with_link(cases[i].link, cases[i].classes, cases[i].outputs, cases[i].mean, cases[i].scale);
        int64_t sums[6];
        float predictions[6];
        assert_int_equal(shw_record_forest_get_prediction_count(forest), cases[i].count);
        for (uint32_t o = 0; o < 2 * cases[i].outputs; o++) /* two records */
            sums[o] = (int64_t)rint(cases[i].sums[o % cases[i].outputs] * 65536);
        shw_record_forest_predict(forest, 2, sums, predictions);
        for (uint32_t p = 0; p < 2 * cases[i].count; p++) {
            double expected = cases[i].expected[p % cases[i].count], made = predictions[p];
            double tolerance = 1e-4 * fmax(fabs(expected), 1e-40); /* sums are rounded to 2^-16 */
            if (isnan(expected) ? !isnan(made) : made != expected && !(fabs(made - expected) <= tolerance))
                fail_msg("case %zu, prediction %u: %.9g instead of %.9g", i, p, made, expected);
        }
        shw_record_forest_destroy(&forest);
    }
}

/* Against the distribution function itself, into both tails. */
TESTING_CASE(the_normal_quantile_is_an_inverse)
{
    struct shw_record_forest *forest = with_link(SHW_RECORD_PROBIT, false, 1, false, 0);

    for (int64_t sum = 1; sum < 65536; sum += 97) {
        float prediction;
        shw_record_forest_predict(forest, 1, &sum, &prediction);
        assert_true(fabs(0.5 * erfc(-prediction / sqrt(2)) - (double)sum / 65536) < 1e-7);
    }
    shw_record_forest_destroy(&forest);
}
