/* Videos whose pictures come with depth: another track of the file, or another file. A picture has the depth that is
 * nearest in time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <shadewood/input.h>

#include "base/log.h"
#include "files/dataset/pattern.h"
#include "files/io/image_paths.h"
#include "source/reader.h"

/* Pictures whose nearest depth is further away have none at any pixel. */

#define APART_SECONDS 0.1

struct video {
    struct view_reader colour, depth;
    double offset;                     /* from the time of a picture to that of its depth */
    struct view_reading nearest, next; /* of the depth; without pictures: none yet, or none any more */
    bool ended;                        /* there is no next */
    bool told_size, told_apart;
    char *name, *depth_path; /* depth_path: NULL for a track */
    struct shw_log log;
};

static double seconds_of(const struct view_reader *reader, const struct view_reading *reading)
{
    return (double)(reading->ticks - reader->first_ticks) * reader->tick_seconds;
}

static void forget(struct view_reading *reading)
{
    view_picture_free(reading->picture);
    *reading = (struct view_reading){0};
}

static double distance(const struct video *video, const struct view_reading *reading, double time)
{
    return reading->picture != NULL ? fabs(seconds_of(&video->depth, reading) - time) : INFINITY;
}

/* Reads on to the depth that is nearest to a time. */
static enum shw_result advance(struct video *video, double time)
{
    for (;;) {
        if (video->next.picture == NULL && !video->ended) {
            SHW_PROPAGATE(video->depth.next(video->depth.user, &video->next));
            video->ended = video->next.picture == NULL;
        }
        if (video->ended || distance(video, &video->next, time) > distance(video, &video->nearest, time))
            return SHW_OK;
        view_picture_free(video->nearest.picture);
        video->nearest = video->next;
        video->next = (struct view_reading){0};
    }
}

static enum shw_result add_missing(const struct video *video, struct view_picture *picture)
{
    const uint32_t width = picture->image.width, height = picture->image.height;
    uint16_t *zeros = calloc((size_t)width * height, sizeof *zeros);
    bool fine = zeros != NULL &&
                view_picture_add(picture, SHW_DEPTH, &(struct shw_image){zeros, width, height, 0, SHW_PIXEL_GREY16});

    free(zeros);
    return fine ? SHW_OK : shw_fail_memory(&video->log, video->name);
}

/* Gives the picture its depth if that has the same size, and says once if it has not. */
static enum shw_result add_depth(struct video *video, const struct view_reading *reading)
{
    struct view_picture *picture = reading->picture;
    const struct shw_image *image = &picture->image, *depth;
    const double time = seconds_of(&video->colour, reading) + video->offset;

    SHW_PROPAGATE(advance(video, time));
    if (distance(video, &video->nearest, time) > APART_SECONDS) {
        if (!video->told_apart)
            shw_log_message(&video->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
                            "%s: no depth within %g s of the picture at %.3f s; it is missing in all of its pixels",
                            video->name, APART_SECONDS, picture->seconds);
        video->told_apart = true;
        return add_missing(video, picture);
    }
    depth = &video->nearest.picture->image;
    if (depth->width == image->width && depth->height == image->height)
        return view_picture_add(picture, SHW_DEPTH, depth) ? SHW_OK : shw_fail_memory(&video->log, video->name);
    if (!video->told_size)
        shw_log_message(
            &video->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
            "%s is shown without its depth, which has %u x %u pixels, not %u x %u; depth:%s shows the depth "
            "alone",
            video->name, depth->width, depth->height, image->width, image->height,
            video->depth_path != NULL ? video->depth_path : video->name);
    video->told_size = true;
    return SHW_OK;
}

/* Without its depth a picture is not shown. */
static enum shw_result complete(struct video *video, enum shw_result result, struct view_reading *reading)
{
    if (result == SHW_OK && reading->picture != NULL)
        result = add_depth(video, reading);
    if (result != SHW_OK)
        forget(reading);
    return result;
}

static enum shw_result read_next(void *user, struct view_reading *reading)
{
    struct video *video = user;

    return complete(video, video->colour.next(video->colour.user, reading), reading);
}

/* The depth at that time or before; advance() looks at what follows. */
static enum shw_result find_depth(struct video *video, double time)
{
    const struct view_reader *depth = &video->depth;

    forget(&video->nearest);
    forget(&video->next);
    video->ended = false;
    return depth->at(depth->user, depth->first_ticks + llround(fmax(time, 0.0) / depth->tick_seconds), false,
                     &video->nearest);
}

static enum shw_result read_at(void *user, int64_t ticks, bool back, struct view_reading *reading)
{
    struct video *video = user;
    enum shw_result result = video->colour.at(video->colour.user, ticks, back, reading);

    if (result == SHW_OK && reading->picture != NULL)
        result = find_depth(video, seconds_of(&video->colour, reading) + video->offset);
    return complete(video, result, reading);
}

static enum shw_result list_files(void *user, void (*visit)(void *to, const char *path), void *to)
{
    const struct video *video = user;

    if (video->depth_path != NULL)
        visit(to, video->depth_path);
    return SHW_OK;
}

static void close_video(void *user)
{
    struct video *video = user;

    if (video->colour.close != NULL)
        video->colour.close(video->colour.user);
    if (video->depth.close != NULL)
        video->depth.close(video->depth.user);
    forget(&video->nearest);
    forget(&video->next);
    free(video->name);
    free(video->depth_path);
    free(video);
}

static double begin_of(const struct view_reader *reader)
{
    return (double)reader->first_ticks * reader->tick_seconds;
}

/* The file with the depth of a video. NULL if memory is exhausted. */
static char *path_of(const struct view_stream_params *params, const char *pattern)
{
    char base[SHW_BASE_NAME_SIZE];

    shw_image_base_name(params->name, base);
    return shw_pattern_fill(pattern, base, strlen(base));
}

/* From another file if params->others names one, otherwise from the track of the same file. */
static enum shw_result open_depth(const struct view_stream_params *params, struct video *video)
{
    static const struct view_other_inputs none;
    struct view_stream_params depth = *params;
    char *url = NULL;
    enum shw_result result;

    depth.depth = true;
    depth.others = &none;
    if (params->others->count > 0) {
        video->depth_path = path_of(params, params->others->files[0].path);
        url = video->depth_path != NULL ? shw_path_join("file:", video->depth_path, "") : NULL;
        if (url == NULL)
            return shw_fail_memory(params->log, params->name);
        depth.url = url;
        depth.name = video->depth_path;
    }
    result = view_read_stream(&depth, &video->depth);
    free(url);
    if (result == SHW_OK && video->depth_path == NULL)
        video->offset = begin_of(&video->colour) - begin_of(&video->depth);
    return result;
}

/* The reader of the pictures becomes one of pictures with depth. */
static enum shw_result with_depth(const struct view_stream_params *params, struct view_reader *reader)
{
    struct video *video = calloc(1, sizeof *video);
    enum shw_result result;

    if (video == NULL)
        return shw_fail_memory(params->log, params->name);
    video->colour = *reader;
    video->log = *params->log;
    *reader = (struct view_reader){0};
    video->name = strdup(params->name);
    result = video->name != NULL ? open_depth(params, video) : shw_fail_memory(params->log, params->name);
    if (result != SHW_OK) {
        close_video(video);
        return result;
    }
    *reader = video->colour;
    reader->user = video;
    reader->next = read_next;
    reader->at = read_at;
    reader->list_files = list_files;
    reader->close = close_video;
    return SHW_OK;
}

enum shw_result view_check_video_inputs(const struct view_other_inputs *others, bool may, const char *name,
                                        const struct shw_log *log)
{
    for (uint32_t i = 0; i < others->count; i++)
        if (!may || strcmp(others->files[i].name, SHW_DEPTH) != 0)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "%s has no files beside it for the input %s: those are for images, folders and data sets, "
                            "and depth for videos",
                            name, others->files[i].name);
    return SHW_OK;
}

enum shw_result view_read_video(const struct view_stream_params *params, struct view_reader *reader)
{
    enum shw_result result = view_check_video_inputs(params->others, !params->depth, params->name, params->log);

    if (result == SHW_OK)
        result = view_read_stream(params, reader);
    if (result != SHW_OK || params->depth || (params->others->count == 0 && !reader->has_depth))
        return result;
    result = with_depth(params, reader);
    if (result != SHW_OK && reader->close != NULL)
        reader->close(reader->user);
    return result;
}

/* A simulated camera: shows a file in real time, in a loop. */

#define FRAME_SECONDS_DEFAULT 0.04
#define WAIT_SECONDS_MAX      0.01 /* so that closing takes effect soon */

struct camera {
    struct view_reader file;
    double frame_seconds;
    double begun; /* when the first picture of this loop was due, by the monotonic clock */
    double last;  /* position of the previous picture in the file */
    bool running;
    atomic_bool *stop;
};

static double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wait_until(const struct camera *camera, double due)
{
    for (double left; (left = due - clock_seconds()) > 0.0 && !atomic_load(camera->stop);) {
        double seconds = left < WAIT_SECONDS_MAX ? left : WAIT_SECONDS_MAX;

        nanosleep(&(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
    }
}

static enum shw_result read_next_due(void *user, struct view_reading *reading)
{
    struct camera *camera = user;
    enum shw_result result = camera->file.next(camera->file.user, reading);
    double now, place;

    if (result == SHW_OK && reading->picture == NULL && camera->running && !atomic_load(camera->stop)) {
        camera->begun += camera->last + camera->frame_seconds;
        camera->last = 0.0;
        result = camera->file.at(camera->file.user, camera->file.first_ticks, false, reading);
    }
    if (result != SHW_OK || reading->picture == NULL)
        return result;
    now = clock_seconds();
    place = (double)(reading->ticks - camera->file.first_ticks) * camera->file.tick_seconds;
    if (!camera->running || now - camera->begun - place > 1.0) /* at the start, or far too late */
        camera->begun = now - place;
    camera->running = true;
    camera->last = place;
    wait_until(camera, camera->begun + place);
    reading->picture->captured = camera->begun + place;
    return SHW_OK;
}

static void close_camera(void *user)
{
    struct camera *camera = user;

    camera->file.close(camera->file.user);
    free(camera);
}

enum shw_result view_read_camera_file(const struct view_stream_params *params, struct view_reader *reader)
{
    struct camera *camera = calloc(1, sizeof *camera);
    enum shw_result result;

    if (camera == NULL)
        return shw_fail_memory(params->log, params->name);
    result = view_read_video(params, &camera->file);
    if (result != SHW_OK) {
        free(camera);
        return result;
    }
    camera->frame_seconds = camera->file.frame_rate > 0.0 ? 1.0 / camera->file.frame_rate : FRAME_SECONDS_DEFAULT;
    camera->stop = params->stop;
    *reader = (struct view_reader){.user = camera,
                                   .next = read_next_due,
                                   .close = close_camera,
                                   .first_ticks = camera->file.first_ticks,
                                   .tick_seconds = camera->file.tick_seconds,
                                   .frame_rate = camera->file.frame_rate};
    return SHW_OK;
}
