/* How training images get to the device: they are read and uploaded, and go through the stages in groups. */
#include "dense/train/images_compute.h"

#include <stdlib.h>

#include "base/log.h"
#include "dense/channels/pixels.h"
#include "shared/train_push.h"
#include "vulkan/commands.h"

bool shw_compute_images_ready(const struct shw_compute_images *images, uint32_t chunk)
{
    const struct shw_compute_chunk *wanted = &images->chunks[chunk];

    return wanted->place != SHW_NO_CHUNK && wanted->filled == wanted->end - wanted->begin;
}

enum shw_result shw_compute_images_plan(struct shw_compute_images *images, const uint32_t *order, uint32_t count)
{
    uint32_t *units = malloc(((size_t)images->set->base_count + 1) * sizeof *units), unit_count = 0;
    enum shw_result result;

    if (units == NULL)
        return shw_fail_memory(&images->params->log, "reading ahead");
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_compute_chunk *chunk = &images->chunks[order[i]];
        for (uint32_t u = chunk->begin + (chunk->filled > chunk->kept ? chunk->filled : chunk->kept); u < chunk->end;
             u++)
            units[unit_count++] = u;
    }
    result = shw_image_feed_plan(images->feed, units, unit_count);
    free(units);
    return result;
}

static void give_place(struct shw_compute_images *images, struct shw_compute_chunk *chunk)
{
    struct shw_compute_place *place = &images->places[0];

    for (uint32_t p = 1; p < images->place_count && place->chunk != SHW_NO_CHUNK; p++)
        if (images->places[p].chunk == SHW_NO_CHUNK || images->places[p].used < place->used)
            place = &images->places[p];
    if (place->chunk != SHW_NO_CHUNK) {
        images->chunks[place->chunk].place = SHW_NO_CHUNK;
        images->chunks[place->chunk].filled = 0;
    }
    place->chunk = (uint32_t)(chunk - images->chunks);
    chunk->place = (uint32_t)(place - images->places);
    chunk->filled = 0;
}

/* Creates the slot's source image for 8 or 16 bits and binds it to the stage. *ready is false if it cannot be bound
 * before the submission has ended. */
static enum shw_result need_source(struct shw_compute_images *images, uint32_t number, int wide, bool *ready)
{
    struct shw_device *device = images->device;
    struct shw_compute_slot *slot = &images->slots[number];
    VkFormat format = shw_source_format(wide);
    VkImageView views[SHW_INPUTS_MAX];

    *ready = slot->bound == wide || !slot->pending;
    if (slot->bound == wide || !*ready)
        return SHW_OK;
    if (slot->source[wide].handle == VK_NULL_HANDLE) {
        SHW_PROPAGATE(shw_vulkan_image_create(device, format, images->width, images->input_count * images->height, 1,
                                              VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                              "training source", &slot->source[wide]));
        SHW_PROPAGATE(shw_image_view_create(device, slot->source[wide].handle, format, 0, 1, false, &slot->view[wide]));
    }
    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
        views[i] = slot->view[wide];
    shw_channels_stage_bind(images->channels_stage, number, views);
    slot->bound = wide;
    return SHW_OK;
}

/* Reads a unit, for copy_pixels(), and takes upload buffers for it; if pixels are kept, records their copy to the
 * device. */
static enum shw_result read_unit(struct shw_compute_images *images, struct shw_compute_group *group,
                                 VkCommandBuffer commands, struct shw_compute_chunk *chunk, uint32_t unit)
{
    struct shw_device *device = images->device;
    const struct shw_train_image *known = &images->set->images[unit];
    struct shw_compute_example *read = &group->examples[group->example_count];

    SHW_PROPAGATE(shw_image_feed_take(images->feed, unit, &read->example));
    group->example_count++;
    read->unit = unit;
    read->first_upload = images->uploads_used;
    if (read->example.image.width != known->width || read->example.image.height != known->height ||
        read->example.image.format != known->format)
        return shw_fail(&images->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s changed while it was read",
                        read->example.name);
    SHW_PROPAGATE(shw_inputs_choose_example(&read->example, &images->set->channels, &images->params->log, read->inputs,
                                            &read->chosen));
    for (uint32_t copy = 0; copy < images->copies; copy++) {
        struct shw_buffer *upload = &images->uploads[images->uploads_used++];
        if (upload->handle == VK_NULL_HANDLE)
            SHW_PROPAGATE(shw_buffer_create(device, shw_compute_upload_bytes(images), VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                            SHW_MEMORY_UPLOAD, "training upload", upload));
        if (images->keeps_pixels) {
            const VkBufferCopy keep = {.dstOffset = images->pixel_offsets[unit + copy * images->set->base_count],
                                       .size = images->input_count * shw_compute_pixel_bytes(known)};
            device->vk.CmdCopyBuffer(commands, upload->handle, chunk->pixels.handle, 1, &keep);
        }
    }
    return SHW_OK;
}

/* Shared by the threads that copy pixels; the index is that of an input of an example. */
struct copy {
    const struct shw_compute_images *images;
    const struct shw_compute_group *group;
};

static void copy_input(void *user, uint32_t index, uint32_t thread)
{
    const struct shw_compute_images *images = ((const struct copy *)user)->images;
    const struct shw_compute_example *read = &((const struct copy *)user)->group->examples[index / images->input_count];
    const struct shw_train_image *known = &images->set->images[read->unit];
    const struct shw_region whole = {known->width, known->height, 0, 0, known->width, known->height};
    uint32_t input = index % images->input_count;

    (void)thread;
    for (uint32_t copy = 0; copy < images->copies; copy++)
        shw_source_input_expand(read->chosen.of[read->chosen.of[input] != NULL ? input : 0],
                                images->set->channels.inputs[input], &whole, copy == 1, known->wide,
                                (char *)images->uploads[read->first_upload + copy].mapped +
                                    input * shw_compute_pixel_bytes(known));
}

/* Copies the pixels of a group's examples into their upload buffers. */
static void copy_pixels(const struct shw_compute_images *images, const struct shw_compute_group *group)
{
    struct copy copy = {images, group};

    shw_thread_pool_run(images->pool, group->example_count * images->input_count, copy_input, &copy);
}

static void release_examples(const struct shw_compute_images *images, struct shw_compute_group *group)
{
    for (uint32_t i = 0; i < group->example_count; i++)
        images->dataset->release(images->dataset->user, &group->examples[i].example);
}

/* Puts an image or mirror image into the group's next slot, from a buffer with its pixels. */
static void add_image(struct shw_compute_images *images, struct shw_compute_group *group, uint32_t number,
                      VkBuffer from, VkDeviceSize offset)
{
    const struct shw_train_image *known = &images->set->images[number];

    images->slots[group->count].pending = true;
    group->images[group->count] = number;
    group->pixels[group->count] = from;
    group->offsets[group->count] = offset;
    group->formats[group->count] = shw_source_format(known->wide);
    group->regions[group->count++] =
        number < images->set->base_count ? known->region : shw_train_region_mirror(&known->region);
}

/* Adds the chunk's next unit to the group. *ready is false, and nothing is done, if that needs another group or
 * submission. */
static enum shw_result add_unit(struct shw_compute_images *images, struct shw_compute_group *group,
                                VkCommandBuffer commands, struct shw_compute_chunk *chunk, bool *ready)
{
    uint32_t unit = chunk->begin + chunk->filled, first_upload = images->uploads_used;
    int wide = images->set->images[unit].wide;
    bool is_kept = chunk->filled < chunk->kept;

    *ready = group->count + images->copies <= images->slot_count &&
             (is_kept || images->uploads_used + images->copies <= images->upload_count);
    for (uint32_t copy = 0; *ready && copy < images->copies; copy++)
        SHW_PROPAGATE(need_source(images, group->count + copy, wide, ready));
    if (!*ready)
        return SHW_OK;
    if (!is_kept)
        SHW_PROPAGATE(read_unit(images, group, commands, chunk, unit));
    for (uint32_t copy = 0; copy < images->copies; copy++) {
        uint32_t number = unit + copy * images->set->base_count;
        add_image(images, group, number, is_kept ? chunk->pixels.handle : images->uploads[first_upload + copy].handle,
                  is_kept ? images->pixel_offsets[number] : 0);
    }
    chunk->filled++;
    if (images->keeps_pixels && chunk->kept < chunk->filled)
        chunk->kept = chunk->filled;
    images->units_made++;
    return SHW_OK;
}

/* Copies channels to the place. */
static void copy_channels(const struct shw_compute_images *images, const struct shw_compute_group *group,
                          VkCommandBuffer commands, uint32_t place)
{
    const struct shw_device *device = images->device;

    shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_copy_source);
    shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_copy_target);
    for (uint32_t s = 0; s < group->count; s++) {
        const struct shw_planes *channels = &images->channels[s];
        const uint32_t *entry = images->table + (size_t)group->images[s] * SHW_IMAGE_WORDS;
        VkBufferCopy copy = {
            .dstOffset = (VkDeviceSize)(images->keeps_channels ? entry[3] : entry[0]) * sizeof(uint32_t),
            .size = (VkDeviceSize)channels->stride * channels->height * channels->count * channels->element};
        device->vk.CmdCopyBuffer(commands, channels->buffer.handle, images->places[place].buffer.handle, 1, &copy);
    }
    shw_memory_barrier(device, commands, shw_use_copy_target, shw_use_compute_write);
}

/* Records the stages of a group, from its sources to a place. */
static void record_group(struct shw_compute_images *images, const struct shw_compute_group *group,
                         VkCommandBuffer commands, uint32_t place)
{
    struct shw_device *device = images->device;
    uint32_t first = place * images->slot_count;
    VkImage sources[SHW_COMPUTE_SLOTS_MAX];

    for (uint32_t s = 0; s < group->count; s++) {
        sources[s] = images->slots[s].source[images->slots[s].bound].handle;
        shw_image_barrier(device, commands, sources[s], shw_use_nothing, shw_use_copy_target);
    }
    for (uint32_t s = 0; s < group->count; s++) {
        VkBufferImageCopy copy = {
            .bufferOffset = group->offsets[s],
            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
            .imageExtent = {group->regions[s].width, images->input_count * group->regions[s].height, 1}};
        device->vk.CmdCopyBufferToImage(commands, group->pixels[s], sources[s], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                        &copy);
    }
    for (uint32_t s = 0; s < group->count; s++) {
        shw_image_barrier(device, commands, sources[s], shw_use_copy_target, shw_use_compute_sampled);
        images->integrals[first + s].first = images->table[(size_t)group->images[s] * SHW_IMAGE_WORDS];
        images->integrals[first + s].stride = group->regions[s].width + 1;
        images->integrals[first + s].height = group->regions[s].height + 1;
        if (images->integrates && !images->keeps_channels)
            continue;
        images->channels[s].stride = SHW_CHANNEL_STRIDE(group->regions[s].width);
        images->channels[s].height = group->regions[s].height;
        images->channels[first + s] = images->channels[s];
    }
    shw_channels_stage_record_many(images->channels_stage, commands, group->count, group->formats, group->regions);
    if (images->integrates)
        shw_integral_compute_record_many(images->integrate, device, commands, first, group->count, group->regions);
    if (!images->integrates || images->keeps_channels)
        copy_channels(images, group, commands, place);
}

/* Fills a group with the chunk's next units as far as there is room, and records its way to the place; *any: there was
 * room for one. */
static enum shw_result fill_group(struct shw_compute_images *images, VkCommandBuffer commands,
                                  struct shw_compute_chunk *chunk, uint64_t pixels, uint64_t *made, bool *any)
{
    struct shw_compute_group group = {0};
    enum shw_result result = SHW_OK;
    bool ready = true;

    while (ready && chunk->begin + chunk->filled < chunk->end && *made < pixels) {
        const struct shw_train_image *known = &images->set->images[chunk->begin + chunk->filled];
        SHW_TRY(add_unit(images, &group, commands, chunk, &ready));
        if (ready)
            *made += (uint64_t)images->copies * known->width * known->height;
    }
    *any = group.count > 0;
    if (*any) {
        copy_pixels(images, &group);
        record_group(images, &group, commands, chunk->place);
    }

fail:
    release_examples(images, &group);
    return result;
}

enum shw_result shw_compute_images_fill(struct shw_compute_images *images, VkCommandBuffer commands, uint32_t number,
                                        uint64_t pixels, uint64_t *made)
{
    struct shw_compute_chunk *chunk = &images->chunks[number];
    bool room = true; /* without, the rest needs another submission */

    if (chunk->place == SHW_NO_CHUNK)
        give_place(images, chunk);
    images->places[chunk->place].used = ++images->uses;
    if (shw_compute_images_ready(images, number))
        return SHW_OK;
    /* Waits for readers of the place's former contents and for pixels kept by the previous submission. */
    shw_memory_barrier(images->device, commands, shw_use_nothing, shw_use_copy_target);
    shw_memory_barrier(images->device, commands, shw_use_copy_target, shw_use_copy_source);
    while (room && !shw_compute_images_ready(images, number) && *made < pixels)
        SHW_PROPAGATE(fill_group(images, commands, chunk, pixels, made, &room));
    shw_memory_barrier(images->device, commands, shw_use_copy_target, shw_use_copy_source);
    shw_memory_barrier(images->device, commands, shw_use_compute_write, shw_use_compute_read);
    return SHW_OK;
}

void shw_compute_images_submitted(struct shw_compute_images *images)
{
    images->uploads_used = 0;
    for (uint32_t s = 0; s < images->slot_count; s++)
        images->slots[s].pending = false;
}
