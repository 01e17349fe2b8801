#include "files/dataset/cascade_data.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"

/* An image: a file, or a patch of an array. */
struct shw_cascade_entry {
    char *path; /* NULL: a patch */
    uint32_t array, patch;
    const struct shw_annotated_image *annotated; /* NULL: it is not */
    bool has_objects;
    atomic_bool is_checked;
};

/* Objects outside the image, crowds included, are reported when it is first read. */
static void check_entry(const struct shw_cascade_data *data, struct shw_cascade_entry *entry,
                        const struct shw_image *image)
{
    if (entry->annotated != NULL && !atomic_exchange(&entry->is_checked, true))
        shw_annotations_report_outside(&data->annotated, entry->annotated, image->width, image->height, &data->log);
}

static enum shw_result read_entry(void *user, uint32_t index, struct shw_cascade_image *image)
{
    const struct shw_cascade_data *data = user;
    struct shw_cascade_entry *entry = &data->entries[index];
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
    if (result != SHW_OK) {
        free(file);
        return result;
    }
    check_entry(data, entry, &file->image);
    *image = (struct shw_cascade_image){file->image, file};
    return SHW_OK;
}

static void release_entry(void *user, struct shw_cascade_image *image)
{
    struct shw_image_file *file = image->handle;

    (void)user;
    if (file != NULL)
        shw_image_file_free(file);
    free(file);
}

static enum shw_result add_entry(struct shw_cascade_data *data, const char *path, uint32_t array, uint32_t patch,
                                 bool is_background)
{
    char *copy = path != NULL ? strdup(path) : NULL;
    size_t count = (size_t)data->entry_count + 1;

    if ((path != NULL && copy == NULL) || !SHW_RESERVE(data->entries, data->entry_capacity, count) ||
        !SHW_RESERVE(data->are_backgrounds, data->background_capacity, count)) {
        free(copy);
        return shw_fail_memory(&data->log, "the list of images");
    }
    data->entries[data->entry_count] = (struct shw_cascade_entry){.path = copy, .array = array, .patch = patch};
    data->are_backgrounds[data->entry_count++] = is_background;
    return SHW_OK;
}

static enum shw_result add_object(struct shw_cascade_data *data, const struct shw_cascade_object *object)
{
    if (!SHW_RESERVE(data->list, data->object_capacity, (size_t)data->object_count + 1))
        return shw_fail_memory(&data->log, "the list of objects");
    data->list[data->object_count++] = *object;
    return SHW_OK;
}

/* The entry of the image file `path`, or UINT32_MAX: it is new and gets the next entry. Errors: MEMORY. */
static enum shw_result find_entry(struct shw_cascade_data *data, const char *path, uint32_t *number)
{
    char *real = shw_image_real_path(path);
    const json_t *known = real != NULL ? json_object_get(data->numbers, real) : NULL;
    bool done = real == NULL || known != NULL || /* reading reports the missing file */
                json_object_set_new_nocheck(data->numbers, real, json_integer(data->entry_count)) == 0;

    *number = known != NULL ? (uint32_t)json_integer_value(known) : UINT32_MAX;
    free(real);
    return done ? SHW_OK : shw_fail_memory(&data->log, path);
}

/* An image that is an entry already. */
static void add_again(struct shw_cascade_data *data, uint32_t number, bool is_object)
{
    const struct shw_cascade_entry *entry = &data->entries[number];

    data->objects_twice += is_object;
    if (is_object)
        return;
    if (entry->has_objects && data->backgrounds_with_objects++ == 0)
        data->background_with_objects = entry->path;
    data->are_backgrounds[number] |= !entry->has_objects || !data->only_objects;
}

/* An image that is an object as a whole, or has none. */
static enum shw_result add_image(struct shw_cascade_data *data, const char *path, bool is_object)
{
    struct shw_cascade_object object = {.image = data->entry_count};
    struct shw_image_file file = {0};
    uint32_t known;

    SHW_PROPAGATE(find_entry(data, path, &known));
    if (known != UINT32_MAX) {
        add_again(data, known, is_object);
        return SHW_OK;
    }
    if (is_object) {
        SHW_PROPAGATE(shw_image_file_read(path, NULL, &data->log, &file));
        object.width = file.image.width;
        object.height = file.image.height;
        shw_image_file_free(&file);
        SHW_PROPAGATE(add_object(data, &object));
    }
    SHW_PROPAGATE(add_entry(data, path, 0, 0, !is_object));
    data->entries[data->entry_count - 1].has_objects = is_object;
    return SHW_OK;
}

static enum shw_result add_array(struct shw_cascade_data *data, const char *path, bool are_objects)
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

static enum shw_result add_folder(struct shw_cascade_data *data, struct shw_output_files *files, const char *folder,
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
    shw_image_paths_sort_bytewise(&paths);
    for (uint32_t i = 0; i < paths.count && result == SHW_OK; i++) {
        shw_output_files_read(files, paths.paths[i]);
        result = add_image(data, paths.paths[i], are_objects);
    }
    shw_image_paths_free(&paths);
    return result;
}

/* The lines of a list, which are relative to its folder. */
static enum shw_result add_lines(struct shw_cascade_data *data, struct shw_output_files *files, const char *path,
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

static enum shw_result add_list(struct shw_cascade_data *data, struct shw_output_files *files, const char *path,
                                bool are_objects)
{
    struct shw_file_bytes bytes = {0};
    enum shw_result result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, &data->log, &bytes);

    if (result == SHW_OK)
        result = add_lines(data, files, path, (char *)bytes.bytes, are_objects);
    shw_file_bytes_free(&bytes);
    return result;
}

static enum shw_result add_path(struct shw_cascade_data *data, struct shw_output_files *files, const char *path,
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

static enum shw_result add_annotated_image(struct shw_cascade_data *data, struct shw_output_files *files,
                                           const struct shw_annotated_image *image)
{
    uint32_t known;

    shw_output_files_read(files, image->path);
    SHW_PROPAGATE(find_entry(data, image->path, &known));
    if (known != UINT32_MAX)
        return shw_fail(&data->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s is in --objects, where the whole image is an object, and also in --annotations",
                        image->path);
    for (uint32_t o = 0; o < image->object_count; o++) {
        const struct shw_annotated_object *from = &data->annotated.objects[image->first_object + o];
        const struct shw_cascade_object object = {.image = data->entry_count,
                                                  .x = from->x,
                                                  .y = from->y,
                                                  .width = from->width,
                                                  .height = from->height,
                                                  .ignored = from->is_crowd};
        SHW_PROPAGATE(add_object(data, &object));
    }
    SHW_PROPAGATE(add_entry(data, image->path, 0, 0, !data->only_objects));
    data->entries[data->entry_count - 1].annotated = image;
    data->entries[data->entry_count - 1].has_objects = image->object_count > 0;
    return SHW_OK;
}

static enum shw_result add_annotations(struct shw_cascade_data *data, struct shw_output_files *files)
{
    uint32_t count = data->annotations.count;
    struct shw_annotations *read = calloc(count + (size_t)1, sizeof *read);
    enum shw_result result = read != NULL ? SHW_OK : shw_fail_memory(&data->log, "the annotations");

    for (uint32_t i = 0; i < count && result == SHW_OK; i++) {
        const char *path = data->annotations.items[i];
        result = shw_annotations_read(path, data->images, data->label, &data->log, &read[i]);
        shw_output_files_read(files, path);
    }
    if (result == SHW_OK)
        result = shw_annotations_join(read, count, &data->log, &data->annotated);
    for (uint32_t i = 0; i < data->annotated.image_count && result == SHW_OK; i++)
        result = add_annotated_image(data, files, &data->annotated.images[i]);
    for (uint32_t i = 0; read != NULL && i < count; i++)
        shw_annotations_free(&read[i]);
    free(read);
    return result;
}

static void warn_of_twice(const struct shw_cascade_data *data)
{
    uint32_t count = data->objects_twice;

    if (count > 0)
        shw_log_message(&data->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%u of the images of --objects %s given twice, and count%s once", count,
                        count == 1 ? "is" : "are", count == 1 ? "s" : "");
    count = data->backgrounds_with_objects;
    if (count > 0)
        shw_log_message(&data->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%u of the images of --backgrounds %s objects, the first is %s: %s", count,
                        count == 1 ? "has" : "have", data->background_with_objects,
                        data->only_objects ? "not mined, because of --only-objects" : "not mined at these");
}

enum shw_result shw_cascade_data_open(const struct shw_log *log, struct shw_output_files *files,
                                      struct shw_cascade_data *data)
{
    enum shw_result result = SHW_OK;

    data->log = *log;
    data->numbers = json_object();
    for (uint32_t i = 0; i < data->objects.count && result == SHW_OK; i++)
        result = add_path(data, files, data->objects.items[i], true);
    if (result == SHW_OK)
        result = add_annotations(data, files);
    for (uint32_t i = 0; i < data->backgrounds.count && result == SHW_OK; i++)
        result = add_path(data, files, data->backgrounds.items[i], false);
    if (result == SHW_OK)
        warn_of_twice(data);
    data->dataset = (struct shw_cascade_dataset){.image_count = data->entry_count,
                                                 .object_count = data->object_count,
                                                 .objects = data->list,
                                                 .backgrounds = data->are_backgrounds,
                                                 .user = data,
                                                 .read = read_entry,
                                                 .release = release_entry};
    return result;
}

void shw_cascade_data_free(struct shw_cascade_data *data)
{
    for (uint32_t i = 0; i < data->entry_count; i++)
        free(data->entries[i].path);
    for (uint32_t i = 0; i < data->array_count; i++)
        shw_npy_free(&data->arrays[i]);
    shw_annotations_free(&data->annotated);
    json_decref(data->numbers);
    free(data->entries);
    free(data->arrays);
    free(data->list);
    free(data->are_backgrounds);
}

/* Seconds of a stage by itself; 0 if none is known. */
static double stage_seconds(const struct shw_cascade_pace *pace)
{
    return pace->stage_count > 0 ? pace->stages / pace->stage_count : 0;
}

/* Rounds that will begin: each has as many stages as those that have ended, or as it may have. */
static double rounds_left(const struct shw_cascade_pace *pace, const struct shw_cascade_progress *progress,
                          uint32_t round_stages)
{
    const double usual = pace->rounds > 0 ? (double)pace->ended_stages / pace->rounds : round_stages;
    const double open = usual - (progress->stages - pace->round_begin);
    const double rest = progress->stage_count - progress->stages - (open > 0 ? open : 0);
    double rounds = 0;

    while (rest > rounds * usual)
        rounds++;
    return rounds;
}

double shw_cascade_pace_take(struct shw_cascade_pace *pace, const struct shw_cascade_progress *progress,
                             uint32_t round_stages)
{
    const double seconds = progress->seconds - pace->last.seconds;
    double before = pace->mined, times;

    if (progress->round != pace->last.round) {
        pace->mined = seconds > stage_seconds(pace) ? seconds - stage_seconds(pace) : 0;
        pace->longer = pace->last.round > 0 && pace->mined > before ? pace->mined - before : 0;
        if (pace->last.round > 0) {
            pace->rounds++;
            pace->ended_stages += pace->last.stages - pace->round_begin;
        }
        pace->round_begin = progress->stages > 0 ? progress->stages - 1 : 0;
    } else {
        pace->stages += seconds;
        pace->stage_count++;
    }
    pace->last = *progress;
    if (progress->stages >= progress->stage_count)
        return 0;
    times = rounds_left(pace, progress, round_stages) + 1;
    return (progress->stage_count - progress->stages) * stage_seconds(pace) + times * pace->mined +
           times * (times + 1) / 2 * pace->longer;
}
