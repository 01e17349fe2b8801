/* Records stages and the transfers between them. */
#include <string.h>

#include "dense/channels/posterior.h"
#include "dense/pipeline/pipeline.h"
#include "vulkan/commands.h"

/* How a stage leaves its planes, and how it expects them. Host planes are in a buffer that copies write and read. */
static struct shw_use use_after(enum shw_planes_form form)
{
    return form == SHW_PLANES_IMAGE    ? shw_use_attachment
           : form == SHW_PLANES_BUFFER ? shw_use_compute_write
                                       : shw_use_copy_target;
}

static struct shw_use use_before(enum shw_planes_form form)
{
    return form == SHW_PLANES_IMAGE    ? shw_use_fragment_sampled
           : form == SHW_PLANES_BUFFER ? shw_use_compute_read
                                       : shw_use_copy_source;
}

/* How a stage uses memory that others have used before or will use. */
static struct shw_use use_of(const struct shw_pipeline_stage *stage)
{
    if (stage->add == NULL)
        return shw_use_anything;
    return stage->technique->form == SHW_PLANES_IMAGE ? shw_use_render_pass : shw_use_compute_write;
}

/* How earlier commands of the pipeline's recordings have used it: its stages, and copies of their planes. */
static struct shw_use use_before_stage(const struct shw_pipeline *pipeline)
{
    struct shw_use all = {.stages = VK_PIPELINE_STAGE_TRANSFER_BIT, .access = VK_ACCESS_TRANSFER_WRITE_BIT};

    for (uint32_t s = 0; s < pipeline->stage_count; s++)
        if (!shw_pipeline_on_host(pipeline, s)) {
            struct shw_use use = use_of(&pipeline->stages[s]);
            all.stages |= use.stages;
            all.access |= use.access;
        }
    return all;
}

static void barrier(struct shw_recording *recording, const struct shw_planes *planes, bool image, struct shw_use before,
                    struct shw_use after)
{
    if (image)
        shw_recording_image_barrier(recording, planes->image.handle, before, after);
    else
        shw_recording_buffer_barrier(recording, planes->buffer.handle, before, after);
}

static void copy(struct shw_recording *recording, const struct shw_planes *planes, bool to_image, uint32_t width,
                 uint32_t height)
{
    if (!shw_recording_step(recording, 1 + (uint64_t)planes->count * width * height))
        return;
    if (to_image)
        shw_planes_copy_to_image(recording->device, recording->commands, planes, width, height);
    else
        shw_planes_copy_to_buffer(recording->device, recording->commands, planes, width, height);
}

void shw_pipeline_transition(const struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                             uint32_t stage, const struct shw_stage_frame *frame)
{
    enum shw_planes_form from = pipeline->stages[stage].technique->form,
                         to = pipeline->stages[stage + 1].technique->form;
    const struct shw_pipeline_planes *between = &pipeline->planes[pipeline->stages[stage].makes];
    const struct shw_planes *planes = &between->slots[slot];
    bool is_image = from == SHW_PLANES_IMAGE, to_image = to == SHW_PLANES_IMAGE;

    if (from == SHW_PLANES_BUFFER && to == SHW_PLANES_BUFFER)
        return; /* shw_pipeline_record() has a barrier for them */
    if (is_image == to_image) {
        barrier(recording, planes, is_image, use_after(from), use_before(to));
        return;
    }
    /* the other form may be where scratch memory of the stage was */
    shw_recording_memory_barrier(recording, use_before_stage(pipeline), shw_use_copy_target);
    barrier(recording, planes, is_image, use_after(from), shw_use_copy_source);
    if (to_image)
        barrier(recording, planes, true, shw_use_discarded_by_copy, shw_use_copy_target);
    copy(recording, planes, to_image, frame->width + between->more, frame->height + between->more);
    barrier(recording, planes, to_image, shw_use_copy_target, use_before(to));
}

struct shw_use shw_pipeline_ready_use(const struct shw_pipeline *pipeline, const struct shw_pipeline_planes *planes)
{
    uint32_t reader = (uint32_t)(planes - pipeline->planes) + 1;

    return reader < pipeline->stage_count ? use_before(pipeline->stages[reader].technique->form) : shw_use_copy_source;
}

static struct shw_use sampled_by(const struct shw_pipeline *pipeline, uint32_t stage)
{
    return pipeline->stages[stage].technique->form == SHW_PLANES_IMAGE ? shw_use_fragment_sampled
                                                                       : shw_use_compute_sampled;
}

struct shw_use shw_pipeline_source_use(const struct shw_pipeline *pipeline)
{
    struct shw_use use = sampled_by(pipeline, 0), guide = sampled_by(pipeline, pipeline->stage_count - 1);

    if (pipeline->params.smoothing.cells > 0 || pipeline->params.formats.overlay != VK_FORMAT_UNDEFINED) {
        use.stages = (shw_pipeline_on_host(pipeline, 0) ? 0 : use.stages) | guide.stages;
        use.access |= guide.access;
    }
    use.stages |= pipeline->params.reader.stages;
    use.access |= pipeline->params.reader.access;
    return use;
}

/* For a technique that reads the forest from a buffer: the first recording copies it there. */
static void record_forest(struct shw_pipeline *pipeline, struct shw_recording *recording,
                          struct shw_pipeline_stage *stage)
{
    if (!shw_recording_step(recording, 1) || stage->table.number == pipeline->number)
        return;
    shw_forest_table_record(recording->device, recording->commands, &stage->table);
    stage->table.number = pipeline->number;
}

static bool is_whole(const struct shw_stage_frame *frame)
{
    return frame->width == frame->full_width && frame->height == frame->full_height;
}

/* Of parts of images, the host has filled the depth. */
static void record_fill(const struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                        struct shw_stage_frame *frame, struct shw_stage_source sources[SHW_INPUTS_MAX])
{
    memcpy(sources, frame->sources, frame->source_count * sizeof *sources);
    pipeline->fill->record(pipeline->fill, recording, slot, frame->width, frame->height, sources);
    frame->sources = sources;
}

/* Whether commands before those of a tile use the same memory. Where each slot has its own, the slot's last recording
   has finished. */
static bool is_shared(const struct shw_pipeline *pipeline, uint32_t tile)
{
    return tile > 0 || pipeline->scratch_sets < pipeline->slots || pipeline->params.keeps_planes;
}

/* Planes may be where others were that earlier commands use, of this frame or of another slot's. */
static void begin_stage(const struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t number,
                        uint32_t tile)
{
    if (number > 0 || is_shared(pipeline, tile))
        shw_recording_memory_barrier(recording, use_before_stage(pipeline), use_of(&pipeline->stages[number]));
}

/* Smoothing is done in the form of the last stage, and so are the images for the level above and targets. */
static void begin_in_last_form(const struct shw_pipeline *pipeline, struct shw_recording *recording)
{
    shw_recording_memory_barrier(recording, use_before_stage(pipeline),
                                 use_of(&pipeline->stages[pipeline->stage_count - 1]));
}

void shw_pipeline_record_fill(struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                              VkExtent2D image, struct shw_stage_source *sources)
{
    if (pipeline->fill == NULL)
        return;
    begin_stage(pipeline, recording, 0, 0);
    pipeline->fill->record(pipeline->fill, recording, slot, image.width, image.height, sources);
}

/* Extends the frame's tile to all pixels within reach of smoothing, as far as they are in the image. */
static void extend_to_reach(const struct shw_pipeline *pipeline, struct shw_stage_frame *frame)
{
    const uint32_t reach = shw_smooth_reach(&pipeline->params.smoothing);

    const struct shw_pixel_range x =
        shw_within_reach(frame->tile_x, frame->tile_width, reach, frame->full_width - frame->x);
    const struct shw_pixel_range y =
        shw_within_reach(frame->tile_y, frame->tile_height, reach, frame->full_height - frame->y);

    frame->tile_x = x.begin;
    frame->tile_y = y.begin;
    frame->tile_width = x.end - x.begin;
    frame->tile_height = y.end - y.begin;
}

void shw_pipeline_record_guide(struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                               const struct shw_stage_frame *frame)
{
    if (pipeline->smooth == NULL)
        return;
    if (is_shared(pipeline, frame->number))
        begin_in_last_form(pipeline, recording);
    shw_smooth_passes_record_guide(pipeline->smooth, recording, slot, frame);
}

void shw_pipeline_record(struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot, uint32_t number,
                         const struct shw_stage_frame *given)
{
    struct shw_pipeline_stage *stage = &pipeline->stages[number];
    struct shw_stage_source sources[SHW_INPUTS_MAX];
    struct shw_stage_frame frame = *given, seen;
    const bool smooths = pipeline->smooth != NULL && number + 1 == pipeline->stage_count;

    if (number == 0)
        shw_pipeline_record_guide(pipeline, recording, slot, given);
    begin_stage(pipeline, recording, number, given->number);
    if (stage->technique->wants_forest)
        record_forest(pipeline, recording, stage);
    if (number == 0 && pipeline->fill != NULL && is_whole(given))
        record_fill(pipeline, recording, slot, &frame, sources);
    if (smooths)
        extend_to_reach(pipeline, &frame);
    seen = shw_pipeline_seen_frame(pipeline, stage->stage, frame);
    stage->technique->record(stage->instance, recording->commands, slot, &seen, &recording->stretch);
    if (!smooths)
        return;
    begin_in_last_form(pipeline, recording);
    shw_smooth_passes_record(pipeline->smooth, recording, slot, given, frame.tile_x, frame.tile_y,
                             pipeline->info->class_count);
}

void shw_pipeline_record_posteriors(struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                                    const struct shw_tile *tile, uint32_t number, uint32_t count)
{
    const struct shw_posterior_tile part = {tile->results.x, tile->results.y, tile->width, tile->height, number, count};

    begin_in_last_form(pipeline, recording);
    shw_posterior_passes_record(pipeline->posteriors, recording, slot, &part, pipeline->info->class_count,
                                pipeline->params.reader);
}

struct shw_stage_source shw_pipeline_posterior(const struct shw_pipeline *pipeline, uint32_t slot, const char *name)
{
    return (struct shw_stage_source){
        .name = name,
        .view = shw_posterior_passes_view(pipeline->posteriors, slot, shw_posterior_number(name)),
        .format = SHW_POSTERIOR_FORMAT};
}

struct shw_pipeline_result shw_pipeline_result(const struct shw_pipeline *pipeline, const char *name,
                                               const struct shw_tile *tile)
{
    const bool is_distribution = strcmp(name, SHW_DISTRIBUTION) == 0;
    struct shw_stage_frame frame = shw_stage_frame_of(tile);
    struct shw_pipeline_result result = {0};

    result.planes =
        shw_pipeline_find(pipeline, pipeline->smooth != NULL && is_distribution ? SHW_PIPELINE_SMOOTHED : name);
    if (pipeline->smooth != NULL && strcmp(name, SHW_LEAVES) == 0) {
        extend_to_reach(pipeline, &frame);
        result.x = tile->x - frame.tile_x;
        result.y = tile->y - frame.tile_y;
    }
    return result;
}

bool shw_pipeline_converts(const struct shw_pipeline *pipeline, uint32_t target, VkFormat format)
{
    return pipeline->targets != NULL && shw_target_is_made(&pipeline->params.formats, target, format);
}

void shw_pipeline_convert(const struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                          const struct shw_tile *tile, struct shw_target_job job)
{
    const struct shw_pipeline_result result = shw_pipeline_result(pipeline, shw_target_get(job.target)->results, tile);

    job.info = pipeline->info;
    job.width = shw_tile_columns(tile);
    job.height = shw_tile_rows(tile);
    job.x = result.x;
    job.y = result.y;
    job.source_x = tile->region.x + tile->x;
    job.source_y = tile->region.y + tile->y;
    job.step = tile->results.step;
    begin_in_last_form(pipeline, recording);
    shw_target_passes_record(pipeline->targets, recording, slot, &job);
}

/* Planes that are copied to a target, and where a tile is in them. */
struct copied {
    const struct shw_planes *planes;
    uint32_t x, y;
};

static struct copied copied_to(const struct shw_pipeline *pipeline, uint32_t slot, uint32_t target, VkFormat format,
                               const struct shw_tile *tile)
{
    struct shw_pipeline_result result;

    if (shw_pipeline_converts(pipeline, target, format))
        return (struct copied){.planes = shw_target_passes_made(pipeline->targets, target, slot)};
    result = shw_pipeline_result(pipeline, shw_target_get(target)->results, tile);
    return (struct copied){&result.planes->slots[slot], result.x, result.y};
}

/* Of plane 0, in bytes. */
static VkDeviceSize offset_of(const struct copied *copied)
{
    return ((VkDeviceSize)copied->y * copied->planes->stride + copied->x) * copied->planes->element;
}

void shw_pipeline_copy_out(const struct shw_pipeline *pipeline, VkCommandBuffer commands, uint32_t slot,
                           uint32_t target, const struct shw_image_use *use, const struct shw_tile *tile, uint32_t x,
                           uint32_t y)
{
    const struct shw_device *device = pipeline->params.device;
    const struct copied copied = copied_to(pipeline, slot, target, use->format, tile);
    const struct shw_planes *planes = copied.planes;
    const VkExtent3D extent = {shw_tile_columns(tile), shw_tile_rows(tile), 1};
    const VkOffset3D place = {(int32_t)(x + tile->results.x), (int32_t)(y + tile->results.y), 0};
    VkImageSubresourceLayers layers = shw_part_layers(use);
    VkImageCopy image = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers.layerCount},
                         .srcOffset = {(int32_t)copied.x, (int32_t)copied.y, 0},
                         .dstSubresource = layers,
                         .dstOffset = place,
                         .extent = extent};
    VkBufferImageCopy buffer = {.bufferOffset = offset_of(&copied),
                                .bufferRowLength = planes->stride,
                                .bufferImageHeight = planes->height,
                                .imageSubresource = layers,
                                .imageOffset = place,
                                .imageExtent = extent};

    if (planes->image.handle != VK_NULL_HANDLE)
        device->vk.CmdCopyImage(commands, planes->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, use->image,
                                VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &image);
    else
        device->vk.CmdCopyBufferToImage(commands, planes->buffer.handle, use->image,
                                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &buffer);
}

#define ROWS 64u /* of a copy between buffers */

/* Some bytes of rows of one plane. */
static void copy_rows(const struct shw_pipeline *pipeline, VkCommandBuffer commands, VkBuffer from, VkBuffer to,
                      VkBufferCopy first, VkDeviceSize from_row, VkDeviceSize to_row, uint32_t rows)
{
    VkBufferCopy copies[ROWS];

    for (uint32_t row = 0, count = 0; row < rows; row++) {
        copies[count++] = first;
        first.srcOffset += from_row;
        first.dstOffset += to_row;
        if (count < ROWS && row + 1 < rows)
            continue;
        pipeline->params.device->vk.CmdCopyBuffer(commands, from, to, count, copies);
        count = 0;
    }
}

void shw_pipeline_copy_buffer(const struct shw_pipeline *pipeline, VkCommandBuffer commands, uint32_t slot,
                              uint32_t target, const struct shw_buffer_use *use, uint32_t layers,
                              const struct shw_tile *tile)
{
    const struct shw_device *device = pipeline->params.device;
    const struct copied copied = copied_to(pipeline, slot, target, use->format, tile);
    const struct shw_planes *planes = copied.planes;
    const VkDeviceSize row = (VkDeviceSize)planes->stride * planes->element;
    const uint32_t columns = shw_tile_columns(tile), rows = shw_tile_rows(tile);
    VkDeviceSize to = use->offset + tile->results.y * use->row_stride + (VkDeviceSize)tile->results.x * planes->element;

    for (uint32_t layer = 0; layer < layers; layer++, to += use->plane_stride) {
        const VkBufferImageCopy image = {.bufferOffset = to,
                                         .bufferRowLength = (uint32_t)(use->row_stride / planes->element),
                                         .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1},
                                         .imageOffset = {(int32_t)copied.x, (int32_t)copied.y, 0},
                                         .imageExtent = {columns, rows, 1}};
        VkBufferCopy first = {.srcOffset = offset_of(&copied) + layer * row * planes->height,
                              .dstOffset = to,
                              .size = (VkDeviceSize)columns * planes->element};
        if (planes->image.handle != VK_NULL_HANDLE) {
            device->vk.CmdCopyImageToBuffer(commands, planes->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                            use->buffer, 1, &image);
            continue;
        }
        if (use->row_stride == row && columns == planes->stride) { /* without padding on either side */
            first.size *= rows;
            copy_rows(pipeline, commands, planes->buffer.handle, use->buffer, first, row, row, 1);
        } else {
            copy_rows(pipeline, commands, planes->buffer.handle, use->buffer, first, row, use->row_stride, rows);
        }
    }
}
