#include "teach/painted.h"

#include <string.h>

#include "base/log.h"
#include "gpu/retired.h"

#define ROUND 256u /* sizes of images that may be larger are multiples of this */

void view_painted_destroy(const struct view_gpu *gpu, struct view_painted *painted)
{
    view_image_destroy(gpu, &painted->image);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &painted->staging[s]);
    *painted = (struct view_painted){0};
}

void view_painted_mark_all(struct view_painted *painted)
{
    view_painted_mark(painted, 0, 0, UINT32_MAX, UINT32_MAX);
}

static enum shw_result create(const struct view_gpu *gpu, const struct shw_part *part, bool larger,
                              struct view_painted *painted)
{
    VkExtent2D extent = {part->width, part->height};

    view_image_retire(gpu, &painted->image);
    painted->filled = false;
    if (larger)
        extent = (VkExtent2D){(extent.width + ROUND - 1) / ROUND * ROUND, (extent.height + ROUND - 1) / ROUND * ROUND};
    return view_image_create(gpu, VK_FORMAT_R16_UINT, extent, 0,
                             VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &painted->image);
}

enum shw_result view_painted_fit(const struct view_gpu *gpu, const struct shw_part *part, bool larger,
                                 struct view_painted *painted)
{
    VkDeviceSize bytes = (VkDeviceSize)part->width * part->height * sizeof(uint16_t);

    painted->part = (struct shw_part){0};
    if (!view_image_holds(&painted->image, (VkExtent2D){part->width, part->height}, larger))
        SHW_PROPAGATE(create(gpu, part, larger, painted));
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        if (painted->staging[s].size < bytes) {
            view_buffer_retire(gpu, &painted->staging[s]);
            SHW_PROPAGATE(
                view_buffer_create(gpu, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, &painted->staging[s]));
        }
    painted->part = *part;
    painted->left = painted->top = painted->right = painted->bottom = 0;
    view_painted_mark_all(painted);
    return SHW_OK;
}

/* Along one side: the first pixel of the part at or after `place`. */
static uint32_t clip(int64_t place, uint32_t first, uint32_t count, uint32_t step)
{
    int64_t steps = place <= (int64_t)first ? 0 : (place - first + step - 1) / step;

    return steps > (int64_t)count ? count : (uint32_t)steps;
}

static bool is_empty(const struct view_painted *painted)
{
    return painted->left >= painted->right || painted->top >= painted->bottom;
}

void view_painted_mark(struct view_painted *painted, int64_t left, int64_t top, int64_t right, int64_t bottom)
{
    const struct shw_part *part = &painted->part;
    struct view_painted all = *painted;

    if (part->width == 0)
        return;
    all.left = clip(left, part->x, part->width, part->step);
    all.top = clip(top, part->y, part->height, part->step);
    all.right = clip(right, part->x, part->width, part->step);
    all.bottom = clip(bottom, part->y, part->height, part->step);
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
    const struct shw_part *part = &painted->part;
    uint32_t width = painted->right - painted->left, height = painted->bottom - painted->top;
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageOffset = {(int32_t)painted->left, (int32_t)painted->top, 0},
                                .imageExtent = {width, height, 1}};

    if (is_empty(painted))
        return false;
    if (labels == NULL)
        memset(staging->mapped, 0xff, (size_t)width * height * sizeof(uint16_t)); /* SHW_LABEL_VOID */
    else
        shw_picture_labels_copy(labels, part->x + (int64_t)painted->left * part->step,
                                part->y + (int64_t)painted->top * part->step, width, height, part->step,
                                staging->mapped);
    view_image_barrier(commands, &painted->image, painted->filled ? view_use_shown : view_use_nothing,
                       view_use_copied_to);
    vkCmdCopyBufferToImage(commands, staging->handle, painted->image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &region);
    view_image_barrier(commands, &painted->image, view_use_copied_to, view_use_shown);
    painted->filled = true;
    painted->left = painted->top = painted->right = painted->bottom = 0;
    return true;
}
