#include "label/shown.h"

#include <string.h>

#include "base/log.h"

static bool is_wide(const struct view_picture *picture)
{
    return picture->image.format >= SHW_PIXEL_GREY16;
}

/* Offsets in a staging buffer; the part with the largest texels comes first, for alignment. */
struct parts {
    size_t source, shown, truth, end;
};

static struct parts parts_of(const struct view_picture *picture)
{
    size_t texels = (size_t)picture->image.width * picture->image.height;
    struct parts parts = {.shown = is_wide(picture) ? texels * 8 : 0};

    parts.truth = parts.shown + texels * 4;
    parts.end = parts.truth + (picture->labels != NULL ? texels * 2 : 0);
    return parts;
}

void view_shown_destroy(const struct view_gpu *gpu, struct view_shown *shown)
{
    view_image_destroy(gpu, &shown->shown);
    view_image_destroy(gpu, &shown->source);
    view_image_destroy(gpu, &shown->truth);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &shown->staging[s]);
    shown->filled = false;
}

enum shw_result view_shown_fit(const struct view_gpu *gpu, const struct view_picture *picture, struct view_shown *shown,
                               bool *renewed)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkExtent2D extent = {picture->image.width, picture->image.height};
    enum shw_result result;

    *renewed = shown->shown.extent.width != extent.width || shown->shown.extent.height != extent.height ||
               (shown->source.handle != VK_NULL_HANDLE) != is_wide(picture) ||
               (shown->truth.handle != VK_NULL_HANDLE) != (picture->labels != NULL);
    if (!*renewed)
        return SHW_OK;
    vkDeviceWaitIdle(gpu->device);
    view_shown_destroy(gpu, shown);
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R8G8B8A8_UNORM, extent, 0, usage, &shown->shown));
    if (is_wide(picture))
        SHW_TRY(view_image_create(gpu, VK_FORMAT_R16G16B16A16_UINT, extent, 0, usage, &shown->source));
    if (picture->labels != NULL)
        SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, extent, 0, usage, &shown->truth));
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        SHW_TRY(view_buffer_create(gpu, parts_of(picture).end, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false,
                                   &shown->staging[s]));
    return SHW_OK;

fail:
    view_shown_destroy(gpu, shown);
    return result;
}

/* Converts four RGB pixels, in three little-endian words, to four words. */
static void widen(const uint8_t *rgb, uint8_t *rgba)
{
    uint32_t from[3], to[4];

    memcpy(from, rgb, sizeof from);
    to[0] = from[0] | 0xff000000u;
    to[1] = from[0] >> 24 | from[1] << 8 | 0xff000000u;
    to[2] = from[1] >> 16 | from[2] << 16 | 0xff000000u;
    to[3] = from[2] >> 8 | 0xff000000u;
    memcpy(rgba, to, sizeof to);
}

/* Converts a row of 8-bit samples to RGBA. */
static void convert_row8(const uint8_t *row, enum shw_pixel_format format, uint32_t width, uint8_t *texels)
{
    uint32_t samples = (uint32_t)shw_pixel_size(format), step = samples > 1 ? 1 : 0, x = 0;

    for (; samples == 3 && x + 4 <= width; x += 4)
        widen(row + 3 * (size_t)x, texels + 4 * (size_t)x);
    for (; x < width; x++) {
        const uint8_t *from = row + samples * (size_t)x;
        uint8_t *to = texels + 4 * (size_t)x;
        to[0] = from[0];
        to[1] = from[step];
        to[2] = from[2 * step];
        to[3] = 255;
    }
}

static uint8_t shown_sample(uint16_t sample, struct view_display_range range)
{
    uint32_t span = range.high > range.low ? (uint32_t)range.high - range.low : 1;
    uint32_t above = sample > range.low ? (uint32_t)sample - range.low : 0;

    return (uint8_t)(((above < span ? above : span) * 255 + span / 2) / span);
}

/* Converts a row of 16-bit samples to RGBA, as stored and as shown. */
static void convert_row16(const uint16_t *row, enum shw_pixel_format format, uint32_t width,
                          struct view_display_range range, uint16_t *texels, uint8_t *shown)
{
    uint32_t samples = (uint32_t)shw_pixel_size(format) / 2, step = samples > 1 ? 1 : 0;

    for (uint32_t x = 0; x < width; x++, row += samples, texels += 4, shown += 4) {
        for (uint32_t k = 0; k < 3; k++) {
            texels[k] = row[k * step];
            shown[k] = shown_sample(texels[k], range);
        }
        texels[3] = UINT16_MAX;
        shown[3] = 255;
    }
}

static void fill(const struct view_picture *picture, struct view_display_range range, uint8_t *staging)
{
    const struct shw_image *image = &picture->image;
    const struct parts parts = parts_of(picture);
    size_t stride = image->stride > 0 ? image->stride : image->width * shw_pixel_size(image->format);
    uint16_t *wide = (uint16_t *)(void *)(staging + parts.source);

    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = (const uint8_t *)image->pixels + y * stride;
        size_t first = (size_t)y * image->width * 4;
        if (is_wide(picture))
            convert_row16((const uint16_t *)(const void *)row, image->format, image->width, range, wide + first,
                          staging + parts.shown + first);
        else
            convert_row8(row, image->format, image->width, staging + parts.shown + first);
    }
    if (picture->labels != NULL)
        memcpy(staging + parts.truth, picture->labels, parts.end - parts.truth);
}

static void copy(const struct view_image *image, VkBuffer staging, VkDeviceSize offset, bool filled,
                 VkCommandBuffer commands)
{
    VkBufferImageCopy region = {.bufferOffset = offset,
                                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {image->extent.width, image->extent.height, 1}};
    struct view_use before = filled ? view_use_shown : view_use_nothing;

    before.layout = VK_IMAGE_LAYOUT_UNDEFINED;
    before.access = 0;
    view_image_barrier(commands, image, before, view_use_copied_to);
    vkCmdCopyBufferToImage(commands, staging, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    view_image_barrier(commands, image, view_use_copied_to, view_use_shown);
}

void view_shown_upload(struct view_shown *shown, const struct view_picture *picture, struct view_display_range range,
                       VkCommandBuffer commands, uint32_t slot)
{
    const struct view_buffer *staging = &shown->staging[slot];
    const struct parts parts = parts_of(picture);

    fill(picture, range, staging->mapped);
    copy(&shown->shown, staging->handle, parts.shown, shown->filled, commands);
    if (is_wide(picture))
        copy(&shown->source, staging->handle, parts.source, shown->filled, commands);
    if (picture->labels != NULL)
        copy(&shown->truth, staging->handle, parts.truth, shown->filled, commands);
    shown->filled = true;
}

const struct view_image *view_shown_source(const struct view_shown *shown)
{
    return shown->source.handle != VK_NULL_HANDLE ? &shown->source : &shown->shown;
}
