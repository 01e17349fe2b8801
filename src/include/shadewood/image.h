/* Images in host memory. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_IMAGE_H
#define SHADEWOOD_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Samples are interleaved, in native byte order, and used as stored: no transfer function is applied. One sample means
 * grey (R = G = B); alpha is ignored. 16-bit samples use the full range 0..65535. Formats from
 * SHW_PIXEL_RGBA16_FLOAT on are those of images on the device; floats and 10 bits are read as 16-bit samples:
 * - a half float, or a float of 10 or 11 bits with the same value, is clamped to 0..1 (NaN is 0), multiplied by 65535
 * and rounded to the nearest integer, or to the even one of two that are equally near;
 * - a 10-bit sample v becomes v * 65535 / 1023, rounded to the nearest integer.
 * Formats from SHW_PIXEL_X8_D24 on have more bits; only depth and planes can have them, with a struct shw_depth that
 * says how they become millimetres (shadewood/input.h). */
enum shw_pixel_format {
    SHW_PIXEL_NONE = 0,
    SHW_PIXEL_GREY8,
    SHW_PIXEL_RGB8,
    SHW_PIXEL_RGBA8,
    SHW_PIXEL_GREY16,
    SHW_PIXEL_RGB16,
    SHW_PIXEL_RGBA16,
    SHW_PIXEL_RGBA16_FLOAT, /* four half floats */
    SHW_PIXEL_A2B10G10R10,  /* a 32-bit word, as VK_FORMAT_A2B10G10R10_UNORM_PACK32: red in the lowest 10 bits */
    SHW_PIXEL_BGRA8,
    SHW_PIXEL_GREY16_FLOAT,    /* a half float */
    SHW_PIXEL_B10G11R11_FLOAT, /* a 32-bit word, as VK_FORMAT_B10G11R11_UFLOAT_PACK32: red in the lowest 11 bits */
    SHW_PIXEL_X8_D24, /* a 32-bit word, as VK_FORMAT_X8_D24_UNORM_PACK32: depth in the lowest 24 bits, times 2^24 - 1 */
    SHW_PIXEL_GREY32_FLOAT
};

/* Bytes of one pixel; 0 for SHW_PIXEL_NONE. Any thread. */
SHW_API size_t shw_pixel_size(enum shw_pixel_format format);

/* The maximum width and height of images, in pixels. */
#define SHW_IMAGE_SIZE_MAX 65535u

/* The most images that are labelled together (shadewood/input.h): colour, previous frame, depth, height,
 * and 64 planes. */
#define SHW_INPUTS_MAX 68u

/* An image in the caller's memory. Row 0 is the top row. For samples of more than 8 bits, `pixels` and
 * `stride` must be even. */
struct shw_image {
    const void *pixels;
    uint32_t width, height; /* pixels, 1..SHW_IMAGE_SIZE_MAX */
    size_t stride;          /* bytes from one row to the next; 0 means width * shw_pixel_size(format) */
    enum shw_pixel_format format;
};

#ifdef __cplusplus
}
#endif
#endif
