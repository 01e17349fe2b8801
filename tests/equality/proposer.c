/* Candidates of the caller's: the same forest by every technique, with little memory, in slices, by workers and after a
 * checkpoint; and that of the library where its candidates are given back. */
#include "testing/testing.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "testing/device.h"
#include "testing/examples.h"
#include "testing/exchange.h"
#include "testing/proposer.h"
#include "testing/splitter.h"
#include "testing/training.h"
#include "vulkan/commands.h"

static const enum shw_technique all[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};

static uint64_t train(struct shw_trainer_params params, enum testing_proposing how, struct testing_examples *examples,
                      enum shw_technique technique)
{
    struct testing_proposer proposer;

    testing_propose(&proposer, how);
    params.proposer = &proposer.proposer;
    return testing_train(params, examples, technique);
}

TESTING_CASE(drawn_candidates_give_the_forest_of_the_library)
{
    struct testing_examples_params of_examples = {.seed = 31, .void_percent = 15};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    struct testing_examples examples;
    uint32_t count = testing_training_variants(list);

    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < count; i += testing_is_slow() ? 1 : 2) {
        const enum shw_technique technique = all[i % 3];
        if (train(list[i], TESTING_PROPOSE_DRAWN, &examples, technique) !=
            testing_train(list[i], &examples, SHW_TECHNIQUE_CPU))
            fail_msg("variant %u by %s: another forest than without a proposer", i, shw_technique_name(technique));
    }
    testing_device_check();
    testing_examples_free(&examples);
}

static uint64_t same(const char *what, uint32_t number, const struct shw_trainer_params *params,
                     enum testing_proposing how, struct testing_examples *examples)
{
    const uint64_t cpu = train(*params, how, examples, SHW_TECHNIQUE_CPU);

    for (uint32_t t = 1; t < 3; t++)
        if (train(*params, how, examples, all[t]) != cpu)
            fail_msg("%s %u: %s gives another forest than cpu", what, number, shw_technique_name(all[t]));
    testing_device_check();
    return cpu;
}

/* With bins in between, intervals are those of either scheme, of pools, ferns and responses that may be undefined. */
TESTING_CASE(mixed_candidates_are_the_same_by_every_technique)
{
    struct testing_examples_params of_examples = {.seed = 31, .void_percent = 15};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    struct testing_examples examples;
    uint32_t count = testing_training_variants(list);

    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < count; i += testing_is_slow() ? 1 : 4) {
        list[i].thresholds = (enum shw_threshold_scheme)(i / 4 % 2);
        if (same("variant", i, &list[i], TESTING_PROPOSE_MIXED, &examples) ==
            testing_train(list[i], &examples, SHW_TECHNIQUE_CPU))
            fail_msg("variant %u: what is proposed does not matter", i);
    }
    testing_examples_free(&examples);
}

TESTING_CASE(far_rectangles_are_the_same_by_every_technique)
{
    struct testing_examples_params of_examples = {.seed = 32};
    struct testing_examples examples;

    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < 4; i++) {
        struct shw_trainer_params params = testing_training;
        params.offset_max = 16383;
        params.seed = i;
        params.mirror = i == 3 ? SHW_MIRROR_PAIRED : SHW_MIRROR_NONE;
        params.thresholds = (enum shw_threshold_scheme)(i % 2);
        params.feature = i == 1 ? &shw_feature_sum_difference : NULL;
        same("seed", i, &params, TESTING_PROPOSE_FAR, &examples);
    }
    testing_examples_free(&examples);
}

TESTING_CASE(custom_splitters_see_the_same)
{
    struct testing_examples_params of_examples = {.seed = 33};
    struct testing_examples examples;

    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < 2; i++) {
        struct shw_trainer_params params = testing_training;
        uint64_t expected, histograms = 0;
        params.thresholds = (enum shw_threshold_scheme)i;
        expected = train(params, TESTING_PROPOSE_MIXED, &examples, SHW_TECHNIQUE_CPU);
        for (uint32_t t = 0; t < 3; t++) {
            struct testing_watcher watcher;
            struct shw_splitter inner;
            assert_int_equal(shw_splitter_id3(NULL, &inner), SHW_OK);
            testing_watch(&watcher, inner);
            params.splitter = &watcher.splitter;
            assert_true(train(params, TESTING_PROPOSE_MIXED, &examples, all[t]) == expected);
            assert_true(t == 0 || watcher.hash == histograms);
            histograms = watcher.hash;
            shw_splitter_free(&inner);
        }
    }
    testing_examples_free(&examples);
}

/* Planes that do not stay in memory, several batches of a node, slices as small as can be. */
TESTING_CASE(little_memory_is_the_same)
{
    struct testing_examples_params of_examples = {.seed = 11, .count = 8, .width = 120, .height = 90};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    uint64_t expected;

    testing_examples_make(&of_examples, &examples);
    params.channels = SHW_CHANNELS_WIDE;
    params.candidates = 120;
    params.bins = 64;
    params.depth = 4;
    params.tree_count = 1;
    params.pixels_per_image = 1500;
    for (uint32_t i = 0; i < 4; i += testing_is_slow() ? 1 : 3) {
        params.thresholds = (enum shw_threshold_scheme)(i % 2);
        params.ferns = i >= 2;
        params.memory = params.work_max = 0;
        expected = train(params, TESTING_PROPOSE_MIXED, &examples, SHW_TECHNIQUE_CPU);
        params.memory = (uint64_t)8 << 20; /* of the 27 MiB of all planes */
        assert_true(train(params, TESTING_PROPOSE_MIXED, &examples, SHW_TECHNIQUE_CPU) == expected);
        params.memory = (uint64_t)16 << 20;
        params.work_max = 100000;
        assert_true(train(params, TESTING_PROPOSE_MIXED, &examples, SHW_TECHNIQUE_COMPUTE) == expected);
    }
    testing_device_check();
    testing_examples_free(&examples);
}

/* Workers. */

struct worker {
    struct testing_table *table;
    struct shw_train_exchange exchange;
    struct testing_proposer proposer;
    struct shw_trainer_params params;
    struct testing_examples *examples;
    struct testing_log memory;
    pthread_t thread;
    enum shw_result result;
    uint64_t hash;
};

static enum shw_result gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *words)
{
    struct worker *worker = user;

    return testing_table_gather(worker->table, worker->exchange.worker, mine, word_count, words);
}

static void *work(void *user)
{
    struct worker *worker = user;
    struct shw_dataset dataset = worker->examples->dataset;
    struct shw_forest *forest = NULL;

    dataset.user = worker->examples;
    worker->result = shw_train(&worker->params, &dataset, &forest);
    worker->hash = worker->result == SHW_OK ? shw_forest_hash(forest) : 0;
    shw_forest_destroy(&forest);
    testing_table_leave(worker->table, worker->result == SHW_OK);
    return NULL;
}

/* Each by its own technique and its own proposer; the last one proposes by the number `other`. */
static void run(struct worker *workers, uint32_t count, const struct shw_trainer_params *params, uint32_t other,
                struct testing_examples *examples)
{
    struct testing_table table;

    testing_table_open(&table, count);
    for (uint32_t w = 0; w < count; w++) {
        workers[w] = (struct worker){.table = &table, .params = *params, .examples = examples};
        workers[w].exchange =
            (struct shw_train_exchange){.worker = w, .worker_count = count, .user = &workers[w], .gather = gather};
        testing_propose(&workers[w].proposer, TESTING_PROPOSE_MIXED);
        workers[w].proposer.number = w + 1 == count ? other : 0;
        workers[w].params.proposer = &workers[w].proposer.proposer;
        workers[w].params.exchange = &workers[w].exchange;
        workers[w].params.technique = all[w % 3];
        workers[w].params.device = w % 3 != 0 ? testing_device() : NULL;
        workers[w].params.log = testing_log(&workers[w].memory);
    }
    for (uint32_t w = 0; w < count; w++)
        assert_int_equal(pthread_create(&workers[w].thread, NULL, work, &workers[w]), 0);
    for (uint32_t w = 0; w < count; w++)
        pthread_join(workers[w].thread, NULL);
    testing_table_close(&table);
}

TESTING_CASE(workers_share_what_is_proposed)
{
    struct testing_examples_params of_examples = {.seed = 31, .void_percent = 15};
    struct testing_examples examples;
    struct worker workers[TESTING_WORKERS_MAX];

    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < 4; i++) {
        struct shw_trainer_params params = testing_training;
        params.ferns = i == 2;
        params.pool = i == 1 ? SHW_POOL_ROUND : SHW_POOL_NODE;
        params.thresholds = (enum shw_threshold_scheme)(i % 2);
        params.candidates = i == 3 ? 3 : 17;
        const uint64_t alone = train(params, TESTING_PROPOSE_MIXED, &examples, SHW_TECHNIQUE_CPU);
        for (uint32_t count = 2; count <= 3; count++) {
            run(workers, count, &params, 0, &examples);
            for (uint32_t w = 0; w < count; w++)
                if (workers[w].result != SHW_OK || workers[w].hash != alone)
                    fail_msg("%u: worker %u of %u gives another forest: %s", i, w, count, workers[w].memory.last);
        }
    }
    testing_device_check();
    testing_examples_free(&examples);
}

TESTING_CASE(workers_that_propose_other_candidates_are_noticed)
{
    struct testing_examples_params of_examples = {.seed = 31};
    struct testing_examples examples;
    struct worker workers[2];

    testing_examples_make(&of_examples, &examples);
    run(workers, 2, &testing_training, 1, &examples);
    for (uint32_t w = 0; w < 2; w++) {
        assert_int_equal(workers[w].result, SHW_ERROR_ARGUMENT);
        assert_non_null(strstr(workers[w].memory.last, "round 0: worker"));
        assert_non_null(strstr(workers[w].memory.last, "trains another forest"));
    }
    testing_examples_free(&examples);
}

/* Checkpoints. */

static struct shw_trainer *create(struct shw_trainer_params params, struct testing_proposer *proposer,
                                  struct testing_examples *examples, enum shw_technique technique,
                                  struct testing_log *memory)
{
    struct shw_trainer *trainer;

    params.proposer = &proposer->proposer;
    params.log = testing_log(memory);
    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    examples->dataset.user = examples;
    assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_OK);
    return trainer;
}

TESTING_CASE(techniques_take_turns)
{
    struct testing_examples_params of_examples = {.seed = 31, .void_percent = 15};
    const char *path = testing_path("proposed.ktx2");
    struct testing_examples examples;

    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < 12; i += testing_is_slow() ? 1 : 5) {
        struct shw_trainer_params params = testing_training;
        struct testing_proposer proposer;
        struct testing_log memory;
        struct shw_trainer *trainer;
        bool finished = false;
        uint64_t expected;

        params.ferns = i % 4 == 3;
        params.mirror = i % 4 == 2 ? SHW_MIRROR_PAIRED : SHW_MIRROR_NONE;
        expected = train(params, TESTING_PROPOSE_MIXED, &examples, SHW_TECHNIQUE_CPU);
        testing_propose(&proposer, TESTING_PROPOSE_MIXED);
        trainer = create(params, &proposer, &examples, all[i % 3], &memory);
        for (uint32_t round = 0; round < i; round++)
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        shw_trainer_destroy(&trainer);
        trainer = create(params, &proposer, &examples, all[(i + 1) % 3], &memory);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        assert_true(testing_finish(trainer) == expected);
        assert_int_equal(memory.errors, 0);
    }
    testing_device_check();
    testing_examples_free(&examples);
}

/* A checkpoint between the slices of a round knows what was proposed for it. */
TESTING_CASE(a_round_that_has_begun_is_asked_again)
{
    struct testing_examples_params of_examples = {.seed = 31};
    const char *path = testing_path("slice.ktx2");
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct testing_proposer proposer;
    struct testing_log memory;
    struct shw_trainer *trainer;
    VkCommandBuffer commands;
    bool finished = false;
    uint64_t expected;

    testing_examples_make(&of_examples, &examples);
    expected = train(params, TESTING_PROPOSE_MIXED, &examples, SHW_TECHNIQUE_CPU);
    params.work_max = 1000;
    testing_propose(&proposer, TESTING_PROPOSE_MIXED);
    trainer = create(params, &proposer, &examples, SHW_TECHNIQUE_COMPUTE, &memory);
    assert_int_equal(shw_submit_begin(testing_device(), &commands), SHW_OK);
    assert_int_equal(shw_trainer_record(trainer, commands), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    assert_int_equal(shw_submit_wait(testing_device(), commands), SHW_OK);
    shw_trainer_destroy(&trainer);
    for (uint32_t number = 0; number < 2; number++) {
        proposer.number = number;
        proposer.calls = 0;
        trainer = create(params, &proposer, &examples, SHW_TECHNIQUE_CPU, &memory);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        assert_int_equal(proposer.calls, 0);
        if (number == 0) {
            assert_true(testing_finish(trainer) == expected);
            continue;
        }
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_ERROR_ARGUMENT);
        assert_int_equal(memory.last_item, SHW_LOG_CHECKPOINT);
        assert_non_null(strstr(memory.last, "proposer tester, tree 0, round 0: these are not the candidates"));
        proposer.number = 0;
        assert_true(testing_finish(trainer) == expected);
    }
    testing_device_check();
    testing_examples_free(&examples);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
