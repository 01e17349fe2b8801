/* Memory shared with other devices, programs and interfaces by file descriptors. Part of Shadewood; MIT licence, see
 * LICENSE.
 *
 * Buffers and images whose memory a compositor, a camera, a codec, CUDA, OpenGL or another VkDevice can use, too: they
 * are created here and exported, or imported from there. Recordings take them as any other buffer or image of yours
 * (struct shw_buffer_use, struct shw_image_use).
 *
 * Needs an imported device that states VK_KHR_external_memory_fd, for DMA_BUF also VK_EXT_external_memory_dma_buf and
 * for its images VK_EXT_image_drm_format_modifier, with Vulkan 1.2 or VK_KHR_image_format_list. What a device lacks is
 * refused with UNSUPPORTED and a message that names it. Windows has no such descriptors. */
#ifndef SHADEWOOD_EXTERNAL_H
#define SHADEWOOD_EXTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a file descriptor is. */
enum shw_external_kind {
    SHW_EXTERNAL_OPAQUE_FD = 1, /* memory of one driver and one physical device: of another VkDevice, OpenGL, CUDA */
    SHW_EXTERNAL_DMA_BUF = 2    /* Linux's dma-buf, which drivers of other devices understand, too */
};

/* The most planes of memory that an image has. */
#define SHW_EXTERNAL_PLANES_MAX 4u

/* A plane of memory of an image, as a DRM format modifier arranges it. */
struct shw_external_plane {
    uint64_t offset, row_stride; /* bytes */
};

/* Memory, and where a buffer or an image is in it: all that an importer has to know besides the parameters. */
struct shw_external_memory {
    enum shw_external_kind kind;
    int fd;
    uint64_t size;        /* of the memory in bytes. DMA_BUF: may be 0, as much as the buffer or image needs */
    uint64_t offset;      /* at which it begins; 0 if dedicated, and for images of DMA_BUF, whose planes have offsets */
    uint32_t memory_type; /* of OPAQUE_FD: the index of its memory type, which is that of the exporter */
    bool dedicated;       /* of OPAQUE_FD: allocated for this buffer or image alone (VkMemoryDedicatedAllocateInfo) */
    /* Images of DMA_BUF: the DRM format modifier (0: DRM_FORMAT_MOD_LINEAR) and its planes. */
    uint64_t modifier;
    uint32_t plane_count;
    struct shw_external_plane planes[SHW_EXTERNAL_PLANES_MAX];
};

/* A buffer. */
struct shw_external_buffer_params {
    uint64_t size; /* bytes */
    VkBufferUsageFlags usage;
};

/* A 2D image of one mip level and one sample per pixel. */
struct shw_external_image_params {
    VkFormat format; /* of colour, with one plane; others are refused */
    VkExtent2D extent;
    uint32_t layers; /* 0: 1. DMA_BUF: 1 */
    VkImageUsageFlags usage;
    /* To be created as DMA_BUF: modifiers from which the driver chooses, such as those that an importer accepts; NULL
     * and 0: DRM_FORMAT_MOD_LINEAR alone. */
    const uint64_t *modifiers;
    uint32_t modifier_count;
};

/* A buffer or an image, and its memory. */
struct shw_external {
    VkBuffer buffer; /* or VK_NULL_HANDLE */
    VkImage image;   /* or VK_NULL_HANDLE */
    VkDeviceMemory memory;
    struct shw_external_memory layout; /* of the memory; `fd` is -1 */
    /* The queue family from which it is acquired and to which it is released: VK_QUEUE_FAMILY_EXTERNAL, or of DMA_BUF
     * VK_QUEUE_FAMILY_FOREIGN_EXT where VK_EXT_queue_family_foreign is stated. */
    uint32_t queue_family;
    bool is_imported;
};

/* Create a buffer or an image with memory of its own, from Vulkan and not from struct shw_memory_hooks, that can be
 * exported. Contents are undefined; images are in VK_IMAGE_LAYOUT_UNDEFINED. *external is zero on failure. Errors:
 * ARGUMENT, UNSUPPORTED, LIMIT, MEMORY, DEVICE_MEMORY. Any thread. */
SHW_API enum shw_result shw_external_buffer_create(struct shw_device *device,
                                                   const struct shw_external_buffer_params *params,
                                                   enum shw_external_kind kind, struct shw_external *external);
SHW_API enum shw_result shw_external_image_create(struct shw_device *device,
                                                  const struct shw_external_image_params *params,
                                                  enum shw_external_kind kind, struct shw_external *external);

/* Import memory as a buffer or an image. The parameters are those with which it was created; sizes, strides and
 * modifiers that do not fit the memory are undefined behaviour, as in Vulkan, where the driver cannot tell. `fd` stays
 * the caller's, who may close it at once: the library works with a descriptor of its own. Images are in the layout in
 * which the exporter released them. *external is zero on failure. Errors: ARGUMENT, UNSUPPORTED, MEMORY, DEVICE_MEMORY.
 * Any thread. */
SHW_API enum shw_result shw_external_buffer_import(struct shw_device *device,
                                                   const struct shw_external_buffer_params *params,
                                                   const struct shw_external_memory *memory,
                                                   struct shw_external *external);
SHW_API enum shw_result shw_external_image_import(struct shw_device *device,
                                                  const struct shw_external_image_params *params,
                                                  const struct shw_external_memory *memory,
                                                  struct shw_external *external);

/* Fills *memory for an importer. Its `fd` is new at every call and the caller's to close, or to pass on: CUDA takes it.
 * The memory lives as long as anybody has it. Only what was created here is exported. memory->fd is -1 on failure.
 * Errors: ARGUMENT, UNSUPPORTED, MEMORY. Any thread. */
SHW_API enum shw_result shw_external_export(struct shw_device *device, const struct shw_external *external,
                                            struct shw_external_memory *memory);

/* Destroys buffer or image, and gives up the memory. *external is zero then; accepts NULL and zero. Nothing recorded
 * with it may still be running. */
SHW_API void shw_external_destroy(struct shw_device *device, struct shw_external *external);

/* One side of a transfer. Layouts are for images, and both sides record the same `from` and `to`. */
struct shw_external_use {
    VkImageLayout from, to;
    VkPipelineStageFlags2 stages; /* on the device's side, as in struct shw_image_use */
    VkAccessFlags2 access;
};

/* Record the transfer of ownership of a buffer or an image between external->queue_family and the device's family. It
 * is acquired before recordings that use it, and released after them: `stages` and `access` are of the commands that
 * follow or precede. What the other side has written is there to be read only after it has released it there and this
 * side has acquired it, in this order, which semaphores, fences or the host guarantee. The first use of something new
 * needs no acquisition. Errors: ARGUMENT. Any thread, one per command buffer. */
SHW_API enum shw_result shw_external_acquire(struct shw_device *device, VkCommandBuffer commands,
                                             const struct shw_external *external, const struct shw_external_use *use);
SHW_API enum shw_result shw_external_release(struct shw_device *device, VkCommandBuffer commands,
                                             const struct shw_external *external, const struct shw_external_use *use);

#ifdef __cplusplus
}
#endif
#endif
