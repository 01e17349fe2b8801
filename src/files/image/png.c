#include <math.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/image.h"
#include "base/log.h"
#include "files/image/decode.h"
#include "files/image/image_write.h"
#include "files/io/mark.h"

/* The maximum compression ratio of deflate: a header that promises more is wrong. */
#define DEFLATE_RATIO_MAX 1032

#define REASON_SIZE 128

struct reading {
    const struct shw_source *source;
    uint64_t size, position, data; /* of the file; of compressed pixels */
    struct shw_decoded *decoded;
    png_structp png;
    png_infop info, end;
    enum shw_result result; /* after the message */
    char reason[REASON_SIZE];
};

static void remember_reason(png_structp png, png_const_charp reason)
{
    snprintf(png_get_error_ptr(png), REASON_SIZE, "%s", reason);
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

    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reading.reason, remember_reason, drop_warning);
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
    .name = "PNG", .signatures = {SHW_SIGNATURE("\x89PNG")}, .access = SHW_READ_STREAM, .decode = decode_file};

#define IDAT_BYTES ((size_t)1 << 16) /* of a chunk: few chunks are soon gone through */

struct picture {
    uint32_t width, height;
    int depth, colour_type;
    const uint8_t (*colours)[3];
    uint32_t colour_count;
    const char *mark; /* or NULL */
    const struct shw_png_text *texts;
    uint32_t text_count;
    uint32_t density; /* pixels per metre; 0: not known */
};

struct png_writer {
    struct shw_row_writer rows;
    struct shw_atomic_file file;
    png_structp png;
    png_infop info;
    const char *mark;
    size_t stride;
    uint32_t class_count; /* of labels, of which palette indices are made; 0: rows are as they are written */
    uint8_t *indices;     /* a row */
    const struct shw_log *log;
    char reason[REASON_SIZE];
};

static void write_mark(png_structp png, FILE *stream, const char *kind)
{
    char mark[SHW_PNG_MARK_SIZE];
    size_t length = shw_png_make_mark(stream, kind, mark);

    if (length == 0)
        png_error(png, "what was written cannot be read back");
    png_write_chunk(png, (png_const_bytep) "tEXt", (png_const_bytep)mark, length);
}

static void set_text(png_structp png, png_infop info, const struct shw_png_text *text)
{
    const png_text packed = {.compression = PNG_ITXT_COMPRESSION_NONE,
                             .key = (char *)(uintptr_t)text->key, /* libpng copies them */
                             .text = (char *)(uintptr_t)text->text};

    png_set_text(png, info, &packed, 1);
}

/* libpng may leave these by longjmp: no local variable changes after setjmp. */

static bool begin(struct png_writer *writer, const struct picture *picture)
{
    static char key[] = "Software", name[] = SHW_WRITER;
    const png_text software = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = key, .text = name};
    png_structp png = writer->png;
    png_infop info = writer->info;

    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_init_io(png, writer->file.stream);
    png_set_user_limits(png, SHW_IMAGE_SIZE_MAX, SHW_IMAGE_SIZE_MAX);
    png_set_compression_buffer_size(png, IDAT_BYTES);
    png_set_IHDR(png, info, picture->width, picture->height, picture->depth, picture->colour_type, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (picture->colours != NULL) {
        png_color palette[256];

        for (uint32_t i = 0; i < picture->colour_count; i++)
            palette[i] = (png_color){picture->colours[i][0], picture->colours[i][1], picture->colours[i][2]};
        png_set_PLTE(png, info, palette, (int)picture->colour_count);
    }
    if (picture->mark != NULL)
        png_set_text(png, info, &software, 1);
    if (picture->density > 0)
        png_set_pHYs(png, info, picture->density, picture->density, PNG_RESOLUTION_METER);
    for (uint32_t t = 0; t < picture->text_count; t++)
        set_text(png, info, &picture->texts[t]);
    png_write_info(png, info);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (picture->depth == 16)
        png_set_swap(png);
#endif
    return true;
}

/* A row as it is written. */
static const uint8_t *make_row(struct png_writer *writer, const uint8_t *row)
{
    const uint16_t *labels = (const uint16_t *)(const void *)row;

    if (writer->class_count == 0)
        return row;
    for (size_t x = 0; x < writer->stride; x++)
        writer->indices[x] = (uint8_t)(labels[x] < writer->class_count ? labels[x] : writer->class_count - 1);
    return writer->indices;
}

static bool write_rows(struct png_writer *writer, const uint8_t *rows, uint32_t count)
{
    const size_t stride = writer->stride * (writer->class_count > 0 ? sizeof(uint16_t) : 1);

    if (setjmp(png_jmpbuf(writer->png)) != 0)
        return false;
    for (uint32_t y = 0; y < count; y++)
        png_write_row(writer->png, make_row(writer, rows + y * stride));
    return true;
}

static bool end(struct png_writer *writer)
{
    if (setjmp(png_jmpbuf(writer->png)) != 0)
        return false;
    if (writer->mark != NULL)
        write_mark(writer->png, writer->file.stream, writer->mark);
    png_write_end(writer->png, writer->info);
    return true;
}

static void abandon(struct shw_row_writer *rows)
{
    struct png_writer *writer = (struct png_writer *)rows;

    png_destroy_write_struct(&writer->png, &writer->info);
    shw_atomic_file_abandon(&writer->file);
    free(writer->indices);
    free(writer);
}

/* An error of the file is for commit, which reports it. */
static enum shw_result check_written(struct png_writer *writer, bool fine)
{
    int error;

    if (fine || shw_atomic_file_failed(&writer->file, &error))
        return SHW_OK;
    return shw_fail(writer->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", writer->file.path,
                    writer->reason);
}

static enum shw_result put(struct shw_row_writer *rows, const void *values, size_t plane, uint32_t count)
{
    struct png_writer *writer = (struct png_writer *)rows;
    int error;

    (void)plane;
    if (shw_atomic_file_failed(&writer->file, &error))
        return SHW_OK;
    return check_written(writer, write_rows(writer, values, count));
}

static enum shw_result commit(struct shw_row_writer *rows)
{
    struct png_writer *writer = (struct png_writer *)rows;
    int error;
    enum shw_result result = check_written(writer, shw_atomic_file_failed(&writer->file, &error) || end(writer));

    if (result == SHW_OK)
        result = shw_atomic_file_commit(&writer->file, writer->log);
    abandon(rows);
    return result;
}

static enum shw_result open_picture(const char *path, const struct picture *picture, uint32_t class_count,
                                    const struct shw_log *log, struct shw_row_writer **rows)
{
    struct png_writer *writer;
    enum shw_result result;

    if (picture->width == 0 || picture->height == 0 || picture->width > SHW_IMAGE_SIZE_MAX ||
        picture->height > SHW_IMAGE_SIZE_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "cannot write %s: %u x %u is not an image size",
                        path, picture->width, picture->height);
    writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return shw_fail_memory(log, "a PNG writer");
    *writer = (struct png_writer){
        .rows = {put, commit, abandon}, .mark = picture->mark, .class_count = class_count, .log = log};
    snprintf(writer->reason, sizeof writer->reason, "out of memory");
    writer->indices = class_count > 0 ? malloc(picture->width) : NULL;
    result = shw_atomic_file_open(&writer->file, path, log);
    if (result == SHW_OK) {
        writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer->reason, remember_reason, drop_warning);
        if (writer->png != NULL)
            writer->info = png_create_info_struct(writer->png);
        if (writer->info == NULL || (class_count > 0 && writer->indices == NULL))
            result = shw_fail_memory(log, "a PNG writer");
    }
    if (result == SHW_OK)
        result = check_written(writer, begin(writer, picture));
    if (result == SHW_OK) {
        writer->stride = png_get_rowbytes(writer->png, writer->info);
        *rows = &writer->rows;
    } else {
        abandon(&writer->rows);
    }
    return result;
}

/* With the rest as in `picture`. */
static enum shw_result open_image(const char *path, const struct shw_image *like, struct picture picture,
                                  const struct shw_log *log, struct shw_row_writer **rows)
{
    picture.width = like->width;
    picture.height = like->height;
    switch (like->format) {
    case SHW_PIXEL_GREY8:
    case SHW_PIXEL_GREY16: picture.colour_type = PNG_COLOR_TYPE_GRAY; break;
    case SHW_PIXEL_RGB8:
    case SHW_PIXEL_RGB16: picture.colour_type = PNG_COLOR_TYPE_RGB; break;
    case SHW_PIXEL_RGBA8:
    case SHW_PIXEL_RGBA16: picture.colour_type = PNG_COLOR_TYPE_RGB_ALPHA; break;
    case SHW_PIXEL_NONE:
    default:
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "cannot write %s: the pixel format is missing",
                        path);
    }
    picture.depth = shw_pixel_is_wide(like->format) ? 16 : 8;
    return open_picture(path, &picture, 0, log, rows);
}

/* Pixels per metre; 0: the file cannot say it. */
static uint32_t density_of(double side)
{
    const double density = side > 0.0 ? round(1e6 / side) : 0.0;

    return density <= (double)INT32_MAX ? (uint32_t)density : 0;
}

enum shw_result shw_png_open(const char *path, const struct shw_png_about *about, const struct shw_image *like,
                             const struct shw_log *log, struct shw_row_writer **rows)
{
    const struct picture picture = {.mark = about->mark,
                                    .texts = about->texts,
                                    .text_count = about->text_count,
                                    .density = density_of(about->side)};

    return open_image(path, like, picture, log, rows);
}

static enum shw_result write_image(const char *path, const struct shw_image *image, const struct shw_png_about *about,
                                   const struct shw_log *log)
{
    const size_t packed = image->width * shw_pixel_size(image->format);
    const size_t stride = image->stride > 0 ? image->stride : packed;
    struct shw_row_writer *rows = NULL;
    enum shw_result result = shw_png_open(path, about, image, log, &rows);

    for (uint32_t y = 0; result == SHW_OK && stride != packed && y < image->height; y++)
        result = rows->put(rows, (const char *)image->pixels + y * stride, 0, 1);
    if (result == SHW_OK)
        return shw_row_writer_finish(SHW_OK, rows, image->pixels, 0, stride == packed ? image->height : 0);
    shw_row_writer_abandon(&rows);
    return result;
}

enum shw_result shw_png_write_with_texts(const char *path, const char *mark, const struct shw_png_text *texts,
                                         uint32_t text_count, const struct shw_image *image, const struct shw_log *log)
{
    return write_image(path, image, &(struct shw_png_about){mark, 0.0, texts, text_count}, log);
}

enum shw_result shw_png_write_scaled(const char *path, const char *mark, double side, const struct shw_image *image,
                                     const struct shw_log *log)
{
    return write_image(path, image, &(struct shw_png_about){.mark = mark, .side = side}, log);
}

enum shw_result shw_png_write(const char *path, const struct shw_image *image, const struct shw_log *log)
{
    return write_image(path, image, &(struct shw_png_about){.mark = NULL}, log);
}

enum shw_result shw_png_write_marked(const char *path, const char *mark, const struct shw_image *image,
                                     const struct shw_log *log)
{
    return write_image(path, image, &(struct shw_png_about){.mark = mark}, log);
}

enum shw_result shw_png_write_indexed(const char *path, const uint8_t *indices, uint32_t width, uint32_t height,
                                      const uint8_t (*colours)[3], uint32_t colour_count, const struct shw_log *log)
{
    const struct picture picture = {.width = width,
                                    .height = height,
                                    .depth = 8,
                                    .colour_type = PNG_COLOR_TYPE_PALETTE,
                                    .colours = colours,
                                    .colour_count = colour_count};
    struct shw_row_writer *rows = NULL;
    enum shw_result result;

    if (colour_count == 0 || colour_count > 256)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "cannot write %s: a PNG palette has 1 to 256 colours, not %u", path, colour_count);
    for (size_t i = 0; i < (size_t)width * height; i++)
        if (indices[i] >= colour_count)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "cannot write %s: index %u in a palette of %u colours", path, indices[i], colour_count);
    result = open_picture(path, &picture, 0, log, &rows);
    return shw_row_writer_finish(result, rows, indices, 0, height);
}

enum shw_result shw_png_open_labels(const char *path, uint32_t width, uint32_t height, const struct shw_class *classes,
                                    uint32_t class_count, double side, const struct shw_log *log,
                                    struct shw_row_writer **rows)
{
    const struct shw_image grey = {.width = width, .height = height, .format = SHW_PIXEL_GREY16};
    uint8_t colours[256][3];

    if (class_count > 256)
        return shw_png_open(path, &(struct shw_png_about){.mark = SHW_MARK_LABELS, .side = side}, &grey, log, rows);
    for (uint32_t c = 0; c < class_count; c++)
        memcpy(colours[c], classes[c].colour, sizeof colours[c]);
    return open_picture(path,
                        &(struct picture){.width = width,
                                          .height = height,
                                          .depth = 8,
                                          .colour_type = PNG_COLOR_TYPE_PALETTE,
                                          .colours = (const uint8_t(*)[3])colours,
                                          .colour_count = class_count,
                                          .mark = SHW_MARK_LABELS,
                                          .density = density_of(side)},
                        class_count, log, rows);
}

enum shw_result shw_png_write_labels(const char *path, const uint16_t *labels, uint32_t width, uint32_t height,
                                     const struct shw_class *classes, uint32_t class_count, double side,
                                     const struct shw_log *log)
{
    struct shw_row_writer *rows = NULL;
    enum shw_result result = shw_png_open_labels(path, width, height, classes, class_count, side, log, &rows);

    return shw_row_writer_finish(result, rows, labels, 0, height);
}
