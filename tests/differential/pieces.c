
#include <stdlib.h>

#include "dense/label/labeller.h"
#include "embed/scene.h"
#include "random_label.h"
#include "testing/cases.h"
#include "testing/device.h"

enum { PIECES_MAX = 40, SLOTS_MAX = 3 };

static struct scene scene;

/* A labelling under way in a slot. */
struct labelling {
    struct frame frame;
    struct shw_image_use source;
    struct shw_label_targets targets;
    struct shw_labelling_progress progress;
    uint64_t whole, least; /* work: of all pieces, of one */
    uint32_t slot;
    bool begun;
};

/* The picture of a slot; the labeller has room for the largest. */
static void open_random_frame(struct testing_random *random, struct shw_labeller_params *params,
                              struct labelling *labelling)
{
    const struct source_kind *kind = &kinds[testing_random_below(random, sizeof kinds / sizeof *kinds)];
    const struct shw_forest_info *info = shw_forest_get_info(params->forest);
    struct shw_image image = random_picture(random, kind->pixel, 0);

    open_frame(&scene, kind, image, info->tree_count, info->class_count, &labelling->frame);
    params->width = image.width > params->width ? image.width : params->width;
    params->height = image.height > params->height ? image.height : params->height;
}

static void begin(struct shw_labeller *labeller, uint32_t slot, struct labelling *labelling)
{
    uint64_t work[SHW_STAGE_COUNT];

    labelling->slot = slot;
    labelling->source = source_use(&labelling->frame);
    labelling->targets = target_uses(&labelling->frame, true);
    assert_int_equal(
        shw_labeller_get_work(labeller, slot, SHW_COLOUR_USE(labelling->source), &labelling->targets, work), SHW_OK);
    labelling->whole = work[0] + work[1] + work[2];
    labelling->least = labelling->whole / PIECES_MAX + 1;
}

static void record_piece(struct testing_random *random, struct shw_labeller *labeller, struct labelling *labelling)
{
    uint64_t before = labelling->progress.work, wanted = labelling->least * random_size(random, PIECES_MAX);
    struct frame *frame = &labelling->frame;

    if (random_chance(random, 20))
        wanted = random_chance(random, 50) ? 0 : random_size(random, 4);
    engine_begin(&scene.engine, &frame->work);
    if (!labelling->begun)
        record_upload(&scene, frame);
    assert_int_equal(shw_labeller_record_piece(labeller, frame->work.commands, labelling->slot,
                                               SHW_COLOUR_USE(labelling->source), &labelling->targets, wanted,
                                               &labelling->progress),
                     SHW_OK);
    assert_true(labelling->progress.work > before);
    if (labelling->progress.finished)
        record_readback(&scene, frame, labelling->targets.argmax.after.layout);
    engine_submit(&scene.engine, &frame->work);
    if (!labelling->progress.finished)
        engine_wait(&scene.engine, &frame->work);
    labelling->begun = true;
}

/* The slot whose piece comes next: any, or where slots share their scratch memory, the first that is not finished. */
static struct labelling *choose(struct testing_random *random, const struct shw_labeller_params *params,
                                struct labelling *labellings)
{
    uint32_t slot = params->scratch_per_slot ? testing_random_below(random, params->slots) : 0;

    while (labellings[slot].progress.finished)
        slot = (slot + 1) % params->slots;
    return &labellings[slot];
}

/* With storage buffers of half a frame's planes or less, if tiles of that size can do it, or else of the least power of
 * two more. Forests need storage buffers as well. */
static void open_tiled_labeller(struct testing_random *random, const struct shw_labeller_params *params,
                                struct shw_labeller **labeller)
{
    const struct shw_forest_info *info = shw_forest_get_info(params->forest);
    uint32_t *most = &scene.device->properties.limits.maxStorageBufferRange, kept = *most;
    uint64_t planes =
        info->tree_count > info->channel_list->channel_count ? info->tree_count : info->channel_list->channel_count;
    uint64_t range = 4 * planes * (params->width + 2) * (params->height + 1) / (2 + testing_random_below(random, 5));
    enum shw_result result = SHW_ERROR_LIMIT;

    for (range = range < 256 ? 256 : range; result == SHW_ERROR_LIMIT && range < kept; range *= 2) {
        *most = (uint32_t)range;
        result = shw_labeller_create(params, labeller);
    }
    *most = kept;
    if (result == SHW_ERROR_LIMIT)
        result = shw_labeller_create(params, labeller);
    assert_int_equal(result, SHW_OK);
    testing_describe(" tiles %s;", shw_labeller_tiles_recordings(*labeller) ? "of recordings" : "not needed");
}

/* The pieces of all slots in turn. */
static void label_in_slots(struct testing_random *random, struct shw_labeller_params *params)
{
    struct labelling labellings[SLOTS_MAX] = {0};
    struct shw_labeller *labeller = NULL;
    uint32_t left = params->slots;

    for (uint32_t s = 0; s < params->slots; s++)
        open_random_frame(random, params, &labellings[s]);
    params->width += testing_random_below(random, 9);
    params->height += testing_random_below(random, 9);
    testing_describe(" in %u slots, scratch %s, for %ux%u;", params->slots,
                     params->scratch_per_slot ? "per slot" : "shared", params->width, params->height);
    if (random_chance(random, 40))
        open_tiled_labeller(random, params, &labeller);
    else
        assert_int_equal(shw_labeller_create(params, &labeller), SHW_OK);
    for (uint32_t s = 0; s < params->slots; s++)
        begin(labeller, s, &labellings[s]);
    while (left > 0) {
        struct labelling *next = choose(random, params, labellings);
        record_piece(random, labeller, next);
        left -= next->progress.finished;
    }
    for (uint32_t s = 0; s < params->slots; s++) {
        assert_true(labellings[s].progress.work == labellings[s].whole);
        check_frame(&scene, params->forest, &labellings[s].frame);
    }
    shw_labeller_destroy(&labeller);
    for (uint32_t s = 0; s < params->slots; s++)
        close_frame(&scene, &labellings[s].frame);
}

static void pieces_agree_in_a_case(uint64_t seed)
{
    struct testing_random random = {seed ^ 0x5eed};
    struct shw_labeller_params params = {.device = scene.device, .outputs = TESTING_ALL_OUTPUTS};
    struct random_shape shape;
    struct testing_log memory;

    do { /* the engine's sources are colour alone */
        shw_forest_destroy(&scene.forest);
        random_shape_make(&random, &shape);
        params.forest = scene.forest = random_forest(&shape.params);
    } while (shw_forest_get_input(scene.forest, 1) != NULL);
    params.log = testing_log(&memory);
    random_mixture(&random, false, &params);
    params.slots = 1 + testing_random_below(&random, SLOTS_MAX);
    params.scratch_per_slot = random_chance(&random, 50);
    label_in_slots(&random, &params);
}

TESTING_CASE_WITH(pieces_agree, NULL, testing_sweep_teardown)
{
    const struct random_forest_params leaf = {.seed = 1};

    open_scene(&scene, &leaf);
    testing_sweep(&(struct testing_sweep){
        .name = "pieces", .usual = testing_is_slow() ? 30 : 12, .sanitized = 6, .run = pieces_agree_in_a_case});
    close_scene(&scene);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
