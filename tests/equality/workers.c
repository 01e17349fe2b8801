/* Several workers train one forest together, by every technique and by several at once: the forest of one alone. */
#include "testing/testing.h"

#include <stdio.h>
#include <string.h>

#include <shadewood/splitter.h>

#include "testing/device.h"
#include "testing/examples.h"
#include "testing/training.h"
#include "testing/workers.h"

/* Candidates are divided, and images. */
static void same(const char *what, uint32_t number, uint32_t count, const struct shw_trainer_params *params,
                 struct testing_examples *examples, const enum shw_technique *techniques, uint32_t technique_count)
{
    uint64_t alone = testing_train(*params, examples, SHW_TECHNIQUE_CPU);
    struct testing_worker workers[TESTING_WORKERS_MAX];
    struct testing_table table;

    for (uint32_t divide = 0; divide < 2; divide++) {
        if (count > (divide == SHW_DIVIDE_IMAGES ? examples->dataset.count : params->candidates))
            continue;
        testing_workers_prepare(&table, workers, count, params, examples, techniques, technique_count,
                                (enum shw_train_division)divide);
        testing_workers_run(workers, count);
        testing_workers_expect(what, number, workers, count, alone);
        testing_device_check();
    }
}

static const enum shw_technique all[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};

TESTING_CASE(every_technique_is_the_same)
{
    struct testing_examples_params params = {.seed = 31, .void_percent = 15};
    struct testing_examples examples;

    testing_examples_make(&params, &examples);
    for (uint32_t t = 0; t < 3; t++)
        for (uint32_t count = 1; count <= 3; count++)
            same("technique", t, count, &testing_training, &examples, &all[t], 1);
    testing_examples_free(&examples);
}

/* Techniques that work together compare their scores, of every kind. */
TESTING_CASE(every_variant_is_the_same)
{
    struct testing_examples_params params = {.seed = 31, .void_percent = 15};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    struct testing_examples examples;
    uint32_t count = testing_training_variants(list);

    testing_examples_make(&params, &examples);
    for (uint32_t i = 0; i < count; i += testing_is_slow() ? 1 : 4) /* equality_train has others, by one worker */
        same("variant", i, 2 + i % 3, &list[i], &examples, all, 3);
    testing_examples_free(&examples);
}

/* A node whose candidates do not fit into a batch at once, and as many workers as candidates. */
TESTING_CASE(batches_and_shares_of_one_are_the_same)
{
    struct testing_examples_params examples_params = {.seed = 5};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    params.candidates = 3;
    same("candidates", 3, 3, &params, &examples, all, 3);
    params.candidates = 300;
    params.bins = 256;
    params.tree_count = 1;
    params.memory = 8 << 20;
    params.pixels_per_image = SHW_PIXELS_ALL;
    same("candidates", 300, 2, &params, &examples, all + 1, 1);
    testing_examples_free(&examples);
}

/* Both workers must hear of the other, in the first round. */
static void run_apart(const char *what, struct testing_worker *workers)
{
    testing_workers_run(workers, 2);
    for (uint32_t w = 0; w < 2; w++) {
        char words[100];
        snprintf(words, sizeof words, "round 0: worker %u trains another forest", 1 - w);
        if (workers[w].result != SHW_ERROR_ARGUMENT || strstr(workers[w].memory.last, words) == NULL)
            fail_msg("%s: '%s' is not in %s, '%s'", what, words, shw_result_string(workers[w].result),
                     workers[w].memory.last);
        assert_int_equal(workers[w].rounds, 1);
    }
}

/* A worker that ends early, and one with other parameters: the others' training ends with a result that says so. */
TESTING_CASE(workers_that_part_are_noticed)
{
    struct testing_examples_params examples_params = {.seed = 5};
    struct testing_examples examples;
    struct testing_worker workers[2];
    struct testing_table table;

    testing_examples_make(&examples_params, &examples);
    testing_workers_prepare(&table, workers, 2, &testing_training, &examples, all, 1, SHW_DIVIDE_CANDIDATES);
    workers[1].rounds_max = 3;
    testing_workers_run(workers, 2);
    assert_int_equal(workers[0].result, SHW_ERROR_IO);
    assert_int_equal(workers[0].rounds, 4);
    testing_workers_prepare(&table, workers, 2, &testing_training, &examples, all, 2, SHW_DIVIDE_CANDIDATES);
    workers[1].params.seed++;
    run_apart("seed", workers);
    testing_examples_free(&examples);
}

/* Parameters and pixels that change the forest, but for the most part nothing that is counted at the root. */
TESTING_CASE(other_parameters_are_noticed_at_once)
{
    struct testing_examples_params examples_params = {.seed = 5};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    struct testing_examples examples, other;
    uint32_t count = testing_training_variants(list);
    struct testing_worker workers[2];
    struct testing_table table;

    testing_examples_make(&examples_params, &examples);
    testing_examples_make(&examples_params, &other);
    other.examples[1].pixels[7] ^= 1;
    for (uint32_t i = 0; i < count; i++) {
        char what[32];
        if (list[i].splitter != NULL)
            continue;
        snprintf(what, sizeof what, "variant %u", i);
        testing_workers_prepare(&table, workers, 2, &list[0], &examples, all, 2, SHW_DIVIDE_CANDIDATES);
        list[i].technique = workers[1].params.technique;
        list[i].device = workers[1].params.device;
        list[i].log = workers[1].params.log;
        list[i].exchange = workers[1].params.exchange;
        if (i == 0) /* the same parameters */
            workers[1].examples = &other;
        workers[1].params = list[i];
        for (uint32_t w = 0; w < 2 && list[i].pixels_per_image == list[0].pixels_per_image; w++)
            workers[w].params.pixels_per_image = SHW_PIXELS_ALL;
        run_apart(what, workers);
    }
    testing_examples_free(&examples);
    testing_examples_free(&other);
}

TESTING_CASE(other_trees_are_noticed)
{
    struct testing_examples_params examples_params = {.seed = 5};
    struct shw_trainer_params params = testing_training;
    const char *path = testing_path("checkpoint.ktx2");
    struct testing_examples examples;
    struct shw_train_progress progress;
    struct shw_trainer *trainer = NULL;
    struct testing_worker workers[2];
    struct testing_table table;
    bool finished;

    testing_examples_make(&examples_params, &examples);
    params.technique = SHW_TECHNIQUE_CPU;
    params.pixels_per_image = SHW_PIXELS_ALL; /* the roots of all trees count the same */
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    do {
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        shw_trainer_get_progress(trainer, &progress);
    } while (progress.tree == 0);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);
    testing_workers_prepare(&table, workers, 2, &params, &examples, all, 1, SHW_DIVIDE_CANDIDATES);
    workers[1].checkpoint = path;
    run_apart("another tree", workers);
    testing_examples_free(&examples);
}

static enum shw_result no_gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *whole)
{
    (void)user, (void)mine, (void)word_count, (void)whole;
    return SHW_ERROR_IO;
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

TESTING_CASE(bad_exchanges_are_refused)
{
    struct testing_examples_params examples_params = {.seed = 5};
    struct shw_trainer_params params = testing_training;
    struct shw_train_exchange exchange = {.worker = 1, .worker_count = 2};
    struct testing_examples examples;
    struct shw_splitter splitter;

    testing_examples_make(&examples_params, &examples);
    params.exchange = &exchange;
    refuse(&params, &examples, "needs the callback gather");
    exchange.gather = no_gather;
    exchange.worker = 2;
    refuse(&params, &examples, "worker 2 of 2: ");
    exchange.worker_count = 17;
    refuse(&params, &examples, "no more workers than the 16 candidates");
    exchange.worker_count = 3;
    assert_int_equal(shw_splitter_id3(NULL, &splitter), SHW_OK);
    params.splitter = &splitter;
    refuse(&params, &examples, "a splitter needs all histograms");
    params.splitter = NULL;
    exchange.divide = SHW_DIVIDE_IMAGES;
    refuse(&params, &examples, "images with the callback scatter");
    exchange.scatter = no_gather;
    exchange.worker_count = 5;
    refuse(&params, &examples, "4 images cannot be divided among 5 workers");
    exchange.worker_count = 3;
    examples.dataset.picture_count = 4;
    refuse(&params, &examples, "need whole ones, not parts of pictures");
    examples.dataset.picture_count = 0;
    exchange.divide = (enum shw_train_division)2;
    refuse(&params, &examples, "an exchange divides candidates, or images");
    shw_splitter_free(&splitter);
    testing_examples_free(&examples);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
