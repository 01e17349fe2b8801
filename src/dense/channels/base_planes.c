#include "dense/channels/base_planes.h"

#include <string.h>

#include "base/image.h"
#include "dense/channels/depth_codes.h"
#include "dense/channels/pixel_codes.h"
#include "shared/base_planes.h"

static void row8(const uint8_t *pixels, uint32_t step, uint32_t green, uint32_t blue, uint32_t width,
                 int16_t *const base[])
{
    for (uint32_t x = 0; x < width; x++, pixels += step) {
        base[SHW_BASE_R][x] = (int16_t)shw_base_from_8(pixels[0]);
        base[SHW_BASE_G][x] = (int16_t)shw_base_from_8(pixels[green]);
        base[SHW_BASE_B][x] = (int16_t)shw_base_from_8(pixels[blue]);
    }
}

static void row16(const uint16_t *pixels, uint32_t step, uint32_t green, uint32_t blue, uint32_t width,
                  int16_t *const base[])
{
    for (uint32_t x = 0; x < width; x++, pixels += step) {
        base[SHW_BASE_R][x] = (int16_t)shw_base_from_16(pixels[0]);
        base[SHW_BASE_G][x] = (int16_t)shw_base_from_16(pixels[green]);
        base[SHW_BASE_B][x] = (int16_t)shw_base_from_16(pixels[blue]);
    }
}

/* Of pixels that are not plain. */
static void row_of_codes(enum shw_pixel_format format, const char *pixels, uint32_t width, int16_t *const base[])
{
    bool wide = shw_pixel_is_wide(format);
    uint32_t codes[3];

    for (uint32_t x = 0; x < width; x++, pixels += shw_pixel_size(format)) {
        shw_pixel_codes(format, pixels, codes);
        for (uint32_t c = 0; c < 3; c++)
            base[c][x] = (int16_t)(wide ? shw_base_from_16(codes[c]) : shw_base_from_8(codes[c]));
    }
}

/* Of pixels that are not plain, or of depth. */
static uint32_t plane_value(enum shw_pixel_format format, const void *pixel, shw_uint4 scale)
{
    uint32_t codes[3];

    if (scale.x != SHW_SCALE_STORED)
        return shw_pixel_depth(format, pixel, scale);
    shw_pixel_codes(format, pixel, codes);
    return codes[0];
}

void shw_plane_row(const struct shw_image *image, shw_uint4 scale, uint32_t y, int16_t *values)
{
    const char *row = shw_image_part(image, 0, y, image->width, 1).pixels;
    size_t size = shw_pixel_size(image->format);

    if (scale.x != SHW_SCALE_STORED || !shw_pixel_is_plain(image->format))
        for (uint32_t x = 0; x < image->width; x++)
            values[x] = (int16_t)plane_value(image->format, row + x * size, scale);
    else if (shw_pixel_is_wide(image->format))
        memcpy(values, row, image->width * sizeof *values);
    else
        for (uint32_t x = 0; x < image->width; x++)
            values[x] = ((const uint8_t *)row)[x];
}

void shw_base_row(const struct shw_image *image, uint32_t y, int16_t *const base[SHW_BASE_COUNT])
{
    const void *row = shw_image_part(image, 0, y, image->width, 1).pixels;
    bool wide = shw_pixel_is_wide(image->format);
    uint32_t samples = (uint32_t)shw_pixel_size(image->format) / (wide ? 2 : 1), green = samples > 1 ? 1 : 0;

    _Static_assert(SHW_BASE_R == 0 && SHW_BASE_G == 1 && SHW_BASE_B == 2, "in the order of the codes");
    if (!shw_pixel_is_plain(image->format))
        row_of_codes(image->format, row, image->width, base);
    else if (wide)
        row16(row, samples, green, 2 * green, image->width, base);
    else
        row8(row, samples, green, 2 * green, image->width, base);
    for (uint32_t x = 0; x < image->width; x++)
        base[SHW_BASE_Y][x] = (int16_t)shw_base_luma((uint32_t)base[SHW_BASE_R][x], (uint32_t)base[SHW_BASE_G][x],
                                                     (uint32_t)base[SHW_BASE_B][x]);
}

void shw_base_clamp(int16_t *row, uint32_t width, uint32_t radius)
{
    for (uint32_t i = 1; i <= radius; i++) {
        row[-(ptrdiff_t)i] = row[0];
        row[width - 1 + i] = row[width - 1];
    }
}
