#include "files/image/tiff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "files/image/half.h"

#define ALLOCATION_MAX (1 << 28)

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t size)
{
    struct shw_tiff_memory *memory = handle;
    uint64_t count = (uint64_t)size;

    if (memory->stream != NULL)
        return (tmsize_t)fread(to, 1, (size_t)size, memory->stream);
    if (memory->position >= memory->size)
        return 0;
    if (count > memory->size - memory->position)
        count = memory->size - memory->position;
    memcpy(to, memory->bytes + memory->position, count);
    memory->position += count;
    return (tmsize_t)count;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t size)
{
    struct shw_tiff_memory *memory = handle;

    return memory->stream != NULL ? (tmsize_t)fwrite(from, 1, (size_t)size, memory->stream) : -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    struct shw_tiff_memory *memory = handle;

    if (memory->stream != NULL)
        return fseeko(memory->stream, (off_t)offset, whence) == 0 ? (toff_t)ftello(memory->stream) : (toff_t)-1;
    if (whence == SEEK_CUR)
        offset += memory->position;
    else if (whence == SEEK_END)
        offset += memory->size;
    return memory->position = offset;
}

static int leave_open(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle)
{
    struct shw_tiff_memory *memory = handle;
    off_t position, size;

    if (memory->stream == NULL)
        return memory->size;
    position = ftello(memory->stream);
    fseeko(memory->stream, 0, SEEK_END);
    size = ftello(memory->stream);
    fseeko(memory->stream, position, SEEK_SET);
    return (toff_t)size;
}

static int remember_reason(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    struct shw_tiff_memory *memory = user;

    (void)tiff, (void)module;
    if (memory->reason[0] == '\0')
        vsnprintf(memory->reason, sizeof memory->reason, format, arguments);
    return 1;
}

static int drop_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    (void)tiff, (void)user, (void)module, (void)format, (void)arguments;
    return 1;
}

TIFF *shw_tiff_open(struct shw_tiff_memory *memory, const char *name, const char *mode)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFF *tiff;

    if (options == NULL)
        return NULL;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, remember_reason, memory);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_warning, NULL);
    tiff =
        TIFFClientOpenExt(name, mode, memory, read_bytes, write_bytes, seek, leave_open, size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}
/* Reads bytes past libtiff. False: they are not all in the file. */
static bool tiff_memory_read(struct shw_tiff_memory *memory, uint64_t offset, void *to, size_t size)
{
    if (offset > memory->size || size > memory->size - offset)
        return false;
    if (memory->stream != NULL)
        return fseeko(memory->stream, (off_t)offset, SEEK_SET) == 0 && fread(to, 1, size, memory->stream) == size;
    memcpy(to, memory->bytes + offset, size);
    return true;
}

bool shw_tiff_is_plain(const struct shw_tiff_layout *layout)
{
    return layout->bits <= 8 || (layout->bits == 16 && layout->kind != SHW_SAMPLES_FLOAT);
}

bool shw_tiff_wants_range(const struct shw_tiff_layout *layout)
{
    return layout->bits > 16 || layout->kind == SHW_SAMPLES_FLOAT;
}

struct shw_intensity_range shw_tiff_type_range(const struct shw_tiff_layout *layout)
{
    double count = ldexp(1.0, layout->bits);

    if (layout->kind == SHW_SAMPLES_SIGNED)
        return (struct shw_intensity_range){-count / 2, count / 2 - 1};
    return (struct shw_intensity_range){0.0, count - 1};
}

/* Samples of fewer than 8 or of 9 to 15 bits are packed from the highest bit down. */
static uint32_t packed_at(const uint8_t *row, size_t index, unsigned bits)
{
    uint32_t value = 0;

    for (size_t bit = index * bits; bit < (index + 1) * bits; bit++)
        value = value << 1 | ((uint32_t)row[bit / 8] >> (7 - bit % 8) & 1u);
    return value;
}

uint32_t shw_tiff_integer_at(const struct shw_tiff_layout *layout, const uint8_t *row, size_t index)
{
    uint16_t wide;

    switch (layout->bits) {
    case 8: return row[index] ^ (layout->kind == SHW_SAMPLES_SIGNED ? 0x80u : 0u);
    case 16:
        memcpy(&wide, row + 2 * index, sizeof wide); /* in native byte order */
        return wide ^ (layout->kind == SHW_SAMPLES_SIGNED ? 0x8000u : 0u);
    default: return packed_at(row, index, layout->bits);
    }
}

static double float_at(unsigned bits, const uint8_t *row, size_t index)
{
    uint16_t half;
    float single;
    double number;

    switch (bits) {
    case 16: memcpy(&half, row + 2 * index, sizeof half); return shw_half_value(half);
    case 32: memcpy(&single, row + 4 * index, sizeof single); return (double)single;
    default: memcpy(&number, row + 8 * index, sizeof number); return number;
    }
}

double shw_tiff_number_at(const struct shw_tiff_layout *layout, const uint8_t *row, size_t index)
{
    bool is_signed = layout->kind == SHW_SAMPLES_SIGNED;
    uint32_t word;
    uint64_t large;

    if (layout->kind == SHW_SAMPLES_FLOAT)
        return float_at(layout->bits, row, index);
    switch (layout->bits) {
    case 32: memcpy(&word, row + 4 * index, sizeof word); return is_signed ? (double)(int32_t)word : (double)word;
    case 64: memcpy(&large, row + 8 * index, sizeof large); return is_signed ? (double)(int64_t)large : (double)large;
    default: return (double)shw_tiff_integer_at(layout, row, index) - (is_signed ? ldexp(1.0, layout->bits - 1) : 0.0);
    }
}

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
    case COMPRESSION_LZW: return 4096;     /* the longest string that a code stands for, in bytes */
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

/* Reverses the bytes of each sample, of `size` bytes. */
static void swap_samples(uint8_t *bytes, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++, bytes += size)
        for (size_t a = 0, b = size - 1; a < b; a++, b--) {
            uint8_t kept = bytes[a];
            bytes[a] = bytes[b];
            bytes[b] = kept;
        }
}

/* Where a row of uncompressed strips is; false: not in its strip. */
static bool find_row(TIFF *tiff, const struct shw_tiff_layout *layout, uint32_t y, uint16_t plane, uint64_t *offset)
{
    uint32_t strip = TIFFComputeStrip(tiff, y, plane), rows = layout->block_height;
    uint64_t first, within = (uint64_t)(y % rows) * layout->block_stride;

    if (strip >= TIFFNumberOfStrips(tiff))
        return false;
    if (layout->page_offset != 0) {
        *offset = TIFFGetStrileOffset(tiff, 0) + layout->page_offset + (uint64_t)y * layout->block_stride;
        return true;
    }
    first = TIFFGetStrileOffset(tiff, strip);
    *offset = first + within;
    return first != 0 && within + layout->block_stride <= TIFFGetStrileByteCount(tiff, strip);
}

static bool read_row(TIFF *tiff, struct shw_tiff_memory *memory, const struct shw_tiff_layout *layout, uint32_t y,
                     uint16_t plane, uint8_t *row)
{
    uint64_t offset;

    if (!find_row(tiff, layout, y, plane, &offset) || !tiff_memory_read(memory, offset, row, layout->block_stride))
        return false;
    if (TIFFIsByteSwapped(tiff) != 0 && layout->bits % 8 == 0 && layout->bits > 8)
        swap_samples(row, layout->block_stride / (layout->bits / 8u), layout->bits / 8u);
    return true;
}

/* Reads a block of `height` rows of the image. */
static bool read_block(TIFF *tiff, struct shw_tiff_memory *memory, const struct shw_tiff_layout *layout, uint32_t x,
                       uint32_t y, uint16_t plane, uint32_t height, uint8_t *bytes)
{
    tmsize_t size = 0;

    switch (layout->blocks) {
    case SHW_TIFF_ROWS: return read_row(tiff, memory, layout, y, plane, bytes);
    case SHW_TIFF_STRIPS:
        size = TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, y, plane), bytes, (tmsize_t)layout->block_size);
        break;
    case SHW_TIFF_TILES: size = TIFFReadTile(tiff, bytes, x, y, 0, plane); break;
    }
    return size >= 0 && (size_t)size >= layout->block_stride * height;
}

/* The blocks of one plane, or of all channels. */
static enum shw_result read_plane(TIFF *tiff, struct shw_tiff_memory *memory, const struct shw_source *source,
                                  const struct shw_tiff_layout *layout, uint32_t channel, uint8_t *bytes,
                                  void (*take)(void *user, const struct shw_tiff_block *block), void *user)
{
    uint16_t plane = layout->planar == PLANARCONFIG_SEPARATE ? (uint16_t)layout->channels[channel] : 0;
    uint32_t rows = layout->blocks == SHW_TIFF_ROWS ? 1 : layout->block_height;

    for (uint32_t y = 0; y < layout->height; y += rows)
        for (uint32_t x = 0; x < layout->width; x += layout->block_width) {
            const struct shw_tiff_block block = {.bytes = bytes,
                                                 .stride = layout->block_stride,
                                                 .left = x,
                                                 .top = y,
                                                 .width = shw_min_u32(layout->block_width, layout->width - x),
                                                 .height = shw_min_u32(rows, layout->height - y),
                                                 .channel = channel};
            if (shw_source_is_stopped(source))
                return SHW_ERROR_CANCELLED;
            if (!read_block(tiff, memory, layout, x, y, plane, block.height, bytes))
                return shw_decode_fail(source, NULL, "TIFF",
                                       memory->reason[0] != '\0' ? memory->reason : "the file is truncated");
            take(user, &block);
        }
    return SHW_OK;
}

enum shw_result shw_tiff_read_blocks(TIFF *tiff, struct shw_tiff_memory *memory, const struct shw_source *source,
                                     const struct shw_tiff_layout *layout,
                                     void (*take)(void *user, const struct shw_tiff_block *block), void *user)
{
    uint32_t planes = layout->planar == PLANARCONFIG_SEPARATE ? layout->channel_count : 1;
    uint8_t *bytes = calloc(1, layout->block_size);
    enum shw_result result = SHW_OK;

    if (bytes == NULL)
        return shw_fail_memory(source->log, source->name);
    for (uint32_t c = 0; c < planes && result == SHW_OK; c++)
        if (planes == 1 || layout->channels[c] != SHW_TIFF_BLACK)
            result = read_plane(tiff, memory, source, layout, c, bytes, take, user);
    free(bytes);
    return result;
}

static bool is_page(TIFF *tiff)
{
    uint32_t type = 0;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &type);
    return (type & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

/* How many images ImageJ says that its only directory describes; otherwise 1. */
static uint32_t images_described(TIFF *tiff)
{
    const char *text = NULL, *line;
    uint16_t compression = COMPRESSION_NONE;
    unsigned long count;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (compression != COMPRESSION_NONE || TIFFIsTiled(tiff) != 0 ||
        TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) == 0 || text == NULL || strncmp(text, "ImageJ=", 7) != 0)
        return 1;
    line = strstr(text, "\nimages=");
    count = line != NULL ? strtoul(line + 8, NULL, 10) : 1;
    return count < 1 ? 1 : count > SHW_IMAGE_PAGES_MAX ? SHW_IMAGE_PAGES_MAX : (uint32_t)count;
}

/* Goes to page `wanted`, from 1, of those that have directories, or to the first one if there is none. Returns how many
 * there are up to it. */
static uint32_t walk(TIFF *tiff, uint32_t wanted)
{
    uint32_t count = 0;

    TIFFSetDirectory(tiff, 0);
    do
        count += is_page(tiff);
    while (count < wanted && TIFFReadDirectory(tiff) != 0);
    return count;
}

/* A file of nothing but thumbnails has one page, its first. */
static void go_to_first(TIFF *tiff)
{
    if (walk(tiff, 1) == 0)
        TIFFSetDirectory(tiff, 0);
}

uint32_t shw_tiff_count_pages(TIFF *tiff)
{
    uint32_t count = walk(tiff, SHW_IMAGE_PAGES_MAX);

    if (count > 1)
        return count;
    go_to_first(tiff);
    return images_described(tiff);
}

bool shw_tiff_go_to_page(TIFF *tiff, uint32_t page, uint32_t *image)
{
    uint32_t found = walk(tiff, page);

    *image = 0;
    if (found == page)
        return true;
    if (found > 1)
        return false;
    go_to_first(tiff);
    *image = page - 1;
    return page <= images_described(tiff);
}

bool shw_tiff_take_image(const struct shw_tiff_memory *memory, uint32_t image, struct shw_tiff_layout *layout)
{
    uint64_t planes = layout->planar == PLANARCONFIG_SEPARATE ? layout->samples : 1;

    if (layout->blocks != SHW_TIFF_ROWS || planes != 1)
        return false;
    layout->page_offset = image * (uint64_t)layout->block_stride * layout->height;
    return layout->page_offset / image < memory->size;
}
