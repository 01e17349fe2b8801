/* Ferns: the same by every technique of training, and labels that are those of the same trees walked node by node. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/forest/forest.h"
#include "testing/device.h"
#include "testing/examples.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "testing/training.h"
#include "vulkan/commands.h"

static struct shw_trainer_params settings(void)
{
    struct shw_trainer_params params = testing_training;

    params.ferns = true;
    params.samples_min = 5;
    return params;
}

static struct shw_forest *train(struct shw_trainer_params params, struct testing_examples *examples)
{
    struct testing_log memory;
    struct shw_forest *forest = NULL;

    params.log = testing_log(&memory);
    params.technique = SHW_TECHNIQUE_CPU;
    examples->dataset.user = examples;
    assert_int_equal(shw_train(&params, &examples->dataset, &forest), SHW_OK);
    return forest;
}

/* Every level of a tree has one test, and trees are no stumps. */
static void check_shape(const struct shw_forest *forest)
{
    assert_true(shw_forest_is_ferns(forest));
    for (uint32_t t = 0; t < shw_forest_get_info(forest)->tree_count; t++) {
        uint32_t level_end = 1, splits = 0, tests = 0;
        struct shw_node test = {0};
        for (uint32_t n = 0; n < shw_forest_get_tree(forest, t).node_count; n++) {
            struct shw_node node = shw_forest_get_node(forest, t, n);
            if (n == level_end) {
                level_end = 1 + 2 * splits;
                test.is_split = false;
            }
            if (!node.is_split)
                continue;
            splits++;
            tests += !test.is_split;
            if (test.is_split)
                assert_true(test.t0 == node.t0 && test.t1 == node.t1 &&
                            memcmp(&test.feature, &node.feature, sizeof test.feature) == 0);
            test = node;
        }
        assert_true(tests > 2 && splits > tests);
    }
}

/* What the variants of other tests leave out. */
#define SETTINGS 5
static void list_settings(struct shw_trainer_params *list)
{
    for (int i = 0; i < SETTINGS; i++)
        list[i] = settings();
    list[0].feature = &shw_feature_depth_mean_difference;
    list[0].channels = "depth,rgb";
    list[0].weighting = SHW_WEIGHTING_INVERSE_ROOT;
    list[1].feature = &shw_feature_depth_pixel_difference;
    list[1].channels = "depth,rgb";
    list[1].thresholds = SHW_THRESHOLDS_RANDOM;
    list[1].score = SHW_SCORE_NORMALISED_GAIN;
    list[1].bins = 4;
    list[2].feature = &shw_feature_pixel_difference;
    list[2].score = SHW_SCORE_GINI;
    list[2].mirror = true;
    list[3].leaf_max = 9;
    list[3].pixels_per_image = SHW_PIXELS_ALL;
    list[4].pixels_per_image = 12; /* all samples of a level are probes */
    list[4].samples_min = 1;
}

TESTING_CASE(every_technique_trains_the_same)
{
    struct testing_examples_params of_examples = {.seed = 41, .void_percent = 15};
    struct shw_trainer_params list[SETTINGS];
    struct testing_examples examples;

    list_settings(list);
    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < SETTINGS; i++) {
        uint64_t cpu = testing_train(list[i], &examples, SHW_TECHNIQUE_CPU);
        if (testing_train(list[i], &examples, SHW_TECHNIQUE_COMPUTE) != cpu)
            fail_msg("settings %u: compute trains other ferns than cpu", i);
        if (i < 2 && testing_train(list[i], &examples, SHW_TECHNIQUE_BLEND) != cpu)
            fail_msg("settings %u: blend trains other ferns than cpu", i);
        list[i].ferns = false;
        list[i].pool = SHW_POOL_ROUND;
        assert_true(testing_train(list[i], &examples, SHW_TECHNIQUE_CPU) != cpu);
    }
    testing_examples_free(&examples);
    testing_device_check();
}

/* Recorded in slices as small as can be, with memory for few candidates at a time. */
TESTING_CASE(slices_and_little_memory_train_the_same)
{
    struct testing_examples_params of_examples = {.seed = 42};
    struct shw_trainer_params params = settings();
    struct testing_examples examples;
    struct testing_log memory;
    struct shw_trainer *trainer;
    bool finished = false;
    uint64_t cpu;

    testing_examples_make(&of_examples, &examples);
    params.candidates = 100;
    cpu = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    params.technique = SHW_TECHNIQUE_COMPUTE;
    params.device = testing_device();
    params.log = testing_log(&memory);
    params.work_max = 500;
    params.memory = 1 << 20;
    examples.dataset.user = &examples;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    while (!finished) {
        VkCommandBuffer commands;
        assert_int_equal(shw_submit_begin(testing_device(), &commands), SHW_OK);
        assert_int_equal(shw_trainer_record(trainer, commands), SHW_OK);
        assert_int_equal(shw_submit_wait(testing_device(), commands), SHW_OK);
        assert_int_equal(shw_trainer_complete(trainer, &finished), SHW_OK);
    }
    assert_true(testing_finish(trainer) == cpu);
    testing_examples_free(&examples);
    testing_device_check();
}

/* A forest that is not known to be one of ferns. */
static void forget_ferns(struct shw_forest *forest)
{
    free(forest->ferns);
    forest->ferns = NULL;
}

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};

static struct shw_labeller_params by(const struct shw_forest *forest, enum shw_technique technique)
{
    return (struct shw_labeller_params){.forest = forest,
                                        .device = testing_device(),
                                        .channels = technique,
                                        .integrate = technique,
                                        .evaluate = technique,
                                        .outputs = TESTING_ALL_OUTPUTS,
                                        .threads = 2};
}

static struct testing_labelling label(struct shw_labeller *labeller, const struct shw_forest *forest,
                                      const struct testing_example *example)
{
    struct testing_labelling got = testing_labelling(forest, example->width, example->height);
    const struct shw_image image = {example->pixels, example->width, example->height, 0, SHW_PIXEL_RGB8};
    const struct shw_input inputs[] = {{.image = image}, example->inputs[0]};
    uint32_t count = shw_forest_get_info(forest)->feature->reads_depth ? 2 : 1;

    assert_int_equal(shw_labeller_run(labeller, &(struct shw_inputs){count, inputs}, &got.out), SHW_OK);
    return got;
}

/* Also with pixels that are void and responses that are not defined. */
TESTING_CASE(labels_are_those_of_the_trees)
{
    struct testing_examples_params of_examples = {.seed = 43, .width = 70, .height = 40};
    struct shw_trainer_params list[SETTINGS];
    struct testing_examples examples;

    list_settings(list);
    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < SETTINGS; i++) {
        struct shw_forest *ferns = train(list[i], &examples), *trees = train(list[i], &examples);
        struct testing_labelling expected, got;
        struct shw_labeller *labeller = NULL;
        struct shw_labeller_params params;
        char what[64];
        check_shape(ferns);
        forget_ferns(trees);
        params = by(trees, SHW_TECHNIQUE_CPU);
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        expected = label(labeller, trees, &examples.examples[0]);
        shw_labeller_destroy(&labeller);
        for (int t = 0; t < 3; t++) {
            params = by(ferns, techniques[t]);
            assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
            got = label(labeller, ferns, &examples.examples[0]);
            snprintf(what, sizeof what, "settings %u, %s", i, shw_technique_name(techniques[t]));
            testing_labelling_same(what, TESTING_ALL_OUTPUTS, &got, &expected);
            testing_labelling_free(&got);
            shw_labeller_destroy(&labeller);
        }
        testing_labelling_free(&expected);
        shw_forest_destroy(&ferns);
        shw_forest_destroy(&trees);
    }
    testing_examples_free(&examples);
    testing_device_check();
}

/* A labeller with room is given trees after ferns, and ferns after trees; some ferns have more leaves in their table
 * than it has room for. */
TESTING_CASE(forests_are_replaced_by_others)
{
    static const struct random_forest_params kinds[] = {
        {.seed = 51, .depth = 7, .split_percent = 80, .classes = 5, .trees = 3},
        {.seed = 52, .depth = 7, .split_percent = 80, .classes = 5, .trees = 3, .ferns = true},
        {.seed = 53, .depth = 16, .split_percent = 0, .classes = 4, .trees = 2, .ferns = true},
        {.seed = 54, .depth = 5, .split_percent = 90, .classes = 3, .trees = 3, .ferns = true},
        {.seed = 55, .depth = 5, .split_percent = 70, .classes = 5, .trees = 2}};
    enum { COUNT = sizeof kinds / sizeof *kinds };
    struct testing_random random = {56};
    struct shw_image image = testing_image(&random, 45, 30, SHW_PIXEL_RGB8, 0);
    struct shw_forest *forests[COUNT];
    struct testing_labelling expected[COUNT];

    for (int k = 0; k < COUNT; k++) {
        struct shw_forest *trees = random_forest(&kinds[k]);
        struct shw_labeller_params cpu = by(trees, SHW_TECHNIQUE_CPU);
        forget_ferns(trees);
        expected[k] = testing_label(&cpu, &image);
        forests[k] = random_forest(&kinds[k]);
        assert_true(shw_forest_is_ferns(forests[k]) == kinds[k].ferns);
        shw_forest_destroy(&trees);
    }
    for (int t = 0; t < 3; t++) {
        struct shw_labeller_params params = by(forests[t % 2], techniques[t]);
        struct shw_labeller *labeller = NULL;
        params.room = (struct shw_forest_room){.trees = 3, .classes = 5, .nodes = 1000};
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        for (int step = 0; step < 2 * COUNT; step++) {
            int k = step % COUNT;
            struct testing_labelling got = testing_labelling(forests[k], image.width, image.height);
            assert_int_equal(shw_labeller_set_forest(labeller, forests[k]), SHW_OK);
            assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &got.out), SHW_OK);
            testing_labelling_same(shw_technique_name(techniques[t]), TESTING_ALL_OUTPUTS, &got, &expected[k]);
            testing_labelling_free(&got);
        }
        shw_labeller_destroy(&labeller);
    }
    for (int k = 0; k < COUNT; k++) {
        testing_labelling_free(&expected[k]);
        shw_forest_destroy(&forests[k]);
    }
    free((void *)(uintptr_t)image.pixels);
    testing_device_check();
}
