#include "dense/channels/depth_codes.h"

_Static_assert(SHW_SCALE_STORED == SHW_DEPTH_MILLIMETRES && SHW_SCALE_LINEAR == SHW_DEPTH_LINEAR &&
                   SHW_SCALE_PERSPECTIVE == SHW_DEPTH_PERSPECTIVE && SHW_SCALE_REVERSED == SHW_DEPTH_REVERSED,
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
    ratio = (uint64_t)((double)depth->near_plane / (double)depth->far_plane * 0x1p48 + 0.5);
    near = (uint64_t)((double)depth->near_plane * 0x1p48);
    return (shw_uint4){depth->kind | (uint32_t)(ratio >> 32) << 16, (uint32_t)ratio, (uint32_t)(near >> 32),
                       (uint32_t)near};
}

uint32_t shw_pixel_depth(enum shw_pixel_format format, const void *pixel, shw_uint4 scale)
{
    uint16_t half;
    uint32_t word;

    if (format == SHW_PIXEL_GREY32_FLOAT || format == SHW_PIXEL_X8_D24) {
        memcpy(&word, pixel, sizeof word);
        return format == SHW_PIXEL_X8_D24 ? shw_depth_code(SHW_SOURCE_UNORM24, word & 0xffffffu, scale)
                                          : shw_depth_code(SHW_SOURCE_FLOAT, word, scale);
    }
    memcpy(&half, pixel, sizeof half);
    return format == SHW_PIXEL_GREY16_FLOAT ? shw_depth_code(SHW_SOURCE_HALF, shw_float_of_half(half), scale)
                                            : shw_depth_code(SHW_SOURCE_UINT16, half, scale);
}
