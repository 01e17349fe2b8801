#include "image/image_file.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/input.h>

#include "base/image.h"
#include "base/log.h"
#include "image/decode.h"
#include "image/file_bytes.h"

#define SIGNATURE_BYTES 12u /* by which find_decoder() knows the kinds of files */

enum shw_result shw_decoded_check_size(const struct shw_source *source, uint64_t width, uint64_t height)
{
    if (width == 0 || height == 0)
        return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "cannot read %s: the image has no pixels",
                        source->name);
    if (width > SHW_IMAGE_SIZE_MAX || height > SHW_IMAGE_SIZE_MAX || width * height > SHW_IMAGE_PIXELS_MAX)
        return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_IMAGE_FORMAT,
                        "cannot read %s: %llu x %llu pixels are too many (at most %u a side and %u in total)",
                        source->name, (unsigned long long)width, (unsigned long long)height, SHW_IMAGE_SIZE_MAX,
                        SHW_IMAGE_PIXELS_MAX);
    return SHW_OK;
}

enum shw_result shw_decoded_allocate(const struct shw_source *source, uint64_t width, uint64_t height,
                                     enum shw_pixel_format format, struct shw_decoded *decoded)
{
    SHW_PROPAGATE(shw_decoded_check_size(source, width, height));
    decoded->pixels = calloc((size_t)(width * height), shw_pixel_size(format));
    if (decoded->pixels == NULL)
        return shw_fail_memory(source->log, source->name);
    decoded->width = (uint32_t)width;
    decoded->height = (uint32_t)height;
    decoded->format = format;
    return SHW_OK;
}

enum shw_result shw_decode_fail(const struct shw_source *source, struct shw_decoded *decoded, const char *kind,
                                const char *reason)
{
    free(decoded->pixels);
    decoded->pixels = NULL;
    return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "cannot read %s as a %s file: %s",
                    source->name, kind, reason);
}

typedef enum shw_result (*decoder)(const struct shw_source *source, struct shw_decoded *decoded);

static bool starts_with(const struct shw_source *source, const char *bytes, size_t size)
{
    return source->size >= size && memcmp(source->bytes, bytes, size) == 0;
}

static decoder find_decoder(const struct shw_source *source)
{
    if (starts_with(source, "\x89PNG", 4))
        return shw_decode_png;
    if (starts_with(source, "\xff\xd8", 2))
        return shw_decode_jpeg;
    if (starts_with(source, "II*\0", 4) || starts_with(source, "MM\0*", 4) || starts_with(source, "II+\0", 4) ||
        starts_with(source, "MM\0+", 4))
        return shw_decode_tiff;
    if (starts_with(source, "BM", 2))
        return shw_decode_bmp;
    if (starts_with(source, "P5", 2) || starts_with(source, "P6", 2))
        return shw_decode_pnm;
    if (starts_with(source, "RIFF", 4) && source->size >= 12 && memcmp(source->bytes + 8, "WEBP", 4) == 0)
        return shw_decode_webp;
    return NULL;
}

static enum shw_result decode(const struct shw_source *source, struct shw_decoded *decoded)
{
    decoder decode_kind = find_decoder(source);
    enum shw_result result;

    *decoded = (struct shw_decoded){0};
    if (source->size == 0)
        return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "cannot read %s: the file is empty",
                        source->name);
    if (decode_kind == NULL)
        return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "cannot read %s: it is not a PNG, JPEG, TIFF, WebP, BMP, binary PGM or PPM file", source->name);
    result = decode_kind(source, decoded);
    return result == SHW_OK ? shw_decoded_turn_upright(source, decoded) : result;
}

static void stretch(struct shw_decoded *decoded, const struct shw_intensity_range *range)
{
    size_t channels = shw_pixel_size(decoded->format) / 2;
    size_t count = (size_t)decoded->width * decoded->height * channels;
    uint16_t *samples = (uint16_t *)(void *)decoded->pixels;
    uint32_t span = (uint32_t)range->high - range->low;

    if (!shw_pixel_is_wide(decoded->format))
        return;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = samples[i] < range->low ? 0 : (uint32_t)samples[i] - range->low;

        if (channels == 4 && i % 4 == 3)
            continue; /* alpha */
        value = value > span ? span : value;
        samples[i] = (uint16_t)((value * UINT32_C(65535) + span / 2) / span);
    }
}

/* A file that begins like an image, whole; of another only as much as shows that. */
static enum shw_result read_file(const char *path, const struct shw_log *log, struct shw_file_bytes *bytes)
{
    struct shw_source source;

    SHW_PROPAGATE(shw_file_bytes_read_start(path, SIGNATURE_BYTES, log, bytes));
    source = (struct shw_source){.bytes = bytes->bytes, .size = bytes->size};
    if (find_decoder(&source) == NULL)
        return SHW_OK; /* which decoding tells */
    shw_file_bytes_free(bytes);
    return shw_file_bytes_read(path, SHW_IMAGE_FILE_MAX, log, bytes);
}

bool shw_image_file_is_image(const char *path)
{
    struct shw_file_bytes start;
    bool known;

    if (shw_file_bytes_read_start(path, SIGNATURE_BYTES, NULL, &start) != SHW_OK)
        return false;
    known = find_decoder(&(struct shw_source){.bytes = start.bytes, .size = start.size}) != NULL;
    shw_file_bytes_free(&start);
    return known;
}

enum shw_result shw_image_file_decode(const void *bytes, size_t size, const char *name,
                                      const struct shw_intensity_range *range, const struct shw_log *log,
                                      struct shw_image_file *file)
{
    struct shw_source source = {.bytes = bytes, .size = size, .name = name, .log = log};
    bool stretched = range != NULL && (range->low != 0 || range->high != 0);
    struct shw_decoded decoded;

    if (stretched && range->high <= range->low)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "an intensity range from %u to %u: the end must be above the start", range->low, range->high);
    SHW_PROPAGATE(decode(&source, &decoded));
    if (stretched)
        stretch(&decoded, range);
    *file = (struct shw_image_file){{decoded.pixels, decoded.width, decoded.height, 0, decoded.format}, decoded.pixels};
    return SHW_OK;
}

enum shw_result shw_image_file_read(const char *path, const struct shw_intensity_range *range,
                                    const struct shw_log *log, struct shw_image_file *file)
{
    struct shw_file_bytes bytes;
    enum shw_result result = read_file(path, log, &bytes);

    if (result == SHW_OK)
        result = shw_image_file_decode(bytes.bytes, bytes.size, path, range, log, file);
    shw_file_bytes_free(&bytes);
    return result;
}

void shw_image_file_free(struct shw_image_file *file)
{
    if (file == NULL)
        return;
    free(file->pixels);
    *file = (struct shw_image_file){0};
}

static enum shw_result refuse_label(const struct shw_source *source, struct shw_decoded *decoded, const char *reason)
{
    free(decoded->pixels);
    return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "cannot use %s as a label image: %s",
                    source->name, reason);
}

static enum shw_result take_indices(const struct shw_source *source, struct shw_decoded *decoded,
                                    struct shw_label_file *file)
{
    size_t count = (size_t)decoded->width * decoded->height;
    uint16_t *indices = (uint16_t *)(void *)decoded->pixels;

    if (decoded->format == SHW_PIXEL_GREY8) {
        indices = malloc(count * sizeof *indices);
        if (indices == NULL) {
            free(decoded->pixels);
            return shw_fail_memory(source->log, source->name);
        }
        for (size_t i = 0; i < count; i++)
            indices[i] = decoded->pixels[i];
        free(decoded->pixels);
    }
    *file = (struct shw_label_file){decoded->width, decoded->height, indices, NULL};
    return SHW_OK;
}

/* Converts the pixels to three bytes; in place from four, in new memory from grey. */
static enum shw_result take_colours(const struct shw_source *source, struct shw_decoded *decoded,
                                    struct shw_label_file *file)
{
    size_t count = (size_t)decoded->width * decoded->height, size = shw_pixel_size(decoded->format);
    uint8_t *colours = malloc(count * 3);

    if (colours == NULL) {
        free(decoded->pixels);
        return shw_fail_memory(source->log, source->name);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++)
            colours[3 * i + c] = decoded->pixels[i * size + (size >= 3 ? c : 0)];
    free(decoded->pixels);
    *file = (struct shw_label_file){decoded->width, decoded->height, NULL, colours};
    return SHW_OK;
}

enum shw_result shw_label_file_decode(const void *bytes, size_t size, const char *name, enum shw_label_kind kind,
                                      const struct shw_log *log, struct shw_label_file *file)
{
    struct shw_source source = {bytes, size, name, kind != SHW_LABELS_COLOUR, log};
    struct shw_decoded decoded = {0};
    bool grey;

    if (find_decoder(&source) == shw_decode_jpeg)
        return refuse_label(&source, &decoded, "JPEG changes labels; save them as PNG");
    if (find_decoder(&source) == shw_decode_webp && shw_webp_is_lossy(&source))
        return refuse_label(&source, &decoded, "lossy WebP changes labels; save them as PNG or lossless WebP");
    SHW_PROPAGATE(decode(&source, &decoded));
    grey = decoded.format == SHW_PIXEL_GREY8 || decoded.format == SHW_PIXEL_GREY16;
    if (kind != SHW_LABELS_COLOUR && grey)
        return take_indices(&source, &decoded, file);
    if (kind == SHW_LABELS_INDEX)
        return refuse_label(&source, &decoded, "it has colours instead of indices");
    if (shw_pixel_is_wide(decoded.format))
        return refuse_label(&source, &decoded, "label colours have 8 bits, not 16");
    return take_colours(&source, &decoded, file);
}

enum shw_result shw_label_file_read(const char *path, enum shw_label_kind kind, const struct shw_log *log,
                                    struct shw_label_file *file)
{
    struct shw_file_bytes bytes;
    enum shw_result result = read_file(path, log, &bytes);

    if (result == SHW_OK)
        result = shw_label_file_decode(bytes.bytes, bytes.size, path, kind, log, file);
    shw_file_bytes_free(&bytes);
    return result;
}

void shw_label_file_free(struct shw_label_file *file)
{
    if (file == NULL)
        return;
    free(file->indices);
    free(file->colours);
    *file = (struct shw_label_file){0};
}

enum shw_result shw_input_file_read(const char *name, const char *path, const struct shw_intensity_range *range,
                                    const struct shw_log *log, struct shw_image_file *file)
{
    struct shw_decoded decoded = {0};
    struct shw_file_bytes bytes;
    enum shw_result result;

    if (strcmp(name, SHW_DEPTH) != 0)
        return shw_image_file_read(path, strcmp(name, SHW_PREVIOUS) == 0 ? range : NULL, log, file);
    result = read_file(path, log, &bytes);
    if (result == SHW_OK) {
        struct shw_source source = {bytes.bytes, bytes.size, path, true, log};
        result = decode(&source, &decoded);
    }
    shw_file_bytes_free(&bytes);
    if (result != SHW_OK)
        return result;
    if (decoded.format != SHW_PIXEL_GREY16) {
        free(decoded.pixels);
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "cannot use %s as a depth image: it is not 16-bit grey", path);
    }
    *file = (struct shw_image_file){{decoded.pixels, decoded.width, decoded.height, 0, decoded.format}, decoded.pixels};
    return SHW_OK;
}
