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

bool shw_source_is_plane(const char *input)
{
    return input != NULL && strcmp(input, SHW_COLOUR) != 0 && strcmp(input, SHW_PREVIOUS) != 0 &&
           !shw_posterior_is_name(input);
}

/* How pixels of an image are written to another one, from a row at a time. */
struct copying {
    enum shw_pixel_format format;
    shw_uint4 scale;   /* shw_depth_scale() */
    ptrdiff_t step;    /* bytes from one pixel to the next */
    bool is_rgba;      /* four samples each; otherwise the first one alone */
    bool wide;         /* of 16 bits */
    bool keeps_stored; /* the fourth is what was stored; otherwise the greatest */
};

/* Rows of plain pixels; `samples`: of a stored one; `factor` applies to all but the fourth sample. */
#define COPY_PLAIN(name, stored, written)                                                                              \
    static void name(const struct copying *copying, const char *from, uint32_t samples, uint32_t count, written *to)   \
    {                                                                                                                  \
        const uint32_t each = copying->is_rgba ? 4 : 1, factor = sizeof(stored) < sizeof(written) ? 257 : 1;           \
                                                                                                                       \
        for (uint32_t x = 0; x < count; x++, from += copying->step) {                                                  \
            const stored *pixel = (const void *)from;                                                                  \
                                                                                                                       \
            for (uint32_t c = 0; c < each; c++)                                                                        \
                to[each * x + c] = c == 3 ? (written)(copying->keeps_stored ? pixel[0] : UINT16_MAX)                   \
                                          : (written)(factor * pixel[samples == 1 ? 0 : c]);                           \
        }                                                                                                              \
    }

COPY_PLAIN(copy_8, uint8_t, uint8_t)
COPY_PLAIN(copy_16, uint16_t, uint16_t)
COPY_PLAIN(widen, uint8_t, uint16_t)

static void copy_plain(const struct copying *copying, const char *from, uint32_t count, void *to)
{
    const bool wide = shw_pixel_is_wide(copying->format);
    const size_t pixel = shw_pixel_size(copying->format);
    const uint32_t samples = (uint32_t)(wide ? pixel / 2 : pixel);
    uint32_t x = 0;

    if (wide == copying->wide && !copying->is_rgba && copying->step == (ptrdiff_t)pixel) {
        memcpy(to, from, count * pixel);
    } else if (wide) {
        copy_16(copying, from, samples, count, to);
    } else if (copying->wide) {
        widen(copying, from, samples, count, to);
    } else {
        for (; copying->is_rgba && copying->step == 3 && x + 4 <= count; x += 4, from += 12)
            expand_four((const uint8_t *)from, (uint8_t *)to + 4 * (size_t)x);
        copy_8(copying, from, samples, count - x, (uint8_t *)to + (copying->is_rgba ? 4 : 1) * (size_t)x);
    }
}

/* Of pixels that are not plain, or have a scale. */
static void copy_codes(const struct copying *copying, const char *from, uint32_t count, void *to)
{
    const uint32_t each = copying->is_rgba ? 4 : 1;
    const bool is_scaled = copying->scale.x != SHW_SCALE_STORED, wide = shw_pixel_is_wide(copying->format);
    const uint32_t factor = copying->wide && !wide && !is_scaled ? 257 : 1;
    uint16_t *words = to;
    uint8_t *bytes = to;
    uint32_t codes[4] = {0};

    for (uint32_t x = 0; x < count; x++, from += copying->step) {
        if (is_scaled)
            codes[0] = codes[1] = codes[2] = shw_pixel_depth(copying->format, from, copying->scale);
        else
            shw_pixel_codes(copying->format, from, codes);
        codes[3] = copying->keeps_stored ? codes[0] : UINT16_MAX;
        for (uint32_t c = 0; c < each; c++)
            if (copying->wide)
                words[each * x + c] = (uint16_t)(codes[c] * (c == 3 ? 1 : factor));
            else
                bytes[each * x + c] = (uint8_t)codes[c];
    }
}

static void copy_region(const struct shw_image *image, const struct shw_region *region, bool mirrored,
                        struct copying *copying, void *to)
{
    const size_t pixel = shw_pixel_size(image->format),
                 stride = image->stride > 0 ? image->stride : pixel * image->width,
                 row = (size_t)region->width * (copying->is_rgba ? 4 : 1) * (copying->wide ? 2 : 1);
    const uint32_t first = mirrored ? image->width - 1 - region->x : region->x;

    copying->format = image->format;
    copying->step = mirrored ? -(ptrdiff_t)pixel : (ptrdiff_t)pixel;
    for (uint32_t y = 0; y < region->height; y++) {
        const char *from = (const char *)image->pixels + (region->y + y) * stride + first * pixel;
        if (copying->scale.x == SHW_SCALE_STORED && shw_pixel_is_plain(image->format))
            copy_plain(copying, from, region->width, (char *)to + y * row);
        else
            copy_codes(copying, from, region->width, (char *)to + y * row);
    }
}

void shw_source_pixels_expand(const struct shw_image *image, const struct shw_region *region, void *rgba)
{
    struct copying copying = {
        .scale = {SHW_SCALE_STORED, 0, 0, 0}, .is_rgba = true, .wide = shw_pixel_is_wide(image->format)};

    copy_region(image, region, false, &copying, rgba);
}

void shw_source_input_expand(const struct shw_image *image, const struct shw_depth *depth,
                             const struct shw_region *region, bool mirrored, bool wide, void *rgba)
{
    struct copying copying = {.scale = shw_depth_scale(depth), .is_rgba = true, .wide = wide, .keeps_stored = true};

    copy_region(image, region, mirrored, &copying, rgba);
}

void shw_source_plane_copy(const struct shw_image *image, const struct shw_depth *depth,
                           const struct shw_region *region, void *samples)
{
    struct copying copying = {.scale = shw_depth_scale(depth)};

    copying.wide = shw_pixel_is_wide(image->format) || copying.scale.x != SHW_SCALE_STORED;
    copy_region(image, region, false, &copying, samples);
}
