#include "files/image/decode.h"

#include <png.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* The maximum compression ratio of deflate: a header that promises more is wrong. */
#define DEFLATE_RATIO_MAX 1032

struct reading {
    const struct shw_source *source;
    uint64_t size, position, data; /* of the file; of compressed pixels */
    struct shw_decoded *decoded;
    png_structp png;
    png_infop info, end;
    enum shw_result result; /* after the message */
    char reason[128];
};

static void remember_reason(png_structp png, png_const_charp reason)
{
    struct reading *reading = png_get_error_ptr(png);

    snprintf(reading->reason, sizeof reading->reason, "%s", reason);
    longjmp(png_jmpbuf(png), 1);
}

static void drop_warning(png_structp png, png_const_charp reason)
{
    (void)png, (void)reason;
}

/* Whether the bytes are in the file. Those of a stream are read one after the other, once the chunks have been checked.
 */
static bool read_at(const struct reading *reading, uint64_t position, void *to, size_t size)
{
    const struct shw_source *source = reading->source;

    if (position > reading->size || size > reading->size - position)
        return false;
    if (source->stream == NULL) {
        memcpy(to, source->bytes + position, size);
        return true;
    }
    return (ftello(source->stream) == (off_t)position || fseeko(source->stream, (off_t)position, SEEK_SET) == 0) &&
           fread(to, 1, size, source->stream) == size;
}

static void read_bytes(png_structp png, png_bytep to, size_t size)
{
    struct reading *reading = png_get_io_ptr(png);

    if (!read_at(reading, reading->position, to, size))
        png_error(png, "the file is truncated");
    reading->position += size;
}

static uint32_t word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool is_type(const uint8_t name[4])
{
    for (int i = 0; i < 4; i++)
        if ((name[i] | 32) < 'a' || (name[i] | 32) > 'z')
            return false;
    return true;
}

/* Whether all chunks lie in the file: libpng allocates what their lengths say. Adds up the compressed pixels. Ends at
 * what is no chunk, which libpng tells. */
static bool check_chunks(struct reading *reading)
{
    uint8_t chunk[8];
    uint64_t at = 8;

    while (reading->size >= at + 12 && read_at(reading, at, chunk, sizeof chunk)) {
        uint64_t length = word(chunk);

        if (length > reading->size - at - 12)
            return false;
        if (memcmp(chunk + 4, "IEND", 4) == 0 || !is_type(chunk + 4))
            return true;
        reading->data += memcmp(chunk + 4, "IDAT", 4) == 0 ? length : 0;
        at += 12 + length;
    }
    return false;
}

/* libpng says of sizes beyond its limit only that the header is invalid. */
static enum shw_result check_size(const struct reading *reading)
{
    uint8_t header[16];

    if (!read_at(reading, 8, header, sizeof header) || memcmp(header + 4, "IHDR", 4) != 0)
        return SHW_OK;
    return shw_decoded_check_size(reading->source, word(header + 8), word(header + 12));
}

/* Asks libpng for one of our formats and returns it. */
static enum shw_pixel_format choose_format(png_structp png, png_infop info, bool stored)
{
    int depth = png_get_bit_depth(png, info);
    int type = png_get_color_type(png, info);

    if (type == PNG_COLOR_TYPE_PALETTE && stored) {
        png_set_packing(png);
        return SHW_PIXEL_GREY8;
    }
    if (type == PNG_COLOR_TYPE_PALETTE) {
        png_set_palette_to_rgb(png);
        if (png_get_valid(png, info, PNG_INFO_tRNS) == 0)
            return SHW_PIXEL_RGB8;
        png_set_tRNS_to_alpha(png);
        return SHW_PIXEL_RGBA8;
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (depth == 16)
        png_set_swap(png);
#endif
    if (type == PNG_COLOR_TYPE_GRAY || type == PNG_COLOR_TYPE_GRAY_ALPHA) {
        if (depth < 8 && stored)
            png_set_packing(png);
        else if (depth < 8)
            png_set_expand_gray_1_2_4_to_8(png);
        png_set_strip_alpha(png);
        return depth == 16 ? SHW_PIXEL_GREY16 : SHW_PIXEL_GREY8;
    }
    if (type == PNG_COLOR_TYPE_RGB_ALPHA)
        return depth == 16 ? SHW_PIXEL_RGBA16 : SHW_PIXEL_RGBA8;
    return depth == 16 ? SHW_PIXEL_RGB16 : SHW_PIXEL_RGB8;
}

static unsigned orientation_of(png_structp png, png_infop info)
{
    png_uint_32 size = 0;
    png_bytep block = NULL;

    return png_get_eXIf_1(png, info, &size, &block) != 0 ? shw_exif_orientation(block, size) : 0;
}

/* libpng may leave it by longjmp: no local variable in use later changes after setjmp. */
static void decode(struct reading *reading)
{
    static const png_byte orientation_chunk[] = "eXIf";
    png_structp png = reading->png;
    png_infop info = reading->info;
    struct shw_decoded *decoded = reading->decoded;
    enum shw_pixel_format format;
    int passes;

    if (setjmp(png_jmpbuf(png)) != 0) {
        reading->result = shw_decode_fail(reading->source, decoded, "PNG", reading->reason);
        return;
    }
    png_set_read_fn(png, reading, read_bytes);
    png_set_user_limits(png, SHW_IMAGE_SIZE_MAX, SHW_IMAGE_SIZE_MAX);
    /* Of what is not needed to decode pixels only the orientation is of use; the rest could be compressed. */
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, orientation_chunk, 1);
    if (!check_chunks(reading))
        png_error(png, "the file is truncated");
    reading->result = check_size(reading);
    if (reading->result != SHW_OK)
        return;
    png_read_info(png, info);

    if (png_get_rowbytes(png, info) * png_get_image_height(png, info) / DEFLATE_RATIO_MAX > reading->data)
        png_error(png, "the file is truncated");
    format = choose_format(png, info, reading->source->stored);
    passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    reading->result = shw_decoded_allocate(reading->source, png_get_image_width(png, info),
                                           png_get_image_height(png, info), format, decoded);
    if (reading->result != SHW_OK)
        return;
    if (png_get_rowbytes(png, info) != decoded->width * shw_pixel_size(format))
        png_error(png, "unexpected size of a row");
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < decoded->height; y++) {
            if (shw_source_is_stopped(reading->source))
                png_error(png, "it was given up");
            png_read_row(png, decoded->pixels + y * png_get_rowbytes(png, info), NULL);
        }
    png_read_end(png, reading->end);
    decoded->orientation = orientation_of(png, info);
    if (decoded->orientation == 0)
        decoded->orientation = orientation_of(png, reading->end);
}

static enum shw_result decode_file(const struct shw_source *source, struct shw_decoded *decoded)
{
    struct reading reading = {
        .source = source, .size = source->stream != NULL ? source->file_size : source->size, .decoded = decoded};

    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, remember_reason, drop_warning);
    if (reading.png != NULL) {
        reading.info = png_create_info_struct(reading.png);
        reading.end = png_create_info_struct(reading.png);
    }
    if (reading.info == NULL || reading.end == NULL)
        reading.result = shw_fail_memory(source->log, "a PNG reader");
    else
        decode(&reading);
    png_destroy_read_struct(&reading.png, &reading.info, &reading.end);
    return reading.result;
}

const struct shw_image_format shw_image_format_png = {
    "PNG", {SHW_SIGNATURE("\x89PNG")}, SHW_READ_STREAM, decode_file, NULL, NULL, NULL};
