/* Images in host memory. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_IMAGE_H
#define SHADEWOOD_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Samples are unsigned, interleaved, in native byte order, and used as stored: no transfer function is applied. One
 * sample means grey (R = G = B); alpha is ignored. 16-bit samples use the full range 0..65535. */
enum shw_pixel_format {
    SHW_PIXEL_NONE = 0,
    SHW_PIXEL_GREY8,
    SHW_PIXEL_RGB8,
    SHW_PIXEL_RGBA8,
    SHW_PIXEL_GREY16,
    SHW_PIXEL_RGB16,
    SHW_PIXEL_RGBA16
};

/* Bytes of one pixel; 0 for SHW_PIXEL_NONE. Any thread. */
SHW_API size_t shw_pixel_size(enum shw_pixel_format format);

/* The maximum width and height of images, in pixels. */
#define SHW_IMAGE_SIZE_MAX 65535u

/* Images that together are what is labelled (shadewood/input.h): colour, the frame before, depth, and eight others. */
#define SHW_INPUTS_MAX 11u

/* An image in memory of the caller. Row 0 is the top row. For 16-bit samples, `pixels` and `stride` must be even. */
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
