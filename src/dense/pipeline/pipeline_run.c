#include "dense/pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/pixels.h"
#include "dense/channels/posterior.h"
#include "vulkan/commands.h"

/* Transfers between host and device for running. */

static void destroy_sources(struct shw_pipeline *pipeline)
{
    struct shw_device *device = pipeline->params.device;

    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++) {
        if (pipeline->views[i] != VK_NULL_HANDLE)
            device->vk.DestroyImageView(device->handle, pipeline->views[i], device->allocator);
        pipeline->views[i] = VK_NULL_HANDLE;
        pipeline->sources[i] = (struct shw_stage_source){0};
        shw_vulkan_image_destroy(device, &pipeline->images[i]);
    }
}

void shw_pipeline_free_transfer(struct shw_pipeline *pipeline)
{
    if (pipeline->params.device == NULL)
        return;
    shw_buffer_destroy(pipeline->params.device, &pipeline->upload);
    shw_buffer_destroy(pipeline->params.device, &pipeline->readback);
    destroy_sources(pipeline);
}

static enum shw_result need_buffer(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                   enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer)
{
    if (buffer->size >= size)
        return SHW_OK;
    shw_buffer_destroy(device, buffer);
    return shw_buffer_create(device, size, usage, kind, name, buffer);
}

enum shw_result shw_pipeline_need_transfer(struct shw_pipeline *pipeline, VkDeviceSize upload, VkDeviceSize readback)
{
    struct shw_device *device = pipeline->params.device;

    SHW_PROPAGATE(
        need_buffer(device, upload, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "upload", &pipeline->upload));
    return need_buffer(device, readback, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, "readback",
                       &pipeline->readback);
}

#define NOWHERE UINT32_MAX

/* The place among the sources of the level below of what is there already; NOWHERE: it is uploaded. Each level may fill
 * the depth in its own way. */
static uint32_t place_below(const struct shw_pipeline *pipeline, uint32_t links, uint32_t input)
{
    const char *name = pipeline->info->channel_list->inputs[input];
    const struct shw_channel_list *below;

    if ((links & SHW_PIPELINE_AFTER_BELOW) == 0 || strcmp(name, SHW_DEPTH) == 0)
        return NOWHERE;
    below = pipeline->params.below->info->channel_list;
    for (uint32_t i = 0; i < below->input_count; i++)
        if (strcmp(below->inputs[i], name) == 0 && !shw_posterior_is_name(name))
            return i;
    return NOWHERE;
}

/* Whether an input is an image that the level below has just made. */
static bool is_posterior(const struct shw_pipeline *pipeline, uint32_t links, uint32_t input)
{
    return (links & SHW_PIPELINE_AFTER_BELOW) != 0 &&
           shw_posterior_is_name(pipeline->info->channel_list->inputs[input]);
}

static bool is_uploaded(const struct shw_pipeline *pipeline, uint32_t links, uint32_t input)
{
    return place_below(pipeline, links, input) == NOWHERE && !is_posterior(pipeline, links, input);
}

static bool is_plane(const struct shw_pipeline *pipeline, uint32_t input)
{
    return shw_source_is_plane(pipeline->info->channel_list->inputs[input]);
}

/* The formats of the device's images: colours have 16 bits if any input has, planes those that they are read with. */
static void find_formats(const struct shw_pipeline *pipeline, const struct shw_chosen_inputs *inputs,
                         VkFormat formats[SHW_INPUTS_MAX])
{
    const struct shw_channel_list *list = pipeline->info->channel_list;
    const bool wide = inputs != NULL && shw_inputs_are_wide(list, inputs);

    for (uint32_t i = 0; i < list->input_count; i++)
        formats[i] = !is_plane(pipeline, i) ? shw_source_format(wide)
                                            : shw_source_plane_format(inputs != NULL && inputs->of[i] != NULL &&
                                                                      shw_plane_is_wide(list, i, inputs->of[i]));
}

static bool is_wide(VkFormat format)
{
    return format == shw_source_format(true) || format == shw_source_plane_format(true);
}

/* Bytes of an input in the upload buffer, where the next begins at a multiple of 8. */
static VkDeviceSize upload_size(const struct shw_pipeline *pipeline, uint32_t input, bool wide)
{
    const VkDeviceSize pixels = (VkDeviceSize)pipeline->width * pipeline->height,
                       size = pixels * (is_plane(pipeline, input) ? 1 : 4) * (wide ? 2 : 1);

    return (size + 7) / 8 * 8;
}

static VkDeviceSize upload_sizes(const struct shw_pipeline *pipeline, const VkFormat formats[], uint32_t links)
{
    VkDeviceSize size = 0;

    for (uint32_t i = 0; i < pipeline->info->channel_list->input_count; i++)
        if (is_uploaded(pipeline, links, i))
            size += upload_size(pipeline, i, is_wide(formats[i]));
    return size;
}

static bool have_sources(const struct shw_pipeline *pipeline, const VkFormat formats[], uint32_t links)
{
    for (uint32_t i = 0; i < pipeline->info->channel_list->input_count; i++) {
        const struct shw_vulkan_image *image = &pipeline->images[i];
        if (is_uploaded(pipeline, links, i) &&
            (image->format != formats[i] || image->width != pipeline->width || image->height != pipeline->height))
            return false;
    }
    return true;
}

static enum shw_result need_sources(struct shw_pipeline *pipeline, const VkFormat formats[], uint32_t links)
{
    struct shw_device *device = pipeline->params.device;
    const struct shw_channel_list *list = pipeline->info->channel_list;
    enum shw_result result;

    if (have_sources(pipeline, formats, links))
        return SHW_OK;
    destroy_sources(pipeline);
    for (uint32_t i = 0; i < list->input_count; i++) {
        const VkFormat format = formats[i];

        if (!is_uploaded(pipeline, links, i))
            continue;
        SHW_TRY(shw_vulkan_image_create(device, format, pipeline->width, pipeline->height, 1,
                                        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, list->inputs[i],
                                        &pipeline->images[i]));
        SHW_TRY(shw_image_view_create(device, pipeline->images[i].handle, format, 0, 1, false, &pipeline->views[i]));
        pipeline->sources[i] =
            (struct shw_stage_source){.name = list->inputs[i], .view = pipeline->views[i], .format = format};
    }
    return SHW_OK;

fail:
    destroy_sources(pipeline);
    return result;
}

/* From the upload buffer into an image of the size of the region. */
static void record_upload(const struct shw_pipeline *pipeline, VkCommandBuffer commands, VkImage image,
                          VkDeviceSize offset, const struct shw_region *region)
{
    const struct shw_device *device = pipeline->params.device;
    const VkBufferImageCopy copy = {.bufferOffset = offset,
                                    .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {region->width, region->height, 1}};

    shw_image_barrier(device, commands, image, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdCopyBufferToImage(commands, pipeline->upload.handle, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                    &copy);
    shw_image_barrier(device, commands, image, shw_use_copy_target, shw_pipeline_source_use(pipeline));
}

void shw_pipeline_upload_sources(struct shw_pipeline *pipeline, VkCommandBuffer commands,
                                 const struct shw_chosen_inputs *inputs, const struct shw_region *region,
                                 uint32_t links)
{
    const struct shw_channel_list *list = pipeline->info->channel_list;
    const struct shw_pipeline *below = pipeline->params.below;
    VkDeviceSize offset = 0;

    pipeline->region = *region;
    for (uint32_t i = 0; i < list->input_count; i++) {
        const struct shw_input *input = inputs->of[inputs->of[i] != NULL ? i : 0];
        const uint32_t place = place_below(pipeline, links, i);
        struct shw_stage_source *source = &pipeline->sources[i];
        if (is_posterior(pipeline, links, i)) {
            *source = shw_pipeline_posterior(below, 0, list->inputs[i]);
        } else if (place != NOWHERE) {
            *source = below->sources[place];
            source->x += region->x - below->region.x;
            source->y += region->y - below->region.y;
        } else {
            const VkFormat format = pipeline->images[i].format;
            *source = (struct shw_stage_source){.name = list->inputs[i], .view = pipeline->views[i], .format = format};
            const bool wide = is_wide(format);
            const struct shw_depth scaling = shw_input_scaling(list, i, input);
            char *to = (char *)pipeline->upload.mapped + offset;
            if (is_plane(pipeline, i))
                shw_source_plane_copy(&input->image, &scaling, region, to);
            else
                shw_source_input_expand(&input->image, &scaling, region, false, wide, to);
            record_upload(pipeline, commands, pipeline->images[i].handle, offset, region);
            offset += upload_size(pipeline, i, wide);
        }
    }
}

struct shw_stage_frame shw_pipeline_frame(const struct shw_pipeline *pipeline, const struct shw_tile *tile)
{
    struct shw_stage_frame frame = shw_stage_frame_of(tile);

    frame.source_count = pipeline->info->channel_list->input_count;
    frame.sources = pipeline->sources;
    return frame;
}

/* Runs all stages for one tile, and waits. */

/* The state of running one tile. */
struct run {
    struct shw_pipeline *pipeline;
    const struct shw_chosen_inputs *inputs;
    const struct shw_labelling *out;
    const struct shw_tile *tile;
    struct shw_stage_frame frame;
    VkCommandBuffer commands; /* being recorded, or NULL */
    uint32_t links;           /* a sum of enum shw_pipeline_link */
};

static uint64_t trees_of(const struct shw_pipeline *pipeline)
{
    return shw_max_u32(pipeline->params.room.trees, pipeline->info->tree_count);
}

static uint64_t classes_of(const struct shw_pipeline *pipeline)
{
    return shw_max_u32(pipeline->params.room.classes, pipeline->info->class_count) + 3ull; /* groups of four */
}

/* Per pixel; zero without smoothing. */
static struct shw_smooth_bytes smoothing_bytes(const struct shw_pipeline *pipeline)
{
    return shw_smooth_bytes(&pipeline->params.smoothing, (uint32_t)classes_of(pipeline));
}

static struct shw_target_bytes target_bytes(const struct shw_pipeline *pipeline)
{
    return shw_target_bytes(&pipeline->params.formats, (uint32_t)trees_of(pipeline), (uint32_t)classes_of(pipeline));
}

/* Per pixel, the margin included (shw_pipeline_region_pixels()). */
static uint64_t means_bytes(const struct shw_pipeline *pipeline)
{
    return pipeline->means != NULL ? 2ull * pipeline->means->count : 0;
}

uint64_t shw_pipeline_buffers_max(const struct shw_pipeline *pipeline)
{
    uint64_t channels = pipeline->info->channel_list->channel_count, widest = 0;

    /* bytes per pixel; the filter bank has four base planes and one of each plane, and at most twice as many rows as
       channels */
    for (uint32_t s = 0; s + 1 < pipeline->stage_count; s++)
        if ((pipeline->planes[s].forms & SHW_PLANES_BUFFER) != 0)
            widest = shw_max_u64(shw_max_u64(4 * channels, means_bytes(pipeline)),
                                 6 + 2ull * pipeline->info->channel_list->input_count);
    if (pipeline->stages[pipeline->stage_count - 1].technique->form == SHW_PLANES_BUFFER) {
        widest = shw_max_u64(widest, shw_max_u64(4 * trees_of(pipeline), 2 * classes_of(pipeline)));
        widest = shw_max_u64(widest, smoothing_bytes(pipeline).widest);
        widest = shw_max_u64(widest, target_bytes(pipeline).widest);
    }
    return widest > 0 ? pipeline->params.device->properties.limits.maxStorageBufferRange / widest : UINT64_MAX;
}

uint64_t shw_pipeline_region_pixels(const struct shw_pipeline *pipeline, uint32_t width, uint32_t height)
{
    const uint64_t margin = pipeline->means != NULL ? pipeline->means->margin : 0;

    return shw_max_u64(width + margin + 2, shw_align_up(width + margin, 8)) * (height + margin + 1);
}

/* Per pixel. */
static uint64_t host_bytes(const struct shw_pipeline *pipeline)
{
    return 6ull * pipeline->info->channel_list->channel_count + means_bytes(pipeline);
}

static uint64_t device_bytes(const struct shw_pipeline *pipeline)
{
    const struct shw_channel_list *list = pipeline->info->channel_list;
    uint64_t total = 12ull * list->channel_count + 4 * trees_of(pipeline) + 2 * classes_of(pipeline) +
                     8 * shw_max_u64(list->input_count, 8);

    if (pipeline->params.smoothing.cells > 0)
        total += smoothing_bytes(pipeline).total + 2 * classes_of(pipeline);
    total += (shw_pipeline_uses_host(pipeline) ? 2 : 1) * means_bytes(pipeline); /* and a copy for the host */
    return total + target_bytes(pipeline).total + shw_posterior_device_bytes(pipeline->params.posteriors);
}

uint64_t shw_pipeline_pixel_bytes(const struct shw_pipeline *pipeline)
{
    return (shw_pipeline_uses_host(pipeline) ? host_bytes(pipeline) : 0) +
           (shw_pipeline_uses_device(pipeline) ? device_bytes(pipeline) : 0);
}

uint64_t shw_pipeline_region_max(const struct shw_pipeline *pipeline)
{
    uint64_t limit = UINT64_MAX, memory = pipeline->params.memory;

    if (shw_pipeline_uses_host(pipeline))
        limit = shw_pipeline_host_bytes(pipeline) / host_bytes(pipeline);
    if (shw_pipeline_uses_device(pipeline)) {
        struct shw_device_description description;
        uint64_t most;
        shw_device_describe(pipeline->params.device, &description);
        most = description.memory_bytes / 4;
        most = (memory > 0 && memory < most ? memory : most) / device_bytes(pipeline);
        limit = shw_min_u64(limit, shw_min_u64(most, shw_pipeline_buffers_max(pipeline)));
    }
    return limit;
}

static VkDeviceSize bytes_of(const struct shw_planes *planes)
{
    return planes->buffer.size > 0
               ? planes->buffer.size
               : (VkDeviceSize)planes->stride * planes->height * planes->count * planes->element + 3;
}

/* Whether planes are results: what is smoothed is not. */
static bool is_result(const struct shw_pipeline *pipeline, uint32_t planes)
{
    const struct shw_pipeline_stage *last = &pipeline->stages[pipeline->stage_count - 1];

    return planes >= last->makes &&
           (pipeline->smooth == NULL || strcmp(pipeline->planes[planes].name, SHW_DISTRIBUTION) != 0);
}

/* Offset in the readback buffer of result planes number `planes` and later ones, aligned to 16 bytes. */
static VkDeviceSize readback_size(const struct shw_pipeline *pipeline, uint32_t planes)
{
    VkDeviceSize size = 0;

    for (uint32_t p = 0; p < planes; p++)
        if (is_result(pipeline, p) && pipeline->planes[p].slots != NULL)
            size += shw_align_up(bytes_of(pipeline->planes[p].slots), 16);
    return size;
}

/* Makes planes large enough for the previous and for this size, unless that is too large for the device. */
static enum shw_result make_larger(struct shw_pipeline *pipeline, uint32_t width, uint32_t height)
{
    uint32_t slots = pipeline->slots > 0 ? pipeline->slots : 1;
    uint32_t widest = width > pipeline->width ? width : pipeline->width;
    uint32_t highest = height > pipeline->height ? height : pipeline->height;

    if (shw_pipeline_region_pixels(pipeline, widest, highest) <= shw_pipeline_region_max(pipeline)) {
        width = widest;
        height = highest;
    }
    shw_pipeline_unmake(pipeline);
    return shw_pipeline_make(pipeline, width, height, slots);
}

enum shw_result shw_pipeline_prepare(struct shw_pipeline *pipeline, const struct shw_chosen_inputs *inputs,
                                     uint32_t width, uint32_t height, uint32_t links)
{
    VkDeviceSize upload = 0, readback = 0;
    VkFormat formats[SHW_INPUTS_MAX];

    if (pipeline->width < width || pipeline->height < height)
        SHW_PROPAGATE(make_larger(pipeline, width, height));
    if (!shw_pipeline_on_host(pipeline, 0) || pipeline->smooth != NULL) {
        find_formats(pipeline, inputs, formats);
        SHW_PROPAGATE(need_sources(pipeline, formats, links));
        upload = upload_sizes(pipeline, formats, links);
    }
    if ((links & SHW_PIPELINE_BEFORE_ABOVE) == 0)
        readback = readback_size(pipeline, pipeline->planes_count);
    for (uint32_t s = 0; s + 1 < pipeline->stage_count; s++) {
        bool from_host = shw_pipeline_on_host(pipeline, s), to_host = shw_pipeline_on_host(pipeline, s + 1);
        VkDeviceSize size = from_host != to_host ? pipeline->planes[s].slots->buffer.size : 0;
        if (from_host && size > upload)
            upload = size;
        if (to_host && size > readback)
            readback = size;
    }
    return shw_pipeline_need_transfer(pipeline, upload, readback);
}

enum shw_result shw_pipeline_host_planes(struct shw_pipeline *pipeline, uint32_t width, uint32_t height)
{
    for (uint32_t s = 0; s + 1 < pipeline->stage_count; s++) {
        struct shw_pipeline_planes *planes = &pipeline->planes[s];
        size_t size = (size_t)planes->count * (width + planes->more) * (height + planes->more) *
                      shw_planes_element(planes->format);
        if ((!shw_pipeline_on_host(pipeline, s) && !shw_pipeline_on_host(pipeline, s + 1)) || planes->host_size >= size)
            continue;
        free(planes->host);
        planes->host = malloc(size);
        planes->host_size = planes->host != NULL ? size : 0;
        if (planes->host == NULL)
            return shw_fail_memory(&pipeline->params.log, planes->name);
    }
    return SHW_OK;
}

/* Fills the depth of the tile's region, unless that is whole and the device does it. */
static enum shw_result fill_inputs(struct shw_pipeline *pipeline, const struct shw_tile *tile,
                                   struct shw_chosen_inputs *inputs)
{
    const struct shw_channel_list *list = pipeline->info->channel_list;
    const struct shw_region *region = &tile->region;
    const struct shw_rect rect = {(int32_t)region->x, (int32_t)region->y, (int32_t)(region->x + region->width),
                                  (int32_t)(region->y + region->height)};
    bool is_whole = region->width == region->full_width && region->height == region->full_height;
    uint32_t depth = shw_fill_input(list);

    if (!shw_fill_affects(pipeline->params.fill, list) || (pipeline->fill != NULL && is_whole))
        return SHW_OK;
    if (shw_filled_input_make(pipeline->params.fill, inputs->of[depth], rect, &pipeline->filled) != SHW_OK)
        return shw_fail_memory(&pipeline->params.log, "the filling of depth");
    inputs->of[depth] = &pipeline->filled.input;
    return SHW_OK;
}

enum shw_result shw_pipeline_run_host(struct shw_pipeline *pipeline, uint32_t number, const struct shw_tile *tile,
                                      const struct shw_chosen_inputs *given, const struct shw_labelling *out)
{
    const struct shw_stage_technique *technique = pipeline->stages[number].technique;
    const struct shw_channel_list *list = pipeline->info->channel_list;
    struct shw_chosen_inputs inputs = *given;
    struct shw_input pieces[SHW_INPUTS_MAX];
    struct shw_stage_planes planes[2];
    struct shw_stage_host_frame frame = {
        .frame = shw_stage_frame_of(tile),
        .forest = shw_stage_forest_of(shw_pipeline_forest(pipeline, pipeline->stages[number].stage)),
        .threads = shw_thread_pool_size(pipeline->params.pool),
        .pool = pipeline->params.pool,
        .inputs = {list->input_count, pieces},
        .planes = {0, planes},
        .out = *out,
        .out_x = tile->results.x,
        .out_y = tile->results.y,
        .out_width = tile->results.width,
        .out_height = tile->results.height,
        .step = tile->results.step,
        .log = pipeline->params.log};

    frame.frame = shw_pipeline_seen_frame(pipeline, pipeline->stages[number].stage, frame.frame);
    if (number == 0)
        SHW_PROPAGATE(fill_inputs(pipeline, tile, &inputs));
    for (uint32_t i = 0; i < list->input_count; i++) {
        const struct shw_input *input = inputs.of[inputs.of[i] != NULL ? i : 0];
        pieces[i] = (struct shw_input){.name = list->inputs[i],
                                       .image = shw_image_part(&input->image, tile->region.x, tile->region.y,
                                                               tile->region.width, tile->region.height),
                                       .depth = shw_input_scaling(list, i, input)};
    }
    for (uint32_t p = number > 0 ? number - 1 : 0; p <= number && p + 1 < pipeline->stage_count; p++) {
        const struct shw_pipeline_planes *host = &pipeline->planes[p];
        planes[frame.planes.count++] =
            shw_stage_planes_host(host->name, host->format, host->host, tile->region.width + host->more,
                                  tile->region.height + host->more, host->count);
    }
    return technique->run(technique->user, &frame);
}

static enum shw_result finish(struct run *run)
{
    VkCommandBuffer commands = run->commands;

    run->commands = VK_NULL_HANDLE;
    return shw_submit_wait(run->pipeline->params.device, commands);
}

/* The planes between a stage and the next, and the size of the frame in them. */
static const struct shw_planes *between(const struct run *run, uint32_t stage, uint32_t *width, uint32_t *height)
{
    const struct shw_pipeline_planes *planes = &run->pipeline->planes[stage];

    *width = run->frame.width + planes->more;
    *height = run->frame.height + planes->more;
    return planes->slots;
}

/* Copies planes that the device has just made to the host. */
static enum shw_result fetch(struct run *run, uint32_t stage)
{
    struct shw_pipeline *pipeline = run->pipeline;
    const struct shw_device *device = pipeline->params.device;
    struct shw_recording recording = shw_recording_whole(device, run->commands);
    uint32_t width, height;
    const struct shw_planes *planes = between(run, stage, &width, &height);
    VkBufferCopy region = {.size = planes->buffer.size};

    shw_pipeline_transition(pipeline, &recording, 0, stage, &run->frame);
    device->vk.CmdCopyBuffer(run->commands, planes->buffer.handle, pipeline->readback.handle, 1, &region);
    shw_buffer_barrier(device, run->commands, pipeline->readback.handle, shw_use_copy_target, shw_use_host_read);
    SHW_PROPAGATE(finish(run));
    shw_planes_move(planes, pipeline->readback.mapped, pipeline->planes[stage].host, width, height, false);
    return SHW_OK;
}

/* Copies host planes to the device. */
static void send(struct run *run, uint32_t stage)
{
    struct shw_pipeline *pipeline = run->pipeline;
    const struct shw_device *device = pipeline->params.device;
    uint32_t width, height;
    const struct shw_planes *planes = between(run, stage, &width, &height);
    VkBufferCopy region = {.size = planes->buffer.size};

    shw_planes_move(planes, pipeline->upload.mapped, pipeline->planes[stage].host, width, height, true);
    shw_buffer_barrier(device, run->commands, planes->buffer.handle, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdCopyBuffer(run->commands, pipeline->upload.handle, planes->buffer.handle, 1, &region);
}

/* Records the copy of result planes into the readback buffer, of images the tile at (0, 0); rows keep the planes'
   stride. */
static void record_readback(const struct run *run, const struct shw_planes *planes, VkOffset3D tile,
                            VkDeviceSize offset)
{
    const struct shw_pipeline *pipeline = run->pipeline;
    const struct shw_device *device = pipeline->params.device;
    VkBufferCopy buffer = {.dstOffset = offset, .size = planes->buffer.size};
    VkBufferImageCopy image = {.bufferOffset = offset,
                               .bufferRowLength = planes->stride,
                               .bufferImageHeight = planes->height,
                               .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, planes->count},
                               .imageOffset = tile,
                               .imageExtent = {run->tile->width, run->tile->height, 1}};

    if (planes->image.handle != VK_NULL_HANDLE)
        device->vk.CmdCopyImageToBuffer(run->commands, planes->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                        pipeline->readback.handle, 1, &image);
    else
        device->vk.CmdCopyBuffer(run->commands, planes->buffer.handle, pipeline->readback.handle, 1, &buffer);
}

/* Copies every step-th element. */
static void pick(void *to, const char *from, uint32_t count, uint32_t step, uint32_t element)
{
    if (step == 1)
        memcpy(to, from, (size_t)count * element);
    else if (element == sizeof(uint16_t))
        for (uint32_t i = 0; i < count; i++)
            ((uint16_t *)to)[i] = ((const uint16_t *)(const void *)from)[(size_t)i * step];
    else
        for (uint32_t i = 0; i < count; i++)
            ((uint32_t *)to)[i] = ((const uint32_t *)(const void *)from)[(size_t)i * step];
}

/* Copies the first `count` planes of a name from the readback buffer to their place in the caller's planes. */
static void scatter(const struct run *run, const char *name, uint32_t count, void *out)
{
    const struct shw_pipeline *pipeline = run->pipeline;
    const struct shw_tile *tile = run->tile;
    const struct shw_tile_results *results = &tile->results;
    const struct shw_pipeline_result result = shw_pipeline_result(pipeline, name, tile);
    const struct shw_pipeline_planes *found = out != NULL ? result.planes : NULL;
    uint32_t columns = (tile->width - 1) / results->step + 1, rows = (tile->height - 1) / results->step + 1;
    const struct shw_planes *planes;
    const char *mapped;
    size_t stride;

    if (found == NULL)
        return;
    planes = found->slots;
    mapped = (const char *)pipeline->readback.mapped + readback_size(pipeline, (uint32_t)(found - pipeline->planes));
    stride = (size_t)planes->stride * planes->element;
    if (planes->image.handle == VK_NULL_HANDLE)
        mapped += result.y * stride + (size_t)result.x * planes->element;
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t y = 0; y < rows; y++) {
            size_t target = ((size_t)p * results->height + results->y + y) * results->width + results->x;
            size_t row = (size_t)p * planes->height + (size_t)y * results->step;
            pick((char *)out + target * planes->element, mapped + row * stride, columns, results->step,
                 planes->element);
        }
}

/* Reads back what the last stage has made on the device. */
static enum shw_result fetch_results(struct run *run)
{
    const struct shw_pipeline *pipeline = run->pipeline;

    for (uint32_t p = 0; p < pipeline->planes_count; p++) {
        const struct shw_pipeline_result result = shw_pipeline_result(pipeline, pipeline->planes[p].name, run->tile);
        if (is_result(pipeline, p))
            record_readback(run, pipeline->planes[p].slots, (VkOffset3D){(int32_t)result.x, (int32_t)result.y, 0},
                            readback_size(pipeline, p));
    }
    shw_buffer_barrier(pipeline->params.device, run->commands, pipeline->readback.handle, shw_use_copy_target,
                       shw_use_host_read);
    SHW_PROPAGATE(finish(run));
    scatter(run, SHW_LEAVES, 1, run->out->tree_leaf);
    scatter(run, SHW_LEAVES, pipeline->info->tree_count, run->out->forest_leaves);
    scatter(run, SHW_DISTRIBUTION, pipeline->info->class_count, run->out->distribution);
    scatter(run, SHW_ARGMAX, 1, run->out->argmax);
    return SHW_OK;
}

/* Runs a stage on the device: uploads its inputs if necessary, records it and, for the last stage, reads back the
   results. */
static enum shw_result run_device(struct run *run, uint32_t stage)
{
    struct shw_pipeline *pipeline = run->pipeline;
    struct shw_recording recording;

    if (run->commands == VK_NULL_HANDLE)
        SHW_PROPAGATE(shw_submit_begin(pipeline->params.device, &run->commands));
    recording = shw_recording_whole(pipeline->params.device, run->commands);
    if (stage == 0) {
        struct shw_chosen_inputs inputs = *run->inputs;
        SHW_PROPAGATE(fill_inputs(pipeline, run->tile, &inputs));
        shw_pipeline_upload_sources(pipeline, run->commands, &inputs, &run->tile->region, run->links);
    } else {
        if (shw_pipeline_on_host(pipeline, stage - 1))
            send(run, stage - 1);
        shw_pipeline_transition(pipeline, &recording, 0, stage - 1, &run->frame);
    }
    shw_pipeline_record(pipeline, &recording, 0, stage, &run->frame);
    if (stage + 1 < pipeline->stage_count)
        return SHW_OK;
    if ((run->links & SHW_PIPELINE_BEFORE_ABOVE) == 0)
        return fetch_results(run);
    shw_pipeline_record_posteriors(pipeline, &recording, 0, run->tile, 0, 1);
    return SHW_OK;
}

static enum shw_result run_stage(struct run *run, uint32_t stage)
{
    if (!shw_pipeline_on_host(run->pipeline, stage))
        return run_device(run, stage);
    if (stage > 0 && !shw_pipeline_on_host(run->pipeline, stage - 1))
        SHW_PROPAGATE(fetch(run, stage - 1));
    return shw_pipeline_run_host(run->pipeline, stage, run->tile, run->inputs, run->out);
}

/* If the first stage is on the host, sources are on the device for smoothing alone. */
static enum shw_result run_guide(struct run *run)
{
    struct shw_pipeline *pipeline = run->pipeline;
    struct shw_recording recording;

    if (pipeline->smooth == NULL || !shw_pipeline_on_host(pipeline, 0))
        return SHW_OK;
    SHW_PROPAGATE(shw_submit_begin(pipeline->params.device, &run->commands));
    recording = shw_recording_whole(pipeline->params.device, run->commands);
    shw_pipeline_upload_sources(pipeline, run->commands, run->inputs, &run->tile->region, SHW_PIPELINE_ALONE);
    shw_pipeline_record_guide(pipeline, &recording, 0, &run->frame);
    return finish(run);
}

enum shw_result shw_pipeline_check_interruption(const struct shw_pipeline *pipeline)
{
    const struct shw_pipeline_params *params = &pipeline->params;

    return params->interrupted != NULL && atomic_load_explicit(params->interrupted, memory_order_relaxed)
               ? shw_fail(&params->log, SHW_ERROR_CANCELLED, SHW_LOG_PROGRESS, "labelling was interrupted")
               : SHW_OK;
}

enum shw_result shw_pipeline_run(struct shw_pipeline *pipeline, const struct shw_tile *tile,
                                 const struct shw_chosen_inputs *inputs, const struct shw_labelling *out)
{
    struct run run = {
        .pipeline = pipeline, .inputs = inputs, .out = out, .tile = tile, .frame = shw_pipeline_frame(pipeline, tile)};
    enum shw_result result;

    SHW_TRY(shw_pipeline_host_planes(pipeline, tile->region.width, tile->region.height));
    SHW_TRY(shw_pipeline_check_interruption(pipeline));
    SHW_TRY(run_guide(&run));
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        SHW_TRY(run_stage(&run, s));
        SHW_TRY(shw_pipeline_check_interruption(pipeline));
    }

fail:
    if (run.commands != VK_NULL_HANDLE)
        shw_submit_abandon(pipeline->params.device, run.commands);
    if (result != SHW_OK)
        shw_pipeline_forget(pipeline);
    return result;
}

enum shw_result shw_pipeline_run_linked(struct shw_pipeline *pipeline, uint32_t links, VkCommandBuffer *commands,
                                        const struct shw_tile *tile, const struct shw_chosen_inputs *inputs,
                                        const struct shw_labelling *out)
{
    struct run run = {.pipeline = pipeline,
                      .inputs = inputs,
                      .out = out,
                      .tile = tile,
                      .frame = shw_pipeline_frame(pipeline, tile),
                      .commands = *commands,
                      .links = links};
    enum shw_result result;

    SHW_TRY(shw_pipeline_check_interruption(pipeline));
    for (uint32_t s = 0; s < pipeline->stage_count; s++)
        SHW_TRY(run_device(&run, s));
    SHW_TRY(shw_pipeline_check_interruption(pipeline));
    *commands = run.commands;
    return SHW_OK;

fail:
    *commands = VK_NULL_HANDLE;
    if (run.commands != VK_NULL_HANDLE)
        shw_submit_abandon(pipeline->params.device, run.commands);
    shw_pipeline_forget(pipeline);
    return result;
}
