#include "vulkan/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"

/* Types with other properties are for what must be enabled first, such as protected memory or AMD's memory that is
   coherent on the device; for each there is one without. */
#define USABLE                                                                                                         \
    (VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |                                       \
     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT)

/* The first memory type among `allowed` with all of `wanted`, or UINT32_MAX. */
static uint32_t find_type(const struct shw_device *device, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++)
        if ((allowed >> i & 1) != 0 && (device->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return UINT32_MAX;
}

uint32_t shw_block_types(const struct shw_device *device, uint32_t bits, enum shw_memory_kind kind, uint32_t *type)
{
    static const VkMemoryPropertyFlags coherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    static const struct {
        VkMemoryPropertyFlags best, needed;
    } preferences[] = {
        [SHW_MEMORY_DEVICE] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
        [SHW_MEMORY_UPLOAD] = {coherent, coherent},
        [SHW_MEMORY_TABLE] = {coherent | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, coherent},
        [SHW_MEMORY_READBACK] = {coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, coherent},
    };
    VkMemoryPropertyFlags needed = preferences[kind].needed;
    uint32_t types = 0;

    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = device->memory.memoryTypes[i].propertyFlags;
        if ((bits >> i & 1) != 0 && (flags & needed) == needed && (flags & ~(VkMemoryPropertyFlags)USABLE) == 0)
            types |= 1u << i;
    }
    *type = find_type(device, types, preferences[kind].best);
    if (*type == UINT32_MAX)
        *type = find_type(device, types, needed);
    return types;
}

static VkResult allocate_from_vulkan(struct shw_device *device, const struct shw_memory_request *request,
                                     struct shw_memory_block *block)
{
    VkMemoryDedicatedAllocateInfo dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                               .image = request->dedicated_image,
                                               .buffer = request->dedicated_buffer};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = request->requirements.size,
                                 .memoryTypeIndex = request->memory_type};
    VkResult result;

    if (request->dedicated_image != VK_NULL_HANDLE || request->dedicated_buffer != VK_NULL_HANDLE)
        info.pNext = &dedicated;
    result = device->vk.AllocateMemory(device->handle, &info, device->allocator, &block->memory);
    if (result == VK_SUCCESS && request->mapped)
        result = device->vk.MapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &block->mapped);
    return result;
}

/* Accepts a zero block. The block is zero afterwards. */
static void release_block(struct shw_device *device, struct shw_memory_block *block)
{
    if (block->memory != VK_NULL_HANDLE && device->memory_hooks.release != NULL)
        device->memory_hooks.release(device->memory_hooks.user, block);
    else if (block->memory != VK_NULL_HANDLE)
        device->vk.FreeMemory(device->handle, block->memory, device->allocator);
    *block = (struct shw_memory_block){0};
}

/* `name` is for messages, `quiet` for callers that have a fallback: a lack of device memory is not reported. Errors:
 * MEMORY, DEVICE_MEMORY, UNSUPPORTED. On failure *block is zero. */
static enum shw_result allocate_block(struct shw_device *device, const struct shw_memory_request *request,
                                      const char *name, bool quiet, struct shw_memory_block *block)
{
    const struct shw_memory_hooks *hooks = &device->memory_hooks;
    VkResult result;

    *block = (struct shw_memory_block){0};
    result = hooks->allocate != NULL ? hooks->allocate(hooks->user, request, block)
                                     : allocate_from_vulkan(device, request, block);
    if (result == VK_SUCCESS && request->mapped && block->mapped == NULL) {
        release_block(device, block);
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the memory hook has returned unmapped memory for %s, which the host writes or reads", name);
    }
    if (result == VK_SUCCESS)
        return SHW_OK;
    if (hooks->allocate == NULL)
        release_block(device, block); /* allocated, but could not be mapped */
    *block = (struct shw_memory_block){0};
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
        return shw_vk_fail(device, result, "vkAllocateMemory");
    if (quiet)
        return SHW_ERROR_DEVICE_MEMORY;
    return shw_fail(&device->log, SHW_ERROR_DEVICE_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                    "not enough device memory for %s (%llu bytes)", name,
                    (unsigned long long)request->requirements.size);
}

/* The block of a single resource. */
static enum shw_result allocate(struct shw_device *device, const VkMemoryRequirements *requirements,
                                enum shw_memory_kind kind, bool is_image, const char *name, bool quiet,
                                struct shw_memory_block *block)
{
    struct shw_memory_request request = {.requirements = *requirements,
                                         .mapped = kind != SHW_MEMORY_DEVICE,
                                         .has_buffers = !is_image,
                                         .has_images = is_image};

    request.requirements.memoryTypeBits =
        shw_block_types(device, requirements->memoryTypeBits, kind, &request.memory_type);
    if (request.requirements.memoryTypeBits == 0)
        return shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "no suitable memory type for %s",
                        name);
    return allocate_block(device, &request, name, quiet, block);
}

/* Only the handle, without memory. Errors: MEMORY, DEVICE_MEMORY. */
static enum shw_result create_unbound_buffer(const struct shw_device *device, VkDeviceSize size,
                                             VkBufferUsageFlags usage, const char *name, struct shw_buffer *buffer)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size,
                               .usage = usage,
                               .sharingMode = VK_SHARING_MODE_EXCLUSIVE};

    *buffer = (struct shw_buffer){.size = size};
    VK_PROPAGATE(device, CreateBuffer(device->handle, &info, device->allocator, &buffer->handle));
    shw_vk_name(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->handle, "shw %s", name);
    return SHW_OK;
}

static enum shw_result create_buffer(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                     enum shw_memory_kind kind, const char *name, bool quiet, struct shw_buffer *buffer)
{
    VkMemoryRequirements requirements;
    enum shw_result result;

    SHW_TRY(create_unbound_buffer(device, size, usage, name, buffer));
    device->vk.GetBufferMemoryRequirements(device->handle, buffer->handle, &requirements);
    SHW_TRY(allocate(device, &requirements, kind, false, name, quiet, &buffer->block));
    VK_TRY(device, BindBufferMemory(device->handle, buffer->handle, buffer->block.memory, buffer->block.offset));
    buffer->mapped = buffer->block.mapped;
    return SHW_OK;

fail:
    shw_buffer_destroy(device, buffer);
    return result;
}

enum shw_result shw_buffer_create(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                  enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer)
{
    return create_buffer(device, size, usage, kind, name, false, buffer);
}

enum shw_result shw_buffer_try(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                               enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer)
{
    return create_buffer(device, size, usage, kind, name, true, buffer);
}

void shw_buffer_destroy(struct shw_device *device, struct shw_buffer *buffer)
{
    if (buffer->handle != VK_NULL_HANDLE)
        device->vk.DestroyBuffer(device->handle, buffer->handle, device->allocator);
    release_block(device, &buffer->block);
    *buffer = (struct shw_buffer){0};
}

enum shw_result shw_image_view_create(struct shw_device *device, VkImage image, VkFormat format, uint32_t first,
                                      uint32_t count, bool array, VkImageView *view)
{
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = image,
                                  .viewType = array || count > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, first, count}};

    *view = VK_NULL_HANDLE;
    VK_PROPAGATE(device, CreateImageView(device->handle, &info, device->allocator, view));
    return SHW_OK;
}

/* Only the handle, without memory and view. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
static enum shw_result create_unbound_image(const struct shw_device *device, VkFormat format, uint32_t width,
                                            uint32_t height, uint32_t layers, VkImageUsageFlags usage, const char *name,
                                            struct shw_vulkan_image *image)
{
    const VkPhysicalDeviceLimits *limits = &device->properties.limits;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {width, height, 1},
                              .mipLevels = 1,
                              .arrayLayers = layers,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = VK_IMAGE_TILING_OPTIMAL,
                              .usage = usage,
                              .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
                              .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};

    *image = (struct shw_vulkan_image){.format = format, .width = width, .height = height, .layers = layers};
    if (width > limits->maxImageDimension2D || height > limits->maxImageDimension2D ||
        layers > limits->maxImageArrayLayers)
        return shw_fail(
            &device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
            "%s needs an image of %u x %u pixels with %u layers; the device has at most %u x %u pixels with %u layers",
            name, width, height, layers, limits->maxImageDimension2D, limits->maxImageDimension2D,
            limits->maxImageArrayLayers);
    VK_PROPAGATE(device, CreateImage(device->handle, &info, device->allocator, &image->handle));
    shw_vk_name(device, VK_OBJECT_TYPE_IMAGE, (uint64_t)image->handle, "shw %s", name);
    return SHW_OK;
}

static enum shw_result create_image(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                    uint32_t layers, VkImageUsageFlags usage, const char *name, bool quiet,
                                    struct shw_vulkan_image *image)
{
    VkMemoryRequirements requirements;
    enum shw_result result;

    SHW_TRY(create_unbound_image(device, format, width, height, layers, usage, name, image));
    device->vk.GetImageMemoryRequirements(device->handle, image->handle, &requirements);
    SHW_TRY(allocate(device, &requirements, SHW_MEMORY_DEVICE, true, name, quiet, &image->block));
    VK_TRY(device, BindImageMemory(device->handle, image->handle, image->block.memory, image->block.offset));
    SHW_TRY(shw_image_view_create(device, image->handle, format, 0, layers, true, &image->view));
    return SHW_OK;

fail:
    shw_vulkan_image_destroy(device, image);
    return result;
}

enum shw_result shw_vulkan_image_create(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                        uint32_t layers, VkImageUsageFlags usage, const char *name,
                                        struct shw_vulkan_image *image)
{
    return create_image(device, format, width, height, layers, usage, name, false, image);
}

enum shw_result shw_vulkan_image_try(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                     uint32_t layers, VkImageUsageFlags usage, const char *name,
                                     struct shw_vulkan_image *image)
{
    return create_image(device, format, width, height, layers, usage, name, true, image);
}

void shw_vulkan_image_destroy(struct shw_device *device, struct shw_vulkan_image *image)
{
    if (image->view != VK_NULL_HANDLE)
        device->vk.DestroyImageView(device->handle, image->view, device->allocator);
    if (image->handle != VK_NULL_HANDLE)
        device->vk.DestroyImage(device->handle, image->handle, device->allocator);
    release_block(device, &image->block);
    *image = (struct shw_vulkan_image){0};
}

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
    SHW_PROPAGATE(create_unbound_buffer(device, size, usage, name, &entry->made_buffer));
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
    SHW_PROPAGATE(create_unbound_image(device, format, width, height, layers, usage, name, &entry->made_image));
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
        SHW_PROPAGATE(allocate_block(arena->device, &arena->blocks[b].request,
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
        release_block(arena->device, &arena->blocks[b].memory);
    free(arena->entries);
    free(arena->blocks);
    *arena = (struct shw_arena){0};
}
