#include "cli/cascade_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/log.h"
#include "dataset/annotations.h"
#include "image/file_bytes.h"
#include "image/image_file.h"
#include "image/image_name.h"
#include "image/image_paths.h"

/* An image: a file, or a patch of an array. */
struct cli_cascade_entry {
    char *path; /* NULL: a patch */
    uint32_t array, patch;
};

static enum shw_result read_entry(void *user, uint32_t index, struct shw_cascade_image *image)
{
    const struct cli_cascade_data *data = user;
    const struct cli_cascade_entry *entry = &data->entries[index];
    struct shw_image_file *file;
    enum shw_result result;

    if (entry->path == NULL) {
        const struct shw_npy_patches *array = &data->arrays[entry->array];
        size_t points = (size_t)array->width * array->height;
        *image = (struct shw_cascade_image){.image = {.pixels = array->values + entry->patch * points,
                                                      .width = array->width,
                                                      .height = array->height,
                                                      .format = SHW_PIXEL_GREY8}};
        return SHW_OK;
    }
    file = calloc(1, sizeof *file);
    if (file == NULL)
        return shw_fail_memory(&data->log, entry->path);
    result = shw_image_file_read(entry->path, NULL, &data->log, file);
    if (result != SHW_OK)
        free(file);
    else
        *image = (struct shw_cascade_image){file->image, file};
    return result;
}

static void release_entry(void *user, struct shw_cascade_image *image)
{
    struct shw_image_file *file = image->handle;

    (void)user;
    if (file != NULL)
        shw_image_file_free(file);
    free(file);
}

static enum shw_result add_entry(struct cli_cascade_data *data, const char *path, uint32_t array, uint32_t patch,
                                 bool is_background)
{
    char *copy = path != NULL ? strdup(path) : NULL;
    size_t count = (size_t)data->entry_count + 1;

    if ((path != NULL && copy == NULL) || !SHW_RESERVE(data->entries, data->entry_capacity, count) ||
        !SHW_RESERVE(data->are_backgrounds, data->background_capacity, count)) {
        free(copy);
        return shw_fail_memory(&data->log, "the list of images");
    }
    data->entries[data->entry_count] = (struct cli_cascade_entry){copy, array, patch};
    data->are_backgrounds[data->entry_count++] = is_background;
    return SHW_OK;
}

static enum shw_result add_object(struct cli_cascade_data *data, const struct shw_cascade_object *object)
{
    if (!SHW_RESERVE(data->list, data->object_capacity, (size_t)data->object_count + 1))
        return shw_fail_memory(&data->log, "the list of objects");
    data->list[data->object_count++] = *object;
    return SHW_OK;
}

/* An image that is an object, or without any. */
static enum shw_result add_image(struct cli_cascade_data *data, const char *path, bool is_object)
{
    struct shw_cascade_object object = {.image = data->entry_count};
    struct shw_image_file file = {0};

    if (is_object) {
        SHW_PROPAGATE(shw_image_file_read(path, NULL, &data->log, &file));
        object.width = file.image.width;
        object.height = file.image.height;
        shw_image_file_free(&file);
        SHW_PROPAGATE(add_object(data, &object));
    }
    return add_entry(data, path, 0, 0, !is_object);
}

static enum shw_result add_array(struct cli_cascade_data *data, const char *path, bool are_objects)
{
    struct shw_npy_patches array;
    uint32_t number = data->array_count;

    SHW_PROPAGATE(shw_npy_read(path, &data->log, &array));
    if (!SHW_RESERVE(data->arrays, data->array_capacity, (size_t)number + 1)) {
        shw_npy_free(&array);
        return shw_fail_memory(&data->log, path);
    }
    data->arrays[data->array_count++] = array;
    for (uint32_t i = 0; i < array.count; i++) {
        const struct shw_cascade_object object = {
            .image = data->entry_count, .width = array.width, .height = array.height};
        if (are_objects)
            SHW_PROPAGATE(add_object(data, &object));
        SHW_PROPAGATE(add_entry(data, NULL, number, i, !are_objects));
    }
    return SHW_OK;
}

static enum shw_result add_folder(struct cli_cascade_data *data, struct shw_output_files *files, const char *folder,
                                  bool are_objects)
{
    struct shw_image_paths paths = {0};
    enum shw_result result = SHW_OK;

    errno = 0;
    if (!shw_image_paths_list(&paths, folder, shw_is_image_name))
        result = shw_fail_memory(&data->log, folder);
    else if (paths.count == 0)
        result = errno != 0 ? shw_fail(&data->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot read %s: %s", folder,
                                       strerror(errno))
                            : shw_fail(&data->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has no images", folder);
    for (uint32_t i = 0; i < paths.count && result == SHW_OK; i++) {
        shw_output_files_read(files, paths.paths[i]);
        result = add_image(data, paths.paths[i], are_objects);
    }
    shw_image_paths_free(&paths);
    return result;
}

/* The lines of a list, which are relative to its folder. */
static enum shw_result add_lines(struct cli_cascade_data *data, struct shw_output_files *files, const char *path,
                                 char *text, bool are_objects)
{
    char *folder = strndup(path, (size_t)(shw_path_last(path) - path));
    enum shw_result result = folder != NULL ? SHW_OK : shw_fail_memory(&data->log, path);

    for (char *line = text, *next; line != NULL && result == SHW_OK; line = next) {
        char *image;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        if (*line == '\0' || *line == '#')
            continue;
        image = shw_path_in(folder, line);
        if (image == NULL) {
            result = shw_fail_memory(&data->log, path);
            break;
        }
        shw_output_files_read(files, image);
        result = add_image(data, image, are_objects);
        free(image);
    }
    free(folder);
    return result;
}

static enum shw_result add_list(struct cli_cascade_data *data, struct shw_output_files *files, const char *path,
                                bool are_objects)
{
    struct shw_file_bytes bytes = {0};
    enum shw_result result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, &data->log, &bytes);

    if (result == SHW_OK)
        result = add_lines(data, files, path, (char *)bytes.bytes, are_objects);
    shw_file_bytes_free(&bytes);
    return result;
}

static enum shw_result add_path(struct cli_cascade_data *data, struct shw_output_files *files, const char *path,
                                bool are_objects)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return shw_fail(&data->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return add_folder(data, files, path, are_objects);
    shw_output_files_read(files, path);
    if (shw_is_npy(path))
        return add_array(data, path, are_objects);
    return shw_name_ends_with(path, ".txt") ? add_list(data, files, path, are_objects)
                                            : add_image(data, path, are_objects);
}

static enum shw_result add_annotated(struct cli_cascade_data *data, struct shw_output_files *files,
                                     const struct shw_annotations *annotations)
{
    for (uint32_t i = 0; i < annotations->image_count; i++) {
        const struct shw_annotated_image *image = &annotations->images[i];
        for (uint32_t o = 0; o < image->object_count; o++) {
            const struct shw_annotated_object *from = &annotations->objects[image->first_object + o];
            const struct shw_cascade_object object = {.image = data->entry_count,
                                                      .x = from->x,
                                                      .y = from->y,
                                                      .width = from->width,
                                                      .height = from->height,
                                                      .ignored = from->is_crowd};
            SHW_PROPAGATE(add_object(data, &object));
        }
        shw_output_files_read(files, image->path);
        SHW_PROPAGATE(add_entry(data, image->path, 0, 0, !data->only_objects));
    }
    return SHW_OK;
}

static enum shw_result add_annotations(struct cli_cascade_data *data, struct shw_output_files *files, const char *path)
{
    struct shw_annotations annotations = {0};
    enum shw_result result = shw_annotations_read(path, data->images, data->label, &data->log, &annotations);

    shw_output_files_read(files, path);
    if (result == SHW_OK)
        result = add_annotated(data, files, &annotations);
    shw_annotations_free(&annotations);
    return result;
}

int cli_open_cascade_data(struct cli_report *report, struct shw_output_files *files, struct cli_cascade_data *data)
{
    enum shw_result result = SHW_OK;

    data->log = cli_log(report);
    for (uint32_t i = 0; i < data->objects.count && result == SHW_OK; i++)
        result = add_path(data, files, data->objects.items[i], true);
    for (uint32_t i = 0; i < data->annotations.count && result == SHW_OK; i++)
        result = add_annotations(data, files, data->annotations.items[i]);
    for (uint32_t i = 0; i < data->backgrounds.count && result == SHW_OK; i++)
        result = add_path(data, files, data->backgrounds.items[i], false);
    data->dataset = (struct shw_cascade_dataset){.image_count = data->entry_count,
                                                 .object_count = data->object_count,
                                                 .objects = data->list,
                                                 .backgrounds = data->are_backgrounds,
                                                 .user = data,
                                                 .read = read_entry,
                                                 .release = release_entry};
    return result == SHW_OK ? CLI_CONTINUE : cli_exit_code(result);
}

void cli_cascade_data_free(struct cli_cascade_data *data)
{
    for (uint32_t i = 0; i < data->entry_count; i++)
        free(data->entries[i].path);
    for (uint32_t i = 0; i < data->array_count; i++)
        shw_npy_free(&data->arrays[i]);
    free(data->entries);
    free(data->arrays);
    free(data->list);
    free(data->are_backgrounds);
}
