/* Recordings that an engine drops instead of submitting them: what they would have copied to the device is recorded
 * again once the labeller knows. */
#include <string.h>

#include "scene.h"
#include "testing/plugin.h"

enum { WIDTH = 40, HEIGHT = 30, SLOTS = 2, TREES = 5, CLASSES = 6 };

static const struct random_forest_params forest_params = {
    .seed = 6, .channels = SHW_CHANNELS_LAB, .depth = 6, .split_percent = 75, .trees = TREES, .classes = CLASSES};

static struct shw_labeller *open_labeller(struct scene *scene, enum shw_technique technique,
                                          enum shw_technique evaluate, struct shw_forest_room room)
{
    bool custom = evaluate == SHW_TECHNIQUE_CUSTOM;
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params = {
        .forest = scene->forest,
        .device = scene->device,
        .outputs = TESTING_ALL_OUTPUTS,
        .channels = technique,
        .integrate = technique,
        .evaluate = evaluate,
        .custom = {[SHW_STAGE_EVALUATE] = custom ? testing_plugin(EXAMPLE_TECHNIQUE) : NULL},
        .width = WIDTH,
        .height = HEIGHT,
        .slots = SLOTS,
        .room = room,
        .log = testing_log(&scene->memory)};

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    return labeller;
}

static void open_source(struct scene *scene, uint64_t seed, struct frame *frame)
{
    struct testing_random random = {seed};

    open_frame(scene, &kinds[0], testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGBA8, 0), TREES, CLASSES, frame);
}

static void record(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, struct frame *frame)
{
    struct shw_label_targets targets = target_uses(frame, true);

    engine_begin(&scene->engine, &frame->work);
    record_upload(scene, frame);
    assert_int_equal(
        shw_labeller_record(labeller, frame->work.commands, slot, SHW_COLOUR_USE(source_use(frame)), &targets), SHW_OK);
    record_readback(scene, frame, targets.argmax.after.layout);
}

/* Frees the command buffer without submitting it. */
static void drop(struct scene *scene, struct frame *frame)
{
    struct engine *engine = &scene->engine;

    engine->vk.DestroyFence(engine->handle, frame->work.fence, NULL);
    engine->vk.FreeCommandBuffers(engine->handle, engine->pool, 1, &frame->work.commands);
    memset(&frame->work, 0, sizeof frame->work);
}

/* The first recording with a forest is dropped; those of both slots after it are right. The same for a second forest
 * where there is room for one, while a recording with the first is under way in the other slot. */
static void check_drop(enum shw_technique technique, enum shw_technique evaluate, struct shw_forest_room room)
{
    struct random_forest_params second_params = forest_params;
    struct frame frames[SLOTS];
    struct shw_forest *second;
    struct shw_labeller *labeller;
    struct scene scene;

    open_scene(&scene, &forest_params);
    second_params.seed = 7;
    second = random_forest(&second_params);
    labeller = open_labeller(&scene, technique, evaluate, room);
    for (uint32_t s = 0; s < SLOTS; s++)
        open_source(&scene, 20 + s, &frames[s]);
    record(&scene, labeller, 0, &frames[0]);
    drop(&scene, &frames[0]);
    shw_labeller_discard_recordings(labeller);
    for (uint32_t s = 0; s < SLOTS; s++) {
        record(&scene, labeller, s, &frames[s]);
        engine_submit(&scene.engine, &frames[s].work);
    }
    check_frame(&scene, scene.forest, &frames[0]);
    if (room.nodes > 0) {
        assert_int_equal(shw_labeller_set_forest(labeller, second), SHW_OK);
        record(&scene, labeller, 0, &frames[0]);
        drop(&scene, &frames[0]);
        shw_labeller_discard_recordings(labeller);
        record(&scene, labeller, 0, &frames[0]);
        engine_submit(&scene.engine, &frames[0].work);
        check_frame(&scene, second, &frames[0]);
    }
    check_frame(&scene, scene.forest, &frames[1]);
    for (uint32_t s = 0; s < SLOTS; s++)
        close_frame(&scene, &frames[s]);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&second);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(forests_are_copied_again)
{
    const struct shw_forest_room none = {0}, room = {TREES, CLASSES, 1000};

    check_drop(SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, none);
    check_drop(SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, none);
    check_drop(SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CUSTOM, none);
    check_drop(SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, room);
    check_drop(SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, room);
}

/* A labelling whose pieces were dropped cannot go on. */
TESTING_CASE(pieces_begin_again)
{
    struct shw_labelling_progress progress = {0};
    struct shw_label_targets targets;
    struct shw_labeller *labeller;
    struct frame frame;
    struct scene scene;

    open_scene(&scene, &forest_params);
    labeller = open_labeller(&scene, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, (struct shw_forest_room){0});
    open_source(&scene, 30, &frame);
    targets = target_uses(&frame, true);
    engine_begin(&scene.engine, &frame.work);
    record_upload(&scene, &frame);
    assert_int_equal(shw_labeller_record_piece(labeller, frame.work.commands, 0, SHW_COLOUR_USE(source_use(&frame)),
                                               &targets, 0, &progress),
                     SHW_OK);
    drop(&scene, &frame);
    shw_labeller_discard_recordings(labeller);
    engine_begin(&scene.engine, &frame.work);
    record_upload(&scene, &frame);
    assert_int_equal(shw_labeller_record_piece(labeller, frame.work.commands, 0, SHW_COLOUR_USE(source_use(&frame)),
                                               &targets, 0, &progress),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "recordings were discarded"));
    progress = (struct shw_labelling_progress){0};
    while (!progress.finished)
        assert_int_equal(shw_labeller_record_piece(labeller, frame.work.commands, 0, SHW_COLOUR_USE(source_use(&frame)),
                                                   &targets, 0, &progress),
                         SHW_OK);
    record_readback(&scene, &frame, targets.argmax.after.layout);
    engine_submit(&scene.engine, &frame.work);
    check_frame(&scene, scene.forest, &frame);
    close_frame(&scene, &frame);
    shw_labeller_destroy(&labeller);
    close_scene(&scene);
}
