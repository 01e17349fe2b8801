/* One trainer, renewed again and again, grows the forests that new ones would. */
#include "testing/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dense/grow_device/round.h"
#include "shared/score.h"
#include "shared/train_push.h"
#include "testing/examples.h"
#include "testing/training.h"
#include "vulkan/commands.h"

static unsigned allocations;
static PFN_vkAllocateMemory real_allocate;
static unsigned pipelines;
static PFN_vkCreateComputePipelines real_create;

static VKAPI_ATTR VkResult VKAPI_CALL count_allocation(VkDevice device, const VkMemoryAllocateInfo *info,
                                                       const VkAllocationCallbacks *allocator, VkDeviceMemory *memory)
{
    allocations++;
    return real_allocate(device, info, allocator, memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL count_pipeline(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     const VkAllocationCallbacks *allocator, VkPipeline *made)
{
    pipelines += count;
    return real_create(device, cache, count, infos, allocator, made);
}

/* Exchanges labels within the examples, whose pixels remain. */
static void relabel(struct testing_examples *examples, struct testing_random *random)
{
    uint32_t turn = 1 + testing_random_below(random, 2);

    for (uint32_t e = 0; e < examples->dataset.count; e++) {
        struct testing_example *example = &examples->examples[e];
        for (size_t i = 0; i < (size_t)example->width * example->height; i++)
            if (example->labels[i] != SHW_LABEL_VOID)
                example->labels[i] = (uint16_t)((example->labels[i] + turn) % 3);
            else if (testing_random_below(random, 4) == 0)
                example->labels[i] = (uint16_t)testing_random_below(random, 3);
    }
}

/* What comes between two trainings that end. */
static void disturb(struct shw_trainer *trainer, const struct shw_trainer_params *params,
                    struct testing_examples *examples, struct testing_random *random)
{
    struct shw_trainer_params wrong = *params;
    uint32_t rounds = testing_random_below(random, 6);
    VkCommandBuffer commands;
    bool finished = false;

    switch (testing_random_below(random, 5)) {
    case 0: /* parameters that are refused */
        wrong.bins = 1;
        assert_int_equal(shw_trainer_renew(trainer, &wrong, &examples->dataset), SHW_ERROR_ARGUMENT);
        break;
    case 1: /* an image that cannot be read */
        examples->fail_at = testing_random_below(random, examples->dataset.count);
        examples->fail_with = SHW_ERROR_IO;
        assert_int_equal(shw_trainer_renew(trainer, params, &examples->dataset), SHW_OK);
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_ERROR_IO);
        examples->fail_with = SHW_OK;
        break;
    case 2: /* given up after some rounds */
        assert_int_equal(shw_trainer_renew(trainer, params, &examples->dataset), SHW_OK);
        for (uint32_t r = 0; r < rounds && !finished; r++)
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        break;
    case 3: /* recorded, but never submitted */
        assert_int_equal(shw_trainer_renew(trainer, params, &examples->dataset), SHW_OK);
        if (shw_trainer_get_technique(trainer) == SHW_TECHNIQUE_CPU)
            break;
        assert_int_equal(shw_submit_begin(testing_device(), &commands), SHW_OK);
        assert_int_equal(shw_trainer_record(trainer, commands), SHW_OK);
        shw_submit_abandon(testing_device(), commands);
        break;
    default: break;
    }
}

/* Parameters, labels, pixels and techniques change in any order. */
TESTING_CASE(forests_are_those_of_new_trainers)
{
    const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE,
                                             SHW_TECHNIQUE_BLEND};
    struct shw_trainer_params variants[TESTING_VARIANTS_MAX];
    uint32_t variant_count = testing_training_variants(variants);
    struct testing_random random = {41};
    struct testing_examples examples[2];
    struct testing_log memory;
    struct shw_trainer *trainer = NULL;

    for (uint32_t e = 0; e < 2; e++) {
        struct testing_examples_params made = {.seed = 50 + e, .count = 2 + e, .void_percent = 30};
        testing_examples_make(&made, &examples[e]);
        examples[e].dataset.user = &examples[e];
    }
    for (uint32_t i = 0; i < 24; i++) {
        struct shw_trainer_params params = variants[testing_random_below(&random, i < 8 ? 2 : variant_count)];
        enum shw_technique technique = techniques[testing_random_below(&random, i < 12 ? 2 : 4)];
        struct testing_examples *set = &examples[testing_random_below(&random, 4) == 0];
        uint64_t expected;

        if (testing_random_below(&random, 2) == 0)
            relabel(set, &random);
        expected = testing_train(params, set, SHW_TECHNIQUE_CPU);
        set->dataset.user = set;
        params.log = testing_log(&memory);
        params.log.level = SHW_LOG_ERROR;
        params.technique = technique;
        params.device = technique == SHW_TECHNIQUE_CPU ? NULL : testing_device();
        params.threads = 1 + i / 8;
        if (trainer == NULL)
            assert_int_equal(shw_trainer_create(&params, &set->dataset, &trainer), SHW_OK);
        disturb(trainer, &params, set, &random);
        assert_int_equal(shw_trainer_renew(trainer, &params, &set->dataset), SHW_OK);
        assert_true(testing_grow(trainer) == expected);
        assert_int_equal(set->held, 0);
    }
    shw_trainer_destroy(&trainer);
    for (uint32_t e = 0; e < 2; e++)
        testing_examples_free(&examples[e]);
    testing_device_check();
}

/* What goes to the device is made anew where there are more images than ever, maybe under the handle that it had: the
 * logarithms in it, too. */
TESTING_CASE(more_images_than_before)
{
    const struct testing_examples_params few = {.seed = 91, .count = 1}, many = {.seed = 92, .count = 8};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples[2];
    struct testing_log memory;

    params.technique = SHW_TECHNIQUE_COMPUTE;
    params.device = testing_device();
    params.log = testing_log(&memory);
    testing_examples_make(&few, &examples[0]);
    testing_examples_make(&many, &examples[1]);
    for (int e = 0; e < 2; e++)
        examples[e].dataset.user = &examples[e];
    for (int i = 0; i < 8; i++) {
        struct shw_trainer *trainer = NULL;
        const uint32_t *words;
        assert_int_equal(shw_trainer_create(&params, &examples[0].dataset, &trainer), SHW_OK);
        assert_int_equal(shw_trainer_prepare(trainer), SHW_OK);
        assert_int_equal(shw_trainer_renew(trainer, &params, &examples[1].dataset), SHW_OK);
        assert_int_equal(shw_trainer_prepare(trainer), SHW_OK);
        words = shw_compute_of(trainer)->constant_upload.mapped;
        for (uint32_t n = 0; n < SHW_TIMES_LOG2_COUNT; n++) {
            struct shw_uint2 value = shw_times_log2(n);
            assert_int_equal(words[2 * n], value.x);
            assert_int_equal(words[2 * n + 1], value.y);
        }
        shw_trainer_destroy(&trainer);
    }
    for (int e = 0; e < 2; e++)
        testing_examples_free(&examples[e]);
    testing_device_check();
}

struct plan {
    struct shw_trainer *trainer;
    uint32_t moment; /* in 200 microseconds */
};

/* A step that is interrupted from elsewhere gives nothing, and the trainer serves again. */
static void *interrupt_soon(void *user)
{
    const struct plan *plan = user;

    nanosleep(&(struct timespec){.tv_nsec = plan->moment * 200000L}, NULL);
    shw_trainer_interrupt(plan->trainer);
    return NULL;
}

TESTING_CASE(interrupted_trainings_leave_nothing)
{
    struct testing_examples_params made = {.seed = 71, .count = 3, .width = 64, .height = 56};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct testing_log memory;
    uint32_t interrupted = 0;
    uint64_t expected;

    testing_examples_make(&made, &examples);
    params.candidates = 200;
    params.pixels_per_image = SHW_PIXELS_ALL;
    expected = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    examples.dataset.user = &examples;
    params.log = testing_log(&memory);
    params.log.level = SHW_LOG_ERROR;
    for (int on_device = 0; on_device < 2; on_device++) {
        struct plan plan = {0};
        params.technique = on_device ? SHW_TECHNIQUE_COMPUTE : SHW_TECHNIQUE_CPU;
        params.device = on_device ? testing_device() : NULL;
        assert_int_equal(shw_trainer_create(&params, &examples.dataset, &plan.trainer), SHW_OK);
        for (plan.moment = 0; plan.moment < 40; plan.moment += 8) {
            enum shw_result result = SHW_OK;
            bool finished = false;
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, &plan), 0);
            if (plan.moment == 0) /* before the first step, whatever the machine does */
                pthread_join(thread, NULL);
            while (result == SHW_OK && !finished)
                result = shw_trainer_step(plan.trainer, &finished);
            if (plan.moment > 0)
                pthread_join(thread, NULL);
            if (!finished) {
                assert_int_equal(result, SHW_ERROR_CANCELLED);
                assert_int_equal(shw_trainer_step(plan.trainer, &finished), SHW_ERROR_CANCELLED);
                assert_false(finished);
                interrupted++;
            }
            assert_int_equal(shw_trainer_renew(plan.trainer, &params, &examples.dataset), SHW_OK);
        }
        assert_true(testing_grow(plan.trainer) == expected);
        shw_trainer_destroy(&plan.trainer);
    }
    assert_true(interrupted >= 2);
    testing_examples_free(&examples);
    testing_device_check();
}

/* More strokes on the same picture: neither pipelines nor memory are made anew, and no channels are computed. */
TESTING_CASE(what_serves_again_is_kept)
{
    struct testing_examples_params made = {.seed = 61, .count = 3, .void_percent = 50};
    struct shw_trainer_params params = testing_training;
    struct shw_device *device = testing_device();
    struct testing_random random = {7};
    struct testing_examples examples;
    struct testing_log memory;
    struct shw_trainer *trainer = NULL;

    testing_examples_make(&made, &examples);
    examples.dataset.user = &examples;
    params.log = testing_log(&memory);
    params.device = device;
    params.technique = SHW_TECHNIQUE_COMPUTE;
    params.pixels_per_image = SHW_PIXELS_ALL;
    real_allocate = device->vk.AllocateMemory;
    real_create = device->vk.CreateComputePipelines;
    device->vk.AllocateMemory = count_allocation;
    device->vk.CreateComputePipelines = count_pipeline;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    testing_grow(trainer);
    assert_true(allocations > 0);
    for (uint32_t i = 0; i < 4; i++) {
        relabel(&examples, &random);
        params.tree_count = i % 2 + 1;
        params.depth = 6 - i;
        params.candidates = i == 0 ? 120 : 40;
        assert_int_equal(shw_trainer_renew(trainer, &params, &examples.dataset), SHW_OK);
        allocations = pipelines = 0;
        testing_grow(trainer);
        assert_true(i == 0 || allocations == 0); /* the first one made room for the others */
        assert_int_equal(pipelines, 0);
        assert_int_equal(shw_compute_of(trainer)->integrals.units_made, examples.dataset.count);
    }
    shw_trainer_destroy(&trainer);
    device->vk.AllocateMemory = real_allocate;
    device->vk.CreateComputePipelines = real_create;
    testing_examples_free(&examples);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
