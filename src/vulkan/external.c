/* Memory shared by file descriptors. */
#include <shadewood/external.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process.h"
#include "vulkan/commands.h"
#include "vulkan/formats.h"
#include "vulkan/memory.h"

/* What descriptors are, apart from what Vulkan's structs of each need. */
static const struct traits {
    const char *name;
    VkExternalMemoryHandleTypeFlagBits handle;
    VkImageTiling tiling;  /* of images; with DRM format modifiers they have planes of memory */
    bool states_type;      /* its memory type is stated, not asked for */
    bool states_dedicated; /* so is whether its memory is dedicated; otherwise it is if the driver demands it */
    bool size_is_optional; /* its size may be 0, what is needed */
    bool is_foreign;       /* drivers of other devices use it, too */
} kinds[] = {
    [SHW_EXTERNAL_OPAQUE_FD] = {"opaque file descriptor", VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                                VK_IMAGE_TILING_OPTIMAL, true, true, false, false},
    [SHW_EXTERNAL_DMA_BUF] = {"dma-buf", VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
                              VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT, false, false, true, true},
};

static bool has_modifiers(enum shw_external_kind kind)
{
    return kinds[kind].tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
}

static enum shw_result check_extension(const struct shw_device *device, bool enabled, const char *name)
{
    if (enabled)
        return SHW_OK;
    return shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "external memory: the device was imported without %s", name);
}

static enum shw_result check_kind(const struct shw_device *device, enum shw_external_kind kind, bool image)
{
    if ((size_t)kind >= sizeof kinds / sizeof *kinds || kinds[kind].name == NULL)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: `kind` is not a value of shw_external_kind");
    SHW_PROPAGATE(check_extension(device, device->enabled.external_fd, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME));
    if (kinds[kind].is_foreign)
        SHW_PROPAGATE(check_extension(device, device->enabled.dma_buf, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME));
    return check_extension(device, !image || !has_modifiers(kind) || device->enabled.modifiers,
                           VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME);
}

/* What a driver can do with memory of a kind for a buffer or an image. */
struct ability {
    bool exports, imports, dedicated_only;
};

static struct ability ability_of(const VkExternalMemoryProperties *properties)
{
    const VkExternalMemoryFeatureFlags features = properties->externalMemoryFeatures;

    return (struct ability){(features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0,
                            (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) != 0,
                            (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0};
}

static struct ability buffer_ability(const struct shw_device *device, VkBufferUsageFlags usage,
                                     enum shw_external_kind kind)
{
    const VkPhysicalDeviceExternalBufferInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                     .usage = usage,
                                                     .handleType = kinds[kind].handle};
    VkExternalBufferProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};

    device->vk.GetPhysicalDeviceExternalBufferProperties(device->physical, &info, &properties);
    return ability_of(&properties.externalMemoryProperties);
}

/* Of an image, with one modifier if it has some. */
static struct ability image_ability(const struct shw_device *device, const struct shw_external_image_params *params,
                                    enum shw_external_kind kind, uint64_t modifier)
{
    const VkPhysicalDeviceImageDrmFormatModifierInfoEXT modifiers = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT,
        .drmFormatModifier = modifier,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    const VkPhysicalDeviceExternalImageFormatInfo external = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
        .pNext = has_modifiers(kind) ? &modifiers : NULL,
        .handleType = kinds[kind].handle};
    const VkPhysicalDeviceImageFormatInfo2 info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                   .pNext = &external,
                                                   .format = params->format,
                                                   .type = VK_IMAGE_TYPE_2D,
                                                   .tiling = kinds[kind].tiling,
                                                   .usage = params->usage};
    VkExternalImageFormatProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
    VkImageFormatProperties2 image = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &properties};

    if (device->vk.GetPhysicalDeviceImageFormatProperties2(device->physical, &info, &image) != VK_SUCCESS ||
        params->extent.width > image.imageFormatProperties.maxExtent.width ||
        params->extent.height > image.imageFormatProperties.maxExtent.height ||
        params->layers > image.imageFormatProperties.maxArrayLayers)
        return (struct ability){0};
    return ability_of(&properties.externalMemoryProperties);
}

static enum shw_result refuse_ability(const struct shw_device *device, const char *what, enum shw_external_kind kind,
                                      bool import)
{
    return shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "external memory: this driver cannot %s %s of this usage, format and size as %s",
                    import ? "import" : "export", what, kinds[kind].name);
}

/* The number of planes of memory that images of a format have with a modifier; 0: it is not known. */
static uint32_t planes_of(const struct shw_device *device, VkFormat format, uint64_t modifier)
{
    VkDrmFormatModifierPropertiesListEXT list = {.sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT};
    VkFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &list};
    VkDrmFormatModifierPropertiesEXT known[128];
    uint32_t planes = 0;

    list.drmFormatModifierCount = sizeof known / sizeof *known;
    list.pDrmFormatModifierProperties = known;
    device->vk.GetPhysicalDeviceFormatProperties2(device->physical, format, &properties);
    for (uint32_t m = 0; m < list.drmFormatModifierCount; m++)
        if (known[m].drmFormatModifier == modifier)
            planes = known[m].drmFormatModifierPlaneCount;
    return planes;
}

/* Memory. */

/* Allocates memory for the new handle and binds it; import: from a copy of its descriptor. */
static enum shw_result bind(struct shw_device *device, const struct shw_external_memory *import, bool dedicated,
                            struct shw_external *external)
{
    const VkMemoryDedicatedAllocateInfo alone = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                 .image = external->image,
                                                 .buffer = external->buffer};
    const VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                               .pNext = dedicated ? &alone : NULL,
                                               .handleTypes = kinds[external->layout.kind].handle};
    VkImportMemoryFdInfoKHR from = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                    .pNext = dedicated ? &alone : NULL,
                                    .handleType = kinds[external->layout.kind].handle,
                                    .fd = -1};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = import != NULL ? (const void *)&from : &export,
                                 .allocationSize = external->layout.size,
                                 .memoryTypeIndex = external->layout.memory_type};
    enum shw_result result = SHW_OK;
    VkResult allocated;
    struct stat status;

    if (import != NULL) {
        from.fd = shw_process_copy_descriptor(import->fd);
        if (from.fd < 0)
            return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "external memory: %d is not an open file descriptor", import->fd);
        if (fstat(from.fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))) {
            close(from.fd); /* a driver may read from it, and wait for ever */
            return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "external memory: descriptor %d is a pipe or a socket", import->fd);
        }
    }
    allocated = device->vk.AllocateMemory(device->handle, &info, device->allocator, &external->memory);
    if (allocated != VK_SUCCESS) {
        external->memory = VK_NULL_HANDLE;
        if (from.fd >= 0)
            close(from.fd); /* else the driver has it */
        if (import != NULL && allocated == VK_ERROR_INVALID_EXTERNAL_HANDLE)
            return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "external memory: the driver does not know descriptor %d as memory (%s)", import->fd,
                            kinds[import->kind].name);
        return shw_vk_fail(device, allocated, "vkAllocateMemory");
    }
    if (external->image != VK_NULL_HANDLE)
        VK_TRY(device, BindImageMemory(device->handle, external->image, external->memory, external->layout.offset));
    else
        VK_TRY(device, BindBufferMemory(device->handle, external->buffer, external->memory, external->layout.offset));

fail: /* the caller destroys it */
    return result;
}

/* Memory of the device, for a new buffer or image alone. */
static enum shw_result allocate(struct shw_device *device, const VkMemoryRequirements *needs,
                                struct shw_external *external)
{
    external->layout.size = needs->size;
    external->layout.dedicated = true;
    if (shw_block_types(device, needs->memoryTypeBits, SHW_MEMORY_DEVICE, &external->layout.memory_type) == 0)
        return shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "external memory: there is no memory type for it");
    return bind(device, NULL, true, external);
}

/* The memory type as which it is imported, of those that serve. */
static enum shw_result choose_type(struct shw_device *device, const struct shw_external_memory *memory, uint32_t types,
                                   uint32_t *type)
{
    VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};

    if (kinds[memory->kind].states_type) {
        *type = memory->memory_type;
        if (*type < device->memory.memoryTypeCount && (types >> *type & 1) != 0)
            return SHW_OK;
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: `memory_type` %u does not serve on this device", *type);
    }
    VK_PROPAGATE(device, GetMemoryFdPropertiesKHR(device->handle, kinds[memory->kind].handle, memory->fd, &properties));
    if (shw_block_types(device, types & properties.memoryTypeBits, SHW_MEMORY_DEVICE, type) == 0)
        return shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "external memory: this %s has no memory type that serves", kinds[memory->kind].name);
    return SHW_OK;
}

static enum shw_result import_memory(struct shw_device *device, const VkMemoryRequirements *needs,
                                     const struct shw_external_memory *memory, bool dedicated_only,
                                     struct shw_external *external)
{
    const struct traits *kind = &kinds[memory->kind];
    const bool dedicated = kind->states_dedicated ? memory->dedicated : dedicated_only;

    external->layout = *memory;
    external->layout.fd = -1;
    external->is_imported = true;
    if (kind->size_is_optional && memory->size == 0)
        external->layout.size = memory->offset + needs->size;
    if (external->layout.size < memory->offset || external->layout.size - memory->offset < needs->size)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: it has %llu bytes from byte %llu on, too few for the %llu that are needed",
                        (unsigned long long)external->layout.size, (unsigned long long)memory->offset,
                        (unsigned long long)needs->size);
    if (memory->offset % needs->alignment != 0)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: `offset` must be a multiple of %llu", (unsigned long long)needs->alignment);
    if (memory->offset > 0 && dedicated)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: `offset` must be 0 in dedicated memory");
    SHW_PROPAGATE(choose_type(device, memory, needs->memoryTypeBits, &external->layout.memory_type));
    return bind(device, memory, dedicated, external);
}

static enum shw_result bind_any(struct shw_device *device, const VkMemoryRequirements *needs,
                                const struct shw_external_memory *memory, bool dedicated_only,
                                struct shw_external *external)
{
    return memory != NULL ? import_memory(device, needs, memory, dedicated_only, external)
                          : allocate(device, needs, external);
}

/* Buffers and images, to be exported or, with `memory`, imported. */

static void begin(const struct shw_device *device, enum shw_external_kind kind, struct shw_external *external)
{
    *external = (struct shw_external){.layout = {.kind = kind, .fd = -1},
                                      .queue_family = kinds[kind].is_foreign && device->enabled.foreign_queue
                                                          ? VK_QUEUE_FAMILY_FOREIGN_EXT
                                                          : VK_QUEUE_FAMILY_EXTERNAL};
}

static enum shw_result make_buffer(struct shw_device *device, const struct shw_external_buffer_params *params,
                                   enum shw_external_kind kind, const struct shw_external_memory *memory,
                                   struct shw_external *external)
{
    VkExternalMemoryBufferCreateInfo shared = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &shared, .size = params->size, .usage = params->usage};
    VkMemoryRequirements needs;
    struct ability ability;
    enum shw_result result;

    SHW_PROPAGATE(check_kind(device, kind, false));
    if (params->size == 0 || params->usage == 0)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: a buffer needs `size` and `usage`");
    shared.handleTypes = kinds[kind].handle;
    ability = buffer_ability(device, params->usage, kind);
    if (memory != NULL ? !ability.imports : !ability.exports)
        return refuse_ability(device, "a buffer", kind, memory != NULL);
    begin(device, kind, external);
    VK_TRY(device, CreateBuffer(device->handle, &info, device->allocator, &external->buffer));
    shw_vk_name(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)external->buffer, "shw external buffer");
    device->vk.GetBufferMemoryRequirements(device->handle, external->buffer, &needs);
    SHW_TRY(bind_any(device, &needs, memory, ability.dedicated_only, external));
    return SHW_OK;

fail:
    shw_external_destroy(device, external);
    return result;
}

static bool has_depth_or_stencil(VkFormat format)
{
    return format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
}

/* Those of luminance and colour differences; Vulkan says it in their names alone. */
static bool has_several_planes(VkFormat format)
{
    return strstr(shw_vk_format_text(format).text, "PLANE_4") != NULL;
}

static enum shw_result check_image(const struct shw_device *device, const struct shw_external_image_params *params,
                                   enum shw_external_kind kind, const struct shw_external_memory *memory)
{
    const struct shw_log *log = &device->log;

    if (params->format == VK_FORMAT_UNDEFINED || params->extent.width == 0 || params->extent.height == 0 ||
        params->usage == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: an image needs `format`, `extent` and `usage`");
    if (has_depth_or_stencil(params->format) || has_several_planes(params->format))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: an image has a format of colour, with one plane, not %s",
                        shw_vk_format_text(params->format).text);
    if (params->modifier_count > 0 && params->modifiers == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: %u modifiers, but the pointer is NULL", params->modifier_count);
    if (!has_modifiers(kind))
        return SHW_OK;
    if (params->layers > 1)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "external memory: an image of %s has one layer",
                        kinds[kind].name);
    if (memory != NULL && (memory->plane_count == 0 || memory->plane_count > SHW_EXTERNAL_PLANES_MAX))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: an image of %s has 1 to %u planes, not %u", kinds[kind].name,
                        SHW_EXTERNAL_PLANES_MAX, memory->plane_count);
    if (memory != NULL && memory->offset > 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: of images of %s, planes have offsets, and `offset` must be 0",
                        kinds[kind].name);
    return SHW_OK;
}

#define MODIFIERS_MAX 64u

/* Those with which the driver can export the image. */
static uint32_t choose_modifiers(const struct shw_device *device, const struct shw_external_image_params *params,
                                 enum shw_external_kind kind, uint64_t chosen[MODIFIERS_MAX])
{
    static const uint64_t linear = 0;
    const uint64_t *offered = params->modifier_count > 0 ? params->modifiers : &linear;
    const uint32_t count = params->modifier_count > 0 ? params->modifier_count : 1;
    uint32_t usable = 0;

    for (uint32_t m = 0; m < count && usable < MODIFIERS_MAX; m++)
        if (image_ability(device, params, kind, offered[m]).exports &&
            planes_of(device, params->format, offered[m]) <= SHW_EXTERNAL_PLANES_MAX)
            chosen[usable++] = offered[m];
    return usable;
}

/* Where the driver has put the planes of an image that it has created. */
static enum shw_result read_planes(const struct shw_device *device, VkFormat format, struct shw_external *external)
{
    static const VkImageAspectFlags aspects[SHW_EXTERNAL_PLANES_MAX] = {
        VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT, VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT,
        VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT, VK_IMAGE_ASPECT_MEMORY_PLANE_3_BIT_EXT};
    VkImageDrmFormatModifierPropertiesEXT properties = {.sType =
                                                            VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_PROPERTIES_EXT};
    struct shw_external_memory *layout = &external->layout;

    VK_PROPAGATE(device, GetImageDrmFormatModifierPropertiesEXT(device->handle, external->image, &properties));
    layout->modifier = properties.drmFormatModifier;
    layout->plane_count = planes_of(device, format, layout->modifier);
    for (uint32_t p = 0; p < layout->plane_count; p++) {
        const VkImageSubresource plane = {.aspectMask = aspects[p]};
        VkSubresourceLayout place;
        device->vk.GetImageSubresourceLayout(device->handle, external->image, &plane, &place);
        layout->planes[p] = (struct shw_external_plane){place.offset, place.rowPitch};
    }
    return SHW_OK;
}

/* What an image with modifiers is created with besides its parameters: its planes, or modifiers to choose from. */
struct modifier_infos {
    uint64_t chosen[MODIFIERS_MAX];
    VkSubresourceLayout planes[SHW_EXTERNAL_PLANES_MAX];
    VkImageDrmFormatModifierListCreateInfoEXT list;
    VkImageDrmFormatModifierExplicitCreateInfoEXT given;
};

static const void *fill_modifiers(const struct shw_device *device, const struct shw_external_image_params *params,
                                  enum shw_external_kind kind, const struct shw_external_memory *memory,
                                  struct modifier_infos *infos)
{
    if (memory == NULL) {
        infos->list = (VkImageDrmFormatModifierListCreateInfoEXT){
            .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
            .drmFormatModifierCount = choose_modifiers(device, params, kind, infos->chosen),
            .pDrmFormatModifiers = infos->chosen};
        return &infos->list;
    }
    for (uint32_t p = 0; p < memory->plane_count; p++)
        infos->planes[p] =
            (VkSubresourceLayout){.offset = memory->planes[p].offset, .rowPitch = memory->planes[p].row_stride};
    infos->given = (VkImageDrmFormatModifierExplicitCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
        .drmFormatModifier = memory->modifier,
        .drmFormatModifierPlaneCount = memory->plane_count,
        .pPlaneLayouts = infos->planes};
    return &infos->given;
}

static enum shw_result make_image(struct shw_device *device, const struct shw_external_image_params *params,
                                  enum shw_external_kind kind, const struct shw_external_memory *memory,
                                  struct shw_external *external)
{
    struct modifier_infos modifiers = {.list = {.drmFormatModifierCount = 0}};
    VkExternalMemoryImageCreateInfo shared = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO};
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .pNext = &shared,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = params->format,
                              .extent = {params->extent.width, params->extent.height, 1},
                              .mipLevels = 1,
                              .arrayLayers = params->layers > 0 ? params->layers : 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = params->usage};
    VkMemoryRequirements needs;
    struct ability ability;
    enum shw_result result;

    SHW_PROPAGATE(check_kind(device, kind, true));
    SHW_PROPAGATE(check_image(device, params, kind, memory));
    info.tiling = kinds[kind].tiling;
    shared.handleTypes = kinds[kind].handle;
    if (has_modifiers(kind))
        shared.pNext = fill_modifiers(device, params, kind, memory, &modifiers);
    ability = image_ability(device, params, kind, memory != NULL ? memory->modifier : modifiers.chosen[0]);
    if (memory != NULL ? !ability.imports : !ability.exports)
        return refuse_ability(device, "an image", kind, memory != NULL);
    begin(device, kind, external);
    VK_TRY(device, CreateImage(device->handle, &info, device->allocator, &external->image));
    shw_vk_name(device, VK_OBJECT_TYPE_IMAGE, (uint64_t)external->image, "shw external image");
    device->vk.GetImageMemoryRequirements(device->handle, external->image, &needs);
    SHW_TRY(bind_any(device, &needs, memory, ability.dedicated_only, external));
    if (has_modifiers(kind) && memory == NULL)
        SHW_TRY(read_planes(device, params->format, external));
    return SHW_OK;

fail:
    shw_external_destroy(device, external);
    return result;
}

enum shw_result shw_external_buffer_create(struct shw_device *device, const struct shw_external_buffer_params *params,
                                           enum shw_external_kind kind, struct shw_external *external)
{
    SHW_REFUSE_NULL(NULL, device);
    SHW_REFUSE_NULL(&device->log, params);
    SHW_REFUSE_NULL(&device->log, external);
    *external = (struct shw_external){0};
    return make_buffer(device, params, kind, NULL, external);
}

enum shw_result shw_external_image_create(struct shw_device *device, const struct shw_external_image_params *params,
                                          enum shw_external_kind kind, struct shw_external *external)
{
    SHW_REFUSE_NULL(NULL, device);
    SHW_REFUSE_NULL(&device->log, params);
    SHW_REFUSE_NULL(&device->log, external);
    *external = (struct shw_external){0};
    return make_image(device, params, kind, NULL, external);
}

enum shw_result shw_external_buffer_import(struct shw_device *device, const struct shw_external_buffer_params *params,
                                           const struct shw_external_memory *memory, struct shw_external *external)
{
    SHW_REFUSE_NULL(NULL, device);
    SHW_REFUSE_NULL(&device->log, params);
    SHW_REFUSE_NULL(&device->log, memory);
    SHW_REFUSE_NULL(&device->log, external);
    *external = (struct shw_external){0};
    return make_buffer(device, params, memory->kind, memory, external);
}

enum shw_result shw_external_image_import(struct shw_device *device, const struct shw_external_image_params *params,
                                          const struct shw_external_memory *memory, struct shw_external *external)
{
    SHW_REFUSE_NULL(NULL, device);
    SHW_REFUSE_NULL(&device->log, params);
    SHW_REFUSE_NULL(&device->log, memory);
    SHW_REFUSE_NULL(&device->log, external);
    *external = (struct shw_external){0};
    return make_image(device, params, memory->kind, memory, external);
}

void shw_external_destroy(struct shw_device *device, struct shw_external *external)
{
    if (device == NULL || external == NULL)
        return;
    if (external->buffer != VK_NULL_HANDLE)
        device->vk.DestroyBuffer(device->handle, external->buffer, device->allocator);
    if (external->image != VK_NULL_HANDLE)
        device->vk.DestroyImage(device->handle, external->image, device->allocator);
    if (external->memory != VK_NULL_HANDLE)
        device->vk.FreeMemory(device->handle, external->memory, device->allocator);
    *external = (struct shw_external){0};
}

static enum shw_result check_external(const struct shw_device *device, const struct shw_external *external)
{
    if (external->memory == VK_NULL_HANDLE)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: there is neither a buffer nor an image");
    return check_kind(device, external->layout.kind, external->image != VK_NULL_HANDLE);
}

enum shw_result shw_external_export(struct shw_device *device, const struct shw_external *external,
                                    struct shw_external_memory *memory)
{
    SHW_REFUSE_NULL(NULL, device);
    SHW_REFUSE_NULL(&device->log, external);
    SHW_REFUSE_NULL(&device->log, memory);

    VkMemoryGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = external->memory};
    int fd = -1;

    *memory = external->layout;
    memory->fd = -1;
    SHW_PROPAGATE(check_external(device, external));
    if (external->is_imported)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "external memory: what was imported is not exported; pass on the descriptor that you have");
    info.handleType = kinds[external->layout.kind].handle;
    VK_PROPAGATE(device, GetMemoryFdKHR(device->handle, &info, &fd));
    memory->fd = fd;
    return SHW_OK;
}

/* Transfers of ownership. */

static enum shw_result transfer(struct shw_device *device, VkCommandBuffer commands,
                                const struct shw_external *external, const struct shw_external_use *use, bool acquire)
{
    const struct shw_use side = {acquire ? use->to : use->from, use->stages, use->access};
    const uint32_t from = acquire ? external->queue_family : device->queue_family,
                   to = acquire ? device->queue_family : external->queue_family;
    const VkAccessFlags2 before = acquire ? 0 : use->access, after = acquire ? use->access : 0;

    SHW_PROPAGATE(check_external(device, external));
    SHW_PROPAGATE(shw_sides_check(device, side, side, "external memory", &device->log));
    if (commands == VK_NULL_HANDLE)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "`commands` is VK_NULL_HANDLE");
    if (external->image != VK_NULL_HANDLE &&
        (use->to == VK_IMAGE_LAYOUT_UNDEFINED || use->to == VK_IMAGE_LAYOUT_PREINITIALIZED))
        return shw_fail(
            &device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "external memory: an image cannot be transferred to %s",
            use->to == VK_IMAGE_LAYOUT_UNDEFINED ? "VK_IMAGE_LAYOUT_UNDEFINED" : "VK_IMAGE_LAYOUT_PREINITIALIZED");
    if (external->buffer != VK_NULL_HANDLE) {
        const VkBufferMemoryBarrier2 barrier = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                                .srcStageMask = use->stages,
                                                .srcAccessMask = before,
                                                .dstStageMask = use->stages,
                                                .dstAccessMask = after,
                                                .srcQueueFamilyIndex = from,
                                                .dstQueueFamilyIndex = to,
                                                .buffer = external->buffer,
                                                .size = VK_WHOLE_SIZE};
        shw_record_buffer_barrier(device, commands, &barrier);
        return SHW_OK;
    }
    const VkImageMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
        .srcStageMask = use->stages,
        .srcAccessMask = before,
        .dstStageMask = use->stages,
        .dstAccessMask = after,
        .oldLayout = use->from,
        .newLayout = use->to,
        .srcQueueFamilyIndex = from,
        .dstQueueFamilyIndex = to,
        .image = external->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS}};
    shw_record_image_barrier(device, commands, &barrier);
    return SHW_OK;
}

enum shw_result shw_external_acquire(struct shw_device *device, VkCommandBuffer commands,
                                     const struct shw_external *external, const struct shw_external_use *use)
{
    SHW_REFUSE_NULL(NULL, device);
    SHW_REFUSE_NULL(&device->log, external);
    SHW_REFUSE_NULL(&device->log, use);
    return transfer(device, commands, external, use, true);
}

enum shw_result shw_external_release(struct shw_device *device, VkCommandBuffer commands,
                                     const struct shw_external *external, const struct shw_external_use *use)
{
    SHW_REFUSE_NULL(NULL, device);
    SHW_REFUSE_NULL(&device->log, external);
    SHW_REFUSE_NULL(&device->log, use);
    return transfer(device, commands, external, use, false);
}
