#include "files/image/tiff_layout.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"

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

    if (!find_row(tiff, layout, y, plane, &offset) || !shw_tiff_memory_read(memory, offset, row, layout->block_stride))
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
