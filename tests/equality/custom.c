/* Callers' own techniques in the place of ours: on the device and on the host, whole and in tiles, along with every
 * technique of ours. */
#include "testing/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "custom_technique.h"
#include "dense/pipeline/pipeline.h"
#include "dense/pipeline/registry.h"
#include "testing/labelling.h"
#include "testing/plugin.h"
#include "testing/random_forest.h"

#define VERSION SHW_STAGE_TECHNIQUE_VERSION

static const enum shw_technique ours[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};

/* An image larger than the pieces it is labelled in, and one labelled whole. */
static void label_both(const char *what, struct shw_labeller_params params, const struct shw_image *image)
{
    struct shw_labeller_params cpu = {.forest = params.forest, .outputs = params.outputs, .threads = 1};
    struct testing_labelling expected = testing_label(&cpu, image), got;

    for (int tiled = 0; tiled < 2; tiled++) {
        params.width = params.height = tiled ? 70 : 0;
        got = testing_label(&params, image);
        assert_int_equal(got.tiled, tiled);
        testing_labelling_same(what, params.outputs, &got, &expected);
        testing_labelling_free(&got);
    }
    testing_labelling_free(&expected);
}

static void check_stage(struct shw_stage_technique technique, bool on_device, const char *set)
{
    struct random_forest_params forest_params = {
        .seed = 31, .channels = set, .classes = 5, .trees = 3, .depth = 5, .offset_max = 9, .size_max = 5};
    struct shw_forest *forest = random_forest(&forest_params);
    struct testing_random random = {32};
    struct shw_image image = testing_image(&random, 117, 83, SHW_PIXEL_RGB8, 0);
    struct calls calls = {0};
    char what[96];

    technique.version = VERSION;
    technique.user = &calls;
    for (int t = 0; t < 3; t++) {
        struct shw_labeller_params params = {.forest = forest,
                                             .device = testing_device(),
                                             .outputs = TESTING_ALL_OUTPUTS,
                                             .channels = ours[t],
                                             .integrate = ours[t],
                                             .evaluate = ours[t],
                                             .threads = 2};
        enum shw_technique *const stages[] = {&params.channels, &params.integrate, &params.evaluate};
        *stages[technique.stage] = SHW_TECHNIQUE_CUSTOM;
        params.custom[technique.stage] = &technique;
        snprintf(what, sizeof what, "%s with %s", technique.name, shw_technique_name(ours[t]));
        label_both(what, params, &image);
    }
    if (on_device)
        assert_true(calls.creations == 6 && calls.destructions == 6 && calls.recordings >= 3 * 3);
    else
        assert_true(calls.runs >= 3 * 3);
    free((void *)(uintptr_t)image.pixels);
    shw_forest_destroy(&forest);
    testing_device_check();
}

TESTING_CASE(on_the_host)
{
    check_stage(
        (struct shw_stage_technique){
            .name = "plain-channels", .stage = SHW_STAGE_CHANNELS, .form = SHW_PLANES_HOST, .run = host_channels},
        false, SHW_CHANNELS_LAB);
    check_stage(
        (struct shw_stage_technique){
            .name = "plain-sums", .stage = SHW_STAGE_INTEGRATE, .form = SHW_PLANES_HOST, .run = host_integrate},
        false, SHW_CHANNELS_LAB);
    check_stage(
        (struct shw_stage_technique){
            .name = "plain-trees", .stage = SHW_STAGE_EVALUATE, .form = SHW_PLANES_HOST, .run = host_evaluate},
        false, SHW_CHANNELS_LAB);
}

TESTING_CASE(on_the_device)
{
    check_stage((struct shw_stage_technique){.name = "own-channels",
                                             .stage = SHW_STAGE_CHANNELS,
                                             .form = SHW_PLANES_BUFFER,
                                             .get_memory = no_memory,
                                             .create = create_channels,
                                             .record = record_channels,
                                             .destroy = destroy},
                true, SHW_CHANNELS_RGB);
    check_stage((struct shw_stage_technique){.name = "own-sums",
                                             .stage = SHW_STAGE_INTEGRATE,
                                             .form = SHW_PLANES_BUFFER,
                                             .get_memory = no_memory,
                                             .create = create_integrate,
                                             .record = record_integrate,
                                             .destroy = destroy},
                true, SHW_CHANNELS_LAB);
}

/* The example's: forests of all kinds, every output alone in one of them, and all together. */
TESTING_CASE(the_example_gives_the_same)
{
    static const struct random_forest_params forests[] = {
        {.seed = 41,
         .channels = SHW_CHANNELS_RGB,
         .classes = 23,
         .trees = 8,
         .depth = 6,
         .split_percent = 80,
         .offset_max = 9,
         .size_max = 5},
        {.seed = 42,
         .channels = SHW_CHANNELS_RGB,
         .classes = 1,
         .trees = 1,
         .depth = 0,
         .offset_max = 9,
         .size_max = 5},
        {.seed = 43,
         .channels = SHW_CHANNELS_RGB,
         .classes = 9,
         .trees = 3,
         .depth = 9,
         .feature = &shw_feature_sum_difference,
         .single_percent = 40,
         .extreme = true,
         .offset_max = 9,
         .size_max = 5},
        {.seed = 44,
         .channels = SHW_CHANNELS_RGB,
         .classes = 2,
         .trees = 64,
         .depth = 2,
         .offset_max = 9,
         .size_max = 5},
    };
    const struct shw_stage_technique *technique = testing_plugin(EXAMPLE_TECHNIQUE);
    struct testing_random random = {45};
    struct shw_image image = testing_image(&random, 121, 79, SHW_PIXEL_RGB8, 0);

    for (size_t f = 0; f < sizeof forests / sizeof *forests; f++) {
        struct shw_forest *forest = random_forest(&forests[f]);
        for (uint32_t o = 0; o < 2; o++) {
            struct shw_labeller_params params = {.forest = forest,
                                                 .device = testing_device(),
                                                 .outputs = o == 0 ? 1u << f : TESTING_ALL_OUTPUTS,
                                                 .channels = ours[(f + o) % 3],
                                                 .integrate = ours[(f + 2 * o) % 3],
                                                 .evaluate = SHW_TECHNIQUE_CUSTOM,
                                                 .custom = {[SHW_STAGE_EVALUATE] = technique}};
            char what[64];
            snprintf(what, sizeof what, "forest %zu, outputs %u", f, params.outputs);
            label_both(what, params, &image);
        }
        shw_forest_destroy(&forest);
    }
    free((void *)(uintptr_t)image.pixels);
    testing_device_check();
}

/* A failure of the technique's is the labeller's. */
TESTING_CASE(failures_are_passed_on)
{
    struct random_forest_params forest_params = {.seed = 51, .depth = 2};
    struct shw_forest *forest = random_forest(&forest_params);
    struct testing_random random = {52};
    struct shw_image image = testing_image(&random, 20, 10, SHW_PIXEL_RGB8, 0);
    struct calls calls = {.fail_with = SHW_ERROR_UNSUPPORTED};
    struct shw_stage_technique host = {.version = VERSION,
                                       .name = "failing",
                                       .stage = SHW_STAGE_CHANNELS,
                                       .form = SHW_PLANES_HOST,
                                       .user = &calls,
                                       .run = host_channels};
    struct shw_stage_technique device = {.version = VERSION,
                                         .name = "failing",
                                         .stage = SHW_STAGE_INTEGRATE,
                                         .form = SHW_PLANES_BUFFER,
                                         .user = &calls,
                                         .get_memory = no_memory,
                                         .create = create_integrate,
                                         .record = record_integrate,
                                         .destroy = destroy};
    struct testing_labelling out = testing_labelling(forest, 20, 10);
    struct shw_labeller_params params = {.forest = forest,
                                         .device = testing_device(),
                                         .outputs = TESTING_ALL_OUTPUTS,
                                         .channels = SHW_TECHNIQUE_CUSTOM,
                                         .custom = {&host},
                                         .threads = 3};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &out.out), SHW_ERROR_UNSUPPORTED);
    assert_int_equal(calls.threads, 3);
    calls.fail_with = SHW_OK;
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &out.out), SHW_OK);
    shw_labeller_destroy(&labeller);

    calls.fail_with = SHW_ERROR_DEVICE_MEMORY;
    params.channels = SHW_TECHNIQUE_AUTO;
    params.integrate = SHW_TECHNIQUE_CUSTOM;
    params.custom[0] = NULL;
    params.custom[1] = &device;
    params.slots = 2;
    params.width = params.height = 20;
    params.evaluate = SHW_TECHNIQUE_COMPUTE;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_DEVICE_MEMORY);
    assert_null(labeller);
    assert_true(calls.creations == 1 && calls.destructions == 0);
    testing_labelling_free(&out);
    free((void *)(uintptr_t)image.pixels);
    shw_forest_destroy(&forest);
    testing_device_check();
}

/* One of ours as a caller's, with memory of its own. */
struct adapted {
    struct shw_pipeline_technique ours;
    struct shw_stage_technique technique;
};

struct adapted_instance {
    const struct shw_stage_technique *technique;
    struct shw_arena arena;
    void *instance;
};

static uint64_t adapted_memory(void *user, const struct shw_stage_create *params)
{
    (void)user;
    (void)params;
    return 0; /* not checked here */
}

static enum shw_result adapted_create(void *user, const struct shw_stage_create *params, void **out)
{
    const struct adapted *adapted = user;
    struct adapted_instance *instance = calloc(1, sizeof *instance);

    assert_non_null(instance);
    *out = instance;
    instance->technique = adapted->ours.technique;
    shw_arena_begin(params->owner, &instance->arena);
    assert_int_equal(adapted->ours.add(adapted->ours.technique->user, params, &instance->arena, &instance->instance),
                     SHW_OK);
    assert_int_equal(shw_arena_make(&instance->arena), SHW_OK);
    return adapted->ours.technique->create(adapted->ours.technique->user, params, &instance->instance);
}

static void adapted_record(void *user, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                           struct shw_stage_stretch *stretch)
{
    const struct adapted_instance *instance = user;

    instance->technique->record(instance->instance, commands, slot, frame, stretch);
}

static void adapted_destroy(void *user)
{
    struct adapted_instance *instance = user;

    instance->technique->destroy(instance->instance);
    shw_arena_end(&instance->arena);
    free(instance);
}

static enum shw_result adapted_run(void *user, const struct shw_stage_host_frame *frame)
{
    const struct adapted *adapted = user;

    return adapted->ours.technique->run(adapted->ours.technique->user, frame);
}

static struct adapted adapt(struct shw_pipeline_technique own)
{
    struct adapted adapted = {own, {.version = SHW_STAGE_TECHNIQUE_VERSION, .name = "like-ours"}};

    adapted.technique.stage = own.technique->stage;
    adapted.technique.form = own.technique->form;
    if (own.add == NULL) {
        adapted.technique.run = adapted_run;
    } else {
        adapted.technique.get_memory = adapted_memory;
        adapted.technique.create = adapted_create;
        adapted.technique.record = adapted_record;
        adapted.technique.destroy = adapted_destroy;
    }
    return adapted;
}

/* A caller's can be what ours are: also one that works with images. */
TESTING_CASE(ours_are_techniques_like_others)
{
    struct random_forest_params forest_params = {
        .seed = 71, .classes = 5, .trees = 3, .depth = 5, .offset_max = 9, .size_max = 5};
    struct shw_forest *forest = random_forest(&forest_params);
    struct testing_random random = {72};
    struct shw_image image = testing_image(&random, 71, 53, SHW_PIXEL_RGB8, 0);

    for (uint32_t i = 0; i < 9; i++) {
        enum shw_stage stage = (enum shw_stage)(i / 3);
        struct adapted adapted = adapt(shw_registry_find(stage, ours[i % 3]));
        struct shw_labeller_params params = {.forest = forest,
                                             .device = testing_device(),
                                             .outputs = TESTING_ALL_OUTPUTS,
                                             .channels = ours[(i + 1) % 3],
                                             .integrate = ours[(i + 1) % 3],
                                             .evaluate = ours[(i + 1) % 3]};
        enum shw_technique *const stages[] = {&params.channels, &params.integrate, &params.evaluate};
        char what[64];
        snprintf(what, sizeof what, "%s as a caller's", adapted.ours.technique->name);
        adapted.technique.user = &adapted;
        *stages[stage] = SHW_TECHNIQUE_CUSTOM;
        params.custom[stage] = &adapted.technique;
        label_both(what, params, &image);
    }
    free((void *)(uintptr_t)image.pixels);
    shw_forest_destroy(&forest);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
