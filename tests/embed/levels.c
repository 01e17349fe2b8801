/* Forests of several levels in somebody else's frame: one recording for all levels, with any technique, in slots, in
 * tiles and in pieces, with another forest, and in as much memory as was said. */
#include <stdlib.h>
#include <string.h>

#include "dense/label/labeller.h"
#include "scene.h"

enum { WIDTH = 60, HEIGHT = 44, SLOTS = 2, FRAMES = 4, TREES = 3, CLASSES = 7 };

static struct random_forest_params forest_of(uint32_t levels, uint32_t smoothing)
{
    return (struct random_forest_params){.seed = 30 + levels,
                                         .channels = "rgb,log:1",
                                         .depth = 6,
                                         .split_percent = 80,
                                         .trees = TREES,
                                         .classes = CLASSES,
                                         .offset_max = 6,
                                         .size_max = 5,
                                         .smoothing = {.radius = smoothing},
                                         .levels = levels};
}

static struct shw_labeller_params params_of(struct scene *scene, const enum shw_technique techniques[SHW_STAGE_COUNT])
{
    return (struct shw_labeller_params){.forest = scene->forest,
                                        .device = scene->device,
                                        .outputs = TESTING_ALL_OUTPUTS,
                                        .channels = techniques[0],
                                        .integrate = techniques[1],
                                        .evaluate = techniques[2],
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .slots = SLOTS,
                                        .threads = 1,
                                        .log = testing_log(&scene->memory)};
}

static void open_image(struct scene *scene, uint32_t number, uint32_t width, uint32_t height, struct frame *frame)
{
    struct testing_random random = {100 + number};
    const struct source_kind *kind = &kinds[number % 5];

    open_frame(scene, kind, testing_image(&random, width, height, kind->pixel, 0), TREES, CLASSES, frame);
}

/* `piece`: work at once; 0: everything. */
static void run_frame(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, struct frame *frame,
                      uint64_t piece)
{
    struct shw_image_use source = source_use(frame);
    struct shw_label_targets targets = target_uses(frame, true);

    engine_begin(&scene->engine, &frame->work);
    record_upload(scene, frame);
    record_labelling(labeller, frame->work.commands, slot, SHW_COLOUR_USE(source), &targets, piece);
    record_readback(scene, frame, targets.argmax.after.layout);
    engine_submit(&scene->engine, &frame->work);
}

/* Frames of several sizes in alternating slots. */
static void check_frames(struct scene *scene, struct shw_labeller *labeller, uint64_t piece)
{
    static const uint32_t sizes[FRAMES][2] = {{WIDTH, HEIGHT}, {33, 21}, {WIDTH - 1, 2}, {1, 1}};
    struct frame frames[FRAMES];

    for (uint32_t f = 0; f < FRAMES; f++)
        open_image(scene, f, sizes[f][0], sizes[f][1], &frames[f]);
    for (uint32_t f = 0; f < FRAMES; f++) {
        if (f >= SLOTS)
            check_frame(scene, scene->forest, &frames[f - SLOTS]);
        run_frame(scene, labeller, f % SLOTS, &frames[f], piece);
    }
    for (uint32_t f = FRAMES - SLOTS; f < FRAMES; f++)
        check_frame(scene, scene->forest, &frames[f]);
    for (uint32_t f = 0; f < FRAMES; f++)
        close_frame(scene, &frames[f]);
}

static void check_levels(uint32_t levels, uint32_t smoothing, const enum shw_technique techniques[SHW_STAGE_COUNT],
                         bool apart, uint64_t piece)
{
    const struct random_forest_params forest = forest_of(levels, smoothing);
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params;
    struct shw_labeller_memory said;
    struct scene scene;

    open_scene(&scene, &forest);
    params = params_of(&scene, techniques);
    params.scratch_per_slot = apart;
    assert_int_equal(shw_labeller_get_memory(&params, &said), SHW_OK);
    assert_int_equal(scene.counts.allocated, 0);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_true(scene.counts.bytes == said.bytes && scene.counts.mapped_bytes == said.mapped_bytes);
    assert_int_equal(scene.counts.allocated, said.allocations);
    check_frames(&scene, labeller, piece);
    shw_labeller_destroy(&labeller);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

static const enum shw_technique compute[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
                                fragment[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT},
                                one[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
                                other[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT};

TESTING_CASE(by_compute)
{
    check_levels(2, 0, compute, false, 0);
    check_levels(3, 4, compute, true, 0);
}

TESTING_CASE(by_fragment)
{
    check_levels(2, 0, fragment, false, 0);
    check_levels(3, 4, fragment, true, 0);
}

TESTING_CASE(by_mixtures_in_pieces)
{
    check_levels(2, 4, one, false, 150000);
    check_levels(2, 0, other, true, 20000);
}

/* Both levels are cut, and the images between them are whole. */
TESTING_CASE(in_tiles)
{
    const struct random_forest_params forest = forest_of(2, 3);

    for (int way = 0; way < 2; way++) {
        struct shw_labeller *labeller = NULL;
        struct shw_labeller_params params;
        struct frame frame;
        struct scene scene;
        uint32_t *most, before;
        open_scene(&scene, &forest);
        params = params_of(&scene, way == 0 ? compute
                                            : (const enum shw_technique[]){SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE,
                                                                           SHW_TECHNIQUE_FRAGMENT});
        params.width = 131;
        params.height = 120;
        most = &scene.device->properties.limits.maxStorageBufferRange;
        before = *most;
        *most = 4u * 13 * 10000;
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        assert_true(shw_labeller_tiles_recordings(labeller));
        *most = before;
        open_image(&scene, 0, 131, 120, &frame);
        for (uint64_t piece = 0; piece <= 1000000; piece += 1000000) {
            run_frame(&scene, labeller, 0, &frame, piece);
            check_frame(&scene, scene.forest, &frame);
        }
        close_frame(&scene, &frame);
        shw_labeller_destroy(&labeller);
        assert_int_equal(scene.memory.errors, 0);
        close_scene(&scene);
    }
}

/* Another forest takes the place of all levels; without room, their memory is made anew. */
TESTING_CASE(forests_are_replaced)
{
    const struct random_forest_params forest = forest_of(2, 0);
    struct random_forest_params more = forest;
    struct shw_forest *other_forest, *own;
    struct shw_labeller_params params;
    struct scene scene;

    more.seed = 99;
    more.depth = 7;
    other_forest = random_forest(&more);
    open_scene(&scene, &forest);
    own = scene.forest;
    for (int with_room = 0; with_room < 2; with_room++) {
        struct shw_labeller *labeller = NULL;
        unsigned allocated;
        params = params_of(&scene, one);
        if (with_room)
            params.room = (struct shw_forest_room){TREES, CLASSES, 20000};
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        check_frames(&scene, labeller, 0);
        assert_int_equal(shw_labeller_has_room(labeller, other_forest), with_room);
        allocated = scene.counts.allocated;
        assert_int_equal(shw_labeller_set_forest(labeller, other_forest), SHW_OK);
        assert_int_equal(scene.counts.allocated == allocated, with_room);
        scene.forest = other_forest;
        check_frames(&scene, labeller, 0);
        shw_labeller_discard_recordings(labeller);
        check_frames(&scene, labeller, 0);
        scene.forest = own;
        shw_labeller_destroy(&labeller);
    }
    assert_int_equal(scene.memory.errors, 0);
    shw_forest_destroy(&other_forest);
    close_scene(&scene);
}
