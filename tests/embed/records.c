/* Records in the engine's buffers and command buffers: two frames in flight, paddings and strides, pieces. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "host_allocations.h"
#include "records/evaluate/device.h"
#include "testing/record_forests.h"

enum { SLOTS = 2, FRAMES = 5, COUNT = 150, OFFSET = 256, GUARD = 0x77 };

/* How an engine has laid out a frame's records. */
static const struct layout {
    uint32_t record_padding; /* further attributes, which are not read */
    bool columns;            /* an attribute's values are next to each other */
    bool has_missing;
    bool classes, sums, leaves;
} layouts[FRAMES] = {{0, false, false, true, true, true},
                     {3, false, true, true, false, false},
                     {0, true, false, false, true, false},
                     {1, false, false, false, false, true},
                     {2, true, true, true, true, false}};

/* What a frame owns. */
struct shot {
    const struct layout *layout;
    struct engine_frame work;
    struct shw_buffer upload, records, results, back;
    struct shw_record_source source;
    struct shw_record_target target;
    struct plain_results expected;
};

struct rig {
    struct scene scene;
    struct shw_record_forest *forest;
    const struct shw_record_forest_info *info;
    struct shw_record_evaluator *evaluator;
};

static VkDeviceSize align(VkDeviceSize size)
{
    return (size + OFFSET - 1) / OFFSET * OFFSET;
}

/* Places a result behind the others, with guard bytes after it. */
static struct shw_record_target_buffer place(const struct shot *shot, bool wanted, VkDeviceSize bytes, VkDeviceSize *at)
{
    struct shw_record_target_buffer placed = {wanted ? shot->results.handle : VK_NULL_HANDLE, wanted ? *at : 0};

    *at += align(bytes + 1);
    return placed;
}

static void place_results(const struct rig *rig, struct shot *shot)
{
    VkDeviceSize at = OFFSET;

    shot->target = (struct shw_record_target){.before_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                              .before_access = VK_ACCESS_TRANSFER_WRITE_BIT,
                                              .after_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                              .after_access = VK_ACCESS_TRANSFER_READ_BIT};
    shot->target.classes = place(shot, shot->layout->classes, 4 * COUNT, &at);
    shot->target.sums = place(shot, shot->layout->sums, 8 * COUNT * rig->info->output_count, &at);
    shot->target.leaves = place(shot, shot->layout->leaves, 4 * COUNT * rig->info->tree_count, &at);
}

static VkDeviceSize result_bytes(const struct rig *rig)
{
    return OFFSET + align(4 * COUNT + 1) + align(8 * COUNT * rig->info->output_count + 1) +
           align(4 * COUNT * rig->info->tree_count + 1);
}

/* Fills the upload buffer and works out what is expected. */
static void fill(const struct rig *rig, struct shot *shot, uint64_t seed)
{
    static const float missing = 0.5f;
    const struct shw_record_source *source = &shot->source;
    float *values = random_records(rig->forest, COUNT, seed), *to = (float *)shot->upload.mapped + OFFSET / 4;
    uint32_t attributes = rig->info->attribute_count;

    memset(shot->upload.mapped, 0xff, shot->upload.size); /* NaN, which would be missing */
    for (uint32_t r = 0; r < COUNT; r++)
        for (uint32_t a = 0; a < attributes; a++)
            to[r * source->record_stride + a * source->attribute_stride] =
                shot->layout->has_missing && (r + a) % 5 == 0 ? missing : values[r * attributes + a];
    shot->expected = plain_evaluate(rig->forest, to, COUNT, source->record_stride, source->attribute_stride,
                                    shot->layout->has_missing ? &missing : NULL);
    shot->source.missing = missing;
    free(values);
}

static void open_shot(struct rig *rig, uint32_t number, struct shot *shot)
{
    const struct layout *layout = &layouts[number];
    uint32_t width = rig->info->attribute_count + layout->record_padding;
    VkDeviceSize size = OFFSET + sizeof(float) * COUNT * width;
    struct shw_device *device = rig->scene.device;

    *shot = (struct shot){.layout = layout};
    assert_int_equal(shw_buffer_create(device, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD,
                                       "engine records", &shot->upload),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(device, size,
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                       SHW_MEMORY_DEVICE, "engine records", &shot->records),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(device, result_bytes(rig),
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                       SHW_MEMORY_DEVICE, "engine results", &shot->results),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(device, result_bytes(rig), VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK,
                                       "engine results", &shot->back),
                     SHW_OK);
    shot->source = (struct shw_record_source){.buffer = shot->records.handle,
                                              .offset = OFFSET,
                                              .count = COUNT,
                                              .attribute_count = width,
                                              .record_stride = layout->columns ? 1 : width,
                                              .attribute_stride = layout->columns ? COUNT : 1,
                                              .has_missing = layout->has_missing,
                                              .before_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                              .before_access = VK_ACCESS_TRANSFER_WRITE_BIT};
    place_results(rig, shot);
    fill(rig, shot, number);
}

static void close_shot(struct rig *rig, struct shot *shot)
{
    shw_buffer_destroy(rig->scene.device, &shot->upload);
    shw_buffer_destroy(rig->scene.device, &shot->records);
    shw_buffer_destroy(rig->scene.device, &shot->results);
    shw_buffer_destroy(rig->scene.device, &shot->back);
    plain_results_free(&shot->expected);
}

static void begin(struct rig *rig, struct shot *shot)
{
    const struct shw_vk *vk = &rig->scene.engine.vk;
    const VkBufferCopy copy = {.size = shot->upload.size};

    engine_begin(&rig->scene.engine, &shot->work);
    vk->CmdCopyBuffer(shot->work.commands, shot->upload.handle, shot->records.handle, 1, &copy);
    vk->CmdFillBuffer(shot->work.commands, shot->results.handle, 0, VK_WHOLE_SIZE, GUARD * 0x01010101u);
}

static void submit(struct rig *rig, struct shot *shot)
{
    const struct shw_vk *vk = &rig->scene.engine.vk;
    const VkBufferCopy copy = {.size = shot->results.size};
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};

    vk->CmdCopyBuffer(shot->work.commands, shot->results.handle, shot->back.handle, 1, &copy);
    vk->CmdPipelineBarrier(shot->work.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                           &barrier, 0, NULL, 0, NULL);
    engine_submit(&rig->scene.engine, &shot->work);
}

static void record(struct rig *rig, uint32_t slot, struct shot *shot)
{
    unsigned host, device;

    begin(rig, shot);
    host = host_allocations();
    device = rig->scene.counts.allocated;
    assert_int_equal(
        shw_record_evaluator_record(rig->evaluator, shot->work.commands, slot, &shot->source, &shot->target), SHW_OK);
    assert_int_equal(host_allocations(), host);
    assert_int_equal(rig->scene.counts.allocated, device);
    submit(rig, shot);
}

/* What is wanted is there, and nothing behind it has been written; what is not is untouched. */
static void check_result(const struct shot *shot, const struct shw_record_target_buffer *result, const void *expected,
                         size_t bytes, VkDeviceSize *at)
{
    const unsigned char *found = (const unsigned char *)shot->back.mapped + *at;
    bool wanted = result->buffer != VK_NULL_HANDLE;
    VkDeviceSize size = align(bytes + 1);

    if (wanted)
        assert_memory_equal(found, expected, bytes);
    for (VkDeviceSize b = wanted ? bytes : 0; b < size; b++)
        assert_int_equal(found[b], GUARD);
    *at += size;
}

static void check(struct rig *rig, struct shot *shot)
{
    VkDeviceSize at = OFFSET;

    engine_wait(&rig->scene.engine, &shot->work);
    check_result(shot, &shot->target.classes, shot->expected.classes, 4 * COUNT, &at);
    check_result(shot, &shot->target.sums, shot->expected.sums, 8 * COUNT * rig->info->output_count, &at);
    check_result(shot, &shot->target.leaves, shot->expected.leaves, 4 * COUNT * rig->info->tree_count, &at);
    assert_int_equal(at, shot->back.size);
}

static void open_evaluator(struct rig *rig, enum shw_record_technique technique,
                           const struct random_record_forest_params *forest)
{
    struct shw_record_evaluator_params params = {
        .device = rig->scene.device, .technique = technique, .slots = SLOTS, .log = testing_log(&rig->scene.memory)};

    rig->forest = random_record_forest(forest);
    rig->info = shw_record_forest_get_info(rig->forest);
    params.forest = rig->forest;
    assert_int_equal(shw_record_evaluator_create(&params, &rig->evaluator), SHW_OK);
}

static void close_evaluator(struct rig *rig)
{
    shw_record_evaluator_destroy(&rig->evaluator);
    shw_record_forest_destroy(&rig->forest);
}

static void run_frames(struct rig *rig)
{
    struct shot shots[FRAMES];

    for (uint32_t f = 0; f < FRAMES; f++)
        open_shot(rig, f, &shots[f]);
    for (uint32_t f = 0; f < FRAMES; f++) {
        if (f >= SLOTS)
            check(rig, &shots[f - SLOTS]);
        record(rig, f % SLOTS, &shots[f]);
    }
    for (uint32_t f = FRAMES - SLOTS; f < FRAMES; f++)
        check(rig, &shots[f]);
    for (uint32_t f = 0; f < FRAMES; f++)
        close_shot(rig, &shots[f]);
}

static const enum shw_record_technique techniques[] = {SHW_RECORD_COMPUTE, SHW_RECORD_SPECULATIVE,
                                                       SHW_RECORD_SPECULATIVE_MAPPED, SHW_RECORD_WINDOWED,
                                                       SHW_RECORD_FRAGMENT};

TESTING_CASE(test_frames)
{
    struct rig rig = {0};

    open_scene(&rig.scene, &(struct random_forest_params){.seed = 1});
    for (size_t t = 0; t < sizeof techniques / sizeof *techniques; t++) {
        open_evaluator(&rig, techniques[t], &(struct random_record_forest_params){.seed = 1});
        run_frames(&rig);
        close_evaluator(&rig);
        open_evaluator(&rig, techniques[t],
                       &(struct random_record_forest_params){.seed = 2, .outputs = 20, .trees = 3, .attributes = 4});
        run_frames(&rig);
        close_evaluator(&rig);
    }
    close_scene(&rig.scene);
}

/* As if the device had small limits. */
TESTING_CASE(test_pieces)
{
    struct rig rig = {0};

    open_scene(&rig.scene, &(struct random_forest_params){.seed = 1});
    for (uint32_t o = 0; o < 2; o++) {
        struct shw_record_device *device;
        open_evaluator(&rig, SHW_RECORD_COMPUTE,
                       &(struct random_record_forest_params){.seed = 3, .outputs = 3 + 20 * o});
        device = rig.evaluator->state;
        device->records_most = 64;
        device->offset_most = 3000;
        run_frames(&rig);
        close_evaluator(&rig);
    }
    close_scene(&rig.scene);
}

TESTING_CASE(test_refused)
{
    struct rig rig = {0};
    struct shot shot;
    struct shw_record_source source;
    struct shw_record_device *device;

    open_scene(&rig.scene, &(struct random_forest_params){.seed = 1});
    open_evaluator(&rig, SHW_RECORD_COMPUTE, &(struct random_record_forest_params){.seed = 4});
    open_shot(&rig, 0, &shot);
    begin(&rig, &shot);
    source = shot.source;
    source.offset = 4;
    assert_int_equal(shw_record_evaluator_record(rig.evaluator, shot.work.commands, 0, &source, &shot.target),
                     SHW_ERROR_ARGUMENT);
    source = shot.source;
    source.before_stage = 0;
    assert_int_equal(shw_record_evaluator_record(rig.evaluator, shot.work.commands, 0, &source, &shot.target),
                     SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_record_evaluator_record(rig.evaluator, shot.work.commands, SLOTS, &shot.source, &shot.target),
                     SHW_ERROR_ARGUMENT);
    source = shot.source;
    source.attribute_stride = UINT32_MAX / 8; /* more than a descriptor's range */
    assert_int_equal(shw_record_evaluator_record(rig.evaluator, shot.work.commands, 0, &source, &shot.target),
                     SHW_ERROR_LIMIT);
    device = rig.evaluator->state;
    device->range_most = sizeof(float) * (3 * shot.source.record_stride - 1); /* of two records */
    assert_int_equal(shw_record_evaluator_record(rig.evaluator, shot.work.commands, 0, &shot.source, &shot.target),
                     SHW_ERROR_LIMIT);
    device->range_most = rig.scene.device->properties.limits.maxStorageBufferRange;
    assert_int_equal(shw_record_evaluator_record(rig.evaluator, shot.work.commands, 0, &shot.source, &shot.target),
                     SHW_OK);
    submit(&rig, &shot);
    check(&rig, &shot);
    close_shot(&rig, &shot);
    close_evaluator(&rig);
    close_scene(&rig.scene);
}

/* What the technique with render passes refuses. */
TESTING_CASE(test_refused_fragment)
{
    struct rig rig = {0};
    struct shot shot;
    struct shw_record_source source;
    struct shw_record_target target;

    open_scene(&rig.scene, &(struct random_forest_params){.seed = 1});
    open_evaluator(&rig, SHW_RECORD_FRAGMENT, &(struct random_record_forest_params){.seed = 5});
    open_shot(&rig, 0, &shot);
    begin(&rig, &shot);
    source = shot.source;
    source.before_stage = 0;
    assert_int_equal(shw_record_evaluator_record(rig.evaluator, shot.work.commands, 0, &source, &shot.target),
                     SHW_ERROR_ARGUMENT);
    target = shot.target;
    target.sums.offset += 4; /* half of a sum */
    assert_int_equal(shw_record_evaluator_record(rig.evaluator, shot.work.commands, 0, &shot.source, &target),
                     SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_record_evaluator_record(rig.evaluator, shot.work.commands, 0, &shot.source, &shot.target),
                     SHW_OK);
    submit(&rig, &shot);
    check(&rig, &shot);
    close_shot(&rig, &shot);
    close_evaluator(&rig);
    close_scene(&rig.scene);
}
