#include "files/image/tiff_layout.h"

#include <stdio.h>

/* Tiles and compressed strips are allocated whole. */
#define BLOCK_BYTES_MAX INT32_MAX

static const char *take_photometric(TIFF *tiff, struct shw_tiff_layout *layout)
{
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout->photometric) == 0)
        layout->photometric = PHOTOMETRIC_MINISBLACK;
    if (layout->compression == COMPRESSION_JPEG && layout->photometric == PHOTOMETRIC_YCBCR) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        layout->photometric = PHOTOMETRIC_RGB;
    }
    switch (layout->photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_RGB: return NULL;
    case PHOTOMETRIC_MINISWHITE: layout->inverted = true; return NULL;
    case PHOTOMETRIC_PALETTE: layout->has_palette = true; return NULL;
    default: return "it is neither grey, palette nor RGB; convert it to RGB";
    }
}

static const char *take_kind(TIFF *tiff, bool stored, struct shw_tiff_layout *layout)
{
    uint16_t format = SAMPLEFORMAT_UINT, bits = layout->bits;
    bool fits = bits == 8 || bits == 16 || bits == 32 || bits == 64;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    switch (format) {
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
        layout->kind = SHW_SAMPLES_UNSIGNED;
        fits = fits || (bits >= 1 && bits < 16);
        break;
    case SAMPLEFORMAT_INT: layout->kind = SHW_SAMPLES_SIGNED; break;
    case SAMPLEFORMAT_IEEEFP:
        layout->kind = SHW_SAMPLES_FLOAT;
        fits = fits && bits >= 16;
        break;
    default: return "its samples are neither integers nor floats";
    }
    if (stored && layout->kind != SHW_SAMPLES_UNSIGNED)
        return "its samples are not unsigned integers";
    if (stored && (bits > 16 || !fits))
        return "its samples do not have 1 to 16 bits";
    snprintf(layout->why, sizeof layout->why, "its samples have %u bits", bits);
    return fits ? NULL : layout->why;
}

/* Whether the file calls the channel after the first `colours` alpha. */
static bool has_alpha(TIFF *tiff, uint32_t colours, const struct shw_tiff_layout *layout)
{
    uint16_t count = 0, *extra = NULL;

    return TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &extra) != 0 && count > 0 &&
           layout->samples == colours + 1 && extra[0] != EXTRASAMPLE_UNSPECIFIED;
}

static void default_channels(TIFF *tiff, bool stored, struct shw_tiff_layout *layout)
{
    bool colours = layout->photometric == PHOTOMETRIC_RGB || (layout->samples >= 3 && !stored && !layout->has_palette);

    layout->channel_count = !colours ? 1 : layout->samples == 4 && shw_tiff_is_plain(layout) ? 4 : 3;
    for (uint32_t c = 0; c < 4; c++)
        layout->channels[c] = c;
    layout->only_first = !stored && !layout->has_palette && layout->samples > layout->channel_count &&
                         !has_alpha(tiff, layout->channel_count, layout);
}

static const char *take_channels(TIFF *tiff, const struct shw_source *source, struct shw_tiff_layout *layout)
{
    const struct shw_image_channels *chosen = &source->choice.channels;

    default_channels(tiff, source->stored, layout);
    if (layout->samples < layout->channel_count)
        return "it has too few samples per pixel";
    if (chosen->count == 0 || source->stored || layout->has_palette)
        return NULL;
    layout->channel_count = chosen->count;
    layout->only_first = false;
    for (uint32_t c = 0; c < chosen->count; c++) {
        layout->channels[c] = chosen->numbers[c] > 0 ? chosen->numbers[c] - 1 : SHW_TIFF_BLACK;
        if (chosen->numbers[c] > layout->samples) {
            shw_no_such_channel(chosen->numbers[c], layout->samples, layout->why, sizeof layout->why);
            return layout->why;
        }
    }
    return NULL;
}

const char *shw_tiff_read_layout(TIFF *tiff, const struct shw_source *source, struct shw_tiff_layout *layout)
{
    const char *wrong;

    *layout = (struct shw_tiff_layout){0};
    if (TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width) == 0 ||
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height) == 0)
        return "its size is missing";
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout->samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &layout->planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &layout->compression);
    if (TIFFIsCODECConfigured(layout->compression) == 0)
        return "its compression is not supported";
    wrong = take_photometric(tiff, layout);
    if (wrong == NULL)
        wrong = take_kind(tiff, source->stored, layout);
    if (wrong != NULL)
        return wrong;
    if (layout->has_palette && (layout->bits > 8 || layout->kind != SHW_SAMPLES_UNSIGNED))
        return "its palette has more than 256 colours";
    return take_channels(tiff, source, layout);
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
static bool holds_pixels(TIFF *tiff, uint64_t size, const struct shw_tiff_layout *layout)
{
    uint64_t row = ((uint64_t)layout->width * layout->samples * layout->bits + 7) / 8;
    uint64_t ratio = ratio_of(layout->compression), blocks;

    blocks = layout->blocks == SHW_TIFF_TILES ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    return row * layout->height / ratio <= size && layout->block_size / ratio <= size && blocks <= size;
}

static enum shw_tiff_blocks blocks_of(TIFF *tiff, const struct shw_tiff_layout *layout)
{
    uint16_t order = FILLORDER_MSB2LSB;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &order);
    if (TIFFIsTiled(tiff) != 0)
        return SHW_TIFF_TILES;
    return layout->compression == COMPRESSION_NONE && order == FILLORDER_MSB2LSB ? SHW_TIFF_ROWS : SHW_TIFF_STRIPS;
}

const char *shw_tiff_read_block_layout(TIFF *tiff, const struct shw_tiff_memory *memory, struct shw_tiff_layout *layout)
{
    static const char invalid[] = "the size of its strips or tiles is invalid";
    size_t in_block = layout->planar == PLANARCONFIG_SEPARATE ? 1 : layout->samples;
    int64_t size = 0;

    layout->blocks = blocks_of(tiff, layout);
    layout->block_width = layout->width;
    if (layout->blocks == SHW_TIFF_TILES) {
        if (TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &layout->block_width) == 0 ||
            TIFFGetField(tiff, TIFFTAG_TILELENGTH, &layout->block_height) == 0)
            return "the size of its tiles is missing";
        size = TIFFTileSize(tiff);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &layout->block_height);
        if (layout->block_height > layout->height)
            layout->block_height = layout->height;
        size = TIFFStripSize(tiff);
    }
    if (layout->block_width == 0 || layout->block_height == 0 || layout->block_width > 2 * SHW_IMAGE_SIZE_MAX ||
        layout->block_height > 2 * SHW_IMAGE_SIZE_MAX || size <= 0)
        return invalid;
    layout->block_stride = ((size_t)layout->block_width * in_block * layout->bits + 7) / 8;
    if (layout->block_stride * layout->block_height > (uint64_t)size)
        return invalid;
    layout->block_size = layout->blocks == SHW_TIFF_ROWS ? layout->block_stride : (size_t)size;
    if (layout->block_size > BLOCK_BYTES_MAX)
        return invalid;
    return holds_pixels(tiff, memory->size, layout) ? NULL : "the file is truncated";
}
