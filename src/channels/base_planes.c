#include "channels/base_planes.h"

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

static const void *row_of(const struct shw_image *image, uint32_t y)
{
    size_t stride = image->stride > 0 ? image->stride : image->width * shw_pixel_size(image->format);

    return (const char *)image->pixels + y * stride;
}

void shw_plane_row(const struct shw_image *image, uint32_t y, int16_t *values)
{
    const void *row = row_of(image, y);

    for (uint32_t x = 0; x < image->width; x++)
        values[x] = image->format == SHW_PIXEL_GREY8 ? ((const uint8_t *)row)[x] : ((const int16_t *)row)[x];
}

void shw_base_row(const struct shw_image *image, uint32_t y, int16_t *const base[SHW_BASE_COUNT])
{
    const void *row = row_of(image, y);

    switch (image->format) {
    case SHW_PIXEL_NONE: break;
    case SHW_PIXEL_GREY8: row8(row, 1, 0, 0, image->width, base); break;
    case SHW_PIXEL_RGB8: row8(row, 3, 1, 2, image->width, base); break;
    case SHW_PIXEL_RGBA8: row8(row, 4, 1, 2, image->width, base); break;
    case SHW_PIXEL_GREY16: row16(row, 1, 0, 0, image->width, base); break;
    case SHW_PIXEL_RGB16: row16(row, 3, 1, 2, image->width, base); break;
    case SHW_PIXEL_RGBA16: row16(row, 4, 1, 2, image->width, base); break;
    }
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
