#include "dense/channels/pixels.h"

#include <string.h>

#include "base/image.h"
#include "dense/channels/plane_range.h"
#include "dense/channels/posterior.h"
#include "shared/base_planes.h"
#include "shared/source_code.h"

bool shw_pixel_is_plain(enum shw_pixel_format format)
{
    switch (format) {
    case SHW_PIXEL_NONE:
    case SHW_PIXEL_GREY8:
    case SHW_PIXEL_RGB8:
    case SHW_PIXEL_RGBA8:
    case SHW_PIXEL_GREY16:
    case SHW_PIXEL_RGB16:
    case SHW_PIXEL_RGBA16: return true;
    case SHW_PIXEL_RGBA16_FLOAT:
    case SHW_PIXEL_A2B10G10R10:
    case SHW_PIXEL_BGRA8:
    case SHW_PIXEL_GREY16_FLOAT:
    case SHW_PIXEL_B10G11R11_FLOAT:
    case SHW_PIXEL_X8_D24:
    case SHW_PIXEL_GREY32_FLOAT: return false;
    }
    return false;
}

void shw_pixel_codes(enum shw_pixel_format format, const void *pixel, uint32_t codes[3])
{
    const uint8_t *bytes = pixel;
    uint16_t halves[3];
    uint32_t word;

    if (format == SHW_PIXEL_RGBA16_FLOAT) {
        memcpy(halves, pixel, sizeof halves);
        for (uint32_t c = 0; c < 3; c++)
            codes[c] = shw_code_of_half(halves[c]);
    } else if (format == SHW_PIXEL_GREY16_FLOAT) {
        memcpy(halves, pixel, sizeof *halves);
        codes[0] = codes[1] = codes[2] = shw_code_of_half(halves[0]);
    } else if (format == SHW_PIXEL_B10G11R11_FLOAT) {
        memcpy(&word, pixel, sizeof word);
        codes[0] = shw_code_of_half(shw_half_of_11(word & 2047));
        codes[1] = shw_code_of_half(shw_half_of_11(word >> 11 & 2047));
        codes[2] = shw_code_of_half(shw_half_of_10(word >> 22));
    } else if (format == SHW_PIXEL_A2B10G10R10) {
        memcpy(&word, pixel, sizeof word);
        for (uint32_t c = 0; c < 3; c++)
            codes[c] = shw_code_of_10(word >> 10 * c & 1023);
    } else {
        for (uint32_t c = 0; c < 3; c++)
            codes[c] = bytes[2 - c];
    }
}

_Static_assert(SHW_SCALE_STORED == SHW_DEPTH_MILLIMETRES && SHW_SCALE_LINEAR == SHW_DEPTH_LINEAR &&
                   SHW_SCALE_PERSPECTIVE == SHW_DEPTH_PERSPECTIVE && SHW_SCALE_REVERSED == SHW_DEPTH_REVERSED &&
                   SHW_SCALE_RANGE == SHW_DEPTH_RANGE,
               "a scale begins with its kind");

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

shw_uint4 shw_depth_scale(const struct shw_depth *depth)
{
    uint64_t ratio, near;

    if (depth->kind == SHW_DEPTH_MILLIMETRES)
        return (shw_uint4){SHW_SCALE_STORED, 0, 0, 0};
    if (depth->kind == SHW_DEPTH_LINEAR)
        return (shw_uint4){SHW_SCALE_LINEAR, bits_of(depth->unit), 0, 0};
    if (depth->kind == SHW_DEPTH_RANGE)
        return shw_plane_range_scale(depth->near_plane, depth->far_plane);
    ratio = (uint64_t)((double)depth->near_plane / (double)depth->far_plane * 0x1p48 + 0.5);
    near = (uint64_t)((double)depth->near_plane * 0x1p48);
    return (shw_uint4){depth->kind | (uint32_t)(ratio >> 32) << 16, (uint32_t)ratio, (uint32_t)(near >> 32),
                       (uint32_t)near};
}

uint32_t shw_pixel_depth(enum shw_pixel_format format, const void *pixel, shw_uint4 scale)
{
    uint16_t half;
    uint32_t word;

    if (shw_pixel_size(format) == 1)
        return shw_depth_code(SHW_SOURCE_UINT8, *(const uint8_t *)pixel, scale);
    if (format == SHW_PIXEL_GREY32_FLOAT || format == SHW_PIXEL_X8_D24) {
        memcpy(&word, pixel, sizeof word);
        return format == SHW_PIXEL_X8_D24 ? shw_depth_code(SHW_SOURCE_UNORM24, word & 0xffffffu, scale)
                                          : shw_depth_code(SHW_SOURCE_FLOAT, word, scale);
    }
    memcpy(&half, pixel, sizeof half);
    return format == SHW_PIXEL_GREY16_FLOAT ? shw_depth_code(SHW_SOURCE_HALF, shw_float_of_half(half), scale)
                                            : shw_depth_code(SHW_SOURCE_UINT16, half, scale);
}

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

void shw_sample_row(const struct shw_image *image, shw_uint4 scale, uint32_t y, int16_t *values)
{
    shw_plane_row(image, scale, y, values);
    for (uint32_t x = 0; scale.x == SHW_SCALE_STORED && !shw_pixel_is_wide(image->format) && x < image->width; x++)
        values[x] = (int16_t)(257u * (uint32_t)values[x]);
}

void shw_grey_row(const struct shw_image *image, shw_uint4 scale, uint32_t y, int16_t *values)
{
    shw_sample_row(image, scale, y, values);
    for (uint32_t x = 0; x < image->width; x++)
        values[x] = (int16_t)shw_base_from_16((uint16_t)values[x]);
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

VkFormat shw_source_format(bool wide)
{
    return wide ? VK_FORMAT_R16G16B16A16_UINT : VK_FORMAT_R8G8B8A8_UNORM;
}

VkFormat shw_source_plane_format(bool wide)
{
    return wide ? VK_FORMAT_R16_UINT : VK_FORMAT_R8_UNORM;
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
    return input != NULL && strcmp(input, SHW_COLOUR) != 0 && strcmp(input, SHW_PREVIOUS) != 0 &&
           !shw_posterior_is_name(input);
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

/* The first samples of a row alone; as expand() otherwise. */
static void copy_plane_row(enum shw_pixel_format format, const char *from, ptrdiff_t step, uint32_t count,
                           uint32_t widening, shw_uint4 scale, void *to)
{
    const bool wide = shw_pixel_is_wide(format);
    uint8_t *bytes = to;
    uint16_t *words = to;
    uint32_t codes[4] = {0};

    if (scale.x != SHW_SCALE_STORED) {
        for (uint32_t x = 0; x < count; x++, from += step)
            words[x] = (uint16_t)shw_pixel_depth(format, from, scale);
    } else if (!shw_pixel_is_plain(format)) {
        for (uint32_t x = 0; x < count; x++, from += step) {
            shw_pixel_codes(format, from, codes);
            if (wide || widening != 0)
                words[x] = (uint16_t)(codes[0] * (wide ? 1 : widening));
            else
                bytes[x] = (uint8_t)codes[0];
        }
    } else if (wide && step == (ptrdiff_t)sizeof *words) {
        memcpy(words, from, count * sizeof *words);
    } else if (wide) {
        for (uint32_t x = 0; x < count; x++, from += step)
            words[x] = *(const uint16_t *)(const void *)from;
    } else if (widening != 0) {
        for (uint32_t x = 0; x < count; x++, from += step)
            words[x] = (uint16_t)(widening * *(const uint8_t *)from);
    } else {
        for (uint32_t x = 0; x < count; x++, from += step)
            bytes[x] = *(const uint8_t *)from;
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

void shw_source_input_expand(const struct shw_image *image, const struct shw_depth *depth, bool is_stored,
                             const struct shw_region *region, bool mirrored, bool wide, void *rgba)
{
    uint32_t widening = !wide ? 0 : is_stored ? 1 : 257;

    expand(image, region, mirrored, widening, shw_depth_scale(depth), rgba);
}

void shw_source_plane_copy(const struct shw_image *image, const struct shw_depth *depth, bool is_stored,
                           const struct shw_region *region, bool wide, void *samples)
{
    const size_t pixel = shw_pixel_size(image->format),
                 stride = image->stride > 0 ? image->stride : pixel * image->width,
                 row = (size_t)region->width * (wide ? sizeof(uint16_t) : 1);
    const uint32_t widening = !wide ? 0 : is_stored ? 1 : 257;

    for (uint32_t y = 0; y < region->height; y++)
        copy_plane_row(image->format, (const char *)image->pixels + (region->y + y) * stride + region->x * pixel,
                       (ptrdiff_t)pixel, region->width, widening, shw_depth_scale(depth), (char *)samples + y * row);
}
