#include "dense/train/samples_blend.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"

void shw_blend_samples_destroy(struct shw_device *device, struct shw_histogram_blend *blend)
{
    shw_target_destroy(device, &blend->leaf_target);
    for (uint32_t i = 0; i < SHW_BLEND_LAYERS_MAX / SHW_BLEND_TOGETHER; i++)
        shw_target_destroy(device, &blend->respond_targets[i]);
    shw_vulkan_image_destroy(device, &blend->leaves);
    shw_vulkan_image_destroy(device, &blend->responses);
}

/* Creates textures for components of up to `slot` samples and responses to as many candidates as allowed. */
static enum shw_result need_samples(struct shw_train_compute *training, uint32_t slot)
{
    struct shw_histogram_blend *blend = training->blend;
    struct shw_device *device = training->device;
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    uint32_t height = (slot + SHW_BLEND_WIDTH - 1) / SHW_BLEND_WIDTH, first = 0;

    if (blend->leaves.height >= height)
        return SHW_OK;
    shw_blend_samples_destroy(device, blend);
    SHW_PROPAGATE(shw_vulkan_image_create(device, VK_FORMAT_R32G32B32A32_UINT, SHW_BLEND_WIDTH, height, 1, usage,
                                          "leaf images", &blend->leaves));
    SHW_PROPAGATE(shw_vulkan_image_create(device, VK_FORMAT_R32G32B32A32_SINT, SHW_BLEND_WIDTH, height, blend->layers,
                                          usage, "responses", &blend->responses));
    SHW_PROPAGATE(
        shw_target_create(device, &blend->programs[SHW_BLEND_LEAF_PASS], &blend->leaves, &first, &blend->leaf_target));
    for (uint32_t l = 0; l < blend->layers; l += SHW_BLEND_TOGETHER) {
        uint32_t list[SHW_BLEND_TOGETHER];
        for (uint32_t i = 0; i < SHW_BLEND_TOGETHER; i++)
            list[i] = l + i;
        SHW_PROPAGATE(shw_target_create(device, &blend->programs[SHW_BLEND_RESPOND_PASS], &blend->responses, list,
                                        &blend->respond_targets[l / SHW_BLEND_TOGETHER]));
    }
    return SHW_OK;
}

static struct shw_blend_group *add_group(struct shw_histogram_blend *blend)
{
    return SHW_RESERVE(blend->groups, blend->group_capacity, blend->group_count + 1u)
               ? &blend->groups[blend->group_count++]
               : NULL;
}

/* Fills a component with samples of whole images as long as they fit, or with a part of an image that would not fit
 * into any. `image` is that of the next sample; `ends` is where those of each image end. */
static uint32_t fill_component(const struct shw_train_compute *training, const uint32_t *ends, uint32_t first,
                               uint32_t chunk, uint32_t most, uint32_t *image)
{
    uint32_t end = first;

    for (; *image < training->blend->image_count; ++*image) {
        if (ends[*image] == end)
            continue;
        if (training->integrals.table[*image * SHW_IMAGE_WORDS + 2] != chunk)
            return end;
        if (ends[*image] - first > most)
            return end > first ? end : first + most;
        end = ends[*image];
    }
    return end;
}

/* False if out of memory. */
static bool make_groups(struct shw_train_compute *training, const uint32_t *ends, uint32_t count, uint32_t slot)
{
    struct shw_histogram_blend *blend = training->blend;
    uint32_t image = 0;

    blend->group_count = 0;
    for (uint32_t first = 0; first < count;) {
        struct shw_blend_group *group = add_group(blend);
        uint32_t end = first;
        if (group == NULL)
            return false;
        while (ends[image] == first)
            image++;
        *group =
            (struct shw_blend_group){.chunk = training->integrals.table[image * SHW_IMAGE_WORDS + 2], .first = first};
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t room = blend->limits.points - (end - first);
            group->begins[c] = end - first;
            end = fill_component(training, ends, end, group->chunk, slot < room ? slot : room, &image);
        }
        group->count = end - first;
        first = end;
    }
    return true;
}

/* Writes the samples sorted by image, and to `ends` where those of each image end. Returns the largest number of
 * samples in an image. */
static uint32_t sort_samples(const struct shw_samples *samples, uint32_t image_count, uint32_t *ends, uint32_t *words)
{
    size_t count = samples->count;
    uint32_t begin = 0, most = 0;

    memset(ends, 0, image_count * sizeof *ends);
    for (size_t i = 0; i < count; i++)
        ends[samples->image[i]]++;
    for (uint32_t image = 0; image < image_count; image++) {
        uint32_t has = ends[image];
        most = has > most ? has : most;
        ends[image] = begin;
        begin += has;
    }
    for (size_t i = 0; i < count; i++) {
        size_t to = ends[samples->image[i]]++;
        words[to] = samples->x[i] | (uint32_t)samples->y[i] << 16;
        words[count + to] = samples->image[i];
        words[2 * count + to] = samples->label[i];
    }
    return most;
}

enum shw_result shw_blend_samples_begin(struct shw_train_compute *training, const struct shw_samples *samples)
{
    struct shw_histogram_blend *blend = training->blend;
    VkDeviceSize bytes = 3 * (VkDeviceSize)samples->count * sizeof(uint32_t);
    uint32_t *ends = malloc(blend->image_count * sizeof *ends), slot;
    enum shw_result result = SHW_ERROR_MEMORY;

    if (ends == NULL) {
        shw_fail_memory(training->log, "groups of samples");
        goto fail;
    }
    SHW_TRY(shw_compute_need(training, &blend->points, bytes, SHW_MEMORY_DEVICE, "samples"));
    SHW_TRY(shw_compute_need(training, &blend->point_upload, bytes, SHW_MEMORY_UPLOAD, "samples"));
    /* If possible, components are as long as the four of a single group would be. */
    slot = samples->count / 4 + sort_samples(samples, blend->image_count, ends, blend->point_upload.mapped);
    slot = slot < blend->slot_max ? slot : blend->slot_max;
    blend->point_bytes = bytes;
    SHW_TRY(need_samples(training, slot));
    if (!make_groups(training, ends, samples->count, slot))
        result = shw_fail_memory(training->log, "groups of samples");

fail:
    free(ends);
    return result;
}
