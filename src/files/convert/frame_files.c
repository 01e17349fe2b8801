#include "files/convert/frame_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"
#include "files/dataset/examples.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"

#define NAME_LENGTH_MAX 200u

bool shw_frame_name_of(const char *path, const char **name, size_t *length)
{
    const char *last = shw_path_last(path), *dot = strrchr(last, '.');

    *name = last;
    *length = dot != NULL && dot > last ? (size_t)(dot - last) : strlen(last);
    for (size_t i = 0; i < *length; i++)
        if ((unsigned char)last[i] < 0x20 || last[i] == 0x7f)
            return false;
    return *length > 0 && *length <= NAME_LENGTH_MAX && last[0] != '.';
}

static void free_paths(const struct shw_frame_paths *paths)
{
    free(paths->name);
    free(paths->colours);
    free(paths->depth);
    free(paths->labels);
}

enum shw_result shw_frame_files_add(struct shw_frame_files *files, const struct shw_frame_paths *paths)
{
    if (paths->name == NULL || paths->colours == NULL || paths->depth == NULL ||
        !SHW_RESERVE(files->list, files->capacity, files->count + (size_t)1)) {
        free_paths(paths);
        return shw_fail_memory(&files->params->log, files->params->path);
    }
    files->list[files->count++] = *paths;
    files->labelled += paths->labels != NULL;
    return SHW_OK;
}

static int compare_names(const void *a, const void *b)
{
    return shw_natural_compare(((const struct shw_frame_paths *)a)->name, ((const struct shw_frame_paths *)b)->name);
}

/* By name. */
static enum shw_result sort(struct shw_frame_files *files)
{
    const struct shw_log *log = &files->params->log;
    const char *place = files->params->path;

    if (files->count == 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has no frame with colour and depth", place);
    qsort(files->list, files->count, sizeof *files->list, compare_names);
    for (uint32_t i = 1; i < files->count; i++)
        if (compare_names(&files->list[i - 1], &files->list[i]) == 0)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s: %s and %s would be frames of the same name: %s", place, files->list[i - 1].colours,
                            files->list[i].colours, files->list[i].name);
    return SHW_OK;
}

static enum shw_result check_labels(const struct shw_frame_files *files)
{
    const struct shw_log *log = &files->params->log;
    const char *folder = files->params->label_folder;

    if (files->labelled == 0 && folder != NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has no label image of any frame: a PNG file with the name of the colour image", folder);
    if (files->labelled > 0 && files->labelled < files->count)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: %u of %u frames have no label image; they are void everywhere", files->params->path,
                        files->count - files->labelled, files->count);
    return SHW_OK;
}

enum shw_result shw_frame_files_open(const struct shw_source_params *params, uint32_t units,
                                     enum shw_result (*find)(struct shw_frame_files *files),
                                     struct shw_frame_files **opened)
{
    struct shw_frame_files *files = calloc(1, sizeof *files);
    enum shw_result result;

    if (files == NULL)
        return shw_fail_memory(&params->log, params->path);
    files->params = params;
    files->units = params->units > 0 ? params->units : units;
    SHW_TRY(find(files));
    SHW_TRY(sort(files));
    SHW_TRY(check_labels(files));
    *opened = files;
    return SHW_OK;
fail:
    shw_frame_files_close(files);
    return result;
}

char *shw_frame_label_path(const char *folder, const char *name)
{
    char *file = shw_path_join(name, ".png", ""), *path = file != NULL ? shw_path_in(folder, file) : NULL;

    free(file);
    if (path != NULL && !shw_is_file(path)) {
        free(path);
        path = NULL;
    }
    return path;
}

static enum shw_result read_depth(const char *path, uint32_t units, const struct shw_log *log, struct shw_frame *frame)
{
    struct shw_image_file file = {0};
    size_t pixels;

    SHW_PROPAGATE(shw_input_file_read(SHW_DEPTH, path, NULL, log, &file));
    frame->width = file.image.width;
    frame->height = file.image.height;
    pixels = (size_t)frame->width * frame->height;
    frame->depth = malloc(pixels * sizeof *frame->depth);
    for (size_t i = 0; frame->depth != NULL && i < pixels; i++)
        frame->depth[i] = shw_millimetres_of_units(((const uint16_t *)file.image.pixels)[i], units);
    shw_image_file_free(&file);
    return frame->depth != NULL ? SHW_OK : shw_fail_memory(log, path);
}

static enum shw_result read_colours(const char *path, const struct shw_log *log, struct shw_frame *frame)
{
    struct shw_image_file file = {0};
    uint32_t width, height;

    SHW_PROPAGATE(shw_image_file_read(path, NULL, log, &file));
    width = file.image.width;
    height = file.image.height;
    frame->colours = shw_colours_of_image(&file.image);
    shw_image_file_free(&file);
    if (frame->colours != NULL && (width != frame->width || height != frame->height)) {
        uint8_t *resized = shw_colours_resize(frame->colours, width, height, frame->width, frame->height);
        free(frame->colours);
        frame->colours = resized;
    }
    return frame->colours != NULL ? SHW_OK : shw_fail_memory(log, path);
}

static uint32_t *values_of(const struct shw_label_file *file)
{
    size_t pixels = (size_t)file->width * file->height;
    uint32_t *values = malloc(pixels * sizeof *values);
    const uint8_t *colour = file->colours;

    for (size_t i = 0; values != NULL && i < pixels; i++)
        if (file->indices != NULL) {
            values[i] = file->indices[i] != SHW_LABEL_VOID ? file->indices[i] : SHW_VALUE_VOID;
        } else {
            values[i] =
                SHW_VALUE_COLOUR | (uint32_t)colour[3 * i] << 16 | (uint32_t)colour[3 * i + 1] << 8 | colour[3 * i + 2];
        }
    return values;
}

/* Without a size, the frame gets that of the labels. */
static enum shw_result read_labels(const char *path, const struct shw_log *log, struct shw_frame *frame)
{
    struct shw_label_file file = {0};
    uint32_t width, height;

    SHW_PROPAGATE(shw_label_file_read(path, SHW_LABELS_AUTO, log, &file));
    width = file.width;
    height = file.height;
    frame->labels = values_of(&file);
    shw_label_file_free(&file);
    if (frame->width == 0) {
        frame->width = width;
        frame->height = height;
    } else if (frame->labels != NULL && (width != frame->width || height != frame->height)) {
        uint32_t *resized = shw_labels_resize(frame->labels, width, height, frame->width, frame->height);
        free(frame->labels);
        frame->labels = resized;
    }
    return frame->labels != NULL ? SHW_OK : shw_fail_memory(log, path);
}

/* Labels of a frame that has none, among others that have. */
static enum shw_result make_void(const struct shw_frame_paths *paths, const struct shw_log *log,
                                 struct shw_frame *frame)
{
    size_t bytes = (size_t)frame->width * frame->height * sizeof *frame->labels;

    if (bytes == 0)
        return SHW_OK;
    frame->labels = malloc(bytes);
    if (frame->labels == NULL)
        return shw_fail_memory(log, paths->name);
    memset(frame->labels, 0xff, bytes);
    return SHW_OK;
}

/* The frame in the size of its depth image, which is used as it is. */
static enum shw_result frame_files_read(const struct shw_frame_files *files, uint32_t index, bool labels_only,
                                        struct shw_frame *frame)
{
    const struct shw_frame_paths *paths = &files->list[index];
    const struct shw_log *log = &files->params->log;
    enum shw_result result = SHW_OK;

    *frame = (struct shw_frame){0};
    if (!labels_only) {
        result = read_depth(paths->depth, files->units, log, frame);
        if (result == SHW_OK)
            result = read_colours(paths->colours, log, frame);
    }
    if (result == SHW_OK && paths->labels != NULL)
        result = read_labels(paths->labels, log, frame);
    else if (result == SHW_OK && files->labelled > 0)
        result = make_void(paths, log, frame);
    if (result != SHW_OK)
        shw_frame_free(frame);
    return result;
}

uint32_t shw_frame_files_count(const void *source)
{
    return ((const struct shw_frame_files *)source)->count;
}

bool shw_frame_files_have_labels(const void *source)
{
    return ((const struct shw_frame_files *)source)->labelled > 0;
}

const struct shw_label_names *shw_frame_files_names(const void *source)
{
    return &((const struct shw_frame_files *)source)->names;
}

const char *shw_frame_files_name(const void *source, uint32_t index)
{
    return ((const struct shw_frame_files *)source)->list[index].name;
}

void shw_frame_files_visit(const void *source, uint32_t index, void (*visit)(void *user, const char *path), void *user)
{
    const struct shw_frame_paths *paths = &((const struct shw_frame_files *)source)->list[index];

    visit(user, paths->colours);
    visit(user, paths->depth);
    if (paths->labels != NULL)
        visit(user, paths->labels);
}

enum shw_result shw_frame_files_read_source(void *source, uint32_t index, bool labels_only, struct shw_frame *frame)
{
    return frame_files_read(source, index, labels_only, frame);
}

void shw_frame_files_close(void *source)
{
    struct shw_frame_files *files = source;

    for (uint32_t i = 0; i < files->count; i++)
        free_paths(&files->list[i]);
    free(files->list);
    shw_label_names_free(&files->names);
    free(files);
}
