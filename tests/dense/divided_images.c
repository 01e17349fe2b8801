/* Workers that divide the images, on the CPU: the forest of one trainer, in whatever is exchanged of samples that
 * others have. Other techniques: equality/workers.c and differential/train.c. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "testing/training.h"
#include "testing/workers.h"

static const enum shw_technique cpu = SHW_TECHNIQUE_CPU;

static void same(const char *what, uint32_t count, const struct shw_trainer_params *params,
                 struct testing_examples *examples)
{
    const uint64_t alone = testing_train(*params, examples, cpu);
    struct testing_worker workers[TESTING_WORKERS_MAX];
    struct testing_table table;

    testing_workers_prepare(&table, workers, count, params, examples, &cpu, 1, SHW_DIVIDE_IMAGES);
    testing_workers_run(workers, count);
    testing_workers_expect(what, count, workers, count, alone);
}

/* Images that lack labels, and trees that draw few images: workers without a sample. */
TESTING_CASE(workers_may_have_no_samples)
{
    struct testing_examples_params examples_params = {.seed = 8, .count = 8};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    for (uint32_t i = 2; i < 6; i++)
        for (uint32_t p = 0; p < examples.examples[i].width * examples.examples[i].height; p++)
            examples.examples[i].labels[p] = SHW_LABEL_VOID;
    same("without labels", 4, &params, &examples);
    params.images_percent = 30;
    params.replacement = true;
    same("few images, drawn again", 4, &params, &examples);
    params.replacement = false;
    params.thresholds = SHW_THRESHOLDS_RANDOM;
    params.mirror = SHW_MIRROR_PAIRED;
    params.channels = "winn17";
    same("paired", 3, &params, &examples);
    testing_examples_free(&examples);
}

/* A block has as many histograms as 1 MiB, the least, holds: a candidate of these nodes has 256 bins of 3 classes. */
TESTING_CASE(candidates_come_in_blocks)
{
    struct testing_examples_params examples_params = {.seed = 9};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    params.candidates = 230;
    params.bins = 256;
    params.tree_count = 1;
    params.memory = 8 << 20;
    params.pixels_per_image = SHW_PIXELS_ALL;
    same("in blocks", 3, &params, &examples);
    params.ferns = true;
    same("levels of ferns in blocks", 3, &params, &examples);
    testing_examples_free(&examples);
}

/* What a worker says that it needs, histograms included, is enough. */
TESTING_CASE(the_least_memory_is_enough)
{
    struct testing_examples_params examples_params = {.seed = 9};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct testing_worker workers[2];
    struct testing_table table;
    const char *least;

    testing_examples_make(&examples_params, &examples);
    params.memory = 1;
    testing_workers_prepare(&table, workers, 2, &params, &examples, &cpu, 1, SHW_DIVIDE_IMAGES);
    testing_workers_run(workers, 2);
    assert_int_equal(workers[0].result, SHW_ERROR_LIMIT);
    least = strstr(workers[0].memory.last, "at least ");
    assert_non_null(least);
    params.memory = strtoull(least + strlen("at least "), NULL, 10) << 20;
    same("the least memory", 2, &params, &examples);
    testing_examples_free(&examples);
}

/* What is said of all images: class-uniform samples, weights, priors, out-of-bag pixels, and the pictures that the
 * trees of the level below have not seen. */
TESTING_CASE(facts_of_all_images_are_known)
{
    struct testing_examples_params examples_params = {.seed = 10, .count = 7, .void_percent = 20};
    struct shw_trainer_params params = testing_training;
    struct shw_forest *below = NULL;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    params.sampling = SHW_SAMPLING_CLASS_UNIFORM;
    params.weighting = SHW_WEIGHTING_INVERSE;
    params.prior = SHW_PRIOR_DATA;
    same("class-uniform", 3, &params, &examples);
    params.images_percent = 50;
    params.out_of_bag = true;
    params.tree_count = 3;
    same("out of bag", 4, &params, &examples);
    params = testing_training;
    params.ferns = true;
    params.candidates = 40;
    same("ferns", 3, &params, &examples);
    params.thresholds = SHW_THRESHOLDS_RANDOM;
    params.bins = 5;
    same("ferns with random thresholds", 4, &params, &examples);
    params = testing_training;
    params.folds = 2;
    params.technique = cpu;
    examples.dataset.user = &examples;
    assert_int_equal(shw_train(&params, &examples.dataset, &below), SHW_OK);
    params = testing_training;
    params.below = below;
    same("above a level", 3, &params, &examples);
    shw_forest_destroy(&below);
    testing_examples_free(&examples);
}

/* Rare classes are in one image, so that a worker draws far more from its images than they would have by themselves. */
TESTING_CASE(most_samples_may_be_in_one_part)
{
    struct testing_examples_params examples_params = {.seed = 21, .count = 6};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    for (uint32_t i = 0; i < examples.dataset.count; i++)
        for (uint32_t p = 0; p < examples.examples[i].width * examples.examples[i].height; p++) {
            const uint32_t rare = 1 + p % (examples.dataset.class_count - 1);

            examples.examples[i].labels[p] = (uint16_t)(i == 1 ? rare : 0);
        }
    params.sampling = SHW_SAMPLING_CLASS_UNIFORM;
    for (uint32_t pixels = 10; pixels <= 160; pixels *= 4) {
        params.pixels_per_image = pixels;
        same("rare classes in one image", 3, &params, &examples);
    }
    params.replacement = true;
    same("rare classes, images drawn with replacement", 3, &params, &examples);
    testing_examples_free(&examples);
}

/* Trains as workers from a checkpoint on, in as many rounds as are left. */
static void resume(const char *path, uint32_t count, enum shw_train_division divide,
                   const struct shw_trainer_params *params, struct testing_examples *examples, uint64_t alone)
{
    struct testing_worker workers[TESTING_WORKERS_MAX];
    struct testing_table table;

    testing_workers_prepare(&table, workers, count, params, examples, &cpu, 1, divide);
    for (uint32_t w = 0; w < count; w++)
        workers[w].checkpoint = path;
    testing_workers_run(workers, count);
    testing_workers_expect("resumed", count, workers, count, alone);
}

/* At every round, from one trainer to workers; and from workers, one of which saves, to others and to one. */
TESTING_CASE(checkpoints_go_from_one_way_to_another)
{
    struct testing_examples_params examples_params = {.seed = 12, .count = 5};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    const char *path = testing_path("checkpoint.ktx2");
    uint64_t alone;

    testing_examples_make(&examples_params, &examples);
    params.depth = 4;
    params.leaf_max = 9;
    alone = testing_train(params, &examples, cpu);
    for (uint32_t rounds = 0; rounds < 8; rounds += 1 + rounds % 2) {
        struct testing_worker workers[TESTING_WORKERS_MAX];
        struct testing_table table;
        testing_workers_prepare(&table, workers, 3, &params, &examples, &cpu, 1, SHW_DIVIDE_IMAGES);
        for (uint32_t w = 0; w < 3; w++)
            workers[w].steps_max = rounds + 1;
        workers[1].save = path;
        testing_workers_run(workers, 3);
        assert_int_equal(workers[1].result, SHW_OK);
        resume(path, 1 + rounds % 4, SHW_DIVIDE_IMAGES, &params, &examples, alone);
        resume(path, 1 + (rounds + 1) % 4, SHW_DIVIDE_CANDIDATES, &params, &examples, alone);
    }
    testing_examples_free(&examples);
}

/* Other images, another seed, another way of dividing: all hear of it. */
TESTING_CASE(workers_that_differ_are_noticed)
{
    struct testing_examples_params examples_params = {.seed = 13};
    struct testing_examples examples, other;
    struct testing_worker workers[2];
    struct testing_table table;

    testing_examples_make(&examples_params, &examples);
    testing_examples_make(&examples_params, &other);
    other.examples[3].pixels[7] ^= 1; /* of worker 1, which alone reads it: to the others that is the data set */
    other.examples[0].pixels[9] ^= 1;
    testing_workers_prepare(&table, workers, 2, &testing_training, &examples, &cpu, 1, SHW_DIVIDE_IMAGES);
    workers[1].params.seed++;
    testing_workers_run(workers, 2);
    for (uint32_t w = 0; w < 2; w++)
        if (workers[w].result != SHW_ERROR_ARGUMENT || strstr(workers[w].memory.last, "trains another forest") == NULL)
            fail_msg("another seed: %s, '%s'", shw_result_string(workers[w].result), workers[w].memory.last);
    testing_workers_prepare(&table, workers, 2, &testing_training, &examples, &cpu, 1, SHW_DIVIDE_IMAGES);
    workers[1].examples = &other;
    testing_workers_run(workers, 2); /* each has read its own: they have the same facts about all */
    testing_workers_expect("other images", 0, workers, 2, workers[0].hash);
    examples.dataset.count = 3;
    testing_workers_prepare(&table, workers, 2, &testing_training, &other, &cpu, 1, SHW_DIVIDE_IMAGES);
    workers[1].examples = &examples;
    testing_workers_run(workers, 2);
    for (uint32_t w = 0; w < 2; w++)
        if (workers[w].result != SHW_ERROR_ARGUMENT || strstr(workers[w].memory.last, "other training sets") == NULL)
            fail_msg("another count: %s, '%s'", shw_result_string(workers[w].result), workers[w].memory.last);
    examples.dataset.count = 4;
    testing_examples_free(&examples);
    testing_examples_free(&other);
}

TESTING_CASE(nothing_is_saved_before_workers_have_begun)
{
    struct testing_examples_params examples_params = {.seed = 5};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct testing_worker worker;
    struct testing_table table;
    struct shw_trainer *trainer = NULL;

    testing_examples_make(&examples_params, &examples);
    testing_workers_prepare(&table, &worker, 1, &params, &examples, &cpu, 1, SHW_DIVIDE_IMAGES);
    examples.dataset.user = &examples;
    assert_int_equal(shw_trainer_create(&worker.params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, testing_path("none.ktx2")), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(worker.memory.last, "nothing to save yet"));
    shw_trainer_destroy(&trainer);
    testing_table_close(&table);
    testing_examples_free(&examples);
}
