#include "files/image/planes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/input_file.h"
#include "base/log.h"
#include "base/reason.h"
#include "base/text.h"
#include "dense/channels/channels.h"
#include "files/image/decode.h"
#include "files/image/opened.h"

enum shw_result shw_plane_list_make(uint32_t count, uint32_t width, uint32_t height, struct shw_plane_list *planes)
{
    *planes = (struct shw_plane_list){count, width, height, calloc(count, sizeof *planes->names)};
    return planes->names != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

void shw_plane_list_free(struct shw_plane_list *planes)
{
    free(planes->names);
    *planes = (struct shw_plane_list){0};
}

static uint32_t find_name(const struct shw_plane_list *planes, const char *name)
{
    uint32_t number = 0;

    while (number < planes->count && strcmp(planes->names[number], name) != 0)
        number++;
    return number;
}

void shw_plane_list_name(struct shw_plane_list *planes, uint32_t number, const char *text, size_t length)
{
    char name[SHW_INPUT_NAME_SIZE - 4] = "", given[SHW_INPUT_NAME_SIZE];
    size_t end = 0;

    for (size_t i = 0; i < length && end + 1 < sizeof name; i++) {
        char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            name[end++] = c;
        else if (end > 0 && name[end - 1] != '-')
            name[end++] = '-';
    }
    while (end > 0 && name[end - 1] == '-')
        end--;
    name[end] = '\0';
    if (end == 0)
        return;
    snprintf(given, sizeof given, "%s%s", shw_plane_name_is_valid(name) ? "" : "a-", name);
    for (unsigned n = 2; find_name(planes, given) < planes->count && n < 1000; n++)
        snprintf(given, sizeof given, "%s-%u", name, n);
    if (find_name(planes, given) == planes->count)
        memcpy(planes->names[number], given, sizeof given);
}

const char *shw_plane_list_name_of(const struct shw_plane_list *planes, uint32_t number, char text[SHW_INPUT_NAME_SIZE])
{
    if (planes->names[number][0] != '\0')
        return planes->names[number];
    snprintf(text, SHW_INPUT_NAME_SIZE, "b%u", number + 1);
    return text;
}

uint32_t shw_plane_list_find(const struct shw_plane_list *planes, const char *name)
{
    uint32_t number = find_name(planes, name);
    char *end;
    unsigned long place;

    if (number < planes->count || name[0] != 'b' || name[1] < '1' || name[1] > '9')
        return number;
    place = strtoul(name + 1, &end, 10);
    return *end == '\0' && place <= planes->count ? (uint32_t)place - 1 : planes->count;
}

/* The samples of an image of any other format: grey, or red, green and blue. */

static const char *const colours[] = {"red", "green", "blue"};

static enum shw_result list_samples(const struct shw_decoded *decoded, struct shw_plane_list *planes)
{
    uint32_t count = shw_pixel_is_grey(decoded->format) ? 1 : 3;

    SHW_PROPAGATE(shw_plane_list_make(count, decoded->width, decoded->height, planes));
    for (uint32_t c = 0; c < count && count > 1; c++)
        shw_plane_list_name(planes, c, colours[c], strlen(colours[c]));
    return SHW_OK;
}

static enum shw_result take_samples(const struct shw_source *source, const struct shw_decoded *decoded,
                                    const uint32_t *numbers, uint32_t count, struct shw_decoded *planes)
{
    bool wide = shw_pixel_is_wide(decoded->format);
    size_t pixel = shw_pixel_size(decoded->format), sample = wide ? 2 : 1;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *from = decoded->pixels + numbers[i] * sample;
        SHW_PROPAGATE(shw_decoded_allocate(source, decoded->width, decoded->height,
                                           wide ? SHW_PIXEL_GREY16 : SHW_PIXEL_GREY8, &planes[i]));
        for (size_t p = 0; p < (size_t)decoded->width * decoded->height; p++)
            memcpy(planes[i].pixels + p * sample, from + p * pixel, sample);
    }
    return SHW_OK;
}

static enum shw_result list_planes(struct shw_opened *opened, struct shw_plane_list *planes)
{
    struct shw_decoded decoded;
    enum shw_result result;

    if (opened->format != NULL && opened->format->list_planes != NULL)
        return opened->format->list_planes(&opened->source, planes);
    SHW_PROPAGATE(shw_source_decode(&opened->source, &decoded));
    result =
        list_samples(&decoded, planes) == SHW_OK ? SHW_OK : shw_fail_memory(opened->source.log, opened->source.name);
    free(decoded.pixels);
    return result;
}

/* Opens a file to list its planes, of which no more is read than that needs. `any`: also if they are but colours;
 * otherwise they cannot be listed then. */
static enum shw_result open_to_list(const char *path, bool any, const struct shw_log *log, struct shw_opened *opened)
{
    const struct shw_image_format *format;
    struct shw_source *source = &opened->source;
    FILE *stream;
    enum shw_result result;

    SHW_PROPAGATE(shw_opened_open(path, false, log, opened));
    format = opened->format;
    if (format != NULL && format->list_planes != NULL && format->list_start > 0) {
        shw_file_bytes_free(&opened->bytes);
        SHW_TRY(shw_file_open(opened->file, log, &stream, &source->file_size));
        fclose(stream);
        SHW_TRY(shw_file_bytes_read_start(opened->file, format->list_start, log, &opened->bytes));
        source->bytes = opened->bytes.bytes;
        source->size = opened->bytes.size;
        return SHW_OK;
    }
    if (!any && (format == NULL || format->list_planes == NULL))
        return SHW_OK;
    shw_opened_close(opened);
    return shw_opened_open(path, true, log, opened);

fail:
    shw_opened_close(opened);
    return result;
}

enum shw_result shw_image_planes_list(const char *path, const struct shw_log *log, struct shw_plane_list *planes)
{
    struct shw_opened opened;
    enum shw_result result;

    SHW_PROPAGATE(open_to_list(path, true, log, &opened));
    opened.source.in_pieces = opened.format != NULL && opened.format->list_planes != NULL; /* pixels are not read */
    result = list_planes(&opened, planes);
    shw_opened_close(&opened);
    return result;
}

enum shw_result shw_image_more_planes_list(const char *path, const struct shw_log *log, struct shw_plane_list *planes)
{
    struct shw_opened opened;
    enum shw_result result = SHW_OK;

    *planes = (struct shw_plane_list){.count = 0};
    SHW_PROPAGATE(open_to_list(path, false, log, &opened));
    if (opened.format != NULL && opened.format->list_planes != NULL)
        result = opened.format->list_planes(&opened.source, planes);
    shw_opened_close(&opened);
    if (result == SHW_OK && (planes->count == 1 || planes->count == 3))
        shw_plane_list_free(planes);
    return result;
}

/* The message lists the names that there are. */
static enum shw_result refuse_name(const struct shw_source *source, const struct shw_plane_list *planes,
                                   const char *name)
{
    char names[512] = "", last[16] = "";
    size_t length = 0;

    for (uint32_t i = 0; i < planes->count && length < sizeof names; i++)
        if (planes->names[i][0] != '\0')
            length += (size_t)snprintf(names + length, sizeof names - length, "%s, ", planes->names[i]);
    if (planes->count > 1)
        snprintf(last, sizeof last, " to b%u", planes->count);
    return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                    "%s has no plane %s; its planes are %s%sb1%s: --input %s=PATTERN names files of others",
                    source->name, name, names, length > 0 ? "or " : "", last, name);
}

static enum shw_result read_numbers(struct shw_opened *opened, const uint32_t *numbers, uint32_t count,
                                    struct shw_decoded *planes)
{
    struct shw_source *source = &opened->source;
    struct shw_decoded decoded;
    enum shw_result result;

    if (opened->format != NULL && opened->format->read_planes != NULL)
        return opened->format->read_planes(source, numbers, count, planes);
    SHW_PROPAGATE(shw_source_decode(source, &decoded));
    result = take_samples(source, &decoded, numbers, count, planes);
    free(decoded.pixels);
    return result;
}

static enum shw_result read_wanted(struct shw_opened *opened, const struct shw_wanted_plane *wanted, uint32_t count,
                                   struct shw_image_file *files)
{
    struct shw_decoded planes[SHW_INPUTS_MAX] = {{.pixels = NULL}};
    uint32_t numbers[SHW_INPUTS_MAX] = {0};
    enum shw_result result;

    for (uint32_t i = 0; i < count; i++)
        numbers[i] = wanted[i].number;
    result = read_numbers(opened, numbers, count, planes);
    for (uint32_t i = 0; i < count && result == SHW_OK; i++)
        result = shw_decoded_turn_upright(&opened->source, &planes[i]);
    for (uint32_t i = 0; i < count; i++)
        if (result == SHW_OK)
            files[wanted[i].place] = (struct shw_image_file){
                .image = {planes[i].pixels, planes[i].width, planes[i].height, 0, planes[i].format},
                .pixels = planes[i].pixels};
        else
            free(planes[i].pixels);
    return result;
}

/* Which of the planes cannot be read; *result: why. UINT32_MAX: each can be read alone. */
static uint32_t find_damaged(struct shw_opened *opened, const struct shw_wanted_plane *wanted, uint32_t count,
                             enum shw_result *result)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_wanted_plane alone = {wanted[i].number, 0};
        struct shw_image_file file;
        const enum shw_result found = read_wanted(opened, &alone, 1, &file);

        if (found != SHW_OK) {
            *result = found;
            return i;
        }
        shw_image_file_free(&file);
    }
    return UINT32_MAX;
}

/* Reads them; a message says which of them is damaged. */
static enum shw_result read_or_tell(struct shw_opened *opened, const char *const *names,
                                    const struct shw_wanted_plane *wanted, uint32_t count, struct shw_image_file *files)
{
    struct shw_reason reason = {""};
    const struct shw_log *log = opened->source.log, quiet = shw_reason_log(&reason);
    enum shw_result result;
    uint32_t damaged = 0;

    opened->source.log = &quiet;
    result = read_wanted(opened, wanted, count, files);
    if (result == SHW_ERROR_FORMAT && count > 1)
        damaged = find_damaged(opened, wanted, count, &result);
    opened->source.log = log;
    if (result == SHW_OK || result == SHW_ERROR_CANCELLED)
        return result;
    if (result != SHW_ERROR_FORMAT || damaged == UINT32_MAX)
        return shw_fail(log, result, SHW_LOG_IMAGE_FORMAT, "%s", reason.text);
    return shw_fail(log, result, SHW_LOG_IMAGE_FORMAT, "the plane %s of %s is damaged: %s",
                    names[wanted[damaged].place], opened->source.name, reason.text);
}

static int compare(const void *a, const void *b)
{
    const struct shw_wanted_plane *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

enum shw_result shw_opened_find_planes(struct shw_opened *opened, const char *const *names, uint32_t count, bool any,
                                       struct shw_wanted_plane *wanted)
{
    struct shw_plane_list planes;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(list_planes(opened, &planes));
    for (uint32_t i = 0; i < count && result == SHW_OK; i++) {
        wanted[i] = (struct shw_wanted_plane){any && planes.count == 1 ? 0 : shw_plane_list_find(&planes, names[i]), i};
        if (wanted[i].number == planes.count)
            result = refuse_name(&opened->source, &planes, names[i]);
    }
    shw_plane_list_free(&planes);
    if (result == SHW_OK)
        qsort(wanted, count, sizeof *wanted, compare);
    return result;
}

static enum shw_result read_names(struct shw_opened *opened, const char *const *names, uint32_t count, bool any,
                                  struct shw_image_file *files)
{
    struct shw_wanted_plane wanted[SHW_INPUTS_MAX];

    SHW_PROPAGATE(shw_opened_find_planes(opened, names, count, any, wanted));
    return read_or_tell(opened, names, wanted, count, files);
}

static enum shw_result read_planes(const char *path, const char *const *names, uint32_t count, bool any,
                                   const struct shw_image_params *params, const struct shw_log *log,
                                   struct shw_image_file *files)
{
    struct shw_opened opened;
    enum shw_result result;

    SHW_PROPAGATE(shw_opened_open(path, true, log, &opened));
    opened.source.stop = params != NULL ? params->stop : NULL;
    result = read_names(&opened, names, count, any, files);
    shw_opened_close(&opened);
    return result;
}

enum shw_result shw_image_planes_read(const char *path, const char *const *names, uint32_t count,
                                      const struct shw_image_params *params, const struct shw_log *log,
                                      struct shw_image_file *files)
{
    return read_planes(path, names, count, false, params, log, files);
}

enum shw_result shw_image_plane_read(const char *path, const char *name, const struct shw_image_params *params,
                                     const struct shw_log *log, struct shw_image_file *file)
{
    return read_planes(path, &name, 1, true, params, log, file);
}
