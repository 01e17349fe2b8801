/* Callers' images. */
#ifndef SHW_BASE_IMAGE_H
#define SHW_BASE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

/* The compiler warns about formats that are missing here. */

/* Whether samples are read as 16 bits. */
static inline bool shw_pixel_is_wide(enum shw_pixel_format format)
{
    switch (format) {
    case SHW_PIXEL_NONE:
    case SHW_PIXEL_GREY8:
    case SHW_PIXEL_RGB8:
    case SHW_PIXEL_RGBA8:
    case SHW_PIXEL_BGRA8: return false;
    case SHW_PIXEL_GREY16:
    case SHW_PIXEL_RGB16:
    case SHW_PIXEL_RGBA16:
    case SHW_PIXEL_RGBA16_FLOAT:
    case SHW_PIXEL_A2B10G10R10:
    case SHW_PIXEL_GREY16_FLOAT:
    case SHW_PIXEL_B10G11R11_FLOAT:
    case SHW_PIXEL_X8_D24:
    case SHW_PIXEL_GREY32_FLOAT: return true;
    }
    return false;
}

/* Whether samples have more than 16 bits, which only a struct shw_depth makes 16 of. */
static inline bool shw_pixel_is_deep(enum shw_pixel_format format)
{
    return format == SHW_PIXEL_X8_D24 || format == SHW_PIXEL_GREY32_FLOAT;
}

/* Whether the image can be a plane or depth. */
static inline bool shw_pixel_is_grey(enum shw_pixel_format format)
{
    return format == SHW_PIXEL_GREY8 || format == SHW_PIXEL_GREY16 || format == SHW_PIXEL_GREY16_FLOAT ||
           shw_pixel_is_deep(format);
}

/* A part of the image. Its pixels are borrowed. */
struct shw_image shw_image_part(const struct shw_image *image, uint32_t x, uint32_t y, uint32_t width, uint32_t height);

/* The sides of images of which only parts are in memory: the kind `position` counts in 32 bits (shw_position()). */
#define SHW_LARGE_SIDE_MAX (UINT32_C(1) << 20)

/* Bytes from one row to the next. */
static inline size_t shw_image_stride(const struct shw_image *image)
{
    return image->stride != 0 ? image->stride : image->width * shw_pixel_size(image->format);
}

/* Refuses invalid images and misaligned ones. Errors: ARGUMENT. */
enum shw_result shw_image_check(const struct shw_image *image, const struct shw_log *log);

/* The same of one with only a part in memory: rows may be shorter, and sides up to SHW_LARGE_SIDE_MAX. */
enum shw_result shw_image_check_partial(const struct shw_image *image, const struct shw_log *log);

/* Rectangles of pixels. */

/* Whether a rectangle has no pixel of an image. */
static inline bool shw_rectangle_is_outside(int64_t x, int64_t y, uint32_t width, uint32_t height, uint32_t image_width,
                                            uint32_t image_height)
{
    return x + width <= 0 || y + height <= 0 || x >= image_width || y >= image_height;
}

#endif
