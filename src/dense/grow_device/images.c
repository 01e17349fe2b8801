#include "dense/grow_device/images.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/pixels.h"
#include "dense/feature/feature_code.h"
#include "dense/integrate/integral.h"
#include "dense/stage/passes.h"
#include "shared/train_push.h"
#include "vulkan/commands.h"

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

/* The same of mean planes. */
static size_t mean_words(const struct shw_compute_images *images, const struct shw_train_image *image)
{
    const uint32_t margin = images->shapes.margin;

    return (size_t)images->channel_count * images->shapes.count * (SHW_CHANNEL_STRIDE(image->width + margin) / 2) *
           (image->height + margin);
}

static size_t unit_words(const struct shw_compute_images *images, uint32_t unit)
{
    const struct shw_train_image *image = &images->set->images[unit];
    size_t words;

    switch (images->hold) {
    case SHW_COMPUTE_CHANNELS: words = channel_words(images, image); break;
    case SHW_COMPUTE_MEANS: words = mean_words(images, image); break;
    default: words = integral_words(images, image) + (images->keeps_channels ? channel_words(images, image) : 0);
    }
    return images->copies * words;
}

static void measure(struct shw_compute_images *images, const struct shw_trainer *trainer,
                    const struct shw_train_shapes *shapes)
{
    bool integrates = trainer->params.feature->reads == SHW_FEATURE_READS_INTEGRALS;

    images->params = &trainer->params;
    images->dataset = trainer->dataset;
    images->set = &trainer->images;
    images->pool = trainer->pool;
    images->channel_count = trainer->channels.channel_count;
    images->shapes = *shapes;
    images->hold = shapes->count > 0 ? SHW_COMPUTE_MEANS : integrates ? SHW_COMPUTE_INTEGRALS : SHW_COMPUTE_CHANNELS;
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
           (images->hold == SHW_COMPUTE_INTEGRALS
                ? shw_integral_compute_sums(images->width, images->height, images->channel_count)
                : 0);
}

/* Bytes of an upload buffer. */
static VkDeviceSize upload_bytes(const struct shw_compute_images *images)
{
    return (VkDeviceSize)images->width * images->height * 8 * images->input_count;
}

/* Bytes of the pixels of one input of an image. */
static VkDeviceSize pixel_bytes(const struct shw_train_image *image)
{
    return (VkDeviceSize)image->width * image->height * (image->wide ? 8 : 4);
}

struct shw_compute_images_need shw_compute_images_measure(const struct shw_trainer *trainer,
                                                          const struct shw_train_shapes *shapes)
{
    struct shw_compute_images images = {0};
    struct shw_compute_images_need need = {0};

    measure(&images, trainer, shapes);
    need.width = images.width;
    need.height = images.height;
    need.stages = slot_bytes(&images);
    need.upload = upload_bytes(&images);
    need.channels = (VkDeviceSize)SHW_CHANNEL_STRIDE(images.width) * images.height * images.channel_count * 2;
    for (uint32_t u = 0; u < images.set->base_count; u++) {
        VkDeviceSize bytes = unit_words(&images, u) * sizeof(uint32_t);
        VkDeviceSize channels = images.copies * channel_words(&images, &images.set->images[u]) * sizeof(uint32_t);
        need.unit = bytes > need.unit ? bytes : need.unit;
        need.all += bytes;
        need.with_channels += bytes + channels;
        need.unit_with_channels =
            bytes + channels > need.unit_with_channels ? bytes + channels : need.unit_with_channels;
        need.pixels += images.copies * images.input_count * pixel_bytes(&images.set->images[u]);
    }
    need.least = images.copies * (need.stages + need.upload) + need.unit;
    return need;
}

/* Groups units into chunks of at most `limit` words and writes the table of images. False if out of memory. */
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
                bytes += shw_align_up(images->input_count * pixel_bytes(&images->set->images[u]), 8);
            }
        SHW_PROPAGATE(shw_buffer_create(images->device, bytes,
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                        SHW_MEMORY_DEVICE, "training pixels", &chunk->pixels));
    }
    return SHW_OK;
}

/* The largest planes that a place holds of an image. */
static struct shw_planes describe_planes(const struct shw_compute_images *images)
{
    const uint32_t margin = images->shapes.margin;

    if (images->hold == SHW_COMPUTE_MEANS)
        return (struct shw_planes){.width = images->width + margin,
                                   .height = images->height + margin,
                                   .count = images->channel_count * images->shapes.count,
                                   .format = VK_FORMAT_R16_SINT,
                                   .element = sizeof(int16_t)};
    return (struct shw_planes){.width = images->width + 1,
                               .height = images->height + 1,
                               .count = images->channel_count,
                               .format = VK_FORMAT_R32_UINT,
                               .element = sizeof(uint32_t)};
}

/* That make these planes. */
static const struct shw_passes *passes_of(const struct shw_compute_images *images)
{
    return shw_passes_of(images->hold == SHW_COMPUTE_MEANS ? &shw_means_compute_technique
                                                           : &shw_integral_compute_technique);
}

static enum shw_result make_stages(struct shw_compute_images *images)
{
    struct shw_device *device = images->device;
    uint32_t pairs = images->slot_count * images->place_count;
    struct shw_stage_create params = {.owner = device, .slots = pairs, .scratch_sets = images->slot_count};

    shw_arena_begin(device, &images->memory);
    images->slots = calloc(images->slot_count, sizeof *images->slots);
    images->channels = calloc(pairs, sizeof *images->channels);
    images->integrals = calloc(pairs, sizeof *images->integrals);
    if (images->slots == NULL || images->channels == NULL || images->integrals == NULL)
        return shw_fail_memory(&images->params->log, "training images");
    for (uint32_t s = 0; s < images->slot_count; s++) {
        images->slots[s].bound = -1;
        SHW_PROPAGATE(shw_planes_add(&images->memory, shw_span_always, shw_span_always, VK_FORMAT_R16_SINT,
                                     images->width, images->height, images->channel_count, SHW_PLANES_BUFFER,
                                     "training channels", &images->channels[s]));
    }
    for (uint32_t u = 0; u < images->upload_count; u++)
        SHW_PROPAGATE(shw_arena_add_buffer(&images->memory, shw_span_always, upload_bytes(images),
                                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "training upload",
                                           &images->uploads[u]));
    SHW_PROPAGATE(shw_arena_make(&images->memory));
    for (uint32_t i = 0; i < pairs; i++) {
        images->channels[i] = images->channels[i % images->slot_count];
        images->integrals[i] = describe_planes(images);
        images->integrals[i].buffer = images->places[i / images->slot_count].buffer;
    }
    SHW_PROPAGATE(shw_channels_stage_create(device, &images->set->channels, SHW_PLANES_BUFFER, images->channels,
                                            images->slot_count, &images->channels_stage));
    if (images->hold == SHW_COMPUTE_CHANNELS)
        return SHW_OK;
    if (images->means != NULL)
        params.forest.forest = images->means->forest;
    return shw_passes_make(passes_of(images), &params, images->channels, images->integrals, &images->integrate_memory,
                           &images->integrate);
}

static enum shw_result start_feed(struct shw_compute_images *images)
{
    return shw_image_feed_create(images->params, images->dataset, READ_AHEAD, shw_thread_pool_size(images->pool),
                                 &images->feed);
}

/* Of every labelled pixel, neighbours are read together, from lines of the cache that they share: pixels of small
 * rectangles cost more than they save there. */
bool shw_compute_reads_channels(const struct shw_trainer *trainer)
{
    const struct shw_feature_code *code = trainer->params.feature->code;

    return code->reads_pixels && trainer->backend->technique == SHW_TECHNIQUE_COMPUTE &&
           (code->reads_depth || trainer->params.pixels_per_image != SHW_PIXELS_ALL);
}

enum shw_result shw_compute_images_create(struct shw_device *device, const struct shw_trainer *trainer,
                                          const struct shw_train_shapes *shapes, VkDeviceSize memory,
                                          VkDeviceSize range, struct shw_compute_images *images)
{
    struct shw_compute_images_need need = shw_compute_images_measure(trainer, shapes);
    VkDeviceSize limit, taken, uploads, slots = SHW_COMPUTE_SLOTS_MAX;
    enum shw_result result;

    *images = (struct shw_compute_images){.device = device};
    measure(images, trainer, shapes);
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
    images->keeps_channels = images->hold == SHW_COMPUTE_INTEGRALS && shw_compute_reads_channels(trainer) &&
                             need.with_channels <= memory && need.unit_with_channels <= range;
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
    if (images->hold == SHW_COMPUTE_MEANS) {
        images->means = shw_train_shapes_means(shapes, trainer);
        if (images->means == NULL)
            SHW_TRY(shw_fail_memory(&trainer->params.log, "training images"));
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

static void destroy_views(struct shw_device *device, const struct shw_compute_slot *slot)
{
    for (int wide = 0; wide < 2; wide++)
        for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
            if (slot->views[wide][i] != VK_NULL_HANDLE)
                device->vk.DestroyImageView(device->handle, slot->views[wide][i], device->allocator);
}

void shw_compute_images_destroy(struct shw_compute_images *images)
{
    struct shw_device *device = images->device;

    if (device == NULL)
        return;
    shw_image_feed_destroy(&images->feed);
    shw_channels_stage_destroy(device, &images->channels_stage);
    passes_of(images)->destroy(device, images->integrate);
    shw_arena_end(&images->integrate_memory);
    shw_means_free(images->means);
    for (uint32_t s = 0; images->slots != NULL && s < images->slot_count; s++)
        destroy_views(device, &images->slots[s]);
    for (int wide = 0; wide < 2; wide++)
        shw_arena_end(&images->sources[wide]);
    shw_arena_end(&images->memory);
    for (uint32_t p = 0; p < images->place_count; p++)
        shw_buffer_destroy(device, &images->places[p].buffer);
    for (uint32_t c = 0; c < images->chunk_count; c++)
        shw_buffer_destroy(device, &images->chunks[c].pixels);
    free(images->pixel_offsets);
    free(images->slots);
    free(images->channels);
    free(images->integrals);
    free(images->places);
    free(images->chunks);
    free(images->table);
    *images = (struct shw_compute_images){0};
}

/* How training images get to the device: they are read and uploaded, and go through the stages in groups. */

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

/* Creates the source images of all slots for 8 or 16 bits. */
static enum shw_result make_sources(struct shw_compute_images *images, int wide)
{
    const VkFormat format = shw_source_format(wide);
    struct shw_arena *arena = &images->sources[wide];

    if (arena->device != NULL)
        return SHW_OK;
    shw_arena_begin(images->device, arena);
    for (uint32_t s = 0; s < images->slot_count; s++)
        SHW_PROPAGATE(shw_arena_add_image(arena, shw_span_always, format, images->width, images->height,
                                          images->input_count,
                                          VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                          "training source", &images->slots[s].source[wide]));
    SHW_PROPAGATE(shw_arena_make(arena));
    for (uint32_t s = 0; s < images->slot_count; s++)
        for (uint32_t i = 0; i < images->input_count; i++)
            SHW_PROPAGATE(shw_image_view_create(images->device, images->slots[s].source[wide].handle, format, i, 1,
                                                false, &images->slots[s].views[wide][i]));
    return SHW_OK;
}

/* Binds the slot's source image for 8 or 16 bits to the stage. *ready is false if it cannot be bound before the
 * submission has ended. */
static enum shw_result need_source(struct shw_compute_images *images, uint32_t number, int wide, bool *ready)
{
    struct shw_compute_slot *slot = &images->slots[number];

    *ready = slot->bound == wide || !slot->pending;
    if (slot->bound == wide || !*ready)
        return SHW_OK;
    SHW_PROPAGATE(make_sources(images, wide));
    shw_channels_stage_bind(images->channels_stage, number, slot->views[wide]);
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
        const struct shw_buffer *upload = &images->uploads[images->uploads_used++];
        if (images->keeps_pixels) {
            const VkBufferCopy keep = {.dstOffset = images->pixel_offsets[unit + copy * images->set->base_count],
                                       .size = images->input_count * pixel_bytes(known)};
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
    const struct shw_channel_list *list = &images->set->channels;
    uint32_t input = index % images->input_count;
    const struct shw_input *from = read->chosen.of[read->chosen.of[input] != NULL ? input : 0];
    const struct shw_depth scaling = shw_input_scaling(list, input, from);

    (void)thread;
    for (uint32_t copy = 0; copy < images->copies; copy++)
        shw_source_input_expand(&from->image, &scaling, &whole, copy == 1, known->wide,
                                (char *)images->uploads[read->first_upload + copy].mapped + input * pixel_bytes(known));
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

/* The planes of an image that begin at a word of a place. */
static void place_planes(const struct shw_compute_images *images, struct shw_planes *planes,
                         const struct shw_region *region, uint32_t word)
{
    const uint32_t more = images->hold == SHW_COMPUTE_MEANS ? images->shapes.margin : 1;

    planes->stride = region->width + more;
    planes->height = region->height + more;
    if (images->hold == SHW_COMPUTE_MEANS)
        planes->stride = SHW_CHANNEL_STRIDE(planes->stride);
    planes->first = word * ((uint32_t)sizeof word / planes->element);
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
        VkBufferImageCopy copy = {.bufferOffset = group->offsets[s],
                                  .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, images->input_count},
                                  .imageExtent = {group->regions[s].width, group->regions[s].height, 1}};
        device->vk.CmdCopyBufferToImage(commands, group->pixels[s], sources[s], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                        &copy);
    }
    for (uint32_t s = 0; s < group->count; s++) {
        shw_image_barrier(device, commands, sources[s], shw_use_copy_target, shw_use_compute_sampled);
        place_planes(images, &images->integrals[first + s], &group->regions[s],
                     images->table[(size_t)group->images[s] * SHW_IMAGE_WORDS]);
        if (images->hold == SHW_COMPUTE_INTEGRALS && !images->keeps_channels)
            continue;
        images->channels[s].stride = SHW_CHANNEL_STRIDE(group->regions[s].width);
        images->channels[s].height = group->regions[s].height;
        images->channels[first + s] = images->channels[s];
    }
    shw_channels_stage_record_many(images->channels_stage, commands, group->count, group->formats, group->regions);
    if (images->hold == SHW_COMPUTE_INTEGRALS)
        shw_integral_compute_record_many(images->integrate, device, commands, first, group->count, group->regions);
    if (images->hold == SHW_COMPUTE_MEANS) {
        shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_compute_write);
        shw_means_compute_record_many(images->integrate, device, commands, first, group->count, group->regions);
    }
    if (images->hold == SHW_COMPUTE_CHANNELS || images->keeps_channels)
        copy_channels(images, group, commands, place);
}

/* Fills a group with as many of the chunk's next units as fit, and records their stages; *any: at least one fits. */
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
