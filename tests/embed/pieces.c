/* Labelling in pieces, each in a command buffer of its own: the results of one recording, however it is cut. */
#include <stdlib.h>
#include <string.h>

#include "host_allocations.h"
#include "scene.h"
#include "testing/plugin.h"

enum { WIDTH = 130, HEIGHT = 70, SLOTS = 2, TREES = 5, CLASSES = 6, PIECES_MAX = 4000 };

static const struct random_forest_params forest_params = {
    .seed = 4, .channels = SHW_CHANNELS_WIDE, .depth = 6, .split_percent = 75, .trees = TREES, .classes = CLASSES};

/* `apart`: the slots have scratch memory of their own, so that their pieces can take turns. */
static struct shw_labeller *open_labeller(struct scene *scene, const enum shw_technique techniques[3], bool apart)
{
    bool custom = techniques[2] == SHW_TECHNIQUE_CUSTOM;
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params = {
        .forest = scene->forest,
        .device = scene->device,
        .outputs = TESTING_ALL_OUTPUTS,
        .channels = techniques[0],
        .integrate = techniques[1],
        .evaluate = techniques[2],
        .custom = {[SHW_STAGE_EVALUATE] = custom ? testing_plugin(EXAMPLE_TECHNIQUE) : NULL},
        .width = WIDTH,
        .height = HEIGHT,
        .slots = SLOTS,
        .scratch_per_slot = apart,
        .log = testing_log(&scene->memory)};

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    return labeller;
}

/* One labelling under way. */
struct labelling {
    struct frame frame;
    struct shw_image_use source;
    struct shw_label_targets targets;
    struct shw_labelling_progress progress;
    uint32_t slot, count;
    enum shw_stage last_stage;
};

static void begin(struct scene *scene, uint32_t slot, uint64_t seed, uint32_t width, uint32_t height,
                  struct labelling *labelling)
{
    struct testing_random random = {seed};

    memset(labelling, 0, sizeof *labelling);
    open_frame(scene, &kinds[seed % 5], testing_image(&random, width, height, kinds[seed % 5].pixel, 0), TREES, CLASSES,
               &labelling->frame);
    labelling->slot = slot;
    labelling->source = source_use(&labelling->frame);
    labelling->targets = target_uses(&labelling->frame, true);
}

/* Records and submits one piece, and waits for it: the frame's command buffer serves again. */
static void run_piece(struct scene *scene, struct shw_labeller *labeller, uint64_t work, struct labelling *labelling)
{
    struct shw_labelling_progress before = labelling->progress;
    struct frame *frame = &labelling->frame;
    unsigned host, device;

    engine_begin(&scene->engine, &frame->work);
    if (before.work == 0)
        record_upload(scene, frame);
    host = host_allocations();
    device = scene->counts.allocated;
    assert_int_equal(shw_labeller_record_piece(labeller, frame->work.commands, labelling->slot,
                                               SHW_COLOUR_USE(labelling->source), &labelling->targets, work,
                                               &labelling->progress),
                     SHW_OK);
    assert_int_equal(host_allocations(), host);
    assert_int_equal(scene->counts.allocated, device);
    assert_true(labelling->progress.work > before.work);
    assert_true(labelling->progress.stage >= before.stage);
    labelling->count++;
    if (labelling->progress.finished)
        record_readback(scene, frame, labelling->targets.argmax.after.layout);
    engine_submit(&scene->engine, &frame->work);
    if (!labelling->progress.finished)
        engine_wait(&scene->engine, &frame->work);
}

static uint64_t total_work(struct shw_labeller *labeller, const struct labelling *labelling)
{
    uint64_t work[SHW_STAGE_COUNT];

    assert_int_equal(shw_labeller_get_work(labeller, 0, SHW_COLOUR_USE(labelling->source), &labelling->targets, work),
                     SHW_OK);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        assert_true(work[s] > 0);
    return work[0] + work[1] + work[2];
}

/* Two labellings, which take turns if they are `apart`, each piece of a random size; `most` is about the largest, as a
 * part of the whole. */
static void check_pieces_of(const enum shw_technique techniques[3], uint32_t most, bool apart)
{
    struct labelling labellings[SLOTS];
    struct testing_random random = {most};
    struct shw_labeller *labeller;
    struct scene scene;

    open_scene(&scene, &forest_params);
    labeller = open_labeller(&scene, techniques, apart);
    begin(&scene, 0, 7 + most, WIDTH, HEIGHT, &labellings[0]);
    begin(&scene, 1, 8 + most, 51, 67, &labellings[1]);
    for (uint32_t turn = 0; !labellings[0].progress.finished || !labellings[1].progress.finished; turn++) {
        struct labelling *labelling = &labellings[apart ? turn % SLOTS : labellings[0].progress.finished];
        uint64_t largest = total_work(labeller, labelling) / most;
        assert_true(turn < PIECES_MAX);
        if (!labelling->progress.finished)
            run_piece(&scene, labeller, 1 + testing_random_next(&random) % largest, labelling);
    }
    for (uint32_t s = 0; s < SLOTS; s++) {
        assert_true(labellings[s].progress.work == total_work(labeller, &labellings[s]));
        if (techniques[2] != SHW_TECHNIQUE_CUSTOM)
            assert_true(labellings[s].count > most / 2);
        check_frame(&scene, scene.forest, &labellings[s].frame);
        close_frame(&scene, &labellings[s].frame);
    }
    assert_int_equal(scene.memory.errors, 0);
    shw_labeller_destroy(&labeller);
    close_scene(&scene);
}

static void check_pieces(const enum shw_technique techniques[3], uint32_t most)
{
    check_pieces_of(techniques, most, true);
    check_pieces_of(techniques, most, false);
}

TESTING_CASE(by_fragment)
{
    const enum shw_technique techniques[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT};

    check_pieces(techniques, 10);
    check_pieces(techniques, 90);
}

TESTING_CASE(by_compute)
{
    const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE};

    check_pieces(techniques, 10);
    check_pieces(techniques, 60);
}

TESTING_CASE(by_mixtures)
{
    const enum shw_technique one[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};
    const enum shw_technique other[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
    const enum shw_technique custom[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CUSTOM};

    check_pieces(one, 20);
    check_pieces(other, 20);
    check_pieces(custom, 20);
}

/* Pieces of no given size are stages. */
TESTING_CASE(three_pieces_are_the_stages)
{
    const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE};
    struct shw_labeller *labeller;
    struct labelling labelling;
    uint64_t work[SHW_STAGE_COUNT], done = 0;
    struct scene scene;

    open_scene(&scene, &forest_params);
    labeller = open_labeller(&scene, techniques, false);
    begin(&scene, 0, 3, WIDTH, HEIGHT, &labelling);
    assert_int_equal(shw_labeller_get_work(labeller, 0, SHW_COLOUR_USE(labelling.source), &labelling.targets, work),
                     SHW_OK);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++) {
        assert_int_equal(labelling.progress.stage, s);
        assert_false(labelling.progress.finished);
        run_piece(&scene, labeller, s == 1 ? UINT64_MAX : 0, &labelling);
        done += work[s];
        assert_true(labelling.progress.work == done);
    }
    assert_true(labelling.progress.finished);
    check_frame(&scene, scene.forest, &labelling.frame);
    close_frame(&scene, &labelling.frame);
    shw_labeller_destroy(&labeller);
    close_scene(&scene);
}

TESTING_CASE(wrong_pieces_are_refused)
{
    const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE};
    struct shw_forest *other = random_forest(&forest_params);
    struct shw_labeller *labeller;
    struct labelling labelling, other_slot;
    struct scene scene;

    open_scene(&scene, &forest_params);
    labeller = open_labeller(&scene, techniques, false);
    begin(&scene, 0, 3, WIDTH, HEIGHT, &labelling);
    labelling.progress.finished = true;
    assert_int_equal(shw_labeller_record_piece(labeller, VK_NULL_HANDLE, 0, SHW_COLOUR_USE(labelling.source),
                                               &labelling.targets, 0, &labelling.progress),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "is finished"));
    assert_int_equal(shw_labeller_record_piece(labeller, VK_NULL_HANDLE, SLOTS, SHW_COLOUR_USE(labelling.source),
                                               &labelling.targets, 0, &(struct shw_labelling_progress){0}),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "there is no slot 2"));
    labelling.progress.finished = false;
    run_piece(&scene, labeller, 0, &labelling);
    assert_int_equal(shw_labeller_set_forest(labeller, other), SHW_OK);
    assert_int_equal(shw_labeller_record_piece(labeller, VK_NULL_HANDLE, 0, SHW_COLOUR_USE(labelling.source),
                                               &labelling.targets, 0, &labelling.progress),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "the forest has changed"));
    assert_int_equal(scene.memory.errors, 3);
    labelling.progress = (struct shw_labelling_progress){0};
    labelling.targets = target_uses(&labelling.frame, true);
    run_piece(&scene, labeller, 0, &labelling);
    begin(&scene, 1, 4, WIDTH, HEIGHT, &other_slot);
    run_piece(&scene, labeller, 0, &other_slot);
    assert_int_equal(shw_labeller_record_piece(labeller, VK_NULL_HANDLE, 0, SHW_COLOUR_USE(labelling.source),
                                               &labelling.targets, 0, &labelling.progress),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "another labelling was begun in the same memory"));
    assert_int_equal(shw_labeller_record_piece(labeller, VK_NULL_HANDLE, 0, SHW_COLOUR_USE(other_slot.source),
                                               &other_slot.targets, 0, &other_slot.progress),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "was begun in slot 1, not 0"));
    close_frame(&scene, &labelling.frame);
    begin(&scene, 1, 4, WIDTH - 1, HEIGHT, &labelling);
    assert_int_equal(shw_labeller_record_piece(labeller, VK_NULL_HANDLE, 1, SHW_COLOUR_USE(labelling.source),
                                               &labelling.targets, 0, &other_slot.progress),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "was begun with"));
    close_frame(&scene, &other_slot.frame);
    assert_int_equal(scene.memory.last_item, SHW_LOG_ARGUMENT);
    close_frame(&scene, &labelling.frame);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&other);
    close_scene(&scene);
}
