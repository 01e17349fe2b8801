/* A trainer with helpers on other devices trains the forest that it trains alone. */
#include "testing/testing.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/splitter.h>

#include "testing/device.h"
#include "testing/examples.h"
#include "testing/sanitizers.h"
#include "testing/training.h"

#define HELPERS_MAX 3u

#if TESTING_THREAD_SANITIZED /* drivers are built without it */
static const enum shw_technique all[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU};
#else
static const enum shw_technique all[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
#endif

/* The leader goes by technique `leader` of the list, helpers by those that follow it. */
static void prepare(struct shw_trainer_params *params, struct shw_train_helper helpers[HELPERS_MAX], uint32_t leader,
                    uint32_t count)
{
    params->technique = all[leader % 3];
    params->device = params->technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    for (uint32_t h = 0; h < count; h++) {
        helpers[h] = (struct shw_train_helper){.technique = all[(leader + 1 + h) % 3], .threads = 1 + h};
        helpers[h].device = helpers[h].technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    }
    params->helpers = count > 0 ? helpers : NULL;
    params->helper_count = count;
}

static void same(const struct shw_trainer_params *given, const struct testing_examples *examples, uint32_t leader,
                 uint32_t count, uint64_t alone)
{
    struct shw_trainer_params params = *given;
    struct shw_train_helper helpers[HELPERS_MAX];
    struct shw_trainer *trainer = NULL;
    struct testing_log memory;

    params.log = testing_log(&memory);
    prepare(&params, helpers, leader, count);
    assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_OK);
    memset(helpers, 0xa5, sizeof helpers); /* borrowed during creation only */
    assert_int_equal(testing_finish(trainer), alone);
    assert_int_equal(memory.errors, 0);
    testing_device_check();
}

TESTING_CASE(every_technique_is_the_same)
{
    struct testing_examples_params examples_params = {.seed = 31, .void_percent = 15};
    struct testing_examples examples;
    uint64_t alone;

    testing_examples_make(&examples_params, &examples);
    alone = testing_train(testing_training, &examples, SHW_TECHNIQUE_CPU);
    for (uint32_t leader = 0; leader < 3; leader++)
        for (uint32_t count = 0; count <= HELPERS_MAX; count++)
            same(&testing_training, &examples, leader, count, alone);
    testing_examples_free(&examples);
}

TESTING_CASE(every_variant_is_the_same)
{
    struct testing_examples_params examples_params = {.seed = 32, .void_percent = 15};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    struct testing_examples examples;
    uint32_t count = testing_training_variants(list);

    testing_examples_make(&examples_params, &examples);
    for (uint32_t i = 0; i < count; i += testing_is_slow() ? 1 : 5) { /* equality_workers has others */
        if (list[i].splitter == NULL && list[i].proposer == NULL)
            same(&list[i], &examples, i, 1 + i % HELPERS_MAX, testing_train(list[i], &examples, SHW_TECHNIQUE_CPU));
    }
    testing_examples_free(&examples);
}

/* Saved at each round with some helpers, and continued with others. */
TESTING_CASE(checkpoints_continue_with_other_helpers)
{
    struct testing_examples_params examples_params = {.seed = 33};
    const char *path = testing_path("checkpoint.ktx2");
    struct shw_trainer_params params = testing_training;
    struct shw_train_helper helpers[HELPERS_MAX];
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;
    struct testing_log memory;
    uint64_t alone;

    testing_examples_make(&examples_params, &examples);
    params.notes = "{\"place\":\"here\"}";
    alone = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    params.log = testing_log(&memory);
    for (uint32_t rounds = 0, finished = 0; !finished; rounds++) {
        bool ended = false;
        prepare(&params, helpers, 0, rounds % (HELPERS_MAX + 1));
        params.channels = strdup(SHW_CHANNELS_RGB);
        params.notes = strdup("{\"place\":\"here\"}");
        assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
        free((char *)params.channels); /* helpers begin again with copies */
        free((char *)params.notes);
        if (rounds > 0) {
            if (rounds % 2 == 0) /* the helpers have begun then */
                assert_int_equal(shw_trainer_prepare(trainer), SHW_OK);
            assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        }
        assert_int_equal(shw_trainer_step(trainer, &ended), SHW_OK);
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        if (ended)
            assert_int_equal(testing_finish(trainer), alone);
        else
            shw_trainer_destroy(&trainer);
        finished = ended;
        assert_int_equal(memory.errors, 0);
    }
    testing_examples_free(&examples);
}

/* A checkpoint of another training is refused, and the trainer and its helpers can go on. */
TESTING_CASE(refused_checkpoints_change_nothing)
{
    struct testing_examples_params examples_params = {.seed = 34};
    const char *path = testing_path("other.ktx2");
    struct shw_trainer_params params = testing_training;
    struct shw_train_helper helpers[HELPERS_MAX];
    struct testing_examples examples, other;
    struct shw_trainer *trainer = NULL;
    struct testing_log memory;
    uint64_t alone;
    bool finished;

    testing_examples_make(&examples_params, &examples);
    testing_examples_make(&examples_params, &other);
    other.examples[1].pixels[7] ^= 1; /* found after the training set has been read */
    alone = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    assert_int_equal(shw_trainer_create(&params, &other.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);
    params.log = testing_log(&memory);
    prepare(&params, helpers, 0, 2);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
    assert_int_equal(testing_finish(trainer), alone);
    testing_examples_free(&examples);
    testing_examples_free(&other);
}

TESTING_CASE(trainers_are_renewed)
{
    struct testing_examples_params examples_params = {.seed = 35};
    struct shw_trainer_params params = testing_training;
    struct shw_train_helper helpers[HELPERS_MAX];
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;
    bool finished;

    testing_examples_make(&examples_params, &examples);
    prepare(&params, helpers, 0, 1);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    for (uint32_t turn = 0; turn < 4; turn++) {
        struct shw_trainer_params again = testing_training;
        again.seed = turn;
        if (turn % 2 == 0) /* in the middle of another training */
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        prepare(&again, helpers, turn, turn % 3);
        assert_int_equal(shw_trainer_renew(trainer, &again, &examples.dataset), SHW_OK);
        assert_int_equal(testing_grow(trainer), testing_train(again, &examples, SHW_TECHNIQUE_CPU));
    }
    shw_trainer_destroy(&trainer);
    testing_examples_free(&examples);
}

/* A data set that only one thread at a time may read. */
struct shy {
    struct testing_examples *examples;
    atomic_int readers;
    bool crowded;
};

static void enter(struct shy *shy)
{
    shy->crowded |= atomic_fetch_add(&shy->readers, 1) != 0;
}

static enum shw_result read_shy(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct shy *shy = user;
    enum shw_result result;

    enter(shy);
    result = shy->examples->dataset.read(shy->examples->dataset.user, index, example);
    atomic_fetch_sub(&shy->readers, 1);
    return result;
}

static void release_shy(void *user, struct shw_labelled_image *example)
{
    struct shy *shy = user;

    enter(shy);
    shy->examples->dataset.release(shy->examples->dataset.user, example);
    atomic_fetch_sub(&shy->readers, 1);
}

TESTING_CASE(one_thread_at_a_time_reads)
{
    struct testing_examples_params examples_params = {.seed = 36};
    struct shw_trainer_params params = testing_training;
    struct shw_train_helper helpers[HELPERS_MAX];
    struct testing_examples examples;
    struct shy shy = {.examples = &examples};
    struct shw_trainer *trainer = NULL;
    struct shw_dataset dataset;
    uint64_t alone;

    testing_examples_make(&examples_params, &examples);
    alone = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    dataset = examples.dataset;
    dataset.single_threaded = true;
    dataset.user = &shy;
    dataset.read = read_shy;
    dataset.release = release_shy;
    params.memory = 6 << 20; /* so that images are read again */
    prepare(&params, helpers, 0, HELPERS_MAX);
    assert_int_equal(shw_trainer_create(&params, &dataset, &trainer), SHW_OK);
    assert_int_equal(testing_finish(trainer), alone);
    assert_false(shy.crowded);
    testing_examples_free(&examples);
}

/* What stops a helper is told once, by the trainer, and ends the training. */
TESTING_CASE(a_helper_that_fails_is_told)
{
    struct testing_examples_params examples_params = {.seed = 37};
    struct shw_trainer_params params = testing_training;
    struct shw_train_helper helpers[HELPERS_MAX];
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;
    struct testing_log memory;
    bool finished;

    testing_examples_make(&examples_params, &examples);
    params.log = testing_log(&memory);
    prepare(&params, helpers, 2, 2);
    helpers[0].memory = 1; /* cpu */
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_step(trainer, &finished), SHW_ERROR_LIMIT);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, "helper 0: training with cpu needs at least") == NULL)
        fail_msg("%s", memory.last);
    shw_trainer_destroy(&trainer);

    prepare(&params, helpers, 0, 2);
    helpers[1] = (struct shw_train_helper){.technique = SHW_TECHNIQUE_BLEND, .name = "the other one"};
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
    if (strstr(memory.last, "the other one: the technique blend needs a device") == NULL)
        fail_msg("%s", memory.last);
    testing_examples_free(&examples);
}

/* A trainer that is stopped can be saved, and continued alone. */
TESTING_CASE(interruption_ends_all)
{
    struct testing_examples_params examples_params = {.seed = 38};
    const char *path = testing_path("stopped.ktx2");
    struct shw_trainer_params params = testing_training;
    struct shw_train_helper helpers[HELPERS_MAX];
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;
    uint64_t alone;
    bool finished;

    testing_examples_make(&examples_params, &examples);
    alone = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    prepare(&params, helpers, 0, 2);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    shw_trainer_interrupt(trainer);
    assert_int_equal(shw_trainer_step(trainer, &finished), SHW_ERROR_CANCELLED);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);
    params = testing_training;
    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    assert_int_equal(testing_finish(trainer), alone);
    testing_examples_free(&examples);
}

static void refuse(const struct shw_trainer_params *given, struct testing_examples *examples, const char *words)
{
    struct shw_trainer_params params = *given;
    struct shw_trainer *trainer = NULL;
    struct testing_log memory;

    params.log = testing_log(&memory);
    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_ERROR_ARGUMENT);
    if (strstr(memory.last, words) == NULL)
        fail_msg("'%s' is not in: %s", words, memory.last);
}

TESTING_CASE(what_helpers_cannot_do_is_refused)
{
    const struct shw_train_helper helpers[16] = {{.technique = SHW_TECHNIQUE_CPU}};
    struct testing_examples_params examples_params = {.seed = 5};
    struct shw_trainer_params params = testing_training;
    struct shw_train_exchange exchange = {.worker_count = 2};
    struct testing_examples examples;
    struct shw_splitter splitter;

    testing_examples_make(&examples_params, &examples);
    params.helper_count = 1;
    refuse(&params, &examples, "there are none at `helpers`");
    params.helpers = helpers;
    params.exchange = &exchange;
    refuse(&params, &examples, "a worker of an exchange has none");
    params.exchange = NULL;
    params.helper_count = 16;
    refuse(&params, &examples, "no more workers than the 16 candidates");
    params.helper_count = 1;
    assert_int_equal(shw_splitter_id3(NULL, &splitter), SHW_OK);
    params.splitter = &splitter;
    refuse(&params, &examples, "a splitter needs all histograms");
    shw_splitter_free(&splitter);
    testing_examples_free(&examples);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
