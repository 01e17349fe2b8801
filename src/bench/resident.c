#include "bench/resident.h"

#include <string.h>

#include "base/image.h"
#include "dense/channels/pixels.h"
#include "dense/pipeline/registry.h"
#include "vulkan/commands.h"

enum shw_result shw_bench_source_create(struct shw_bench *bench, const struct shw_input *input,
                                        struct shw_bench_source *source)
{
    const struct shw_image *image = &input->image;
    bool is_plane = shw_source_is_plane(input->name);
    struct shw_device *device = bench->device;
    const struct shw_region whole = {image->width, image->height, 0, 0, image->width, image->height};
    const struct shw_use sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                    VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                    VK_ACCESS_SHADER_READ_BIT};
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {image->width, image->height, 1}};
    VkFormat format = is_plane ? VK_FORMAT_R16_UINT : shw_source_format(shw_pixel_is_wide(image->format));
    struct shw_buffer upload = {0};
    VkCommandBuffer commands;
    enum shw_result result;

    *source = (struct shw_bench_source){.name = is_plane ? input->name : SHW_COLOUR};
    SHW_TRY(shw_buffer_create(device, (VkDeviceSize)image->width * image->height * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                              SHW_MEMORY_UPLOAD, "upload", &upload));
    SHW_TRY(shw_vulkan_image_create(device, format, image->width, image->height, 1,
                                    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "source",
                                    &source->image));
    SHW_TRY(shw_image_view_create(device, source->image.handle, format, 0, 1, false, &source->view));
    if (is_plane)
        memcpy(upload.mapped, image->pixels, (size_t)image->width * image->height * sizeof(uint16_t));
    else
        shw_source_pixels_expand(image, &whole, upload.mapped);
    SHW_TRY(shw_submit_begin(device, &commands));
    shw_image_barrier(device, commands, source->image.handle, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdCopyBufferToImage(commands, upload.handle, source->image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    1, &copy);
    shw_image_barrier(device, commands, source->image.handle, shw_use_copy_target, sampled);
    SHW_TRY(shw_submit_wait(device, commands));

fail:
    shw_buffer_destroy(device, &upload);
    if (result != SHW_OK)
        shw_bench_source_destroy(bench, source);
    return result;
}

void shw_bench_source_destroy(struct shw_bench *bench, struct shw_bench_source *source)
{
    struct shw_device *device = bench->device;

    if (source->view != VK_NULL_HANDLE)
        device->vk.DestroyImageView(device->handle, source->view, device->allocator);
    if (source->image.handle != VK_NULL_HANDLE)
        shw_vulkan_image_destroy(device, &source->image);
    *source = (struct shw_bench_source){0};
}

struct shw_input shw_bench_source_use(const struct shw_bench_source *source)
{
    return (struct shw_input){.name = source->name,
                              .use = {.image = source->image.handle,
                                      .view = source->view,
                                      .format = source->image.format,
                                      .extent = {source->image.width, source->image.height},
                                      .before = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_SHADER_READ_BIT},
                                      .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_SHADER_READ_BIT}}};
}

uint32_t shw_bench_slots(const struct shw_bench *bench, const struct shw_forest *forest, uint32_t width,
                         uint32_t height)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    uint64_t channels = info->channel_list->channel_count;
    uint64_t bytes =
        (uint64_t)(width + 2) * (height + 1) * (16 * channels + 4 * info->tree_count + 2 * info->class_count);
    uint64_t slots = bench->description.memory_bytes / 8 / bytes,
             most = bench->description.is_cpu ? 4 : SHW_BENCH_SLOTS_MAX;

    return slots < 1 ? 1 : (uint32_t)(slots < most ? slots : most);
}

static void record_stage(struct shw_bench_resident *resident, VkCommandBuffer commands, uint32_t slot,
                         enum shw_stage stage)
{
    struct shw_pipeline *pipeline = &resident->pipeline;
    struct shw_recording recording = shw_recording_whole(resident->bench->device, commands);
    uint32_t index = shw_pipeline_index(pipeline, stage);

    if (index == pipeline->stage_count) /* this forest does not need it */
        return;
    shw_pipeline_record(pipeline, &recording, slot, index, &resident->frame);
    if (index + 1 < pipeline->stage_count)
        shw_pipeline_transition(pipeline, &recording, slot, index, &resident->frame);
}

void shw_bench_record_channels(void *user, VkCommandBuffer commands)
{
    struct shw_bench_resident *resident = user;

    resident->slot = (resident->slot + 1) % resident->pipeline.slots;
    record_stage(resident, commands, resident->slot, SHW_STAGE_CHANNELS);
}

void shw_bench_record_integrate(void *user, VkCommandBuffer commands)
{
    record_stage(user, commands, 0, SHW_STAGE_INTEGRATE);
}

void shw_bench_record_evaluate(void *user, VkCommandBuffer commands)
{
    record_stage(user, commands, 0, SHW_STAGE_EVALUATE);
}

enum shw_result shw_bench_resident_create(struct shw_bench *bench, enum shw_technique technique,
                                          const struct shw_stage_technique *custom, const struct shw_forest *forest,
                                          uint32_t outputs, const struct shw_bench_source *sources,
                                          uint32_t source_count, struct shw_bench_resident *resident)
{
    struct shw_device *device = bench->device;
    uint32_t width = sources[0].image.width, height = sources[0].image.height;
    const struct shw_tile whole = shw_tile_whole(width, height);
    struct shw_pipeline_params params = {.device = device,
                                         .forest = forest,
                                         .outputs = outputs,
                                         .fill = shw_forest_get_info(forest)->fill,
                                         .scratch_per_slot = true,
                                         .keeps_planes = true,
                                         .log = bench->log};
    VkCommandBuffer commands;
    enum shw_result result;

    *resident = (struct shw_bench_resident){.bench = bench, .frame = shw_stage_frame_of(&whole)};
    resident->frame.source_count = source_count;
    resident->frame.sources = resident->sources;
    for (uint32_t i = 0; i < source_count; i++)
        resident->sources[i] = (struct shw_stage_source){
            .name = sources[i].name, .view = sources[i].view, .format = sources[i].image.format};
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        params.techniques[s] = custom != NULL && (int)custom->stage == s
                                   ? (struct shw_pipeline_technique){custom, NULL}
                                   : shw_registry_find((enum shw_stage)s, technique);
    shw_pipeline_begin(&params, &resident->pipeline);
    SHW_TRY(shw_pipeline_make(&resident->pipeline, width, height,
                              custom != NULL ? 1 : shw_bench_slots(bench, forest, width, height)));
    resident->slot = resident->pipeline.slots - 1; /* so that the recording takes slot 0, which the next stage reads */
    SHW_TRY(shw_submit_begin(device, &commands));
    shw_bench_record_channels(resident, commands);
    shw_bench_record_integrate(resident, commands);
    shw_bench_record_evaluate(resident, commands);
    SHW_TRY(shw_submit_wait(device, commands));
    return SHW_OK;

fail:
    shw_bench_resident_destroy(resident);
    return result;
}

void shw_bench_resident_destroy(struct shw_bench_resident *resident)
{
    shw_pipeline_end(&resident->pipeline);
    *resident = (struct shw_bench_resident){0};
}

/* Compares rows of the readback buffer with the host's. */
static bool same_rows(const struct shw_planes *planes, const char *mapped, const char *host, uint32_t width,
                      uint32_t height)
{
    size_t row = (size_t)width * planes->element, stride = (size_t)planes->stride * planes->element;

    for (uint32_t y = 0; y < height; y++)
        if (memcmp(mapped + y * stride, host + y * row, row) != 0)
            return false;
    return true;
}

enum shw_result shw_bench_planes_equal(struct shw_bench *bench, const struct shw_pipeline *pipeline, const char *name,
                                       uint32_t slot, uint32_t width, uint32_t height, uint32_t count, const void *host,
                                       bool *equal)
{
    struct shw_device *device = bench->device;
    const struct shw_pipeline_planes *found = shw_pipeline_find(pipeline, name);
    const struct shw_planes *planes = &found->slots[slot];
    struct shw_use use = shw_pipeline_ready_use(pipeline, found);
    bool image = planes->image.handle != VK_NULL_HANDLE;
    VkDeviceSize plane = (VkDeviceSize)planes->stride * planes->height * planes->element, size = (plane + 3) / 4 * 4;
    size_t packed = ((size_t)width + found->more) * (height + found->more) * planes->element;
    struct shw_buffer readback = {0};
    VkCommandBuffer commands;
    enum shw_result result;

    /* plane by plane: all planes may exceed what the host can map */
    SHW_TRY(
        shw_buffer_create(device, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, "readback", &readback));
    *equal = true;
    for (uint32_t p = 0; p < count && *equal; p++) {
        VkBufferCopy words = {.srcOffset = p * plane, .size = plane};
        VkBufferImageCopy texels = {.bufferRowLength = planes->stride,
                                    .bufferImageHeight = planes->height,
                                    .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, p, 1},
                                    .imageExtent = {width + found->more, height + found->more, 1}};
        SHW_TRY(shw_submit_begin(device, &commands));
        if (image) {
            shw_image_barrier(device, commands, planes->image.handle, use, shw_use_copy_source);
            device->vk.CmdCopyImageToBuffer(commands, planes->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                            readback.handle, 1, &texels);
            shw_image_barrier(device, commands, planes->image.handle, shw_use_copy_source, use);
        } else {
            shw_buffer_barrier(device, commands, planes->buffer.handle, use, shw_use_copy_source);
            device->vk.CmdCopyBuffer(commands, planes->buffer.handle, readback.handle, 1, &words);
        }
        shw_buffer_barrier(device, commands, readback.handle, shw_use_copy_target, shw_use_host_read);
        SHW_TRY(shw_submit_wait(device, commands));
        *equal = same_rows(planes, readback.mapped, (const char *)host + p * packed, width + found->more,
                           height + found->more);
    }

fail:
    shw_buffer_destroy(device, &readback);
    return result;
}

enum shw_result shw_bench_resident_equals(struct shw_bench_resident *resident, const char *name, const void *host,
                                          uint32_t count, bool *equal)
{
    const struct shw_pipeline *pipeline = &resident->pipeline;
    bool is_first = shw_pipeline_find(pipeline, name) == pipeline->planes;

    return shw_bench_planes_equal(resident->bench, pipeline, name, is_first ? resident->slot : 0, resident->frame.width,
                                  resident->frame.height, count, host, equal);
}
