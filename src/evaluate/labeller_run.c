/* Labelling an image and waiting for it, by any mixture of techniques. */
#include <math.h>
#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "channels/source_pixels.h"
#include "evaluate/evaluate_cpu.h"
#include "evaluate/labeller.h"
#include "integrate/integral.h"
#include "vulkan/barrier.h"
#include "vulkan/submit.h"

/* Bytes of host planes that a region of the technique `cpu` may take. */
#define HOST_BYTES ((uint64_t)512 << 20)

/* One image on its way. */
struct run {
    struct shw_labeller *labeller;
    const struct shw_image *image;
    const struct shw_labelling *out;
    struct shw_tile tile;
    VkCommandBuffer commands; /* being recorded, or null */
};

static enum shw_result check(const struct shw_labeller *labeller, const struct shw_image *image,
                             const struct shw_labelling *out)
{
    const struct shw_log *log = &labeller->params.log;
    uint32_t outputs = labeller->params.outputs;
    enum shw_result result = shw_image_check(image, log);

    if (result != SHW_OK)
        return result;
    if ((out->tree_leaf != NULL && (outputs & SHW_OUTPUT_TREE_LEAF) == 0) ||
        (out->forest_leaves != NULL && (outputs & SHW_OUTPUT_FOREST_LEAVES) == 0) ||
        (out->distribution != NULL && (outputs & SHW_OUTPUT_DISTRIBUTION) == 0) ||
        (out->argmax != NULL && (outputs & SHW_OUTPUT_ARGMAX) == 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a result is asked for that the labeller was not made for");
    return SHW_OK;
}

/* The largest number of pixels that a region may have. */
static uint64_t region_pixels(const struct shw_labeller *labeller)
{
    const struct shw_device *device = labeller->params.device;
    const struct shw_forest_room *room = &labeller->params.room;
    uint64_t trees = room->trees > labeller->info->tree_count ? room->trees : labeller->info->tree_count;
    uint64_t classes =
        (room->classes > labeller->info->class_count ? room->classes : labeller->info->class_count) + 3ull;
    uint64_t channels = labeller->set->channel_count, widest = 4 * channels, limit = UINT64_MAX;

    if (labeller->channels == SHW_TECHNIQUE_CPU || labeller->integrate == SHW_TECHNIQUE_CPU ||
        labeller->evaluate == SHW_TECHNIQUE_CPU)
        limit = HOST_BYTES / (6 * channels);
    if (shw_labeller_uses_device(labeller)) {
        uint64_t range, memory, total = 12 * channels + 4 * trees + 2 * classes + 64;
        struct shw_device_description description;
        shw_device_describe(device, &description);
        if (labeller->evaluate != SHW_TECHNIQUE_CPU) {
            widest = 4 * trees > widest ? 4 * trees : widest;
            widest = 2 * classes > widest ? 2 * classes : widest;
        }
        range = device->properties.limits.maxStorageBufferRange / widest;
        memory = description.memory_bytes / 4 / total;
        limit = range < limit ? range : limit;
        limit = memory < limit ? memory : limit;
    }
    return limit;
}

/* The largest region of this image that is processed at once. */
static void choose_region(const struct shw_labeller *labeller, const struct shw_image *image, uint32_t *width,
                          uint32_t *height)
{
    const struct shw_labeller_params *params = &labeller->params;
    uint32_t side = SHW_IMAGE_SIZE_MAX;
    uint64_t pixels = region_pixels(labeller);

    if (shw_labeller_uses_device(labeller) && params->device->properties.limits.maxImageDimension2D - 1 < side)
        side = params->device->properties.limits.maxImageDimension2D - 1; /* integral images have one more */
    *width = params->width > 0 && params->width < side ? params->width : side;
    *height = params->height > 0 && params->height < side ? params->height : side;
    *width = *width < image->width ? *width : image->width;
    *height = *height < image->height ? *height : image->height;
    /* integral images and even strides: (w + 2) * (h + 1) elements */
    if (((uint64_t)*width + 2) * ((uint64_t)*height + 1) > pixels) {
        uint32_t root = (uint32_t)sqrt((double)pixels) - 2;
        *width = *width < root ? *width : root;
        *height = (uint32_t)(pixels / (*width + 2)) - 1 < *height ? (uint32_t)(pixels / (*width + 2)) - 1 : *height;
    }
}

static VkDeviceSize bytes_of(const struct shw_planes *planes)
{
    return planes->buffer.size > 0
               ? planes->buffer.size
               : (VkDeviceSize)planes->stride * planes->height * planes->count * planes->element + 3;
}

/* Where the results of a tile lie in the readback buffer. */
struct readback {
    VkDeviceSize leaves, distribution, argmax, size;
};

static struct readback readback_layout(const struct shw_labeller *labeller)
{
    const struct shw_evaluate_slot *slot = labeller->frame.evaluate_stage.slot;
    struct readback layout = {0};

    if (slot == NULL)
        return layout;
    layout.distribution = (bytes_of(&slot->leaves) + 15) & ~(VkDeviceSize)15;
    layout.argmax = layout.distribution + ((bytes_of(&slot->distribution) + 15) & ~(VkDeviceSize)15);
    layout.size = layout.argmax + bytes_of(&slot->argmax);
    return layout;
}

/* Makes frame, source and transfer buffers large enough for regions of this size. */
static enum shw_result prepare(struct shw_labeller *labeller, const struct shw_image *image, uint32_t width,
                               uint32_t height)
{
    struct shw_labeller_frame *frame = &labeller->frame;
    VkFormat format = shw_source_pixel_format(image->format);
    VkDeviceSize upload = 0, readback;

    if (frame->width < width || frame->height < height) {
        uint32_t slots = frame->slots > 0 ? frame->slots : 1;
        uint32_t widest = width > frame->width ? width : frame->width;
        uint32_t highest = height > frame->height ? height : frame->height;
        /* room for images of both shapes, unless a wide and a high one together would be too much for the device */
        if (((uint64_t)widest + 2) * ((uint64_t)highest + 1) <= region_pixels(labeller)) {
            width = widest;
            height = highest;
        }
        shw_labeller_frame_destroy(labeller);
        SHW_PROPAGATE(shw_labeller_frame_create(labeller, width, height, slots));
    }
    if (labeller->channels != SHW_TECHNIQUE_CPU) {
        SHW_PROPAGATE(shw_labeller_need_source(labeller, format));
        upload = (VkDeviceSize)frame->width * frame->height * 8;
    }
    readback = readback_layout(labeller).size;
    if (labeller->channels == SHW_TECHNIQUE_CPU && labeller->integrate != SHW_TECHNIQUE_CPU)
        upload = frame->channels[0].buffer.size;
    if (labeller->integrate == SHW_TECHNIQUE_CPU && labeller->evaluate != SHW_TECHNIQUE_CPU &&
        frame->integrals[0].buffer.size > upload)
        upload = frame->integrals[0].buffer.size;
    if (labeller->channels != SHW_TECHNIQUE_CPU && labeller->integrate == SHW_TECHNIQUE_CPU &&
        frame->channels[0].buffer.size > readback)
        readback = frame->channels[0].buffer.size;
    if (labeller->integrate != SHW_TECHNIQUE_CPU && labeller->evaluate == SHW_TECHNIQUE_CPU &&
        frame->integrals[0].buffer.size > readback)
        readback = frame->integrals[0].buffer.size;
    if (upload > 0)
        SHW_PROPAGATE(shw_labeller_need_upload(labeller, upload));
    if (readback > 0)
        SHW_PROPAGATE(shw_labeller_need_readback(labeller, readback));
    return SHW_OK;
}

static enum shw_result begin(struct run *run)
{
    return run->commands != VK_NULL_HANDLE ? SHW_OK : shw_submit_begin(run->labeller->params.device, &run->commands);
}

static enum shw_result finish(struct run *run)
{
    VkCommandBuffer commands = run->commands;

    run->commands = VK_NULL_HANDLE;
    return shw_submit_wait(run->labeller->params.device, commands);
}

/* Brings planes that the device has just made to the host. */
static enum shw_result fetch(struct run *run, const struct shw_planes *planes, enum shw_technique from, void *host,
                             uint32_t width, uint32_t height)
{
    struct shw_labeller *labeller = run->labeller;
    const struct shw_device *device = labeller->params.device;
    struct shw_recording recording = shw_recording_whole(device, run->commands);
    VkBufferCopy region = {.size = planes->buffer.size};

    shw_labeller_hand_over(&recording, planes, from, SHW_TECHNIQUE_CPU, width, height);
    device->vk.CmdCopyBuffer(run->commands, planes->buffer.handle, labeller->transfer.readback.handle, 1, &region);
    shw_buffer_barrier(device, run->commands, labeller->transfer.readback.handle, shw_use_copy_target,
                       shw_use_host_read);
    SHW_PROPAGATE(finish(run));
    shw_labeller_unpack_planes(labeller, planes, host, width, height);
    return SHW_OK;
}

/* The region's pixels. */
static struct shw_image piece_of(const struct run *run)
{
    const struct shw_region *region = &run->tile.region;
    struct shw_image piece = *run->image;
    size_t pixel = shw_pixel_size(piece.format);

    piece.stride = piece.stride > 0 ? piece.stride : pixel * piece.width;
    piece.pixels = (const char *)piece.pixels + region->y * piece.stride + region->x * pixel;
    piece.width = region->width;
    piece.height = region->height;
    return piece;
}

/* A stage on the host by a caller's technique. */
static enum shw_result run_custom(struct run *run, enum shw_stage stage)
{
    const struct shw_labeller *labeller = run->labeller;
    const struct shw_custom_technique *custom = labeller->params.custom[stage];
    struct shw_custom_host_frame frame = {.frame = shw_custom_frame_of(&run->tile),
                                          .forest = shw_custom_forest_of(labeller->params.forest),
                                          .threads = shw_thread_pool_size(labeller->pool),
                                          .image = piece_of(run),
                                          .channels = labeller->transfer.channels,
                                          .integrals = labeller->transfer.integrals,
                                          .out = *run->out,
                                          .log = labeller->params.log};

    return custom->run(custom->user, &frame);
}

static enum shw_result run_channels(struct run *run)
{
    struct shw_labeller *labeller = run->labeller;
    const struct shw_region *region = &run->tile.region;
    struct shw_recording recording;
    enum shw_result result;

    if (labeller->channels == SHW_TECHNIQUE_CPU) {
        struct shw_image piece = piece_of(run);
        if (labeller->params.custom[SHW_STAGE_CHANNELS] != NULL)
            return run_custom(run, SHW_STAGE_CHANNELS);
        result = shw_channels_cpu(labeller->set, &(struct shw_channel_images){{&piece}}, region,
                                  labeller->transfer.channels, labeller->pool);
        return result == SHW_OK ? SHW_OK : shw_fail_memory(&labeller->params.log, "channels");
    }
    SHW_TRY(begin(run));
    SHW_TRY(shw_labeller_upload_source(labeller, run->commands, run->image, region, labeller->channels));
    recording = shw_recording_whole(labeller->params.device, run->commands);
    shw_labeller_record_channels(labeller, &recording, 0, labeller->transfer.source_view,
                                 labeller->transfer.source.format, &run->tile);

fail:
    return result;
}

static enum shw_result run_integrate(struct run *run)
{
    struct shw_labeller *labeller = run->labeller;
    const struct shw_region *region = &run->tile.region;
    int16_t *host = labeller->transfer.channels;
    const struct shw_planes *channels = labeller->frame.channels;
    struct shw_recording recording;

    if (labeller->integrate == SHW_TECHNIQUE_CPU) {
        if (labeller->channels != SHW_TECHNIQUE_CPU)
            SHW_PROPAGATE(fetch(run, channels, labeller->channels, host, region->width, region->height));
        if (labeller->params.custom[SHW_STAGE_INTEGRATE] != NULL)
            return run_custom(run, SHW_STAGE_INTEGRATE);
        shw_integrate_cpu(host, region->width, region->height, labeller->set->channel_count,
                          labeller->transfer.integrals, labeller->pool);
        return SHW_OK;
    }
    SHW_PROPAGATE(begin(run));
    if (labeller->channels == SHW_TECHNIQUE_CPU)
        SHW_PROPAGATE(
            shw_labeller_upload_planes(labeller, run->commands, channels, host, region->width, region->height));
    recording = shw_recording_whole(labeller->params.device, run->commands);
    shw_labeller_hand_over(&recording, channels, labeller->channels, labeller->integrate, region->width,
                           region->height);
    shw_labeller_record_integrate(labeller, &recording, 0, &run->tile);
    return SHW_OK;
}

static enum shw_result evaluate_on_cpu(struct run *run)
{
    struct shw_labeller *labeller = run->labeller;
    const struct shw_region *region = &run->tile.region;
    struct shw_evaluate_tile tile = {
        .forest = labeller->params.forest,
        .planes = labeller->transfer.integrals,
        .width = region->width,
        .height = region->height,
        .image = {-(int32_t)region->x, -(int32_t)region->y, (int32_t)region->full_width - (int32_t)region->x,
                  (int32_t)region->full_height - (int32_t)region->y},
        .x = run->tile.x,
        .y = run->tile.y,
        .tile_width = run->tile.width,
        .tile_height = run->tile.height,
        .out = *run->out,
        .out_width = region->full_width,
        .out_height = region->full_height,
        .out_x = region->x + run->tile.x,
        .out_y = region->y + run->tile.y,
    };

    if (shw_evaluate_cpu(&tile, labeller->pool) != SHW_OK)
        return shw_fail_memory(&labeller->params.log, "an evaluation");
    return SHW_OK;
}

/* Records the copy of a tile's planes into the readback buffer, as rows of the planes' stride. */
static void record_readback(const struct run *run, const struct shw_planes *planes, VkDeviceSize offset)
{
    const struct shw_labeller *labeller = run->labeller;
    const struct shw_device *device = labeller->params.device;
    VkBufferCopy buffer = {.dstOffset = offset, .size = planes->buffer.size};
    VkBufferImageCopy image = {.bufferOffset = offset,
                               .bufferRowLength = planes->stride,
                               .bufferImageHeight = planes->height,
                               .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, planes->count},
                               .imageExtent = {run->tile.width, run->tile.height, 1}};

    if (planes->count == 0)
        return;
    if (labeller->evaluate == SHW_TECHNIQUE_FRAGMENT)
        device->vk.CmdCopyImageToBuffer(run->commands, planes->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                        labeller->transfer.readback.handle, 1, &image);
    else
        device->vk.CmdCopyBuffer(run->commands, planes->buffer.handle, labeller->transfer.readback.handle, 1, &buffer);
}

/* Moves the first `count` planes of a tile from the readback buffer to their place in the caller's planes. */
static void scatter(const struct run *run, const struct shw_planes *planes, VkDeviceSize offset, uint32_t count,
                    void *out)
{
    const struct shw_region *region = &run->tile.region;
    const char *mapped = (const char *)run->labeller->transfer.readback.mapped + offset;
    size_t stride = (size_t)planes->stride * planes->element, row = (size_t)run->tile.width * planes->element;

    if (out == NULL)
        return;
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t y = 0; y < run->tile.height; y++) {
            size_t target = ((size_t)p * region->full_height + region->y + run->tile.y + y) * region->full_width +
                            region->x + run->tile.x;
            memcpy((char *)out + target * planes->element, mapped + ((size_t)p * planes->height + y) * stride, row);
        }
}

static enum shw_result run_evaluate(struct run *run)
{
    struct shw_labeller *labeller = run->labeller;
    const struct shw_device *device = labeller->params.device;
    const struct shw_planes *integrals = labeller->frame.integrals;
    uint32_t width = run->tile.region.width + 1, height = run->tile.region.height + 1;
    struct readback layout = readback_layout(labeller);
    const struct shw_evaluate_slot *slot = labeller->frame.evaluate_stage.slot;
    struct shw_recording recording;

    if (labeller->evaluate == SHW_TECHNIQUE_CPU) {
        if (labeller->integrate != SHW_TECHNIQUE_CPU)
            SHW_PROPAGATE(fetch(run, integrals, labeller->integrate, labeller->transfer.integrals, width, height));
        return labeller->params.custom[SHW_STAGE_EVALUATE] != NULL ? run_custom(run, SHW_STAGE_EVALUATE)
                                                                   : evaluate_on_cpu(run);
    }
    SHW_PROPAGATE(begin(run));
    if (labeller->integrate == SHW_TECHNIQUE_CPU)
        SHW_PROPAGATE(shw_labeller_upload_planes(labeller, run->commands, integrals, labeller->transfer.integrals,
                                                 width, height));
    recording = shw_recording_whole(device, run->commands);
    shw_labeller_hand_over(&recording, integrals, labeller->integrate, labeller->evaluate, width, height);
    shw_labeller_record_evaluate(labeller, &recording, 0, &run->tile);
    record_readback(run, &slot->leaves, layout.leaves);
    record_readback(run, &slot->distribution, layout.distribution);
    record_readback(run, &slot->argmax, layout.argmax);
    shw_buffer_barrier(device, run->commands, labeller->transfer.readback.handle, shw_use_copy_target,
                       shw_use_host_read);
    SHW_PROPAGATE(finish(run));
    scatter(run, &slot->leaves, layout.leaves, 1, run->out->tree_leaf);
    scatter(run, &slot->leaves, layout.leaves, labeller->info->tree_count, run->out->forest_leaves);
    scatter(run, &slot->distribution, layout.distribution, labeller->info->class_count, run->out->distribution);
    scatter(run, &slot->argmax, layout.argmax, 1, run->out->argmax);
    return SHW_OK;
}

void shw_labeller_interrupt(struct shw_labeller *labeller)
{
    atomic_store_explicit(&labeller->interrupted, true, memory_order_relaxed);
    if (labeller->pool != NULL)
        shw_thread_pool_stop(labeller->pool);
}

static enum shw_result check_interruption(const struct shw_labeller *labeller)
{
    return atomic_load_explicit(&labeller->interrupted, memory_order_relaxed)
               ? shw_fail(&labeller->params.log, SHW_ERROR_CANCELLED, SHW_LOG_PROGRESS, "labelling was interrupted")
               : SHW_OK;
}

static enum shw_result run_tile(struct run *run)
{
    enum shw_result (*const stages[SHW_STAGE_COUNT])(struct run *) = {run_channels, run_integrate, run_evaluate};
    enum shw_result result;

    SHW_TRY(shw_labeller_host_planes(run->labeller, &run->tile.region));
    SHW_TRY(check_interruption(run->labeller));
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++) {
        SHW_TRY(stages[s](run));
        SHW_TRY(check_interruption(run->labeller));
    }

fail:
    if (run->commands != VK_NULL_HANDLE) {
        shw_submit_abandon(run->labeller->params.device, run->commands);
        shw_evaluate_stage_forget(&run->labeller->frame.evaluate_stage);
    }
    run->commands = VK_NULL_HANDLE;
    return result;
}

enum shw_result shw_labeller_run(struct shw_labeller *labeller, const struct shw_image *image,
                                 const struct shw_labelling *out)
{
    struct run run = {.labeller = labeller, .image = image, .out = out};
    struct shw_tiling tiling;
    uint32_t width, height;

    SHW_PROPAGATE(check(labeller, image, out));
    choose_region(labeller, image, &width, &height);
    if (!shw_tiling_make(image->width, image->height, labeller->margin, width, height, &tiling))
        return shw_fail(&labeller->params.log, SHW_ERROR_LIMIT, SHW_LOG_TILING,
                        "tiles of %u x %u are too small for a forest that looks %u pixels far", width, height,
                        labeller->margin);
    if (tiling.columns * tiling.rows > 1)
        shw_log_message(&labeller->params.log, SHW_LOG_INFO, SHW_LOG_TILING, "%u x %u pixels in %u x %u tiles",
                        image->width, image->height, tiling.columns, tiling.rows);
    if (shw_labeller_uses_device(labeller))
        SHW_PROPAGATE(prepare(labeller, image, width, height));
    for (uint32_t i = 0; i < tiling.columns * tiling.rows; i++) {
        run.tile = shw_tiling_get(&tiling, i);
        SHW_PROPAGATE(run_tile(&run));
    }
    return SHW_OK;
}
