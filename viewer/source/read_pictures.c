/* Pictures by number: image files and data sets. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dataset/dataset.h"
#include "image/image_file.h"
#include "source/reader.h"

struct pictures {
    struct view_paths files;    /* unless `dataset` is used */
    struct shw_dataset dataset; /* count 0: unused */
    int64_t position;           /* of the next picture */
    struct shw_log log;
};

void view_paths_free(struct view_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        free(paths->paths[i]);
    free(paths->paths);
    *paths = (struct view_paths){0};
}

static uint32_t count_of(const struct pictures *pictures)
{
    return pictures->dataset.count != 0 ? pictures->dataset.count : pictures->files.count;
}

static struct view_picture *make_picture(const struct shw_log *log, const char *name)
{
    struct view_picture *picture = calloc(1, sizeof *picture);

    if (picture != NULL && (picture->name = strdup(name)) != NULL)
        return picture;
    view_picture_free(picture);
    shw_fail_memory(log, name);
    return NULL;
}

static struct view_picture *read_file(const struct pictures *pictures, uint32_t index)
{
    const char *path = pictures->files.paths[index];
    struct shw_image_file file = {0};
    struct view_picture *picture;

    if (shw_image_file_read(path, NULL, &pictures->log, &file) != SHW_OK)
        return NULL;
    picture = make_picture(&pictures->log, path);
    if (picture == NULL) {
        shw_image_file_free(&file);
        return NULL;
    }
    picture->image = file.image;
    return picture;
}

static void *copy(const void *from, size_t size)
{
    void *to = malloc(size);

    return to != NULL ? memcpy(to, from, size) : NULL;
}

static struct view_picture *copy_example(const struct shw_labelled_image *example, const struct shw_log *log)
{
    const struct shw_image *image = &example->image;
    const struct shw_input *depth = shw_inputs_find(&example->inputs, SHW_DEPTH);
    struct view_picture *picture = make_picture(log, example->name);
    size_t stride = image->stride != 0 ? image->stride : image->width * shw_pixel_size(image->format);

    if (picture == NULL)
        return NULL;
    picture->image = *image;
    picture->image.pixels = copy(image->pixels, stride * image->height);
    if (example->labels != NULL)
        picture->labels = copy(example->labels, (size_t)image->width * image->height * sizeof *example->labels);
    if (depth != NULL)
        picture->depth_mm = copy(depth->image.pixels, (size_t)image->width * image->height * sizeof *picture->depth_mm);
    if (picture->image.pixels != NULL && (picture->labels != NULL || example->labels == NULL) &&
        (picture->depth_mm != NULL || depth == NULL))
        return picture;
    view_picture_free(picture);
    shw_fail_memory(log, example->name);
    return NULL;
}

static struct view_picture *read_example(const struct pictures *pictures, uint32_t index)
{
    const struct shw_dataset *dataset = &pictures->dataset;
    struct shw_labelled_image example = {0};
    struct view_picture *picture;

    if (dataset->read(dataset->user, index, &example) != SHW_OK)
        return NULL;
    picture = copy_example(&example, &pictures->log);
    dataset->release(dataset->user, &example);
    return picture;
}

/* Reads the first readable picture from `index` on, in steps of `step`. */
static bool read_from(struct pictures *pictures, int64_t index, int step, struct view_reading *reading)
{
    for (; index >= 0 && index < count_of(pictures); index += step) {
        reading->ticks = index;
        reading->picture = pictures->dataset.count != 0 ? read_example(pictures, (uint32_t)index)
                                                        : read_file(pictures, (uint32_t)index);
        if (reading->picture != NULL) {
            pictures->position = index + 1;
            return true;
        }
    }
    return false;
}

static enum shw_result read_next(void *user, struct view_reading *reading)
{
    struct pictures *pictures = user;

    *reading = (struct view_reading){0};
    if (!read_from(pictures, pictures->position, 1, reading))
        pictures->position = count_of(pictures);
    return SHW_OK;
}

static enum shw_result read_at(void *user, int64_t ticks, bool back, struct view_reading *reading)
{
    struct pictures *pictures = user;
    int64_t last = (int64_t)count_of(pictures) - 1, index = ticks < 0 ? 0 : ticks > last ? last : ticks;

    *reading = (struct view_reading){0};
    pictures->position = index;
    if (!read_from(pictures, index, back ? -1 : 1, reading))
        read_from(pictures, back ? index + 1 : index - 1, back ? 1 : -1, reading);
    return SHW_OK;
}

static const char *name_of(void *user, uint32_t index)
{
    const struct pictures *pictures = user;

    return pictures->dataset.count != 0 ? shw_dataset_name(&pictures->dataset, index) : pictures->files.paths[index];
}

static void close_pictures(void *user)
{
    struct pictures *pictures = user;

    shw_dataset_close(&pictures->dataset);
    view_paths_free(&pictures->files);
    free(pictures);
}

static void make_reader(struct pictures *pictures, struct view_reader *reader)
{
    uint32_t count = count_of(pictures);

    *reader = (struct view_reader){.user = pictures,
                                   .next = read_next,
                                   .at = read_at,
                                   .name = name_of,
                                   .close = close_pictures,
                                   .tick_seconds = 1.0,
                                   .duration = count,
                                   .frame_rate = 1.0,
                                   .count = count};
}

enum shw_result view_read_files(struct view_paths *paths, const struct shw_log *log, struct view_reader *reader)
{
    struct pictures *pictures = calloc(1, sizeof *pictures);

    if (pictures == NULL) {
        view_paths_free(paths);
        return shw_fail_memory(log, "a list of images");
    }
    pictures->files = *paths;
    pictures->log = *log;
    *paths = (struct view_paths){0};
    make_reader(pictures, reader);
    return SHW_OK;
}

enum shw_result view_read_dataset(const struct shw_dataset_params *params, const struct shw_log *log,
                                  struct view_reader *reader)
{
    struct pictures *pictures = calloc(1, sizeof *pictures);
    enum shw_result result;

    if (pictures == NULL)
        return shw_fail_memory(log, "a data set");
    pictures->log = *log;
    result = shw_dataset_open(params, &pictures->dataset);
    if (result != SHW_OK) {
        free(pictures);
        return result;
    }
    make_reader(pictures, reader);
    reader->classes = pictures->dataset.classes;
    reader->class_count = pictures->dataset.classes != NULL ? pictures->dataset.class_count : 0;
    return SHW_OK;
}
