/* Groups on the device: those of the host, bit for bit, in a buffer that can be drawn from. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "host_allocations.h"
#include "testing/cascades.h"

enum { MOST = SHW_GROUPER_WINDOWS_MAX, OFFSET = 256, UNTOUCHED = 0x77777777, WIDTH = 80, HEIGHT = 60 };

/* Two buffers of the engine: windows that the host writes, and groups. */
struct rig {
    struct scene scene;
    struct engine_frame work;
    struct shw_buffer windows, groups, back;
    struct shw_detect_target from;
    struct shw_group_target to;
};

static VkDeviceSize bytes_of(uint32_t header, uint32_t count)
{
    return OFFSET + header + count * sizeof(struct shw_detection) + 64;
}

static void open_rig(struct rig *rig)
{
    const VkBufferUsageFlags used = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                    VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    VkDeviceSize size = bytes_of(32, MOST);
    struct shw_device *device;

    *rig = (struct rig){0};
    open_scene(&rig->scene, &(struct random_forest_params){.seed = 1});
    device = rig->scene.device;
    assert_int_equal(shw_buffer_create(device, bytes_of(16, MOST), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_TABLE,
                                       "engine windows", &rig->windows),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(device, size, used, SHW_MEMORY_DEVICE, "engine groups", &rig->groups), SHW_OK);
    assert_int_equal(shw_buffer_create(device, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK,
                                       "engine groups", &rig->back),
                     SHW_OK);
    rig->from = (struct shw_detect_target){.buffer = rig->windows.handle,
                                           .offset = OFFSET,
                                           .capacity = MOST,
                                           .before_stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                           .before_access = VK_ACCESS_SHADER_READ_BIT,
                                           .after_stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                           .after_access = VK_ACCESS_SHADER_READ_BIT};
    rig->to =
        (struct shw_group_target){.buffer = rig->groups.handle,
                                  .offset = OFFSET,
                                  .capacity = MOST,
                                  .before_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                  .before_access = VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .after_stage = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                                  .after_access = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
}

static void close_rig(struct rig *rig)
{
    shw_buffer_destroy(rig->scene.device, &rig->windows);
    shw_buffer_destroy(rig->scene.device, &rig->groups);
    shw_buffer_destroy(rig->scene.device, &rig->back);
    close_scene(&rig->scene);
}

static struct shw_grouper *make_grouper(struct rig *rig, const struct shw_group_params *group, uint32_t slots)
{
    const struct shw_grouper_params params = {.device = rig->scene.device,
                                              .kind = SHW_CASCADE_PIXELS,
                                              .group = *group,
                                              .vertex_count = 6,
                                              .slots = slots,
                                              .log = testing_log(&rig->scene.memory)};
    struct shw_grouper *grouper = NULL;

    assert_int_equal(shw_grouper_create(&params, &grouper), SHW_OK);
    return grouper;
}

/* Fills the groups, so that what is written where is seen. */
static void begin(struct rig *rig)
{
    engine_begin(&rig->scene.engine, &rig->work);
    rig->scene.engine.vk.CmdFillBuffer(rig->work.commands, rig->groups.handle, 0, VK_WHOLE_SIZE, UNTOUCHED);
}

static void finish(struct rig *rig)
{
    const VkBufferCopy copy = {.size = rig->groups.size};
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};

    rig->scene.engine.vk.CmdCopyBuffer(rig->work.commands, rig->groups.handle, rig->back.handle, 1, &copy);
    rig->scene.engine.vk.CmdPipelineBarrier(rig->work.commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    engine_submit(&rig->scene.engine, &rig->work);
    engine_wait(&rig->scene.engine, &rig->work);
}

static void record(struct rig *rig, struct shw_grouper *grouper, uint32_t slot)
{
    unsigned host = host_allocations(), device = rig->scene.counts.allocated;

    assert_int_equal(shw_grouper_record(grouper, rig->work.commands, slot, &rig->from, &rig->to), SHW_OK);
    assert_int_equal(host_allocations(), host);
    assert_int_equal(rig->scene.counts.allocated, device);
}

static void put(struct rig *rig, const struct shw_detections *all)
{
    uint32_t *words = (uint32_t *)rig->windows.mapped + OFFSET / 4;

    words[0] = all->count;
    words[1] = words[2] = words[3] = 0;
    if (all->count > 0)
        memcpy(words + 4, all->items, all->count * sizeof *all->items);
}

/* That the buffer has the first of these groups, and nothing else. */
static void check(const struct rig *rig, uint32_t windows, const struct shw_detections *expected)
{
    const uint32_t *words = (const uint32_t *)rig->back.mapped + OFFSET / 4;
    uint32_t written = expected->count < rig->to.capacity ? expected->count : rig->to.capacity;
    const VkDrawIndirectCommand draw = {6, written, 0, 0};
    const struct shw_group_header header = {6, written, 0, 0, expected->count, windows, {0, 0}};

    assert_memory_equal(words, &draw, sizeof draw);
    assert_memory_equal(words, &header, sizeof header);
    if (written > 0)
        assert_memory_equal(words + 8, expected->items, written * sizeof *expected->items);
    assert_int_equal(words[-1], UNTOUCHED);
    assert_int_equal(words[8 + 8 * written], UNTOUCHED);
}

/* How windows are scattered. */
enum scatter { NEAR, TIES, TWINS, FAR, SCATTER_COUNT };

static struct shw_detections scatter(uint64_t seed, uint32_t count, enum scatter how)
{
    struct testing_random random = {seed * 77 + 5};
    struct shw_detections all = {count, calloc(count + 1, sizeof *all.items)};
    uint32_t centres = 1 + (uint32_t)testing_random_below(&random, 12);

    assert_non_null(all.items);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t centre = (uint32_t)testing_random_below(&random, centres);
        uint32_t size = 20 + 9 * (centre % 4) + (uint32_t)testing_random_below(&random, 6);
        all.items[i] = (struct shw_detection){.x = (int32_t)(centre * 23 + testing_random_below(&random, 12)) - 20,
                                              .y = (int32_t)(centre * 37 % 90 + testing_random_below(&random, 12)) - 20,
                                              .width = size,
                                              .height = size + centre % 3,
                                              .score = (int32_t)testing_random_below(&random, 100000) - 50000,
                                              .level = (uint32_t)testing_random_below(&random, 3),
                                              .angle = (uint32_t)testing_random_below(&random, 2),
                                              .neighbours = 1};
        if (how == TIES)
            all.items[i].score %= 3;
        if (how == TWINS && i > 0 && testing_random_below(&random, 2) == 0)
            all.items[i] = all.items[testing_random_below(&random, i)];
        if (how == FAR) { /* numbers of all sizes */
            uint32_t shift = (uint32_t)testing_random_below(&random, 32);
            all.items[i].x = (int32_t)((uint32_t)testing_random_next(&random) >> shift);
            all.items[i].y = -(int32_t)((uint32_t)testing_random_next(&random) >> 1 >> shift);
            all.items[i].width = (uint32_t)testing_random_next(&random) >> testing_random_below(&random, 3);
            all.items[i].height = (uint32_t)testing_random_next(&random) >> shift;
            all.items[i].score = (int32_t)((uint32_t)testing_random_next(&random));
        }
    }
    return all;
}

/* By `grouper` of one slot, and on the host. Returns the number of groups. */
static uint32_t compare(struct rig *rig, struct shw_grouper *grouper, const struct shw_group_params *params,
                        struct shw_detections all)
{
    uint32_t windows = all.count, count;

    put(rig, &all);
    begin(rig);
    record(rig, grouper, 0);
    finish(rig);
    assert_int_equal(shw_detections_group(&all, SHW_CASCADE_PIXELS, params, NULL), SHW_OK);
    check(rig, windows, &all);
    count = all.count;
    free(all.items);
    return count;
}

static const struct shw_group_params rules[] = {
    {.method = SHW_GROUP_DEFAULT},
    {.method = SHW_GROUP_NONE},
    {.method = SHW_GROUP_NONE, .min_score = 100, .has_min_score = true},
    {.method = SHW_GROUP_MEAN},
    {.method = SHW_GROUP_MEAN, .min_neighbours = 1, .epsilon = 0.37},
    {.method = SHW_GROUP_MEAN, .min_neighbours = 2, .epsilon = 0.1, .min_score = 1, .has_min_score = true},
    {.method = SHW_GROUP_CLUSTER},
    {.method = SHW_GROUP_CLUSTER, .min_neighbours = 3, .overlap = 0.57},
    {.method = SHW_GROUP_CLUSTER, .overlap = 0.5, .min_score = 20000, .has_min_score = true},
    {.method = SHW_GROUP_SUPPRESS, .overlap = 0.6, .min_score = -1, .has_min_score = true},
    {.method = SHW_GROUP_SUPPRESS, .overlap = 1}};
#define RULES (sizeof rules / sizeof *rules)

TESTING_CASE(groups_are_those_of_the_host)
{
    const uint32_t seeds = testing_is_slow() ? 60 : 15;
    struct rig rig;

    open_rig(&rig);
    for (size_t r = 0; r < RULES; r++) {
        struct shw_grouper *grouper = make_grouper(&rig, &rules[r], 1);
        uint32_t found = 0;
        for (uint32_t seed = 0; seed < seeds; seed++) {
            struct testing_random random = {seed + 1};
            found += compare(&rig, grouper, &rules[r],
                             scatter(seed, (uint32_t)testing_random_below(&random, 5 + 4 * seed),
                                     (enum scatter)(seed % SCATTER_COUNT)));
        }
        assert_true(found > seeds);
        shw_grouper_destroy(&grouper);
    }
    close_rig(&rig);
}

/* No windows, one, and as many as there can be; and numbers of windows around those at which the sort changes. */
TESTING_CASE(any_number_of_windows)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 255, 256, 257, 511, 513, MOST};
    static const size_t usual[] = {0, 1, 3, 4, 6, 10};
    struct rig rig;

    open_rig(&rig);
    for (size_t r = 0; r < sizeof usual / sizeof *usual; r++) {
        const struct shw_group_params *params = &rules[usual[r]];
        struct shw_grouper *grouper = make_grouper(&rig, params, 1);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            if (counts[c] < MOST || r % 2 == 0 || testing_is_slow()) /* for every second rule: these take longest */
                compare(&rig, grouper, params, scatter(c, counts[c], NEAR));
        if (r % 2 == 1 || testing_is_slow())
            compare(&rig, grouper, params, scatter(1, MOST, FAR));
        shw_grouper_destroy(&grouper);
    }
    close_rig(&rig);
}

/* Of groups the first, of windows none. */
TESTING_CASE(what_does_not_fit)
{
    static const uint32_t capacities[] = {0, 1, 7, 40};
    const struct shw_detections none = {0};
    struct shw_detections all;
    struct rig rig;

    open_rig(&rig);
    for (size_t r = 0; r < RULES; r++) {
        struct shw_grouper *grouper = make_grouper(&rig, &rules[r], 1);
        for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
            rig.to.capacity = capacities[c];
            compare(&rig, grouper, &rules[r], scatter(r + 3, 90, TIES));
        }
        all = scatter(4, 41, NEAR);
        rig.from.capacity = 40;
        put(&rig, &all);
        begin(&rig);
        record(&rig, grouper, 0);
        finish(&rig);
        check(&rig, 41, &none);
        free(all.items);
        rig.from.capacity = 41;
        compare(&rig, grouper, &rules[r], scatter(4, 41, NEAR));
        rig.from.capacity = MOST;
        shw_grouper_destroy(&grouper);
    }
    close_rig(&rig);
}

/* Two slots in one command buffer use the same memory; what the second one writes is seen. */
TESTING_CASE(recordings_follow_each_other)
{
    struct shw_detections all = scatter(6, 120, NEAR);
    struct shw_grouper *grouper;
    struct rig rig;

    open_rig(&rig);
    grouper = make_grouper(&rig, &rules[6], 2);
    put(&rig, &all);
    begin(&rig);
    record(&rig, grouper, 0);
    rig.to.before_stage = rig.to.after_stage;
    rig.to.before_access = rig.to.after_access;
    record(&rig, grouper, 1);
    finish(&rig);
    assert_int_equal(shw_detections_group(&all, SHW_CASCADE_PIXELS, &rules[6], NULL), SHW_OK);
    check(&rig, 120, &all);
    free(all.items);
    shw_grouper_destroy(&grouper);
    close_rig(&rig);
}

static struct shw_image make_image(void)
{
    struct testing_random random = {8};
    uint8_t *pixels = malloc((size_t)4 * WIDTH * HEIGHT);

    assert_non_null(pixels);
    for (size_t i = 0; i < (size_t)4 * WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)(i % WIDTH * 3 + i / WIDTH * 5 + testing_random_below(&random, 60));
    return (struct shw_image){.pixels = pixels,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .stride = shw_pixel_size(kinds[0].pixel) * WIDTH,
                              .format = kinds[0].pixel};
}

/* What the detector finds, and groups of it, in one command buffer. */
static void test_kind(enum shw_cascade_kind kind)
{
    const struct random_cascade_params cascade_params = {.seed = 3, .kind = kind, .pass_percent = 80};
    struct shw_cascade *cascade = random_cascade(&cascade_params);
    struct shw_detector_params params = {.cascade = cascade,
                                         .technique = SHW_TECHNIQUE_COMPUTE,
                                         .scan = {.min_size = 24},
                                         .width = WIDTH,
                                         .height = HEIGHT};
    struct shw_grouper_params groups = {.kind = kind, .vertex_count = 6};
    struct shw_detector *detector = NULL, *cpu = NULL;
    struct shw_grouper *grouper = NULL;
    struct shw_detections expected = {0};
    struct shw_buffer found;
    struct shw_image_use image;
    struct frame frame = {0};
    uint32_t windows;
    struct rig rig;

    open_rig(&rig);
    params.device = groups.device = rig.scene.device;
    open_frame(&rig.scene, &kinds[0], make_image(), 1, 2, &frame);
    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    assert_int_equal(shw_grouper_create(&groups, &grouper), SHW_OK);
    assert_int_equal(shw_buffer_create(rig.scene.device, bytes_of(16, MOST),
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_DEVICE, "engine found", &found),
                     SHW_OK);
    rig.from.buffer = found.handle;
    begin(&rig);
    frame.work = rig.work;
    record_upload(&rig.scene, &frame);
    image = source_use(&frame);
    assert_int_equal(shw_detector_record(detector, rig.work.commands, 0, &image, &rig.from), SHW_OK);
    record(&rig, grouper, 0);
    finish(&rig);
    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_detector_create(&params, &cpu), SHW_OK);
    assert_int_equal(shw_detector_run(cpu, &frame.image, &expected), SHW_OK);
    windows = expected.count;
    assert_true(windows > 20 && windows <= MOST);
    assert_int_equal(shw_detections_group(&expected, kind, &groups.group, NULL), SHW_OK);
    check(&rig, windows, &expected);
    free(expected.items);
    shw_detector_destroy(&cpu);
    shw_detector_destroy(&detector);
    shw_grouper_destroy(&grouper);
    shw_buffer_destroy(rig.scene.device, &found);
    close_frame(&rig.scene, &frame);
    close_rig(&rig);
    shw_cascade_destroy(&cascade);
}

TESTING_CASE(groups_of_a_detection)
{
    test_kind(SHW_CASCADE_PIXELS);
    test_kind(SHW_CASCADE_SCALED);
}

static void refuse(struct rig *rig, struct shw_grouper *grouper, uint32_t slot, const struct shw_detect_target *from,
                   const struct shw_group_target *to)
{
    assert_int_equal(shw_grouper_record(grouper, rig->work.commands, slot, from, to), SHW_ERROR_ARGUMENT);
}

/* Nothing is recorded then. */
TESTING_CASE(wrong_groupers_and_targets)
{
    static const struct shw_group_params wrong[] = {
        {.method = SHW_GROUP_METHOD_COUNT}, {.epsilon = 11}, {.overlap = 2}};
    struct shw_grouper_params params = {.kind = SHW_CASCADE_PIXELS};
    struct shw_grouper *grouper = NULL;
    struct shw_detect_target from;
    struct shw_group_target to;
    struct rig rig;

    open_rig(&rig);
    assert_int_equal(shw_grouper_create(&params, &grouper), SHW_ERROR_ARGUMENT); /* no device */
    params.device = rig.scene.device;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        params.group = wrong[w];
        assert_int_equal(shw_grouper_create(&params, &grouper), SHW_ERROR_ARGUMENT);
    }
    params.group = rules[0];
    params.windows = MOST + 1;
    assert_int_equal(shw_grouper_create(&params, &grouper), SHW_ERROR_ARGUMENT);
    assert_null(grouper);
    params.windows = 100;
    params.vertex_count = 6;
    assert_int_equal(shw_grouper_create(&params, &grouper), SHW_OK);
    begin(&rig);
    refuse(&rig, grouper, 0, &rig.from, &rig.to); /* room for 100 */
    rig.from.capacity = 100;
    refuse(&rig, grouper, 1, &rig.from, &rig.to); /* one slot */
    refuse(&rig, grouper, 0, NULL, &rig.to);
    refuse(&rig, grouper, 0, &rig.from, NULL);
    assert_int_equal(shw_grouper_record(grouper, NULL, 0, &rig.from, &rig.to), SHW_ERROR_ARGUMENT);
    from = rig.from;
    from.offset = 4;
    refuse(&rig, grouper, 0, &from, &rig.to);
    from = rig.from;
    from.after_stage = 0;
    refuse(&rig, grouper, 0, &from, &rig.to);
    to = rig.to;
    to.buffer = VK_NULL_HANDLE;
    refuse(&rig, grouper, 0, &rig.from, &to);
    to = rig.to;
    to.capacity = MOST + 1;
    refuse(&rig, grouper, 0, &rig.from, &to);
    to = rig.to;
    to.before_stage = 0;
    refuse(&rig, grouper, 0, &rig.from, &to);
    assert_int_equal(shw_grouper_record(grouper, rig.work.commands, 0, &rig.from, &rig.to), SHW_OK);
    put(&rig, &(struct shw_detections){0});
    finish(&rig);
    check(&rig, 0, &(struct shw_detections){0});
    shw_grouper_destroy(&grouper);
    close_rig(&rig);
}
