/* The technique `blend` at its limits: flushes, several textures and sweeps, several chunks; and what it refuses. */
#include "testing/testing.h"

#include <string.h>

#include "dense/grow_device/blend.h"
#include "testing/device.h"
#include "testing/examples.h"
#include "testing/training.h"

static const struct shw_blend_limits no_limits = {SHW_BLEND_POINTS, UINT32_MAX, SHW_BLEND_BYTES, false};

/* Trains; *lost is set instead if the counts were found to be wrong. Must not be NULL where that may be. */
static uint64_t train_or_lose(struct shw_trainer_params params, struct testing_examples *examples,
                              enum shw_technique technique, struct shw_blend_limits limits, bool *lost)
{
    struct testing_log memory;
    struct shw_trainer *trainer = NULL;
    struct shw_forest *forest = NULL;
    bool finished = false;
    uint64_t hash;
    enum shw_result result = SHW_OK;

    params.log = testing_log(&memory);
    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    params.memory = technique != SHW_TECHNIQUE_CPU ? params.memory : 0; /* is the device's */
    examples->dataset.user = examples;
    if (shw_trainer_create(&params, &examples->dataset, &trainer) != SHW_OK)
        fail_msg("%s", memory.last);
    trainer->blend_limits = &limits;
    while (!finished && result == SHW_OK)
        result = shw_trainer_step(trainer, &finished);
    if (result == SHW_ERROR_UNSUPPORTED && lost != NULL) {
        *lost = strstr(memory.last, "the technique blend does not count correctly here: a histogram of node ") != NULL;
        shw_trainer_destroy(&trainer);
        return 0;
    }
    if (result != SHW_OK)
        fail_msg("%s", memory.last);
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
    hash = shw_forest_hash(forest);
    shw_forest_destroy(&forest);
    shw_trainer_destroy(&trainer);
    testing_device_check();
    return hash;
}

static uint64_t train(struct shw_trainer_params params, struct testing_examples *examples, enum shw_technique technique,
                      struct shw_blend_limits limits)
{
    return train_or_lose(params, examples, technique, limits, NULL);
}

static void same(const char *what, const struct shw_trainer_params *params, struct testing_examples *examples,
                 struct shw_blend_limits limits)
{
    uint64_t cpu = train(*params, examples, SHW_TECHNIQUE_CPU, limits);
    uint64_t blend = train(*params, examples, SHW_TECHNIQUE_BLEND, limits);

    if (cpu != blend)
        fail_msg("%s: cpu gives the forest %016llx, blend %016llx", what, (unsigned long long)cpu,
                 (unsigned long long)blend);
}

/* How many of the images are on the device at once. */
static uint32_t room_for(const struct shw_trainer_params *given, struct testing_examples *examples)
{
    struct shw_trainer_params params = *given;
    struct testing_log memory;
    struct shw_trainer *trainer = NULL;
    uint32_t count = 0;

    params.log = testing_log(&memory);
    params.technique = SHW_TECHNIQUE_BLEND;
    params.device = testing_device();
    examples->dataset.user = examples;
    if (shw_trainer_create(&params, &examples->dataset, &trainer) != SHW_OK || shw_trainer_prepare(trainer) != SHW_OK)
        fail_msg("%s", memory.last);
    for (uint32_t c = 0; c < shw_compute_of(trainer)->integrals.place_count; c++)
        count += shw_compute_of(trainer)->integrals.chunks[c].end - shw_compute_of(trainer)->integrals.chunks[c].begin;
    shw_trainer_destroy(&trainer);
    return count;
}

/* Images with more samples than a flush lets through, and with fewer. */
TESTING_CASE(flushes_lose_nothing)
{
    static const uint32_t points[] = {100, 333, 5000};
    struct testing_examples_params examples_params = {.seed = 3, .void_percent = 10, .width = 43, .height = 37};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    params.tree_count = 1;
    params.depth = 4;
    for (int i = 0; i < 3; i++) {
        struct shw_blend_limits limits = no_limits;
        limits.points = points[i];
        params.pixels_per_image = i == 0 ? 90 : SHW_PIXELS_ALL;
        same("flushes", &params, &examples, limits);
    }
    testing_examples_free(&examples);
}

/* With textures that stick at 2048 instead of 2^24: flushes come in time, and without them counts are lost, which ends
 * training. */
TESTING_CASE(no_count_sticks)
{
    struct testing_examples_params examples_params = {.seed = 9, .classes = 2, .width = 150, .height = 140, .count = 3};
    struct shw_blend_limits limits = {.points = 2048, .side = UINT32_MAX, .bytes = SHW_BLEND_BYTES, .half = true};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    bool lost = false;
    uint64_t cpu;

    testing_examples_make(&examples_params, &examples);
    params.tree_count = 1;
    params.bins = 2;
    params.pixels_per_image = SHW_PIXELS_ALL;
    cpu = train(params, &examples, SHW_TECHNIQUE_CPU, limits);
    assert_true(train(params, &examples, SHW_TECHNIQUE_BLEND, limits) == cpu);
    limits.points = SHW_BLEND_POINTS;
    train_or_lose(params, &examples, SHW_TECHNIQUE_BLEND, limits, &lost);
    assert_true(lost);
    testing_examples_free(&examples);
}

/* Histograms of several textures, of one texture and several sweeps, and of both. */
TESTING_CASE(textures_and_sweeps_lose_nothing)
{
    static const struct shw_blend_limits limits[] = {{SHW_BLEND_POINTS, 64, SHW_BLEND_BYTES, false},
                                                     {SHW_BLEND_POINTS, 128, 128 * 100 * sizeof(float), false},
                                                     {2000, 64, 2 * 64 * 64 * sizeof(float), false}};
    struct testing_examples_params examples_params = {.seed = 5, .classes = 7};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    params.tree_count = 1;
    params.bins = 40;
    params.candidates = 19;
    for (int i = 0; i < 3; i++)
        same("textures", &params, &examples, limits[i]);
    testing_examples_free(&examples);
}

/* A device whose storage buffers hold a few images at a time. */
TESTING_CASE(chunks_lose_nothing)
{
    struct testing_examples_params examples_params = {.seed = 6, .width = 60, .height = 50, .count = 8};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    uint32_t *range = &testing_device()->properties.limits.maxStorageBufferRange, kept = *range;

    testing_examples_make(&examples_params, &examples);
    *range = 100000;
    for (int mirror = (int)SHW_MIRROR_IMAGES; mirror <= (int)SHW_MIRROR_PAIRED; mirror++) {
        params.mirror = (enum shw_mirroring)mirror;
        same("chunks", &params, &examples, no_limits);
        assert_int_equal(train(params, &examples, SHW_TECHNIQUE_COMPUTE, no_limits),
                         train(params, &examples, SHW_TECHNIQUE_CPU, no_limits));
    }
    *range = kept;
    testing_examples_free(&examples);
}

/* Submissions that end in the middle of a group, a sweep or a chunk, and little memory. */
TESTING_CASE(slices_lose_nothing)
{
    static const uint64_t work[] = {1, 3000, 100000};
    struct testing_examples_params examples_params = {.seed = 7, .width = 60, .height = 50, .count = 5};
    const struct shw_blend_limits limits = {1500, 64, SHW_BLEND_BYTES, false};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    params.tree_count = 1;
    params.depth = 4;
    params.candidates = 50;
    params.memory = 3 << 20;
    for (int i = 0; i < 3; i++) {
        params.work_max = work[i];
        same("slices", &params, &examples, limits);
    }
    testing_examples_free(&examples);
}

/* Images that do not fit are made again for every sweep: where making them is all that a submission has room for,
 * histograms are the next one's. */
TESTING_CASE(images_made_again_lose_nothing)
{
    static const uint64_t work[] = {1, 20000, 1 << 20};
    struct testing_examples_params examples_params = {.seed = 10, .width = 54, .height = 50, .equal = true, .count = 8};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    params.tree_count = 1;
    params.depth = 3;
    params.memory = 800000;
    for (int i = 0; i < 3; i++) {
        params.work_max = work[i];
        assert_true(room_for(&params, &examples) < examples.dataset.count);
        same("images made again", &params, &examples, no_limits);
    }
    testing_examples_free(&examples);
}

/* Every cell has a place, and no texture is larger than it may be. */
TESTING_CASE(tilings_hold_every_cell)
{
    static const size_t cells[] = {1, 63, 4096, 4097, 100000, 16777216, 134217728};
    static const VkDeviceSize bytes[] = {1, 4096, 1 << 20, 256 << 20};

    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
        for (uint32_t width = 64; width <= 16384; width *= 2)
            for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
                for (uint32_t layers = 1; layers <= 2048; layers *= 2048) {
                    struct shw_blend_tiling tiling = shw_blend_tile(cells[c], width, layers, bytes[b]);
                    size_t side = (size_t)1 << tiling.width_shift, all = side * tiling.height * tiling.textures;
                    assert_true(side >= SHW_BLEND_FLUSH_SIZE && side <= width);
                    assert_true(tiling.height >= 1 && tiling.height <= side);
                    assert_true(tiling.textures >= 1 && tiling.textures <= layers &&
                                tiling.textures <= SHW_BLEND_TEXTURES_MAX);
                    assert_int_equal(tiling.sweep_cells, all);
                    assert_true(all * sizeof(float) <= bytes[b] || (tiling.height == 1 && tiling.textures == 1));
                    assert_true(all < cells[c] + side * tiling.textures + side * tiling.height);
                    /* One sweep is enough where bytes and layers allow for it. */
                    if (cells[c] + 2 * side <= bytes[b] / sizeof(float) && cells[c] <= side * side)
                        assert_true(all >= cells[c]);
                }
}

static void cannot_blend(VkPhysicalDevice device, VkFormat format, VkFormatProperties *properties)
{
    (void)device, (void)format;
    *properties = (VkFormatProperties){0};
}

TESTING_CASE(refusals_are_clear)
{
    struct testing_examples_params examples_params = {.seed = 1};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct testing_log memory;
    struct shw_device *device = testing_device();
    PFN_vkGetPhysicalDeviceFormatProperties kept = device->vk.GetPhysicalDeviceFormatProperties;
    uint32_t outputs = device->properties.limits.maxFragmentCombinedOutputResources;
    struct shw_trainer *trainer = NULL;
    struct shw_forest *forest = NULL;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    params.log = testing_log(&memory);
    params.technique = SHW_TECHNIQUE_BLEND;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
    assert_string_equal(memory.last, "the technique blend needs a device");
    params.device = device;
    device->vk.GetPhysicalDeviceFormatProperties = cannot_blend;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(memory.last, "the technique blend needs additive blending of R32_SFLOAT, which "));
    device->vk.GetPhysicalDeviceFormatProperties = kept;
    device->properties.limits.maxFragmentCombinedOutputResources = 4;
    assert_int_equal(shw_train(&params, &examples.dataset, &forest), SHW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(memory.last, "in fragment shaders; the device has 4: use the technique compute"));
    device->properties.limits.maxFragmentCombinedOutputResources = outputs;
    assert_null(trainer);
    assert_null(forest);
    testing_examples_free(&examples);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
