/* Everything that is checked before the first file is written. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "export/export_film.h"
#include "files/io/image_paths.h"

#define OPACITY       60u /* percent, as of `shadewood label` */
#define OBJECTS_TABLE "objects.csv"
#define FRAMES_MAX    1000000 /* of a video that are checked beforehand */

static bool is_there(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

/* Counts a file, and adds it to those that are checked, unless it is there and is kept. */
static void add_file(struct view_export_job *job, const char *path, const struct shw_file_kind *kind)
{
    bool existing = is_there(path), kept = existing && job->settings.existing == VIEW_EXPORT_MISSING;

    view_job_lock(&job->job);
    job->progress.files++;
    job->progress.existing += existing;
    view_job_unlock(&job->job);
    if (!job->look && !kept)
        shw_output_files_write(&job->files, path, kind);
}

/* One of the two images of objects' numbers will be written: the second is only checked. */
static enum shw_result add_object_files(struct view_export_job *job, const char *place)
{
    struct view_export_object_paths made;
    enum shw_result result = view_export_object_paths_make(place, &job->log, &made);

    for (uint32_t f = 0; result == SHW_OK && f < VIEW_EXPORT_MANY_INSTANCES; f++)
        add_file(job, made.paths[f], view_export_object_kinds[f]);
    if (result == SHW_OK && !job->look && job->settings.existing != VIEW_EXPORT_MISSING)
        shw_output_files_write(&job->files, made.paths[VIEW_EXPORT_MANY_INSTANCES],
                               view_export_object_kinds[VIEW_EXPORT_MANY_INSTANCES]);
    view_export_object_paths_free(&made);
    return result;
}

static enum shw_result add_files(struct view_export_job *job, const char *place, bool painted)
{
    for (uint32_t e = 0; e < job->written.count; e++) {
        const struct shw_label_file_entry *entry = &job->written.entries[e];
        char *path = shw_label_file_path(entry, place);
        if (path == NULL)
            return shw_fail_memory(&job->log, place);
        if (shw_label_outputs[entry->output]->needs != 0 || painted)
            add_file(job, path, entry->form->kind);
        free(path);
    }
    return job->objects.wanted ? add_object_files(job, place) : SHW_OK;
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
            add_file(job, film, &shw_file_video);
        result = film != NULL ? SHW_OK : shw_fail_memory(&job->log, item->name);
        free(film);
    }
    frames = round(source->reader.duration * source->reader.frame_rate);
    source->reader.close(source->reader.user);
    source->reader.close = NULL;
    for (uint32_t f = 1; result == SHW_OK && f <= fmin(frames, FRAMES_MAX); f++) {
        char *place = view_export_frame_place(item, f);
        result = place != NULL ? add_files(job, place, false) : shw_fail_memory(&job->log, item->name);
        free(place);
    }
    return result;
}

static enum shw_result add_all(struct view_export_job *job)
{
    if (job->forest_path != NULL)
        add_file(job, job->forest_path, &shw_file_forest);
    if (job->classes_path != NULL)
        add_file(job, job->classes_path, &shw_file_classes);
    if (job->objects.table_path != NULL)
        add_file(job, job->objects.table_path, &shw_file_table);
    for (uint32_t i = 0; i < job->item_count && !view_job_is_stopped(&job->job); i++) {
        const struct view_export_item *item = &job->items[i];
        SHW_PROPAGATE(item->kind == VIEW_ITEM_VIDEO ? add_video(job, item)
                                                    : add_files(job, item->place, item->painted != UINT32_MAX));
    }
    return SHW_OK;
}

/* What is written for each picture. */
static enum shw_result choose_files(struct view_export_job *job)
{
    const struct shw_forest_info *info = job->forest != NULL ? shw_forest_get_info(job->forest->forest) : NULL;
    struct shw_label_files_params params = {
        .opacity = OPACITY, .stroke_classes = job->classes, .stroke_class_count = job->class_count};

    for (uint32_t o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        params.forms[o] = job->content >> o & 1u;
    if ((job->content & VIEW_EXPORT_PROBABILITIES) != 0)
        params.forms[SHW_LABEL_OUTPUT_PROBABILITIES] = job->settings.probabilities;
    if (info != NULL) {
        params.classes = info->classes;
        params.class_count = info->class_count;
        params.tree_count = info->tree_count;
    }
    return shw_label_files_make(&params, &job->log, &job->written);
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
    for (char *end = folder; result == SHW_OK && end != NULL;) {
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
    SHW_PROPAGATE(view_export_find_items(job));
    if (view_job_is_stopped(&job->job))
        return SHW_ERROR_CANCELLED;
    if (job->item_count == 0)
        return shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is nothing to export: %s",
                        (job->content & VIEW_EXPORT_OF_EACH) != 0   ? "there are no pictures"
                        : (job->content & VIEW_EXPORT_STROKES) != 0 ? "nothing is painted on these pictures"
                                                                    : "there are no videos");
    job->classes_path = shw_path_join(job->path, "/", SHW_CLASSES_FILE);
    if (job->objects.wanted)
        job->objects.table_path = shw_path_join(job->path, "/", OBJECTS_TABLE);
    return job->classes_path != NULL && (job->objects.table_path != NULL || !job->objects.wanted)
               ? view_export_place_items(job)
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
