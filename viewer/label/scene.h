/* What is shown: a picture, its overlay, and its position on the canvas; and what the program may write. For the
 * main thread. */
#ifndef VIEW_LABEL_SCENE_H
#define VIEW_LABEL_SCENE_H

#include "dense/forest/code.h"
#include "files/code/plugin.h"
#include "files/io/output_files.h"
#include "label/classes.h"
#include "label/labelling.h"
#include "label/labels.h"
#include "label/overlay.h"
#include "label/shown.h"
#include "source/source.h"

struct view_scene;

#define VIEW_OUTPUT_CASCADES 8u

struct view_outputs {
    bool overwrite; /* files that Shadewood did not write may be replaced */
    /* read by the program, borrowed; or NULL */
    const char *script, *settings, *rectangles, *cascades[VIEW_OUTPUT_CASCADES];
};

/* Begins a list of outputs: with the files of the scene's source, the file of the forest that was loaded last, also
 * where a taught one is shown since, and those above as inputs. Release it with shw_output_files_free(). */
void view_outputs_begin(const struct view_scene *scene, struct shw_output_files *files);

/* Adds an input; for functions that list files. `files`: a struct shw_output_files. */
void view_outputs_read(void *files, const char *path);

/* Names and colours of classes. */
struct view_classes {
    const struct shw_class *list; /* NULL: not described */
    uint32_t count;
};

/* The mouse, in pixels of the canvas; pixel 0 is from 0 to 1. */
struct view_cursor {
    double x, y;
    bool on_picture;     /* no panel is below it, and it is in the window */
    bool control, shift; /* held down */
};

/* Other labels beside those that are shown: left of the wipe's line. Those before smoothing, or of another forest. */
struct view_comparison {
    bool on;      /* wanted: those before smoothing */
    bool works;   /* there are labels to compare */
    bool colours; /* the overlay lacks them */
    bool wiped;   /* the wipe was opened for it, and closes with it */
    struct view_labelling labelling;
    struct view_overlay *overlay;      /* NULL until needed */
    struct view_shared_forest *other;  /* it is compared with this one, whose classes are the same; or NULL */
    struct view_shared_forest *of;     /* the scene's, or the other one, */
    struct view_shared_forest *forest; /* and what is shown: the same without smoothing, or the other one itself */
    uint64_t picture;                  /* as the scene's count */
};

struct view_scene {
    struct shw_log log;
    struct view_player *player; /* source of the pictures */
    struct shw_plugins plugins; /* for forests: only those that the command line names */
    uint64_t lacking;           /* the last picture (picture_count) of which was said that the forest cannot label it */
    struct view_outputs outputs;
    struct view_overlay *overlay;
    struct view_overlay_settings settings;
    struct view_labelling labelling; /* its parameters have the scene's GPU and frames, too */
    struct view_label_reading reading;
    struct view_class_shares shares;
    bool count_shares; /* even while they are not shown */

    struct view_picture *picture; /* or NULL */
    uint64_t stays;               /* how often the shown picture was to stay */
    uint64_t picture_count;       /* number of pictures shown so far */
    uint64_t labelled_count;      /* as it was when a picture was shown together with its labels last */
    struct view_shown shown;      /* its overview: all of it, or every so-manyth pixel of a large picture */
    struct view_detail detail;    /* what is seen of a large picture */
    uint32_t overview_pixels;     /* pictures with more pixels are large */
    uint32_t longest;             /* and those with longer sides; integral images are one pixel larger */
    struct view_display display;
    bool auto_range;                   /* its range is set for each picture */
    bool range_given;                  /* by the user; otherwise the picture says whether */
    bool upload;                       /* the images have not received the picture yet */
    struct view_shared_forest *forest; /* with its smoothing; or NULL */
    struct {
        char *path; /* of a forest that brings texts, which wait for an answer whether they may run; NULL: none */
        void *bytes;
        size_t size;                  /* of the file, as it was when it was opened */
        struct shw_forest_code *list; /* the texts */
        uint32_t count;
        bool may_wait; /* somebody answers; otherwise such forests are refused */
    } held_forest;
    const struct shw_channel_list *own_channels; /* of the project, with kinds of its own, to be shown instead of the
                                                    forest's; borrowed, held by its owner; NULL: none */
    char *forest_file;                           /* that the last forest was loaded from, which is an input; or NULL */
    struct {
        bool off;        /* labels are those before smoothing */
        uint32_t radius; /* chosen here, or SHW_SMOOTHING_NONE; 0: the forest's */
    } smoothing;
    struct view_comparison comparison;
    VkRenderPass pass; /* for its overlay */

    struct view_classes project; /* of the open project */
    bool teaches_motion;         /* it is trained on the previous frame, too */
    struct {
        bool all; /* and those that the shown picture has */
        uint32_t count;
        const char *names[SHW_INPUTS_MAX]; /* which stay for good */
    } taught_planes;                       /* that it is trained on, of pictures' own files */
    uint32_t truth_classes;                /* in the picture's ground truth */
    uint32_t class_count;                  /* classes with a colour */
    uint32_t planes;                       /* classes with probabilities */
    bool *hidden;                          /* [class_count] */
    bool colour_blind;                     /* default colours are shown as others, see label/classes.h */

    struct view_place place;
    struct view_area area; /* of the canvas, not covered by panels */
    bool fitted;           /* the view follows the size of that area */
    struct {
        bool on;
        const struct shw_image *image; /* or NULL */
    } instead;                         /* shown instead of the picture */

    bool redraw; /* something visible has changed */
};

/* Draws for `pass`. Everything that `params` points to must outlive the scene. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_scene_create(const struct view_labelling_params *params, struct view_player *player,
                                  VkRenderPass pass, struct view_scene *scene);
/* Recorded commands must have finished. Accepts zero-initialised and destroyed ones. */
void view_scene_destroy(struct view_scene *scene);

/* Shows a picture and takes ownership, also if it fails. A picture of the same kind as the shown one waits for its
 * labels if they take long. Errors: LIMIT (more memory than pictures may take; the shown one stays), UNSUPPORTED,
 * MEMORY, DEVICE_MEMORY. */
enum shw_result view_scene_show(struct view_scene *scene, struct view_picture *picture);

/* Keeps the shown picture, which is about to be worked on: its source pauses at it, and pictures that wait for their
 * labels are dropped. */
void view_scene_keep(struct view_scene *scene);

/* Labels with a forest, taking over the caller's share, and with the scene's smoothing; NULL: no labels. Errors:
 * MEMORY, DEVICE_MEMORY. */
enum shw_result view_scene_set_forest(struct view_scene *scene, struct view_shared_forest *forest);

/* Loads the forest that has waited, which is then done: its texts run. Errors: those of shw_code_forest_load(), and as
 * above. */
enum shw_result view_scene_load_held_forest(struct view_scene *scene);

/* Gives it up. */
void view_scene_drop_held_forest(struct view_scene *scene);

/* Whether a project is taught on the previous frame, with which frames then come. */
void view_scene_teach_motion(struct view_scene *scene, bool teaches);

/* Pictures come with the planes that are taught (scene->taught_planes) and shown (scene->display.planes), after a
 * change of these. Errors: MEMORY. */
enum shw_result view_scene_follow_planes(struct view_scene *scene);

/* Shows planes as colours, by these ranges. Errors: MEMORY. */
enum shw_result view_scene_show_planes(struct view_scene *scene, const struct shw_shown_planes *shown);

/* Changes scene->smoothing. Errors: as above. */
enum shw_result view_scene_smooth(struct view_scene *scene, bool off, uint32_t radius);

/* The radius with which the forest's labels are smoothed, if that is not off; 0: none, or no forest. */
uint32_t view_scene_radius(const struct view_scene *scene);

/* Whether the shares of classes are those of the whole picture: a large one is labelled little by little. */
bool view_scene_shares_are_final(const struct view_scene *scene);

/* Logs and returns ARGUMENT if there is no forest. */
enum shw_result view_scene_need_forest(const struct view_scene *scene);

/* Before a frame: takes finished labels, with the picture that waited for them, and begins the next labelling.
 * Errors: those of view_scene_show(), view_label_reading_prepare() and of labellers; then there are no labels until
 * something changes. */
enum shw_result view_scene_update(struct view_scene *scene);

/* Shows the labels of another forest left of the wipe's line, which is opened, taking over the caller's share; NULL: no
 * longer, and closes the line if it was opened for that. */
void view_scene_compare_with(struct view_scene *scene, struct view_shared_forest *other);

/* Opens the wipe for a comparison, or closes it if it was opened for one. */
void view_scene_open_wipe(struct view_scene *scene, bool open);

/* Whether other labels are shown left of the wipe's line. */
bool view_scene_compares(const struct view_scene *scene);

/* Allocates the counters of labels by class. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, DEVICE_LOST. */
enum shw_result view_scene_fit_shares(struct view_scene *scene);

/* Whether what is seen belongs to picture and forest, with the finest steps that can be seen. */
bool view_scene_is_current(const struct view_scene *scene);

/* The same, and whether all of the picture is labelled, at its overview's step. */
bool view_scene_is_complete(const struct view_scene *scene);

/* Whether frames are needed although nothing has been done: something is being uploaded or labelled. */
bool view_scene_needs_frames(const struct view_scene *scene);

/* The part of the picture in the images of a layer; its width is 0 if there is no such layer now. */
struct shw_part view_scene_part(const struct view_scene *scene, uint32_t layer);

/* In a frame, before labels are recorded: uploads what has changed of the picture. Returns whether something has. */
bool view_scene_upload(struct view_scene *scene, VkCommandBuffer commands, uint32_t slot);

/* The shown classes: those of the open project; otherwise the forest's; otherwise those of the data set, or the numbers
 * in the ground truth. Valid until project, forest or source change. */
struct view_classes view_scene_classes(const struct view_scene *scene);

/* Whether the forest, which there must be, has the classes of the open project, which may have more: it was trained on
 * it, or their names are the same. */
bool view_scene_forest_has_project_classes(const struct view_scene *scene);

/* Must be called when the number of classes may have changed. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_scene_update_classes(struct view_scene *scene);

/* The name of a class; `buffer` is for one that has none. */
const char *view_scene_class_name(const struct view_scene *scene, uint32_t number, char buffer[32]);
/* The colour in which a class is shown. */
void view_scene_class_colour(const struct view_scene *scene, uint32_t number, uint8_t colour[3]);

/* Must be called when colours of classes, how they are shown, or their visibility have changed. */
void view_scene_colour_classes(struct view_scene *scene);

/* Shows no picture any more, until the next one comes. */
void view_scene_drop_picture(struct view_scene *scene);

/* How many classes there are to choose from: those that are described, and others of the forest. `class_count` may have
 * more, of a forest or picture before. */
uint32_t view_scene_class_total(const struct view_scene *scene);

/* Drops the picture that waits for its labels: it is from another source. */
void view_scene_drop_waiting(struct view_scene *scene);

/* Finds a class by name or number; after a #, a number is never a name. */
bool view_scene_find_class(const struct view_scene *scene, const char *text, uint32_t *number);

/* Fits the image into the free area. */
void view_scene_fit(struct view_scene *scene);

/* Sets the free area; the centre of the view stays. */
void view_scene_set_area(struct view_scene *scene, struct view_area area);

/* Moves the image by x and y, in 1/256 of the canvas's pixels. */
void view_scene_move(struct view_scene *scene, int64_t x, int64_t y);

/* Centres the view on a pixel. */
void view_scene_centre(struct view_scene *scene, uint32_t x, uint32_t y);

/* Changes the zoom around a point of the canvas. */
void view_scene_zoom(struct view_scene *scene, uint32_t zoom, int32_t x, int32_t y);

/* Converts a position on the canvas to pixels of the image; false: outside, or there is no image. */
bool view_scene_find_place(const struct view_scene *scene, double x, double y, double *across, double *down);

/* The column of the canvas where the wipe ends; 0: no wipe. */
uint32_t view_scene_wipe_column(const struct view_scene *scene);

/* Actions, on a struct view_scene. */
extern const struct view_action_group view_label_group, view_view_group;

/* How old a camera's picture is when it can be seen with its labels: from its capture, by the camera's timestamp, until
 * the first frame that shows its overlay has finished on the device. For the main thread. */

struct view_camera_delay {
    uint64_t measured; /* number of the last picture that has been measured, as of the scene */
    double captured;   /* of the picture in the frame that has not been seen to finish; 0: there is none */
    uint64_t frame;    /* that frame's number */
};

/* After each frame: notes whether it is the first one with the overlay of a camera's picture. Of the pictures of frames
 * in flight, one is measured. */
void view_camera_delay_note(struct view_camera_delay *delay, const struct view_scene *scene);

/* Adds the delay to the times (VIEW_TIME_CAMERA) once that frame has finished, without waiting for it: exact as far as
 * this is called often. */
void view_camera_delay_check(struct view_camera_delay *delay, const struct view_labelling_params *params);

#endif
