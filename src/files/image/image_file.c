#include "files/image/image_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/input.h>

#include "base/file_bytes.h"
#include "base/image.h"
#include "base/input_file.h"
#include "base/log.h"
#include "files/image/decode.h"
#include "files/image/opened.h"
#include "files/image/planes.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"

static const struct shw_image_format *const formats[] = {
#define FORMAT(name_) &shw_image_format_##name_,
    SHW_IMAGE_FORMATS(FORMAT)
#undef FORMAT
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

static bool begins_with(const struct shw_source *source, const struct shw_image_signature *signature)
{
    bool begins = source->size >= signature->size;

    for (size_t i = 0; begins && i < signature->size; i++)
        begins = signature->bytes[i] == '?' || (uint8_t)signature->bytes[i] == source->bytes[i];
    return begins;
}

static const struct shw_image_format *find_format(const struct shw_source *source)
{
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        const struct shw_image_signature *signatures = formats[f]->signatures;

        for (size_t i = 0; i < sizeof formats[f]->signatures / sizeof *signatures && signatures[i].bytes != NULL; i++)
            if (begins_with(source, &signatures[i]))
                return formats[f];
    }
    return NULL;
}

static enum shw_result refuse(const struct shw_source *source)
{
    char names[128] = "";
    size_t length = 0;

    for (size_t f = 0; f < FORMAT_COUNT && length < sizeof names; f++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", f > 0 ? ", " : "", formats[f]->name);
    return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "cannot read %s: it is not a %s file",
                    source->name, names);
}

enum shw_result shw_source_decode(const struct shw_source *source, struct shw_decoded *decoded)
{
    const struct shw_image_format *format = find_format(source);

    *decoded = (struct shw_decoded){0};
    if (source->size == 0)
        return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "cannot read %s: the file is empty",
                        source->name);
    if (format == NULL)
        return refuse(source);
    if (source->page > 1 && format->count_pages == NULL)
        return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "cannot read %s: there is no page %u, only TIFF files have several", source->name,
                        source->page);
    if (shw_source_is_stopped(source))
        return SHW_ERROR_CANCELLED;
    SHW_PROPAGATE(format->decode(source, decoded));
    SHW_PROPAGATE(shw_decoded_turn_upright(source, decoded));
    SHW_PROPAGATE(shw_decoded_choose(source, decoded));
    shw_decoded_check_range(source, decoded);
    return SHW_OK;
}

void shw_opened_close(struct shw_opened *opened)
{
    if (opened->source.stream != NULL)
        fclose(opened->source.stream);
    shw_file_bytes_free(&opened->bytes);
    free(opened->file);
}

/* Of a file that does not begin like an image, only the signature is read; decoding reports that. Contents stay on disk
 * unless they are wanted. */
static enum shw_result open_contents(const char *path, bool wanted, const struct shw_log *log,
                                     struct shw_opened *opened)
{
    struct shw_source *source = &opened->source;
    const struct shw_image_format *format;

    SHW_PROPAGATE(shw_file_bytes_read_start(opened->file, SHW_SIGNATURE_MAX, log, &opened->bytes));
    *source = (struct shw_source){
        .bytes = opened->bytes.bytes, .size = opened->bytes.size, .name = path, .log = log, .page = source->page};
    opened->format = format = find_format(source);
    if (format == NULL || (!wanted && format->access != SHW_READ_PARTS))
        return SHW_OK;
    if (format->access != SHW_READ_WHOLE) {
        SHW_PROPAGATE(shw_file_open(opened->file, log, &source->stream, &source->file_size));
        return format->access == SHW_READ_PARTS ? SHW_OK
                                                : shw_file_check_size(path, source->file_size, SHW_IMAGE_FILE_MAX, log);
    }
    shw_file_bytes_free(&opened->bytes);
    SHW_PROPAGATE(shw_file_bytes_read(opened->file, SHW_IMAGE_FILE_MAX, log, &opened->bytes));
    source->bytes = opened->bytes.bytes;
    source->size = opened->bytes.size;
    return SHW_OK;
}

enum shw_result shw_opened_open(const char *path, bool wanted, const struct shw_log *log, struct shw_opened *opened)
{
    enum shw_result result;

    *opened = (struct shw_opened){.file = NULL};
    opened->file = shw_image_file_of(path, &opened->source.page);
    result = opened->file != NULL ? open_contents(path, wanted, log, opened) : shw_fail_memory(log, path);
    if (result != SHW_OK)
        shw_opened_close(opened);
    return result;
}

bool shw_image_file_is_image(const char *path)
{
    struct shw_file_bytes start;
    bool known;

    if (shw_file_bytes_read_start(path, SHW_SIGNATURE_MAX, NULL, &start) != SHW_OK)
        return false;
    known = find_format(&(struct shw_source){.bytes = start.bytes, .size = start.size}) != NULL;
    shw_file_bytes_free(&start);
    return known;
}

enum shw_result shw_image_refuse_range(const char *name, const struct shw_log *log)
{
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                    "cannot read %s: its values need a range, and none is known from the first image: choose one with "
                    "--range, or in the viewer's panel Pictures",
                    name);
}

static enum shw_result decode_image(struct shw_source *source, const struct shw_image_params *params,
                                    struct shw_image_file *file)
{
    static const struct shw_image_params defaults;
    struct shw_decoded decoded;

    params = params != NULL ? params : &defaults;
    SHW_PROPAGATE(shw_image_choice_check(&params->choice, source->log));
    source->choice = params->choice;
    source->stop = params->stop;
    SHW_PROPAGATE(shw_source_decode(source, &decoded));
    *file = (struct shw_image_file){.image = {decoded.pixels, decoded.width, decoded.height, 0, decoded.format},
                                    .pixels = decoded.pixels,
                                    .facts = decoded.facts};
    if (!params->of_group || !decoded.facts.wants_range || shw_intensity_range_is_set(&params->choice.range))
        return SHW_OK;
    shw_image_file_free(file);
    return shw_image_refuse_range(source->name, source->log);
}

enum shw_result shw_image_file_decode(const void *bytes, size_t size, const char *name,
                                      const struct shw_image_params *params, const struct shw_log *log,
                                      struct shw_image_file *file)
{
    struct shw_source source = {.bytes = bytes, .size = size, .name = name, .log = log};

    return decode_image(&source, params, file);
}

void shw_image_report_channels(const char *name, const struct shw_image_facts *facts, const struct shw_log *log)
{
    if (facts->only_first == 0)
        return;
    shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_IMAGE_FORMAT,
                    "%s has %u channels: %s; --image-channels or the viewer's panel Pictures chooses others", name,
                    facts->channel_count,
                    facts->only_first == 1 ? "the first is read as grey" : "the first three are read as colours");
}

enum shw_result shw_image_file_read(const char *path, const struct shw_image_params *params, const struct shw_log *log,
                                    struct shw_image_file *file)
{
    struct shw_image_params kept;
    struct shw_opened opened;
    enum shw_result result;

    SHW_PROPAGATE(shw_opened_open(path, true, log, &opened));
    if (params != NULL && !shw_image_choice_is_default(&params->choice) &&
        shw_png_is_marked(opened.file, SHW_MARK_FRAME)) {
        kept = (struct shw_image_params){.stop = params->stop}; /* what is in there has been chosen already */
        params = &kept;
    }
    result = decode_image(&opened.source, params, file);
    shw_opened_close(&opened);
    return result;
}

enum shw_result shw_image_file_count_pages(const char *path, const struct shw_log *log, uint32_t *count)
{
    struct shw_opened opened;
    enum shw_result result = SHW_OK;

    *count = 1;
    SHW_PROPAGATE(shw_opened_open(path, false, log, &opened));
    if (opened.format != NULL && opened.format->count_pages != NULL)
        result = opened.format->count_pages(&opened.source, count);
    shw_opened_close(&opened);
    return result;
}

enum shw_result shw_image_choice_settle(struct shw_image_choice *choice, const char *path, const struct shw_log *log)
{
    struct shw_opened opened;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(shw_opened_open(path, false, log, &opened));
    opened.source.choice = *choice;
    opened.source.in_pieces = true; /* no more than a block is read at once */
    if (opened.format != NULL && opened.format->settle != NULL)
        result = opened.format->settle(&opened.source, choice);
    shw_opened_close(&opened);
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

static enum shw_result decode_labels(struct shw_source *source, enum shw_label_kind kind, struct shw_label_file *file)
{
    const struct shw_image_format *format = find_format(source);
    const char *fault = format != NULL && format->label_fault != NULL ? format->label_fault(source) : NULL;
    struct shw_decoded decoded = {0};
    bool grey;

    source->stored = kind != SHW_LABELS_COLOUR;
    if (fault != NULL)
        return refuse_label(source, &decoded, fault);
    SHW_PROPAGATE(shw_source_decode(source, &decoded));
    grey = decoded.format == SHW_PIXEL_GREY8 || decoded.format == SHW_PIXEL_GREY16;
    if (kind != SHW_LABELS_COLOUR && grey)
        return take_indices(source, &decoded, file);
    if (kind == SHW_LABELS_INDEX)
        return refuse_label(source, &decoded, "it has colours instead of indices");
    if (shw_pixel_is_wide(decoded.format))
        return refuse_label(source, &decoded, "label colours have 8 bits, not 16");
    return take_colours(source, &decoded, file);
}

enum shw_result shw_label_file_decode(const void *bytes, size_t size, const char *name, enum shw_label_kind kind,
                                      const struct shw_log *log, struct shw_label_file *file)
{
    struct shw_source source = {.bytes = bytes, .size = size, .name = name, .log = log};

    return decode_labels(&source, kind, file);
}

enum shw_result shw_label_file_read(const char *path, enum shw_label_kind kind, const struct shw_log *log,
                                    struct shw_label_file *file)
{
    struct shw_opened opened;
    enum shw_result result;

    SHW_PROPAGATE(shw_opened_open(path, true, log, &opened));
    result = decode_labels(&opened.source, kind, file);
    shw_opened_close(&opened);
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

/* Millimetres, as stored. */
static enum shw_result read_depth(const char *path, const struct shw_image_params *params, const struct shw_log *log,
                                  struct shw_image_file *file)
{
    struct shw_opened opened;
    struct shw_decoded decoded;
    enum shw_result result;

    SHW_PROPAGATE(shw_opened_open(path, true, log, &opened));
    opened.source.stored = true;
    opened.source.stop = params != NULL ? params->stop : NULL;
    result = shw_source_decode(&opened.source, &decoded);
    shw_opened_close(&opened);
    if (result != SHW_OK)
        return result;
    if (decoded.format != SHW_PIXEL_GREY16) {
        free(decoded.pixels);
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "cannot use %s as a depth image: it is not 16-bit grey", path);
    }
    *file = (struct shw_image_file){.image = {decoded.pixels, decoded.width, decoded.height, 0, decoded.format},
                                    .pixels = decoded.pixels};
    return SHW_OK;
}

enum shw_result shw_input_file_read(const char *name, const char *path, const struct shw_image_params *params,
                                    const struct shw_log *log, struct shw_image_file *file)
{
    struct shw_image_params plain = {.stop = params != NULL ? params->stop : NULL};

    if (strcmp(name, SHW_DEPTH) == 0)
        return read_depth(path, params, log, file);
    if (strcmp(name, SHW_PREVIOUS) == 0)
        return shw_image_file_read(path, params, log, file);
    if (strcmp(name, SHW_HEIGHT) != 0)
        return shw_image_plane_read(path, name, params, log, file);
    SHW_PROPAGATE(shw_image_file_read(path, &plain, log, file));
    if (!file->facts.wants_range)
        return SHW_OK;
    shw_image_file_free(file);
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                    "cannot use %s as the input %s: it must have 8 or 16 bits, since no range can be chosen for it",
                    path, name);
}
