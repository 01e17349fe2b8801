#include "vulkan/planes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"

const struct shw_span shw_span_always = {0, UINT32_MAX, 0};

struct shw_arena_entry {
    const char *name;
    struct shw_span span;
    enum shw_memory_kind kind;
    struct shw_buffer made_buffer; /* either this */
    struct shw_vulkan_image made_image;
    struct shw_buffer *buffer; /* where to report it */
    struct shw_vulkan_image *image;
    VkMemoryRequirements requirements;
    bool dedicated;
    uint32_t types, type; /* of memory that it can be in, and the best one */
    uint32_t block;
    VkDeviceSize offset;
};

struct shw_arena_block {
    struct shw_memory_request request;
    struct shw_memory_block memory;
    bool closed; /* for a single resource */
};

#define NOWHERE UINT32_MAX

void shw_arena_begin(struct shw_device *device, struct shw_arena *arena)
{
    *arena = (struct shw_arena){.device = device};
}

struct shw_span shw_arena_scratch(const struct shw_arena *arena, uint32_t set)
{
    return (struct shw_span){arena->now.first, arena->now.last, set};
}

static struct shw_arena_entry *add_entry(struct shw_arena *arena, struct shw_span span, enum shw_memory_kind kind,
                                         const char *name)
{
    struct shw_arena_entry entry = {
        .name = name, .span = kind == SHW_MEMORY_DEVICE ? span : shw_span_always, .kind = kind, .block = NOWHERE};

    if (!SHW_RESERVE(arena->entries, arena->entry_capacity, (size_t)arena->entry_count + 1))
        return NULL;
    arena->entries[arena->entry_count] = entry;
    return &arena->entries[arena->entry_count++];
}

static enum shw_result choose_types(const struct shw_arena *arena, struct shw_arena_entry *entry,
                                    const VkMemoryRequirements2 *requirements,
                                    const VkMemoryDedicatedRequirements *dedicated)
{
    entry->requirements = requirements->memoryRequirements;
    entry->dedicated = dedicated->requiresDedicatedAllocation != VK_FALSE;
    entry->types = shw_block_types(arena->device, entry->requirements.memoryTypeBits, entry->kind, &entry->type);
    if (entry->types == 0)
        return shw_fail(&arena->device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "no suitable memory type for %s", entry->name);
    return SHW_OK;
}

enum shw_result shw_arena_add_buffer(struct shw_arena *arena, struct shw_span span, VkDeviceSize size,
                                     VkBufferUsageFlags usage, enum shw_memory_kind kind, const char *name,
                                     struct shw_buffer *buffer)
{
    const struct shw_device *device = arena->device;
    VkMemoryDedicatedRequirements dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
    VkMemoryRequirements2 requirements = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &dedicated};
    VkBufferMemoryRequirementsInfo2 info = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2};
    struct shw_arena_entry *entry = add_entry(arena, span, kind, name);

    *buffer = (struct shw_buffer){.size = size};
    if (entry == NULL)
        return shw_fail_memory(&device->log, name);
    entry->buffer = buffer;
    SHW_PROPAGATE(shw_buffer_create_unbound(device, size, usage, name, &entry->made_buffer));
    info.buffer = entry->made_buffer.handle;
    device->vk.GetBufferMemoryRequirements2(device->handle, &info, &requirements);
    return choose_types(arena, entry, &requirements, &dedicated);
}

enum shw_result shw_arena_add_image(struct shw_arena *arena, struct shw_span span, VkFormat format, uint32_t width,
                                    uint32_t height, uint32_t layers, VkImageUsageFlags usage, const char *name,
                                    struct shw_vulkan_image *image)
{
    const struct shw_device *device = arena->device;
    VkMemoryDedicatedRequirements dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
    VkMemoryRequirements2 requirements = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &dedicated};
    VkImageMemoryRequirementsInfo2 info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2};
    struct shw_arena_entry *entry = add_entry(arena, span, SHW_MEMORY_DEVICE, name);

    *image = (struct shw_vulkan_image){.format = format, .width = width, .height = height, .layers = layers};
    if (entry == NULL)
        return shw_fail_memory(&device->log, name);
    entry->image = image;
    SHW_PROPAGATE(
        shw_vulkan_image_create_unbound(device, format, width, height, layers, usage, name, &entry->made_image));
    info.image = entry->made_image.handle;
    device->vk.GetImageMemoryRequirements2(device->handle, &info, &requirements);
    return choose_types(arena, entry, &requirements, &dedicated);
}

/* Buffers and images are kept apart as far as the device wants, wherever they are. */
static VkDeviceSize alignment_of(const struct shw_arena *arena, const struct shw_arena_entry *entry)
{
    VkDeviceSize granularity = arena->device->properties.limits.bufferImageGranularity;

    return entry->requirements.alignment > granularity ? entry->requirements.alignment : granularity;
}

static VkDeviceSize end_of(const struct shw_arena *arena, const struct shw_arena_entry *entry)
{
    return entry->offset + shw_align_up(entry->requirements.size, alignment_of(arena, entry));
}

static bool are_apart(struct shw_span a, struct shw_span b)
{
    return a.set == b.set && (a.first > b.last || b.first > a.last);
}

/* Whether the entry at `offset` would overlap another one that is in use at the same time; *end is where that ends. */
static bool is_taken(const struct shw_arena *arena, const struct shw_arena_entry *entry, uint32_t block,
                     VkDeviceSize offset, VkDeviceSize *end)
{
    VkDeviceSize size = shw_align_up(entry->requirements.size, alignment_of(arena, entry));

    for (uint32_t i = 0; i < arena->entry_count; i++) {
        const struct shw_arena_entry *other = &arena->entries[i];
        if (other->block != block || are_apart(entry->span, other->span) || offset >= end_of(arena, other) ||
            other->offset >= offset + size)
            continue;
        *end = end_of(arena, other);
        return true;
    }
    return false;
}

/* Puts the entry at the lowest free place of the block. False: there is none. */
static bool put(struct shw_arena *arena, struct shw_arena_entry *entry, uint32_t number)
{
    struct shw_arena_block *block = &arena->blocks[number];
    VkMemoryRequirements *whole = &block->request.requirements;
    VkDeviceSize alignment = alignment_of(arena, entry), offset = 0, end;

    while (is_taken(arena, entry, number, offset, &end))
        offset = shw_align_up(end, alignment);
    end = offset + entry->requirements.size;
    if (whole->size > 0 && (block->closed || entry->dedicated || end > arena->device->allocation_max))
        return false;
    entry->block = number;
    entry->offset = offset;
    whole->size = end > whole->size ? end : whole->size;
    whole->alignment = alignment > whole->alignment ? alignment : whole->alignment;
    whole->memoryTypeBits &= entry->types;
    block->request.has_buffers |= entry->buffer != NULL;
    block->request.has_images |= entry->image != NULL;
    return true;
}

static enum shw_result place_entry(struct shw_arena *arena, struct shw_arena_entry *entry)
{
    bool mapped = entry->kind != SHW_MEMORY_DEVICE;
    struct shw_arena_block *block;

    for (uint32_t b = 0; b < arena->block_count; b++)
        if (arena->blocks[b].request.memory_type == entry->type && arena->blocks[b].request.mapped == mapped &&
            put(arena, entry, b))
            return SHW_OK;
    if (!SHW_RESERVE(arena->blocks, arena->block_capacity, (size_t)arena->block_count + 1))
        return shw_fail_memory(&arena->device->log, entry->name);
    block = &arena->blocks[arena->block_count];
    *block = (struct shw_arena_block){
        .request = {.requirements = {.memoryTypeBits = UINT32_MAX}, .memory_type = entry->type, .mapped = mapped},
        .closed = entry->dedicated};
    if (entry->dedicated) {
        block->request.dedicated_buffer = entry->made_buffer.handle;
        block->request.dedicated_image = entry->made_image.handle;
    }
    put(arena, entry, arena->block_count++);
    return SHW_OK;
}

/* The largest that is not placed; the first of equal ones. */
static struct shw_arena_entry *largest(struct shw_arena *arena)
{
    struct shw_arena_entry *found = NULL;

    for (uint32_t i = 0; i < arena->entry_count; i++) {
        struct shw_arena_entry *entry = &arena->entries[i];
        if (entry->block == NOWHERE && (found == NULL || entry->requirements.size > found->requirements.size))
            found = entry;
    }
    return found;
}

enum shw_result shw_arena_place(struct shw_arena *arena, struct shw_arena_need *need)
{
    struct shw_arena_entry *entry;

    *need = (struct shw_arena_need){0};
    while ((entry = largest(arena)) != NULL)
        SHW_PROPAGATE(place_entry(arena, entry));
    for (uint32_t b = 0; b < arena->block_count; b++) {
        const struct shw_memory_request *request = &arena->blocks[b].request;
        *(request->mapped ? &need->mapped_bytes : &need->device_bytes) += request->requirements.size;
    }
    need->blocks = arena->block_count;
    return SHW_OK;
}

static enum shw_result make_entry(struct shw_arena *arena, struct shw_arena_entry *entry)
{
    struct shw_device *device = arena->device;
    const struct shw_memory_block *block = &arena->blocks[entry->block].memory;
    VkDeviceSize offset = block->offset + entry->offset;

    if (entry->image != NULL) {
        struct shw_vulkan_image *image = &entry->made_image;
        VK_PROPAGATE(device, BindImageMemory(device->handle, image->handle, block->memory, offset));
        SHW_PROPAGATE(
            shw_image_view_create(device, image->handle, image->format, 0, image->layers, true, &image->view));
        *entry->image = *image;
        return SHW_OK;
    }
    VK_PROPAGATE(device, BindBufferMemory(device->handle, entry->made_buffer.handle, block->memory, offset));
    if (block->mapped != NULL && entry->kind != SHW_MEMORY_DEVICE)
        entry->made_buffer.mapped = (char *)block->mapped + entry->offset;
    *entry->buffer = entry->made_buffer;
    return SHW_OK;
}

enum shw_result shw_arena_make(struct shw_arena *arena)
{
    struct shw_arena_need need;

    SHW_PROPAGATE(shw_arena_place(arena, &need));
    for (uint32_t b = 0; b < arena->block_count; b++)
        SHW_PROPAGATE(shw_block_allocate(arena->device, &arena->blocks[b].request,
                                         arena->blocks[b].request.mapped ? "buffers of the host" : "planes", false,
                                         &arena->blocks[b].memory));
    for (uint32_t i = 0; i < arena->entry_count; i++)
        SHW_PROPAGATE(make_entry(arena, &arena->entries[i]));
    return SHW_OK;
}

void shw_arena_end(struct shw_arena *arena)
{
    for (uint32_t i = 0; i < arena->entry_count; i++) {
        shw_buffer_destroy(arena->device, &arena->entries[i].made_buffer);
        shw_vulkan_image_destroy(arena->device, &arena->entries[i].made_image);
    }
    for (uint32_t b = 0; b < arena->block_count; b++)
        shw_block_release(arena->device, &arena->blocks[b].memory);
    free(arena->entries);
    free(arena->blocks);
    *arena = (struct shw_arena){0};
}

uint32_t shw_planes_element(VkFormat format)
{
    return format == VK_FORMAT_R32_UINT ? 4 : 2;
}

/* Elements from one row of the buffer to the next. */
static uint32_t stride_of(VkFormat format, uint32_t width)
{
    uint32_t aligned = format == VK_FORMAT_R32_UINT ? 2 : 8;

    return (uint32_t)shw_align_up(width, aligned);
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
