/* Training in somebody else's frame: an imported device, slices of any size, and memory that is bounded and counted. */
#include "testing/device.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/grow_device/round.h"
#include "testing/examples.h"
#include "testing/training.h"
#include "vulkan/commands.h"

#define ALLOCATIONS_MAX 512

/* Device memory that training takes. */
struct meter {
    const struct shw_device *device;
    VkDeviceSize sizes[ALLOCATIONS_MAX], held, most, limit;
};

static VkResult allocate_memory(void *user, const struct shw_memory_request *request, struct shw_memory_block *block)
{
    struct meter *meter = user;
    const struct shw_device *device = meter->device;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = request->requirements.size,
                                       .memoryTypeIndex = request->memory_type};
    uint32_t free_one = 0;
    VkResult result;

    while (free_one < ALLOCATIONS_MAX && meter->sizes[free_one] != 0)
        free_one++;
    assert_true(free_one < ALLOCATIONS_MAX);
    if (meter->held + info.allocationSize > meter->limit)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    result = device->vk.AllocateMemory(device->handle, &info, NULL, &block->memory);
    if (result != VK_SUCCESS)
        return result;
    if (request->mapped)
        assert_int_equal(device->vk.MapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &block->mapped),
                         VK_SUCCESS);
    block->handle = &meter->sizes[free_one];
    meter->sizes[free_one] = info.allocationSize;
    meter->held += info.allocationSize;
    meter->most = meter->held > meter->most ? meter->held : meter->most;
    return VK_SUCCESS;
}

static void release_memory(void *user, const struct shw_memory_block *block)
{
    struct meter *meter = user;
    VkDeviceSize *size = block->handle;

    meter->held -= *size;
    *size = 0;
    meter->device->vk.FreeMemory(meter->device->handle, block->memory, NULL);
}

static struct shw_device *import(struct meter *meter, struct testing_log *memory)
{
    struct shw_device *own = testing_device(), *device = NULL;
    struct shw_device_import_params params = {.instance = own->own->instance,
                                              .physical_device = own->physical,
                                              .device = own->handle,
                                              .queue_family = own->queue_family,
                                              .memory = {meter, allocate_memory, release_memory},
                                              .log = testing_log(memory)};

    *(void **)&params.get_instance_proc_addr = dlsym(own->own->library, "vkGetInstanceProcAddr");
    *meter = (struct meter){.device = own, .limit = UINT64_MAX};
    assert_int_equal(shw_device_import(&params, &device), SHW_OK);
    return device;
}

/* What one run was like. */
struct outcome {
    enum shw_result result;
    uint64_t hash, slices, units_made;
    uint32_t places, chunks;
    bool keeps_pixels;
    VkDeviceSize most; /* device memory */
};

static struct outcome train_in_slices(struct shw_trainer_params params, struct testing_examples *examples,
                                      VkDeviceSize limit)
{
    struct testing_log memory, device_memory;
    struct shw_trainer *trainer = NULL;
    struct shw_forest *forest = NULL;
    struct outcome outcome = {0};
    struct meter meter;
    struct shw_device *device = import(&meter, &device_memory);
    bool finished = false;

    params.log = testing_log(&memory);
    params.log.level = SHW_LOG_ERROR;
    params.device = device;
    meter.limit = limit;
    examples->dataset.user = examples;
    assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_OK);
    outcome.result = shw_trainer_prepare(trainer);
    while (outcome.result == SHW_OK && !finished) {
        VkCommandBuffer commands;
        assert_int_equal(shw_submit_begin(testing_device(), &commands), SHW_OK);
        outcome.result = shw_trainer_record(trainer, commands);
        if (outcome.result == SHW_OK) {
            outcome.slices++;
            assert_int_equal(shw_submit_wait(testing_device(), commands), SHW_OK);
            outcome.result = shw_trainer_complete(trainer, &finished);
        } else {
            shw_submit_abandon(testing_device(), commands);
        }
    }
    if (shw_compute_of(trainer) != NULL) {
        outcome.units_made = shw_compute_of(trainer)->integrals.units_made;
        outcome.places = shw_compute_of(trainer)->integrals.place_count;
        outcome.chunks = shw_compute_of(trainer)->integrals.chunk_count;
        outcome.keeps_pixels = shw_compute_of(trainer)->integrals.keeps_pixels;
    }
    if (outcome.result == SHW_OK) {
        assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
        outcome.hash = shw_forest_hash(forest);
    }
    outcome.most = meter.most;
    shw_forest_destroy(&forest);
    shw_trainer_destroy(&trainer);
    assert_int_equal(meter.held, 0);
    assert_int_equal(examples->held, 0);
    shw_device_destroy(&device);
    testing_device_check();
    return outcome;
}

static uint64_t train_on_cpu(struct shw_trainer_params params, struct testing_examples *examples)
{
    struct testing_log memory;
    struct shw_forest *forest = NULL;
    uint64_t hash;

    params.log = testing_log(&memory);
    params.technique = SHW_TECHNIQUE_CPU;
    examples->dataset.user = examples;
    assert_int_equal(shw_train(&params, &examples->dataset, &forest), SHW_OK);
    hash = shw_forest_hash(forest);
    shw_forest_destroy(&forest);
    return hash;
}

static void slice(enum shw_technique technique, const uint64_t *works, uint32_t work_count)
{
    struct testing_examples_params examples_params = {.seed = 12, .void_percent = 10};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    uint64_t hash, slices = UINT64_MAX;

    testing_examples_make(&examples_params, &examples);
    params.leaf_max = 40; /* so that the host has a say between splits and samples */
    hash = train_on_cpu(params, &examples);
    for (uint32_t i = 0; i < work_count; i++) {
        struct outcome outcome;
        params.technique = technique;
        params.work_max = works[i];
        outcome = train_in_slices(params, &examples, UINT64_MAX);
        assert_int_equal(outcome.result, SHW_OK);
        assert_true(outcome.hash == hash);
        assert_true(outcome.slices <= slices);
        slices = outcome.slices;
    }
    assert_true(slices <= (uint64_t)2 * params.tree_count * params.depth + 4); /* two a round, and what images need */
    testing_examples_free(&examples);
}

TESTING_CASE(slices_change_nothing)
{
    static const uint64_t works[] = {1, 1000, 7777, 100000, UINT64_MAX}, blended[] = {1000, UINT64_MAX};

    slice(SHW_TECHNIQUE_COMPUTE, works, 5);
    slice(SHW_TECHNIQUE_BLEND, blended, 2);
}

/* What training does with the memory that it may take. */
enum phase { REFUSED, STREAMED_PIXELS, STREAMED, RESIDENT, PHASES };

struct bounds {
    struct shw_trainer_params params;
    struct testing_examples examples;
    uint64_t hash, steps;
    uint32_t found[PHASES];
};

/* An error, or the same forest within the bound; and images that stream on the way. */
static enum phase train_within(struct bounds *bounds, uint64_t memory)
{
    uint32_t images = bounds->examples.dataset.count;
    struct outcome outcome;
    enum phase phase = REFUSED;

    bounds->params.memory = memory;
    outcome = train_in_slices(bounds->params, &bounds->examples, UINT64_MAX);
    if (outcome.result != SHW_ERROR_LIMIT) {
        assert_int_equal(outcome.result, SHW_OK);
        assert_true(outcome.hash == bounds->hash);
        if (outcome.most > memory)
            fail_msg("training took %llu bytes of device memory and may take %llu", (unsigned long long)outcome.most,
                     (unsigned long long)memory);
        phase = outcome.places >= outcome.chunks ? RESIDENT : outcome.keeps_pixels ? STREAMED : STREAMED_PIXELS;
        if (phase == RESIDENT)
            assert_int_equal(outcome.units_made, images);
        else
            assert_true(outcome.units_made > images);
    }
    bounds->found[phase]++;
    return phase;
}

/* Looks for the limits between two phases, which are where bounds are tight; `--slow` looks everywhere. */
static void search(struct bounds *bounds, uint64_t low, enum phase at_low, uint64_t high, enum phase at_high)
{
    uint64_t middle = (uint64_t)sqrt((double)low * (double)high);
    enum phase at_middle;

    if (high - low <= low / bounds->steps || (at_low == at_high && !testing_is_slow()))
        return;
    at_middle = train_within(bounds, middle);
    assert_true((at_low == REFUSED || at_middle != REFUSED) && (at_high != REFUSED || at_middle == REFUSED));
    search(bounds, low, at_low, middle, at_middle);
    search(bounds, middle, at_middle, high, at_high);
}

/* From far too little to more than enough. */
static void bound_memory(enum shw_technique technique, uint64_t steps)
{
    struct testing_examples_params examples_params = {.seed = 13, .count = 6, .width = 48, .height = 40};
    struct bounds bounds = {.params = testing_training, .steps = steps};
    uint64_t low = 100000, high = 8000000;

    testing_examples_make(&examples_params, &bounds.examples);
    bounds.params.mirror = true;
    bounds.params.tree_count = 1;
    bounds.params.depth = 4;
    bounds.params.candidates = 6;
    bounds.hash = train_on_cpu(bounds.params, &bounds.examples);
    bounds.params.technique = technique;
    search(&bounds, low, train_within(&bounds, low), high, train_within(&bounds, high));
    for (uint32_t phase = 0; phase < PHASES; phase++)
        if (bounds.found[phase] == 0)
            fail_msg("no memory leads to phase %u", phase);
    testing_examples_free(&bounds.examples);
}

TESTING_CASE(memory_is_bounded)
{
    bound_memory(SHW_TECHNIQUE_COMPUTE, 8);
    bound_memory(SHW_TECHNIQUE_BLEND, 4);
}

/* A device that has less memory than it said: smaller batches while that helps, then an error that leaves nothing
 * behind. */
static void exhaust(enum shw_technique technique, uint32_t depth)
{
    struct testing_examples_params examples_params = {.seed = 14, .count = 4, .width = 40, .height = 30};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    uint32_t failed = 0, good = 0;
    uint64_t hash;

    testing_examples_make(&examples_params, &examples);
    params.candidates = 200;
    params.bins = 250;
    params.depth = depth;
    params.tree_count = 1;
    params.pixels_per_image = 100;
    hash = train_on_cpu(params, &examples);
    for (VkDeviceSize limit = 1000000; limit < 40000000; limit *= 2) {
        struct outcome outcome;
        params.technique = technique;
        outcome = train_in_slices(params, &examples, limit);
        if (outcome.result == SHW_OK) {
            assert_true(outcome.hash == hash);
            good++;
        } else {
            assert_int_equal(outcome.result, SHW_ERROR_DEVICE_MEMORY);
            failed++;
        }
        assert_true(outcome.most <= limit);
    }
    assert_true(failed > 0 && good > 1);
    testing_examples_free(&examples);
}

TESTING_CASE(exhausted_memory_makes_smaller_batches)
{
    exhaust(SHW_TECHNIQUE_COMPUTE, 2);
    exhaust(SHW_TECHNIQUE_COMPUTE, 5); /* the first rounds would have memory for later ones */
    exhaust(SHW_TECHNIQUE_BLEND, 2);
}

static unsigned submissions_left;
static PFN_vkQueueSubmit real_submit;

static VKAPI_ATTR VkResult VKAPI_CALL submit_until_lost(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                                        VkFence fence)
{
    return submissions_left-- > 0 ? real_submit(queue, count, infos, fence) : VK_ERROR_DEVICE_LOST;
}

/* A device that fails at some moment: what was grown until then can be saved, and another trainer goes on to the same
 * forest. */
TESTING_CASE(lost_device_loses_nothing)
{
    struct testing_examples_params examples_params = {.seed = 12, .void_percent = 10};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct shw_device *device = testing_device();
    const char *path = testing_path("lost.ktx2");
    uint64_t hash;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    hash = train_on_cpu(params, &examples);
    params.device = device;
    params.technique = SHW_TECHNIQUE_COMPUTE;
    params.work_max = 2000;
    real_submit = device->vk.QueueSubmit;
    for (unsigned moment = 1; moment < 45; moment += 13) {
        struct testing_log memory;
        struct shw_trainer *trainer = NULL;
        struct shw_forest *forest = NULL;
        enum shw_result result = SHW_OK;
        bool finished = false;

        params.log = testing_log(&memory);
        params.log.level = SHW_LOG_ERROR;
        assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
        submissions_left = moment;
        device->vk.QueueSubmit = submit_until_lost;
        while (result == SHW_OK && !finished)
            result = shw_trainer_step(trainer, &finished);
        device->vk.QueueSubmit = real_submit;
        assert_int_equal(result, SHW_ERROR_DEVICE_LOST);
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        shw_trainer_destroy(&trainer);

        assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        while (!finished)
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
        assert_true(shw_forest_hash(forest) == hash);
        shw_forest_destroy(&forest);
        shw_trainer_destroy(&trainer);
    }
    testing_examples_free(&examples);
    testing_device_check();
}

TESTING_CASE(steps_have_an_order)
{
    struct testing_examples_params examples_params = {.seed = 12};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct testing_log memory, device_memory;
    struct shw_trainer *trainer = NULL;
    struct meter meter;
    VkCommandBuffer commands;
    bool finished;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    params.log = testing_log(&memory);
    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_record(trainer, VK_NULL_HANDLE), SHW_ERROR_ARGUMENT);
    shw_trainer_destroy(&trainer);

    params.technique = SHW_TECHNIQUE_COMPUTE;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
    params.device = import(&meter, &device_memory);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_complete(trainer, &finished), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_trainer_record(trainer, VK_NULL_HANDLE), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "`commands`"));
    assert_int_equal(shw_submit_begin(testing_device(), &commands), SHW_OK);
    assert_int_equal(shw_trainer_record(trainer, commands), SHW_OK);
    assert_int_equal(shw_trainer_record(trainer, commands), SHW_ERROR_ARGUMENT);
    shw_submit_abandon(testing_device(), commands);
    shw_trainer_destroy(&trainer);
    shw_device_destroy(&params.device);
    testing_examples_free(&examples);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
