/* Barriers of recordings: between commands that use the same memory there is one that fits, whether a device would
 * notice or not, and none waits for more than the labeller's own work and the uses of images that the caller states. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "scene.h"

enum { WIDTH = 70, HEIGHT = 50, SLOTS = 2, ROUNDS = 2, TREES = 5, CLASSES = 6 };

/* Every slot twice, stage by stage. */
static void record_all(struct scene *scene, struct shw_labeller *labeller, bool apart, struct frame *frames)
{
    for (uint32_t f = 0; f < SLOTS * ROUNDS; f++) {
        struct shw_labelling_progress progress = {0};
        struct shw_label_targets targets = target_uses(&frames[f], true);
        struct shw_image_use source = source_use(&frames[f]);
        engine_begin(&scene->engine, &frames[f].work);
        record_upload(scene, &frames[f]);
        engine_submit(&scene->engine, &frames[f].work);
        engine_wait(&scene->engine, &frames[f].work);
        /* so that this use orders nothing by chance */
        source.before.stages = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
        source.before.access = 0;
        if (f == SLOTS && apart)
            commands_finished(); /* a slot is recorded again */
        engine_begin(&scene->engine, &frames[f].work);
        while (!progress.finished) {
            commands_next_part();
            assert_int_equal(shw_labeller_record_piece(labeller, frames[f].work.commands, f % SLOTS,
                                                       SHW_COLOUR_USE(source), &targets, 0, &progress),
                             SHW_OK);
        }
        record_readback(scene, &frames[f], targets.argmax.after.layout);
        engine_submit(&scene->engine, &frames[f].work);
        check_frame(scene, scene->forest, &frames[f]);
    }
}

/* Counts the barriers with which stages begin, and those of them without which there is a conflict. */
static void count_needed(uint32_t *count, uint32_t *needed)
{
    *count = *needed = 0;
    for (uint32_t b = 0; b < commands_barriers(); b++)
        if (commands_begins_part(b)) {
            ++*count;
            *needed += commands_conflict(b) != NULL;
        }
}

/* `all_needed`: of the barriers with which stages begin, none can be missing without a conflict. */
static void check(const char *set, const enum shw_technique techniques[SHW_STAGE_COUNT], uint32_t smoothing,
                  uint32_t levels, bool apart, bool all_needed)
{
    struct random_forest_params forest = {
        .seed = 3, .channels = set, .depth = 6, .split_percent = 75, .trees = TREES, .classes = CLASSES};
    struct testing_random random = {5};
    struct frame frames[SLOTS * ROUNDS];
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params = {.outputs = TESTING_ALL_OUTPUTS,
                                         .channels = techniques[0],
                                         .integrate = techniques[1],
                                         .evaluate = techniques[2],
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .slots = SLOTS,
                                         .scratch_per_slot = apart};
    uint32_t count, needed;
    const char *conflict;
    struct scene scene;

    forest.smoothing.radius = smoothing;
    forest.levels = levels;
    open_scene(&scene, &forest);
    commands_watch(scene.device, &scene.engine);
    params.forest = scene.forest;
    params.device = scene.device;
    params.log = testing_log(&scene.memory);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    for (uint32_t f = 0; f < SLOTS * ROUNDS; f++)
        open_frame(&scene, &kinds[0], testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGBA8, 0), TREES, CLASSES,
                   &frames[f]);
    record_all(&scene, labeller, apart, frames);
    conflict = commands_conflict(COMMANDS_NONE);
    if (conflict != NULL)
        fail_msg("%s", conflict);
    count_needed(&count, &needed);
    printf("# %s, %s, %s%s: of %u barriers at beginnings of stages, %u are needed\n", shw_technique_name(techniques[0]),
           shw_technique_name(techniques[1]), shw_technique_name(techniques[2]), apart ? ", scratch per slot" : "",
           count, needed);
    if (all_needed)
        assert_int_equal(needed, apart ? count : count - 1); /* nothing is before the first one */
    if (smoothing == 0 && levels == 1) /* else planes may lie so that nothing else is in their place */
        assert_true(apart || commands_conflict(COMMANDS_BEGINNINGS) != NULL);
    assert_int_equal(commands_stages() & (VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT), 0);
    assert_int_equal(commands_begin_globally(), !apart);
    for (uint32_t f = 0; f < SLOTS * ROUNDS; f++)
        close_frame(&scene, &frames[f]);
    shw_labeller_destroy(&labeller);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(by_compute)
{
    const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE};

    check(SHW_CHANNELS_WIDE, techniques, 0, 1, false, true);
    check(SHW_CHANNELS_WIDE, techniques, 0, 1, true, true);
    check(SHW_CHANNELS_WIDE, techniques, 5, 1, false, false);
    check(SHW_CHANNELS_WIDE, techniques, 5, 1, true, false);
}

TESTING_CASE(by_fragment)
{
    const enum shw_technique techniques[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT};

    check(SHW_CHANNELS_WINN16, techniques, 0, 1, false, false);
    check(SHW_CHANNELS_WINN16, techniques, 0, 1, true, false);
    check(SHW_CHANNELS_WINN16, techniques, 20, 1, false, false);
    check(SHW_CHANNELS_WINN16, techniques, 20, 1, true, false);
}

TESTING_CASE(by_mixtures)
{
    const enum shw_technique one[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};
    const enum shw_technique other[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};

    check(SHW_CHANNELS_LAB, one, 0, 1, false, false);
    check(SHW_CHANNELS_LAB, one, 0, 1, true, false);
    check(SHW_CHANNELS_LAB, one, 5, 1, false, false);
    check(SHW_CHANNELS_RGB, other, 0, 1, false, false);
    check(SHW_CHANNELS_RGB, other, 0, 1, true, false);
    check(SHW_CHANNELS_RGB, other, 5, 1, true, false);
}

/* Of three classes each of the level below, which has two images of six. */
TESTING_CASE(between_levels)
{
    const enum shw_technique compute[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE};
    const enum shw_technique fragment[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT};
    const enum shw_technique mixed[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE};

    check(SHW_CHANNELS_RGB, compute, 0, 2, false, false);
    check(SHW_CHANNELS_RGB, compute, 5, 2, true, false);
    check(SHW_CHANNELS_RGB, fragment, 0, 2, false, false);
    check(SHW_CHANNELS_RGB, fragment, 5, 2, true, false);
    check(SHW_CHANNELS_RGB, mixed, 5, 3, false, false);
}
