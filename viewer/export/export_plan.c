/* Before the first file is written: which pictures are exported, where their files go, and whether all can be written.
 */
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/log.h"
#include "export/export_journal.h"
#include "files/dataset/examples.h"
#include "files/io/file_kind.h"
#include "files/io/image_paths.h"
#include "teach/project_file.h"

/* The names of those that are picked, as they are or would be in the project, so that none is picked twice. */
struct picked {
    struct view_export_job *job;
    void *names; /* tree of copies */
};

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Forgets the names of a tree, and frees them if they are its own. */
static void empty(void **tree, bool owned)
{
    while (*tree != NULL) {
        char *name = *(char **)*tree;
        tdelete(name, tree, compare);
        if (owned)
            free(name);
    }
}

/* Whether the name is new. */
static enum shw_result note(struct picked *picked, const char *given, bool *is_new)
{
    char *name = view_project_picture_name(&picked->job->project, given);
    char *const *found = name != NULL ? tsearch(name, &picked->names, compare) : NULL;

    *is_new = found != NULL && *found == name;
    if (found == NULL || *found != name)
        free(name);
    return found != NULL ? SHW_OK : shw_fail_memory(&picked->job->log, given);
}

/* Whether there is anything to write for an item. */
static bool is_wanted(const struct view_export_job *job, const struct view_export_item *item)
{
    return (job->content & VIEW_EXPORT_OF_EACH) != 0 ||
           ((job->content & VIEW_EXPORT_STROKES) != 0 && item->painted != UINT32_MAX) ||
           ((job->content & VIEW_EXPORT_VIDEOS) != 0 && item->kind == VIEW_ITEM_VIDEO);
}

/* Adds an item of that name, under which, or under `known`, the project may have it; the rest is as in `item`. */
static enum shw_result add_item(struct view_export_job *job, const char *name, const char *known,
                                struct view_export_item item)
{
    item.painted = job->project.data != NULL ? view_project_seek(&job->project, known) : UINT32_MAX;
    if (!is_wanted(job, &item))
        return SHW_OK;
    item.name = strdup(name);
    if (item.name == NULL || !SHW_RESERVE(job->items, job->item_capacity, job->item_count + (size_t)1)) {
        free(item.name);
        return shw_fail_memory(&job->log, name);
    }
    if (item.pixels != NULL)
        shw_pixels_share(item.pixels);
    job->items[job->item_count++] = item;
    return SHW_OK;
}

/* Makes a source with nothing in it; NULL: memory is exhausted. */
static struct view_export_source *add_source(struct view_export_job *job)
{
    struct view_export_source *grown = realloc(job->sources, (job->source_count + (size_t)1) * sizeof *grown);

    if (grown == NULL)
        return NULL;
    job->sources = grown;
    grown[job->source_count] = (struct view_export_source){.reader.close = NULL};
    return &grown[job->source_count++];
}

/* Whether the file of a picture is the result of an export. */
static bool is_result(const char *path)
{
    uint32_t page;
    char *file = shw_image_file_of(path, &page);
    bool is = file != NULL && shw_is_result(file);

    free(file);
    return is;
}

/* The pictures of the last source, except results among them. */
static enum shw_result add_pictures(struct picked *picked, bool leave_out_results)
{
    struct view_export_job *job = picked->job;
    uint32_t number = job->source_count - 1;
    const struct view_reader *reader = &job->sources[number].reader;

    for (uint32_t i = 0; i < reader->count && !view_job_is_stopped(&job->job); i++) {
        const char *name = reader->name(reader->user, i);
        bool is_new;
        SHW_PROPAGATE(note(picked, name, &is_new));
        if (is_new && !(leave_out_results && is_result(name)))
            SHW_PROPAGATE(add_item(job, name, name,
                                   (struct view_export_item){.kind = VIEW_ITEM_FILE, .source = number, .index = i}));
    }
    return SHW_OK;
}

static struct view_files_params files_params(struct view_export_job *job, const struct view_other_inputs *others)
{
    return (struct view_files_params){
        .others = others, .choice = &job->choice, .stop = &job->job.stop, .log = &job->log};
}

static enum shw_result open_files(struct view_export_job *job, struct view_export_source *source,
                                  const struct view_other_inputs *others)
{
    struct view_files_params params = files_params(job, others);

    params.pages = source->spec.pages;
    for (uint32_t i = 0; i < source->spec.paths.count; i++) {
        uint32_t page;
        char *file = shw_image_file_of(source->spec.paths.paths[i], &page);
        job->files.incomplete = job->files.incomplete || file == NULL;
        shw_output_files_read(&job->files, file);
        free(file);
    }
    return view_read_files(&source->spec.paths, &params, &source->reader);
}

static enum shw_result open_dataset(struct view_export_job *job, struct view_export_source *source)
{
    const struct view_files_params files = files_params(job, &job->others);
    struct shw_dataset_params *params = &source->spec.dataset;

    params->log = job->log;
    if (job->others.count > 0) {
        params->inputs = job->others.files;
        params->input_count = job->others.count;
    }
    SHW_PROPAGATE(view_read_dataset(params, &files, &source->reader));
    return source->reader.list_files(source->reader.user, view_outputs_read, &job->files);
}

static enum shw_result list_video(struct picked *picked, const char *name)
{
    struct view_export_job *job = picked->job;
    bool is_new;

    SHW_PROPAGATE(note(picked, name, &is_new));
    if (shw_is_file(name))
        shw_output_files_read(&job->files, name);
    return is_new ? add_item(job, name, name,
                             (struct view_export_item){.kind = VIEW_ITEM_VIDEO, .source = job->source_count - 1})
                  : SHW_OK;
}

/* A file with all its pages, a folder, a data set, a project or a video. */
static enum shw_result add_spec(struct picked *picked, const char *text)
{
    struct view_export_job *job = picked->job;
    struct view_export_source *source = add_source(job);

    if (source == NULL)
        return shw_fail_memory(&job->log, text);
    SHW_PROPAGATE(view_spec_find(text, &job->log, &source->spec));
    switch (source->spec.kind) {
    case VIEW_SOURCE_IMAGE:
    case VIEW_SOURCE_FOLDER:
        SHW_PROPAGATE(open_files(job, source, &job->others));
        return add_pictures(picked, source->spec.kind == VIEW_SOURCE_FOLDER);
    case VIEW_SOURCE_DATASET: SHW_PROPAGATE(open_dataset(job, source)); return add_pictures(picked, false);
    case VIEW_SOURCE_VIDEO: return list_video(picked, source->spec.name);
    case VIEW_SOURCE_CAMERA: break;
    }
    return shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s is a camera: only the picture that is shown can be exported", text);
}

/* A picture of the project by its path or, if it is not a file, its name there. */
static enum shw_result add_example(struct picked *picked, const char *name, struct view_export_item item)
{
    bool is_new;

    SHW_PROPAGATE(note(picked, name, &is_new));
    return is_new ? add_item(picked->job, name, name, item) : SHW_OK;
}

/* Those in memory, and the files of the others as one source. */
static enum shw_result add_examples(struct picked *picked)
{
    struct view_export_job *job = picked->job;
    struct view_export_source *source = add_source(job);
    const uint32_t number = job->source_count - 1;

    if (source == NULL)
        return shw_fail_memory(&job->log, "a list of pictures");
    for (uint32_t e = 0; e < job->example_count; e++) {
        const struct view_export_example *example = &job->examples[e];
        struct view_export_item item = {.kind = VIEW_ITEM_PIXELS, .pixels = example->pixels};
        char *file = shw_path_in(job->project.folder != NULL ? job->project.folder : "", example->name);
        enum shw_result result = file != NULL ? SHW_OK : shw_fail_memory(&job->log, example->name);
        if (result == SHW_OK && example->pixels == NULL) {
            item =
                (struct view_export_item){.kind = VIEW_ITEM_FILE, .source = number, .index = source->spec.paths.count};
            if (!shw_image_paths_add(&source->spec.paths, "", file))
                result = shw_fail_memory(&job->log, file);
        }
        if (result == SHW_OK)
            result = add_example(picked, shw_image_has_file(file) ? file : example->name, item);
        free(file);
        SHW_PROPAGATE(result);
    }
    return open_files(job, &job->sources[number], &job->unordered);
}

/* Its file, if it is one, is among those that are read, although it is in memory. */
static void read_shown(struct view_export_job *job)
{
    uint32_t page;
    char *file = shw_image_has_file(job->shown->name) ? shw_image_file_of(job->shown->name, &page) : NULL;

    if (file != NULL)
        shw_output_files_read(&job->files, file);
    free(file);
}

static enum shw_result add_shown(struct picked *picked)
{
    struct view_export_job *job = picked->job;
    bool is_new;

    if (job->shown == NULL)
        return SHW_OK;
    read_shown(job);
    SHW_PROPAGATE(note(picked, job->shown_known, &is_new));
    return is_new
               ? add_item(job, job->shown->name, job->shown_known, (struct view_export_item){.kind = VIEW_ITEM_SHOWN})
               : SHW_OK;
}

static enum shw_result pick(struct picked *picked)
{
    struct view_export_job *job = picked->job;
    const struct shw_image_paths *list = &job->settings.list;
    enum view_export_pictures pictures = job->settings.pictures;

    if (pictures == VIEW_EXPORT_ALL || pictures == VIEW_EXPORT_PROJECT)
        SHW_PROPAGATE(add_examples(picked));
    if (job->source != NULL && (pictures == VIEW_EXPORT_SOURCE || (pictures == VIEW_EXPORT_ALL && job->whole)))
        SHW_PROPAGATE(add_spec(picked, job->source));
    else if (pictures == VIEW_EXPORT_SHOWN || pictures == VIEW_EXPORT_SOURCE || pictures == VIEW_EXPORT_ALL)
        SHW_PROPAGATE(add_shown(picked));
    for (uint32_t i = 0; pictures == VIEW_EXPORT_LIST && i < list->count; i++)
        SHW_PROPAGATE(add_spec(picked, list->paths[i]));
    return SHW_OK;
}

static enum shw_result export_find_items(struct view_export_job *job)
{
    struct picked picked = {.job = job};
    enum shw_result result = pick(&picked);

    empty(&picked.names, true);
    return result;
}

/* The real path of a file's folder, with a slash at its end; NULL if there is none. To be freed. */
static char *folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *folder, *real, *whole;

    if (!shw_image_has_file(name))
        return NULL;
    folder = slash != NULL ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
    real = folder != NULL ? realpath(folder, NULL) : NULL;
    whole = real != NULL ? shw_path_join(real, strcmp(real, "/") == 0 ? "" : "/", "") : NULL;
    free(folder);
    free(real);
    return whole;
}

/* How much of both is the same, up to a slash. */
static size_t shared_length(const char *a, const char *b, size_t length)
{
    size_t shared = 0;

    for (size_t i = 0; i < length && a[i] == b[i] && a[i] != '\0'; i++)
        if (a[i] == '/')
            shared = i + 1;
    return shared;
}

/* The name of the files for a picture, without folder: that of its file without extension, or the whole name of a
 * frame. */
static const char *stem_of(const char *name, char stem[SHW_BASE_NAME_SIZE])
{
    return shw_image_has_file(name) ? shw_image_base_name(name, stem) : shw_path_last(name);
}

/* What is taken: the places of pictures and, of those that have masks, whose names end with any class, all files. */
struct taken {
    void *places, *files; /* trees; the latter of copies */
    bool masks;
};

/* Whether another picture has the place or one of its files. */
static enum shw_result is_taken(const struct view_export_job *job, const char *place, struct taken *taken, bool *is)
{
    *is = tfind(place, &taken->places, compare) != NULL;
    for (uint32_t e = 0; taken->masks && e < job->each.labels.count && !*is; e++) {
        char *path = shw_label_file_path(&job->each.labels.entries[e], place);
        if (path == NULL)
            return shw_fail_memory(&job->log, place);
        *is = tfind(path, &taken->files, compare) != NULL;
        free(path);
    }
    return SHW_OK;
}

static enum shw_result take(const struct view_export_job *job, const char *place, struct taken *taken)
{
    bool fine = tsearch(place, &taken->places, compare) != NULL;

    for (uint32_t e = 0; taken->masks && e < job->each.labels.count && fine; e++) {
        char *path = shw_label_file_path(&job->each.labels.entries[e], place), *const * found;
        found = path != NULL ? tsearch(path, &taken->files, compare) : NULL;
        fine = found != NULL;
        if (!fine || *found != path)
            free(path);
    }
    return fine ? SHW_OK : shw_fail_memory(&job->log, place);
}

/* A place that no other picture has, nor files of it: with a number from 2 on if necessary. */
static enum shw_result make_place(const struct view_export_job *job, struct view_export_item *item, const char *folder,
                                  struct taken *taken)
{
    char buffer[SHW_BASE_NAME_SIZE];
    const char *stem = stem_of(item->name, buffer);
    size_t size = strlen(job->path) + strlen(folder) + strlen(stem) + 32;
    bool is = true;

    item->place = malloc(size);
    if (item->place == NULL)
        return shw_fail_memory(&job->log, item->name);
    snprintf(item->place, size, "%s/%s%s", job->path, folder, stem);
    SHW_PROPAGATE(is_taken(job, item->place, taken, &is));
    for (unsigned number = 2; is; number++) {
        snprintf(item->place, size, "%s/%s%s-%u", job->path, folder, stem, number);
        SHW_PROPAGATE(is_taken(job, item->place, taken, &is));
    }
    return take(job, item->place, taken);
}

/* The beginning that all folders have in common. */
static size_t find_common(char *const *folders, uint32_t count)
{
    const char *first = NULL;
    size_t common = 0;

    for (uint32_t i = 0; i < count; i++)
        if (folders[i] != NULL) {
            common = first != NULL ? shared_length(first, folders[i], common) : strlen(folders[i]);
            first = first != NULL ? first : folders[i];
        }
    return common;
}

/* Files go into the folder itself or, if the pictures come from several folders, into folders of the same names in it.
 */
static enum shw_result export_place_items(struct view_export_job *job)
{
    char **folders = calloc(job->item_count + (size_t)1, sizeof *folders);
    enum shw_result result = folders != NULL ? SHW_OK : shw_fail_memory(&job->log, "the names of files");
    struct taken taken = {.masks = (job->content & VIEW_EXPORT_MASKS) != 0};
    size_t common;

    for (uint32_t i = 0; folders != NULL && i < job->item_count; i++)
        folders[i] = folder_of(job->items[i].name);
    common = folders != NULL ? find_common(folders, job->item_count) : 0;
    for (uint32_t i = 0; result == SHW_OK && i < job->item_count; i++)
        result = make_place(job, &job->items[i], folders[i] != NULL ? folders[i] + common : "", &taken);
    for (uint32_t i = 0; folders != NULL && i < job->item_count; i++)
        free(folders[i]);
    free(folders);
    empty(&taken.places, false);
    empty(&taken.files, true);
    return result;
}

char *view_export_frame_place(const struct view_export_item *item, uint32_t number)
{
    size_t size = strlen(item->place) + 16;
    char *place = malloc(size);

    if (place != NULL)
        snprintf(place, size, "%s-%06u", item->place, number);
    return place;
}

#define OPACITY    60u     /* percent, as of `shadewood label` */
#define FRAMES_MAX 1000000 /* of a video that are checked beforehand */

static bool is_there(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

/* Counts a file, and adds it to those that are checked, unless it is there and is kept. What we wrote ourselves may be
 * replaced even if it has no mark. */
static void add_file(struct view_export_job *job, const struct view_export_file *file, const struct shw_file_kind *kind)
{
    const bool existing = is_there(file->path);
    const bool table = file->path == job->table_path;
    const bool outdated = existing && view_export_knows(job, file) == SHW_RESULT_OTHER;
    const bool ours = outdated || (existing && table && view_export_knows(job, file) == SHW_RESULT_SAME);

    view_job_lock(&job->job);
    job->progress.files++;
    job->progress.existing += existing;
    job->progress.outdated += outdated && !(table && view_export_table_is_part(job));
    view_job_unlock(&job->job);
    if (job->look || (table ? view_export_keeps_table(job) : view_export_keeps(job, file)))
        return;
    if (ours && job->settings.existing == VIEW_EXPORT_MISSING)
        shw_output_files_replace(&job->files, file->path, kind);
    else
        shw_output_files_write(&job->files, file->path, kind);
}

enum shw_result view_export_make_files(const struct view_export_job *job, const char *place, bool painted,
                                       struct shw_picture_files *files)
{
    const struct shw_label_files *labels = &job->each.labels;

    SHW_PROPAGATE(shw_picture_files_make(&job->each, place, &job->log, files));
    for (uint32_t e = 0; e < labels->count; e++)
        if (shw_label_outputs[labels->entries[e].output]->needs == 0 && !painted) {
            free(files->labels[e]);
            files->labels[e] = NULL;
        }
    return SHW_OK;
}

/* The files of a picture, being added. */
struct adding {
    struct view_export_job *job;
    const struct shw_picture_files *files;
    uint32_t painted;
};

/* Whether a file that comes from the labels of the picture is not there, or not kept. */
static bool is_renewed(const struct adding *adding, const struct view_export_file *file)
{
    char *const *objects = adding->files->objects.paths;
    const bool numbers =
        file->path == objects[SHW_OBJECT_INSTANCES] || file->path == objects[SHW_OBJECT_MANY_INSTANCES];

    if (numbers) /* one of the two images is enough */
        return !view_export_keeps(adding->job,
                                  &(struct view_export_file){objects[SHW_OBJECT_INSTANCES], file->from, UINT32_MAX}) &&
               !view_export_keeps(
                   adding->job, &(struct view_export_file){objects[SHW_OBJECT_MANY_INSTANCES], file->from, UINT32_MAX});
    return file->from != VIEW_FROM_STROKES && !view_export_keeps(adding->job, file);
}

/* One of the two images of objects' numbers will be written: the second is only checked. */
static enum shw_result add_picture_file(void *user, const char *path, const struct shw_file_kind *kind)
{
    const struct adding *adding = user;
    struct view_export_job *job = adding->job;
    const struct view_export_file file = {path, view_export_from(job, adding->files, path), adding->painted};

    job->renews = job->renews || is_renewed(adding, &file);
    if (kind != shw_object_files[SHW_OBJECT_MANY_INSTANCES].kind)
        add_file(job, &file, kind);
    else if (!job->look && job->settings.existing != VIEW_EXPORT_MISSING)
        shw_output_files_write(&job->files, path, kind);
    return SHW_OK;
}

static enum shw_result add_files(struct view_export_job *job, const char *place, uint32_t painted)
{
    struct shw_picture_files files;
    struct adding adding = {job, &files, painted};
    enum shw_result result = view_export_make_files(job, place, painted != UINT32_MAX, &files);

    if (result == SHW_OK)
        result = shw_picture_files_visit(&job->each, &files, add_picture_file, &adding);
    shw_picture_files_free(&job->each, &files);
    return result;
}

enum shw_result view_export_open_video(struct view_export_job *job, struct view_export_source *source)
{
    const struct view_stream_params stream = {.url = source->spec.url,
                                              .name = source->spec.name,
                                              .depth = source->spec.depth,
                                              .stop = &job->job.stop,
                                              .others = &job->others,
                                              .log = &job->log};

    return view_read_video(&stream, &source->reader);
}

/* As many frames as its length promises; further ones are checked when their turn comes. */
static enum shw_result add_video(struct view_export_job *job, const struct view_export_item *item)
{
    struct view_export_source *source = &job->sources[item->source];
    enum shw_result result = SHW_OK;
    double frames;

    SHW_PROPAGATE(view_export_open_video(job, source));
    if ((job->content & VIEW_EXPORT_VIDEOS) != 0) {
        char *film = view_export_film_path(item);
        if (film != NULL)
            add_file(job, &(struct view_export_file){film, VIEW_FROM_FOREST, UINT32_MAX}, &shw_file_video);
        result = film != NULL ? SHW_OK : shw_fail_memory(&job->log, item->name);
        free(film);
    }
    frames = round(source->reader.duration * source->reader.frame_rate);
    source->reader.close(source->reader.user);
    source->reader.close = NULL;
    for (uint32_t f = 1; result == SHW_OK && f <= fmin(frames, FRAMES_MAX); f++) {
        char *place = view_export_frame_place(item, f);
        result = place != NULL ? add_files(job, place, UINT32_MAX) : shw_fail_memory(&job->log, item->name);
        free(place);
    }
    return result;
}

/* A file beside those of the pictures. */
static void add_beside(struct view_export_job *job, const char *path, enum view_export_from from,
                       const struct shw_file_kind *kind)
{
    if (path != NULL)
        add_file(job, &(struct view_export_file){path, from, UINT32_MAX}, kind);
}

static enum shw_result add_all(struct view_export_job *job)
{
    add_beside(job, job->forest_path, VIEW_FROM_FOREST, &shw_file_forest);
    add_beside(job, job->classes_path, VIEW_FROM_CLASSES, &shw_file_classes);
    for (uint32_t i = 0; i < job->item_count && !view_job_is_stopped(&job->job); i++) {
        const struct view_export_item *item = &job->items[i];
        SHW_PROPAGATE(item->kind == VIEW_ITEM_VIDEO ? add_video(job, item)
                                                    : add_files(job, item->place, item->painted));
    }
    add_beside(job, job->table_path, VIEW_FROM_PICTURES, &shw_file_table); /* which depends on what is written */
    return SHW_OK;
}

/* What is written for each picture. */
static enum shw_result choose_files(struct view_export_job *job)
{
    const struct shw_forest_info *info = job->forest != NULL ? shw_forest_get_info(job->forest->forest) : NULL;
    struct shw_label_files_params params = {.opacity = OPACITY,
                                            .scale_bar = job->scale_bar,
                                            .stroke_classes = job->classes,
                                            .stroke_class_count = job->class_count};

    for (uint32_t o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        params.forms[o] = job->content >> o & 1u;
    if ((job->content & VIEW_EXPORT_PROBABILITIES) != 0)
        params.forms[SHW_LABEL_OUTPUT_PROBABILITIES] = job->settings.probabilities;
    if (info != NULL) {
        params.classes = info->classes;
        params.class_count = info->class_count;
        params.tree_count = info->tree_count;
    }
    return shw_label_files_make(&params, &job->log, &job->each.labels);
}

/* The forest's file in the folder is called like the project. */
static enum shw_result choose_forest_path(struct view_export_job *job)
{
    char name[SHW_BASE_NAME_SIZE];

    shw_image_base_name(job->project.path != NULL ? job->project.path : "forest", name);
    if (job->content == VIEW_EXPORT_FOREST) {
        job->forest_path = strdup(job->path);
    } else if ((job->content & VIEW_EXPORT_FOREST) != 0) {
        size_t size = strlen(job->path) + strlen(name) + 8;
        job->forest_path = malloc(size);
        if (job->forest_path != NULL)
            snprintf(job->forest_path, size, "%s/%s.ktx2", job->path, name);
    }
    return job->forest_path != NULL || (job->content & VIEW_EXPORT_FOREST) == 0 ? SHW_OK
                                                                                : shw_fail_memory(&job->log, name);
}

/* Makes a folder unless it is there. */
static enum shw_result make_folder(struct view_export_job *job, const char *path)
{
    struct stat status;
    int error = mkdir(path, 0777) == 0 ? 0 : errno;

    if (error == 0)
        return shw_image_paths_add(&job->folders, "", path) ? SHW_OK : shw_fail_memory(&job->log, path);
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return SHW_OK;
    return error == EEXIST ? shw_fail(&job->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                                      "cannot make the folder %s: there is a file of that name", path)
                           : shw_fail(&job->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot make the folder %s: %s",
                                      path, strerror(error));
}

/* Makes the folders of a file; those before `last` are known to be there. */
static enum shw_result make_folders(struct view_export_job *job, const char *file, char **last)
{
    const char *slash = strrchr(file, '/');
    char *folder;
    enum shw_result result = SHW_OK;

    if (slash == NULL || slash == file ||
        (*last != NULL && strlen(*last) == (size_t)(slash - file) && strncmp(*last, file, strlen(*last)) == 0))
        return SHW_OK;
    folder = strndup(file, (size_t)(slash - file));
    if (folder == NULL)
        return shw_fail_memory(&job->log, file);
    for (char *end = folder + (shw_path_after_share(folder) - folder); result == SHW_OK && end != NULL;) {
        end = strchr(end + strspn(end, "/"), '/');
        if (end != NULL)
            *end = '\0';
        result = make_folder(job, folder);
        if (end != NULL)
            *end = '/';
    }
    free(*last);
    *last = folder;
    return result;
}

static enum shw_result make_all_folders(struct view_export_job *job)
{
    char *last = NULL;
    enum shw_result result = SHW_OK;

    if (job->classes_path != NULL)
        result = make_folders(job, job->classes_path, &last);
    for (uint32_t i = 0; result == SHW_OK && i < job->item_count; i++)
        result = make_folders(job, job->items[i].place, &last);
    free(last);
    return result;
}

/* Removes those that were made, from the inside, as far as they are empty. */
static void remove_folders(struct view_export_job *job)
{
    for (uint32_t f = job->folders.count; f-- > 0;)
        rmdir(job->folders.paths[f]);
}

static enum shw_result find_pictures(struct view_export_job *job)
{
    if (job->content == VIEW_EXPORT_FOREST)
        return SHW_OK;
    SHW_PROPAGATE(export_find_items(job));
    if (view_job_is_stopped(&job->job))
        return SHW_ERROR_CANCELLED;
    if (job->item_count == 0)
        return shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is nothing to export: %s",
                        (job->content & VIEW_EXPORT_OF_EACH) != 0   ? "there are no pictures"
                        : (job->content & VIEW_EXPORT_STROKES) != 0 ? "nothing is painted on these pictures"
                                                                    : "there are no videos");
    job->classes_path = shw_path_join(job->path, "/", SHW_CLASSES_FILE);
    if (job->each.objects.wanted)
        job->table_path = shw_path_join(job->path, "/", SHW_OBJECTS_TABLE);
    return job->classes_path != NULL && (job->table_path != NULL || !job->each.objects.wanted)
               ? export_place_items(job)
               : shw_fail_memory(&job->log, job->path);
}

struct shw_classes_file view_export_classes(const struct view_export_job *job)
{
    const struct shw_forest *forest = job->forest != NULL ? job->forest->forest : NULL;
    const bool painted = (job->content & VIEW_EXPORT_STROKES) != 0;
    const struct shw_forest_info *info = forest != NULL ? shw_forest_get_info(forest) : NULL;
    const char *slash = job->project.path != NULL ? strrchr(job->project.path, '/') : NULL;

    return (struct shw_classes_file){.classes = painted ? job->classes : info->classes,
                                     .count = painted ? job->class_count : info->class_count,
                                     .forest = forest,
                                     .project = slash != NULL ? slash + 1 : job->project.path};
}

/* A list that is kept must be that of the new files, too. */
static enum shw_result check_kept_classes(const struct view_export_job *job)
{
    struct shw_classes_file classes;

    if (job->classes_path == NULL || job->settings.existing != VIEW_EXPORT_MISSING)
        return SHW_OK;
    classes = view_export_classes(job);
    return !shw_classes_file_differs(job->classes_path, &classes)
               ? SHW_OK
               : shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_PALETTE,
                          "the labels beside %s have other classes: export to another folder, or replace all files "
                          "there",
                          job->classes_path);
}

enum shw_result view_export_plan(struct view_export_job *job)
{
    enum shw_result result;

    SHW_PROPAGATE(choose_files(job));
    SHW_PROPAGATE(choose_forest_path(job));
    SHW_PROPAGATE(find_pictures(job));
    SHW_PROPAGATE(check_kept_classes(job));
    if (job->classes_path != NULL)
        SHW_PROPAGATE(view_export_journal_read(job));
    if (!job->look)
        SHW_TRY(make_all_folders(job));
    SHW_TRY(add_all(job));
    if (!job->look)
        SHW_TRY(shw_output_files_check(&job->files));
    return view_job_is_stopped(&job->job) ? SHW_ERROR_CANCELLED : SHW_OK;

fail:
    remove_folders(job);
    return result;
}
