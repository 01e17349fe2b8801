#include "vulkan/target.h"

#include <stdlib.h>

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
