/* What trees say of pixels that are out of bag: the same by every technique, and after training was interrupted. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/forest.h>

#include "testing/device.h"
#include "testing/examples.h"
#include "testing/training.h"

static struct shw_trainer_params settings(void)
{
    struct shw_trainer_params params = testing_training;

    params.tree_count = 4;
    params.images_percent = 60;
    params.out_of_bag = true;
    return params;
}

static struct shw_trainer *create(struct shw_trainer_params params, struct testing_examples *examples,
                                  enum shw_technique technique, struct testing_log *memory)
{
    struct shw_trainer *trainer;

    params.log = testing_log(memory);
    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    examples->dataset.user = examples;
    assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_OK);
    return trainer;
}

/* Trains, interrupted after `rounds` if that is not 0. */
static struct shw_forest *train(struct shw_trainer_params params, struct testing_examples *examples,
                                enum shw_technique technique, uint32_t rounds)
{
    const char *path = testing_path("checkpoint.ktx2");
    struct testing_log memory;
    struct shw_trainer *trainer = create(params, examples, technique, &memory);
    struct shw_forest *forest = NULL;
    struct shw_train_progress progress;
    bool finished = false;

    for (uint32_t round = 0; round < rounds; round++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    if (rounds > 0) {
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        shw_trainer_destroy(&trainer);
        trainer = create(params, examples, technique, &memory);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    }
    while (!finished)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    shw_trainer_get_progress(trainer, &progress);
    assert_true((progress.out_of_bag_pixels > 0) == params.out_of_bag);
    assert_true(progress.out_of_bag_correct <= progress.out_of_bag_pixels);
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
    shw_trainer_destroy(&trainer);
    return forest;
}

static void assert_same_training(const struct shw_forest *a, const struct shw_forest *b)
{
    assert_true(shw_forest_hash(a) == shw_forest_hash(b));
    assert_string_equal(shw_forest_get_info(a)->training, shw_forest_get_info(b)->training);
}

static void check(const struct shw_trainer_params *params, struct testing_examples *examples)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    struct shw_forest *expected = train(*params, examples, SHW_TECHNIQUE_CPU, 0), *other;

    assert_non_null(strstr(shw_forest_get_info(expected)->training, "\"out_of_bag\":{\"correct\":["));
    for (uint32_t t = 0; t < 3; t++) {
        other = train(*params, examples, techniques[t], 2 + 3 * t);
        assert_same_training(other, expected);
        shw_forest_destroy(&other);
    }
    shw_forest_destroy(&expected);
}

TESTING_CASE(every_technique_counts_the_same)
{
    struct testing_examples_params of_examples = {.seed = 61, .void_percent = 15, .count = 6};
    struct shw_trainer_params params = settings();
    struct testing_examples examples;

    testing_examples_make(&of_examples, &examples);
    check(&params, &examples);
    params.mirror = SHW_MIRROR_PAIRED;
    params.first_tree = 3;
    check(&params, &examples);
    params.mirror = SHW_MIRROR_IMAGES;
    params.replacement = true;
    params.images_percent = 100;
    params.combine = SHW_COMBINE_VOTE;
    check(&params, &examples);
    params = settings();
    params.feature = &shw_feature_depth_mean_difference;
    params.channels = "depth,rgb";
    check(&params, &examples);
    params = settings();
    params.feature = &shw_feature_pixel_difference;
    check(&params, &examples);
    testing_examples_free(&examples);
    testing_device_check();
}

/* Trees do not depend on it. */
TESTING_CASE(forests_are_the_same_without)
{
    struct testing_examples_params of_examples = {.seed = 62, .count = 6};
    struct shw_trainer_params params = settings(), plain = settings();
    struct testing_examples examples;
    struct shw_forest *with, *without;

    plain.out_of_bag = false;
    testing_examples_make(&of_examples, &examples);
    with = train(params, &examples, SHW_TECHNIQUE_CPU, 0);
    without = train(plain, &examples, SHW_TECHNIQUE_CPU, 0);
    assert_true(shw_forest_hash(with) == shw_forest_hash(without));
    assert_null(strstr(shw_forest_get_info(without)->training, "out_of_bag"));
    shw_forest_destroy(&with);
    shw_forest_destroy(&without);
    testing_examples_free(&examples);
}

/* With one tree, the pixels are those of the images that it was not trained on, labelled by that tree. */
TESTING_CASE(pixels_are_those_of_other_images)
{
    struct testing_examples_params of_examples = {.seed = 63, .count = 4, .width = 20, .height = 20, .equal = true};
    struct shw_trainer_params params = settings();
    struct testing_examples examples;
    struct testing_log memory;
    struct shw_trainer *trainer;
    struct shw_train_progress progress;
    bool finished = false;

    params.tree_count = 1;
    params.images_percent = 50;
    testing_examples_make(&of_examples, &examples);
    trainer = create(params, &examples, SHW_TECHNIQUE_CPU, &memory);
    while (!finished)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    shw_trainer_get_progress(trainer, &progress);
    assert_int_equal(progress.out_of_bag_pixels, 2 * 20 * 20); /* all of two images */
    shw_trainer_destroy(&trainer);
    testing_examples_free(&examples);
}

TESTING_CASE(settings_without_other_images_are_refused)
{
    struct testing_examples_params of_examples = {.seed = 64};
    struct shw_trainer_params params = settings();
    struct testing_examples examples;
    struct testing_log memory;
    struct shw_trainer *trainer = NULL;

    testing_examples_make(&of_examples, &examples);
    examples.dataset.user = &examples;
    params.log = testing_log(&memory);
    params.technique = SHW_TECHNIQUE_CPU;
    params.images_percent = 100;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
    params.images_percent = 60;
    params.same_samples = true;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
    params.same_samples = false;
    examples.dataset.picture_count = 2;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
    testing_examples_free(&examples);
}
