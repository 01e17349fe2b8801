#include "teach/painted.h"

#include <string.h>

#include "base/log.h"

void view_painted_destroy(const struct view_gpu *gpu, struct view_painted *painted)
{
    view_image_destroy(gpu, &painted->image);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &painted->staging[s]);
    painted->filled = false;
    painted->left = painted->top = painted->right = painted->bottom = 0;
}

void view_painted_mark_all(struct view_painted *painted)
{
    view_painted_mark(painted, 0, 0, INT64_MAX, INT64_MAX);
}

bool view_painted_fits(const struct view_painted *painted, VkExtent2D extent)
{
    return painted->image.extent.width == extent.width && painted->image.extent.height == extent.height;
}

enum shw_result view_painted_fit(const struct view_gpu *gpu, VkExtent2D extent, struct view_painted *painted)
{
    VkDeviceSize bytes = (VkDeviceSize)extent.width * extent.height * sizeof(uint16_t);
    enum shw_result result;

    if (view_painted_fits(painted, extent)) {
        view_painted_mark_all(painted);
        return SHW_OK;
    }
    vkDeviceWaitIdle(gpu->device);
    view_painted_destroy(gpu, painted);
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, extent, 0,
                              VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &painted->image));
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        SHW_TRY(view_buffer_create(gpu, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, &painted->staging[s]));
    view_painted_mark_all(painted);
    return SHW_OK;

fail:
    view_painted_destroy(gpu, painted);
    return result;
}

static uint32_t clip(int64_t place, uint32_t size)
{
    return place < 0 ? 0 : place > (int64_t)size ? size : (uint32_t)place;
}

static bool is_empty(const struct view_painted *painted)
{
    return painted->left >= painted->right || painted->top >= painted->bottom;
}

void view_painted_mark(struct view_painted *painted, int64_t left, int64_t top, int64_t right, int64_t bottom)
{
    VkExtent2D extent = painted->image.extent;
    struct view_painted all = *painted;

    all.left = clip(left, extent.width);
    all.top = clip(top, extent.height);
    all.right = clip(right, extent.width);
    all.bottom = clip(bottom, extent.height);
    if (is_empty(&all))
        return;
    if (!is_empty(painted)) {
        all.left = painted->left < all.left ? painted->left : all.left;
        all.top = painted->top < all.top ? painted->top : all.top;
        all.right = painted->right > all.right ? painted->right : all.right;
        all.bottom = painted->bottom > all.bottom ? painted->bottom : all.bottom;
    }
    *painted = all;
}

bool view_painted_upload(struct view_painted *painted, const struct shw_picture_labels *labels,
                         VkCommandBuffer commands, uint32_t slot)
{
    const struct view_buffer *staging = &painted->staging[slot];
    uint32_t width = painted->right - painted->left, height = painted->bottom - painted->top;
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageOffset = {(int32_t)painted->left, (int32_t)painted->top, 0},
                                .imageExtent = {width, height, 1}};

    if (is_empty(painted))
        return false;
    if (labels == NULL)
        memset(staging->mapped, 0xff, (size_t)width * height * sizeof(uint16_t)); /* SHW_LABEL_VOID */
    else
        shw_picture_labels_copy(labels, painted->left, painted->top, width, height, 1, staging->mapped);
    view_image_barrier(commands, &painted->image, painted->filled ? view_use_shown : view_use_nothing,
                       view_use_copied_to);
    vkCmdCopyBufferToImage(commands, staging->handle, painted->image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &region);
    view_image_barrier(commands, &painted->image, view_use_copied_to, view_use_shown);
    painted->filled = true;
    painted->left = painted->top = painted->right = painted->bottom = 0;
    return true;
}
