#include "files/image/decode.h"

#include <string.h>

#include "base/log.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_MAX_DIMENSIONS 65535
#include <stb_image.h>

static uint32_t word16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t word32(const uint8_t *bytes)
{
    return word16(bytes) | word16(bytes + 2) << 16;
}

struct header {
    uint32_t offset, header_size, width, height, bits, compression;
};

/* stb_image treats missing bytes as zeros and reads colours beyond the palette from uninitialised memory, so such files
 * are rejected first. Returns the reason, or NULL. */
static const char *check_header(const struct shw_source *source, struct header *header)
{
    const uint8_t *bytes = source->bytes;
    size_t palette_start, palette_entry;
    uint32_t magnitude;

    if (source->size < 26)
        return "the file is truncated";
    header->offset = word32(bytes + 10);
    header->header_size = word32(bytes + 14);
    if (header->header_size == 12) {
        header->width = word16(bytes + 18);
        header->height = word16(bytes + 20);
        header->bits = word16(bytes + 24);
        header->compression = 0;
    } else {
        if (header->header_size != 40 && header->header_size != 56 && header->header_size != 108 &&
            header->header_size != 124)
            return "its header type is not supported";
        if (source->size < 14 + (size_t)header->header_size)
            return "the file is truncated";
        header->width = word32(bytes + 18);
        magnitude = word32(bytes + 22);
        header->height = magnitude >> 31 != 0 ? 0u - magnitude : magnitude; /* negative: top-down */
        header->bits = word16(bytes + 28);
        header->compression = word32(bytes + 30);
    }
    if (header->compression != 0 && header->compression != 3)
        return "compressed BMP is not supported; save it without compression";
    palette_start = 14 + (size_t)header->header_size;
    palette_entry = header->header_size == 12 ? 3 : 4;
    switch (header->bits) {
    case 1:
    case 4:
    case 8:
        if (header->offset < palette_start + palette_entry || header->offset > palette_start + 256 * palette_entry)
            return "its palette is invalid";
        break;
    case 16:
    case 24:
    case 32:
        if (header->offset < palette_start || header->offset > palette_start + 65536)
            return "its header is invalid";
        break;
    default: return "its number of bits per pixel is not supported";
    }
    return NULL;
}

/* Whether each pixel of a palette image has a colour in the palette. */
static bool indices_valid(const struct shw_source *source, const struct header *header, size_t stride)
{
    uint32_t colours = (header->offset - 14 - header->header_size) / (header->header_size == 12 ? 3 : 4);
    uint32_t per_byte = 8 / header->bits, mask = (1u << header->bits) - 1;

    for (size_t y = 0; y < header->height; y++) {
        const uint8_t *row = source->bytes + header->offset + y * stride;

        for (uint32_t x = 0; x < header->width; x++) {
            uint32_t shift = 8 - header->bits * (x % per_byte + 1);

            if ((((uint32_t)row[x / per_byte] >> shift) & mask) >= colours)
                return false;
        }
    }
    return true;
}

static enum shw_result decode(const struct shw_source *source, struct shw_decoded *decoded)
{
    struct header header = {0};
    const char *wrong = check_header(source, &header);
    int width = 0, height = 0, channels = 0;
    stbi_uc *pixels;
    size_t stride;

    if (wrong != NULL)
        return shw_decode_fail(source, decoded, "BMP", wrong);
    SHW_PROPAGATE(shw_decoded_check_size(source, header.width, header.height));
    stride = ((size_t)header.width * header.bits + 31) / 32 * 4;
    if (source->size > INT32_MAX || source->size < header.offset ||
        source->size - header.offset < stride * header.height)
        return shw_decode_fail(source, decoded, "BMP", "the file is truncated");
    SHW_PROPAGATE(shw_decoded_allocate(source, header.width, header.height, SHW_PIXEL_RGB8, decoded));
    if (header.bits <= 8 && !indices_valid(source, &header, stride))
        return shw_decode_fail(source, decoded, "BMP", "a pixel's colour is not in its palette");

    pixels = stbi_load_from_memory(source->bytes, (int)source->size, &width, &height, &channels, 3);
    if (pixels == NULL)
        return shw_decode_fail(source, decoded, "BMP", stbi_failure_reason());
    if ((uint32_t)width != decoded->width || (uint32_t)height != decoded->height) {
        stbi_image_free(pixels);
        return shw_decode_fail(source, decoded, "BMP", "its header is invalid");
    }
    memcpy(decoded->pixels, pixels, (size_t)3 * decoded->width * decoded->height);
    stbi_image_free(pixels);
    return SHW_OK;
}

const struct shw_image_format shw_image_format_bmp = {
    .name = "BMP", .signatures = {SHW_SIGNATURE("BM")}, .access = SHW_READ_WHOLE, .decode = decode};
