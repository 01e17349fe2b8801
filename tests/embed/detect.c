/* Detection in the engine's command buffers: two frames in flight, images of several sizes, and buffers of the engine.
 */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "host_allocations.h"
#include "testing/cascades.h"

enum { SLOTS = 2, FRAMES = 5, WIDTH = 80, HEIGHT = 60 };

/* What a frame owns besides its source. */
struct shot {
    struct frame frame;
    struct shw_buffer found, back;
    struct shw_detect_target target;
};

static struct shw_image make_image(uint32_t width, uint32_t height, enum shw_pixel_format format, uint64_t seed)
{
    struct testing_random random = {seed};
    size_t stride = shw_pixel_size(format) * width;
    uint8_t *pixels = malloc(stride * height);

    assert_non_null(pixels);
    for (size_t i = 0; i < stride * height; i++)
        pixels[i] = (uint8_t)(i % stride * 3 + i / stride * 5 + testing_random_below(&random, 60));
    return (struct shw_image){.pixels = pixels, .width = width, .height = height, .stride = stride, .format = format};
}

static void open_shot(struct scene *scene, uint32_t number, uint32_t capacity, struct shot *shot)
{
    static const VkDeviceSize offset = 256;
    VkDeviceSize size = offset + 16 + capacity * sizeof(struct shw_detection) + 64;
    const VkBufferUsageFlags used =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    const struct source_kind *kind = &kinds[number % 3];

    open_frame(scene, kind, make_image(WIDTH - 7 * number, HEIGHT - 3 * number, kind->pixel, number), 1, 2,
               &shot->frame);
    assert_int_equal(shw_buffer_create(scene->device, size, used, SHW_MEMORY_DEVICE, "engine found", &shot->found),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(scene->device, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK,
                                       "engine found", &shot->back),
                     SHW_OK);
    shot->target = (struct shw_detect_target){.buffer = shot->found.handle,
                                              .offset = offset,
                                              .capacity = capacity,
                                              .before_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                              .before_access = VK_ACCESS_TRANSFER_WRITE_BIT,
                                              .after_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                              .after_access = VK_ACCESS_TRANSFER_READ_BIT};
}

static void close_shot(struct scene *scene, struct shot *shot)
{
    close_frame(scene, &shot->frame);
    shw_buffer_destroy(scene->device, &shot->found);
    shw_buffer_destroy(scene->device, &shot->back);
}

/* Fills the buffer, so that what is written where is seen. */
static void begin(struct scene *scene, struct shot *shot)
{
    engine_begin(&scene->engine, &shot->frame.work);
    record_upload(scene, &shot->frame);
    scene->engine.vk.CmdFillBuffer(shot->frame.work.commands, shot->found.handle, 0, VK_WHOLE_SIZE, 0x77777777);
}

static void submit(struct scene *scene, struct shot *shot)
{
    const struct shw_vk *vk = &scene->engine.vk;
    const VkBufferCopy copy = {.size = shot->found.size};
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {shot->frame.source.width, shot->frame.source.height, 1}};
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};

    vk->CmdCopyBuffer(shot->frame.work.commands, shot->found.handle, shot->back.handle, 1, &copy);
    vk->CmdCopyImageToBuffer(shot->frame.work.commands, shot->frame.source.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                             shot->frame.source_back.handle, 1, &region);
    vk->CmdPipelineBarrier(shot->frame.work.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                           &barrier, 0, NULL, 0, NULL);
    engine_submit(&scene->engine, &shot->frame.work);
}

static void record(struct scene *scene, struct shw_detector *detector, uint32_t slot, struct shot *shot)
{
    const struct shw_image_use source = source_use(&shot->frame);
    unsigned host, device;

    begin(scene, shot);
    host = host_allocations();
    device = scene->counts.allocated;
    assert_int_equal(shw_detector_record(detector, shot->frame.work.commands, slot, &source, &shot->target), SHW_OK);
    assert_int_equal(host_allocations(), host);
    assert_int_equal(scene->counts.allocated, device);
    submit(scene, shot);
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct shw_detection));
}

/* Returns how many are found. */
static uint32_t check(struct scene *scene, const struct shw_detector_params *params, struct shot *shot)
{
    struct shw_detector_params cpu = {.cascade = params->cascade, .scan = params->scan};
    struct shw_detector *detector = NULL;
    struct shw_detections expected = {0};
    const uint32_t *words = (const uint32_t *)shot->back.mapped + shot->target.offset / 4;
    struct shw_detection *found = (struct shw_detection *)(words + 4);
    const uint32_t *behind;
    uint32_t written, count;

    engine_wait(&scene->engine, &shot->frame.work);
    assert_memory_equal(shot->frame.source_back.mapped, shot->frame.upload.mapped,
                        shot->frame.image.stride * shot->frame.image.height);
    assert_int_equal(shw_detector_create(&cpu, &detector), SHW_OK);
    assert_int_equal(shw_detector_run(detector, &shot->frame.image, &expected), SHW_OK);
    shw_detector_destroy(&detector);
    assert_int_equal(words[0], expected.count);
    assert_true(words[1] == 0 && words[2] == 0 && words[3] == 0 && words[-1] == 0x77777777);
    written = words[0] < shot->target.capacity ? words[0] : shot->target.capacity;
    behind = (const uint32_t *)(found + written);
    assert_int_equal(*behind, 0x77777777);
    qsort(found, written, sizeof *found, compare);
    if (expected.count > 0)
        qsort(expected.items, expected.count, sizeof *expected.items, compare);
    for (uint32_t f = 0, e = 0; f < written; f++, e++) { /* each is one of those expected, and only once */
        while (e < expected.count && compare(&found[f], &expected.items[e]) != 0)
            e++;
        assert_true(e < expected.count);
    }
    count = expected.count;
    free(expected.items);
    return count;
}

static void test_technique(struct scene *scene, enum shw_cascade_kind kind, enum shw_technique technique)
{
    const struct random_cascade_params cascade_params = {.seed = 3, .kind = kind, .pass_percent = 80};
    struct shw_cascade *cascade = random_cascade(&cascade_params);
    struct shw_detector_params params = {.cascade = cascade,
                                         .device = scene->device,
                                         .technique = technique,
                                         .scan = {.min_size = 24},
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .slots = SLOTS,
                                         .log = testing_log(&scene->memory)};
    struct shw_detector *detector = NULL;
    struct shot shots[FRAMES] = {0};
    uint32_t found = 0;

    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    for (uint32_t f = 0; f < FRAMES; f++)
        open_shot(scene, f, f == 1 ? 3 : 4000, &shots[f]);
    for (uint32_t f = 0; f < FRAMES; f++) {
        if (f >= SLOTS)
            found += check(scene, &params, &shots[f - SLOTS]);
        record(scene, detector, f % SLOTS, &shots[f]);
    }
    for (uint32_t f = FRAMES - SLOTS; f < FRAMES; f++)
        found += check(scene, &params, &shots[f]);
    assert_true(found > 20);
    for (uint32_t f = 0; f < FRAMES; f++)
        close_shot(scene, &shots[f]);
    shw_detector_destroy(&detector);
    shw_cascade_destroy(&cascade);
}

TESTING_CASE(test_record)
{
    struct scene scene;

    open_scene(&scene, &(struct random_forest_params){.seed = 1});
    test_technique(&scene, SHW_CASCADE_PIXELS, SHW_TECHNIQUE_COMPUTE);
    test_technique(&scene, SHW_CASCADE_SCALED, SHW_TECHNIQUE_COMPUTE);
    test_technique(&scene, SHW_CASCADE_PIXELS, SHW_TECHNIQUE_FRAGMENT);
    close_scene(&scene);
}

static void refuse(struct shw_detector *detector, const struct shot *shot, const struct shw_image_use *image,
                   const struct shw_detect_target *target)
{
    assert_int_equal(shw_detector_record(detector, shot->frame.work.commands, 0, image, target), SHW_ERROR_ARGUMENT);
}

/* Nothing is recorded then. */
TESTING_CASE(test_refused)
{
    struct scene scene;
    struct shw_cascade *cascade = random_cascade(&(struct random_cascade_params){.seed = 4});
    struct shw_detector *detector = NULL;
    struct shw_detector_params params = {
        .cascade = cascade, .technique = SHW_TECHNIQUE_COMPUTE, .width = WIDTH, .height = HEIGHT};
    struct shot shot = {0};
    struct shw_image_use image;
    struct shw_detect_target target;

    open_scene(&scene, &(struct random_forest_params){.seed = 1});
    params.device = scene.device;
    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    open_shot(&scene, 0, 10, &shot);
    begin(&scene, &shot);
    image = source_use(&shot.frame);
    image.format = VK_FORMAT_R32_SFLOAT;
    refuse(detector, &shot, &image, &shot.target);
    image = source_use(&shot.frame);
    image.before.stages = 0;
    refuse(detector, &shot, &image, &shot.target);
    image = source_use(&shot.frame);
    image.extent.width = WIDTH + 1;
    refuse(detector, &shot, &image, &shot.target);
    image = source_use(&shot.frame);
    target = shot.target;
    target.offset = 4;
    refuse(detector, &shot, &image, &target);
    target = shot.target;
    target.after_stage = 0;
    refuse(detector, &shot, &image, &target);
    assert_int_equal(shw_detector_record(detector, shot.frame.work.commands, 1, &image, &shot.target),
                     SHW_ERROR_ARGUMENT); /* it has one slot */
    assert_int_equal(shw_detector_record(detector, shot.frame.work.commands, 0, &image, &shot.target), SHW_OK);
    submit(&scene, &shot);
    check(&scene, &params, &shot);
    close_shot(&scene, &shot);
    shw_detector_destroy(&detector);
    shw_cascade_destroy(&cascade);
    close_scene(&scene);
}
