#include "vulkan/target.h"

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
