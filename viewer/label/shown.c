#include "label/shown.h"

#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "channels/source_pixels.h"

#define RUN 256u

/* Offsets in a staging buffer; the part with the largest texels comes first, for alignment. */
struct parts {
    size_t source, shown, truth, end;
};

static struct parts parts_of(const struct view_picture *picture)
{
    size_t texels = (size_t)picture->image.width * picture->image.height;
    struct parts parts = {.shown = shw_pixel_is_wide(picture->image.format) ? texels * 8 : 0};

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
               (shown->source.handle != VK_NULL_HANDLE) != shw_pixel_is_wide(picture->image.format) ||
               (shown->truth.handle != VK_NULL_HANDLE) != (picture->labels != NULL);
    if (!*renewed)
        return SHW_OK;
    vkDeviceWaitIdle(gpu->device);
    view_shown_destroy(gpu, shown);
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R8G8B8A8_UNORM, extent, 0, usage, &shown->shown));
    if (shw_pixel_is_wide(picture->image.format))
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

static uint8_t shown_sample(uint16_t sample, struct view_display_range range)
{
    uint32_t span = range.high > range.low ? (uint32_t)range.high - range.low : 1;
    uint32_t above = sample > range.low ? (uint32_t)sample - range.low : 0;

    return (uint8_t)(((above < span ? above : span) * 255 + span / 2) / span);
}

/* 16-bit samples as they are, and as they are shown; by runs of pixels, as the staging buffer is slow to read. */
static void fill_wide(const struct shw_image *image, struct view_display_range range, uint16_t *source, uint8_t *shown)
{
    uint16_t texels[4 * RUN];

    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x += RUN) {
            uint32_t count = image->width - x < RUN ? image->width - x : RUN;
            size_t first = 4 * ((size_t)y * image->width + x);
            shw_source_pixels_expand(image, &(struct shw_region){.width = count, .height = 1, .x = x, .y = y}, false, 0,
                                     texels);
            memcpy(source + first, texels, 4 * count * sizeof *texels);
            for (uint32_t i = 0; i < 4 * count; i++)
                shown[first + i] = i % 4 < 3 ? shown_sample(texels[i], range) : 255;
        }
}

static void fill(const struct view_picture *picture, struct view_display_range range, uint8_t *staging)
{
    const struct shw_image *image = &picture->image;
    const struct shw_region whole = {.width = image->width, .height = image->height};
    const struct parts parts = parts_of(picture);

    if (shw_pixel_is_wide(picture->image.format))
        fill_wide(image, range, (uint16_t *)(void *)(staging + parts.source), staging + parts.shown);
    else
        shw_source_pixels_expand(image, &whole, false, 0, staging + parts.shown);
    if (picture->labels != NULL)
        memcpy(staging + parts.truth, picture->labels, parts.end - parts.truth);
}

void view_shown_upload(struct view_shown *shown, const struct view_picture *picture, struct view_display_range range,
                       VkCommandBuffer commands, uint32_t slot)
{
    const struct view_buffer *staging = &shown->staging[slot];
    const struct parts parts = parts_of(picture);

    fill(picture, range, staging->mapped);
    view_image_copy(commands, &shown->shown, staging->handle, parts.shown);
    if (shw_pixel_is_wide(picture->image.format))
        view_image_copy(commands, &shown->source, staging->handle, parts.source);
    if (picture->labels != NULL)
        view_image_copy(commands, &shown->truth, staging->handle, parts.truth);
    shown->filled = true;
}

const struct view_image *view_shown_source(const struct view_shown *shown)
{
    return shown->source.handle != VK_NULL_HANDLE ? &shown->source : &shown->shown;
}
