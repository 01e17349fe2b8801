#include "files/image/tiff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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

void shw_tiff_close(TIFF *tiff, struct shw_tiff_memory *memory)
{
    if (tiff != NULL)
        TIFFClose(tiff);
    free(memory->pages);
    memory->pages = NULL;
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

/* Whether the file lists its extra channels, and does not call the last of them alpha. Without a list, the fourth of
 * four channels is taken for alpha. */
static bool last_is_unspecified(TIFF *tiff)
{
    uint16_t count = 0, *extra = NULL;

    return TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &extra) != 0 && count > 0 &&
           extra[count - 1] == EXTRASAMPLE_UNSPECIFIED;
}

static void default_channels(TIFF *tiff, bool stored, struct shw_tiff_layout *layout)
{
    bool colours = layout->photometric == PHOTOMETRIC_RGB || (layout->samples >= 3 && !stored && !layout->has_palette);
    bool alpha = layout->samples == 4 && shw_tiff_is_plain(layout) && !last_is_unspecified(tiff);

    layout->channel_count = !colours ? 1 : alpha ? 4 : 3;
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

/* Of a block's pixels, with samples of whole bytes. */
static size_t pixel_bytes(const struct shw_tiff_layout *layout)
{
    return (layout->planar == PLANARCONFIG_SEPARATE ? 1u : layout->samples) * (layout->bits / 8u);
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

/* The pixels from `x` on of a row; `x` is 0 unless samples are whole bytes. */
static bool read_row(struct shw_tiff_reading *reading, uint32_t y, uint16_t plane, uint32_t x, uint8_t *row,
                     size_t size)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    uint64_t offset;

    if (!find_row(reading->tiff, layout, y, plane, &offset) ||
        !tiff_memory_read(&reading->memory, offset + (uint64_t)x * pixel_bytes(layout), row, size))
        return false;
    if (TIFFIsByteSwapped(reading->tiff) != 0 && layout->bits % 8 == 0 && layout->bits > 8)
        swap_samples(row, size / (layout->bits / 8u), layout->bits / 8u);
    return true;
}

/* A strip or tile that libtiff reads. */
struct shw_tiff_kept {
    uint32_t page, number; /* of the strip or tile */
    uint64_t used;         /* when */
    size_t size;
    uint8_t *bytes;
};

void shw_tiff_cache_free(struct shw_tiff_cache *cache)
{
    for (uint32_t i = 0; i < cache->count; i++)
        free(cache->kept[i].bytes);
    free(cache->kept);
    *cache = (struct shw_tiff_cache){0};
}

static void drop_oldest(struct shw_tiff_cache *cache)
{
    uint32_t oldest = 0;

    for (uint32_t i = 1; i < cache->count; i++)
        if (cache->kept[i].used < cache->kept[oldest].used)
            oldest = i;
    cache->used -= cache->kept[oldest].size;
    free(cache->kept[oldest].bytes);
    cache->kept[oldest] = cache->kept[--cache->count];
}

/* Takes over the bytes if they fit; false: they stay the caller's. */
static bool keep(struct shw_tiff_cache *cache, uint32_t page, uint32_t number, uint8_t *bytes, size_t size)
{
    if (size > cache->limit)
        return false;
    while (cache->used + size > cache->limit)
        drop_oldest(cache);
    if (!SHW_RESERVE(cache->kept, cache->capacity, cache->count + (size_t)1))
        return false;
    cache->kept[cache->count++] = (struct shw_tiff_kept){page, number, ++cache->clock, size, bytes};
    cache->used += size;
    return true;
}

static uint8_t *find_kept(struct shw_tiff_cache *cache, uint32_t page, uint32_t number)
{
    for (uint32_t i = 0; i < cache->count; i++)
        if (cache->kept[i].number == number && cache->kept[i].page == page) {
            cache->kept[i].used = ++cache->clock;
            return cache->kept[i].bytes;
        }
    return NULL;
}

/* Where a block is: its first pixel, its rows that lie in the page, and the plane. */
struct spot {
    uint32_t x, y, height;
    uint16_t plane;
};

/* What is wrong with a block, for shw_decode_fail(). */
static enum shw_result refuse_block(const struct shw_tiff_reading *reading, const struct spot *spot)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    const char *reason = reading->memory.reason[0] != '\0' ? reading->memory.reason : "the file is truncated";
    char plane[32] = "", text[256];

    if (layout->planar == PLANARCONFIG_SEPARATE)
        snprintf(plane, sizeof plane, " of channel %u", spot->plane + 1u);
    if (layout->blocks == SHW_TIFF_TILES)
        snprintf(text, sizeof text, "the tile from (%u, %u) on%s is damaged: %s", spot->x, spot->y, plane, reason);
    else
        snprintf(text, sizeof text, "the strip with row %u%s is damaged: %s", spot->y, plane, reason);
    return shw_decode_fail(reading->source, NULL, "TIFF", text);
}

/* Reads a strip or tile into `scratch`, or finds it among those that are kept. NULL: it is damaged. */
static const uint8_t *read_block(struct shw_tiff_reading *reading, const struct spot *spot, uint8_t **scratch)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    bool tiled = layout->blocks == SHW_TIFF_TILES;
    uint32_t number = tiled ? TIFFComputeTile(reading->tiff, spot->x, spot->y, 0, spot->plane)
                            : TIFFComputeStrip(reading->tiff, spot->y, spot->plane);
    uint8_t *bytes = reading->cache != NULL ? find_kept(reading->cache, reading->page, number) : NULL;
    tmsize_t size;

    if (bytes != NULL)
        return bytes;
    size = tiled ? TIFFReadTile(reading->tiff, *scratch, spot->x, spot->y, 0, spot->plane)
                 : TIFFReadEncodedStrip(reading->tiff, number, *scratch, (tmsize_t)layout->block_size);
    if (size < 0 || (size_t)size < layout->block_stride * spot->height)
        return NULL;
    bytes = *scratch;
    if (reading->cache != NULL && keep(reading->cache, reading->page, number, bytes, layout->block_size))
        *scratch = NULL;
    return bytes;
}

/* The part of a block that is wanted. */
static enum shw_result take_part(struct shw_tiff_reading *reading, const struct shw_tiff_window *window,
                                 const struct spot *spot, uint32_t channel, uint8_t **scratch, shw_tiff_take *take,
                                 void *user)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    const uint32_t x0 = shw_max_u32(spot->x, window->x), y0 = shw_max_u32(spot->y, window->y);
    const uint32_t x1 =
        shw_min_u32(shw_min_u32(spot->x + layout->block_width, layout->width), window->x + window->width);
    const uint32_t y1 = shw_min_u32(spot->y + spot->height, window->y + window->height);
    struct shw_tiff_block block = {.stride = layout->block_stride,
                                   .first = x0 - spot->x,
                                   .left = x0 - window->x,
                                   .top = y0 - window->y,
                                   .width = x1 - x0,
                                   .height = y1 - y0,
                                   .channel = channel};

    if (*scratch == NULL && (*scratch = calloc(1, layout->block_size)) == NULL)
        return shw_fail_memory(reading->source->log, reading->source->name);
    if (layout->blocks != SHW_TIFF_ROWS) {
        block.bytes = read_block(reading, spot, scratch);
        if (block.bytes != NULL)
            block.bytes += (y0 - spot->y) * layout->block_stride;
    } else {
        bool part = layout->bits % 8 == 0;
        size_t size = part ? block.width * pixel_bytes(layout) : layout->block_stride;
        block.bytes = read_row(reading, spot->y, spot->plane, part ? x0 : 0, *scratch, size) ? *scratch : NULL;
        block.first = part ? 0 : x0;
    }
    if (block.bytes == NULL)
        return refuse_block(reading, spot);
    take(user, &block);
    return SHW_OK;
}

/* The blocks of one plane, or of all channels. */
static enum shw_result read_plane(struct shw_tiff_reading *reading, const struct shw_tiff_window *window,
                                  uint32_t channel, uint8_t **scratch, shw_tiff_take *take, void *user)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    uint32_t rows = layout->blocks == SHW_TIFF_ROWS ? 1 : layout->block_height;
    struct spot spot = {.plane = layout->planar == PLANARCONFIG_SEPARATE ? (uint16_t)layout->channels[channel] : 0};

    for (spot.y = window->y - window->y % rows; spot.y < window->y + window->height; spot.y += rows)
        for (spot.x = window->x - window->x % layout->block_width; spot.x < window->x + window->width;
             spot.x += layout->block_width) {
            if (shw_source_is_stopped(reading->source))
                return SHW_ERROR_CANCELLED;
            spot.height = shw_min_u32(rows, layout->height - spot.y);
            SHW_PROPAGATE(take_part(reading, window, &spot, channel, scratch, take, user));
        }
    return SHW_OK;
}

enum shw_result shw_tiff_read_window(struct shw_tiff_reading *reading, const struct shw_tiff_window *window,
                                     shw_tiff_take *take, void *user)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    uint32_t planes = layout->planar == PLANARCONFIG_SEPARATE ? layout->channel_count : 1;
    enum shw_result result = SHW_OK;
    uint8_t *scratch = NULL;

    for (uint32_t c = 0; c < planes && result == SHW_OK; c++)
        if (planes == 1 || layout->channels[c] != SHW_TIFF_BLACK)
            result = read_plane(reading, window, c, &scratch, take, user);
    free(scratch);
    return result;
}

enum shw_result shw_tiff_read_blocks(struct shw_tiff_reading *reading, shw_tiff_take *take, void *user)
{
    const struct shw_tiff_window whole = shw_tiff_whole(&reading->layout);

    return shw_tiff_read_window(reading, &whole, take, user);
}

struct shw_tiff_window shw_tiff_whole(const struct shw_tiff_layout *layout)
{
    return (struct shw_tiff_window){0, 0, layout->width, layout->height};
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

static struct shw_tiff_memory *memory_of(TIFF *tiff)
{
    return TIFFClientdata(tiff);
}

/* Remembers where the directory that libtiff is at is. */
static bool remember_page(TIFF *tiff)
{
    struct shw_tiff_memory *memory = memory_of(tiff);

    if (!SHW_RESERVE(memory->pages, memory->page_capacity, memory->page_count + (size_t)1))
        return false;
    memory->pages[memory->page_count++] = TIFFCurrentDirOffset(tiff);
    return true;
}

/* Finds all pages that have directories, at most `most`, from the first one on. */
static void find_pages(TIFF *tiff, uint32_t most)
{
    struct shw_tiff_memory *memory = memory_of(tiff);
    bool more;

    memory->page_count = 0;
    TIFFSetDirectory(tiff, 0);
    do
        more = !is_page(tiff) || remember_page(tiff);
    while (more && memory->page_count < most && TIFFReadDirectory(tiff) != 0);
    memory->knows_pages = memory->page_count < most || most == SHW_IMAGE_PAGES_MAX;
}

/* Goes to page `wanted`, from 1, of those that have directories, or to the first directory if there is none. Returns
 * how many pages there are up to it. Many files are asked for nothing but their first page; where another is, all are
 * found at once. */
static uint32_t walk(TIFF *tiff, uint32_t wanted)
{
    struct shw_tiff_memory *memory = memory_of(tiff);

    if (wanted > memory->page_count && !memory->knows_pages)
        find_pages(tiff, wanted == 1 ? 1 : SHW_IMAGE_PAGES_MAX);
    if (wanted > memory->page_count || wanted == 0)
        return memory->page_count;
    if (TIFFCurrentDirOffset(tiff) != memory->pages[wanted - 1] &&
        TIFFSetSubDirectory(tiff, memory->pages[wanted - 1]) == 0)
        return 0;
    return wanted;
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
