/* Which techniques of callers are refused, and by what words. */
#include "testing/device.h"

#include <string.h>

#include <shadewood/label.h>

#include "testing/random_forest.h"

/* Nothing of a technique that is refused is called. */

static enum shw_result run(void *user, const struct shw_stage_host_frame *frame)
{
    (void)user, (void)frame;
    return SHW_OK;
}

static uint64_t no_memory(void *user, const struct shw_stage_create *params)
{
    (void)user, (void)params;
    return 0;
}

static enum shw_result create(void *user, const struct shw_stage_create *params, void **instance)
{
    (void)user, (void)params, (void)instance;
    return SHW_OK;
}

static void record(void *instance, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                   struct shw_stage_stretch *stretch)
{
    (void)instance, (void)commands, (void)slot, (void)frame, (void)stretch;
}

static void destroy(void *instance)
{
    (void)instance;
}

static bool any_room(void *instance, const struct shw_stage_forest *forest)
{
    (void)instance, (void)forest;
    return true;
}

static enum shw_result take_forest(void *instance, const struct shw_stage_forest *forest)
{
    (void)instance, (void)forest;
    return SHW_OK;
}

static const struct shw_stage_technique fine_host = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                     .name = "fine",
                                                     .stage = SHW_STAGE_INTEGRATE,
                                                     .form = SHW_PLANES_HOST,
                                                     .run = run};

static const struct shw_stage_technique fine_device = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                       .name = "fine",
                                                       .stage = SHW_STAGE_INTEGRATE,
                                                       .form = SHW_PLANES_BUFFER,
                                                       .get_memory = no_memory,
                                                       .create = create,
                                                       .record = record,
                                                       .destroy = destroy};

static void expect_refused(const struct shw_labeller_params *params, enum shw_result result, const char *text)
{
    struct shw_labeller_params given = *params;
    struct shw_labeller *labeller = NULL;
    struct testing_log memory;

    given.log = testing_log(&memory);
    assert_int_equal(shw_labeller_create(&given, &labeller), result);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, text) == NULL)
        fail_msg("'%s' is not in: %s", text, memory.last);
}

TESTING_CASE(what_is_incomplete_is_refused)
{
    struct random_forest_params forest_params = {.seed = 61, .depth = 2};
    struct shw_forest *forest = random_forest(&forest_params);
    struct shw_stage_technique technique = fine_host;
    struct shw_labeller_params params = {
        .forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .integrate = SHW_TECHNIQUE_CUSTOM};
    struct shw_labeller *labeller = NULL;
    enum shw_technique techniques[SHW_STAGE_COUNT];

    expect_refused(&params, SHW_ERROR_ARGUMENT, "integrate: the technique custom");
    params.custom[SHW_STAGE_INTEGRATE] = &technique;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    shw_labeller_get_techniques(labeller, techniques);
    assert_true(techniques[0] == SHW_TECHNIQUE_CPU && techniques[1] == SHW_TECHNIQUE_CUSTOM &&
                techniques[2] == SHW_TECHNIQUE_CPU);
    shw_labeller_destroy(&labeller);
    technique.version = 1;
    expect_refused(&params, SHW_ERROR_VERSION, "version 1 is not supported: build it for version 7");
    technique = fine_host;
    technique.name = "Fine";
    expect_refused(&params, SHW_ERROR_ARGUMENT, "lower-case");
    technique.name = NULL;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "lower-case");
    technique.name = "blend";
    expect_refused(&params, SHW_ERROR_ARGUMENT, "blend is taken");
    technique = fine_host;
    technique.stage = (enum shw_stage)3;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "has no valid stage");
    technique.stage = SHW_STAGE_CHANNELS;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "not for the stage integrate");
    technique = fine_host;
    technique.form = 0;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine has no form");
    technique = fine_device;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "needs a device");
    params.integrate = SHW_TECHNIQUE_CPU;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "must be given together");
    shw_forest_destroy(&forest);
}

TESTING_CASE(a_missing_function_is_named)
{
    struct random_forest_params forest_params = {.seed = 62, .depth = 2};
    struct shw_forest *forest = random_forest(&forest_params);
    struct shw_stage_technique technique = fine_host;
    struct shw_labeller_params params = {.forest = forest,
                                         .device = testing_device(),
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .integrate = SHW_TECHNIQUE_CUSTOM,
                                         .custom = {[SHW_STAGE_INTEGRATE] = &technique}};

    technique.run = NULL;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine lacks run");
    technique = fine_host;
    technique.destroy = destroy;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine cannot have destroy");
    technique = fine_device;
    technique.get_memory = NULL;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine lacks get_memory");
    technique = fine_device;
    technique.create = NULL;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine lacks create");
    technique = fine_device;
    technique.record = NULL;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine lacks record");
    technique = fine_device;
    technique.destroy = NULL;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine lacks destroy");
    technique = fine_device;
    technique.has_room = any_room;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine lacks set_forest");
    technique.has_room = NULL;
    technique.set_forest = take_forest;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine lacks has_room");
    technique.has_room = any_room;
    technique.wants_forest = true;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine cannot have both set_forest and wants_forest");
    technique = fine_device;
    technique.run = run;
    expect_refused(&params, SHW_ERROR_ARGUMENT, "fine cannot have run");
    technique = fine_device;
    shw_forest_destroy(&forest);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
