#include "cli/label_video.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/image.h"
#include "base/in_order.h"
#include "base/integers.h"
#include "base/json_text.h"
#include "base/kept_log.h"
#include "base/log.h"
#include "dense/input/inputs.h"
#include "files/io/image_paths.h"
#include "files/video/video_read.h"
#include "files/video/video_write.h"
#include "formats/kinect.h"

#define FRAME_ENDING "-%06llu" /* after the video's place, from 1, as in the viewer's exports */

/* A video that is being labelled. */
struct labelling {
    struct cli_label_videos *all;
    struct shw_label_job *job;
    const struct shw_image_entry *which;
    struct shw_picture_content each; /* of each frame: no overlay, which is a frame of the video that is written */
    uint32_t outputs;                /* of the labeller */
    struct shw_output_files files;   /* of a frame */

    struct shw_video_reader *reader;
    char *path; /* of the video that is written; NULL: none */
    struct shw_atomic_file written;
    struct shw_video_file *file;
    char *table_path; /* of the objects; NULL: none */
    struct shw_object_table table;
    uint32_t width, height;
    uint64_t frames;
    double start, seconds; /* `seconds`: of labelling */
};

static bool has_overlay(const struct shw_label_job *job)
{
    return job->content.forms[SHW_LABEL_OUTPUT_OVERLAY] > 0;
}

static bool has_table(const struct shw_label_job *job)
{
    return job->each.objects.wanted && job->each.objects.table;
}

/* OUTPUT/PLACE and an ending, to be freed with free(); NULL if memory is exhausted. */
static char *path_of(const struct shw_label_job *job, const struct shw_image_entry *video, const char *ending)
{
    char *place = shw_path_in(job->output, video->place);
    char *path = place != NULL ? shw_path_join(place, ending, "") : NULL;

    free(place);
    return path;
}

/* In the container of the input video if that can be written. */
static char *overlay_path(const struct shw_label_job *job, const struct shw_image_entry *video)
{
    char ending[32];

    snprintf(ending, sizeof ending, "_overlay%s",
             shw_video_can_be_written(video->path) ? strrchr(video->path, '.') : ".mkv");
    return path_of(job, video, ending);
}

/* What is written for each frame, to be freed. Errors: MEMORY. */
static enum shw_result make_content(const struct shw_label_job *job, struct shw_picture_content *each)
{
    struct shw_label_files_params params = job->content;

    params.forms[SHW_LABEL_OUTPUT_OVERLAY] = 0;
    *each = (struct shw_picture_content){.objects = job->each.objects};
    return shw_label_files_make(&params, &job->log, &each->labels);
}

static bool has_files(const struct shw_picture_content *each)
{
    return each->labels.count > 0 || (each->objects.wanted && (each->objects.outlines || each->objects.instances));
}

int cli_label_videos_check(const struct cli_label_videos *labelling, const struct shw_image_list *videos)
{
    const struct shw_label_job *job = labelling->job;
    const struct shw_channel_list *channels = shw_forest_get_info(job->forest)->channel_list;
    struct shw_image_entry same[2] = {{.path = NULL}};
    const char *name;

    if (videos->count == 0)
        return SHW_CONTINUE;
    if (job->input_count > 0)
        return cli_fail(labelling->report, "%s is a video: --input is for images", videos->list[0].path);
    for (uint32_t i = 0; (name = shw_forest_get_input(job->forest, i)) != NULL; i++)
        if (strcmp(name, SHW_COLOUR) != 0 && strcmp(name, SHW_PREVIOUS) != 0 && shw_channels_read(channels, name))
            return cli_fail(labelling->report, "%s is a video: the forest also reads the input %s, which it lacks",
                            videos->list[0].path, name);
    if (shw_image_list_find_same(videos, &job->log, same) != SHW_OK)
        return SHW_EXIT_FAILURE;
    if (same[0].path != NULL)
        return cli_fail(labelling->report,
                        "%s and %s would produce files of the same name: label them with different "
                        "--output",
                        same[0].path, same[1].path);
    return SHW_CONTINUE;
}

static enum shw_result add_output(struct shw_label_job *job, char *path, const struct shw_file_kind *kind)
{
    enum shw_result result = path != NULL ? SHW_OK : shw_fail_memory(&job->log, "the names of files");

    if (result == SHW_OK)
        shw_output_files_write(&job->outputs, path, kind);
    free(path);
    return result;
}

static enum shw_result add_video(struct shw_label_job *job, const struct shw_image_entry *video)
{
    enum shw_result result = SHW_OK;

    shw_output_files_read(&job->outputs, video->path);
    if (has_overlay(job))
        result = add_output(job, overlay_path(job, video), &shw_file_video);
    if (result == SHW_OK && has_table(job))
        result = add_output(job, path_of(job, video, "_" SHW_OBJECTS_TABLE), &shw_file_table);
    return result;
}

int cli_label_videos_add(const struct cli_label_videos *labelling, const struct shw_image_list *videos)
{
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; result == SHW_OK && i < videos->count; i++)
        result = add_video(labelling->job, &videos->list[i]);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

/* The file has the size of the first frame. */
static enum shw_result need_file(struct labelling *labelling, const struct shw_image *image)
{
    struct shw_video_params params = {.path = labelling->path,
                                      .width = image->width,
                                      .height = image->height,
                                      .frame_rate = shw_video_frame_rate(labelling->reader)};

    if (labelling->file != NULL)
        return shw_video_check_size(labelling->file, image->width, image->height);
    SHW_PROPAGATE(shw_atomic_file_open(&labelling->written, labelling->path, &labelling->job->log));
    params.stream = labelling->written.stream;
    return shw_video_create(&params, &labelling->job->log, &labelling->file);
}

static enum shw_result add_overlay(struct labelling *labelling, const struct shw_video_frame *frame,
                                   const struct shw_label_results *results)
{
    const struct shw_label_job *job = labelling->job;
    uint8_t *pixels;
    enum shw_result result;

    if (labelling->path == NULL)
        return SHW_OK;
    SHW_PROPAGATE(need_file(labelling, &frame->image));
    pixels = shw_label_overlay_make(&job->content, &frame->image, results->labelling.argmax, results->side);
    result = pixels != NULL ? shw_video_add(labelling->file, pixels, frame->seconds)
                            : shw_fail_memory(&job->log, labelling->which->path);
    free(pixels);
    return result;
}

static enum shw_result add_file(void *user, const char *path, const struct shw_file_kind *kind)
{
    shw_output_files_write(user, path, kind);
    return SHW_OK;
}

static enum shw_result look_again(void *user, const char *path, const struct shw_file_kind *kind)
{
    (void)kind;
    return shw_output_files_look_again(user, path);
}

/* The files of a frame are checked before the first of them is written. */
static enum shw_result write_frame(struct labelling *labelling, const char *ending,
                                   const struct shw_label_results *results, const struct shw_objects *objects)
{
    const struct shw_log *log = &labelling->job->log;
    char *place = path_of(labelling->job, labelling->which, ending);
    struct shw_picture_files files = {0};
    uint32_t count = 0;
    enum shw_result result = place != NULL ? shw_picture_files_make(&labelling->each, place, log, &files)
                                           : shw_fail_memory(log, "the names of files");

    shw_output_files_forget(&labelling->files);
    if (result == SHW_OK)
        result = shw_picture_files_visit(&labelling->each, &files, add_file, &labelling->files);
    if (result == SHW_OK)
        result = shw_output_files_check(&labelling->files);
    if (result == SHW_OK)
        result = shw_picture_files_write(&labelling->each, &files, results, objects, look_again, &labelling->files, log,
                                         &count);
    shw_picture_files_free(&labelling->each, &files);
    free(place);
    return result;
}

static void add_rows(struct labelling *labelling, const char *ending, const struct shw_objects *objects)
{
    char name[4096], *place = shw_path_join(labelling->which->place, ending, "");

    snprintf(name, sizeof name, "%s%s", labelling->which->path, ending);
    if (labelling->table_path != NULL && place != NULL)
        shw_object_table_add(&labelling->table, name, place, objects, labelling->job->content.classes);
    free(place);
}

static enum shw_result keep_frame(struct labelling *labelling, const struct shw_video_frame *frame,
                                  const struct shw_label_results *results)
{
    struct shw_objects objects = {0};
    char ending[32];
    enum shw_result result = shw_picture_find_objects(&labelling->each, results, &labelling->job->log, &objects);

    snprintf(ending, sizeof ending, FRAME_ENDING, (unsigned long long)labelling->frames + 1);
    if (result == SHW_OK)
        result = add_overlay(labelling, frame, results);
    if (result == SHW_OK && has_files(&labelling->each))
        result = write_frame(labelling, ending, results, &objects);
    if (result == SHW_OK)
        add_rows(labelling, ending, &objects);
    shw_objects_free(&objects);
    return result;
}

/* A frame from the time when it is read until its files are written. */
struct frame {
    struct shw_video_frame now;
    struct shw_image before; /* the previous frame, if the forest reads it; or no pixels */
    struct shw_label_results results;
    enum shw_result result;
    double seconds;
    struct shw_kept_log kept;
};

/* The frames of a video that are labelled at a time. */
struct frames {
    struct labelling *labelling;
    struct frame *slots;
    bool moves; /* the forest reads the previous frame */
    struct shw_image last;
    enum shw_result read, result; /* of reading, and of the first frame that failed */
};

static void free_pixels(struct shw_image *image)
{
    free((void *)(uintptr_t)image->pixels);
    *image = (struct shw_image){0};
}

static enum shw_result copy_image(const struct shw_image *image, const struct shw_log *log, struct shw_image *copy)
{
    const size_t size = (size_t)image->width * image->height * shw_pixel_size(image->format);
    void *pixels = malloc(size);

    if (pixels == NULL)
        return shw_fail_memory(log, "a frame");
    memcpy(pixels, image->pixels, size);
    *copy = *image;
    copy->pixels = pixels;
    return SHW_OK;
}

/* Reads the next frame. */
static bool begin_frame(void *user, uint32_t slot)
{
    struct frames *frames = user;
    struct frame *frame = &frames->slots[slot];

    frames->read = shw_video_next(frames->labelling->reader, &frame->now);
    if (frames->read != SHW_OK || frame->now.image.pixels == NULL)
        return false;
    frame->before = frames->last;
    frames->last = (struct shw_image){0};
    if (frames->moves)
        frames->read = copy_image(&frame->now.image, &frames->labelling->job->log, &frames->last);
    if (frames->read == SHW_OK)
        return true;
    free_pixels(&frame->before);
    free_pixels(&frame->now.image);
    return false;
}

/* The previous frame is an input where there is one of the same size. */
static struct shw_inputs inputs_of(const struct frame *frame, struct shw_input inputs[2])
{
    const struct shw_image *image = &frame->now.image, *before = &frame->before;
    bool follows = before->pixels != NULL && before->width == image->width && before->height == image->height;

    inputs[0] = (struct shw_input){.image = *image};
    inputs[1] = (struct shw_input){.name = SHW_PREVIOUS, .image = *before};
    return (struct shw_inputs){.count = follows ? 2 : 1, .inputs = inputs};
}

static void label_frame(void *user, uint32_t slot, uint32_t thread)
{
    const struct frames *frames = user;
    const struct labelling *labelling = frames->labelling;
    struct frame *frame = &frames->slots[slot];
    const struct shw_log log = shw_kept_log_of(&frame->kept, &labelling->job->log);
    struct shw_labeller *labeller = shw_labellers_take(labelling->job->labellers, &log);
    struct shw_input list[2];
    const struct shw_inputs inputs = inputs_of(frame, list);
    double start = shw_clock();

    (void)thread;
    frame->result = shw_picture_label(&labelling->each, labelling->outputs, labeller, &frame->now.image, &inputs, 0.0,
                                      labelling->which->place, &log, &frame->results);
    shw_labellers_give(labelling->job->labellers, labeller);
    frame->seconds = shw_clock() - start;
    if (frame->result == SHW_OK)
        shw_label_job_calibrate(labelling->job, &frame->results);
}

static void show_progress(const struct labelling *labelling, double position)
{
    const double duration = shw_video_duration(labelling->reader), seconds = shw_clock() - labelling->start;
    char text[160];

    snprintf(text, sizeof text, "frame %llu, %.1f frames/s", (unsigned long long)labelling->frames,
             (double)labelling->frames / seconds);
    if (duration > 0.0)
        cli_progress(labelling->all->report, fmin(position / duration, 0.999), text);
}

/* Writes what was made of a frame, unless an earlier one has failed. */
static enum shw_result end_frame(struct labelling *labelling, struct frame *frame)
{
    struct shw_label_job *job = labelling->job;

    shw_kept_log_pass(&frame->kept, &job->log);
    labelling->seconds += frame->seconds;
    labelling->width = frame->now.image.width;
    labelling->height = frame->now.image.height;
    SHW_PROPAGATE(frame->result);
    if (!job->focal_warned && shw_forest_focal_is_assumed(shw_forest_get_info(job->forest)))
        job->focal_warned =
            shw_focal_warn(labelling->which->path, labelling->width, "give the camera's with --focal", &job->log);
    SHW_PROPAGATE(keep_frame(labelling, &frame->now, &frame->results));
    labelling->frames++;
    show_progress(labelling, frame->now.seconds);
    return SHW_OK;
}

static bool take_frame(void *user, uint32_t slot)
{
    struct frames *frames = user;
    struct frame *frame = &frames->slots[slot];

    if (frames->result == SHW_OK)
        frames->result = end_frame(frames->labelling, frame);
    shw_label_results_free(&frame->results);
    frame->results = (struct shw_label_results){0};
    free_pixels(&frame->now.image);
    free_pixels(&frame->before);
    return frames->result == SHW_OK;
}

/* One after the other, without threads. */
static void label_one_by_one(struct frames *frames)
{
    while (begin_frame(frames, 0)) {
        label_frame(frames, 0, 0);
        if (!take_frame(frames, 0))
            break;
    }
}

static enum shw_result label_frames(struct labelling *labelling)
{
    const struct shw_label_job *job = labelling->job;
    const uint32_t at_once = shw_max_u32(job->at_once, 1), count = at_once > 1 ? at_once + 1 : 1;
    struct frames frames = {.labelling = labelling,
                            .slots = calloc(count, sizeof *frames.slots),
                            .moves = shw_channels_read(shw_forest_get_info(job->forest)->channel_list, SHW_PREVIOUS)};
    const struct shw_in_order order = {at_once, count, &frames, begin_frame, label_frame, take_frame};
    enum shw_result result = SHW_OK;

    if (frames.slots == NULL)
        return shw_fail_memory(&job->log, "frames");
    for (uint32_t s = 0; s < count; s++)
        shw_kept_log_init(&frames.slots[s].kept);
    if (at_once > 1)
        result = shw_in_order_run(&order, &job->log);
    else
        label_one_by_one(&frames);
    for (uint32_t s = 0; s < count; s++)
        shw_kept_log_destroy(&frames.slots[s].kept);
    free_pixels(&frames.last);
    free(frames.slots);
    result = result == SHW_OK ? frames.result : result;
    return result == SHW_OK ? frames.read : result;
}

/* The files get their names, all of them complete. */
static enum shw_result complete(struct labelling *labelling)
{
    struct shw_label_job *job = labelling->job;

    if (labelling->file != NULL) {
        SHW_PROPAGATE(shw_video_close(&labelling->file));
        SHW_PROPAGATE(shw_output_files_look_again(&job->outputs, labelling->path));
        SHW_PROPAGATE(shw_atomic_file_commit(&labelling->written, &job->log));
    }
    if (labelling->table_path != NULL) {
        SHW_PROPAGATE(shw_output_files_look_again(&job->outputs, labelling->table_path));
        SHW_PROPAGATE(shw_object_table_commit(&labelling->table, &job->log));
    }
    return shw_label_job_write_classes(job);
}

static void report_video(const struct labelling *labelling)
{
    struct cli_label_videos *all = labelling->all;

    all->labelled++;
    all->frames += labelling->frames;
    json_array_append_new(all->videos,
                          json_pack("{s:o, s:i, s:i, s:I, s:f}", "video", shw_json_text(labelling->which->path),
                                    "width", (int)labelling->width, "height", (int)labelling->height, "frames",
                                    (json_int_t)labelling->frames, "seconds", labelling->seconds));
}

static enum shw_result label_video(struct labelling *labelling)
{
    struct shw_label_job *job = labelling->job;
    struct shw_object_columns columns;

    SHW_PROPAGATE(make_content(job, &labelling->each));
    columns = shw_label_objects_columns(&labelling->each.objects);
    labelling->outputs = shw_label_job_outputs(job);
    labelling->path = has_overlay(job) ? overlay_path(job, labelling->which) : NULL;
    labelling->table_path = has_table(job) ? path_of(job, labelling->which, "_" SHW_OBJECTS_TABLE) : NULL;
    if ((has_overlay(job) && labelling->path == NULL) || (has_table(job) && labelling->table_path == NULL) ||
        !shw_output_files_copy_inputs(&job->outputs, &labelling->files))
        return shw_fail_memory(&job->log, "the names of files");
    SHW_PROPAGATE(shw_video_open(labelling->which->path, &job->log, &labelling->reader));
    if (labelling->table_path != NULL)
        SHW_PROPAGATE(shw_object_table_open(&labelling->table, labelling->table_path, &columns, &job->log));
    SHW_PROPAGATE(label_frames(labelling));
    SHW_PROPAGATE(complete(labelling));
    report_video(labelling);
    return SHW_OK;
}

void cli_label_videos_run(struct cli_label_videos *all, const struct shw_image_list *videos)
{
    for (uint32_t i = 0; i < videos->count; i++) {
        struct labelling labelling = {.all = all, .job = all->job, .which = &videos->list[i], .start = shw_clock()};
        enum shw_result result;

        all->report->failed = false;
        result = label_video(&labelling);
        if (result != SHW_OK) {
            all->failed++;
            /* the video is unsupported, not the device */
            all->code = result == SHW_ERROR_UNSUPPORTED ? SHW_EXIT_FAILURE : shw_exit_code(result);
        }
        shw_video_close(&labelling.file);
        shw_atomic_file_abandon(&labelling.written);
        shw_object_table_abandon(&labelling.table);
        shw_video_close_reader(&labelling.reader);
        shw_output_files_free(&labelling.files);
        shw_label_files_free(&labelling.each.labels);
        free(labelling.path);
        free(labelling.table_path);
        cli_progress_end();
    }
}
