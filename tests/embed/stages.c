/* Stages and accesses of 64 bits, which engines with the feature synchronization2 state, and 0 for none; without it
 * they are refused. */
#include <string.h>

#include "scene.h"
#include "vulkan/commands.h"

enum { WIDTH = 33, HEIGHT = 21, TREES = 2, CLASSES = 3 };

static const struct random_forest_params forest_params = {
    .seed = 11, .channels = SHW_CHANNELS_RGB, .depth = 5, .trees = TREES, .classes = CLASSES};

static void open(struct scene *scene, struct frame *frame, struct shw_labeller **labeller, enum shw_technique technique)
{
    struct shw_labeller_params params = {.outputs = TESTING_ALL_OUTPUTS,
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .slots = 1};
    struct testing_random random = {7};

    open_frame(scene, &kinds[0], testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGBA8, 0), TREES, CLASSES, frame);
    params.device = scene->device;
    params.forest = scene->forest;
    params.log = testing_log(&scene->memory);
    assert_int_equal(shw_labeller_create(&params, labeller), SHW_OK);
}

/* Uses by copies alone, which 32 bits cannot say. */
static void narrow_to_copies(struct shw_image_use *use, bool fresh)
{
    use->before.stages = fresh ? VK_PIPELINE_STAGE_2_NONE : VK_PIPELINE_STAGE_2_COPY_BIT;
    use->after.stages = VK_PIPELINE_STAGE_2_COPY_BIT;
}

static void check_labels(enum shw_technique technique)
{
    struct shw_labeller *labeller;
    struct shw_label_targets targets;
    struct shw_image_use source;
    struct shw_buffer codes;
    struct scene scene;
    struct frame frame;

    if (!open_scene_synchronized(&scene, &forest_params)) {
        close_scene(&scene);
        testing_abandon("the device lacks synchronization2");
    }
    open(&scene, &frame, &labeller, technique);
    assert_int_equal(shw_buffer_create(scene.device, 2 * WIDTH * HEIGHT, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_READBACK, "codes", &codes),
                     SHW_OK);
    source = source_use(&frame);
    narrow_to_copies(&source, false);
    targets = target_uses(&frame, true);
    narrow_to_copies(&targets.tree_leaf, true);
    narrow_to_copies(&targets.forest_leaves, true);
    narrow_to_copies(&targets.distribution, true);
    narrow_to_copies(&targets.argmax, true);
    targets.buffers.argmax = (struct shw_buffer_use){
        .buffer = codes.handle,
        .before = {VK_PIPELINE_STAGE_2_NONE, VK_ACCESS_2_NONE},
        .after = {VK_PIPELINE_STAGE_2_HOST_BIT | VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_HOST_READ_BIT}};
    engine_begin(&scene.engine, &frame.work);
    record_upload(&scene, &frame);
    assert_int_equal(shw_labeller_record(labeller, frame.work.commands, 0, SHW_COLOUR_USE(source), &targets), SHW_OK);
    record_readback(&scene, &frame, targets.argmax.after.layout);
    engine_submit(&scene.engine, &frame.work);
    check_frame(&scene, scene.forest, &frame);
    assert_memory_equal(codes.mapped, frame.back[3].mapped, 2 * WIDTH * HEIGHT);
    shw_buffer_destroy(scene.device, &codes);
    shw_labeller_destroy(&labeller);
    close_frame(&scene, &frame);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(labels_by_compute)
{
    check_labels(SHW_TECHNIQUE_COMPUTE);
}

TESTING_CASE(labels_by_fragment)
{
    check_labels(SHW_TECHNIQUE_FRAGMENT);
}

/* Barriers of memory and of a buffer, between copies that need them: synchronisation validation sees that. */
TESTING_CASE(barriers_order_copies)
{
    const struct shw_use copied = {.stages = VK_PIPELINE_STAGE_2_COPY_BIT, .access = VK_ACCESS_2_TRANSFER_WRITE_BIT},
                         copying = {.stages = VK_PIPELINE_STAGE_2_COPY_BIT, .access = VK_ACCESS_2_TRANSFER_READ_BIT};
    const VkBufferCopy first = {0, 4, 4}, second = {4, 8, 4}, third = {8, 12, 4};
    struct engine_frame frame;
    struct shw_buffer words;
    struct scene scene;

    if (!open_scene_synchronized(&scene, &forest_params)) {
        close_scene(&scene);
        testing_abandon("the device lacks synchronization2");
    }
    assert_int_equal(shw_buffer_create(scene.device, 16,
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_READBACK, "words", &words),
                     SHW_OK);
    memcpy(words.mapped, (const uint32_t[4]){42}, 16);
    engine_begin(&scene.engine, &frame);
    scene.engine.vk.CmdCopyBuffer(frame.commands, words.handle, words.handle, 1, &first);
    shw_memory_barrier(scene.device, frame.commands, copied, copying);
    scene.engine.vk.CmdCopyBuffer(frame.commands, words.handle, words.handle, 1, &second);
    shw_buffer_barrier(scene.device, frame.commands, words.handle, copied, copying);
    scene.engine.vk.CmdCopyBuffer(frame.commands, words.handle, words.handle, 1, &third);
    shw_memory_barrier(scene.device, frame.commands, copied, shw_use_host_read);
    engine_submit(&scene.engine, &frame);
    engine_wait(&scene.engine, &frame);
    assert_memory_equal(words.mapped, ((const uint32_t[4]){42, 42, 42, 42}), 16);
    shw_buffer_destroy(scene.device, &words);
    close_scene(&scene);
}

static void refused(struct scene *scene, struct shw_labeller *labeller, const struct frame *frame,
                    struct shw_image_use source, struct shw_label_targets targets, const char *why)
{
    const unsigned errors = scene->memory.errors;

    assert_int_equal(shw_labeller_record(labeller, frame->work.commands, 0, SHW_COLOUR_USE(source), &targets),
                     SHW_ERROR_ARGUMENT);
    assert_int_equal(scene->memory.errors, errors + 1);
    if (strstr(scene->memory.last, why) == NULL)
        fail_msg("'%s' does not say '%s'", scene->memory.last, why);
}

TESTING_CASE(without_the_feature_they_are_refused)
{
    static const char wide[] = "need the feature synchronization2", none[] = "must be given";
    struct shw_labeller *labeller;
    struct shw_label_targets targets, changed;
    struct shw_image_use source, other;
    struct scene scene;
    struct frame frame;

    open_scene(&scene, &forest_params);
    open(&scene, &frame, &labeller, SHW_TECHNIQUE_COMPUTE);
    source = other = source_use(&frame);
    targets = changed = target_uses(&frame, true);
    other.before.stages = VK_PIPELINE_STAGE_2_COPY_BIT;
    refused(&scene, labeller, &frame, other, targets, wide);
    other = source;
    other.after.access |= VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
    refused(&scene, labeller, &frame, other, targets, wide);
    other = source;
    other.before.stages = 0;
    refused(&scene, labeller, &frame, other, targets, none);
    changed.argmax.after.stages |= VK_PIPELINE_STAGE_2_BLIT_BIT;
    refused(&scene, labeller, &frame, source, changed, wide);
    changed = targets;
    changed.argmax.image = VK_NULL_HANDLE;
    changed.buffers.argmax = (struct shw_buffer_use){.buffer = frame.back[3].handle,
                                                     .before = {VK_PIPELINE_STAGE_TRANSFER_BIT, 0},
                                                     .after = {VK_PIPELINE_STAGE_2_CLEAR_BIT, 0}};
    refused(&scene, labeller, &frame, source, changed, wide);
    changed.buffers.argmax.after.stages = 0;
    refused(&scene, labeller, &frame, source, changed, none);
    shw_labeller_destroy(&labeller);
    close_frame(&scene, &frame);
    close_scene(&scene);
}
