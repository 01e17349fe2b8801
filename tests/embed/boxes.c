/* Boxes around what a detector finds, drawn indirectly in the frame in which it is found, by the code of
 * docs/library.md#boxes-to-draw. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "testing/cascades.h"
#include "vulkan/commands.h"

#include "boxes_record.h"

enum { WIDTH = 80, HEIGHT = 60, PIXELS = WIDTH * HEIGHT, CAPACITY = 64 };

SHW_SHADER_DECLARE(test_boxes_vert);
SHW_SHADER_DECLARE(test_box_frag);

/* What an engine has to draw boxes: a pipeline and a render pass, into an image that is read back. */
struct drawing {
    struct shw_device *device;
    struct shw_program program;
    struct shw_sets sets;
    struct shw_vulkan_image canvas;
    VkFramebuffer framebuffer;
    struct shw_buffer windows, boxes, back;
    PFN_vkCmdDrawIndirect draw_indirect;
};

static void open_drawing(struct scene *scene, struct drawing *drawing)
{
    const VkBufferUsageFlags storage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    const struct shw_binding boxes = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    const VkFormat format = VK_FORMAT_R8_UNORM;
    const struct shw_program_params params = {.name = "boxes",
                                              .vertex = SHW_SHADER(test_boxes_vert),
                                              .fragment = SHW_SHADER(test_box_frag),
                                              .bindings = &boxes,
                                              .binding_count = 1,
                                              .push_bytes = 2 * sizeof(float),
                                              .attachment_count = 1,
                                              .attachments = &format,
                                              .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP};
    struct shw_device *device = drawing->device = scene->device;
    PFN_vkGetDeviceProcAddr find;

    find = (PFN_vkGetDeviceProcAddr)scene->engine.get(scene->engine.instance, "vkGetDeviceProcAddr");
    drawing->draw_indirect = (PFN_vkCmdDrawIndirect)find(scene->engine.handle, "vkCmdDrawIndirect");
    assert_int_equal(shw_program_create(device, &params, &drawing->program), SHW_OK);
    assert_int_equal(shw_sets_create(device, &drawing->program, 1, &drawing->sets), SHW_OK);
    assert_int_equal(shw_vulkan_image_create(device, format, WIDTH, HEIGHT, 1,
                                             VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                 VK_IMAGE_USAGE_SAMPLED_BIT,
                                             "engine canvas", &drawing->canvas),
                     SHW_OK);
    assert_int_equal(
        shw_framebuffer_create(device, &drawing->program, &drawing->canvas.view, WIDTH, HEIGHT, &drawing->framebuffer),
        SHW_OK);
    assert_int_equal(shw_buffer_create(device, 16 + 4096 * sizeof(struct shw_detection), storage, SHW_MEMORY_DEVICE,
                                       "engine windows", &drawing->windows),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(device, 32 + CAPACITY * sizeof(struct shw_detection),
                                       storage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, SHW_MEMORY_DEVICE, "engine boxes",
                                       &drawing->boxes),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(device, PIXELS, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK,
                                       "engine canvas", &drawing->back),
                     SHW_OK);
    shw_set_write(device, &drawing->program, drawing->sets.handles[0],
                  &(struct shw_resource){.buffer = drawing->boxes.handle});
}

static void close_drawing(struct drawing *drawing)
{
    struct shw_device *device = drawing->device;

    device->vk.DestroyFramebuffer(device->handle, drawing->framebuffer, device->allocator);
    shw_buffer_destroy(device, &drawing->windows);
    shw_buffer_destroy(device, &drawing->boxes);
    shw_buffer_destroy(device, &drawing->back);
    shw_vulkan_image_destroy(device, &drawing->canvas);
    shw_sets_destroy(device, &drawing->sets);
    shw_program_destroy(device, &drawing->program);
}

static void record_draw(const struct drawing *drawing, VkCommandBuffer commands)
{
    const struct shw_device *device = drawing->device;
    const float size[2] = {WIDTH, HEIGHT};
    const VkClearValue clear = {0};
    const VkRect2D all = {.extent = {WIDTH, HEIGHT}};
    const VkViewport viewport = {.width = WIDTH, .height = HEIGHT, .maxDepth = 1.0f};
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = drawing->program.render_pass,
                                         .framebuffer = drawing->framebuffer,
                                         .renderArea = all,
                                         .clearValueCount = 1,
                                         .pClearValues = &clear};
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {WIDTH, HEIGHT, 1}};

    shw_image_barrier(device, commands, drawing->canvas.handle, shw_use_nothing, shw_use_attachment);
    device->vk.CmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    device->vk.CmdSetViewport(commands, 0, 1, &viewport);
    device->vk.CmdSetScissor(commands, 0, 1, &all);
    shw_program_bind(device, commands, &drawing->program, drawing->sets.handles[0], size);
    drawing->draw_indirect(commands, drawing->boxes.handle, 0, 1, 0);
    device->vk.CmdEndRenderPass(commands);
    shw_image_barrier(device, commands, drawing->canvas.handle, shw_use_attachment, shw_use_copy_source);
    device->vk.CmdCopyImageToBuffer(commands, drawing->canvas.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    drawing->back.handle, 1, &copy);
    shw_buffer_barrier(device, commands, drawing->back.handle, shw_use_copy_target, shw_use_host_read);
}

static struct shw_image make_image(uint64_t seed)
{
    struct testing_random random = {seed};
    uint8_t *pixels = malloc((size_t)4 * PIXELS);

    assert_non_null(pixels);
    for (uint32_t i = 0; i < 4 * PIXELS; i++)
        pixels[i] = (uint8_t)(i % WIDTH * 3 + i / WIDTH * 5 + testing_random_below(&random, 60));
    return (struct shw_image){
        .pixels = pixels, .width = WIDTH, .height = HEIGHT, .stride = 4 * WIDTH, .format = kinds[0].pixel};
}

/* Each pixel has the number, from 1 on, of the last of the first boxes that has it. */
static void check(const struct drawing *drawing, const struct shw_detections *boxes)
{
    const uint8_t *drawn = drawing->back.mapped;

    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            uint32_t number = 0;
            for (uint32_t b = 0; b < boxes->count && b < CAPACITY; b++) {
                const struct shw_detection *box = &boxes->items[b];
                if (x >= box->x && y >= box->y && x < box->x + (int32_t)box->width && y < box->y + (int32_t)box->height)
                    number = b + 1;
            }
            if (drawn[y * WIDTH + x] != number)
                fail_msg("pixel (%d, %d) has box %d of %u, not %u", x, y, drawn[y * WIDTH + x], boxes->count, number);
        }
}

/* Returns the number of boxes. */
static uint32_t draw_boxes(const struct shw_group_params *group, uint64_t seed)
{
    const struct random_cascade_params cascade_params = {.seed = 3, .kind = SHW_CASCADE_PIXELS, .pass_percent = 80};
    struct shw_cascade *cascade = random_cascade(&cascade_params);
    struct shw_detector_params params = {.cascade = cascade,
                                         .technique = SHW_TECHNIQUE_COMPUTE,
                                         .scan = {.min_size = 24},
                                         .width = WIDTH,
                                         .height = HEIGHT};
    struct shw_grouper_params groups = {.kind = SHW_CASCADE_PIXELS, .group = *group};
    struct shw_detector *detector = NULL, *cpu = NULL;
    struct shw_grouper *grouper = NULL;
    struct shw_detections expected = {0};
    struct shw_image_use image;
    struct drawing drawing = {0};
    struct frame frame = {0};
    struct scene scene;
    uint32_t count;

    open_scene(&scene, &(struct random_forest_params){.seed = 1});
    open_drawing(&scene, &drawing);
    params.device = groups.device = scene.device;
    open_frame(&scene, &kinds[0], make_image(seed), 1, 2, &frame);
    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    assert_int_equal(shw_grouper_create(&groups, &grouper), SHW_OK);
    engine_begin(&scene.engine, &frame.work);
    record_upload(&scene, &frame);
    image = source_use(&frame);
    assert_int_equal(
        record_boxes(detector, grouper, frame.work.commands, 0, &image, drawing.windows.handle, drawing.boxes.handle),
        SHW_OK);
    record_draw(&drawing, frame.work.commands);
    engine_submit(&scene.engine, &frame.work);
    engine_wait(&scene.engine, &frame.work);

    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_detector_create(&params, &cpu), SHW_OK);
    assert_int_equal(shw_detector_run(cpu, &frame.image, &expected), SHW_OK);
    assert_int_equal(shw_detections_group(&expected, SHW_CASCADE_PIXELS, group, NULL), SHW_OK);
    check(&drawing, &expected);
    count = expected.count;
    free(expected.items);
    shw_detector_destroy(&cpu);
    shw_detector_destroy(&detector);
    shw_grouper_destroy(&grouper);
    close_frame(&scene, &frame);
    close_drawing(&drawing);
    close_scene(&scene);
    shw_cascade_destroy(&cascade);
    return count;
}

TESTING_CASE(groups_are_drawn_indirectly)
{
    assert_true(draw_boxes(&(struct shw_group_params){.method = SHW_GROUP_DEFAULT}, 8) > 0);
    assert_true(draw_boxes(&(struct shw_group_params){.method = SHW_GROUP_SUPPRESS, .overlap = 0.5}, 9) > 1);
}

/* More than the buffer holds, and none. */
TESTING_CASE(at_most_the_capacity_is_drawn)
{
    assert_true(draw_boxes(&(struct shw_group_params){.method = SHW_GROUP_NONE}, 8) > CAPACITY);
    assert_int_equal(draw_boxes(&(struct shw_group_params){.min_score = INT32_MAX, .has_min_score = true}, 8), 0);
}
