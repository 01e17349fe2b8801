/* Labels pictures and writes their files, and the overlays of whole videos as videos. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/machine.h"
#include "dense/input/inputs.h"
#include "dense/metrics/power.h"
#include "export/export_journal.h"
#include "files/image/resolution.h"
#include "files/video/video_write.h"
#include "job/times.h"

/* The overlay of a whole video. */
struct film {
    char *path;                     /* NULL: none is written */
    struct shw_atomic_file written; /* from the first frame on, like the next */
    struct shw_video_file *file;
    double frame_rate;
    bool failed; /* nothing is added any more */
};

char *view_export_film_path(const struct view_export_item *item)
{
    return shw_path_join(item->place, "_overlay", ".mkv");
}

static struct view_export_file file_of(const struct film *film)
{
    return (struct view_export_file){film->path, VIEW_FROM_FOREST, UINT32_MAX};
}

/* Prepares one if the export asks for it and it is not kept. */
static enum shw_result begin_film(const struct view_export_job *job, const struct view_export_item *item,
                                  double frame_rate, struct film *film)
{
    struct view_export_file file;

    *film = (struct film){.frame_rate = frame_rate};
    if ((job->content & VIEW_EXPORT_VIDEOS) == 0)
        return SHW_OK;
    film->path = view_export_film_path(item);
    file = file_of(film);
    if (film->path != NULL && view_export_keeps(job, &file)) {
        free(film->path);
        film->path = NULL;
        return SHW_OK;
    }
    return film->path != NULL ? SHW_OK : shw_fail_memory(&job->log, item->name);
}

static enum shw_result need_file(const struct view_export_job *job, struct film *film, const struct shw_image *image)
{
    struct shw_video_params params = {
        .path = film->path, .width = image->width, .height = image->height, .frame_rate = film->frame_rate};

    if (film->file != NULL)
        return shw_video_check_size(film->file, image->width, image->height);
    SHW_PROPAGATE(shw_atomic_file_open(&film->written, film->path, &job->log));
    params.stream = film->written.stream;
    return shw_video_create(&params, &job->log, &film->file);
}

/* Adds a frame, which must have the size of the first. */
static enum shw_result add_film(const struct view_export_job *job, struct film *film,
                                const struct view_picture *picture, const uint16_t *labels)
{
    uint8_t *overlay = shw_label_overlay_make(&job->each.labels.params, &picture->image, labels,
                                              shw_pixel_size_of(&job->each.objects.pixel_size, picture->pixel_side));
    enum shw_result result =
        overlay != NULL ? need_file(job, film, &picture->image) : shw_fail_memory(&job->log, film->path);

    if (result == SHW_OK)
        result = shw_video_add(film->file, overlay, picture->seconds);
    film->failed = result != SHW_OK;
    free(overlay);
    return result;
}

/* Gives the film its name or, unless it is complete, forgets it. */
static enum shw_result end_film(struct view_export_job *job, struct film *film, bool complete)
{
    const struct view_export_file file = file_of(film);
    bool kept = film->file != NULL && complete && !film->failed;
    enum shw_result result = shw_video_close(&film->file);

    if (kept && result == SHW_OK)
        result = shw_output_files_look_again(&job->files, film->path);
    if (kept && result == SHW_OK)
        result = shw_atomic_file_commit(&film->written, &job->log);
    else
        shw_atomic_file_abandon(&film->written);
    if (kept && result == SHW_OK)
        result = view_export_journal_note(job, &file);
    free(film->path);
    film->path = NULL;
    return result;
}

/* Bytes of channels and integral images: larger pictures are labelled in tiles. */
#define MEMORY ((uint64_t)128 << 20)

#define GIVE_WAY_SECONDS 1.0

/* A picture that is written. */
struct writing {
    struct view_export_job *job;
    const char *name, *place;
    uint32_t painted;               /* as in struct view_export_item */
    struct shw_picture_files files; /* those that are not kept */
    bool labelled;                  /* any of them needs the forest */
    bool strange;                   /* of those that are kept, some may be another forest's */
    bool objects;                   /* they are found, for the table or for files */
    struct film *film;              /* of the video that it is a frame of; or NULL */
};

static uint32_t needed_outputs(const struct view_export_job *job)
{
    return shw_picture_outputs(&job->each) |
           ((job->content & VIEW_EXPORT_VIDEOS) != 0 ? (uint32_t)SHW_OUTPUT_ARGMAX : 0u);
}

/* Whether a file that needs the forest, or another one, is there and stays; and if so, notes whether it is known to be
 * what this export would write. */
static bool is_kept(struct writing *writing, const char *path, enum view_export_from from)
{
    const struct view_export_file file = {path, from, writing->painted};

    if (!view_export_keeps(writing->job, &file))
        return false;
    writing->strange = writing->strange || view_export_knows(writing->job, &file) != SHW_RESULT_SAME;
    return true;
}

/* A file beside those of the pictures. */
static bool is_beside(const struct view_export_job *job, const char *path, enum view_export_from from)
{
    return view_export_keeps(job, &(struct view_export_file){path, from, UINT32_MAX});
}

static enum shw_result note_beside(struct view_export_job *job, const char *path, enum view_export_from from)
{
    return view_export_journal_note(job, &(struct view_export_file){path, from, UINT32_MAX});
}

static void leave_out(char **path)
{
    free(*path);
    *path = NULL;
}

/* Chooses the files of objects that are not kept; of the two images of numbers, one is enough. */
static void choose_objects(struct writing *writing)
{
    const struct view_export_job *job = writing->job;
    char **paths = writing->files.objects.paths;

    if (is_kept(writing, paths[SHW_OBJECT_OUTLINES], VIEW_FROM_OBJECTS))
        leave_out(&paths[SHW_OBJECT_OUTLINES]);
    if (is_kept(writing, paths[SHW_OBJECT_INSTANCES], VIEW_FROM_OBJECTS) ||
        is_kept(writing, paths[SHW_OBJECT_MANY_INSTANCES], VIEW_FROM_OBJECTS)) {
        leave_out(&paths[SHW_OBJECT_INSTANCES]);
        leave_out(&paths[SHW_OBJECT_MANY_INSTANCES]);
    }
    writing->objects = job->has_table || paths[SHW_OBJECT_OUTLINES] != NULL || paths[SHW_OBJECT_INSTANCES] != NULL;
    writing->labelled |= writing->objects;
}

/* Chooses the files to write; *any: there are some. */
static enum shw_result choose(struct writing *writing, bool *any)
{
    const struct view_export_job *job = writing->job;
    const struct shw_label_files *labels = &job->each.labels;
    char **paths;

    *any = false;
    SHW_PROPAGATE(view_export_make_files(job, writing->place, writing->painted != UINT32_MAX, &writing->files));
    paths = writing->files.labels;
    for (uint32_t e = 0; e < labels->count; e++) {
        if (paths[e] != NULL && is_kept(writing, paths[e], view_export_from(job, &writing->files, paths[e])))
            leave_out(&paths[e]);
        writing->labelled |= paths[e] != NULL && shw_label_outputs[labels->entries[e].output]->needs != 0;
        *any |= paths[e] != NULL;
    }
    if (job->each.objects.wanted)
        choose_objects(writing);
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
static enum shw_result look_again(void *user, const char *path, const struct shw_file_kind *kind)
{
    struct view_export_job *job = user;

    if (view_job_is_stopped(&job->job))
        return SHW_ERROR_CANCELLED;
    return shw_output_files_has(&job->files, path) ? shw_output_files_look_again(&job->files, path)
                                                   : check_late(&job->files, path, kind);
}

static void count_files(struct view_export_job *job, uint32_t count)
{
    view_job_lock(&job->job);
    job->progress.files += count;
    view_job_unlock(&job->job);
}

static enum shw_result note_file(void *user, const char *path, const struct shw_file_kind *kind)
{
    const struct writing *writing = user;
    const struct view_export_file file = {path, view_export_from(writing->job, &writing->files, path),
                                          writing->painted};

    (void)kind;
    return view_export_journal_note(writing->job, &file);
}

static enum shw_result write_files(struct writing *writing, const struct shw_label_results *results)
{
    struct view_export_job *job = writing->job;
    struct shw_objects found = {0};
    uint32_t count = 0;
    enum shw_result result =
        writing->objects ? shw_picture_find_objects(&job->each, results, &job->log, &found) : SHW_OK;

    if (result == SHW_OK)
        result =
            shw_picture_files_write(&job->each, &writing->files, results, &found, look_again, job, &job->log, &count);
    if (result == SHW_OK)
        result = shw_picture_files_visit(&job->each, &writing->files, note_file, writing);
    if (result == SHW_OK && writing->objects && job->has_table)
        shw_object_table_add(&job->table, writing->name, writing->place + strlen(job->path) + 1, &found,
                             job->each.objects.names);
    count_files(job, count);
    shw_objects_free(&found);
    return result;
}

/* Adds what is painted, and writes everything. */
static enum shw_result write_results(struct writing *writing, struct shw_label_results *results)
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

static enum shw_result write_picture(struct writing *writing, const struct view_picture *picture)
{
    const struct view_export_job *job = writing->job;
    const struct shw_forest_info *info = shw_forest_get_info(job->forest->forest);
    struct shw_label_results results;
    struct shw_input input[SHW_INPUTS_MAX];
    const struct shw_inputs inputs = view_picture_inputs(picture, info->channel_list, input);
    enum shw_result result = shw_picture_label(&job->each, needed_outputs(job), job->labeller, &picture->image, &inputs,
                                               picture->pixel_side, writing->name, &job->log, &results);

    if (result == SHW_OK && writing->film != NULL && writing->film->path != NULL && !writing->film->failed)
        result = add_film(job, writing->film, picture, results.labelling.argmax);
    if (result == SHW_OK && job->power != NULL && results.labelling.distribution != NULL)
        shw_power_apply(job->power, results.labelling.distribution, info->class_count,
                        (size_t)results.width * results.height);
    if (result == SHW_OK)
        result = write_results(writing, &results);
    shw_label_results_free(&results);
    return result;
}

/* A picture in memory, with what is known of it. */
static enum shw_result write_pixels(struct writing *writing, struct shw_pixels *pixels)
{
    const struct view_export_job *job = writing->job;
    const struct shw_forest_info *info = shw_forest_get_info(job->forest->forest);
    struct view_picture picture = {.pixel_side = shw_image_pixel_size(writing->name)};
    struct shw_pixels_part *whole = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_pixels_take(pixels, &job->log, &whole));
    if (!(picture.pixel_side > 0.0) && writing->painted != UINT32_MAX)
        picture.pixel_side = shw_project_get_picture(job->project.data, writing->painted).pixel_side;
    picture.image = whole->input[0].image;
    picture.input_count = whole->inputs.count - 1;
    memcpy(picture.inputs, whole->input + 1, picture.input_count * sizeof *picture.inputs);
    if (shw_channels_read(info->channel_list, SHW_PREVIOUS) && shw_inputs_find(&whole->inputs, SHW_PREVIOUS) == NULL)
        shw_log_message(&job->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: the previous frame, which the forest reads, is not known: all motion is zero",
                        writing->name);
    result = write_picture(writing, &picture);
    shw_pixels_part_release(&whole);
    return result;
}

static enum shw_result write_listed(struct writing *writing, const struct view_export_item *item)
{
    const struct view_reader *reader = &writing->job->sources[item->source].reader;
    struct view_picture *picture = reader->one(reader->user, item->index);
    enum shw_result result =
        picture != NULL ? write_picture(writing, picture) : SHW_ERROR_IO; /* the reader has reported why */

    view_picture_free(picture);
    return result;
}

/* *kept: all its files were there already; *strange: which forest made them is not known. */
static enum shw_result export_picture(struct view_export_job *job, const struct view_export_item *item, bool *kept,
                                      bool *strange)
{
    struct writing writing = {.job = job, .name = item->name, .place = item->place, .painted = item->painted};
    struct shw_label_results none = {
        .stated = shw_pixel_size_stated(&job->each.objects.pixel_size, shw_image_pixel_size(item->name))};
    enum shw_result result;
    bool any;

    SHW_TRY(choose(&writing, &any));
    *kept = !any;
    *strange = !any && writing.strange;
    if (!any)
        result = SHW_OK;
    else if (!writing.labelled)
        result = write_results(&writing, &none);
    else if (item->kind == VIEW_ITEM_SHOWN)
        result = write_picture(&writing, job->shown);
    else if (item->kind == VIEW_ITEM_PIXELS)
        result = write_pixels(&writing, item->pixels);
    else
        result = write_listed(&writing, item);

fail:
    shw_picture_files_free(&job->each, &writing.files);
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
                                    const struct view_picture *picture, struct film *film)
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
    shw_picture_files_free(&job->each, &writing.files);
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
                                     struct film *film)
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
    struct film film;
    enum shw_result result, ended;

    SHW_PROPAGATE(view_export_open_video(job, source));
    result = begin_film(job, &job->items[number], source->reader.frame_rate, &film);
    if (result == SHW_OK)
        result = export_frames(job, number, &source->reader, &film);
    ended = end_film(job, &film, result != SHW_ERROR_CANCELLED);
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
        bool kept = false, strange = false;
        report(job, i, 0.0, 0);
        give_way(job);
        one = item->kind == VIEW_ITEM_VIDEO ? export_video(job, i) : export_picture(job, item, &kept, &strange);
        if (view_job_is_stopped(&job->job))
            return SHW_ERROR_CANCELLED;
        view_job_lock(&job->job);
        job->progress.kept += kept;
        job->progress.strange += strange;
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
    params.smoothing = view_shared_forest_smoothing(job->forest);
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
    const struct shw_object_columns columns = shw_label_objects_columns(&job->each.objects);

    if (!job->each.objects.wanted || view_export_keeps_table(job))
        return SHW_OK;
    SHW_PROPAGATE(shw_object_table_open(&job->table, job->table_path, &columns, &job->log));
    job->has_table = true;
    return SHW_OK;
}

/* Also of an export that was stopped, or in which pictures failed: with the others. */
static enum shw_result close_table(struct view_export_job *job, bool complete)
{
    if (!job->has_table)
        return SHW_OK;
    job->has_table = false;
    SHW_PROPAGATE(shw_output_files_look_again(&job->files, job->table_path));
    SHW_PROPAGATE(shw_object_table_commit(&job->table, &job->log));
    SHW_PROPAGATE(view_export_journal_note_table(job, complete));
    count_files(job, 1);
    return SHW_OK;
}

/* The files beside the pictures'. */
static enum shw_result write_beside(struct view_export_job *job)
{
    const struct shw_classes_file classes = view_export_classes(job);

    if (job->forest_path != NULL && !is_beside(job, job->forest_path, VIEW_FROM_FOREST)) {
        SHW_PROPAGATE(shw_output_files_look_again(&job->files, job->forest_path));
        SHW_PROPAGATE(shw_forest_save(job->forest->forest, job->forest_path, &job->log));
        SHW_PROPAGATE(note_beside(job, job->forest_path, VIEW_FROM_FOREST));
    }
    if (job->classes_path == NULL || is_beside(job, job->classes_path, VIEW_FROM_CLASSES))
        return SHW_OK;
    SHW_PROPAGATE(shw_output_files_look_again(&job->files, job->classes_path));
    SHW_PROPAGATE(shw_classes_file_write(job->classes_path, &classes, &job->log));
    return note_beside(job, job->classes_path, VIEW_FROM_CLASSES);
}

enum shw_result view_export_run(struct view_export_job *job)
{
    enum shw_result result;

    job->begun = view_clock();
    view_job_lock(&job->job);
    job->progress.count = job->item_count;
    job->progress.files = 0;
    view_job_unlock(&job->job);
    if (job->classes_path != NULL)
        SHW_PROPAGATE(view_export_journal_open(job));
    SHW_PROPAGATE(make_labeller(job));
    result = write_beside(job);
    if (result == SHW_OK)
        result = open_table(job);
    if (result == SHW_OK) {
        enum shw_result closed;

        result = export_items(job);
        closed = close_table(job, result == SHW_OK);
        result = closed != SHW_OK ? closed : result;
    }
    drop_labeller(job);
    return view_job_is_stopped(&job->job) ? SHW_ERROR_CANCELLED : result;
}
