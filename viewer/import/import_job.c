#include "import/import_job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/file_kind.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"
#include "files/output/classes_file.h"
#include "files/output/label_files.h"

/* Whether a file's name begins with that of a picture, up to a separator; *rest: what comes after that. */
static bool begins_with(const char *name, const char *stem, const char **rest)
{
    size_t length = strlen(stem);
    bool begins = strncmp(name, stem, length) == 0 && strchr("_-. ", name[length]) != NULL;

    *rest = begins && name[length] != '\0' && name[length + 1] != '\0' ? name + length + 1 : NULL;
    return begins;
}

/* The picture of that name or else, if no picture has it, of that stem; NULL: none, or several. */
static const struct view_import_picture *find_named(const struct view_import_job *job, const char *name)
{
    char stem[SHW_BASE_NAME_SIZE];
    const struct view_import_picture *found = NULL, *alike = NULL;
    uint32_t count = 0, alike_count = 0;

    shw_image_base_name(name, stem);
    for (uint32_t p = 0; p < job->picture_count; p++) {
        const struct view_import_picture *picture = &job->pictures[p];
        if (strcmp(shw_path_last(picture->path), name) == 0) {
            found = picture;
            count++;
        } else if (strcmp(picture->stem, stem) == 0) {
            alike = picture;
            alike_count++;
        }
    }
    if (count > 0)
        return count == 1 ? found : NULL;
    return alike_count == 1 ? alike : NULL;
}

/* The picture with the longest name that the file's begins with; NULL: none, or several of that name. */
static const struct view_import_picture *find_longest(const struct view_import_job *job, const char *name)
{
    const struct view_import_picture *best = NULL;
    const char *rest;
    uint32_t count = 0;

    for (uint32_t p = 0; p < job->picture_count; p++) {
        const struct view_import_picture *picture = &job->pictures[p];
        if (!begins_with(name, picture->stem, &rest) || (best != NULL && strlen(picture->stem) < strlen(best->stem)))
            continue;
        count = best != NULL && strlen(picture->stem) == strlen(best->stem) ? count + 1 : 1;
        best = picture;
    }
    return count == 1 ? best : NULL;
}

/* As the mask itself says, unless it was renamed since. */
static const struct view_import_picture *find_picture(const struct view_import_job *job, const char *name,
                                                      const char *said)
{
    char stem[SHW_BASE_NAME_SIZE];
    const char *rest;

    return said != NULL && begins_with(name, shw_image_base_name(said, stem), &rest) ? find_named(job, said)
                                                                                     : find_longest(job, name);
}

static bool is_listed(const struct shw_palette *list, const char *class_name)
{
    for (uint32_t c = 0; c < list->class_count; c++)
        if (strcmp(list->classes[c].name, class_name) == 0)
            return true;
    return false;
}

/* The class that a mask says it is of, or else, if there is such a class in the list beside it, its name. */
static enum shw_result find_class(const struct view_import_job *job, struct view_import_file *file, const char *name,
                                  bool is_ours)
{
    const char *rest;

    file->class_name = is_ours ? shw_png_read_text(file->path, SHW_MASK_CLASS) : NULL;
    file->is_mask = file->class_name != NULL;
    if (file->is_mask || file->picture == NULL || !begins_with(name, file->picture->stem, &rest) || rest == NULL)
        return SHW_OK;
    file->class_name = strdup(rest);
    if (file->class_name == NULL)
        return shw_fail_memory(&job->log, file->path);
    file->is_mask = is_ours && is_listed(&job->list, file->class_name);
    return SHW_OK;
}

static enum shw_result match(struct view_import_job *job, struct view_import_file *file)
{
    char name[SHW_BASE_NAME_SIZE], *said = NULL;
    enum shw_result result;
    bool is_ours = shw_file_mask.is_ours(file->path, shw_file_mask.name);

    shw_image_base_name(file->path, name);
    if (is_ours && job->folder != NULL)
        said = shw_png_read_text(file->path, SHW_MASK_PICTURE);
    file->picture = job->folder != NULL ? find_picture(job, name, said) : &job->pictures[0];
    free(said);
    job->unmatched += file->picture == NULL;
    if (file->picture == NULL)
        return SHW_OK;
    result = find_class(job, file, name, is_ours);
    job->unsure = job->unsure || (is_ours && !file->is_mask);
    return result;
}

/* Finds the pictures of the files, and the classes of masks. On the thread. Errors: ARGUMENT (all are unmatched),
 * MEMORY. */
static enum shw_result view_import_job_match(struct view_import_job *job)
{
    enum shw_result result = SHW_OK;

    for (uint32_t f = 0; f < job->count; f++) {
        struct view_import_file *file = &job->files[f];
        enum shw_result one = match(job, file);
        file->failed = one != SHW_OK || file->picture == NULL;
        result = one != SHW_OK ? one : result;
    }
    return job->unmatched < job->count
               ? result
               : shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "%s: none of its %u images has a name that begins like that of a picture of the project or "
                          "of the open folder",
                          job->folder, job->count);
}

void view_import_job_free(struct view_import_job *job)
{
    if (job->job.kind == NULL)
        return;
    view_job_free(&job->job);
    for (uint32_t f = 0; f < job->count; f++) {
        free(job->files[f].path);
        free(job->files[f].class_name);
    }
    for (uint32_t p = 0; p < job->picture_count; p++) {
        free(job->pictures[p].path);
        free(job->pictures[p].name);
        free(job->pictures[p].stem);
    }
    free(job->files);
    free(job->pictures);
    free(job->folder);
    free(job->numbers);
    shw_label_runs_free(&job->found);
    view_import_values_free(&job->values);
    shw_palette_free(&job->list);
    *job = (struct view_import_job){.count = 0};
}

enum shw_result view_import_job_add(struct view_import_job *job, const char *path)
{
    struct view_import_file *grown = realloc(job->files, (job->count + (size_t)1) * sizeof *grown);
    char *copy = strdup(path);

    job->files = grown != NULL ? grown : job->files;
    if (grown == NULL || copy == NULL) {
        free(copy);
        return shw_fail_memory(&job->log, path);
    }
    grown[job->count++] = (struct view_import_file){.path = copy};
    return SHW_OK;
}

/* Whether there is a list of classes of that name. One in the folder above is left alone unless it or the file is ours.
 */
static bool has_list(const char *path, const char *name, const char *file)
{
    return access(path, F_OK) == 0 && (name[0] != '.' || shw_file_classes.is_ours(path, shw_file_classes.name) ||
                                       shw_file_labels.is_ours(file, shw_file_labels.name));
}

/* Reads the list of classes that lies beside a file, as exports and data sets have one, or in the folder above, as
 * exports of several folders do. If it cannot be read, a message says so, and numbers mean nothing. */
static void find_list(struct view_import_job *job, const char *file)
{
    static const char *const names[] = {SHW_CLASSES_FILE, "palette.json", ("../" SHW_CLASSES_FILE)};
    const char *slash = strrchr(file, '/');
    char *folder = slash != NULL ? strndup(file, (size_t)(slash - file) + 1) : strdup("");
    bool found = false;

    for (size_t i = 0; folder != NULL && i < sizeof names / sizeof *names && !found; i++) {
        char *path = shw_path_in(folder, names[i]);
        found = path != NULL && has_list(path, names[i], file);
        if (found)
            job->unsure = shw_palette_read_numbers(path, &job->log, &job->list) != SHW_OK;
        free(path);
    }
    free(folder);
}

/* The size of a picture that the project does not have yet. */
static enum shw_result measure(struct view_import_job *job, struct view_import_file *file)
{
    struct shw_image_file image;

    file->width = file->picture->width;
    file->height = file->picture->height;
    if (file->width > 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_image_file_read(file->picture->path, NULL, &job->log, &image));
    file->width = image.image.width;
    file->height = image.image.height;
    shw_image_file_free(&image);
    return SHW_OK;
}

static enum shw_result read_file(struct view_import_job *job, struct view_import_file *file,
                                 struct shw_label_file *labels)
{
    SHW_PROPAGATE(measure(job, file));
    SHW_PROPAGATE(shw_label_file_read(file->path, SHW_LABELS_AUTO, &job->log, labels));
    if (labels->width == file->width && labels->height == file->height)
        return SHW_OK;
    shw_fail(&job->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is %u x %u, but the picture %s is %u x %u", file->path,
             labels->width, labels->height, file->picture->path, file->width, file->height);
    shw_label_file_free(labels);
    return SHW_ERROR_FORMAT;
}

/* Whether it is a result of this program that has no labels. */
static bool is_other_result(const char *path)
{
    static const struct shw_file_kind *const kinds[] = {&shw_file_overlay, &shw_file_probabilities,
                                                        &shw_file_probability_pages, &shw_file_instances,
                                                        &shw_file_instance_page};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->is_ours(path, kinds[i]->name))
            return true;
    return false;
}

/* Of a mask whose class is known, the values are not collected. */
static enum shw_result collect(struct view_import_job *job, struct view_import_file *file)
{
    struct shw_label_file labels;
    enum shw_result result;

    if (file->is_mask)
        return measure(job, file);
    file->class_number = SHW_LABEL_VOID;
    if (job->count > 1 && is_other_result(file->path)) {
        file->failed = true;
        job->others++;
        return SHW_OK;
    }
    job->ours = job->ours && shw_file_labels.is_ours(file->path, shw_file_labels.name);
    SHW_PROPAGATE(read_file(job, file, &labels));
    result = view_import_values_add(&job->values, &labels, file->path, &job->log);
    shw_label_file_free(&labels);
    return result;
}

/* Waits until the main thread has taken the labels. False: it wants no more. */
static bool hand_over(struct view_import_job *job, uint32_t number, const struct shw_label_runs *runs)
{
    bool taken;

    view_job_lock(&job->job);
    job->found = *runs;
    job->current = number;
    while (job->found.width > 0 && !view_job_is_stopped(&job->job))
        view_job_sleep(&job->job);
    taken = !view_job_is_stopped(&job->job);
    view_job_unlock(&job->job);
    return taken;
}

static enum shw_result apply_mask(const struct view_import_file *file, const struct shw_label_file *mask,
                                  const struct shw_log *log, uint16_t **labels)
{
    size_t pixels = (size_t)mask->width * mask->height;

    *labels = malloc(pixels * sizeof **labels);
    if (*labels == NULL)
        return shw_fail_memory(log, file->path);
    for (size_t i = 0; i < pixels; i++)
        (*labels)[i] = mask->indices != NULL && mask->indices[i] != 0 ? file->class_number : SHW_LABEL_VOID;
    return SHW_OK;
}

static enum shw_result convert(struct view_import_job *job, uint32_t number)
{
    struct view_import_file *file = &job->files[number];
    struct shw_label_file read;
    struct shw_label_runs runs;
    uint16_t *labels;
    enum shw_result result;

    SHW_PROPAGATE(read_file(job, file, &read));
    result = file->class_number != SHW_LABEL_VOID
                 ? apply_mask(file, &read, &job->log, &labels)
                 : view_import_values_apply(&job->values, &read, job->numbers, file->path, &job->log, &labels);
    shw_label_file_free(&read);
    SHW_PROPAGATE(result);
    result = shw_label_runs_find(labels, file->width, file->height, job->class_count, file->path, &job->log, &runs);
    free(labels);
    if (result == SHW_OK && !hand_over(job, number, &runs))
        result = SHW_ERROR_CANCELLED;
    return result;
}

static enum shw_result work(void *user)
{
    struct view_import_job *job = user;
    enum shw_result result = SHW_OK;

    if (job->numbers == NULL) {
        find_list(job, job->files[0].path);
        result = view_import_job_match(job);
    }
    for (uint32_t f = 0; f < job->count && !view_job_is_stopped(&job->job); f++) {
        struct view_import_file *file = &job->files[f];
        enum shw_result one = SHW_OK;
        if (!file->failed)
            one = job->numbers != NULL ? convert(job, f) : collect(job, file);
        file->failed = file->failed || one != SHW_OK;
        result = one != SHW_OK ? one : result;
    }
    return result;
}

void view_import_job_init(struct view_import_job *job, const struct shw_log *log)
{
    static const struct view_job_kind kind = {"the import", (enum shw_priority)0, work, NULL};

    *job = (struct view_import_job){.log = *log, .ours = true};
    view_job_init(&job->job, &kind, job);
}

enum shw_result view_import_job_begin(struct view_import_job *job)
{
    job->ended = false;
    return view_job_begin(&job->job, &job->log);
}

bool view_import_job_ended(struct view_import_job *job)
{
    enum shw_result result;

    if (!job->ended && view_job_is_done(&job->job) && job->found.width == 0) {
        result = view_job_take(&job->job);
        job->result = result != SHW_OK ? result : job->result;
        job->ended = true;
    }
    return job->ended;
}

bool view_import_job_take(struct view_import_job *job, uint32_t *file, struct shw_label_runs *runs)
{
    view_job_lock(&job->job);
    *runs = job->found;
    job->found = (struct shw_label_runs){0};
    *file = job->current;
    if (runs->width > 0)
        view_job_wake(&job->job);
    view_job_unlock(&job->job);
    return runs->width > 0;
}
