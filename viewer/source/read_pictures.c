/* Pages of image files in lists of pictures. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/log.h"
#include "files/dataset/dataset.h"
#include "files/dataset/image_inputs.h"
#include "files/dataset/own_inputs.h"
#include "files/image/image_file.h"
#include "files/image/resolution.h"
#include "files/io/image_paths.h"
#include "source/reader.h"
#include "source/recent.h"

/* Adds the further pages of files after each: FILE, which is the first, FILE#2, FILE#3, and so on, unless they are
 * named planes of one picture. Files that cannot be read stay as they are. False if memory is exhausted. Reads the
 * files that are TIFF; `stop` (or NULL) ends that. */
bool view_add_pages(struct shw_image_paths *paths, const atomic_bool *stop);

/* Which page of its file an image of the list is, and how many are in the list; both 0 if it is the only one and names
 * no page. */
void view_find_page(const struct shw_image_paths *paths, uint32_t index, uint32_t *page, uint32_t *count);

static bool add_file(struct shw_image_paths *paths, const char *path, uint32_t pages)
{
    bool fine = shw_image_paths_add(paths, "", path);

    for (uint32_t page = 2; page <= pages && fine; page++) {
        char *name = shw_image_page_path(path, page);
        fine = name != NULL && shw_image_paths_add(paths, "", name);
        free(name);
    }
    return fine;
}

/* Whether the pages of a file are planes of one picture: each is one, and the file names them all. */
static bool are_planes(const char *path, uint32_t pages)
{
    struct shw_plane_list planes;
    bool are;

    if (shw_image_planes_list(path, NULL, &planes) != SHW_OK)
        return false;
    are = planes.count == pages;
    for (uint32_t i = 0; i < planes.count; i++)
        are = are && planes.names[i][0] != '\0';
    shw_plane_list_free(&planes);
    return are;
}

bool view_add_pages(struct shw_image_paths *paths, const atomic_bool *stop)
{
    struct shw_image_paths all = {0};
    bool fine = true;

    for (uint32_t i = 0; i < paths->count && fine; i++) {
        uint32_t named, pages = 1;
        (void)shw_image_page_of(paths->paths[i], &named);
        if (named == 0 && (stop == NULL || !atomic_load(stop)))
            (void)shw_image_file_count_pages(paths->paths[i], NULL, &pages); /* reading reports what is wrong */
        if (pages > 1 && are_planes(paths->paths[i], pages))
            pages = 1;
        fine = add_file(&all, paths->paths[i], pages);
    }
    shw_image_paths_free(paths);
    *paths = all;
    return fine;
}

static bool is_page(const char *path, const char *file, size_t length)
{
    uint32_t page;

    return shw_image_page_of(path, &page) == length && memcmp(path, file, length) == 0;
}

void view_find_page(const struct shw_image_paths *paths, uint32_t index, uint32_t *page, uint32_t *count)
{
    const char *path = paths->paths[index];
    size_t length = shw_image_page_of(path, page);
    uint32_t first = index, last = index;

    while (first > 0 && is_page(paths->paths[first - 1], path, length))
        first--;
    while (last + 1 < paths->count && is_page(paths->paths[last + 1], path, length))
        last++;
    *count = first < last || *page > 0 ? last - first + 1 : 0;
    if (*count > 0 && *page == 0)
        *page = 1;
}

#define SAID_MAX 256u

/* Pictures by number: image files and data sets. */
struct pictures {
    struct shw_image_paths files; /* unless `dataset` is used */
    struct shw_dataset dataset;   /* count 0: unused */
    int64_t position;             /* of the next picture */
    bool depth;                   /* of files, only 16-bit grey ones */
    const struct view_other_inputs *others;
    struct view_choice *choice;
    const atomic_bool *stop;
    struct view_recent *recent; /* NULL: none are kept */
    char *gone;                 /* the folder of files that was last found to be gone; NULL: none */
    uint64_t said[SAID_MAX];    /* hashes of warnings of planes, each of which is passed on once */
    uint32_t said_count;
    struct shw_log log;
};

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

/* Notes how the picture was read, and that the following ones are to be read so. */
static void note_choice(const struct pictures *pictures, const struct shw_image_choice *choice,
                        const struct shw_image_facts *facts, struct view_picture *picture)
{
    picture->is_file = true;
    picture->choice = *choice;
    picture->facts = *facts;
    if (!facts->wants_range)
        return;
    picture->choice.range = facts->range;
    view_choice_offer(pictures->choice, &picture->choice);
}

/* What the picture's file is read with: of its own inputs, those that are there, and the previous frame if that is
 * wanted. */
static uint32_t list_inputs(const struct pictures *pictures, const char *path,
                            struct shw_input_file files[SHW_INPUTS_MAX])
{
    const struct view_other_inputs *others = pictures->others;
    const uint32_t count = shw_own_inputs_apply(atomic_load(&others->own), path, others->files, others->count,
                                                others->count + others->beside, files);
    uint32_t left = others->count;

    for (uint32_t i = others->count; i < count; i++) {
        files[i].optional = true;
        if (strcmp(files[i].name, SHW_PREVIOUS) != 0 || atomic_load(&others->previous))
            files[left++] = files[i];
    }
    return left;
}

/* Passes warnings on once: pictures are read again and again. */
static void pass_once(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct pictures *pictures = user;
    const uint64_t hash = XXH3_64bits(text, strlen(text));

    for (uint32_t i = 0; level == SHW_LOG_WARNING && i < pictures->said_count; i++)
        if (pictures->said[i] == hash)
            return;
    if (level == SHW_LOG_WARNING && pictures->said_count < SAID_MAX)
        pictures->said[pictures->said_count++] = hash;
    shw_log_message(&pictures->log, level, item, "%s", text);
}

/* Takes what has been read, as far as it is as large as the picture. */
static void take_planes(struct view_picture *picture, const struct shw_input *read, struct shw_image_file *files,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_image *plane = &files[i].image;

        if (plane->width == picture->image.width && plane->height == picture->image.height) {
            picture->numbers[picture->input_count].own = true;
            picture->inputs[picture->input_count++] = read[i];
        } else {
            shw_image_file_free(&files[i]);
        }
    }
}

/* Adds the wanted planes that the picture's own file has. False: it cannot be had. */
static bool add_planes(struct pictures *pictures, struct view_picture *picture)
{
    const struct view_plane_names *wanted = atomic_load(&pictures->others->planes);
    const struct shw_inputs given = {picture->input_count, picture->inputs};
    const struct shw_image_params params = {.stop = pictures->stop};
    const struct shw_log once = {pass_once, pictures, pictures->log.level};
    const char *file = view_picture_file(picture);
    struct shw_input_file files[SHW_INPUTS_MAX];
    struct shw_image_file read[SHW_INPUTS_MAX];
    struct shw_input inputs[SHW_INPUTS_MAX];
    uint32_t count = 0, read_count = 0;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; file != NULL && wanted != NULL && i < wanted->count; i++)
        if (picture->input_count + count + 1 < SHW_INPUTS_MAX && shw_inputs_find(&given, wanted->names[i]) == NULL)
            files[count++] = (struct shw_input_file){.name = wanted->names[i], .optional = true, .of_image = true};
    if (count > 0)
        result = shw_image_own_planes_read(file, files, count, &params, &once, read, inputs, &read_count);
    take_planes(picture, inputs, read, read_count);
    if (result == SHW_OK && !view_picture_find_numbers(picture, 0))
        result = shw_fail_memory(&pictures->log, picture->name);
    return result == SHW_OK;
}

/* Lists the planes that the picture's file has besides colours. What is wrong has been reported. */
static void list_planes(struct view_picture *picture)
{
    const enum shw_pixel_format format = picture->image.format;

    if (view_picture_file(picture) == NULL ||
        shw_image_more_planes_list(view_picture_file(picture), NULL, &picture->planes) != SHW_OK)
        picture->planes = (struct shw_plane_list){.count = 0};
    if (picture->planes.count == 4 && (format == SHW_PIXEL_RGBA8 || format == SHW_PIXEL_RGBA16))
        shw_plane_list_free(&picture->planes); /* alpha */
}

static struct view_picture *read_file(const struct pictures *pictures, uint32_t index)
{
    const char *path = pictures->files.paths[index];
    struct shw_input_file files[SHW_INPUTS_MAX];
    const uint32_t count = list_inputs(pictures, path, files);
    const struct shw_image_params params = {.choice = view_choice_get(pictures->choice), .stop = pictures->stop};
    struct shw_image_inputs read;
    struct view_picture *picture = NULL;
    enum shw_result result = shw_image_inputs_read(path, files, count, &params, &pictures->log, &read);

    if (result == SHW_OK && pictures->depth && read.input[0].image.format != SHW_PIXEL_GREY16)
        result = shw_fail(&pictures->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s is not a depth image (16-bit grey)",
                          path);
    if (result == SHW_OK)
        picture = make_picture(&pictures->log, path);
    if (picture == NULL) {
        shw_image_inputs_free(&read);
        return NULL;
    }
    picture->image = read.input[0].image;
    picture->input_count = read.all.count - 1;
    memcpy(picture->inputs, read.input + 1, picture->input_count * sizeof *picture->inputs);
    picture->pixel_side = shw_image_pixel_size(path);
    list_planes(picture);
    note_choice(pictures, &params.choice, &read.files[0].facts, picture);
    view_find_page(&pictures->files, index, &picture->page, &picture->page_count);
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
    struct view_picture *picture = make_picture(log, example->name);
    size_t stride = image->stride != 0 ? image->stride : image->width * shw_pixel_size(image->format);
    bool fine = true;

    if (picture == NULL)
        return NULL;
    picture->image = *image;
    picture->image.pixels = copy(image->pixels, stride * image->height);
    if (example->labels != NULL)
        picture->labels = copy(example->labels, (size_t)image->width * image->height * sizeof *example->labels);
    for (uint32_t i = 0; i < example->inputs.count; i++)
        fine = fine && view_picture_add(picture, example->inputs.inputs[i].name, &example->inputs.inputs[i].image);
    if (fine && picture->image.pixels != NULL && (picture->labels != NULL || example->labels == NULL))
        return picture;
    view_picture_free(picture);
    shw_fail_memory(log, example->name);
    return NULL;
}

static struct view_picture *read_example(const struct pictures *pictures, uint32_t place)
{
    const struct shw_dataset *dataset = &pictures->dataset;
    struct shw_labelled_image example = {0};
    struct shw_image_choice wanted = view_choice_get(pictures->choice), used = shw_dataset_get_choice(dataset);
    struct view_picture *picture;

    if (!shw_image_choice_equal(&wanted, &used) && shw_dataset_set_choice(dataset, &wanted) != SHW_OK)
        return NULL;
    used = shw_dataset_get_choice(dataset);
    if (dataset->read(dataset->user, shw_dataset_at(dataset, place), &example) != SHW_OK)
        return NULL;
    picture = copy_example(&example, &pictures->log);
    if (picture != NULL)
        picture->file = shw_dataset_image_path(dataset, shw_dataset_at(dataset, place));
    if (picture != NULL && picture->file != NULL) {
        picture->pixel_side = shw_image_pixel_size(picture->file);
        list_planes(picture);
    }
    view_choice_offer(pictures->choice, &used); /* with the range that the first image has given */
    dataset->release(dataset->user, &example);
    return picture;
}

static struct view_picture *read_recent(const struct pictures *pictures, uint32_t index)
{
    const struct shw_image_choice choice = view_choice_get(pictures->choice);
    struct view_picture *picture = view_recent_find(pictures->recent, index, &choice);

    if (picture != NULL)
        return picture;
    picture = read_file(pictures, index);
    if (picture != NULL)
        view_recent_keep(pictures->recent, index, picture);
    return picture;
}

/* Whether pictures are nothing but their files, so that they can be kept as these. */
static bool are_plain(const struct pictures *pictures)
{
    const struct shw_own_inputs *own = atomic_load(&pictures->others->own);

    const struct view_plane_names *planes = atomic_load(&pictures->others->planes);

    return pictures->others->count + pictures->others->beside == 0 && (own == NULL || own->count == 0) &&
           (planes == NULL || planes->count == 0);
}

static struct view_picture *read_alone(struct pictures *pictures, uint32_t index)
{
    struct view_picture *picture;

    if (pictures->dataset.count == 0 && pictures->recent != NULL && are_plain(pictures))
        return read_recent(pictures, index);
    picture = pictures->dataset.count != 0 ? read_example(pictures, index) : read_file(pictures, index);
    if (picture == NULL || add_planes(pictures, picture))
        return picture;
    view_picture_free(picture);
    return NULL;
}

static const char *name_of(void *user, uint32_t index)
{
    const struct pictures *pictures = user;

    return pictures->dataset.count != 0
               ? shw_dataset_name(&pictures->dataset, shw_dataset_at(&pictures->dataset, index))
               : pictures->files.paths[index];
}

static char *file_of(void *user, uint32_t index)
{
    const struct pictures *pictures = user;

    return pictures->dataset.count != 0
               ? shw_dataset_image_path(&pictures->dataset, shw_dataset_at(&pictures->dataset, index))
               : strdup(pictures->files.paths[index]);
}

/* Goes from a picture to the frame before it. False: there is none. */
static bool go_before(struct pictures *pictures, uint32_t *index)
{
    if (pictures->dataset.count != 0 && shw_dataset_find_before(&pictures->dataset, *index, index))
        return true;
    if (*index == 0 || !pictures->others->frames ||
        !shw_names_same_folder(name_of(pictures, *index), name_of(pictures, *index - 1)))
        return false;
    --*index;
    return true;
}

/* Whether the folder of a file is gone, with all that is in it: that is said once, not of each file. */
static bool is_folder_gone(struct pictures *pictures, uint32_t index)
{
    const char *path = pictures->dataset.count == 0 ? pictures->files.paths[index] : "", *slash = strrchr(path, '/');
    char *folder = slash != NULL && slash > path ? strndup(path, (size_t)(slash - path)) : NULL;
    struct stat status;

    if (folder == NULL || stat(folder, &status) == 0 || errno != ENOENT) {
        free(folder);
        return false;
    }
    if (pictures->gone == NULL || strcmp(pictures->gone, folder) != 0)
        shw_log_message(&pictures->log, SHW_LOG_ERROR, SHW_LOG_FILE_READ, "%s is gone: its pictures cannot be read",
                        folder);
    free(pictures->gone);
    pictures->gone = folder;
    return true;
}

/* With the previous frame, which is the last one that can be read. */
static struct view_picture *read_picture(struct pictures *pictures, uint32_t index)
{
    struct view_picture *picture, *before = NULL;

    if (is_folder_gone(pictures, index))
        return NULL;
    picture = read_alone(pictures, index);
    if (picture == NULL || !atomic_load(&pictures->others->previous) ||
        shw_inputs_find(&(struct shw_inputs){picture->input_count, picture->inputs}, SHW_PREVIOUS) != NULL)
        return picture;
    while (before == NULL && go_before(pictures, &index))
        before = read_alone(pictures, index);
    if (before != NULL && !view_picture_add(picture, SHW_PREVIOUS, &before->image)) {
        shw_fail_memory(&pictures->log, picture->name);
        view_picture_free(picture);
        picture = NULL;
    }
    view_picture_free(before);
    return picture;
}

static bool is_stopped(const struct pictures *pictures)
{
    return pictures->stop != NULL && atomic_load(pictures->stop);
}

/* Reads the first readable picture from `index` on, in steps of `step`. */
static bool read_from(struct pictures *pictures, int64_t index, int step, struct view_reading *reading)
{
    for (; index >= 0 && index < count_of(pictures); index += step) {
        reading->ticks = index;
        reading->picture = read_picture(pictures, (uint32_t)index);
        if (reading->picture != NULL) {
            pictures->position = index + 1;
            return true;
        }
        if (is_stopped(pictures))
            break; /* it is not that it cannot be read */
    }
    return false;
}

static enum shw_result read_next(void *user, struct view_reading *reading)
{
    struct pictures *pictures = user;

    *reading = (struct view_reading){0};
    if (!read_from(pictures, pictures->position, 1, reading) && !is_stopped(pictures))
        pictures->position = count_of(pictures);
    return SHW_OK;
}

static enum shw_result read_at(void *user, int64_t ticks, bool back, struct view_reading *reading)
{
    struct pictures *pictures = user;
    int64_t last = (int64_t)count_of(pictures) - 1, index = ticks < 0 ? 0 : ticks > last ? last : ticks;

    *reading = (struct view_reading){0};
    pictures->position = index;
    if (!read_from(pictures, index, back ? -1 : 1, reading) && !is_stopped(pictures))
        read_from(pictures, back ? index + 1 : index - 1, back ? 1 : -1, reading);
    return SHW_OK;
}

static struct view_picture *read_one(void *user, uint32_t index)
{
    return read_picture(user, index);
}

/* Reads a picture in advance, which is then among the recent ones. */
static void warm(void *user, int64_t ticks)
{
    struct pictures *pictures = user;
    const struct shw_log log = pictures->log;

    pictures->log = (struct shw_log){0}; /* what is wrong is reported when somebody wants the picture */
    if (ticks >= 0 && ticks < count_of(pictures))
        view_picture_free(read_alone(pictures, (uint32_t)ticks));
    pictures->log = log;
}

static enum shw_result list_files(void *user, void (*visit)(void *to, const char *path), void *to)
{
    const struct pictures *pictures = user;

    if (pictures->dataset.count != 0)
        return shw_dataset_list_files(&pictures->dataset, visit, to);
    for (uint32_t i = 0; i < pictures->files.count; i++) {
        struct shw_input_file files[SHW_INPUTS_MAX];
        const uint32_t count = list_inputs(pictures, pictures->files.paths[i], files);

        SHW_PROPAGATE(shw_image_inputs_list(pictures->files.paths[i], files, count, visit, to, &pictures->log));
    }
    return SHW_OK;
}

static void close_pictures(void *user)
{
    struct pictures *pictures = user;

    if (pictures->recent != NULL)
        view_recent_free(pictures->recent);
    free(pictures->recent);
    free(pictures->gone);
    shw_dataset_close(&pictures->dataset);
    shw_image_paths_free(&pictures->files);
    free(pictures);
}

static void make_reader(struct pictures *pictures, struct view_reader *reader)
{
    uint32_t count = count_of(pictures);

    *reader = (struct view_reader){.user = pictures,
                                   .next = read_next,
                                   .at = read_at,
                                   .one = read_one,
                                   .warm = pictures->recent != NULL ? warm : NULL,
                                   .name = name_of,
                                   .file = file_of,
                                   .list_files = list_files,
                                   .close = close_pictures,
                                   .tick_seconds = 1.0,
                                   .duration = count,
                                   .frame_rate = 1.0,
                                   .count = count};
}

static struct pictures *make_pictures(const struct view_files_params *params)
{
    struct pictures *pictures = calloc(1, sizeof *pictures);

    if (pictures != NULL) {
        pictures->others = params->others;
        pictures->choice = params->choice;
        pictures->stop = params->stop;
        pictures->depth = params->depth;
        pictures->log = *params->log;
    }
    return pictures;
}

/* Whether a folder has colours is decided by its first picture, not by each. */
static bool begins_with_depth(struct pictures *pictures)
{
    struct view_picture *picture = read_alone(pictures, 0);

    view_picture_free(picture);
    return picture != NULL;
}

enum shw_result view_read_files(struct shw_image_paths *paths, const struct view_files_params *params,
                                struct view_reader *reader)
{
    struct pictures *pictures = make_pictures(params);

    if (pictures == NULL || (params->pages && !view_add_pages(paths, params->stop))) {
        free(pictures);
        shw_image_paths_free(paths);
        return shw_fail_memory(params->log, "a list of images");
    }
    if (params->recent)
        pictures->recent = calloc(1, sizeof *pictures->recent); /* without memory, nothing is kept */
    if (pictures->recent != NULL)
        pictures->recent->limit = VIEW_RECENT_BYTES;
    pictures->files = *paths;
    *paths = (struct shw_image_paths){0};
    if (pictures->depth && !begins_with_depth(pictures)) {
        close_pictures(pictures);
        return SHW_ERROR_FORMAT;
    }
    make_reader(pictures, reader);
    return SHW_OK;
}

enum shw_result view_read_dataset(const struct shw_dataset_params *dataset, const struct view_files_params *params,
                                  struct view_reader *reader)
{
    struct pictures *pictures = make_pictures(params);
    struct shw_dataset_params chosen = *dataset;
    enum shw_result result;

    if (pictures == NULL)
        return shw_fail_memory(params->log, "a data set");
    chosen.choice = view_choice_get(params->choice);
    result = shw_dataset_open(&chosen, &pictures->dataset);
    if (result != SHW_OK) {
        free(pictures);
        return result;
    }
    make_reader(pictures, reader);
    reader->classes = pictures->dataset.classes;
    reader->class_count = pictures->dataset.classes != NULL ? pictures->dataset.class_count : 0;
    return SHW_OK;
}
