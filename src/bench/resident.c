#include "bench/resident.h"

#include <string.h>

#include "channels/source_pixels.h"
#include "vulkan/submit.h"

enum shw_result shw_bench_source_create(struct shw_bench *bench, const struct shw_image *image,
                                        struct shw_bench_source *source)
{
    struct shw_device *device = bench->device;
    const struct shw_region whole = {image->width, image->height, 0, 0, image->width, image->height};
    const struct shw_use sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                    VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                    VK_ACCESS_SHADER_READ_BIT};
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {image->width, image->height, 1}};
    VkFormat format = shw_source_pixel_format(image->format);
    struct shw_buffer upload = {0};
    VkCommandBuffer commands;
    enum shw_result result;

    *source = (struct shw_bench_source){0};
    SHW_TRY(shw_buffer_create(device, (VkDeviceSize)image->width * image->height * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                              SHW_MEMORY_UPLOAD, "upload", &upload));
    SHW_TRY(shw_vulkan_image_create(device, format, image->width, image->height, 1,
                                    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "source",
                                    &source->image));
    SHW_TRY(shw_image_view_create(device, source->image.handle, format, 0, 1, false, &source->view));
    shw_source_pixels_expand(image, &whole, false, upload.mapped);
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

/* From the stage that wrote the planes to the one that reads them. */
static void hand_over(const struct shw_bench_resident *resident, VkCommandBuffer commands,
                      const struct shw_planes *planes)
{
    if (resident->technique == SHW_TECHNIQUE_FRAGMENT)
        shw_image_barrier(resident->bench->device, commands, planes->image.handle, shw_use_attachment,
                          shw_use_fragment_sampled);
    else
        shw_buffer_barrier(resident->bench->device, commands, planes->buffer.handle, shw_use_compute_write,
                           shw_use_compute_read);
}

static bool is_custom(const struct shw_bench_resident *resident, enum shw_stage stage)
{
    return resident->custom.technique != NULL && resident->custom.technique->stage == stage;
}

static struct shw_tile whole_of(const struct shw_bench_resident *resident)
{
    return (struct shw_tile){.region = {resident->width, resident->height, 0, 0, resident->width, resident->height},
                             .width = resident->width,
                             .height = resident->height};
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

void shw_bench_record_channels(void *user, VkCommandBuffer commands)
{
    struct shw_bench_resident *resident = user;
    struct shw_recording recording = shw_recording_whole(resident->bench->device, commands);
    const struct shw_tile whole = whole_of(resident);
    struct shw_custom_frame frame = shw_custom_frame_of(&whole);

    resident->slot = (resident->slot + 1) % resident->slots;
    frame.source = resident->source->view;
    frame.source_format = resident->source->image.format;
    if (is_custom(resident, SHW_STAGE_CHANNELS))
        shw_custom_stage_record(&resident->custom, commands, resident->slot, &frame);
    else
        shw_channels_stage_record(
            resident->channels_stage, &recording, resident->slot,
            (const struct shw_channel_source[SHW_INPUT_ROLES]){{frame.source, frame.source_format, 0, 0}},
            &whole.region);
    hand_over(resident, commands, &resident->channels[resident->slot]);
}

void shw_bench_record_integrate(void *user, VkCommandBuffer commands)
{
    struct shw_bench_resident *resident = user;
    struct shw_recording recording = shw_recording_whole(resident->bench->device, commands);
    const struct shw_tile whole = whole_of(resident);
    const struct shw_custom_frame frame = shw_custom_frame_of(&whole);

    if (is_custom(resident, SHW_STAGE_INTEGRATE))
        shw_custom_stage_record(&resident->custom, commands, 0, &frame);
    else
        shw_integrate_stage_record(resident->integrate_stage, &recording, 0, resident->width, resident->height);
    hand_over(resident, commands, &resident->integrals);
}

void shw_bench_record_evaluate(void *user, VkCommandBuffer commands)
{
    struct shw_bench_resident *resident = user;
    struct shw_recording recording = shw_recording_whole(resident->bench->device, commands);
    const struct shw_tile whole = whole_of(resident);

    if (is_custom(resident, SHW_STAGE_EVALUATE))
        shw_evaluate_custom_record(&resident->evaluate_stage, &resident->custom, commands, 0, &whole);
    else
        shw_evaluate_stage_record(&resident->evaluate_stage, &recording, 0, &whole);
}

static enum shw_result create_custom(struct shw_bench_resident *resident, const struct shw_custom_technique *custom,
                                     const struct shw_forest *forest, uint32_t outputs)
{
    struct shw_custom_stage_params params = {.device = resident->bench->device,
                                             .technique = custom,
                                             .forest = forest,
                                             .channels = resident->channels,
                                             .integrals = &resident->integrals,
                                             .outputs = outputs,
                                             .slots = 1,
                                             .width = resident->width,
                                             .height = resident->height};

    if (custom->stage == SHW_STAGE_EVALUATE) {
        SHW_PROPAGATE(shw_evaluate_custom_create(params.device, forest, outputs, 1, params.width, params.height,
                                                 &resident->evaluate_stage));
        params.evaluate = &resident->evaluate_stage;
    }
    return shw_custom_stage_create(&params, &resident->custom);
}

enum shw_result shw_bench_resident_create(struct shw_bench *bench, enum shw_technique technique,
                                          const struct shw_custom_technique *custom, const struct shw_forest *forest,
                                          uint32_t outputs, const struct shw_bench_source *source,
                                          struct shw_bench_resident *resident)
{
    struct shw_device *device = bench->device;
    const struct shw_channel_list *list = shw_forest_get_info(forest)->channel_list;
    uint32_t form = technique == SHW_TECHNIQUE_FRAGMENT ? SHW_PLANES_IMAGE : SHW_PLANES_BUFFER;
    uint32_t count = list->channel_count, width = source->image.width, height = source->image.height;
    VkCommandBuffer commands;
    enum shw_result result;

    *resident = (struct shw_bench_resident){
        .bench = bench, .technique = technique, .width = width, .height = height, .source = source};
    resident->slots = custom != NULL ? 1 : shw_bench_slots(bench, forest, width, height);
    resident->slot = resident->slots - 1; /* so that the recording below takes slot 0, which the next stage reads */
    for (uint32_t s = 0; s < resident->slots; s++)
        SHW_TRY(shw_planes_create(device, VK_FORMAT_R16_SINT, width, height, count, form, "channels",
                                  &resident->channels[s]));
    SHW_TRY(shw_planes_create(device, VK_FORMAT_R32_UINT, width + 1, height + 1, count, form, "integral images",
                              &resident->integrals));
    if (custom != NULL)
        SHW_TRY(create_custom(resident, custom, forest, outputs));
    if (!is_custom(resident, SHW_STAGE_CHANNELS))
        SHW_TRY(shw_channels_stage_create(device, list, technique, resident->channels, resident->slots,
                                          &resident->channels_stage));
    if (!is_custom(resident, SHW_STAGE_INTEGRATE))
        SHW_TRY(shw_integrate_stage_create(device, technique, resident->channels, &resident->integrals, 1,
                                           &resident->integrate_stage));
    if (!is_custom(resident, SHW_STAGE_EVALUATE))
        SHW_TRY(shw_evaluate_stage_create(device, forest, technique, outputs, NULL, &resident->integrals, 1, width,
                                          height, &resident->evaluate_stage));
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
    struct shw_device *device = resident->bench != NULL ? resident->bench->device : NULL;

    if (device == NULL)
        return;
    shw_custom_stage_destroy(&resident->custom);
    shw_evaluate_stage_destroy(&resident->evaluate_stage);
    shw_integrate_stage_destroy(device, &resident->integrate_stage);
    shw_channels_stage_destroy(device, &resident->channels_stage);
    shw_planes_destroy(device, &resident->integrals);
    for (uint32_t s = 0; s < resident->slots; s++)
        shw_planes_destroy(device, &resident->channels[s]);
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

enum shw_result shw_bench_planes_equal(struct shw_bench *bench, const struct shw_planes *planes,
                                       enum shw_technique technique, struct shw_use use, uint32_t width,
                                       uint32_t height, uint32_t count, const void *host, bool *equal)
{
    struct shw_device *device = bench->device;
    bool image = technique == SHW_TECHNIQUE_FRAGMENT;
    VkDeviceSize plane = (VkDeviceSize)planes->stride * planes->height * planes->element, size = (plane + 3) / 4 * 4;
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
                                    .imageExtent = {width, height, 1}};
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
        *equal = same_rows(planes, readback.mapped, (const char *)host + (size_t)p * width * height * planes->element,
                           width, height);
    }

fail:
    shw_buffer_destroy(device, &readback);
    return result;
}

enum shw_result shw_bench_resident_equals(struct shw_bench_resident *resident, enum shw_bench_planes which,
                                          const void *host, uint32_t count, bool *equal)
{
    const struct shw_evaluate_slot *slot = resident->evaluate_stage.slot;
    const struct shw_planes *planes[] = {&resident->channels[resident->slot], &resident->integrals, &slot->leaves,
                                         &slot->distribution, &slot->argmax};
    struct shw_use ready =
        resident->technique == SHW_TECHNIQUE_FRAGMENT ? shw_use_fragment_sampled : shw_use_compute_read;
    uint32_t more = which == SHW_BENCH_INTEGRALS;

    return shw_bench_planes_equal(resident->bench, planes[which], resident->technique,
                                  which <= SHW_BENCH_INTEGRALS ? ready : shw_use_copy_source, resident->width + more,
                                  resident->height + more, count, host, equal);
}
