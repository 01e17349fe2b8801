/* Some layers of an image as the attachments of one render pass. */
#ifndef SHW_VULKAN_TARGET_H
#define SHW_VULKAN_TARGET_H

#include "vulkan/memory.h"
#include "vulkan/pipeline.h"
#include "vulkan/planes.h"

struct shw_target {
    VkFramebuffer framebuffer;
    VkImageView views[SHW_ATTACHMENTS_MAX];
};

/* Attachment i is layer layers[i] of the image, for each of the program's attachments. Errors: MEMORY, DEVICE_MEMORY.
 * On failure *target is zero. */
enum shw_result shw_target_create(struct shw_device *device, const struct shw_program *program,
                                  const struct shw_vulkan_image *image, const uint32_t *layers,
                                  struct shw_target *target);

/* Accepts a zero target; leaves *target zero. */
void shw_target_destroy(struct shw_device *device, struct shw_target *target);

/* The same layers of each of `count` planes objects. On failure *targets may be partly made and is to be destroyed. */
enum shw_result shw_targets_create(struct shw_device *device, const struct shw_program *program,
                                   const struct shw_planes *planes, uint32_t count, const uint32_t *layers,
                                   struct shw_target **targets);

/* Accepts a pointer to NULL. */
void shw_targets_destroy(struct shw_device *device, uint32_t count, struct shw_target **targets);

#endif
