#include "inspect/plane.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "gpu/retired.h"

void view_plane_destroy(const struct view_gpu *gpu, struct view_plane *plane)
{
    view_image_destroy(gpu, &plane->image);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &plane->staging[s]);
    free(plane->pixels);
    *plane = (struct view_plane){0};
}

enum shw_result view_plane_fit(const struct view_gpu *gpu, VkExtent2D extent, struct view_plane *plane)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    size_t size = (size_t)extent.width * extent.height;
    enum shw_result result;

    if (plane->pixels != NULL && plane->image.extent.width == extent.width &&
        plane->image.extent.height == extent.height)
        return SHW_OK;
    view_image_retire(gpu, &plane->image);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_retire(gpu, &plane->staging[s]);
    view_plane_destroy(gpu, plane);
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R8_UINT, extent, 0, usage, &plane->image));
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        SHW_TRY(view_buffer_create(gpu, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, &plane->staging[s]));
    plane->pixels = malloc(size);
    if (plane->pixels == NULL) {
        result = shw_fail_memory(&gpu->log, "a channel of the picture");
        goto fail;
    }
    return SHW_OK;

fail:
    view_plane_destroy(gpu, plane);
    return result;
}

bool view_plane_upload(struct view_plane *plane, VkCommandBuffer commands, uint32_t slot)
{
    if (!plane->filled || !plane->upload)
        return false;
    memcpy(plane->staging[slot].mapped, plane->pixels, (size_t)plane->image.extent.width * plane->image.extent.height);
    view_image_copy(commands, &plane->image, plane->staging[slot].handle, 0);
    plane->upload = false;
    return true;
}
