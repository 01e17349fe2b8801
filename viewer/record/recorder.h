/* Recording what is shown of a video or a camera, under its overlay, as a video. Pictures are labelled and encoded on a
 * thread of low priority; those for which it has no time are dropped and counted.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_RECORD_RECORDER_H
#define VIEW_RECORD_RECORDER_H

#include "files/project/pixels.h"
#include "files/video/video_write.h"
#include "job/job.h"
#include "label/scene.h"

#define VIEW_RECORD_QUEUE 3u

/* A picture to be recorded, and what with. */
struct view_record_picture {
    struct shw_pixels *pixels;
    struct view_shared_forest *forest; /* NULL: without labels */
    uint32_t opacity;                  /* percent */
    double scale_side;                 /* of a pixel in micrometres, for a scale bar; 0: none is drawn */
    double seconds, frame_rate;        /* 0: unknown */
};

struct view_recorder {
    struct shw_log log; /* used on the thread, too */
    char *path;         /* NULL: nothing is recorded */
    bool complete;      /* no picture is dropped: the program waits */
    double last, clock; /* when the last picture was shown: in the source, and in the recording */
    uint64_t taken, dropped;
    char said[1024]; /* the summary, for the shell to show and reset */

    struct view_job job;
    struct view_record_picture queue[VIEW_RECORD_QUEUE]; /* under the lock, like the rest */
    uint32_t first, count;
    bool ends;
    bool ended; /* by a failure, too */
    uint64_t written;
};

/* Begins to record to a file, which must be checked (files/io/output_files.h). `complete`: see above. Errors: ARGUMENT
 * (the name; a recording is in progress), MEMORY; others come later. */
enum shw_result view_recorder_begin(struct view_recorder *recorder, const char *path, bool complete,
                                    const struct shw_log *log);

/* Waits until all pictures that were taken are written, and sums up. Nothing happens if nothing is recorded. Errors:
 * those of the recording. */
enum shw_result view_recorder_end(struct view_recorder *recorder);

/* Takes the scene's picture, if it is a new one. `scale_side` as above. */
void view_recorder_take(struct view_recorder *recorder, const struct view_scene *scene, double scale_side);

/* Notices that the recording has ended by itself, by a failure. */
void view_recorder_poll(struct view_recorder *recorder);

bool view_recorder_is_on(const struct view_recorder *recorder);

#endif
