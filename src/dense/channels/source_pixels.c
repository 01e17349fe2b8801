#include "dense/channels/source_pixels.h"

#include <string.h>

#include "base/image.h"
#include "dense/channels/depth_codes.h"
#include "dense/channels/pixel_codes.h"

VkFormat shw_source_format(bool wide)
{
    return wide ? VK_FORMAT_R16G16B16A16_UINT : VK_FORMAT_R8G8B8A8_UNORM;
}

/* Converts four RGB pixels, in three little-endian words, to four words. */
static void expand_four(const uint8_t *rgb, uint8_t *rgba)
{
    uint32_t from[3], to[4];

    memcpy(from, rgb, sizeof from);
    to[0] = from[0] | 0xff000000u;
    to[1] = from[0] >> 24 | from[1] << 8 | 0xff000000u;
    to[2] = from[1] >> 16 | from[2] << 16 | 0xff000000u;
    to[3] = from[2] >> 8 | 0xff000000u;
    memcpy(rgba, to, sizeof to);
}

/* Converts one row; `step` is the distance in samples from one pixel to the next. */
static void expand_row8(const uint8_t *from, ptrdiff_t step, uint32_t samples, uint32_t count, uint8_t *to)
{
    uint32_t x = 0;

    for (; step == 3 && samples == 3 && x + 4 <= count; x += 4, from += 12)
        expand_four(from, to + 4 * (size_t)x);
    for (; x < count; x++, from += step)
        for (uint32_t c = 0; c < 4; c++)
            to[4 * x + c] = c == 3 ? 255 : from[samples == 1 ? 0 : c];
}

static void expand_row16(const uint16_t *from, ptrdiff_t step, uint32_t samples, uint32_t count, uint16_t *to)
{
    for (uint32_t x = 0; x < count; x++, from += step)
        for (uint32_t c = 0; c < 4; c++)
            to[4 * x + c] = c == 3 ? 65535 : from[samples == 1 ? 0 : c];
}

bool shw_source_is_plane(const char *input)
{
    return input != NULL && strcmp(input, SHW_COLOUR) != 0 && strcmp(input, SHW_PREVIOUS) != 0;
}

static void widen_row(const uint8_t *from, ptrdiff_t step, uint32_t samples, uint32_t count, uint32_t factor,
                      uint16_t *to)
{
    for (uint32_t x = 0; x < count; x++, from += step)
        for (uint32_t c = 0; c < 4; c++)
            to[4 * x + c] = c == 3 ? 65535 : (uint16_t)(factor * from[samples == 1 ? 0 : c]);
}

/* Of pixels that are not plain, `step` bytes apart; to 16 bits if `factor`, 8-bit codes times that. */
static void expand_codes(enum shw_pixel_format format, const char *from, ptrdiff_t step, uint32_t count,
                         uint32_t factor, size_t to, void *rgba)
{
    bool wide = shw_pixel_is_wide(format);
    uint32_t codes[4] = {0};

    for (uint32_t x = 0; x < count; x++, from += step, to += 4) {
        shw_pixel_codes(format, from, codes);
        codes[3] = wide || factor != 0 ? 65535 : 255;
        for (uint32_t c = 0; c < 4; c++)
            if (wide || factor != 0)
                ((uint16_t *)rgba)[to + c] = (uint16_t)(codes[c] * (wide || c == 3 ? 1 : factor));
            else
                ((uint8_t *)rgba)[to + c] = (uint8_t)codes[c];
    }
}

/* To 16 bits. */
static void expand_depth(enum shw_pixel_format format, const char *from, ptrdiff_t step, uint32_t count,
                         shw_uint4 scale, uint16_t *to)
{
    for (uint32_t x = 0; x < count; x++, from += step, to += 4) {
        to[0] = to[1] = to[2] = (uint16_t)shw_pixel_depth(format, from, scale);
        to[3] = 65535;
    }
}

/* `widening`: if not 0, 8-bit samples times this are written as 16 bits. `scale`: shw_depth_scale(). */
static void expand(const struct shw_image *image, const struct shw_region *region, bool mirrored, uint32_t widening,
                   shw_uint4 scale, void *rgba)
{
    size_t pixel = shw_pixel_size(image->format), stride = image->stride > 0 ? image->stride : pixel * image->width;
    uint32_t samples = (uint32_t)(shw_pixel_is_wide(image->format) ? pixel / 2 : pixel);
    uint32_t first = mirrored ? image->width - 1 - region->x : region->x;
    ptrdiff_t step = mirrored ? -(ptrdiff_t)samples : (ptrdiff_t)samples;
    ptrdiff_t bytes = mirrored ? -(ptrdiff_t)pixel : (ptrdiff_t)pixel;

    for (uint32_t y = 0; y < region->height; y++) {
        const char *from = (const char *)image->pixels + (region->y + y) * stride + first * pixel;
        size_t to = (size_t)y * region->width * 4;
        if (scale.x != SHW_SCALE_STORED)
            expand_depth(image->format, from, bytes, region->width, scale, (uint16_t *)rgba + to);
        else if (!shw_pixel_is_plain(image->format))
            expand_codes(image->format, from, bytes, region->width, widening, to, rgba);
        else if (shw_pixel_is_wide(image->format))
            expand_row16((const uint16_t *)(const void *)from, step, samples, region->width, (uint16_t *)rgba + to);
        else if (widening != 0)
            widen_row((const uint8_t *)from, step, samples, region->width, widening, (uint16_t *)rgba + to);
        else
            expand_row8((const uint8_t *)from, step, samples, region->width, (uint8_t *)rgba + to);
    }
}

void shw_source_pixels_expand(const struct shw_image *image, const struct shw_region *region, void *rgba)
{
    expand(image, region, false, 0, (shw_uint4){SHW_SCALE_STORED, 0, 0, 0}, rgba);
}

void shw_source_input_expand(const struct shw_input *input, const char *name, const struct shw_region *region,
                             bool mirrored, bool wide, void *rgba)
{
    uint32_t widening = !wide ? 0 : shw_source_is_plane(name) ? 1 : 257;

    expand(&input->image, region, mirrored, widening, shw_depth_scale(&input->depth), rgba);
}
