/* Labels pictures and writes their files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/log.h"
#include "base/machine.h"
#include "dense/input/inputs.h"
#include "export/export_film.h"
#include "job/times.h"

/* Bytes of channels and integral images: larger pictures are labelled in tiles. */

#define MEMORY ((uint64_t)128 << 20)

#define GIVE_WAY_SECONDS 1.0

/* A picture that is written. */
struct writing {
    struct view_export_job *job;
    const char *name, *place;
    uint32_t painted;              /* as in struct view_export_item */
    bool *wanted;                  /* for each file */
    bool labelled;                 /* any of them needs the forest */
    struct view_export_film *film; /* of the video that it is a frame of; or NULL */
    bool objects;                  /* they are found, for the table or for files */
};

/* enum shw_output. */
static uint32_t needed_outputs(const struct view_export_job *job)
{
    return shw_label_files_outputs(&job->written) |
           ((job->content & VIEW_EXPORT_VIDEOS) != 0 ? (uint32_t)SHW_OUTPUT_ARGMAX : 0u) |
           (job->objects.wanted ? VIEW_EXPORT_OBJECT_OUTPUTS : 0u);
}

static bool is_kept(const struct view_export_job *job, const char *path)
{
    struct stat status;

    return job->settings.existing == VIEW_EXPORT_MISSING && lstat(path, &status) == 0;
}

/* Whether objects are found: for the table, or for a file that is not kept. */
static enum shw_result choose_objects(struct writing *writing)
{
    const struct view_export_job *job = writing->job;
    struct view_export_object_paths made;
    enum shw_result result = view_export_object_paths_make(writing->place, &job->log, &made);

    writing->objects =
        result == SHW_OK &&
        (job->objects.has_table || !is_kept(job, made.paths[VIEW_EXPORT_OUTLINES]) ||
         !(is_kept(job, made.paths[VIEW_EXPORT_INSTANCES]) || is_kept(job, made.paths[VIEW_EXPORT_MANY_INSTANCES])));
    writing->labelled |= writing->objects;
    view_export_object_paths_free(&made);
    return result;
}

/* Chooses the files to write; *any: there are some. */
static enum shw_result choose(struct writing *writing, bool *any)
{
    const struct view_export_job *job = writing->job;
    const struct shw_label_files *files = &job->written;

    *any = false;
    writing->wanted = calloc(files->count + (size_t)1, sizeof *writing->wanted);
    if (writing->wanted == NULL)
        return shw_fail_memory(&job->log, writing->name);
    for (uint32_t e = 0; e < files->count; e++) {
        bool strokes = shw_label_outputs[files->entries[e].output]->needs == 0;
        char *path = shw_label_file_path(&files->entries[e], writing->place);
        if (path == NULL)
            return shw_fail_memory(&job->log, writing->name);
        writing->wanted[e] = (!strokes || writing->painted != UINT32_MAX) && !is_kept(job, path);
        writing->labelled |= writing->wanted[e] && !strokes;
        *any |= writing->wanted[e];
        free(path);
    }
    if (job->objects.wanted)
        SHW_PROPAGATE(choose_objects(writing));
    *any |= writing->objects;
    return SHW_OK;
}

/* Checks a file that was not among those at the beginning: of a frame that the video did not promise. */
static enum shw_result check_late(const struct shw_output_files *files, const char *path,
                                  const struct shw_file_kind *kind)
{
    struct shw_output_files late = *files;
    enum shw_result result;

    late.outputs = NULL;
    late.output_count = late.output_capacity = 0;
    shw_output_files_write(&late, path, kind);
    result = shw_output_files_check(&late);
    late.inputs = NULL; /* which are those of `files` */
    late.input_count = 0;
    shw_output_files_free(&late);
    return result;
}

/* Immediately before a file is written. */
static enum shw_result look_again(const struct view_export_job *job, const char *path, const struct shw_file_kind *kind)
{
    return shw_output_files_has(&job->files, path) ? shw_output_files_look_again(&job->files, path)
                                                   : check_late(&job->files, path, kind);
}

static void count_files(struct view_export_job *job, uint32_t count)
{
    view_job_lock(&job->job);
    job->progress.files += count;
    view_job_unlock(&job->job);
}

static enum shw_result write_file(const struct writing *writing, const struct shw_label_file_entry *entry,
                                  const struct shw_label_results *results)
{
    struct view_export_job *job = writing->job;
    char *path = shw_label_file_path(entry, writing->place);
    enum shw_result result = path != NULL ? SHW_OK : shw_fail_memory(&job->log, writing->name);

    if (result == SHW_OK)
        result = look_again(job, path, entry->form->kind);
    if (result == SHW_OK)
        result = shw_label_file_write(&job->written, entry, path, results, &job->log);
    if (result == SHW_OK)
        count_files(job, 1);
    free(path);
    return result;
}

/* Those that are kept are left out. */
static enum shw_result write_objects(const struct writing *writing, const struct shw_label_results *results)
{
    struct view_export_job *job = writing->job;
    const struct shw_forest_info *info = shw_forest_get_info(job->forest->forest);
    struct view_export_object_paths made;
    char **paths = made.paths;
    enum shw_result result = view_export_object_paths_make(writing->place, &job->log, &made);
    bool outlines = result == SHW_OK && !is_kept(job, paths[VIEW_EXPORT_OUTLINES]);
    bool instances = result == SHW_OK && !is_kept(job, paths[VIEW_EXPORT_INSTANCES]) &&
                     !is_kept(job, paths[VIEW_EXPORT_MANY_INSTANCES]);
    const struct shw_object_paths wanted = {.outlines = outlines ? paths[VIEW_EXPORT_OUTLINES] : NULL,
                                            .instances = instances ? paths[VIEW_EXPORT_INSTANCES] : NULL,
                                            .many_instances = instances ? paths[VIEW_EXPORT_MANY_INSTANCES] : NULL};

    for (uint32_t f = 0; result == SHW_OK && f < VIEW_EXPORT_OBJECT_FILES; f++)
        if (f == VIEW_EXPORT_OUTLINES ? outlines : instances)
            result = look_again(job, paths[f], view_export_object_kinds[f]);
    if (result == SHW_OK)
        result = view_export_objects_write(&job->objects, writing->name, writing->place + strlen(job->path) + 1,
                                           results, info, &wanted, &job->log);
    if (result == SHW_OK)
        count_files(job, (uint32_t)outlines + instances);
    view_export_object_paths_free(&made);
    return result;
}

static enum shw_result write_files(const struct writing *writing, const struct shw_label_results *results)
{
    const struct shw_label_files *files = &writing->job->written;
    enum shw_result result = SHW_OK;

    for (uint32_t e = 0; result == SHW_OK && e < files->count; e++)
        if (writing->wanted[e])
            result = view_job_is_stopped(&writing->job->job) ? SHW_ERROR_CANCELLED
                                                             : write_file(writing, &files->entries[e], results);
    return result == SHW_OK && writing->objects ? write_objects(writing, results) : result;
}

/* Adds what is painted, and writes everything. */
static enum shw_result write_results(const struct writing *writing, struct shw_label_results *results)
{
    struct view_export_job *job = writing->job;
    struct shw_project *project = job->project.data;
    struct shw_project_picture picture;
    uint16_t *strokes;
    enum shw_result result;

    if (writing->painted == UINT32_MAX || (job->content & VIEW_EXPORT_STROKES) == 0)
        return write_files(writing, results);
    picture = shw_project_get_picture(project, writing->painted);
    if (!writing->labelled) {
        results->width = picture.width;
        results->height = picture.height;
    } else if (results->width != picture.width || results->height != picture.height) {
        return shw_fail(&job->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is %u x %u, but was painted at %u x %u",
                        writing->name, results->width, results->height, picture.width, picture.height);
    }
    strokes = malloc((size_t)picture.width * picture.height * sizeof *strokes);
    result = strokes != NULL
                 ? shw_project_copy_labels(project, writing->painted, 0, 0, picture.width, picture.height, 1, strokes)
                 : shw_fail_memory(&job->log, writing->name);
    results->strokes = strokes;
    if (result == SHW_OK)
        result = write_files(writing, results);
    results->strokes = NULL;
    free(strokes);
    return result;
}

static enum shw_result write_picture(const struct writing *writing, const struct view_picture *picture)
{
    const struct view_export_job *job = writing->job;
    const struct shw_forest_info *info = shw_forest_get_info(job->forest->forest);
    struct shw_label_results results = {
        .image = &picture->image, .width = picture->image.width, .height = picture->image.height};
    struct shw_input input[SHW_INPUTS_MAX];
    const struct shw_inputs inputs = view_picture_inputs(picture, info->channel_list, input);
    enum shw_result result =
        shw_label_results_make(&job->written, needed_outputs(job), writing->name, &job->log, &results);

    if (result == SHW_OK)
        result = shw_labeller_run(job->labeller, &inputs, &results.labelling);
    if (result == SHW_OK && writing->film != NULL && writing->film->path != NULL && !writing->film->failed)
        result = view_export_film_add(job, writing->film, picture, results.labelling.argmax);
    if (result == SHW_OK)
        result = write_results(writing, &results);
    shw_label_results_free(&results);
    return result;
}

/* A picture in memory, with what is known of it. */
static enum shw_result write_pixels(const struct writing *writing, struct shw_pixels *pixels)
{
    const struct view_export_job *job = writing->job;
    const struct shw_forest_info *info = shw_forest_get_info(job->forest->forest);
    struct view_picture picture = {.input_count = 0};
    struct shw_pixels_part *whole = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_pixels_take(pixels, &job->log, &whole));
    picture.image = whole->input[0].image;
    picture.input_count = whole->inputs.count - 1;
    memcpy(picture.inputs, whole->input + 1, picture.input_count * sizeof *picture.inputs);
    if (pixels != job->shown_pixels && shw_channels_read(info->channel_list, SHW_PREVIOUS) &&
        shw_inputs_find(&whole->inputs, SHW_PREVIOUS) == NULL) /* a first frame that is shown has none */
        shw_log_message(&job->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: the previous frame, which the forest reads, is not known: all motion is zero",
                        writing->name);
    result = write_picture(writing, &picture);
    shw_pixels_part_release(&whole);
    return result;
}

static enum shw_result write_listed(const struct writing *writing, const struct view_export_item *item)
{
    const struct view_reader *reader = &writing->job->sources[item->source].reader;
    struct view_picture *picture = reader->one(reader->user, item->index);
    enum shw_result result =
        picture != NULL ? write_picture(writing, picture) : SHW_ERROR_IO; /* the reader has reported it */

    view_picture_free(picture);
    return result;
}

/* *kept: all its files were there already. */
static enum shw_result export_picture(struct view_export_job *job, const struct view_export_item *item, bool *kept)
{
    struct writing writing = {.job = job, .name = item->name, .place = item->place, .painted = item->painted};
    struct shw_label_results none = {.image = NULL};
    enum shw_result result;
    bool any;

    SHW_TRY(choose(&writing, &any));
    *kept = !any;
    if (!any)
        result = SHW_OK;
    else if (!writing.labelled)
        result = write_results(&writing, &none);
    else if (item->kind == VIEW_ITEM_PIXELS)
        result = write_pixels(&writing, item->pixels);
    else
        result = write_listed(&writing, item);

fail:
    free(writing.wanted);
    return result;
}

/* Before a picture: lets a stroke be trained first. Not longer than a second, so that it gets on however much is
 * painted.
 */
static void give_way(struct view_export_job *job)
{
    const struct timespec moment = {.tv_nsec = 2000000};
    const double end = view_clock() + GIVE_WAY_SECONDS;

    while (atomic_load(&job->gives_way) && !view_job_is_stopped(&job->job) && view_clock() < end)
        nanosleep(&moment, NULL);
}

static enum shw_result export_frame(struct view_export_job *job, const struct view_export_item *item, uint32_t number,
                                    const struct view_picture *picture, struct view_export_film *film)
{
    struct writing writing = {.job = job, .name = picture->name, .painted = UINT32_MAX, .film = film};
    char *place = view_export_frame_place(item, number);
    bool any;
    enum shw_result result = place != NULL ? SHW_OK : shw_fail_memory(&job->log, picture->name);

    writing.place = place;
    if (result == SHW_OK)
        result = choose(&writing, &any);
    if (result == SHW_OK && (any || film->path != NULL))
        result = write_picture(&writing, picture);
    free(writing.wanted);
    free(place);
    return result;
}

/* Notes how far it is: `within` the item, 0..1; of a video, after each frame, how many there were. */
static void report(struct view_export_job *job, uint32_t item, double within, uint32_t frames)
{
    struct view_export_progress *progress = &job->progress;

    view_job_lock(&job->job);
    progress->done = item;
    progress->frames = frames;
    progress->all_frames += frames > 0;
    progress->fraction = job->item_count > 0 ? (item + within) / job->item_count : 1.0;
    progress->seconds = view_clock() - job->begun;
    snprintf(progress->name, sizeof progress->name, "%s", item < job->item_count ? job->items[item].name : "");
    view_job_unlock(&job->job);
}

/* All frames; a failure does not stop it. */
static enum shw_result export_frames(struct view_export_job *job, uint32_t number, struct view_reader *reader,
                                     struct view_export_film *film)
{
    const struct view_export_item *item = &job->items[number];
    enum shw_result result = SHW_OK;
    struct view_reading reading;

    for (uint32_t frame = 1; !view_job_is_stopped(&job->job); frame++) {
        enum shw_result one = reader->next(reader->user, &reading);
        if (reading.picture == NULL)
            return one != SHW_OK ? one : result;
        give_way(job);
        one = export_frame(job, item, frame, reading.picture, film);
        result = one != SHW_OK ? one : result;
        report(job, number, reader->duration > 0.0 ? reading.picture->seconds / (reader->duration + 1e-9) : 0.0, frame);
        view_picture_free(reading.picture);
    }
    return SHW_ERROR_CANCELLED;
}

static enum shw_result export_video(struct view_export_job *job, uint32_t number)
{
    struct view_export_source *source = &job->sources[job->items[number].source];
    struct view_export_film film;
    enum shw_result result, ended;

    SHW_PROPAGATE(view_export_open_video(job, source));
    result = view_export_film_begin(job, &job->items[number], source->reader.frame_rate, &film);
    if (result == SHW_OK)
        result = export_frames(job, number, &source->reader, &film);
    ended = view_export_film_end(job, &film, result != SHW_ERROR_CANCELLED);
    result = result != SHW_OK ? result : ended;
    source->reader.close(source->reader.user);
    source->reader.close = NULL;
    return result;
}

static void note_failure(struct view_export_progress *progress, const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t length = strlen(progress->failures);

    progress->failed++;
    if (progress->failures_named == 3)
        return;
    snprintf(progress->failures + length, sizeof progress->failures - length, "%s%s", length > 0 ? ", " : "",
             slash != NULL ? slash + 1 : name);
    progress->failures_named++;
}

static enum shw_result export_items(struct view_export_job *job)
{
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < job->item_count; i++) {
        const struct view_export_item *item = &job->items[i];
        enum shw_result one;
        bool kept = false;
        report(job, i, 0.0, 0);
        give_way(job);
        one = item->kind == VIEW_ITEM_VIDEO ? export_video(job, i) : export_picture(job, item, &kept);
        if (view_job_is_stopped(&job->job))
            return SHW_ERROR_CANCELLED;
        view_job_lock(&job->job);
        job->progress.kept += kept;
        if (one != SHW_OK)
            note_failure(&job->progress, item->name);
        view_job_unlock(&job->job);
        result = one != SHW_OK ? one : result;
    }
    report(job, job->item_count, 0.0, 0);
    return result;
}

static void interrupt(void *labeller)
{
    shw_labeller_interrupt(labeller);
}

static enum shw_result make_labeller(struct view_export_job *job)
{
    const struct shw_forest *forest = job->forest != NULL ? job->forest->forest : NULL;
    struct shw_labeller_params params = {.forest = forest,
                                         .outputs = needed_outputs(job),
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .threads = shw_spare_processors(),
                                         .memory = MEMORY,
                                         .log = job->log};

    if (params.outputs == 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_labeller_create(&params, &job->labeller));
    if (!view_job_may_interrupt(&job->job, interrupt, job->labeller))
        interrupt(job->labeller);
    return SHW_OK;
}

static void drop_labeller(struct view_export_job *job)
{
    view_job_may_interrupt(&job->job, NULL, NULL);
    shw_labeller_destroy(&job->labeller);
}

/* The table of objects, unless there is one that is kept. */
static enum shw_result open_table(struct view_export_job *job)
{
    struct view_export_objects *objects = &job->objects;

    if (!objects->wanted || is_kept(job, objects->table_path))
        return SHW_OK;
    SHW_PROPAGATE(shw_object_table_open(&objects->table, objects->table_path, &job->log));
    objects->has_table = true;
    return SHW_OK;
}

/* Also of an export that was stopped: with the pictures that are complete. */
static enum shw_result close_table(struct view_export_job *job)
{
    struct view_export_objects *objects = &job->objects;

    if (!objects->has_table)
        return SHW_OK;
    objects->has_table = false;
    SHW_PROPAGATE(shw_output_files_look_again(&job->files, objects->table_path));
    SHW_PROPAGATE(shw_object_table_commit(&objects->table, &job->log));
    count_files(job, 1);
    return SHW_OK;
}

/* The files beside the pictures'. */
static enum shw_result write_beside(struct view_export_job *job)
{
    const struct shw_classes_file classes = view_export_classes(job);

    if (job->forest_path != NULL && !is_kept(job, job->forest_path)) {
        SHW_PROPAGATE(shw_output_files_look_again(&job->files, job->forest_path));
        SHW_PROPAGATE(shw_forest_save(job->forest->forest, job->forest_path, &job->log));
    }
    if (job->classes_path == NULL || is_kept(job, job->classes_path))
        return SHW_OK;
    SHW_PROPAGATE(shw_output_files_look_again(&job->files, job->classes_path));
    return shw_classes_file_write(job->classes_path, &classes, &job->log);
}

enum shw_result view_export_run(struct view_export_job *job)
{
    enum shw_result result;

    job->begun = view_clock();
    view_job_lock(&job->job);
    job->progress.count = job->item_count;
    job->progress.files = 0;
    view_job_unlock(&job->job);
    SHW_PROPAGATE(make_labeller(job));
    result = write_beside(job);
    if (result == SHW_OK)
        result = open_table(job);
    if (result == SHW_OK) {
        enum shw_result closed;

        result = export_items(job);
        closed = close_table(job);
        result = closed != SHW_OK ? closed : result;
    }
    drop_labeller(job);
    return view_job_is_stopped(&job->job) ? SHW_ERROR_CANCELLED : result;
}
