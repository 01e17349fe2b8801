/* Sources of pictures: an image file, a folder of images, a data set, a video file or a camera.
 *
 * A source opens and decodes on its own thread; no function here except view_source_close() waits for that thread.
 * view_source_poll(), called once per frame, returns the pictures.
 *
 * Pictures of files come in order, and the first one without a request. While playing, a picture is due when the
 * source's clock has reached its time; of several that are due, the last one is returned (but see `every_picture`). If
 * reading takes longer than that, the clock is put back to the picture that came late. A picture requested by a step or
 * a seek is always returned, playing or not. The pictures of a folder or a data set are one second apart. Cameras
 * return the newest picture.
 *
 * Threads: a source is used by one thread at a time; different sources may be used by different threads. Messages,
 * including errors, go to the log given at opening, from the calling thread and from the source's own; the log's
 * function must allow that. Pictures that cannot be read are logged and skipped; when nothing more can be read the
 * source is at its end, and seeking may still work. */
#ifndef VIEW_SOURCE_SOURCE_H
#define VIEW_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/log.h>

#include "files/dataset/own_inputs.h"
#include "source/picture.h"
#include "source/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

struct shw_dataset_params;
struct view_source;

enum view_source_state {
    VIEW_SOURCE_OPENING, /* the thread is still opening it; all functions can be called already */
    VIEW_SOURCE_READY,
    VIEW_SOURCE_FAILED /* it could not be opened, which was logged; it has no pictures and can only be closed */
};

struct view_source_params {
    /* What to open; copied. A path of an image file, a video file, a folder, a project (NAME.json), whose pictures are
     * then as those of a folder, or a video device (/dev/video0); or
     *   camera:DEVICE    that video device
     *   camera:FILE      a camera that shows a video or image file in real time, over and over
     *   dataset:FOLDER   a data set with one of the usual layouts; a folder that has one is taken for a data set
     *                    without the prefix, too: CURFIL's NAME_colors.png and NAME_ground_truth.png, or
     * NAME_colors.png and NAME_depth.png without labels; or sub-folders images and labels (Images and GroundTruth)
     * where labels are called NAME, NAME_L or NAME_GT; depth images in a sub-folder depth; the pictures that a file
     *                    sequences.txt lists (docs/datasets.md), if there is one
     *   depth:VIDEO      the depth of a video or of a video device, its 16-bit grey pictures, instead of its colours;
     *                    an image file or a folder of them may be in its place, whose pictures must be 16-bit grey
     *   SCHEME://...     a stream as libavformat opens it, as a video
     * The contents of a file decide what it is. NULL with `dataset`. */
    const char *spec;
    const struct shw_dataset_params
        *dataset;       /* opens this data set, with its own rules and log; borrowed while the source is open */
    bool every_picture; /* while playing, returns every picture of a video, at most one per poll, and the clock waits
                            for them */
    const struct view_other_inputs *others; /* borrowed; NULL: none. Cameras refuse files, videos all but depth */
    struct shw_image_choice choice;         /* how image files are read; see view_source_choose() */
    struct shw_log log;
};

/* Begins to open a source. It is paused, except for a camera, which plays. Errors, all logged: ARGUMENT (no spec, files
 * of other inputs for a video or a camera), IO (no such file), MEMORY; errors found later by the thread set the state
 * FAILED. Release *source with view_source_close(). */
enum shw_result view_source_open(const struct view_source_params *params, struct view_source **source);

/* Stops the thread, waits for it (reading of an image file is given up between rows) and frees the source with the
 * pictures that it still holds. Pictures that were returned stay valid. Sets *source to NULL; accepts NULL and a
 * pointer to NULL. */
void view_source_close(struct view_source **source);

/* The picture to show from now on, or NULL if it has not changed. Never waits. `now` is the time in seconds of any
 * monotonic clock, the same one for every call; playing follows it. The caller owns the picture: view_picture_free().
 */
struct view_picture *view_source_poll(struct view_source *source, double now);

/* Plays from the shown picture; at the end, from the start, also if it is still playing. */
void view_source_play(struct view_source *source);
/* Stops at the shown picture. */
void view_source_pause(struct view_source *source);

/* That picture of the source, which was returned before the last one, is still shown: the next one is the one after it.
 * Cancels pending steps and seeks. Has no effect on cameras. */
void view_source_return(struct view_source *source, const struct view_picture *picture);

/* Speed of playing: 1 is real time; clamped to VIEW_SPEED_MIN..VIEW_SPEED_MAX. Has no effect on cameras. */

#define VIEW_SPEED_MIN 0.1
#define VIEW_SPEED_MAX 16.0
void view_source_set_speed(struct view_source *source, double speed);

/* Requests the picture after the shown one, and pauses; for a camera, the next new one. Several steps return as many
 * pictures, one per poll. At the end there is none. Errors: LIMIT, not logged: too many steps are pending. */
enum shw_result view_source_step_forward(struct view_source *source);

/* Requests the picture before the shown one, and pauses. At the start it returns the first one again. Errors: LIMIT as
 * above; UNSUPPORTED, logged: a camera. */
enum shw_result view_source_step_back(struct view_source *source);

/* Requests the picture that is shown `seconds` after the start: the last one not later than that, the first one for a
 * time before the start, the last one for a time after the end. Cancels pending steps and seeks. Playing continues from
 * there. When following a slider, seek only while nothing is pending, or no picture may come until the slider rests.
 * Errors: UNSUPPORTED, logged: a camera. ARGUMENT, logged: not a number. */
enum shw_result view_source_seek(struct view_source *source, double seconds);

/* Seeks to picture `index` of an image, a folder or a data set. Errors: UNSUPPORTED, logged: a source of another kind.
 */
enum shw_result view_source_go_to(struct view_source *source, uint32_t index);

struct view_source_info {
    enum view_source_kind kind;
    enum view_source_state state;
    uint32_t count;    /* pictures of an image, a folder or a data set; 0 for others and while opening */
    uint32_t index;    /* of the last picture returned, below count; 0 for videos and cameras */
    double seconds;    /* position of the last picture returned, from the start; also for folders */
    double duration;   /* seconds; 0 if unknown */
    double frame_rate; /* pictures per second according to the file; 0 if unknown; 1 for folders */
    bool playing;      /* stays true at the end */
    bool at_end;       /* no picture follows the last one returned */
    bool pending;      /* a step, a seek or the opening is pending: a poll will return a picture, or the state becomes
                          at_end or FAILED */
    double speed;
};
/* Never waits for decoding. */
void view_source_info(struct view_source *source, struct view_source_info *info);

/* The name of picture `index`: a path, or its name in the data set; NULL from the count of view_source_info() on. Valid
 * until closing. */
const char *view_source_name(struct view_source *source, uint32_t index);

/* The image file of picture `index`, also of a data set, to be freed; NULL as above, or memory is exhausted. */
char *view_source_file(struct view_source *source, uint32_t index);

/* What opens the same source again, as in view_source_params; to be freed. NULL: memory is exhausted, or it was opened
 * as a data set without a path. */
char *view_source_spec(const struct view_source *source);

/* Calls `visit` with the paths of the files that the source reads: the images of a folder or a data set, which are
 * known once it is READY, with their other inputs; a video. Errors: MEMORY. */
enum shw_result view_source_list_files(struct view_source *source, void (*visit)(void *to, const char *path), void *to);

/* The classes of a data set once it is READY; NULL with *count 0 for others. Valid until closing. */
const struct shw_class *view_source_classes(struct view_source *source, uint32_t *count);

#ifdef __cplusplus
}
#endif

/* A list of inputs' files, which does not change any more: jobs read it. */
struct view_beside {
    struct view_beside *before;                  /* another list */
    struct shw_input_file files[SHW_INPUTS_MAX]; /* the given ones, then those of a project, whose paths are owned */
    uint32_t given, count;
};

/* A list of what single files have as inputs, which does not change any more, as above. */
struct view_own {
    struct view_own *before;
    struct shw_own_inputs inputs;
};

/* The open source, and what is expected from it. For the main thread. */

struct view_player {
    struct view_source *source; /* or NULL */
    bool every_picture;         /* of videos: the clock waits for frames, so that scripts see the same ones each time */
    struct shw_image_choice chosen; /* how image files are read, by the user or a project */
    bool recalled;                  /* by a forest that was trained so */
    struct view_other_inputs others;
    struct view_beside *beside; /* the last of the lists of files that others.files has been; NULL: what was given */
    struct view_own *own;       /* the last of the lists that others.own has been; NULL: there was none */
    struct view_plane_names *planes;    /* the same of others.planes */
    bool given_frames;                  /* others.frames as it was given */
    uint64_t opened;                    /* sources so far */
    uint64_t reported;                  /* the last one whose ignored channels were reported */
    struct shw_image_facts facts;       /* of the picture that came last */
    bool opening;                       /* no picture of the source has come yet */
    bool settle;                        /* a script waits for the source's answer */
    const struct view_actions *actions; /* to open other things than sources */
    struct shw_log log;                 /* used on the source's thread, too */
    struct {
        struct shw_intensity_range shown; /* in the fields */
        char low[40], high[40];
    } fields; /* text fields of the panel */
};

/* Opens a source, replacing the previous one: see view_source_params. Its pictures come from view_player_poll().
 * Errors: those of view_source_open(). */
enum shw_result view_player_open(struct view_player *player, const char *spec);

/* Frees the lists that are read by whatever reads pictures of the source, which must have ended. Accepts
 * zero-initialised ones. */
void view_player_free(struct view_player *player);

/* Image files come with these inputs, too, unless their names are among the given ones, and without where there is no
 * such file; `frames`: pictures of a folder are frames of a video. Opens the source again if that is something else
 * than before, at the same picture. Paths are copied. Errors: MEMORY, those of opening. */
enum shw_result view_player_read_beside(struct view_player *player, const struct shw_input_file *files, uint32_t count,
                                        bool frames);

/* Single image files come with these inputs instead of others of the same name, unless their names are among the given
 * ones, and without where there is no such file. Takes them. `again`: the shown picture is read again if they are
 * others than before. Errors: MEMORY. */
enum shw_result view_player_read_own(struct view_player *player, struct shw_own_inputs *own, bool again);

/* Pictures that are files, also of data sets, come with these planes of their own files, as far as they have them; the
 * shown one is read again (*again) if there are more than before. Names stay for good. Errors: MEMORY. */
enum shw_result view_player_want_planes(struct view_player *player, const char *const *names, uint32_t count,
                                        bool *again);

/* Takes the next picture if it is due, without waiting; the caller owns it. NULL: none. `now` is
 * in seconds. Errors: IO, while a script waits, for a source that turns out to have no picture. */
enum shw_result view_player_poll(struct view_player *player, double now, struct view_picture **picture);

/* Whether frames are to come with the previous frame from now on, also the one that is shown. Warns where pictures
 * are no frames. */
void view_player_want_previous(struct view_player *player, bool wanted);

/* Reads image files by that choice from now on, also the picture that is shown. Errors: ARGUMENT. */
enum shw_result view_player_choose(struct view_player *player, const struct shw_image_choice *choice);
/* The choice, with the range that was found by the source if none is chosen. */
struct shw_image_choice view_player_get_choice(const struct view_player *player);

/* Goes to the picture at a place (source/file_place.h) or, of a video, to the frame of that name, and pauses. False: it
 * is not among the source's pictures. Both may be NULL. */
bool view_player_go_to(struct view_player *player, const char *place, const char *frame);

/* As view_source_info(); all zero without a source. */
struct view_source_info view_player_info(const struct view_player *player);

/* The classes of a data set; NULL for others. Valid until another source is open. */
const struct shw_class *view_player_classes(const struct view_player *player, uint32_t *count);

/* Actions, on a struct view_player. */
extern const struct view_action_group view_source_group, view_choice_group;

#endif
