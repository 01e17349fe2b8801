/* A simulated camera: shows a file in real time, in a loop. */
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "source/reader.h"

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

static enum shw_result read_next(void *user, struct view_reading *reading)
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
                                   .next = read_next,
                                   .close = close_camera,
                                   .first_ticks = camera->file.first_ticks,
                                   .tick_seconds = camera->file.tick_seconds,
                                   .frame_rate = camera->file.frame_rate};
    return SHW_OK;
}
