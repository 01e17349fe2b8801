#include "vulkan/planes.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"

/* Formats of planes: bytes of an element, and the elements of which rows of buffers have a multiple. */
static const struct {
    VkFormat format;
    uint32_t element, aligned;
} formats[] = {{VK_FORMAT_R8_UINT, 1, 16},          {VK_FORMAT_R32_UINT, 4, 2}, {VK_FORMAT_R8G8B8A8_UINT, 4, 4},
               {VK_FORMAT_R16G16B16A16_UINT, 8, 2}, {VK_FORMAT_R16_UINT, 2, 8}, {VK_FORMAT_R16_SINT, 2, 8}};

static uint32_t number_of(VkFormat format)
{
    uint32_t number = 0;

    while (number + 1 < sizeof formats / sizeof *formats && formats[number].format != format)
        number++;
    return number;
}

uint32_t shw_planes_element(VkFormat format)
{
    return formats[number_of(format)].element;
}

/* Elements from one row of the buffer to the next. */
static uint32_t stride_of(VkFormat format, uint32_t width)
{
    return (uint32_t)shw_align_up(width, formats[number_of(format)].aligned);
}

#define BUFFER_USAGE                                                                                                   \
    (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)
#define IMAGE_USAGE                                                                                                    \
    (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |              \
     VK_IMAGE_USAGE_TRANSFER_DST_BIT)

/* Initialises everything that needs no memory; returns the size of the buffer. */
static VkDeviceSize begin(VkFormat format, uint32_t width, uint32_t height, uint32_t count, struct shw_planes *planes)
{
    *planes = (struct shw_planes){.width = width,
                                  .height = height,
                                  .count = count,
                                  .format = format,
                                  .element = shw_planes_element(format),
                                  .stride = stride_of(format, width)};
    return (VkDeviceSize)planes->stride * height * count * planes->element;
}

static bool exceeds(const struct shw_device *device, VkDeviceSize size, uint32_t forms)
{
    return (forms & SHW_PLANES_BUFFER) != 0 && size > device->properties.limits.maxStorageBufferRange;
}

static enum shw_result refuse(const struct shw_device *device, const char *name, VkDeviceSize size)
{
    return shw_fail(&device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                    "%s needs a storage buffer of %llu bytes; the device has at most %u bytes: use smaller images or "
                    "tiles, fewer channels, trees or classes, or a technique without storage buffers (fragment, cpu)",
                    name, (unsigned long long)size, device->properties.limits.maxStorageBufferRange);
}

enum shw_result shw_planes_create(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                  uint32_t count, uint32_t forms, const char *name, struct shw_planes *planes)
{
    VkDeviceSize size = begin(format, width, height, count, planes);
    enum shw_result result = SHW_OK;

    if (exceeds(device, size, forms)) {
        result = refuse(device, name, size);
        goto fail;
    }
    if ((forms & SHW_PLANES_BUFFER) != 0)
        SHW_TRY(shw_buffer_create(device, size, BUFFER_USAGE, SHW_MEMORY_DEVICE, name, &planes->buffer));
    if ((forms & SHW_PLANES_IMAGE) != 0)
        SHW_TRY(shw_vulkan_image_create(device, format, width, height, count, IMAGE_USAGE, name, &planes->image));
    return SHW_OK;

fail:
    shw_planes_destroy(device, planes);
    return result;
}

enum shw_result shw_planes_add(struct shw_arena *arena, struct shw_span image, struct shw_span buffer, VkFormat format,
                               uint32_t width, uint32_t height, uint32_t count, uint32_t forms, const char *name,
                               struct shw_planes *planes)
{
    VkDeviceSize size = begin(format, width, height, count, planes);

    if (exceeds(arena->device, size, forms)) {
        planes->buffer.size = size;
        if (arena->exceeds == NULL)
            return refuse(arena->device, name, size);
        *arena->exceeds = true;
        return SHW_OK;
    }
    if ((forms & SHW_PLANES_BUFFER) != 0)
        SHW_PROPAGATE(
            shw_arena_add_buffer(arena, buffer, size, BUFFER_USAGE, SHW_MEMORY_DEVICE, name, &planes->buffer));
    if ((forms & SHW_PLANES_IMAGE) != 0)
        SHW_PROPAGATE(
            shw_arena_add_image(arena, image, format, width, height, count, IMAGE_USAGE, name, &planes->image));
    return SHW_OK;
}

enum shw_result shw_planes_add_scratch(struct shw_arena *arena, VkFormat format, uint32_t width, uint32_t height,
                                       uint32_t count, enum shw_planes_form form, const char *name, uint32_t sets,
                                       struct shw_planes *planes)
{
    for (uint32_t s = 0; s < sets; s++) {
        struct shw_span span = shw_arena_scratch(arena, s);
        SHW_PROPAGATE(shw_planes_add(arena, span, span, format, width, height, count, form, name, &planes[s]));
    }
    return SHW_OK;
}

void shw_planes_share(struct shw_planes *planes, uint32_t slots, uint32_t sets)
{
    for (uint32_t s = sets; s < slots; s++)
        planes[s] = planes[s % sets];
}

void shw_planes_destroy(struct shw_device *device, struct shw_planes *planes)
{
    shw_buffer_destroy(device, &planes->buffer);
    shw_vulkan_image_destroy(device, &planes->image);
    *planes = (struct shw_planes){0};
}

static VkBufferImageCopy whole(const struct shw_planes *planes, uint32_t width, uint32_t height)
{
    return (VkBufferImageCopy){.bufferRowLength = planes->stride,
                               .bufferImageHeight = planes->height,
                               .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, planes->count},
                               .imageExtent = {width, height, 1}};
}

void shw_planes_copy_to_buffer(const struct shw_device *device, VkCommandBuffer commands,
                               const struct shw_planes *planes, uint32_t width, uint32_t height)
{
    VkBufferImageCopy region = whole(planes, width, height);

    device->vk.CmdCopyImageToBuffer(commands, planes->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    planes->buffer.handle, 1, &region);
}

void shw_planes_copy_to_image(const struct shw_device *device, VkCommandBuffer commands,
                              const struct shw_planes *planes, uint32_t width, uint32_t height)
{
    VkBufferImageCopy region = whole(planes, width, height);

    device->vk.CmdCopyBufferToImage(commands, planes->buffer.handle, planes->image.handle,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
}

void shw_planes_move(const struct shw_planes *planes, void *rows, void *packed, uint32_t width, uint32_t height,
                     bool in)
{
    size_t row = (size_t)width * planes->element, stride = (size_t)planes->stride * planes->element;

    for (uint32_t p = 0; p < planes->count; p++)
        for (uint32_t y = 0; y < height; y++) {
            char *padded_row = (char *)rows + ((size_t)p * planes->height + y) * stride;
            char *packed_row = (char *)packed + ((size_t)p * height + y) * row;
            memcpy(in ? padded_row : packed_row, in ? packed_row : padded_row, row);
        }
}

enum shw_result shw_target_create(struct shw_device *device, const struct shw_program *program,
                                  const struct shw_vulkan_image *image, const uint32_t *layers,
                                  struct shw_target *target)
{
    enum shw_result result;

    *target = (struct shw_target){0};
    for (uint32_t i = 0; i < program->attachment_count; i++)
        SHW_TRY(shw_image_view_create(device, image->handle, image->format, layers[i], 1, false, &target->views[i]));
    SHW_TRY(shw_framebuffer_create(device, program, target->views, image->width, image->height, &target->framebuffer));
    return SHW_OK;

fail:
    shw_target_destroy(device, target);
    return result;
}

void shw_target_destroy(struct shw_device *device, struct shw_target *target)
{
    if (target->framebuffer != VK_NULL_HANDLE)
        device->vk.DestroyFramebuffer(device->handle, target->framebuffer, device->allocator);
    for (uint32_t i = 0; i < SHW_ATTACHMENTS_MAX; i++)
        if (target->views[i] != VK_NULL_HANDLE)
            device->vk.DestroyImageView(device->handle, target->views[i], device->allocator);
    *target = (struct shw_target){0};
}

enum shw_result shw_targets_create(struct shw_device *device, const struct shw_program *program,
                                   const struct shw_planes *planes, uint32_t count, const uint32_t *layers,
                                   struct shw_target **targets)
{
    *targets = calloc(count, sizeof **targets);
    if (*targets == NULL)
        return shw_fail_memory(&device->log, "render targets");
    for (uint32_t i = 0; i < count; i++)
        SHW_PROPAGATE(shw_target_create(device, program, &planes[i].image, layers, &(*targets)[i]));
    return SHW_OK;
}

void shw_targets_destroy(struct shw_device *device, uint32_t count, struct shw_target **targets)
{
    for (uint32_t i = 0; *targets != NULL && i < count; i++)
        shw_target_destroy(device, &(*targets)[i]);
    free(*targets);
    *targets = NULL;
}
