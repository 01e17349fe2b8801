#include "image/decode.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "base/integers.h"
#include "base/log.h"
#include "image/tiff_memory.h"

/* The layout of the samples in the file. */
struct layout {
    uint32_t width, height;
    uint16_t bits, samples, photometric, planar, compression;
    uint32_t channels; /* in use: 1, 3 or 4 */
    bool tiled;
    uint32_t block_width, block_height; /* of a tile or a strip */
    size_t block_size, block_stride;    /* bytes */
};

/* Returns what is not supported, or NULL. */
static const char *read_layout(TIFF *tiff, struct layout *layout)
{
    uint16_t sample_format = SAMPLEFORMAT_UINT;

    if (TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width) == 0 ||
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height) == 0)
        return "its size is missing";
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout->samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &layout->planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &layout->compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &sample_format);
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout->photometric) == 0)
        layout->photometric = PHOTOMETRIC_MINISBLACK;
    if (TIFFIsCODECConfigured(layout->compression) == 0)
        return "its compression is not supported";
    if (layout->compression == COMPRESSION_JPEG && layout->photometric == PHOTOMETRIC_YCBCR) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        layout->photometric = PHOTOMETRIC_RGB;
    }
    if (sample_format != SAMPLEFORMAT_UINT && sample_format != SAMPLEFORMAT_VOID)
        return "its samples are not unsigned integers";
    if (layout->bits != 1 && layout->bits != 2 && layout->bits != 4 && layout->bits != 8 && layout->bits != 16)
        return "its samples do not have 1, 2, 4, 8 or 16 bits";
    switch (layout->photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE: layout->channels = 1; break;
    case PHOTOMETRIC_PALETTE:
        if (layout->bits > 8)
            return "its palette has more than 256 colours";
        layout->channels = 1;
        break;
    case PHOTOMETRIC_RGB:
        if (layout->bits < 8)
            return "its colours have fewer than 8 bits";
        layout->channels = layout->samples >= 4 ? 4 : 3;
        break;
    default: return "it is neither grey, palette nor RGB; convert it to RGB";
    }
    if (layout->samples < layout->channels)
        return "it has too few samples per pixel";
    return NULL;
}

static const char *read_block_layout(TIFF *tiff, struct layout *layout)
{
    size_t in_block = layout->planar == PLANARCONFIG_SEPARATE ? 1 : layout->samples;
    tmsize_t size;

    layout->tiled = TIFFIsTiled(tiff) != 0;
    if (layout->tiled) {
        if (TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &layout->block_width) == 0 ||
            TIFFGetField(tiff, TIFFTAG_TILELENGTH, &layout->block_height) == 0)
            return "the size of its tiles is missing";
        size = TIFFTileSize(tiff);
    } else {
        layout->block_width = layout->width;
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &layout->block_height);
        if (layout->block_height > layout->height)
            layout->block_height = layout->height;
        size = TIFFStripSize(tiff);
    }
    if (layout->block_width == 0 || layout->block_height == 0 || layout->block_width > 2 * SHW_IMAGE_SIZE_MAX ||
        layout->block_height > 2 * SHW_IMAGE_SIZE_MAX || size <= 0 || size > INT32_MAX)
        return "the size of its strips or tiles is invalid";
    layout->block_size = (size_t)size;
    layout->block_stride = ((size_t)layout->block_width * in_block * layout->bits + 7) / 8;
    if (layout->block_stride * layout->block_height > layout->block_size)
        return "the size of its strips or tiles is invalid";
    return NULL;
}

/* How many bytes of samples a byte of the file can hold, at most. */
static uint64_t ratio_of(uint16_t compression)
{
    switch (compression) {
    case COMPRESSION_NONE: return 1;
    case COMPRESSION_PACKBITS: return 64;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE: return 1032;
    case COMPRESSION_JPEG: return 4 * 512; /* as in JPEG files, for up to four samples */
    case COMPRESSION_LZW: return 4096;     /* a code stands for a string of at most so many bytes */
    default: return 65536; /* a row of fax may have one bit; Zstandard repeats a byte 2^17 times by four */
    }
}

/* Whether the file is large enough for its pixels, for one of its blocks, and for the list of these. */
static bool holds_pixels(TIFF *tiff, const struct shw_source *source, const struct layout *layout)
{
    uint64_t row = ((uint64_t)layout->width * layout->samples * layout->bits + 7) / 8;
    uint64_t ratio = ratio_of(layout->compression), blocks;

    blocks = layout->tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    return row * layout->height / ratio <= source->size && layout->block_size / ratio <= source->size &&
           blocks <= source->size;
}

static uint32_t sample_at(const uint8_t *row, size_t index, unsigned bits)
{
    if (bits == 16) {
        uint16_t value;
        memcpy(&value, row + 2 * index, sizeof value); /* libtiff has converted to native byte order */
        return value;
    }
    if (bits == 8)
        return row[index];
    return (uint32_t)row[index * bits / 8] >> (8 - bits - index * bits % 8) & ((1u << bits) - 1);
}

/* Copies the part of the block at (left, top) that lies in the image. `plane` is used with separate planes only. */
static void copy_block(const struct layout *layout, const uint8_t *block, uint32_t left, uint32_t top, uint32_t plane,
                       struct shw_decoded *decoded)
{
    bool separate = layout->planar == PLANARCONFIG_SEPARATE;
    uint32_t width = shw_min_u32(layout->block_width, layout->width - left);
    uint32_t height = shw_min_u32(layout->block_height, layout->height - top);
    uint32_t channels = separate ? 1 : layout->channels;
    uint16_t *wide = (uint16_t *)(void *)decoded->pixels;

    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = block + y * layout->block_stride;
        size_t to = ((size_t)(top + y) * layout->width + left) * layout->channels + plane;

        for (uint32_t x = 0; x < width; x++, to += layout->channels) {
            for (uint32_t c = 0; c < channels; c++) {
                uint32_t value = sample_at(row, separate ? x : (size_t)x * layout->samples + c, layout->bits);

                if (layout->bits == 16)
                    wide[to + c] = (uint16_t)value;
                else
                    decoded->pixels[to + c] = (uint8_t)value;
            }
        }
    }
}

static bool read_blocks(TIFF *tiff, const struct layout *layout, uint8_t *block, struct shw_decoded *decoded)
{
    uint32_t planes = layout->planar == PLANARCONFIG_SEPARATE ? layout->channels : 1;

    for (uint32_t plane = 0; plane < planes; plane++) {
        for (uint32_t y = 0; y < layout->height; y += layout->block_height) {
            size_t needed = layout->block_stride * shw_min_u32(layout->block_height, layout->height - y);

            for (uint32_t x = 0; x < layout->width; x += layout->block_width) {
                tmsize_t size = layout->tiled ? TIFFReadTile(tiff, block, x, y, 0, (uint16_t)plane)
                                              : TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, y, (uint16_t)plane),
                                                                     block, (tmsize_t)layout->block_size);

                if (size < 0 || (size_t)size < needed)
                    return false;
                copy_block(layout, block, x, y, plane, decoded);
            }
        }
    }
    return true;
}

/* Scales grey of 1, 2 or 4 bits to 8 bits, and inverts inverted grey. */
static void scale_grey(const struct layout *layout, struct shw_decoded *decoded)
{
    uint32_t largest = (1u << layout->bits) - 1, full = layout->bits == 16 ? 65535 : 255;
    uint32_t invert = layout->photometric == PHOTOMETRIC_MINISWHITE ? full : 0;
    uint16_t *wide = (uint16_t *)(void *)decoded->pixels;

    if (invert == 0 && largest == full)
        return;
    for (size_t i = 0; i < (size_t)decoded->width * decoded->height; i++) {
        if (layout->bits == 16)
            wide[i] = (uint16_t)(wide[i] ^ invert);
        else
            decoded->pixels[i] = (uint8_t)((decoded->pixels[i] * (full / largest)) ^ invert);
    }
}

static enum shw_result resolve_palette(const struct shw_source *source, TIFF *tiff, struct shw_decoded *decoded)
{
    struct shw_decoded colours = {.orientation = decoded->orientation};
    uint16_t *map[3];
    enum shw_result result;

    if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]) == 0)
        return shw_decode_fail(source, decoded, "TIFF", "its palette is missing");
    result = shw_decoded_allocate(source, decoded->width, decoded->height, SHW_PIXEL_RGB8, &colours);
    if (result == SHW_OK)
        for (size_t i = 0; i < (size_t)decoded->width * decoded->height; i++)
            for (size_t c = 0; c < 3; c++)
                colours.pixels[3 * i + c] = (uint8_t)(map[c][decoded->pixels[i]] >> 8);
    free(decoded->pixels);
    *decoded = colours;
    return result;
}

static enum shw_pixel_format format_of(const struct layout *layout)
{
    bool wide = layout->bits == 16;

    if (layout->channels == 1)
        return wide ? SHW_PIXEL_GREY16 : SHW_PIXEL_GREY8;
    if (layout->channels == 3)
        return wide ? SHW_PIXEL_RGB16 : SHW_PIXEL_RGB8;
    return wide ? SHW_PIXEL_RGBA16 : SHW_PIXEL_RGBA8;
}

static enum shw_result decode(const struct shw_source *source, TIFF *tiff, struct shw_tiff_memory *memory,
                              struct shw_decoded *decoded)
{
    struct layout layout = {0};
    const char *wrong = read_layout(tiff, &layout);
    uint16_t orientation = ORIENTATION_TOPLEFT;
    enum shw_result result = SHW_OK;
    uint8_t *block;

    if (wrong != NULL)
        return shw_decode_fail(source, decoded, "TIFF", wrong);
    SHW_PROPAGATE(shw_decoded_check_size(source, layout.width, layout.height));
    wrong = read_block_layout(tiff, &layout);
    if (wrong == NULL && !holds_pixels(tiff, source, &layout))
        wrong = "the file is truncated";
    if (wrong != NULL)
        return shw_decode_fail(source, decoded, "TIFF", wrong);
    SHW_PROPAGATE(shw_decoded_allocate(source, layout.width, layout.height, format_of(&layout), decoded));
    block = calloc(1, layout.block_size);
    if (block == NULL) {
        free(decoded->pixels);
        decoded->pixels = NULL;
        return shw_fail_memory(source->log, source->name);
    }
    if (!read_blocks(tiff, &layout, block, decoded))
        result = shw_decode_fail(source, decoded, "TIFF",
                                 memory->reason[0] != '\0' ? memory->reason : "the file is truncated");
    free(block);
    if (result != SHW_OK)
        return result;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    decoded->orientation = orientation;
    if (source->stored || layout.channels > 1)
        return SHW_OK;
    if (layout.photometric == PHOTOMETRIC_PALETTE)
        return resolve_palette(source, tiff, decoded);
    scale_grey(&layout, decoded);
    return SHW_OK;
}

enum shw_result shw_decode_tiff(const struct shw_source *source, struct shw_decoded *decoded)
{
    struct shw_tiff_memory memory = {.bytes = source->bytes, .size = source->size};
    TIFF *tiff = shw_tiff_open(&memory, source->name, "rm");
    enum shw_result result;

    if (tiff == NULL)
        return shw_decode_fail(source, decoded, "TIFF", memory.reason[0] != '\0' ? memory.reason : "it is invalid");
    result = decode(source, tiff, &memory, decoded);
    TIFFClose(tiff);
    return result;
}
