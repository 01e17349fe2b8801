/* Which pictures are exported. */
#define _GNU_SOURCE /* tdestroy() */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "export/export_job.h"
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

static enum shw_result add_video(struct picked *picked, const char *name)
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

/* A file, with all its pages or alone, a folder, a data set, a project or a video. */
static enum shw_result add_spec(struct picked *picked, const char *text, bool pages)
{
    struct view_export_job *job = picked->job;
    struct view_export_source *source = add_source(job);

    if (source == NULL)
        return shw_fail_memory(&job->log, text);
    SHW_PROPAGATE(view_spec_find(text, &job->log, &source->spec));
    source->spec.pages = source->spec.pages && pages;
    switch (source->spec.kind) {
    case VIEW_SOURCE_IMAGE:
    case VIEW_SOURCE_FOLDER:
        SHW_PROPAGATE(open_files(job, source, &job->others));
        return add_pictures(picked, source->spec.kind == VIEW_SOURCE_FOLDER);
    case VIEW_SOURCE_DATASET: SHW_PROPAGATE(open_dataset(job, source)); return add_pictures(picked, false);
    case VIEW_SOURCE_VIDEO: return add_video(picked, source->spec.name);
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

static enum shw_result add_shown(struct picked *picked)
{
    struct view_export_job *job = picked->job;
    bool is_new;

    if (job->shown == NULL)
        return SHW_OK;
    if (job->shown_pixels == NULL)
        return add_spec(picked, job->shown, false);
    SHW_PROPAGATE(note(picked, job->shown_known, &is_new));
    return is_new ? add_item(job, job->shown, job->shown_known,
                             (struct view_export_item){.kind = VIEW_ITEM_PIXELS, .pixels = job->shown_pixels})
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
        SHW_PROPAGATE(add_spec(picked, job->source, true));
    else if (pictures == VIEW_EXPORT_SHOWN || pictures == VIEW_EXPORT_SOURCE || pictures == VIEW_EXPORT_ALL)
        SHW_PROPAGATE(add_shown(picked));
    for (uint32_t i = 0; pictures == VIEW_EXPORT_LIST && i < list->count; i++)
        SHW_PROPAGATE(add_spec(picked, list->paths[i], true));
    return SHW_OK;
}

enum shw_result view_export_find_items(struct view_export_job *job)
{
    struct picked picked = {.job = job};
    enum shw_result result = pick(&picked);

    tdestroy(picked.names, free);
    return result;
}

/* Where the files of each picture go: into the folder itself or, if the pictures come from several folders, into
 * folders of the same names in it. */
static void keep(void *node)
{
    (void)node;
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
    for (uint32_t e = 0; taken->masks && e < job->written.count && !*is; e++) {
        char *path = shw_label_file_path(&job->written.entries[e], place);
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

    for (uint32_t e = 0; taken->masks && e < job->written.count && fine; e++) {
        char *path = shw_label_file_path(&job->written.entries[e], place), *const * found;
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

enum shw_result view_export_place_items(struct view_export_job *job)
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
    tdestroy(taken.places, keep);
    tdestroy(taken.files, free);
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
