/* Slices of patches, on the device and on the host. */
#include <stdlib.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"
#include "detection/boost/device.h"
#include "vulkan/commands.h"

static VkDeviceSize bytes_of(const struct shw_boost_device *boosting, uint32_t samples)
{
    return (VkDeviceSize)samples * boosting->boost->point_count * sizeof(uint16_t);
}

static enum shw_result create_buffer(struct shw_boost_device *boosting, uint32_t samples, enum shw_memory_kind kind,
                                     struct shw_buffer *buffer)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

    return shw_buffer_try(boosting->device, bytes_of(boosting, samples), usage, kind, "patches", buffer);
}

static enum shw_result refuse(const struct shw_boost_device *boosting, enum shw_result result)
{
    if (result != SHW_ERROR_DEVICE_MEMORY)
        return result;
    return shw_fail(&boosting->boost->params.log, result, SHW_LOG_OUT_OF_MEMORY,
                    "not enough memory for the patches of %u samples: train with fewer, or allow less device memory",
                    boosting->boost->sample_count);
}

/* Slices are as large as all before together, so that there are few however many samples are added at a time. Room for
 * a visitor is always left. */
static enum shw_result add_slice(struct shw_boost_device *boosting, uint32_t first, uint32_t missing)
{
    struct shw_boost_slice slice = {.first = first};
    VkDeviceSize bytes, need;
    enum shw_result result;

    slice.capacity = (uint32_t)shw_align_up(shw_max_u32(first, missing), SHW_BOOST_SLICE_UNIT);
    slice.capacity = shw_min_u32(slice.capacity, boosting->slice_max);
    bytes = bytes_of(boosting, slice.capacity);
    need = boosting->taken + boosting->samples.size + bytes + bytes_of(boosting, boosting->slice_max);
    slice.on_host = need > boosting->room;
    if (!SHW_RESERVE(boosting->slices, boosting->slice_capacity, boosting->slice_count + 1u))
        return shw_fail_memory(&boosting->boost->params.log, "slices of patches");
    if (!slice.on_host) {
        result = create_buffer(boosting, slice.capacity, SHW_MEMORY_DEVICE, &slice.patches);
        if (result != SHW_OK && result != SHW_ERROR_DEVICE_MEMORY)
            return result;
        slice.on_host = result == SHW_ERROR_DEVICE_MEMORY;
    }
    if (slice.on_host) {
        result = boosting->visitor.handle == VK_NULL_HANDLE
                     ? create_buffer(boosting, boosting->slice_max, SHW_MEMORY_DEVICE, &boosting->visitor)
                     : SHW_OK;
        if (result == SHW_OK)
            result = create_buffer(boosting, slice.capacity, SHW_MEMORY_UPLOAD, &slice.patches);
        if (result != SHW_OK)
            return refuse(boosting, result);
    } else {
        boosting->taken += bytes;
    }
    boosting->slices[boosting->slice_count++] = slice;
    return SHW_OK;
}

/* The samples that the slices can have. */
static uint32_t slices_end(const struct shw_boost_device *boosting)
{
    const struct shw_boost_slice *last;

    if (boosting->slice_count == 0)
        return 0;
    last = &boosting->slices[boosting->slice_count - 1];
    return last->first + last->capacity;
}

enum shw_result shw_boost_slices_add(struct shw_boost_device *boosting, uint32_t count)
{
    for (uint32_t end = slices_end(boosting); end < count; end = slices_end(boosting))
        SHW_PROPAGATE(add_slice(boosting, end, count - end));
    return SHW_OK;
}

void shw_boost_slices_destroy(struct shw_boost_device *boosting)
{
    for (uint32_t s = 0; s < boosting->slice_count; s++)
        shw_buffer_destroy(boosting->device, &boosting->slices[s].patches);
    free(boosting->slices);
    shw_buffer_destroy(boosting->device, &boosting->visitor);
}

VkBuffer shw_boost_slice_buffer(const struct shw_boost_device *boosting, const struct shw_boost_slice *slice)
{
    return slice->on_host ? boosting->visitor.handle : slice->patches.handle;
}

static void copy(struct shw_boost_device *boosting, const struct shw_boost_slice *slice, VkBuffer from, VkBuffer to)
{
    const VkBufferCopy all = {.size = bytes_of(boosting, slice->capacity)};

    if (!slice->on_host)
        return;
    shw_boost_wait(boosting);
    boosting->device->vk.CmdCopyBuffer(boosting->commands, from, to, 1, &all);
    shw_boost_wait(boosting);
}

void shw_boost_slice_bring(struct shw_boost_device *boosting, const struct shw_boost_slice *slice)
{
    copy(boosting, slice, slice->patches.handle, boosting->visitor.handle);
}

void shw_boost_slice_take(struct shw_boost_device *boosting, const struct shw_boost_slice *slice)
{
    copy(boosting, slice, boosting->visitor.handle, slice->patches.handle);
}

/* The slice's samples of the tree; 0: none. */
static uint32_t samples_of(const struct shw_boost_device *boosting, const struct shw_boost_slice *slice)
{
    uint32_t count = boosting->boost->tree_samples;

    return count > slice->first ? shw_min_u32(count - slice->first, slice->capacity) : 0;
}

struct shw_boost_push shw_boost_slice_push(const struct shw_boost_device *boosting, const struct shw_boost_slice *slice)
{
    return (struct shw_boost_push){.stride = slice->capacity / 2,
                                   .first = slice->first,
                                   .count = samples_of(boosting, slice),
                                   .capacity = boosting->sample_capacity,
                                   .list = SHW_BOOST_LIST,
                                   .points = boosting->boost->point_count,
                                   .patch_words = (boosting->boost->point_count + 1) / 2};
}
