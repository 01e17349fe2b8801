#include "record/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/machine.h"
#include "files/image/draw.h"
#include "files/io/image_paths.h"
#include "files/objects/scale_bar.h"
#include "job/times.h"

#define PAUSE 2.0 /* seconds between two pictures that are not recorded as such: the source was paused, or sought */

/* What the thread works with. */
struct recording {
    struct view_recorder *recorder;
    struct shw_video_file *file;
    struct shw_labeller *labeller;
    struct view_shared_forest *forest; /* of the labeller */
};

static enum shw_result need_labeller(struct recording *recording, struct view_shared_forest *forest)
{
    const struct shw_labeller_params params = {.forest = forest->forest,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU,
                                               .smoothing = view_shared_forest_smoothing(forest),
                                               .threads = shw_spare_processors(),
                                               .log = recording->recorder->log};

    if (recording->forest == forest)
        return SHW_OK;
    shw_labeller_destroy(&recording->labeller);
    view_shared_forest_release(&recording->forest);
    SHW_PROPAGATE(shw_labeller_create(&params, &recording->labeller));
    recording->forest = view_shared_forest_share(forest);
    return SHW_OK;
}

/* The inputs that the forest reads; the rest is left out. */
static enum shw_result label(struct recording *recording, const struct view_record_picture *picture,
                             const struct shw_inputs *inputs, uint16_t *labels)
{
    const struct shw_labelling out = {.argmax = labels};
    struct view_picture shown = {.image = inputs->inputs[0].image, .input_count = inputs->count - 1};
    struct shw_input input[SHW_INPUTS_MAX];
    struct shw_inputs given;

    SHW_PROPAGATE(need_labeller(recording, picture->forest));
    memcpy(shown.inputs, inputs->inputs + 1, shown.input_count * sizeof *shown.inputs);
    given = view_picture_inputs(&shown, shw_forest_get_info(picture->forest->forest)->channel_list, input);
    return shw_labeller_run(recording->labeller, &given, &out);
}

static enum shw_result need_file(struct recording *recording, const struct shw_image *image, double frame_rate)
{
    const struct view_recorder *recorder = recording->recorder;
    const struct shw_video_params params = {
        .path = recorder->path, .width = image->width, .height = image->height, .frame_rate = frame_rate};

    return recording->file == NULL ? shw_video_create(&params, &recorder->log, &recording->file)
                                   : shw_video_check_size(recording->file, image->width, image->height);
}

static enum shw_result write_picture(struct recording *recording, const struct view_record_picture *picture)
{
    static const struct shw_class none;
    const struct shw_log *log = &recording->recorder->log;
    struct shw_inputs inputs;
    const struct shw_image *image;
    uint16_t *labels;
    uint8_t *overlay = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_pixels_get(picture->pixels, log, &inputs));
    image = &inputs.inputs[0].image;
    SHW_PROPAGATE(need_file(recording, image, picture->frame_rate));
    labels = calloc((size_t)image->width * image->height, sizeof *labels);
    if (labels == NULL)
        return shw_fail_memory(log, "a recording");
    result = picture->forest != NULL ? label(recording, picture, &inputs, labels) : SHW_OK;
    if (result == SHW_OK) {
        const struct shw_class *classes =
            picture->forest != NULL ? shw_forest_get_info(picture->forest->forest)->classes : &none;
        overlay = shw_overlay_image(image, labels, classes, picture->forest != NULL ? picture->opacity : 0);
        if (overlay != NULL)
            shw_draw_scale_bar(&(struct shw_canvas){overlay, image->width, image->height}, picture->scale_side);
        result = overlay != NULL ? shw_video_add(recording->file, overlay, picture->seconds)
                                 : shw_fail_memory(log, "a recording");
    }
    free(overlay);
    free(labels);
    return result;
}

static void free_picture(struct view_record_picture *picture)
{
    shw_pixels_release(&picture->pixels);
    view_shared_forest_release(&picture->forest);
}

/* Waits for the next picture; false: there is none any more. */
static bool next(struct view_recorder *recorder, struct view_record_picture *picture)
{
    bool any;

    view_job_lock(&recorder->job);
    while (recorder->count == 0 && !recorder->ends)
        view_job_sleep(&recorder->job);
    any = recorder->count > 0;
    if (any) {
        *picture = recorder->queue[recorder->first];
        recorder->first = (recorder->first + 1) % VIEW_RECORD_QUEUE;
        recorder->count--;
        view_job_wake(&recorder->job);
    }
    view_job_unlock(&recorder->job);
    return any;
}

static enum shw_result work(void *user)
{
    struct view_recorder *recorder = user;
    struct recording recording = {.recorder = recorder};
    struct view_record_picture picture;
    enum shw_result result = SHW_OK, closed;

    while (result == SHW_OK && next(recorder, &picture)) {
        result = write_picture(&recording, &picture);
        free_picture(&picture);
        view_job_lock(&recorder->job);
        recorder->written += result == SHW_OK;
        view_job_unlock(&recorder->job);
    }
    closed = shw_video_close(&recording.file);
    shw_labeller_destroy(&recording.labeller);
    view_shared_forest_release(&recording.forest);
    view_job_lock(&recorder->job);
    recorder->ended = true;
    view_job_wake(&recorder->job);
    view_job_unlock(&recorder->job);
    return result != SHW_OK ? result : closed;
}

bool view_recorder_is_on(const struct view_recorder *recorder)
{
    return recorder->path != NULL;
}

enum shw_result view_recorder_begin(struct view_recorder *recorder, const char *path, bool complete,
                                    const struct shw_log *log)
{
    static const struct view_job_kind kind = {"the recording", SHW_PRIORITY_RECORDING, work, NULL};
    char said[sizeof recorder->said];
    enum shw_result result;

    if (view_recorder_is_on(recorder))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is being recorded: `record off` ends that",
                        recorder->path);
    if (!shw_video_can_be_written(path))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: names of videos end with .mkv, .mp4, .mov or .avi", path);
    memcpy(said, recorder->said, sizeof said); /* of the last recording, if that has not been shown yet */
    *recorder = (struct view_recorder){.log = *log, .path = strdup(path), .complete = complete, .clock = -1.0};
    memcpy(recorder->said, said, sizeof said);
    if (recorder->path == NULL)
        return shw_fail_memory(log, path);
    view_job_init(&recorder->job, &kind, recorder);
    result = view_job_begin(&recorder->job, log);
    if (result == SHW_OK)
        return SHW_OK;
    view_job_free(&recorder->job);
    free(recorder->path);
    recorder->path = NULL;
    return result;
}

static void summarise(struct view_recorder *recorder, enum shw_result result)
{
    char dropped[64] = "";

    if (recorder->dropped > 0)
        snprintf(dropped, sizeof dropped, "; %llu were dropped", (unsigned long long)recorder->dropped);
    snprintf(recorder->said, sizeof recorder->said, "recorded %llu picture%s to %s%s",
             (unsigned long long)recorder->written, recorder->written == 1 ? "" : "s", recorder->path, dropped);
    if (result == SHW_OK && recorder->dropped == 0)
        return;
    shw_log_message(&recorder->log, SHW_LOG_WARNING, SHW_LOG_FILE_WRITE, "%s%s", recorder->said,
                    result != SHW_OK && recorder->written > 0 ? "; what is there can be played" : "");
    recorder->said[0] = '\0'; /* the log shows it */
}

enum shw_result view_recorder_end(struct view_recorder *recorder)
{
    enum shw_result result;

    if (!view_recorder_is_on(recorder))
        return SHW_OK;
    view_job_lock(&recorder->job);
    recorder->ends = true;
    view_job_wake(&recorder->job);
    view_job_unlock(&recorder->job);
    view_job_wait(&recorder->job);
    result = view_job_take(&recorder->job);
    view_job_free(&recorder->job);
    for (; recorder->count > 0; recorder->count--) { /* left by a failure */
        free_picture(&recorder->queue[recorder->first]);
        recorder->first = (recorder->first + 1) % VIEW_RECORD_QUEUE;
    }
    summarise(recorder, result);
    free(recorder->path);
    recorder->path = NULL;
    return result;
}

void view_recorder_poll(struct view_recorder *recorder)
{
    if (view_recorder_is_on(recorder) && view_job_is_done(&recorder->job))
        view_recorder_end(recorder);
}

/* The time of the picture in the recording, in which pauses and jumps of the source are left out. */
static double advance(struct view_recorder *recorder, const struct view_picture *picture,
                      const struct view_source_info *info)
{
    double now = info->kind == VIEW_SOURCE_CAMERA ? view_clock() : picture->seconds, step = now - recorder->last;

    if (recorder->clock < 0.0)
        recorder->clock = 0.0;
    else if (step > 0.0 && step < PAUSE)
        recorder->clock += step;
    else
        recorder->clock += info->frame_rate > 0.0 ? 1.0 / info->frame_rate : 0.04;
    recorder->last = now;
    return recorder->clock;
}

void view_recorder_take(struct view_recorder *recorder, const struct view_scene *scene, double scale_side)
{
    const struct view_picture *picture = scene->picture;
    const struct view_source_info info = view_player_info(scene->player);
    struct view_record_picture taken = {.opacity = scene->settings.opacity, .scale_side = scale_side};
    struct shw_input input[SHW_INPUTS_MAX];
    struct shw_inputs inputs;

    if (!view_recorder_is_on(recorder) || picture == NULL || scene->picture_count == recorder->taken)
        return;
    recorder->taken = scene->picture_count;
    taken.seconds = advance(recorder, picture, &info);
    taken.frame_rate = info.frame_rate;
    view_job_lock(&recorder->job);
    while (recorder->complete && recorder->count == VIEW_RECORD_QUEUE && !recorder->ended)
        view_job_sleep(&recorder->job);
    if (recorder->count == VIEW_RECORD_QUEUE || recorder->ended) {
        recorder->dropped += !recorder->ended;
        view_job_unlock(&recorder->job);
        return;
    }
    view_job_unlock(&recorder->job);
    inputs = view_picture_inputs(picture, NULL, input);
    taken.pixels = shw_pixels_copy(&inputs);
    taken.forest = view_shared_forest_share(scene->forest);
    view_job_lock(&recorder->job);
    if (taken.pixels != NULL) {
        recorder->queue[(recorder->first + recorder->count++) % VIEW_RECORD_QUEUE] = taken;
        view_job_wake(&recorder->job);
    } else {
        recorder->dropped++;
        view_shared_forest_release(&taken.forest);
    }
    view_job_unlock(&recorder->job);
}
