#include "dense/channels/pixel_codes.h"

#include <string.h>

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
