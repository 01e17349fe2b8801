#include "files/image/image_write.h"

#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/image.h"
#include "base/log.h"
#include "files/io/mark.h"

#define IDAT_BYTES ((size_t)1 << 16) /* of a chunk: few chunks are soon gone through */

struct picture {
    const uint8_t *rows;
    size_t stride;
    uint32_t width, height;
    int depth, colour_type;
    const uint8_t (*colours)[3];
    uint32_t colour_count;
    const char *mark; /* or NULL */
    const struct shw_png_text *texts;
    uint32_t text_count;
};

static void remember_reason(png_structp png, png_const_charp reason)
{
    snprintf(png_get_error_ptr(png), 128, "%s", reason);
    longjmp(png_jmpbuf(png), 1);
}

static void drop_warning(png_structp png, png_const_charp reason)
{
    (void)png, (void)reason;
}

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

/* libpng may leave it by longjmp: no local variable changes after setjmp. */
static bool encode(png_structp png, png_infop info, FILE *stream, const struct picture *picture)
{
    static char key[] = "Software", writer[] = SHW_WRITER;
    const png_text software = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = key, .text = writer};

    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_init_io(png, stream);
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
    for (uint32_t t = 0; t < picture->text_count; t++)
        set_text(png, info, &picture->texts[t]);
    png_write_info(png, info);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (picture->depth == 16)
        png_set_swap(png);
#endif
    for (uint32_t y = 0; y < picture->height; y++)
        png_write_row(png, picture->rows + y * picture->stride);
    if (picture->mark != NULL)
        write_mark(png, stream, picture->mark);
    png_write_end(png, info);
    return true;
}

static enum shw_result write_picture(const char *path, const struct picture *picture, const struct shw_log *log)
{
    char reason[128] = "out of memory";
    struct shw_atomic_file file;
    png_structp png = NULL;
    png_infop info = NULL;
    enum shw_result result = SHW_OK;
    int error;

    if (picture->width == 0 || picture->height == 0 || picture->width > SHW_IMAGE_SIZE_MAX ||
        picture->height > SHW_IMAGE_SIZE_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "cannot write %s: %u x %u is not an image size",
                        path, picture->width, picture->height);
    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, reason, remember_reason, drop_warning);
    if (png != NULL)
        info = png_create_info_struct(png);
    if (info == NULL)
        result = shw_fail_memory(log, "a PNG writer");
    else if (!encode(png, info, file.stream, picture) && !shw_atomic_file_failed(&file, &error)) /* commit reports it */
        result = shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", path, reason);
    png_destroy_write_struct(&png, &info);
    if (result == SHW_OK)
        return shw_atomic_file_commit(&file, log);
    shw_atomic_file_abandon(&file);
    return result;
}

enum shw_result shw_png_write_with_texts(const char *path, const char *mark, const struct shw_png_text *texts,
                                         uint32_t text_count, const struct shw_image *image, const struct shw_log *log)
{
    struct picture picture = {
        .rows = image->pixels,
        .stride = image->stride != 0 ? image->stride : image->width * shw_pixel_size(image->format),
        .width = image->width,
        .height = image->height,
        .mark = mark,
        .texts = texts,
        .text_count = text_count,
    };

    switch (image->format) {
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
    picture.depth = shw_pixel_is_wide(image->format) ? 16 : 8;
    return write_picture(path, &picture, log);
}

enum shw_result shw_png_write(const char *path, const struct shw_image *image, const struct shw_log *log)
{
    return shw_png_write_with_texts(path, NULL, NULL, 0, image, log);
}

enum shw_result shw_png_write_marked(const char *path, const char *mark, const struct shw_image *image,
                                     const struct shw_log *log)
{
    return shw_png_write_with_texts(path, mark, NULL, 0, image, log);
}

static enum shw_result write_indexed(const char *path, const char *mark, const uint8_t *indices, uint32_t width,
                                     uint32_t height, const uint8_t (*colours)[3], uint32_t colour_count,
                                     const struct shw_log *log)
{
    struct picture picture = {.rows = indices,
                              .stride = width,
                              .width = width,
                              .height = height,
                              .depth = 8,
                              .colour_type = PNG_COLOR_TYPE_PALETTE,
                              .colours = colours,
                              .colour_count = colour_count,
                              .mark = mark};

    if (colour_count == 0 || colour_count > 256)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "cannot write %s: a PNG palette has 1 to 256 colours, not %u", path, colour_count);
    for (size_t i = 0; i < (size_t)width * height; i++)
        if (indices[i] >= colour_count)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "cannot write %s: index %u in a palette of %u colours", path, indices[i], colour_count);
    return write_picture(path, &picture, log);
}

enum shw_result shw_png_write_indexed(const char *path, const uint8_t *indices, uint32_t width, uint32_t height,
                                      const uint8_t (*colours)[3], uint32_t colour_count, const struct shw_log *log)
{
    return write_indexed(path, NULL, indices, width, height, colours, colour_count, log);
}

enum shw_result shw_png_write_labels(const char *path, const uint16_t *labels, uint32_t width, uint32_t height,
                                     const struct shw_class *classes, uint32_t class_count, const struct shw_log *log)
{
    const struct shw_image grey = {.pixels = labels, .width = width, .height = height, .format = SHW_PIXEL_GREY16};
    size_t pixels = (size_t)width * height;
    uint8_t colours[256][3], *indices;
    enum shw_result result;

    if (class_count > 256)
        return shw_png_write_marked(path, SHW_MARK_LABELS, &grey, log);
    indices = malloc(pixels);
    if (indices == NULL)
        return shw_fail_memory(log, path);
    for (size_t i = 0; i < pixels; i++)
        indices[i] = (uint8_t)(labels[i] < class_count ? labels[i] : class_count - 1);
    for (uint32_t c = 0; c < class_count; c++)
        memcpy(colours[c], classes[c].colour, sizeof colours[c]);
    result =
        write_indexed(path, SHW_MARK_LABELS, indices, width, height, (const uint8_t(*)[3])colours, class_count, log);
    free(indices);
    return result;
}
