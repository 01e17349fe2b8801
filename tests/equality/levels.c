/* Forests of several levels: the same forest and the same labels by every technique, in tiles, parts and with little
 * memory. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "testing/device.h"
#include "testing/examples.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "testing/training.h"
#include "vulkan/device.h"

static struct shw_forest *train(struct shw_trainer_params params, const struct testing_examples *examples,
                                enum shw_technique technique, uint64_t memory)
{
    struct shw_forest *forest = NULL;
    struct testing_log log;

    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    params.memory = memory;
    params.log = testing_log(&log);
    assert_int_equal(shw_train(&params, &examples->dataset, &forest), SHW_OK);
    assert_int_equal(log.errors, 0);
    return forest;
}

static struct shw_trainer_params training(enum shw_mirroring mirror)
{
    struct shw_trainer_params params = testing_training;

    params.levels = 2;
    params.folds = 2;
    params.mirror = mirror;
    return params;
}

TESTING_CASE(techniques_train_the_same_levels)
{
    const struct testing_examples_params of_examples = {.seed = 8, .void_percent = 15};
    static const struct {
        enum shw_technique technique;
        uint64_t memory;
    } ways[] = {{SHW_TECHNIQUE_COMPUTE, 0}, {SHW_TECHNIQUE_BLEND, 0}, {SHW_TECHNIQUE_CPU, 6 << 20}};
    struct testing_examples examples;

    testing_examples_make(&of_examples, &examples);
    for (int mirror = SHW_MIRROR_NONE; mirror <= SHW_MIRROR_PAIRED; mirror += 2) {
        const struct shw_trainer_params params = training((enum shw_mirroring)mirror);
        struct shw_forest *expected = train(params, &examples, SHW_TECHNIQUE_CPU, 0);
        assert_int_equal(shw_forest_get_info(expected)->levels, 2);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            struct shw_forest *forest = train(params, &examples, ways[w].technique, ways[w].memory);
            if (shw_forest_hash(forest) != shw_forest_hash(expected))
                fail_msg("mirroring %d, way %zu: another forest", mirror, w);
            shw_forest_destroy(&forest);
        }
        shw_forest_destroy(&expected);
    }
    testing_device_check();
    testing_examples_free(&examples);
}

/* A tower of random forests, of which the upper ones look far. */
static struct shw_forest *tower(const char *channels, uint32_t classes, uint32_t levels, uint32_t smoothing)
{
    return random_forest(&(struct random_forest_params){.seed = 70,
                                                        .channels = channels,
                                                        .classes = classes,
                                                        .trees = 3,
                                                        .depth = 6,
                                                        .split_percent = 80,
                                                        .smoothing = {.radius = smoothing},
                                                        .levels = levels});
}

TESTING_CASE(techniques_label_the_same)
{
    static const enum shw_technique ways[][3] = {
        {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
        {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT},
        {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT},
        {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU}};
    static const enum shw_pixel_format formats[] = {SHW_PIXEL_RGB8, SHW_PIXEL_RGBA16};
    const uint32_t count = sizeof ways / sizeof *ways;
    struct testing_random random = {12};
    struct shw_forest *forest = tower("rgb,log:1,position", 7, 3, 0);

    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        const struct shw_image image = testing_image(&random, 61, 47, formats[f], 6);
        for (uint32_t smooth = 0; smooth <= 10; smooth += 10) { /* each device way once with each format */
            struct shw_labeller_params params = {
                .forest = forest, .smoothing.radius = smooth, .threads = 2, .memory = 1 << 30};
            const struct testing_labelling expected = testing_label(&params, &image);
            params.device = testing_device();
            for (uint32_t w = (f + smooth / 10) % 2; w < count; w += w + 2 < count ? 2 : 1) {
                struct testing_labelling got;
                params.channels = ways[w][0];
                params.integrate = ways[w][1];
                params.evaluate = ways[w][2];
                params.memory = w + 1 < count ? 1 << 30 : 40000;
                got = testing_label(&params, &image);
                testing_labelling_same("a way", TESTING_ALL_OUTPUTS, &got, &expected);
                testing_labelling_free(&got);
            }
            testing_labelling_free((struct testing_labelling *)(uintptr_t)&expected);
        }
        free((void *)(uintptr_t)image.pixels);
    }
    testing_device_check();
    shw_forest_destroy(&forest);
}

static PFN_vkQueueSubmit real_submit;
static uint32_t submissions;

static VKAPI_ATTR VkResult VKAPI_CALL count_submission(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                                       VkFence fence)
{
    submissions++;
    return real_submit(queue, count, infos, fence);
}

/* Without a tour through the host. */
TESTING_CASE(levels_meet_in_one_submission)
{
    struct testing_random random = {15};
    struct shw_forest *forest = tower("rgb,dt", 7, 3, 4);
    const struct shw_image image = testing_image(&random, 90, 61, SHW_PIXEL_RGB8, 0);
    struct shw_labeller_params params = {.forest = forest, .threads = 1};
    struct testing_labelling expected = testing_label(&params, &image);

    params.device = testing_device();
    real_submit = params.device->vk.QueueSubmit;
    params.device->vk.QueueSubmit = count_submission;
    for (int technique = SHW_TECHNIQUE_FRAGMENT; technique <= SHW_TECHNIQUE_COMPUTE; technique++) {
        struct testing_labelling got;
        params.channels = params.integrate = params.evaluate = (enum shw_technique)technique;
        submissions = 0;
        got = testing_label(&params, &image);
        assert_int_equal(submissions, 1);
        testing_labelling_same("linked", TESTING_ALL_OUTPUTS, &got, &expected);
        testing_labelling_free(&got);
    }
    params.device->vk.QueueSubmit = real_submit;
    testing_labelling_free(&expected);
    free((void *)(uintptr_t)image.pixels);
    testing_device_check();
    shw_forest_destroy(&forest);
}

/* Every pixel of a part has the label that it has in the whole image. */
TESTING_CASE(parts_are_those_of_the_image)
{
    static const struct shw_part parts[] = {
        {0, 0, 1, 1, 1}, {13, 40, 60, 50, 1}, {3, 5, 29, 21, 5}, {149, 118, 1, 1, 9}};
    struct testing_random random = {13};
    struct shw_forest *forest = tower("rgb", 5, 2, 0);
    const struct shw_image image = testing_image(&random, 150, 119, SHW_PIXEL_RGB8, 0);

    for (uint64_t memory = 0; memory <= 30000; memory += 30000) {
        struct shw_labeller_params params = {.forest = forest, .outputs = TESTING_ALL_OUTPUTS, .memory = memory};
        struct testing_labelling whole = testing_label(&params, &image);
        struct shw_labeller *labeller = NULL;
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            struct testing_labelling part = testing_labelling(forest, parts[p].width, parts[p].height);
            assert_int_equal(shw_labeller_run_part(labeller, SHW_COLOUR_IMAGE(image), &parts[p], &part.out), SHW_OK);
            for (uint32_t y = 0; y < parts[p].height; y++)
                for (uint32_t x = 0; x < parts[p].width; x++) {
                    const size_t at = (size_t)(parts[p].y + y * parts[p].step) * 150 + parts[p].x + x * parts[p].step;
                    const size_t to = (size_t)y * parts[p].width + x;
                    const size_t all = (size_t)parts[p].width * parts[p].height;
                    assert_int_equal(part.out.argmax[to], whole.out.argmax[at]);
                    assert_int_equal(part.out.tree_leaf[to], whole.out.tree_leaf[at]);
                    assert_int_equal(part.out.forest_leaves[2 * all + to], whole.out.forest_leaves[2 * 150 * 119 + at]);
                    assert_int_equal(part.out.distribution[4 * all + to], whole.out.distribution[4 * 150 * 119 + at]);
                }
            testing_labelling_free(&part);
        }
        shw_labeller_destroy(&labeller);
        testing_labelling_free(&whole);
    }
    free((void *)(uintptr_t)image.pixels);
    shw_forest_destroy(&forest);
}

/* Another forest of as many levels takes its place as one of one level does. */
TESTING_CASE(forests_are_replaced)
{
    struct testing_random random = {14};
    struct shw_forest *forest = tower("rgb", 5, 2, 0), *other = tower("rgb", 4, 2, 0), *plain = tower("rgb", 5, 1, 0);
    const struct shw_image image = testing_image(&random, 40, 30, SHW_PIXEL_RGB8, 0);
    struct testing_log memory;
    struct shw_labeller_params params = {.forest = other,
                                         .device = testing_device(),
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .width = 40,
                                         .height = 30,
                                         .slots = 1,
                                         .log = testing_log(&memory)};
    struct testing_labelling expected = testing_label(&(struct shw_labeller_params){.forest = forest}, &image);
    struct testing_labelling got = testing_labelling(forest, 40, 30);
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_set_forest(labeller, forest), SHW_OK);
    assert_int_equal(
        shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &(struct shw_labelling){.argmax = got.out.argmax}), SHW_OK);
    testing_labelling_same("replaced", SHW_OUTPUT_ARGMAX, &got, &expected);
    assert_false(shw_labeller_has_room(labeller, plain));
    assert_int_equal(shw_labeller_set_forest(labeller, plain), SHW_ERROR_ARGUMENT);
    shw_labeller_destroy(&labeller);
    testing_labelling_free(&expected);
    testing_labelling_free(&got);
    free((void *)(uintptr_t)image.pixels);
    testing_device_check();
    shw_forest_destroy(&forest);
    shw_forest_destroy(&other);
    shw_forest_destroy(&plain);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
