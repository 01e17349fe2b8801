/* Where pictures come from: an image file, a folder of them, a data set, a video file or a camera.
 *
 * A source decodes on a thread of its own, which also opens it; no function here but view_source_close() waits for that
 * thread. The pictures come out of view_source_poll(), which the program calls once a frame.
 *
 * Of files, pictures come in order, and the first one comes without being asked for. While playing, a picture is due
 * when the source's clock has reached its time; of several that are due, the last one comes (see `every_picture`). A
 * picture that a step or a seek asked for always comes, playing or not. The pictures of a folder or a data set are one
 * second apart. Of a camera the newest picture comes.
 *
 * Threads: one source is used by one thread at a time, several sources by several. Messages, errors too, go to the log
 * that was given at opening, from the calling thread and from the source's own; the log's function must stand that. A
 * picture that cannot be read is logged and skipped; when nothing more can be read the source is at its end, and
 * seeking may still help. */
#ifndef VIEW_SOURCE_SOURCE_H
#define VIEW_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/log.h>

#include "source/kind.h"
#include "source/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

struct shw_dataset_params;
struct view_other_inputs;
struct view_source;

enum view_source_state {
    VIEW_SOURCE_OPENING, /* the thread is still opening it; everything may be asked of it already */
    VIEW_SOURCE_READY,
    VIEW_SOURCE_FAILED /* it could not be opened, which was logged; it has no pictures and can only be closed */
};

struct view_source_params {
    /* What to open; copied. A path of an image file, a video file, a folder, a project (NAME.json), whose pictures are
     * then as those of a folder, or a video device (/dev/video0); or
     *   camera:DEVICE    that video device
     *   camera:FILE      a camera that shows a video or image file in real time, over and over
     *   dataset:FOLDER   a data set with one of the usual layouts; a folder that has one is taken for a data set
     *                    without the prefix, too: CURFIL's NAME_colors.png and NAME_ground_truth.png, or sub-folders
     *                    images and labels (Images and GroundTruth) where labels are called NAME, NAME_L or NAME_GT;
     *                    depth images in a sub-folder depth; the pictures that a file
     *                    sequences.txt lists (docs/datasets.md), if there is one
     *   SCHEME://...     a stream as libavformat opens it, as a video
     * What a file is, is told by its contents. NULL with `dataset`. */
    const char *spec;
    const struct shw_dataset_params
        *dataset;       /* opens this data set, by its own rules and log; borrowed while the source is open */
    bool every_picture; /* while playing, each picture of a video comes, one a poll at most, and the clock waits for
                           that */
    /* What pictures come with: source/other_inputs.h. Files are refused of videos and cameras, which have none beside
     * them. Borrowed while the source is open; NULL: nothing. */
    const struct view_other_inputs *others;
    struct shw_log log;
};

/* Begins to open a source. It is paused, but for a camera, which plays. Errors, all logged: ARGUMENT (no spec, files of
 * other inputs for a video or a camera), IO (there is no such file), MEMORY; what the thread finds out later makes the
 * state FAILED. *source is released by view_source_close(). */
enum shw_result view_source_open(const struct view_source_params *params, struct view_source **source);

/* Stops the thread, waits for it (at most for the picture that it is decoding) and frees the source with the pictures
 * that it still holds. Pictures that came out of it stay. Sets *source to NULL; accepts NULL and a pointer to NULL. */
void view_source_close(struct view_source **source);

/* The picture to show from now on, or NULL if it is still the one before. Never waits. `now` is the time in seconds by
 * any clock that does not go backwards, the same one at each call; playing goes by it. The caller owns the picture:
 * view_picture_free(). */
struct view_picture *view_source_poll(struct view_source *source, double now);

/* Plays from the picture shown; at the end, from the start, also if it is playing still. */
void view_source_play(struct view_source *source);
/* Stays at the picture shown. */
void view_source_pause(struct view_source *source);

/* How fast playing is: 1 is real time; clamped to VIEW_SPEED_MIN..VIEW_SPEED_MAX. Does nothing to a camera. */
#define VIEW_SPEED_MIN 0.1
#define VIEW_SPEED_MAX 16.0
void view_source_set_speed(struct view_source *source, double speed);

/* Asks for the picture after the one shown, and pauses; of a camera, for the next new one. Several steps give as many
 * pictures, one a poll. At the end it gives none. Errors: LIMIT, not logged: more steps wait already than anyone would
 * want. */
enum shw_result view_source_step_forward(struct view_source *source);

/* Asks for the picture before the one shown, and pauses. At the start it gives the first one again. Errors: LIMIT as
 * above; UNSUPPORTED, logged: a camera. */
enum shw_result view_source_step_back(struct view_source *source);

/* Asks for the picture that is shown `seconds` after the start: the last one not later than that, the first one for a
 * time before the start, the last one for one after the end. Steps and seeks before it that have not been answered yet
 * are forgotten. Playing goes on from there. Whoever follows a slider should seek when nothing is pending, or no
 * picture may come until it rests. Errors: UNSUPPORTED, logged: a camera. ARGUMENT, logged: not a number. */
enum shw_result view_source_seek(struct view_source *source, double seconds);

/* Seeks to picture `index` of an image, a folder or a data set. Errors: UNSUPPORTED, logged: a source of another kind.
 */
enum shw_result view_source_go_to(struct view_source *source, uint32_t index);

struct view_source_info {
    enum view_source_kind kind;
    enum view_source_state state;
    uint32_t count;    /* pictures of an image, a folder or a data set; 0 for others and while opening */
    uint32_t index;    /* of the picture that came last, below count; 0 for videos and cameras */
    double seconds;    /* place of the picture that came last, from the start; also for folders */
    double duration;   /* seconds; 0 where unknown */
    double frame_rate; /* pictures a second as the file says; 0 where unknown; 1 for folders */
    bool playing;      /* stays true at the end */
    bool at_end;       /* nothing is left after the picture that came last */
    bool pending;      /* a step, a seek or the opening is not answered yet: a poll will bring something, or the end, or
                          FAILED */
    double speed;
};
/* Never waits for decoding. */
void view_source_info(struct view_source *source, struct view_source_info *info);

/* The name of picture `index`: a path, or a data set's name for it; NULL from the count of view_source_info() on. Valid
 * until closing. */
const char *view_source_name(struct view_source *source, uint32_t index);

/* The classes of a data set once it is READY; NULL with *count 0 for others. Valid until closing. */
const struct shw_class *view_source_classes(struct view_source *source, uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
