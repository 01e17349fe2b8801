/* The interface for splitters: what is handed over against direct counting of it, choices that are refused, failures
 * that pass through. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/examples.h"
#include "testing/splitter.h"
#include "testing/training.h"

static struct testing_examples some_examples(void)
{
    struct testing_examples_params params = {.seed = 31, .void_percent = 15};
    static struct testing_examples examples;

    testing_examples_make(&params, &examples);
    return examples;
}

static struct shw_forest *train(struct shw_trainer_params params, struct testing_examples *examples)
{
    struct testing_log memory;
    struct shw_forest *forest = NULL;

    params.log = testing_log(&memory);
    examples->dataset.user = examples;
    if (shw_train(&params, &examples->dataset, &forest) != SHW_OK)
        fail_msg("%s", memory.last);
    return forest;
}

static uint64_t hash_of(const struct shw_trainer_params *params, struct testing_examples *examples)
{
    struct shw_forest *forest = train(*params, examples);
    uint64_t hash = shw_forest_hash(forest);

    shw_forest_destroy(&forest);
    return hash;
}

TESTING_CASE(threads_change_nothing)
{
    struct testing_examples_params of_examples = {
        .seed = 32, .count = 3, .width = TESTING_SANITIZED ? 40 : 90, .height = 70};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&of_examples, &examples);
    params.tree_count = 1;
    params.depth = TESTING_SANITIZED ? 2 : 3;
    params.candidates = 400; /* two items a node, and nodes large enough to be binned while they are read */
    params.pixels_per_image = SHW_PIXELS_ALL;
    for (int scheme = 0; scheme < 2; scheme++) {
        struct testing_watcher watcher;
        struct shw_splitter inner;
        uint64_t forest, histograms = 0;
        params.thresholds = (enum shw_threshold_scheme)scheme;
        params.splitter = NULL;
        forest = hash_of(&params, &examples);
        for (uint32_t threads = 1; threads < 6; threads += 3) {
            assert_int_equal(shw_splitter_id3(NULL, &inner), SHW_OK);
            testing_watch(&watcher, inner);
            params.threads = threads;
            params.splitter = &watcher.splitter;
            assert_true(hash_of(&params, &examples) == forest);
            assert_true(threads == 1 || watcher.hash == histograms);
            assert_true(watcher.rounds == params.depth);
            histograms = watcher.hash;
            shw_splitter_free(&inner);
        }
    }
    testing_examples_free(&examples);
}

/* What a splitter that looks at nothing has been given. */
struct amount {
    uint32_t calls;
    size_t candidates, most; /* bytes of a call */
};

static enum shw_result take_amount(void *user, const struct shw_splitter_round *round,
                                   const struct shw_splitter_piece *pieces, uint32_t piece_count)
{
    struct amount *amount = user;
    size_t bytes = 0;

    for (uint32_t p = 0; p < piece_count; p++) {
        bytes += (size_t)pieces[p].candidate_count * round->bin_count * round->nodes[pieces[p].node].class_count *
                 sizeof(uint32_t);
        amount->candidates += pieces[p].candidate_count;
    }
    amount->most = bytes > amount->most ? bytes : amount->most;
    amount->calls++;
    return SHW_OK;
}

static enum shw_result choose_nothing(void *user, const struct shw_splitter_round *round,
                                      struct shw_splitter_choice *choices)
{
    (void)user;
    (void)round;
    (void)choices;
    return SHW_OK;
}

/* More histograms than one call may take. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, calls_are_bounded)
{
    struct testing_examples_params of_examples = {.seed = 4, .classes = 700, .width = 150, .height = 150, .count = 4};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct amount amount = {0};
    const struct shw_splitter splitter = {
        .name = "amount", .user = &amount, .histograms = take_amount, .end_round = choose_nothing};
    struct shw_forest *forest;

    testing_examples_make(&of_examples, &examples);
    params.tree_count = params.depth = 1;
    params.bins = 256;
    params.candidates = 400;
    params.pixels_per_image = 500;
    params.splitter = &splitter;
    forest = train(params, &examples);
    assert_int_equal(shw_forest_get_tree(forest, 0).node_count, 1);
    assert_int_equal(amount.candidates, 400);
    assert_true(amount.calls > 1 && amount.most <= (size_t)128 << 20 && amount.most > (size_t)120 << 20);
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);
}

/* A splitter that spoils one choice of another, or fails. */
struct spoiler {
    struct shw_splitter splitter, inner;
    struct shw_splitter_choice choice;
    uint32_t round, node; /* of which the choice is; counted */
    uint32_t rounds;
    bool find_unusable;
    const char *fail; /* the callback that does */
};

static enum shw_result spoil_begin(void *user, const struct shw_splitter_round *round)
{
    struct spoiler *spoiler = user;

    if (strcmp(spoiler->fail, "begin_round") == 0)
        return SHW_ERROR_CANCELLED;
    return spoiler->inner.begin_round(spoiler->inner.user, round);
}

static enum shw_result spoil_histograms(void *user, const struct shw_splitter_round *round,
                                        const struct shw_splitter_piece *pieces, uint32_t piece_count)
{
    struct spoiler *spoiler = user;

    if (strcmp(spoiler->fail, "histograms") == 0)
        return SHW_ERROR_IO;
    for (uint32_t p = 0; p < piece_count && spoiler->find_unusable; p++)
        for (uint32_t c = 0; c < pieces[p].candidate_count; c++)
            if (pieces[p].usable[c] == 0) {
                spoiler->choice = (struct shw_splitter_choice){true, pieces[p].candidate_begin + c, 1, 1};
                spoiler->node = pieces[p].node;
                spoiler->round = spoiler->rounds;
                spoiler->find_unusable = false;
                break;
            }
    return spoiler->inner.histograms(spoiler->inner.user, round, pieces, piece_count);
}

static enum shw_result spoil_end(void *user, const struct shw_splitter_round *round,
                                 struct shw_splitter_choice *choices)
{
    struct spoiler *spoiler = user;
    enum shw_result result = spoiler->inner.end_round(spoiler->inner.user, round, choices);

    if (strcmp(spoiler->fail, "end_round") == 0)
        return SHW_ERROR_FORMAT;
    if (spoiler->rounds++ == spoiler->round)
        choices[spoiler->node] = spoiler->choice;
    return result;
}

/* What training comes to; `text`: what the message must hold, if it must fail by a message. */
static void check_spoilt(struct spoiler spoiler, const struct shw_trainer_params *base,
                         struct testing_examples *examples, enum shw_result expected, const char *text)
{
    struct shw_trainer_params params = *base;
    struct shw_forest *forest = NULL;
    struct testing_log memory;

    spoiler.fail = spoiler.fail != NULL ? spoiler.fail : "";
    assert_int_equal(shw_splitter_id3(NULL, &spoiler.inner), SHW_OK);
    spoiler.splitter = (struct shw_splitter){.name = "spoiler",
                                             .user = &spoiler,
                                             .begin_round = spoil_begin,
                                             .histograms = spoil_histograms,
                                             .end_round = spoil_end};
    params.splitter = &spoiler.splitter;
    params.log = testing_log(&memory);
    examples->dataset.user = examples;
    assert_int_equal(shw_train(&params, &examples->dataset, &forest), expected);
    assert_null(forest);
    assert_int_equal(examples->held, 0);
    if (text != NULL) {
        assert_int_equal(memory.errors, 1);
        assert_int_equal(memory.last_item, SHW_LOG_SPLITTER);
        if (strstr(memory.last, text) == NULL)
            fail_msg("no \"%s\" in \"%s\"", text, memory.last);
    } else {
        assert_int_equal(memory.errors, 0);
    }
    shw_splitter_free(&spoiler.inner);
}

TESTING_CASE(bad_choices_are_refused)
{
    struct testing_examples examples = some_examples();
    struct shw_trainer_params params = testing_training;
    static const struct {
        struct shw_splitter_choice choice;
        const char *text;
    } list[] = {
        {{true, 16, 1, 7}, "splitter spoiler, node 1: there is no candidate 16; the last is 15"},
        {{true, UINT32_MAX, 1, 7}, "there is no candidate 4294967295"},
        {{true, 3, 5, 4}, "node 1: bins 5 to 4 are not a range"},
        {{true, 3, 1, 8}, "bins 1 to 8 are not a range within bins 0 to 7"},
        {{true, 3, UINT32_MAX, UINT32_MAX}, "are not a range"},
        {{true, 3, 0, 7}, "bins 0 to 7 are all bins"},
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        check_spoilt((struct spoiler){.choice = list[i].choice, .round = 1}, &params, &examples, SHW_ERROR_ARGUMENT,
                     list[i].text);
    params.samples_min = 100; /* less than the whole node, more than any bin at either end */
    check_spoilt((struct spoiler){.choice = {true, 3, 0, 0}}, &params, &examples, SHW_ERROR_ARGUMENT,
                 "on the right; samples_min is 100");
    check_spoilt((struct spoiler){.choice = {true, 3, 0, 6}}, &params, &examples, SHW_ERROR_ARGUMENT,
                 "on the left; samples_min is 100");
    params.samples_min = 2;
    params.offset_max = params.size_max = 1; /* both rectangles of a feature may be the same */
    check_spoilt((struct spoiler){.find_unusable = true, .round = UINT32_MAX}, &params, &examples, SHW_ERROR_ARGUMENT,
                 "has no thresholds and cannot be chosen");
    testing_examples_free(&examples);
}

TESTING_CASE(failures_pass_through)
{
    struct testing_examples examples = some_examples();

    check_spoilt((struct spoiler){.fail = "begin_round"}, &testing_training, &examples, SHW_ERROR_CANCELLED, NULL);
    check_spoilt((struct spoiler){.fail = "histograms"}, &testing_training, &examples, SHW_ERROR_IO, NULL);
    check_spoilt((struct spoiler){.fail = "end_round"}, &testing_training, &examples, SHW_ERROR_FORMAT, NULL);
    testing_examples_free(&examples);
}

TESTING_CASE(bad_splitters_are_refused)
{
    struct testing_examples examples = some_examples();
    struct shw_splitter good, splitter;

    examples.dataset.user = &examples;
    assert_int_equal(shw_splitter_id3(NULL, &good), SHW_OK);
    for (int i = 0; i < 4; i++) {
        struct shw_trainer_params params = testing_training;
        struct shw_trainer *trainer = NULL;
        struct testing_log memory;
        splitter = good;
        params.splitter = &splitter;
        params.log = testing_log(&memory);
        if (i == 0)
            splitter.name = NULL;
        if (i == 1)
            splitter.histograms = NULL;
        if (i == 2)
            splitter.end_round = NULL;
        if (i == 3)
            params.score = SHW_SCORE_GINI;
        assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
        assert_int_equal(memory.last_item, SHW_LOG_TRAIN_PARAMETER);
        assert_null(trainer);
    }
    shw_splitter_free(&good);
    assert_null(good.user);
    shw_splitter_free(&good);
    shw_splitter_free(NULL);
    testing_examples_free(&examples);
}

/* Every node is split where a splitter says so, in the middle: the leaves, and the record. */
static enum shw_result count_nothing(void *user, const struct shw_splitter_round *round,
                                     const struct shw_splitter_piece *pieces, uint32_t piece_count)
{
    uint32_t *choices = user; /* a node: 1 + a usable candidate */

    for (uint32_t p = 0; p < piece_count; p++)
        for (uint32_t c = 0; c < pieces[p].candidate_count; c++) {
            const struct shw_splitter_node *node = &round->nodes[pieces[p].node];
            const uint32_t *bin = pieces[p].histogram + ((size_t)c * round->bin_count + 2) * node->class_count;
            uint32_t inside = 0;
            for (uint32_t k = 0; k < 3 * node->class_count; k++) /* bins 2, 3 and 4 */
                inside += bin[k];
            if (inside >= round->samples_min && node->samples - inside >= round->samples_min)
                choices[pieces[p].node] = 1 + pieces[p].candidate_begin + c;
        }
    return SHW_OK;
}

static enum shw_result split_the_middle(void *user, const struct shw_splitter_round *round,
                                        struct shw_splitter_choice *choices)
{
    uint32_t *chosen = user;

    for (uint32_t n = 0; n < round->node_count; n++) {
        choices[n] = (struct shw_splitter_choice){chosen[n] > 0, chosen[n] - 1, 2, 4};
        chosen[n] = 0;
    }
    return SHW_OK;
}

/* Runs of bins in the middle, which no built-in splitter takes with thresholds of this kind, divide as they were
 * counted. */
TESTING_CASE(any_run_of_bins_is_a_test)
{
    struct testing_examples examples = some_examples();
    uint32_t chosen[256] = {0};
    const struct shw_splitter splitter = {
        .name = "the \"middle\"", .user = chosen, .histograms = count_nothing, .end_round = split_the_middle};
    struct shw_trainer_params params = testing_training;
    struct shw_forest *forest;
    const char *record;
    uint32_t splits = 0;

    params.splitter = &splitter;
    forest = train(params, &examples);
    for (uint32_t n = 0; n < shw_forest_get_tree(forest, 0).node_count; n++) {
        struct shw_node node = shw_forest_get_node(forest, 0, n);
        if (!node.is_split)
            continue;
        assert_true(node.t0 > INT32_MIN && node.t0 < node.t1 && node.t1 < INT32_MAX);
        splits++;
    }
    assert_true(splits > 5);
    record = shw_forest_get_info(forest)->training;
    assert_non_null(strstr(record, "\"splitter\":\"the \\\"middle\\\"\""));
    assert_null(strstr(record, "\"score\""));
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);
}

/* A splitter that has not seen the rounds before goes on from a checkpoint to the same forest. */
TESTING_CASE(checkpoints_resume)
{
    struct testing_examples examples = some_examples();
    struct shw_trainer_params params = testing_training;
    const char *path = testing_path("splitter.ktx2");
    struct shw_trainer *trainer = NULL;
    struct shw_forest *forest = NULL;
    struct shw_splitter splitter;
    struct testing_log memory;
    bool finished = false;
    uint64_t expected;

    examples.dataset.user = &examples;
    assert_int_equal(shw_splitter_c45(NULL, &splitter), SHW_OK);
    params.log = testing_log(&memory);
    params.splitter = &splitter;
    expected = hash_of(&params, &examples);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);
    shw_splitter_free(&splitter);
    params.splitter = NULL; /* another way to choose is refused */
    params.score = SHW_SCORE_GAIN_RATIO;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
    shw_trainer_destroy(&trainer);
    assert_int_equal(shw_splitter_c45(NULL, &splitter), SHW_OK);
    params.splitter = &splitter;
    params.score = SHW_SCORE_INFORMATION_GAIN;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    while (!finished)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
    assert_true(shw_forest_hash(forest) == expected);
    shw_forest_destroy(&forest);
    shw_trainer_destroy(&trainer);
    shw_splitter_free(&splitter);
    testing_examples_free(&examples);
}
