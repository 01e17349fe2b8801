/* Barriers for all layers of an image, for a part of one, or for a whole buffer. */
#ifndef SHW_VULKAN_BARRIER_H
#define SHW_VULKAN_BARRIER_H

#include "vulkan/device.h"

/* The use of a resource on one side of a barrier. `layout` is for images. */
struct shw_use {
    VkImageLayout layout;
    VkPipelineStageFlags stages;
    VkAccessFlags access;
};

/* The uses that the stages have for their own resources. */
extern const struct shw_use shw_use_nothing; /* contents are discarded; earlier commands that use them are waited for */
extern const struct shw_use shw_use_discarded; /* contents are discarded; render passes that use them are waited for */
extern const struct shw_use shw_use_discarded_by_copy; /* contents are discarded; copies that use them are waited for */
extern const struct shw_use shw_use_anything;          /* read and written by any command */
extern const struct shw_use shw_use_copy_source;       /* read by a copy */
extern const struct shw_use shw_use_copy_target;       /* written by a copy, a fill or a clear */
extern const struct shw_use shw_use_attachment;        /* written as a colour attachment */
extern const struct shw_use shw_use_blended;           /* read and written as a colour attachment with blending */
extern const struct shw_use shw_use_render_pass;       /* read by fragment shaders, or a colour attachment */
extern const struct shw_use shw_use_fragment_sampled;  /* read by fragment shaders as a sampled image */
extern const struct shw_use shw_use_vertex_sampled;    /* read by vertex shaders as a sampled image */
extern const struct shw_use shw_use_compute_sampled;   /* read by compute shaders as a sampled image */
extern const struct shw_use shw_use_compute_read;      /* a buffer read by compute shaders */
extern const struct shw_use shw_use_compute_write;     /* a buffer read and written by compute shaders */
extern const struct shw_use shw_use_host_read;         /* a mapped buffer read after the submission */

/* The caller's use of its image before and after ours. */
struct shw_use shw_use_before(const struct shw_image_use *part);
struct shw_use shw_use_after(const struct shw_image_use *part);

/* The layers of the part, with the defaults of struct shw_image_use. */
VkImageSubresourceLayers shw_part_layers(const struct shw_image_use *part);

void shw_image_barrier(const struct shw_device *device, VkCommandBuffer commands, VkImage image, struct shw_use before,
                       struct shw_use after);
/* For the part of the caller's image, between its use there and ours. */
void shw_part_barrier(const struct shw_device *device, VkCommandBuffer commands, const struct shw_image_use *part,
                      struct shw_use before, struct shw_use after);
void shw_buffer_barrier(const struct shw_device *device, VkCommandBuffer commands, VkBuffer buffer,
                        struct shw_use before, struct shw_use after);

/* A global memory barrier, between two steps that use many buffers in the same way. */
void shw_memory_barrier(const struct shw_device *device, VkCommandBuffer commands, struct shw_use before,
                        struct shw_use after);

#endif
