/* Calibrations of a real device, and that results do not depend on them. */
#include "testing/device.h"
#include "testing/examples.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "testing/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/integers.h"
#include "dense/label/labeller.h"
#include "dense/traverse/forest_table.h"
#include "vulkan/device.h"

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

TESTING_CASE(a_calibration_measures_every_stage)
{
    struct testing_log memory;
    struct shw_calibrate_params params = {.device = testing_device(), .threads = 2, .log = testing_log(&memory)};
    struct shw_device_description device;
    struct shw_calibration measured;
    double begin = now(), seconds;

    assert_int_equal(shw_calibrate(&params, &measured), SHW_OK);
    seconds = now() - begin;
    assert_true(measured.milliseconds > 0 && measured.milliseconds <= 1e3 * seconds + 1);
    shw_device_describe(params.device, &device);
    assert_true(shw_calibration_fits(&measured, &device));
    assert_int_equal(measured.threads, 2);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++) {
        assert_true(measured.stages[s][SHW_TECHNIQUE_CPU].measured &&
                    measured.stages[s][SHW_TECHNIQUE_CPU].unit_ns > 0);
        assert_false(measured.stages[s][SHW_TECHNIQUE_AUTO].measured ||
                     measured.stages[s][SHW_TECHNIQUE_BLEND].measured);
    }
    assert_true(measured.training_ns[SHW_TECHNIQUE_CPU] > 0);
    assert_true(measured.training_ns[SHW_TECHNIQUE_FRAGMENT] == 0);
    for (uint32_t f = 0; f < measured.frame_count; f++)
        assert_true(measured.frames[f].measured_ms > 0 && isfinite(measured.frames[f].predicted_ms));
    testing_device_check();
}

/* A calibration after which the mixture looks fastest. */
static struct shw_calibration favour(const enum shw_technique mixture[SHW_STAGE_COUNT])
{
    struct shw_device_description device;
    struct shw_calibration calibration = {.version = SHW_CALIBRATION_VERSION, .threads = 2};

    shw_device_describe(testing_device(), &device);
    calibration.vendor_id = device.vendor_id;
    calibration.device_id = device.device_id;
    calibration.driver_version = device.driver_version;
    memcpy(calibration.pipeline_cache_uuid, device.pipeline_cache_uuid, sizeof device.pipeline_cache_uuid);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        for (int t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++)
            calibration.stages[s][t] = (struct shw_cost){true, mixture[s] == (enum shw_technique)t ? 1 : 9, 0};
    for (uint32_t h = 0; h < SHW_HAND_OVER_COUNT; h++)
        calibration.hand_overs[h] = (struct shw_cost){true, 0.1, 0};
    return calibration;
}

/* Labels by a labeller that decides for itself; it must have decided for `expected`. */
static void label(const struct shw_labeller_params *params, const enum shw_technique expected[SHW_STAGE_COUNT],
                  const struct shw_image *image, const struct testing_labelling *reference)
{
    struct testing_labelling got = testing_labelling(params->forest, image->width, image->height);
    enum shw_technique techniques[SHW_STAGE_COUNT];
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(params, &labeller), SHW_OK);
    shw_labeller_get_techniques(labeller, techniques);
    assert_memory_equal(techniques, expected, sizeof techniques);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(*image), &got.out), SHW_OK);
    testing_labelling_same("by a calibration", params->outputs, &got, reference);
    shw_labeller_destroy(&labeller);
    testing_labelling_free(&got);
}

TESTING_CASE(labels_do_not_depend_on_it)
{
    struct random_forest_params forest_params = {.seed = 21, .classes = 5, .trees = 3, .depth = 5};
    struct shw_forest *forest = random_forest(&forest_params);
    struct testing_random random = {22};
    struct shw_image image = testing_image(&random, 37, 29, SHW_PIXEL_RGB8, 0);
    struct shw_labeller_params params = {.forest = forest,
                                         .outputs = TESTING_ALL_OUTPUTS,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU};
    struct testing_labelling reference = testing_label(&params, &image);
    struct testing_log memory;

    params = (struct shw_labeller_params){
        .forest = forest, .device = testing_device(), .outputs = TESTING_ALL_OUTPUTS, .log = testing_log(&memory)};
    for (int m = 0; m < 27; m++) {
        const enum shw_technique mixture[SHW_STAGE_COUNT] = {
            (enum shw_technique)(1 + m / 9), (enum shw_technique)(1 + m / 3 % 3), (enum shw_technique)(1 + m % 3)};
        struct shw_calibration calibration = favour(mixture);
        if (m % 4 != 0 && m != 13 && m != 26) /* equality_evaluate has them all */
            continue;
        params.calibration = &calibration;
        label(&params, mixture, &image, &reference);
    }
    testing_device_check();
    testing_labelling_free(&reference);
    free((void *)(uintptr_t)image.pixels);
    shw_forest_destroy(&forest);
}

static void expect_techniques(const struct shw_labeller_params *params, enum shw_technique channels,
                              enum shw_technique integrate, enum shw_technique evaluate)
{
    struct shw_labeller *labeller = NULL;
    enum shw_technique techniques[SHW_STAGE_COUNT];

    assert_int_equal(shw_labeller_create(params, &labeller), SHW_OK);
    shw_labeller_get_techniques(labeller, techniques);
    assert_int_equal(techniques[SHW_STAGE_CHANNELS], channels);
    assert_int_equal(techniques[SHW_STAGE_INTEGRATE], integrate);
    assert_int_equal(techniques[SHW_STAGE_EVALUATE], evaluate);
    shw_labeller_destroy(&labeller);
}

TESTING_CASE(auto_minds_what_is_asked_for)
{
    const enum shw_technique cpu[SHW_STAGE_COUNT] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU};
    struct random_forest_params forest_params = {.seed = 23, .depth = 3};
    struct shw_forest *forest = random_forest(&forest_params);
    struct shw_calibration calibration = favour(cpu);
    struct shw_device_description description;
    struct testing_log memory;
    struct shw_labeller_params params = {
        .forest = forest, .device = testing_device(), .outputs = SHW_OUTPUT_ARGMAX, .log = testing_log(&memory)};
    struct shw_labeller *labeller = NULL;
    enum shw_technique usual;

    shw_device_describe(params.device, &description);
    usual = description.is_cpu ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
    expect_techniques(&params, usual, usual, usual);
    params.integrate = SHW_TECHNIQUE_FRAGMENT;
    expect_techniques(&params, usual, SHW_TECHNIQUE_FRAGMENT, usual);
    params.calibration = &calibration;
    expect_techniques(&params, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_CPU);
    params.integrate = SHW_TECHNIQUE_AUTO;
    expect_techniques(&params, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU);
    /* what is going to be recorded stays on the device: the rest of the calibration says that all cost the same
     * there */
    params.slots = 1;
    expect_techniques(&params, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT);
    params.calibration = NULL;
    expect_techniques(&params, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
    /* without a device a calibration of one says nothing */
    calibration.device_id++;
    params.calibration = &calibration;
    params.device = NULL;
    expect_techniques(&params, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU);
    params.device = testing_device();
    params.log = testing_log(&memory);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.last_item, SHW_LOG_ARGUMENT);
    assert_non_null(strstr(memory.last, "another device, driver or version"));
    shw_forest_destroy(&forest);
    testing_device_check();
}

TESTING_CASE(auto_minds_limits_of_the_device)
{
    const enum shw_technique fragment[SHW_STAGE_COUNT] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT,
                                                          SHW_TECHNIQUE_FRAGMENT};
    const enum shw_technique compute[SHW_STAGE_COUNT] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE,
                                                         SHW_TECHNIQUE_COMPUTE};
    struct random_forest_params forest_params = {.seed = 25, .channels = SHW_CHANNELS_RGB, .trees = 7, .depth = 5};
    struct shw_forest *forest = random_forest(&forest_params);
    struct shw_device limited = *testing_device();
    struct shw_calibration calibration = favour(compute);
    struct shw_labeller_params params = {
        .forest = forest, .device = &limited, .outputs = SHW_OUTPUT_ARGMAX, .slots = 1};
    enum shw_technique chosen[SHW_STAGE_COUNT];
    uint64_t tree_texels = 0;

    for (uint32_t t = 0; t < 7; t++)
        tree_texels = shw_max_u64(tree_texels, shw_walk_tree_texels(forest, t));
    limited.properties.limits.maxStorageBufferRange = (uint32_t)(16 * tree_texels - 1); /* less than a tree */
    for (int calibrated = 0; calibrated < 2; calibrated++) {
        params.calibration = calibrated ? &calibration : NULL;
        shw_labeller_decide(&params, false, chosen);
        assert_true(chosen[0] == SHW_TECHNIQUE_COMPUTE && chosen[1] == SHW_TECHNIQUE_COMPUTE);
        assert_int_equal(chosen[2], SHW_TECHNIQUE_FRAGMENT);
    }
    limited.properties.limits = testing_device()->properties.limits;
    limited.properties.limits.maxImageArrayLayers = 6; /* less than trees */
    calibration = favour(fragment);
    shw_labeller_decide(&params, false, chosen);
    assert_true(chosen[0] == SHW_TECHNIQUE_FRAGMENT && chosen[1] == SHW_TECHNIQUE_FRAGMENT);
    assert_int_equal(chosen[2], SHW_TECHNIQUE_COMPUTE);
    shw_forest_destroy(&forest);
}

TESTING_CASE(training_follows_it)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    const enum shw_technique any[SHW_STAGE_COUNT] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU};
    struct testing_examples_params examples_params = {.seed = 24};
    struct testing_examples examples;
    struct shw_device_description description;
    struct shw_trainer_params params = testing_training;
    struct shw_trainer *trainer = NULL;
    struct testing_log memory;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    params.device = testing_device();
    params.log = testing_log(&memory);
    shw_device_describe(params.device, &description);
    for (int t = 0; t < 3; t++) {
        struct shw_calibration calibration = favour(any);
        for (int i = 0; i < 3; i++)
            calibration.training_ns[techniques[i]] = i == t ? 1 : 2;
        params.calibration = &calibration;
        assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
        if (techniques[t] != SHW_TECHNIQUE_BLEND || description.blends_r32_sfloat)
            assert_int_equal(shw_trainer_get_technique(trainer), techniques[t]);
        shw_trainer_destroy(&trainer);
        calibration.version++;
        assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
    }
    testing_examples_free(&examples);
    testing_device_check();
}

TESTING_CASE(a_device_is_needed)
{
    struct testing_log memory;
    struct shw_calibrate_params params = {.log = testing_log(&memory)};
    struct shw_calibration calibration;

    assert_int_equal(shw_calibrate(&params, &calibration), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.last_item, SHW_LOG_ARGUMENT);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
