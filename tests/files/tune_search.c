/* The search for settings: proposals, the t-test, the importance of dimensions. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/tune/search.h"
#include "files/tune/t_test.h"

static const struct shw_dimension dimensions[] = {
    {.low = -5, .high = 10},
    {.low = 0, .high = 15},
    {.low = 1, .high = 4096, .logarithmic = true, .whole = true},
    {.choices = 5},
    {.low = 1, .high = 9, .whole = true},
    {.low = 0, .high = 1}, /* without effect */
};
#define COUNT (sizeof dimensions / sizeof *dimensions)

/* Branin's function, whose minimum is 0.398, on the first two; and a valley of the others, at 64, the third choice, 5.
 */
static double objective(const double *x)
{
    const double a = x[1] - 5.1 / (4 * M_PI * M_PI) * x[0] * x[0] + 5 / M_PI * x[0] - 6;
    static const double of_choice[] = {14, 9, 0, 12, 6};

    return a * a + 10 * (1 - 1 / (8 * M_PI)) * cos(x[0]) + 10 + 2 * fabs(log2(x[2]) - 6) + of_choice[(unsigned)x[3]] +
           fabs(x[4] - 5);
}

#define TRIALS 80u
#define SEEDS  21u

/* The least loss that a search finds. */
static double search(uint64_t seed, bool draws)
{
    struct shw_observation observations[TRIALS];
    double least = INFINITY;

    for (uint32_t t = 0; t < TRIALS; t++) {
        struct shw_search_random random = shw_search_random_of(seed, t);

        shw_search_propose(dimensions, COUNT, observations, draws ? 0 : t, &random, observations[t].values);
        observations[t].loss = objective(observations[t].values);
        least = fmin(least, observations[t].loss);
    }
    return least;
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

TESTING_CASE(the_estimator_finds_less_than_drawing_at_random)
{
    double tpe[SEEDS], drawn[SEEDS];
    unsigned better = 0;

    for (unsigned s = 0; s < SEEDS; s++) {
        tpe[s] = search(s, false);
        drawn[s] = search(s, true);
        better += tpe[s] < drawn[s];
    }
    qsort(tpe, SEEDS, sizeof *tpe, compare);
    qsort(drawn, SEEDS, sizeof *drawn, compare);
    print_message("# medians: %.2f by the estimator, %.2f at random; better in %u of %u\n", tpe[SEEDS / 2],
                  drawn[SEEDS / 2], better, SEEDS);
    assert_true(tpe[SEEDS / 2] < 0.7 * drawn[SEEDS / 2]);
    assert_true(better > SEEDS * 3 / 4);
}

/* With losses that are known, that are not, and that are all equal. */
/* From a good point, moves of the best one in turn with the estimator find less than the estimator alone. */
static double search_from(uint64_t seed, bool moves)
{
    struct shw_observation observations[TRIALS] = {{{2, 4, 100, 2, 6, 0.5}, 0}};
    uint32_t best = 0;

    observations[0].loss = objective(observations[0].values);
    for (uint32_t t = 1; t < TRIALS / 2; t++) {
        struct shw_search_random random = shw_search_random_of(seed, t);

        shw_search_propose(dimensions, COUNT, observations, t, &random, observations[t].values);
        if (moves && t % 2 == 1) {
            memcpy(observations[t].values, observations[best].values, sizeof observations[t].values);
            shw_search_move(dimensions, COUNT, &random, observations[t].values);
        }
        observations[t].loss = objective(observations[t].values);
        best = observations[t].loss < observations[best].loss ? t : best;
    }
    return observations[best].loss;
}

TESTING_CASE(moves_of_a_good_point_help)
{
    double moved[SEEDS], proposed[SEEDS];

    for (unsigned s = 0; s < SEEDS; s++) {
        moved[s] = search_from(s, true);
        proposed[s] = search_from(s, false);
    }
    qsort(moved, SEEDS, sizeof *moved, compare);
    qsort(proposed, SEEDS, sizeof *proposed, compare);
    printf("median of what moves find %.2f, without them %.2f\n", moved[SEEDS / 2], proposed[SEEDS / 2]);
    assert_true(moved[SEEDS / 2] < proposed[SEEDS / 2]);
}

TESTING_CASE(moves_change_something_within_the_space)
{
    static const struct shw_dimension fixed[] = {{.low = 3, .high = 3}, {.choices = 1}};
    double same[] = {3, 0};
    struct shw_search_random random = shw_search_random_of(1, 1);

    for (unsigned i = 0; i < 500; i++) {
        double values[COUNT], before[COUNT];
        unsigned changed = 0;

        shw_search_draw(dimensions, COUNT, &random, before);
        memcpy(values, before, sizeof values);
        shw_search_move(dimensions, COUNT, &random, values);
        for (unsigned d = 0; d < COUNT; d++) {
            const double high = dimensions[d].choices > 0 ? dimensions[d].choices - 1.0 : dimensions[d].high;
            assert_true(values[d] >= dimensions[d].low && values[d] <= high);
            assert_true(!(dimensions[d].whole || dimensions[d].choices > 0) || values[d] == round(values[d]));
            changed += values[d] < before[d] || values[d] > before[d];
        }
        assert_true(changed > 0);
    }
    shw_search_move(fixed, 2, &random, same);
    assert_true(same[0] == 3 && same[1] == 0);
}

TESTING_CASE(proposals_are_in_the_space_and_repeat)
{
    struct shw_observation observations[60];

    for (unsigned i = 0; i < 60; i++) {
        struct shw_search_random random = shw_search_random_of(7, i);
        shw_search_draw(dimensions, COUNT, &random, observations[i].values);
        observations[i].loss = i % 3 == 0 ? NAN : 1;
    }
    for (unsigned i = 0; i < 60; i++) {
        double values[COUNT], again[COUNT];
        struct shw_search_random random = shw_search_random_of(8, i), same = random;

        shw_search_propose(dimensions, COUNT, observations, i, &random, values);
        shw_search_propose(dimensions, COUNT, observations, i, &same, again);
        for (unsigned d = 0; d < COUNT; d++) {
            const struct shw_dimension *dimension = &dimensions[d];
            assert_true(values[d] == again[d]);
            if (dimension->choices > 0)
                assert_true(values[d] >= 0 && values[d] < dimension->choices && values[d] == floor(values[d]));
            else
                assert_true(values[d] >= dimension->low && values[d] <= dimension->high);
            assert_true(!dimension->whole || values[d] == floor(values[d]));
        }
    }
}

TESTING_CASE(a_dimension_of_one_value_is_that_value)
{
    const struct shw_dimension fixed[] = {{.low = 3, .high = 3, .whole = true}, {.choices = 1}};
    struct shw_observation observations[20];

    for (unsigned i = 0; i < 20; i++) {
        struct shw_search_random random = shw_search_random_of(1, i);
        shw_search_propose(fixed, 2, observations, i, &random, observations[i].values);
        observations[i].loss = i;
        assert_true(observations[i].values[0] == 3 && observations[i].values[1] == 0);
    }
}

/* Against a table of Student's distribution. */
TESTING_CASE(the_distribution_is_students)
{
    static const struct {
        double t, freedom, above;
    } table[] = {{9.925, 2, 0.005}, {5.841, 3, 0.005}, {4.604, 4, 0.005}, {1, 1, 0.25},
                 {2.132, 4, 0.05},  {1.812, 10, 0.05}, {0, 7, 0.5},       {-2.132, 4, 0.95}};

    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        assert_true(fabs(shw_student_above(table[i].t, table[i].freedom) - table[i].above) < 1e-4);
}

TESTING_CASE(the_test_rejects_what_is_clearly_worse)
{
    static const double worse[] = {0.10, 0.11, 0.12}, unclear[] = {0.10, -0.02, 0.30}, better[] = {-0.1, -0.2, -0.1},
                        same[] = {0, 0, 0, 0}, shifted[] = {0.5, 0.5, 0.5};

    assert_true(shw_t_test_above_zero(worse, 3, 0.005));
    assert_false(shw_t_test_above_zero(worse, 1, 0.005));
    assert_false(shw_t_test_above_zero(worse, 2, 0.005));
    assert_false(shw_t_test_above_zero(unclear, 3, 0.005));
    assert_false(shw_t_test_above_zero(better, 3, 0.005));
    assert_false(shw_t_test_above_zero(same, 4, 0.005));
    assert_true(shw_t_test_above_zero(shifted, 3, 0.005));
}

TESTING_CASE(what_the_loss_depends_on_is_found)
{
    struct shw_observation observations[200];
    double importances[COUNT];

    for (unsigned i = 0; i < 200; i++) {
        struct shw_search_random random = shw_search_random_of(3, i);
        shw_search_draw(dimensions, COUNT, &random, observations[i].values);
        observations[i].loss = observations[i].values[3] == 2 ? 0.2 : 0.9 + 0.01 * observations[i].values[4];
    }
    for (unsigned d = 0; d < COUNT; d++)
        importances[d] = shw_search_importance(&dimensions[d], d, observations, 200);
    assert_true(importances[3] > 0.9 && importances[3] <= 1);
    assert_true(importances[0] < 0.1 && importances[5] < 0.1);
    assert_true(isnan(shw_search_importance(&dimensions[3], 3, observations, 4)));
}
