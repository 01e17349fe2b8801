#include "files/image/decode.h"

#include "base/log.h"

/* PGM and PPM are a header and raw samples. stb_image, which reads BMP here, ignores their maximum value and 16-bit
 * byte order. */

static bool skip_space(const struct shw_source *source, size_t *position)
{
    size_t start = *position;

    while (*position < source->size) {
        uint8_t byte = source->bytes[*position];

        if (byte == '#') {
            while (*position < source->size && source->bytes[*position] != '\n')
                ++*position;
        } else if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
            ++*position;
        } else {
            break;
        }
    }
    return *position > start;
}

/* A number below 10^6 after white space; 0 if there is none. */
static uint32_t read_number(const struct shw_source *source, size_t *position)
{
    uint32_t value = 0;

    if (!skip_space(source, position))
        return 0;
    while (*position < source->size && source->bytes[*position] >= '0' && source->bytes[*position] <= '9' &&
           value < 100000)
        value = value * 10 + (uint32_t)(source->bytes[(*position)++] - '0');
    return value;
}

static enum shw_result decode(const struct shw_source *source, struct shw_decoded *decoded)
{
    bool colour = source->size > 1 && source->bytes[1] == '6';
    size_t position = 2, count, bytes;
    uint32_t width = read_number(source, &position);
    uint32_t height = read_number(source, &position);
    uint32_t largest = read_number(source, &position);
    const uint8_t *from;
    uint16_t *wide;

    if (width == 0 || height == 0 || largest == 0 || largest > 65535 || position >= source->size)
        return shw_decode_fail(source, decoded, colour ? "PPM" : "PGM", "its header is invalid");
    position++; /* the one byte of white space before the samples */
    bytes = largest > 255 ? 2 : 1;
    count = (size_t)width * height * (colour ? 3 : 1);
    if (count > (source->size - position) / bytes)
        return shw_decode_fail(source, decoded, colour ? "PPM" : "PGM", "the file is truncated");
    SHW_PROPAGATE(shw_decoded_allocate(source, width, height,
                                       bytes == 2 ? (colour ? SHW_PIXEL_RGB16 : SHW_PIXEL_GREY16)
                                                  : (colour ? SHW_PIXEL_RGB8 : SHW_PIXEL_GREY8),
                                       decoded));

    from = source->bytes + position;
    wide = (uint16_t *)(void *)decoded->pixels;
    for (size_t i = 0; i < count; i++) {
        uint32_t full = bytes == 2 ? 65535 : 255;
        uint32_t value = bytes == 2 ? (uint32_t)from[2 * i] << 8 | from[2 * i + 1] : from[i];

        if (value > largest)
            return shw_decode_fail(source, decoded, colour ? "PPM" : "PGM", "a sample exceeds the maximum value");
        if (!source->stored)
            value = (value * full + largest / 2) / largest;
        if (bytes == 2)
            wide[i] = (uint16_t)value;
        else
            decoded->pixels[i] = (uint8_t)value;
    }
    return SHW_OK;
}

const struct shw_image_format shw_image_format_pnm = {.name = "binary PGM or PPM",
                                                      .signatures = {SHW_SIGNATURE("P5"), SHW_SIGNATURE("P6")},
                                                      .access = SHW_READ_WHOLE,
                                                      .decode = decode};
