/* Thresholds, and the best test of a histogram against trying all of them. */
#include "testing/testing.h"

#include <math.h>
#include <string.h>

#include "dense/feature/feature_code.h"
#include "dense/grow/trainer.h"
#include "testing/examples.h"
#include "testing/training.h"

enum { CLASSES = 4, BINS_MAX = 12 };

struct problem {
    uint32_t bins, histogram[BINS_MAX * CLASSES], totals[CLASSES], weights[CLASSES];
    struct shw_thresholds thresholds;
};

/* What a test sends to the right: bins first..end-1. */
struct candidate_test {
    uint32_t first, end;
    int32_t t0, t1;
};

static uint32_t list_tests(const struct problem *problem, enum shw_threshold_scheme scheme,
                           struct candidate_test *tests)
{
    const int32_t *values = problem->thresholds.values;
    uint32_t bins = problem->bins, count = 0;

    for (uint32_t first = 0; first < bins; first++)
        for (uint32_t end = first + 1; end <= bins; end++) {
            if (scheme == SHW_THRESHOLDS_BEST ? first == 0 || end < bins : end - first == bins)
                continue;
            tests[count++] = (struct candidate_test){first, end, first > 0 ? values[first - 1] : INT32_MIN,
                                                     end < bins ? values[end - 1] : INT32_MAX};
        }
    return count;
}

static void divide(const struct problem *problem, const struct candidate_test *test, uint64_t counts[2][CLASSES],
                   uint64_t samples[2])
{
    memset(counts, 0, 2 * sizeof counts[0]);
    samples[0] = samples[1] = 0;
    for (uint32_t b = 0; b < problem->bins; b++)
        for (uint32_t c = 0; c < CLASSES; c++) {
            int right = b >= test->first && b < test->end;
            counts[right][c] += (uint64_t)problem->histogram[b * CLASSES + c] * problem->weights[c];
            samples[right] += problem->histogram[b * CLASSES + c];
        }
}

/* Larger is better; exact for misclassification, and for Gini with these small counts up to far less than any
 * difference. */
static long double plain_times_log2(long double n)
{
    return n > 0 ? n * log2l(n) : 0;
}

/* The gain as a part of what the score says. */
static long double quotient(enum shw_score score, uint64_t counts[2][CLASSES])
{
    long double mass[2] = {0}, split, classes, gain;

    classes = gain = 0;
    for (int c = 0; c < CLASSES; c++) {
        for (int s = 0; s < 2; s++) {
            mass[s] += (long double)counts[s][c];
            gain += plain_times_log2((long double)counts[s][c]);
        }
        classes -= plain_times_log2((long double)(counts[0][c] + counts[1][c]));
    }
    classes += plain_times_log2(mass[0] + mass[1]);
    split = plain_times_log2(mass[0] + mass[1]) - plain_times_log2(mass[0]) - plain_times_log2(mass[1]);
    gain += classes - plain_times_log2(mass[0]) - plain_times_log2(mass[1]);
    if (split <= 0)
        return 0;
    return score == SHW_SCORE_GAIN_RATIO ? gain / split : 2 * gain / (classes + split);
}

static long double worth(enum shw_score score, uint64_t counts[2][CLASSES])
{
    long double total = 0;

    if (score == SHW_SCORE_NORMALISED_GAIN || score == SHW_SCORE_GAIN_RATIO)
        return quotient(score, counts);
    for (int s = 0; s < 2; s++) {
        long double mass = 0, sum = 0, largest = 0;
        for (int c = 0; c < CLASSES; c++) {
            long double n = (long double)counts[s][c];
            mass += n;
            sum += score == SHW_SCORE_GINI ? n * n : plain_times_log2(n);
            largest = n > largest ? n : largest;
        }
        if (mass > 0)
            total += score == SHW_SCORE_GINI                ? sum / mass
                     : score == SHW_SCORE_MISCLASSIFICATION ? largest
                                                            : sum - mass * log2l(mass);
    }
    return total;
}

static void make_problem(struct testing_random *random, enum shw_threshold_scheme scheme, struct problem *problem)
{
    bool weighted = testing_random_below(random, 2) == 0;
    uint32_t most = 1 + testing_random_below(random, 12);
    int32_t value = testing_random_range(random, -1000, 1000);

    memset(problem, 0, sizeof *problem);
    problem->bins = 2 + testing_random_below(random, scheme == SHW_THRESHOLDS_BEST ? BINS_MAX - 1 : 4);
    problem->thresholds.count = problem->bins - 1;
    for (uint32_t b = 0; b + 1 < problem->bins; b++)
        problem->thresholds.values[b] = value += 1 + (int32_t)testing_random_below(random, 50);
    for (uint32_t c = 0; c < CLASSES; c++) {
        problem->weights[c] = weighted ? 1 + testing_random_below(random, 2000) : 1;
        for (uint32_t b = 0; b < problem->bins; b++) {
            uint32_t n = testing_random_below(random, 3) == 0 ? 0 : testing_random_below(random, most + 1);
            problem->histogram[b * CLASSES + c] = n;
            problem->totals[c] += n;
        }
    }
}

static struct shw_node_counts node_of(const struct problem *problem, enum shw_score score)
{
    struct shw_node_counts node = {.class_count = CLASSES, .weights = problem->weights, .totals = problem->totals};
    struct shw_score_side none = {0};
    uint32_t weighted[CLASSES];

    for (uint32_t c = 0; c < CLASSES; c++) {
        node.samples += problem->totals[c];
        weighted[c] = problem->totals[c] * problem->weights[c];
    }
    node.all = shw_score_side_of(score, weighted, CLASSES);
    node.unsplit = shw_score_of(score, &node.all, &node.all, &none);
    return node;
}

static void check_problem(const struct problem *problem, const struct shw_trainer_params *params)
{
    struct shw_node_counts node = node_of(problem, params->score);
    struct shw_split split = {0};
    uint32_t scratch[4 * CLASSES];
    struct candidate_test tests[BINS_MAX * BINS_MAX], whole = {0};
    uint32_t count = list_tests(problem, params->thresholds, tests), best = count, chosen = count;
    uint64_t counts[2][CLASSES], samples[2], unsplit_counts[2][CLASSES], unsplit_samples[2];
    long double unsplit, best_worth, tolerance, chosen_worth = 0;
    bool exact = params->score == SHW_SCORE_GINI || params->score == SHW_SCORE_MISCLASSIFICATION;

    divide(problem, &whole, unsplit_counts, unsplit_samples);
    best_worth = unsplit = worth(params->score, unsplit_counts);
    tolerance = exact ? 1e-9L : 1e-5L * (1 + fabsl(unsplit));
    if (params->score >=
        SHW_SCORE_NORMALISED_GAIN) /* rounding over the least entropy, that of one unit of mass against the others */
        tolerance =
            4 / (long double)(1 << 24) * (2 + (long double)node.all.mass) / log2l(2 + (long double)node.all.mass);
    shw_split_choose(params, &node, &problem->thresholds, problem->histogram, 7, scratch, &split);
    for (uint32_t t = 0; t < count; t++) {
        long double value;
        divide(problem, &tests[t], counts, samples);
        if (samples[0] < params->samples_min || samples[1] < params->samples_min)
            continue;
        value = worth(params->score, counts);
        if (value > best_worth + (exact ? tolerance : 0)) {
            best_worth = value;
            best = t;
        }
        if (split.found && chosen == count && tests[t].t0 == split.t0 && tests[t].t1 == split.t1) {
            chosen = t;
            chosen_worth = value;
        }
    }
    if (!split.found) {
        assert_true(best_worth <= unsplit + tolerance);
        return;
    }
    assert_int_equal(split.candidate, 7);
    assert_true(chosen < count);
    assert_true(chosen_worth >= best_worth - tolerance);
    if (exact) /* the first among equals */
        assert_int_equal(chosen, best);
}

TESTING_CASE(best_test_is_found)
{
    struct testing_random random = {6};

    for (int i = 0; i < 60000; i++) {
        struct shw_trainer_params params = {.thresholds = (enum shw_threshold_scheme)testing_random_below(&random, 2),
                                            .score = (enum shw_score)testing_random_below(&random, 5),
                                            .samples_min = 1 + testing_random_below(&random, 20)};
        struct problem problem;
        make_problem(&random, params.thresholds, &problem);
        check_problem(&problem, &params);
    }
}

TESTING_CASE(earlier_candidate_keeps_a_tie)
{
    struct testing_random random = {7};

    for (int i = 0; i < 2000; i++) {
        struct shw_trainer_params params = {.score = (enum shw_score)testing_random_below(&random, 5),
                                            .samples_min = 1};
        struct shw_split split = {0}, again;
        uint32_t scratch[4 * CLASSES];
        struct problem problem;
        struct shw_node_counts node;
        make_problem(&random, SHW_THRESHOLDS_BEST, &problem);
        node = node_of(&problem, params.score);
        shw_split_choose(&params, &node, &problem.thresholds, problem.histogram, 3, scratch, &split);
        again = split;
        shw_split_choose(&params, &node, &problem.thresholds, problem.histogram, 4, scratch, &again);
        assert_int_equal(again.found, split.found);
        assert_int_equal(again.candidate, split.candidate);
        assert_int_equal(again.t0, split.t0);
    }
}

static int32_t random_response(struct testing_random *random, uint32_t spread)
{
    return testing_random_range(random, -(1 << 30) + 1, (1 << 30) - 1) >> spread;
}

/* A bin is the number of thresholds that do not exceed the response. */
TESTING_CASE(bins_count_thresholds)
{
    struct testing_random random = {8};

    for (int i = 0; i < 3000; i++) {
        struct shw_trainer_params params = {.feature = &shw_feature_mean_difference,
                                            .bins = 2 + testing_random_below(&random, 255),
                                            .thresholds = (enum shw_threshold_scheme)testing_random_below(&random, 2)};
        uint32_t count =
            params.thresholds == SHW_THRESHOLDS_BEST ? 1 + testing_random_below(&random, 64) : params.bins - 1;
        uint32_t spread = testing_random_below(&random, 31);
        int32_t responses[SHW_BLOCK], bins[SHW_BLOCK], low = INT32_MAX, high = INT32_MIN;
        struct shw_thresholds thresholds;
        for (uint32_t k = 0; k < count; k++) {
            responses[k] = random_response(&random, spread);
            low = responses[k] < low ? responses[k] : low;
            high = responses[k] > high ? responses[k] : high;
        }
        shw_thresholds_make(&params, (struct shw_interval){0, 0}, responses, count, &thresholds);
        if (low == high && params.thresholds == SHW_THRESHOLDS_BEST) {
            assert_int_equal(thresholds.count, 0);
            continue;
        }
        assert_int_equal(thresholds.count, params.bins - 1);
        for (uint32_t k = 0; k < thresholds.count; k++) {
            assert_true(thresholds.values[k] >= low && thresholds.values[k] <= high);
            assert_true(k == 0 || thresholds.values[k - 1] <= thresholds.values[k]);
        }
        for (uint32_t k = 0; k < SHW_BLOCK; k++) /* also next to thresholds, and far outside */
            responses[k] = k % 3 == 0 ? random_response(&random, spread)
                           : k % 3 == 1
                               ? random_response(&random, 0)
                               : thresholds.values[k % thresholds.count] + testing_random_range(&random, -1, 1);
        shw_thresholds_bin(params.thresholds, &thresholds, responses, bins, SHW_BLOCK,
                           i % 2 == 0 ? shw_simd_level() : SHW_SIMD_NONE);
        for (uint32_t k = 0; k < SHW_BLOCK; k++) {
            int32_t expected = 0;
            for (uint32_t t = 0; t < thresholds.count; t++)
                expected += thresholds.values[t] <= responses[k];
            assert_int_equal(bins[k], expected);
        }
    }
}

/* Children whose samples were lost on the way: an error, and no leaf without samples. */
TESTING_CASE(lost_samples_are_reported)
{
    struct testing_examples_params examples_params = {.seed = 1};
    struct shw_trainer_params params = testing_training;
    const struct shw_split split = {.found = true, .t1 = INT32_MAX};
    struct testing_examples examples;
    struct testing_log memory;
    struct shw_trainer *trainer = NULL;
    uint32_t made = 0, *counts;

    testing_examples_make(&examples_params, &examples);
    params.log = testing_log(&memory);
    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_prepare(trainer), SHW_OK);
    assert_int_equal(shw_tree_builder_begin(trainer), SHW_OK);
    counts = trainer->builder.open_counts;
    /* all on the left, more than there are on the left */
    for (uint32_t more = 0; more < 2; more++) {
        uint32_t child_counts[6] = {counts[0] + more, counts[1], counts[2]};
        assert_int_equal(shw_tree_builder_apply(trainer, &split, child_counts, &made), SHW_ERROR_UNSUPPORTED);
        assert_int_equal(memory.last_item, SHW_LOG_REQUIREMENT);
        assert_int_equal(trainer->builder.node_count, 1);
    }
    shw_trainer_destroy(&trainer);
    testing_examples_free(&examples);
}
