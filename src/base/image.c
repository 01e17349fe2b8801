#include <shadewood/image.h>

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
    }
    return 0;
}
