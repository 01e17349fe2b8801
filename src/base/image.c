#include "base/image.h"

#include "base/log.h"

size_t shw_pixel_size(enum shw_pixel_format format)
{
    switch (format) {
    case SHW_PIXEL_NONE: return 0;
    case SHW_PIXEL_GREY8: return 1;
    case SHW_PIXEL_RGB8: return 3;
    case SHW_PIXEL_RGBA8: return 4;
    case SHW_PIXEL_GREY16: return 2;
    case SHW_PIXEL_RGB16: return 6;
    case SHW_PIXEL_RGBA16: return 8;
    case SHW_PIXEL_RGBA16_FLOAT: return 8;
    case SHW_PIXEL_A2B10G10R10: return 4;
    case SHW_PIXEL_BGRA8: return 4;
    case SHW_PIXEL_GREY16_FLOAT: return 2;
    case SHW_PIXEL_B10G11R11_FLOAT: return 4;
    case SHW_PIXEL_X8_D24: return 4;
    case SHW_PIXEL_GREY32_FLOAT: return 4;
    }
    return 0;
}

struct shw_image shw_image_part(const struct shw_image *image, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    size_t pixel = shw_pixel_size(image->format), stride = shw_image_stride(image);

    return (struct shw_image){(const char *)image->pixels + y * stride + x * pixel, width, height, stride,
                              image->format};
}

static enum shw_result check(const struct shw_image *image, uint32_t side_max, bool partial, const struct shw_log *log)
{
    size_t pixel = shw_pixel_size(image->format);

    if (image->pixels == NULL || pixel == 0 || image->width == 0 || image->height == 0 || image->width > side_max ||
        image->height > side_max || (!partial && image->stride != 0 && image->stride < pixel * image->width))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "an image needs pixels, a format, and a width and height of 1 to %u", side_max);
    if (shw_pixel_is_wide(image->format) && (((uintptr_t)image->pixels | image->stride) & 1) != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "samples of more than 8 bits need an even address and an even stride");
    return SHW_OK;
}

enum shw_result shw_image_check(const struct shw_image *image, const struct shw_log *log)
{
    return check(image, SHW_IMAGE_SIZE_MAX, false, log);
}

enum shw_result shw_image_check_partial(const struct shw_image *image, const struct shw_log *log)
{
    return check(image, SHW_LARGE_SIDE_MAX, true, log);
}
