#include "scene.h"

#include <stdlib.h>
#include <string.h>

/* Sub-allocates as an engine does: every block begins somewhere inside an allocation, which the engine maps. */
struct part {
    VkDeviceMemory memory;
    void *mapped;
};

static VkResult allocate(void *user, const struct shw_memory_request *request, struct shw_memory_block *block)
{
    struct counts *counts = user;
    const struct engine *engine = counts->engine;
    VkDeviceSize alignment = request->requirements.alignment,
                 offset = (alignment + 255) / alignment * alignment * (1 + counts->allocated % 3);
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = offset + request->requirements.size,
                                 .memoryTypeIndex = request->memory_type};
    struct part *part;

    assert_true((request->requirements.memoryTypeBits >> request->memory_type & 1) != 0);
    assert_true(request->has_buffers || request->has_images);
    assert_true(request->dedicated_buffer == VK_NULL_HANDLE && request->dedicated_image == VK_NULL_HANDLE);
    if (counts->limit > 0 && counts->allocated == counts->limit)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    part = calloc(1, sizeof *part);
    assert_non_null(part);
    counts->allocated++;
    counts->bytes += request->requirements.size;
    if (request->mapped)
        counts->mapped_bytes += request->requirements.size;
    assert_int_equal(engine->vk.AllocateMemory(engine->handle, &info, NULL, &part->memory), VK_SUCCESS);
    *block = (struct shw_memory_block){part->memory, offset, NULL, part};
    if (request->mapped) {
        assert_int_equal(engine->vk.MapMemory(engine->handle, part->memory, 0, VK_WHOLE_SIZE, 0, &part->mapped),
                         VK_SUCCESS);
        block->mapped = (char *)part->mapped + offset;
    }
    return VK_SUCCESS;
}

static void release(void *user, const struct shw_memory_block *block)
{
    struct counts *counts = user;
    struct part *part = block->handle;

    counts->released++;
    assert_true(block->memory == part->memory && block->offset > 0);
    counts->engine->vk.FreeMemory(counts->engine->handle, part->memory, NULL);
    free(part);
}

/* In the scene's engine, which is open. */
static void import(struct scene *scene, const struct random_forest_params *forest)
{
    struct shw_device_import_params params;

    scene->counts.engine = &scene->engine;
    params = (struct shw_device_import_params){.instance = scene->engine.instance,
                                               .physical_device = scene->engine.physical,
                                               .device = scene->engine.handle,
                                               .queue_family = scene->engine.family,
                                               .api_version = ENGINE_VERSION,
                                               .instance_extensions = scene->engine.extensions,
                                               .instance_extension_count = scene->engine.extension_count,
                                               .synchronization2 = scene->engine.synchronization2,
                                               .get_instance_proc_addr = scene->engine.get,
                                               .memory = {&scene->counts, allocate, release},
                                               .log = testing_log(&scene->memory)};
    assert_int_equal(shw_device_import(&params, &scene->device), SHW_OK);
    scene->forest = random_forest(forest);
}

void open_scene(struct scene *scene, const struct random_forest_params *forest)
{
    memset(scene, 0, sizeof *scene);
    engine_open(&scene->engine);
    import(scene, forest);
}

bool open_scene_synchronized(struct scene *scene, const struct random_forest_params *forest)
{
    memset(scene, 0, sizeof *scene);
    engine_open_synchronized(&scene->engine);
    import(scene, forest);
    return scene->engine.synchronization2;
}

void close_scene(struct scene *scene)
{
    shw_forest_destroy(&scene->forest);
    shw_device_destroy(&scene->device);
    assert_int_equal(scene->counts.released, scene->counts.allocated);
    engine_close(&scene->engine);
}

const struct source_kind kinds[] = {{VK_FORMAT_R8G8B8A8_UNORM, SHW_PIXEL_RGBA8, false},
                                    {VK_FORMAT_B8G8R8A8_UNORM, SHW_PIXEL_RGBA8, true},
                                    {VK_FORMAT_R8_UNORM, SHW_PIXEL_GREY8, false},
                                    {VK_FORMAT_R16_UINT, SHW_PIXEL_GREY16, false},
                                    {VK_FORMAT_R16G16B16A16_UINT, SHW_PIXEL_RGBA16, false}};

static const struct {
    VkFormat format;
    uint32_t element;
} target_kinds[OUTPUTS] = {
    {VK_FORMAT_R32_UINT, 4}, {VK_FORMAT_R32_UINT, 4}, {VK_FORMAT_R16_UINT, 2}, {VK_FORMAT_R16_UINT, 2}};

static void create_buffer(struct scene *scene, VkDeviceSize size, VkBufferUsageFlags usage, enum shw_memory_kind kind,
                          struct shw_buffer *buffer)
{
    assert_int_equal(shw_buffer_create(scene->device, size, usage, kind, "engine buffer", buffer), SHW_OK);
}

const struct source_kind depth_kind = {VK_FORMAT_R16_UINT, SHW_PIXEL_GREY16, false};

void swap_colours(uint8_t *texels, size_t size)
{
    for (size_t i = 0; i < size; i += 4) {
        uint8_t red = texels[i];
        texels[i] = texels[i + 2];
        texels[i + 2] = red;
    }
}

void open_frame(struct scene *scene, const struct source_kind *kind, struct shw_image image, uint32_t trees,
                uint32_t classes, struct frame *frame)
{
    VkDeviceSize size = image.stride * image.height, pixels = (VkDeviceSize)image.width * image.height;
    VkImageUsageFlags copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    uint8_t *texels;

    *frame = (struct frame){.layers = {1, trees, classes, 1}};
    frame->image = image;
    create_buffer(scene, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, &frame->upload);
    create_buffer(scene, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, &frame->source_back);
    texels = frame->upload.mapped;
    memcpy(texels, image.pixels, size);
    if (kind->swap)
        swap_colours(texels, size);
    assert_int_equal(shw_vulkan_image_create(scene->device, kind->format, image.width, image.height, 1,
                                             copied | VK_IMAGE_USAGE_SAMPLED_BIT, "engine source", &frame->source),
                     SHW_OK);
    assert_int_equal(
        shw_image_view_create(scene->device, frame->source.handle, kind->format, 0, 1, false, &frame->source_view),
        SHW_OK);
    for (int t = 0; t < OUTPUTS; t++) {
        assert_int_equal(shw_vulkan_image_create(scene->device, target_kinds[t].format, image.width, image.height,
                                                 frame->layers[t], copied | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                                 "engine target", &frame->targets[t]),
                         SHW_OK);
        create_buffer(scene, pixels * frame->layers[t] * target_kinds[t].element, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                      SHW_MEMORY_READBACK, &frame->back[t]);
    }
}

void close_frame(struct scene *scene, struct frame *frame)
{
    scene->engine.vk.DestroyImageView(scene->engine.handle, frame->source_view, NULL);
    shw_vulkan_image_destroy(scene->device, &frame->source);
    shw_buffer_destroy(scene->device, &frame->upload);
    shw_buffer_destroy(scene->device, &frame->source_back);
    for (int t = 0; t < OUTPUTS; t++) {
        shw_vulkan_image_destroy(scene->device, &frame->targets[t]);
        shw_buffer_destroy(scene->device, &frame->back[t]);
    }
    free((void *)(uintptr_t)frame->image.pixels);
}

struct shw_image_use source_use(const struct frame *frame)
{
    return (struct shw_image_use){
        .image = frame->source.handle,
        .view = frame->source_view,
        .format = frame->source.format,
        .extent = {frame->source.width, frame->source.height},
        .before = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
        .after = {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT}};
}

struct shw_image_use target_use(const struct shw_vulkan_image *image, bool fresh)
{
    struct shw_image_use use = {
        .image = image->handle,
        .view = image->view,
        .format = image->format,
        .extent = {image->width, image->height},
        .layers = image->layers,
        .before = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
        .after = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT}};

    if (!fresh) {
        use.before.layout = VK_IMAGE_LAYOUT_GENERAL;
        use.before.stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
        use.before.access = VK_ACCESS_TRANSFER_READ_BIT;
        use.after.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    }
    return use;
}

struct shw_label_targets target_uses(const struct frame *frame, bool fresh)
{
    return (struct shw_label_targets){.tree_leaf = target_use(&frame->targets[0], fresh),
                                      .forest_leaves = target_use(&frame->targets[1], fresh),
                                      .distribution = target_use(&frame->targets[2], fresh),
                                      .argmax = target_use(&frame->targets[3], fresh)};
}

void record_upload(struct scene *scene, struct frame *frame)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = frame->source.handle,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {frame->source.width, frame->source.height, 1}};

    scene->engine.vk.CmdPipelineBarrier(frame->work.commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                        VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
    scene->engine.vk.CmdCopyBufferToImage(frame->work.commands, frame->upload.handle, frame->source.handle,
                                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
}

/* Without a barrier: what the caller said of its use afterwards must be enough. Layer by layer: in one copy of 111
 * layers of 1 x 51 pixels, NVIDIA's driver 580.159 puts those from the 60th on one layer too far. */
void record_readback(struct scene *scene, struct frame *frame, VkImageLayout layout)
{
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {frame->source.width, frame->source.height, 1}};
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};

    scene->engine.vk.CmdCopyImageToBuffer(frame->work.commands, frame->source.handle,
                                          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, frame->source_back.handle, 1, &region);
    for (int t = 0; t < OUTPUTS; t++)
        for (uint32_t l = 0; l < frame->layers[t]; l++) {
            region.imageSubresource.baseArrayLayer = l;
            region.bufferOffset = l * (frame->back[t].size / frame->layers[t]);
            scene->engine.vk.CmdCopyImageToBuffer(frame->work.commands, frame->targets[t].handle, layout,
                                                  frame->back[t].handle, 1, &region);
        }
    scene->engine.vk.CmdPipelineBarrier(frame->work.commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                        VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void check_frame(struct scene *scene, const struct shw_forest *forest, struct frame *frame)
{
    struct shw_labeller_params cpu = {.forest = forest, .threads = 1};
    struct testing_labelling expected = testing_label(&cpu, &frame->image), got = expected;

    engine_wait(&scene->engine, &frame->work);
    got.out = (struct shw_labelling){frame->back[0].mapped, frame->back[1].mapped, frame->back[2].mapped,
                                     frame->back[3].mapped};
    testing_labelling_same("recorded", TESTING_ALL_OUTPUTS, &got, &expected);
    assert_memory_equal(frame->source_back.mapped, frame->upload.mapped, frame->image.stride * frame->image.height);
    testing_labelling_free(&expected);
}

void record_labelling(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                      const struct shw_inputs *inputs, const struct shw_label_targets *targets, uint64_t piece)
{
    struct shw_labelling_progress progress = {0};

    while (piece > 0 && !progress.finished)
        assert_int_equal(shw_labeller_record_piece(labeller, commands, slot, inputs, targets, piece, &progress),
                         SHW_OK);
    if (piece == 0)
        assert_int_equal(shw_labeller_record(labeller, commands, slot, inputs, targets), SHW_OK);
}
