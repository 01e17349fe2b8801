#include "dense/train/images_compute.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/integrate/integral.h"
#include "dense/stage/passes.h"
#include "shared/train_push.h"

#define READ_AHEAD 24u

static size_t integral_words(const struct shw_compute_images *images, const struct shw_train_image *image)
{
    return images->channel_count * ((size_t)image->width + 1) * ((size_t)image->height + 1);
}

/* Two values per word. */
static size_t channel_words(const struct shw_compute_images *images, const struct shw_train_image *image)
{
    return images->channel_count * ((size_t)SHW_CHANNEL_STRIDE(image->width) / 2) * image->height;
}

static size_t unit_words(const struct shw_compute_images *images, uint32_t unit)
{
    const struct shw_train_image *image = &images->set->images[unit];
    size_t words = images->integrates ? integral_words(images, image) : 0;

    if (!images->integrates || images->keeps_channels)
        words += channel_words(images, image);
    return images->copies * words;
}

static void measure(struct shw_compute_images *images, const struct shw_trainer *trainer)
{
    images->params = &trainer->params;
    images->dataset = trainer->dataset;
    images->set = &trainer->images;
    images->pool = trainer->pool;
    images->channel_count = trainer->channels.channel_count;
    images->integrates = trainer->params.feature->reads == SHW_FEATURE_READS_INTEGRALS;
    images->copies = shw_train_images_copies(&trainer->images);
    images->input_count = trainer->channels.input_count;
    for (uint32_t i = 0; i < images->set->base_count; i++) {
        const struct shw_train_image *image = &images->set->images[i];
        images->width = image->width > images->width ? image->width : images->width;
        images->height = image->height > images->height ? image->height : images->height;
    }
}

/* Bytes of an image in progress: source, base planes and filtered rows (at most twice the channels), channels, sums. */
static VkDeviceSize slot_bytes(const struct shw_compute_images *images)
{
    VkDeviceSize pixels = ((VkDeviceSize)images->width + 8) * (images->height + 1);

    return pixels * (2 * 8 * images->input_count + images->channel_count * (4 + 2)) +
           (images->integrates ? shw_integral_compute_sums(images->width, images->height, images->channel_count) : 0);
}

VkDeviceSize shw_compute_upload_bytes(const struct shw_compute_images *images)
{
    return (VkDeviceSize)images->width * images->height * 8 * images->input_count;
}

VkDeviceSize shw_compute_pixel_bytes(const struct shw_train_image *image)
{
    return (VkDeviceSize)image->width * image->height * (image->wide ? 8 : 4);
}

struct shw_compute_images_need shw_compute_images_measure(const struct shw_trainer *trainer)
{
    struct shw_compute_images images = {0};
    struct shw_compute_images_need need = {0};

    measure(&images, trainer);
    need.width = images.width;
    need.height = images.height;
    need.stages = slot_bytes(&images);
    need.upload = shw_compute_upload_bytes(&images);
    need.channels = (VkDeviceSize)SHW_CHANNEL_STRIDE(images.width) * images.height * images.channel_count * 2;
    for (uint32_t u = 0; u < images.set->base_count; u++) {
        VkDeviceSize bytes = unit_words(&images, u) * sizeof(uint32_t);
        VkDeviceSize channels = images.copies * channel_words(&images, &images.set->images[u]) * sizeof(uint32_t);
        need.unit = bytes > need.unit ? bytes : need.unit;
        need.all += bytes;
        need.with_channels += bytes + channels;
        need.unit_with_channels =
            bytes + channels > need.unit_with_channels ? bytes + channels : need.unit_with_channels;
        need.pixels += images.copies * images.input_count * shw_compute_pixel_bytes(&images.set->images[u]);
    }
    need.least = images.copies * (need.stages + need.upload) + need.unit;
    return need;
}

/* Puts units into chunks of at most `limit` words and writes the table of images. False if out of memory. */
static bool make_chunks(struct shw_compute_images *images, size_t limit)
{
    const struct shw_train_images *set = images->set;
    struct shw_compute_chunk *chunk = NULL;

    images->table = malloc((size_t)set->count * SHW_IMAGE_WORDS * sizeof *images->table);
    images->chunks = malloc(set->base_count * sizeof *images->chunks);
    if (images->table == NULL || images->chunks == NULL)
        return false;
    for (uint32_t u = 0; u < set->base_count; u++) {
        size_t words = unit_words(images, u);
        if (chunk == NULL || chunk->words + words > limit) {
            chunk = &images->chunks[images->chunk_count++];
            *chunk = (struct shw_compute_chunk){.begin = u, .place = SHW_NO_CHUNK};
        }
        for (uint32_t i = u; i < set->count; i += set->base_count) {
            uint32_t copy = shw_train_image_of_planes(set, i) / set->base_count;
            uint32_t *entry = images->table + (size_t)i * SHW_IMAGE_WORDS;
            entry[0] = (uint32_t)(chunk->words + copy * (words / images->copies));
            entry[1] = set->images[u].width | set->images[u].height << 16;
            entry[2] = images->chunk_count - 1;
            entry[3] = images->keeps_channels ? entry[0] + (uint32_t)integral_words(images, &set->images[u]) : 0;
            entry[4] = shw_train_image_of_planes(set, i) != i;
        }
        chunk->words += words;
        chunk->end = u + 1;
    }
    return true;
}

/* As many places as memory allows, but no more than there are chunks. */
static enum shw_result make_places(struct shw_compute_images *images, VkDeviceSize memory)
{
    size_t largest = 0;

    for (uint32_t c = 0; c < images->chunk_count; c++)
        largest = images->chunks[c].words > largest ? images->chunks[c].words : largest;
    images->places = calloc(images->chunk_count, sizeof *images->places);
    if (images->places == NULL)
        return shw_fail_memory(&images->params->log, "training images");
    for (uint32_t p = 0; p < images->chunk_count; p++) {
        bool last_fits = memory >= images->chunks[p].words * sizeof(uint32_t);
        VkDeviceSize bytes =
            (last_fits && p + 1 == images->chunk_count ? images->chunks[p].words : largest) * sizeof(uint32_t);
        if (bytes > memory && p > 0)
            break;
        images->places[p].chunk = SHW_NO_CHUNK;
        SHW_PROPAGATE(shw_buffer_create(images->device, bytes,
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                        SHW_MEMORY_DEVICE, "training planes", &images->places[p].buffer));
        images->place_count++;
        memory -= bytes < memory ? bytes : memory;
    }
    return SHW_OK;
}

/* Creates buffers in which the pixels of all images stay on the device. */
static enum shw_result make_pixels(struct shw_compute_images *images)
{
    images->pixel_offsets = malloc(images->set->count * sizeof *images->pixel_offsets);
    if (images->pixel_offsets == NULL)
        return shw_fail_memory(&images->params->log, "training images");
    for (uint32_t c = 0; c < images->chunk_count; c++) {
        struct shw_compute_chunk *chunk = &images->chunks[c];
        VkDeviceSize bytes = 0;
        for (uint32_t u = chunk->begin; u < chunk->end; u++)
            for (uint32_t copy = 0; copy < images->copies; copy++) {
                images->pixel_offsets[u + copy * images->set->base_count] = bytes;
                bytes += shw_align_up(images->input_count * shw_compute_pixel_bytes(&images->set->images[u]), 8);
            }
        SHW_PROPAGATE(shw_buffer_create(images->device, bytes,
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                        SHW_MEMORY_DEVICE, "training pixels", &chunk->pixels));
    }
    return SHW_OK;
}

static enum shw_result make_stages(struct shw_compute_images *images)
{
    struct shw_device *device = images->device;
    uint32_t pairs = images->slot_count * images->place_count;

    images->slots = calloc(images->slot_count, sizeof *images->slots);
    images->channels = calloc(pairs, sizeof *images->channels);
    images->integrals = calloc(pairs, sizeof *images->integrals);
    if (images->slots == NULL || images->channels == NULL || images->integrals == NULL)
        return shw_fail_memory(&images->params->log, "training images");
    for (uint32_t s = 0; s < images->slot_count; s++) {
        images->slots[s].bound = -1;
        SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R16_SINT, images->width, images->height,
                                        images->channel_count, SHW_PLANES_BUFFER, "training channels",
                                        &images->channels[s]));
    }
    for (uint32_t i = 0; i < pairs; i++) {
        images->channels[i] = images->channels[i % images->slot_count];
        images->integrals[i] = (struct shw_planes){.width = images->width + 1,
                                                   .height = images->height + 1,
                                                   .count = images->channel_count,
                                                   .format = VK_FORMAT_R32_UINT,
                                                   .element = sizeof(uint32_t),
                                                   .buffer = images->places[i / images->slot_count].buffer};
    }
    SHW_PROPAGATE(shw_channels_stage_create(device, &images->set->channels, SHW_PLANES_BUFFER, images->channels,
                                            images->slot_count, &images->channels_stage));
    if (!images->integrates)
        return SHW_OK;
    return shw_passes_make(
        shw_passes_of(&shw_integral_compute_technique),
        &(struct shw_stage_create){.owner = device, .slots = pairs, .scratch_sets = images->slot_count},
        images->channels, images->integrals, &images->integrate_memory, &images->integrate);
}

static enum shw_result start_feed(struct shw_compute_images *images)
{
    return shw_image_feed_create(images->params, images->dataset, READ_AHEAD, shw_thread_pool_size(images->pool),
                                 &images->feed);
}

enum shw_result shw_compute_images_create(struct shw_device *device, const struct shw_trainer *trainer,
                                          VkDeviceSize memory, VkDeviceSize range, struct shw_compute_images *images)
{
    struct shw_compute_images_need need = shw_compute_images_measure(trainer);
    VkDeviceSize limit, taken, uploads, slots = SHW_COMPUTE_SLOTS_MAX;
    enum shw_result result;

    *images = (struct shw_compute_images){.device = device};
    measure(images, trainer);
    /* A quarter of the memory for images in progress, if that much is useful. */
    while (slots > images->copies &&
           (slots * (need.stages + 2 * need.upload) > memory / 4 || slots > images->set->count))
        slots--;
    uploads = slots * 4 < SHW_COMPUTE_UPLOADS_MAX ? slots * 4 : SHW_COMPUTE_UPLOADS_MAX;
    while (uploads > images->copies && (uploads * need.upload > memory / 8 || uploads > images->set->count ||
                                        slots * need.stages + uploads * need.upload + need.unit > memory))
        uploads--;
    taken = slots * need.stages + uploads * need.upload;
    images->slot_count = (uint32_t)slots;
    images->upload_count = (uint32_t)uploads;
    memory -= taken;
    images->keeps_channels = images->integrates && trainer->params.feature->code->reads_pixels &&
                             trainer->backend->technique == SHW_TECHNIQUE_COMPUTE && need.with_channels <= memory &&
                             need.unit_with_channels <= range;
    if (images->keeps_channels)
        need.all = need.with_channels;
    images->taken = taken + need.all;
    images->keeps_pixels = need.all > memory && need.pixels < memory / 2 && need.unit + need.pixels < memory;
    if (images->keeps_pixels)
        memory -= need.pixels;
    limit = need.all <= memory ? range : memory < range ? memory : range;
    if (!make_chunks(images, limit / sizeof(uint32_t))) {
        result = shw_fail_memory(&trainer->params.log, "training images");
        goto fail;
    }
    SHW_TRY(make_places(images, memory));
    if (images->keeps_pixels)
        SHW_TRY(make_pixels(images));
    SHW_TRY(make_stages(images));
    SHW_TRY(start_feed(images));
    return SHW_OK;

fail:
    shw_compute_images_destroy(images);
    return result;
}

bool shw_compute_images_keep(struct shw_compute_images *images, const struct shw_trainer *trainer, VkDeviceSize memory)
{
    if (images->place_count < images->chunk_count || images->keeps_pixels || images->taken > memory)
        return false;
    images->params = &trainer->params;
    images->dataset = trainer->dataset;
    images->set = &trainer->images;
    images->pool = trainer->pool;
    return images->feed != NULL || start_feed(images) == SHW_OK;
}

static void destroy_slot(struct shw_device *device, struct shw_compute_slot *slot)
{
    for (int wide = 0; wide < 2; wide++) {
        if (slot->view[wide] != VK_NULL_HANDLE)
            device->vk.DestroyImageView(device->handle, slot->view[wide], device->allocator);
        shw_vulkan_image_destroy(device, &slot->source[wide]);
    }
}

void shw_compute_images_destroy(struct shw_compute_images *images)
{
    struct shw_device *device = images->device;

    if (device == NULL)
        return;
    shw_image_feed_destroy(&images->feed);
    shw_channels_stage_destroy(device, &images->channels_stage);
    shw_passes_of(&shw_integral_compute_technique)->destroy(device, images->integrate);
    shw_arena_end(&images->integrate_memory);
    for (uint32_t s = 0; s < images->slot_count; s++) {
        if (images->slots != NULL)
            destroy_slot(device, &images->slots[s]);
        if (images->channels != NULL)
            shw_planes_destroy(device, &images->channels[s]);
    }
    for (uint32_t p = 0; p < images->place_count; p++)
        shw_buffer_destroy(device, &images->places[p].buffer);
    for (uint32_t c = 0; c < images->chunk_count; c++)
        shw_buffer_destroy(device, &images->chunks[c].pixels);
    for (uint32_t u = 0; u < images->upload_count; u++)
        shw_buffer_destroy(device, &images->uploads[u]);
    free(images->pixel_offsets);
    free(images->slots);
    free(images->channels);
    free(images->integrals);
    free(images->places);
    free(images->chunks);
    free(images->table);
    *images = (struct shw_compute_images){0};
}
