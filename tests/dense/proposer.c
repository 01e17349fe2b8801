/* The interface for proposers: what they are told, thresholds of intervals against plain arithmetic, what is refused,
 * failures, and checkpoints. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/examples.h"
#include "testing/proposer.h"
#include "testing/training.h"

static struct testing_examples *some_examples(void)
{
    struct testing_examples_params params = {.seed = 31, .void_percent = 15};
    static struct testing_examples examples;

    testing_examples_make(&params, &examples);
    examples.dataset.user = &examples;
    return &examples;
}

static struct shw_trainer *create(struct shw_trainer_params params, const struct shw_proposer *proposer,
                                  const struct testing_examples *examples, struct testing_log *memory)
{
    struct shw_trainer *trainer = NULL;

    params.proposer = proposer;
    params.log = testing_log(memory);
    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_OK);
    return trainer;
}

static struct shw_forest *grow(struct shw_trainer *trainer)
{
    struct shw_forest *forest = NULL;
    bool finished = false;

    while (!finished)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
    shw_trainer_destroy(&trainer);
    return forest;
}

/* What a proposer is told. */

#define NODES_MAX 256u
#define ROUNDS    12u

struct told {
    struct testing_proposer inner;
    struct shw_proposer_split splits[2][NODES_MAX]; /* by tree, as of its last round */
    uint32_t split_count[2], rounds, tree_rounds[2];
    uint32_t counts[2][NODES_MAX][3]; /* of the nodes that were open */
    bool open[2][NODES_MAX];
};

static enum shw_result listen(void *user, const struct shw_proposer_round *round, struct shw_proposal *proposal)
{
    struct told *told = user;
    const uint32_t tree = round->tree - 5;

    assert_in_range(tree, 0, 1);
    assert_int_equal(round->depth, told->tree_rounds[tree]++);
    assert_true(round->seed == 3 && round->feature == &shw_feature_mean_difference);
    assert_int_equal(round->channels->channel_count, 3);
    assert_int_equal(round->class_count, 3);
    assert_int_equal(round->candidate_max, 16);
    assert_int_equal(round->set_count, round->node_count);
    assert_int_equal(round->thresholds, SHW_THRESHOLDS_BEST);
    assert_int_equal(proposal->bins, 8);
    for (uint32_t n = 0; n < round->node_count; n++) {
        const struct shw_proposer_node *node = &round->nodes[n];
        assert_true(n == 0 || node->number > round->nodes[n - 1].number);
        assert_true(node->number < NODES_MAX && !told->open[tree][node->number]);
        assert_int_equal(node->samples, node->counts[0] + node->counts[1] + node->counts[2]);
        told->open[tree][node->number] = true;
        memcpy(told->counts[tree][node->number], node->counts, 3 * sizeof *node->counts);
    }
    for (uint32_t c = 0; c < round->class_count; c++)
        assert_int_equal(round->weights[c], 1);
    assert_true(round->split_count >= told->split_count[tree] && round->split_count < NODES_MAX);
    for (uint32_t s = 0; s < round->split_count; s++) {
        if (s < told->split_count[tree])
            assert_memory_equal(&round->splits[s], &told->splits[tree][s], sizeof *round->splits);
        told->splits[tree][s] = round->splits[s];
    }
    told->split_count[tree] = round->split_count;
    told->rounds++;
    return told->inner.proposer.propose(&told->inner, round, proposal);
}

/* n log2 n of each class, and of all. */
static double measure(const uint32_t *counts)
{
    double sum = 0, all = 0;

    for (int c = 0; c < 3; c++) {
        sum += counts[c] > 0 ? counts[c] * log2(counts[c]) : 0;
        all += counts[c];
    }
    return all * log2(all) - sum;
}

/* Of the tests whose nodes and children were open. Returns how many these are. */
static uint32_t check_gains(const struct told *told, uint32_t tree)
{
    uint32_t checked = 0;

    for (uint32_t s = 0; s < told->split_count[tree]; s++) {
        const struct shw_proposer_split *split = &told->splits[tree][s];
        const uint32_t(*counts)[3] = told->counts[tree];
        double gain;
        if (!told->open[tree][split->left] || !told->open[tree][split->left + 1])
            continue;
        gain = measure(counts[split->node]) - measure(counts[split->left]) - measure(counts[split->left + 1]);
        assert_true(fabs((double)split->gain / 16777216 - gain) < 1e-3);
        checked++;
    }
    return checked;
}

TESTING_CASE(rounds_are_described)
{
    struct testing_examples *examples = some_examples();
    struct shw_trainer_params params = testing_training;
    static struct told told;
    const struct shw_proposer proposer = {.name = "listener", .user = &told, .propose = listen};
    struct testing_log memory;
    struct shw_forest *forest;

    params.first_tree = 5;
    testing_propose(&told.inner, TESTING_PROPOSE_MIXED);
    forest = grow(create(params, &proposer, examples, &memory));
    assert_non_null(strstr(shw_forest_get_info(forest)->training, "\"proposer\":\"listener\""));
    assert_non_null(strstr(shw_forest_get_info(forest)->training, "\"bins\":8,"));
    assert_int_equal(told.rounds, 12);
    for (uint32_t t = 0; t < 2; t++) {
        const struct shw_tree_info info = shw_forest_get_tree(forest, t);
        uint32_t next = 0;
        for (uint32_t n = 0; n < info.node_count; n++) {
            const struct shw_node node = shw_forest_get_node(forest, t, n);
            const struct shw_proposer_split *split = &told.splits[t][next];
            if (!node.is_split || next == told.split_count[t])
                continue; /* those of the last round are told no one */
            assert_int_equal(split->node, n);
            assert_true(split->left == node.left && split->t0 == node.t0 && split->t1 == node.t1);
            assert_memory_equal(&split->feature, &node.feature, sizeof node.feature);
            assert_true(n == 0 ? split->depth == 0 : split->depth > 0 && split->depth < 5);
            next++;
        }
        assert_int_equal(next, told.split_count[t]);
        assert_true(next > 8 && check_gains(&told, t) > 3);
    }
    shw_forest_destroy(&forest);
    testing_examples_free(examples);
}

/* Sets are shared by the nodes of a round with such a pool, and by ferns. */
static enum shw_result count_sets(void *user, const struct shw_proposer_round *round, struct shw_proposal *proposal)
{
    uint32_t *most = user;

    assert_int_equal(round->set_count, 1);
    *most = round->node_count > *most ? round->node_count : *most;
    proposal->candidate_count = round->candidate_max;
    for (uint32_t c = 0; c < round->candidate_max; c++)
        assert_true(shw_proposer_draw(round, 0, c, &proposal->candidates[c].feature));
    return SHW_OK;
}

TESTING_CASE(pools_have_one_set)
{
    struct testing_examples *examples = some_examples();
    uint32_t most = 0;
    const struct shw_proposer proposer = {.name = "sets", .user = &most, .propose = count_sets};
    struct testing_log memory;

    for (int i = 0; i < 2; i++) {
        struct shw_trainer_params params = testing_training;
        struct shw_forest *forest;
        params.pool = i == 0 ? SHW_POOL_ROUND : SHW_POOL_NODE;
        params.ferns = i == 1;
        forest = grow(create(params, &proposer, examples, &memory));
        shw_forest_destroy(&forest);
    }
    assert_true(most > 4);
    testing_examples_free(examples);
}

/* Drawing. */

static enum shw_result draw_wrongly(void *user, const struct shw_proposer_round *round, struct shw_proposal *proposal)
{
    struct shw_feature feature = {{7, 7, 7, 7, 7}}, other;

    (void)user;
    assert_false(shw_proposer_draw(NULL, 0, 0, &feature));
    assert_false(shw_proposer_draw(round, round->set_count, 0, &feature));
    assert_false(shw_proposer_draw(round, 0, round->candidate_max, &feature));
    assert_false(shw_proposer_draw(round, UINT32_MAX, UINT32_MAX, &feature));
    assert_false(shw_proposer_draw(round, 0, 0, NULL));
    assert_int_equal(feature.words[0], 7);
    assert_true(shw_proposer_draw(round, 0, 3, &feature) && shw_proposer_draw(round, 0, 3, &other));
    assert_memory_equal(&feature, &other, sizeof feature);
    snprintf(proposal->why, sizeof proposal->why, "that is all");
    return SHW_ERROR_CANCELLED;
}

TESTING_CASE(drawing_needs_a_set_and_a_number)
{
    struct testing_examples *examples = some_examples();
    const struct shw_proposer proposer = {.name = "drawer", .propose = draw_wrongly};
    struct testing_log memory;
    struct shw_trainer *trainer = create(testing_training, &proposer, examples, &memory);
    bool finished;

    assert_int_equal(shw_trainer_step(trainer, &finished), SHW_ERROR_CANCELLED);
    assert_string_equal(memory.last, "proposer drawer, tree 0, round 0: that is all");
    assert_int_equal(memory.last_item, SHW_LOG_PROPOSER);
    shw_trainer_destroy(&trainer);
    testing_examples_free(examples);
}

/* Thresholds of intervals. The score is the number of samples that are in their side's most frequent class. */

#define CANDIDATES 12u
#define BINS       6u

struct fixed {
    struct shw_candidate candidates[CANDIDATES];
    int32_t dx[CANDIDATES], dy[CANDIDATES], channel[CANDIDATES];
};

static enum shw_result give(void *user, const struct shw_proposer_round *round, struct shw_proposal *proposal)
{
    const struct fixed *fixed = user;

    (void)round;
    proposal->candidate_count = CANDIDATES;
    proposal->bins = BINS;
    memcpy(proposal->candidates, fixed->candidates, sizeof fixed->candidates);
    return SHW_OK;
}

static int32_t clamped(int32_t value, uint32_t size)
{
    return value < 0 ? 0 : value >= (int32_t)size ? (int32_t)size - 1 : value;
}

/* The value of a channel of `rgb` at a pixel near (x, y): 16 for each step of the byte. */
static int32_t value_near(const struct testing_example *example, int32_t x, int32_t y, int32_t channel)
{
    const size_t at = (size_t)clamped(y, example->height) * example->width + (size_t)clamped(x, example->width);

    return 16 * example->pixels[3 * at + (size_t)channel];
}

/* Adds what the samples say of the test t0 <= response < t1. */
static void count_sides(const struct testing_examples *examples, const struct fixed *fixed, uint32_t c, int64_t t0,
                        int64_t t1, uint32_t sides[2][3])
{
    memset(sides, 0, 6 * sizeof **sides);
    for (uint32_t i = 0; i < examples->dataset.count; i++) {
        const struct testing_example *example = &examples->examples[i];
        for (int32_t y = 0; y < (int32_t)example->height; y++)
            for (int32_t x = 0; x < (int32_t)example->width; x++) {
                const uint16_t label = example->labels[(size_t)y * example->width + (size_t)x];
                const int32_t response = value_near(example, x + fixed->dx[c], y + fixed->dy[c], fixed->channel[c]) -
                                         value_near(example, x, y, 0);
                if (label != SHW_LABEL_VOID)
                    sides[t0 <= response && response < t1][label]++;
            }
    }
}

static uint32_t most_of(const uint32_t counts[3], uint32_t *all)
{
    uint32_t most = 0;

    *all = 0;
    for (int c = 0; c < 3; c++) {
        *all += counts[c];
        most = counts[c] > most ? counts[c] : most;
    }
    return most;
}

struct best {
    uint32_t value, candidate;
    int64_t t0, t1;
};

static void try_test(const struct testing_examples *examples, const struct fixed *fixed, uint32_t c, int64_t t0,
                     int64_t t1, struct best *best)
{
    uint32_t sides[2][3], left, right, value;

    if (t0 >= t1)
        return;
    count_sides(examples, fixed, c, t0, t1, sides);
    value = most_of(sides[0], &left) + most_of(sides[1], &right);
    if (left >= 2 && right >= 2 && value > best->value)
        *best = (struct best){value, c, t0, t1};
}

static struct best find_best(const struct testing_examples *examples, const struct fixed *fixed,
                             enum shw_threshold_scheme scheme)
{
    struct best best = {0};
    uint32_t sides[2][3], all;

    count_sides(examples, fixed, 0, INT32_MAX, INT32_MAX, sides);
    best.value = most_of(sides[0], &all); /* of the node */
    for (uint32_t c = 0; c < CANDIDATES; c++) {
        const int64_t low = fixed->candidates[c].low, range = fixed->candidates[c].high - low;
        int64_t t[BINS + 1];
        t[0] = INT32_MIN;
        for (uint32_t k = 1; k < BINS; k++)
            t[k] = low + (range * k + BINS - 1) / BINS;
        t[BINS] = INT32_MAX;
        for (uint32_t a = 0; a < BINS; a++)
            for (uint32_t b = a + 1; b <= BINS; b++)
                if (scheme == SHW_THRESHOLDS_BEST ? a > 0 && b == BINS : b - a < BINS)
                    try_test(examples, fixed, c, t[a], t[b], &best);
    }
    return best;
}

static void choose_candidates(struct testing_random *random, struct fixed *fixed)
{
    for (uint32_t c = 0; c < CANDIDATES; c++) {
        struct shw_rectangle_difference difference = {.rectangle[1] = {0, 0, 1, 1}};
        const int32_t dx = fixed->dx[c] = testing_random_range(random, -5, 5),
                      dy = fixed->dy[c] = testing_random_range(random, -5, 5);
        difference.rectangle[0] =
            (struct shw_rectangle){(int16_t)dx, (int16_t)dy, (int16_t)(dx + 1), (int16_t)(dy + 1)};
        difference.channel[0] = (uint16_t)(fixed->channel[c] = testing_random_range(random, 0, 2));
        fixed->candidates[c].feature = shw_rectangle_difference_pack(&difference);
        fixed->candidates[c].low = testing_random_range(random, -3000, 1000);
        fixed->candidates[c].high = fixed->candidates[c].low + testing_random_range(random, 1, 4000);
    }
    /* One that no response is in, one of one step, one that is as wide as can be, one twice. */
    fixed->candidates[1].low = 5000;
    fixed->candidates[1].high = 6000;
    fixed->candidates[2].high = fixed->candidates[2].low + 1;
    fixed->candidates[3].low = -INT32_MAX;
    fixed->candidates[3].high = INT32_MAX;
    fixed->candidates[5] = fixed->candidates[4];
    fixed->dx[5] = fixed->dx[4];
    fixed->dy[5] = fixed->dy[4];
    fixed->channel[5] = fixed->channel[4];
}

TESTING_CASE(intervals_have_even_thresholds)
{
    struct testing_examples *examples = some_examples();
    struct testing_random random = {77};
    uint32_t splits = 0;

    for (uint32_t i = 0; i < 24; i++) {
        struct fixed fixed = {0};
        const struct shw_proposer proposer = {.name = "fixed", .user = &fixed, .propose = give};
        struct shw_trainer_params params = testing_training;
        struct testing_log memory;
        struct shw_forest *forest;
        struct shw_node root;
        struct best best;

        choose_candidates(&random, &fixed);
        params.feature = i % 3 == 0 ? &shw_feature_pixel_difference : i % 3 == 1 ? &shw_feature_sum_difference : NULL;
        params.thresholds = (enum shw_threshold_scheme)(i % 2);
        params.score = SHW_SCORE_MISCLASSIFICATION;
        params.tree_count = params.depth = 1;
        params.pixels_per_image = SHW_PIXELS_ALL;
        params.ferns = i % 4 == 3;
        forest = grow(create(params, &proposer, examples, &memory));
        root = shw_forest_get_node(forest, 0, 0);
        best = find_best(examples, &fixed, params.thresholds);
        assert_int_equal(root.is_split, best.t0 < best.t1);
        if (root.is_split) {
            assert_memory_equal(&root.feature, &fixed.candidates[best.candidate].feature, sizeof root.feature);
            assert_true(root.t0 == best.t0 && root.t1 == best.t1);
            splits++;
        }
        shw_forest_destroy(&forest);
    }
    assert_true(splits > 12);
    testing_examples_free(examples);
}

/* Two bins have any threshold, and three any two, as the header says. */
static enum shw_result give_thresholds(void *user, const struct shw_proposer_round *round,
                                       struct shw_proposal *proposal)
{
    const bool two = *(const bool *)user;

    assert_true(shw_proposer_draw(round, 0, 0, &proposal->candidates[0].feature));
    proposal->candidate_count = 1;
    proposal->bins = two ? 3 : 2;
    proposal->candidates[0].low = two ? 2 * -211 - 97 : -211 - 1;
    proposal->candidates[0].high = two ? 2 * 97 + 211 : -211 + 1;
    return SHW_OK;
}

TESTING_CASE(any_threshold_can_be_proposed)
{
    struct testing_examples *examples = some_examples();

    for (int i = 0; i < 2; i++) {
        bool two = i == 1;
        const struct shw_proposer proposer = {.name = "thresholds", .user = &two, .propose = give_thresholds};
        struct shw_trainer_params params = testing_training;
        struct testing_log memory;
        struct shw_forest *forest;
        struct shw_node root;

        params.thresholds = two ? SHW_THRESHOLDS_RANDOM : SHW_THRESHOLDS_BEST;
        params.depth = 1;
        forest = grow(create(params, &proposer, examples, &memory));
        root = shw_forest_get_node(forest, 0, 0);
        assert_true(root.is_split);
        assert_true(root.t0 == -211 || root.t0 == INT32_MIN || root.t0 == 97);
        assert_true(root.t1 == (two ? root.t0 == INT32_MIN ? -211 : 97 : INT32_MAX) || root.t1 == INT32_MAX ||
                    (two && root.t1 == 97));
        shw_forest_destroy(&forest);
    }
    testing_examples_free(examples);
}

/* What is refused. */

struct spoilt {
    uint32_t candidate_count, bins;
    struct shw_candidate candidate; /* number 2 */
};

static enum shw_result spoil(void *user, const struct shw_proposer_round *round, struct shw_proposal *proposal)
{
    const struct spoilt *spoilt = user;

    for (uint32_t c = 0; c < round->candidate_max; c++)
        assert_true(shw_proposer_draw(round, 0, c, &proposal->candidates[c].feature));
    proposal->candidate_count = spoilt->candidate_count;
    proposal->bins = spoilt->bins;
    proposal->candidates[2] = spoilt->candidate;
    return SHW_OK;
}

static struct shw_candidate rectangles(struct shw_rectangle first, uint16_t channel)
{
    struct shw_rectangle_difference difference = {.rectangle = {first, {0, 0, 1, 1}}, .channel[0] = channel};

    return (struct shw_candidate){.feature = shw_rectangle_difference_pack(&difference)};
}

static struct shw_candidate with_bit(uint32_t bit)
{
    struct shw_candidate candidate = rectangles((struct shw_rectangle){0, 0, 2, 2}, 0);

    candidate.feature.words[0] |= 1u << bit;
    return candidate;
}

static struct shw_candidate with_interval(int32_t low, int32_t high)
{
    struct shw_candidate candidate = rectangles((struct shw_rectangle){0, 0, 2, 2}, 0);

    candidate.low = low;
    candidate.high = high;
    return candidate;
}

TESTING_CASE(bad_proposals_are_refused)
{
    struct testing_examples *examples = some_examples();
    const struct shw_candidate good = with_interval(5, 5);
    const struct {
        struct spoilt spoilt;
        const char *text;
    } list[] = {
        {{0, 8, good}, "proposer spoiler, tree 0, round 0: 0 candidates; there must be from 1 to 16 in a set"},
        {{17, 8, good}, "17 candidates; there must be from 1 to 16"},
        {{UINT32_MAX, 8, good}, "4294967295 candidates"},
        {{16, 1, good}, "1 bins; there must be from 2 to 8"},
        {{16, 9, good}, "9 bins; there must be from 2 to 8"},
        {{16, 8, {.low = 0}}, "candidate 2 of set 0: rectangle 0 is empty"},
        {{16, 8, rectangles((struct shw_rectangle){3, 0, 3, 5}, 0)}, "rectangle 0 is empty"},
        {{16, 8, rectangles((struct shw_rectangle){0, 0, 1, 1}, 3)}, "channel 3"},
        {{16, 8, rectangles((struct shw_rectangle){-13, 0, 1, 1}, 0)}, "reads 13 pixels away; offset_max is 12"},
        {{16, 8, rectangles((struct shw_rectangle){0, 0, 1, 14}, 0)}, "reads 13 pixels away; offset_max is 12"},
        {{16, 8, with_bit(24)}, "bit 24 of its first word is set"},
        {{16, 8, with_bit(31)}, "unknown flags"},
        {{16, 8, with_interval(4, 3)}, "candidate 2 of set 0 has the interval 4 to 3"},
        {{16, 8, with_interval(INT32_MIN, 3)}, "has the interval -2147483648 to 3"},
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct spoilt spoilt = list[i].spoilt;
        const struct shw_proposer proposer = {.name = "spoiler", .user = &spoilt, .propose = spoil};
        struct testing_log memory;
        struct shw_trainer *trainer = create(testing_training, &proposer, examples, &memory);
        bool finished;

        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_ERROR_ARGUMENT);
        assert_int_equal(memory.errors, 1);
        assert_int_equal(memory.last_item, SHW_LOG_PROPOSER);
        if (strstr(memory.last, list[i].text) == NULL)
            fail_msg("no \"%s\" in \"%s\"", list[i].text, memory.last);
        spoilt = (struct spoilt){16, 8, good};
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK); /* nothing was spoilt */
        shw_trainer_destroy(&trainer);
    }
    testing_examples_free(examples);
}

TESTING_CASE(sums_that_are_too_large_are_refused)
{
    struct testing_examples *examples = some_examples();
    struct spoilt spoilt = {16, 8, rectangles((struct shw_rectangle){-1000, -1000, 1000, 1000}, 0)};
    const struct shw_proposer proposer = {.name = "spoiler", .user = &spoilt, .propose = spoil};
    struct shw_trainer_params params = testing_training;
    struct testing_log memory;
    struct shw_trainer *trainer;
    bool finished;

    params.offset_max = 1000;
    trainer = create(params, &proposer, examples, &memory);
    assert_int_equal(shw_trainer_step(trainer, &finished), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "candidate 2 of set 0: a sum could reach 16320000000"));
    shw_trainer_destroy(&trainer);
    testing_examples_free(examples);
}

TESTING_CASE(incomplete_proposers_are_refused)
{
    struct testing_examples *examples = some_examples();

    for (int i = 0; i < 2; i++) {
        const struct shw_proposer proposer = {.name = i == 0 ? NULL : "no callback", .propose = i == 1 ? NULL : spoil};
        struct shw_trainer_params params = testing_training;
        struct shw_trainer *trainer = NULL;
        struct testing_log memory;
        params.proposer = &proposer;
        params.log = testing_log(&memory);
        assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_ERROR_ARGUMENT);
        assert_int_equal(memory.last_item, SHW_LOG_TRAIN_PARAMETER);
        assert_null(trainer);
    }
    testing_examples_free(examples);
}

/* Failures and checkpoints. */

TESTING_CASE(a_failure_ends_the_step_and_nothing_is_lost)
{
    struct testing_examples *examples = some_examples();
    const char *path = testing_path("failed.ktx2");
    struct testing_proposer proposer;
    struct testing_log memory;
    struct shw_trainer *trainer;
    struct shw_forest *forest;
    bool finished = false;
    uint64_t expected;

    testing_propose(&proposer, TESTING_PROPOSE_MIXED);
    expected = testing_finish(create(testing_training, &proposer.proposer, examples, &memory));
    for (uint32_t at = 1; at < 11; at += 3) {
        testing_propose(&proposer, TESTING_PROPOSE_MIXED);
        proposer.fail_at = at;
        proposer.fail_with = at % 2 == 0 ? SHW_ERROR_IO : SHW_ERROR_CANCELLED;
        proposer.why = at == 1 ? "" : "the sensor is off";
        trainer = create(testing_training, &proposer.proposer, examples, &memory);
        for (uint32_t i = 1; i < at; i++)
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(shw_trainer_step(trainer, &finished), proposer.fail_with);
        assert_int_equal(memory.last_item, SHW_LOG_PROPOSER);
        assert_non_null(strstr(memory.last, at == 1 ? "proposer tester, tree 0, round 0: " : "the sensor is off"));
        assert_int_equal(memory.errors, 1);
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        assert_true(testing_finish(trainer) == expected);
        trainer = create(testing_training, &proposer.proposer, examples, &memory);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        forest = grow(trainer);
        assert_true(shw_forest_hash(forest) == expected);
        shw_forest_destroy(&forest);
    }
    testing_examples_free(examples);
}

TESTING_CASE(other_candidates_are_noticed_when_training_is_resumed)
{
    struct testing_examples *examples = some_examples();
    const char *path = testing_path("resumed.ktx2");
    struct testing_proposer proposer;
    struct testing_log memory;
    struct shw_trainer *trainer;
    bool finished = false;

    testing_propose(&proposer, TESTING_PROPOSE_MIXED);
    trainer = create(testing_training, &proposer.proposer, examples, &memory);
    for (int i = 0; i < 3; i++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);

    proposer.calls = 0;
    proposer.number = 1;
    trainer = create(testing_training, &proposer.proposer, examples, &memory);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.last_item, SHW_LOG_CHECKPOINT);
    assert_non_null(strstr(memory.last, "proposer tester, tree 0, round 0: these are not the candidates that it "
                                        "proposed before"));
    proposer.number = 0;
    assert_int_equal(shw_trainer_load(trainer, path), SHW_OK); /* it was unchanged */
    assert_int_equal(proposer.calls, 4);
    shw_trainer_destroy(&trainer);

    proposer.proposer.name = "another";
    trainer = create(testing_training, &proposer.proposer, examples, &memory);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "proposer was \"tester\" and is now \"another\""));
    shw_trainer_destroy(&trainer);
    trainer = create(testing_training, NULL, examples, &memory);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "proposer was \"tester\" and is now not set"));
    shw_trainer_destroy(&trainer);
    testing_examples_free(examples);
}

/* How far training looks stays what offset_max says, unless the type is custom. */
TESTING_CASE(reach_is_that_of_offset_max)
{
    struct testing_proposer proposer;
    struct shw_trainer_params params = testing_training;

    testing_propose(&proposer, TESTING_PROPOSE_DRAWN);
    params.proposer = &proposer.proposer;
    assert_int_equal(shw_trainer_params_get_reach(&params), 12);
}
