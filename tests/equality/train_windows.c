/* Training images whose planes exceed the device's storage buffers: these are bound in windows. The limit is set so low
 * that small images exceed it. */
#include "testing/device.h"
#include "testing/training.h"
#include "vulkan/device.h"

#include <string.h>

static const struct testing_examples_params examples_params = {
    .seed = 6, .width = 78, .height = 68, .equal = true, .count = 5};

/* The planes of an image and of its mirror image take 130,824 bytes, those of two images all windows. */
#define RANGE 33000u

static uint32_t limit(uint32_t range)
{
    uint32_t *most = &testing_device()->properties.limits.maxStorageBufferRange, before = *most;

    *most = range;
    return before;
}

static void check(struct shw_trainer_params params)
{
    struct testing_examples examples;
    uint32_t before;
    uint64_t hash;

    testing_examples_make(&examples_params, &examples);
    hash = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    before = limit(RANGE);
    assert_true(testing_train(params, &examples, SHW_TECHNIQUE_COMPUTE) == hash);
    limit(before);
    testing_examples_free(&examples);
    testing_device_check();
}

TESTING_CASE(forests_are_those_of_cpu)
{
    struct shw_trainer_params params = testing_training;

    params.mirror = SHW_MIRROR_IMAGES;
    check(params);
    params.mirror = SHW_MIRROR_PAIRED;
    check(params);
    params.mirror = SHW_MIRROR_IMAGES;
    params.feature = &shw_feature_pixel_difference;
    params.tree_count = 1;
    check(params);
}

static void refuse(enum shw_technique technique, uint32_t range, const char *message)
{
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;
    struct testing_log memory;
    enum shw_result result;
    uint32_t before;

    testing_examples_make(&examples_params, &examples);
    params.mirror = SHW_MIRROR_IMAGES;
    params.technique = technique;
    params.device = testing_device();
    params.log = testing_log(&memory);
    before = limit(range);
    result = shw_trainer_create(&params, &examples.dataset, &trainer);
    if (result == SHW_OK)
        result = shw_trainer_prepare(trainer);
    limit(before);
    assert_int_equal(result, SHW_ERROR_LIMIT);
    assert_non_null(strstr(memory.last, "the integral images of an image of 78 x 68 pixels and of its mirror image "
                                        "need storage buffers of"));
    assert_non_null(strstr(memory.last, message));
    shw_trainer_destroy(&trainer);
    testing_examples_free(&examples);
}

TESTING_CASE(what_is_too_large_is_told)
{
    refuse(SHW_TECHNIQUE_COMPUTE, 8000, ": use the technique cpu, smaller images or fewer channels");
    refuse(SHW_TECHNIQUE_BLEND, RANGE, ": use the technique compute or cpu, smaller images or fewer channels");
}

/* Histograms need the most: seven buffers, of which planes have seven more windows. */
TESTING_CASE(windows_need_bindings)
{
    uint32_t *bindings = &testing_device()->properties.limits.maxPerStageDescriptorStorageBuffers, before = *bindings;
    struct shw_trainer_params params = testing_training;

    *bindings = 13;
    refuse(SHW_TECHNIQUE_COMPUTE, RANGE, "training with compute has at most 33000 bytes on this device");
    *bindings = 14;
    params.mirror = SHW_MIRROR_IMAGES;
    check(params);
    *bindings = before;
}

TESTING_FIXTURE(NULL, testing_device_teardown)
