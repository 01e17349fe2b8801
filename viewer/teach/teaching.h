/* Teaching by painting: the open project, its strokes, and the training worker that trains forests on them while frames
 * are shown.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_TEACH_TEACHING_H
#define VIEW_TEACH_TEACHING_H

#include "action/action.h"
#include "annotate/annotating.h"
#include "files/project/picture_labels.h"
#include "files/project/project_texts.h"
#include "files/project/stroke.h"
#include "label/label_worker.h"
#include "label/scene.h"
#include "source/thumbnails.h"
#include "teach/autosave_project.h"
#include "teach/away.h"
#include "teach/box_marks.h"
#include "teach/frames_before.h"
#include "teach/painting.h"
#include "teach/picture_list.h"
#include "teach/region.h"
#include "teach/train_worker.h"

/* The search for the most uncertain pixel of the shown picture, in the background. */
struct view_search {
    struct view_label_worker *worker; /* NULL until needed */
    bool wanted;                      /* but not begun yet */
    bool running, given_up;
    uint32_t class_count, margin;
    struct shw_part part;              /* of the picture, where it is searched */
    struct shw_picture_labels *labels; /* painted ones; NULL: none */
    bool found;                        /* by the worker, like the following */
    uint32_t x, y;
    double marked; /* the place is marked until then, in seconds of view_clock() */
};

/* Waits for the search in progress. */
void view_search_destroy(struct view_search *search);

/* Starts a search for the most uncertain unlabelled place of the shown picture, of a large one among the pixels of its
 * overview; view_search_poll() centres the view on it, and marks it for some seconds. Errors: ARGUMENT (no forest or no
 * picture). */
enum shw_result view_search_begin(struct view_search *search, const struct view_scene *scene);

/* Must be called when another picture is shown: discards the result. */
void view_search_give_up(struct view_search *search);

/* Whether the search is pending. */
bool view_search_is_running(const struct view_search *search);

/* Centres the view on the pixel once it is found. `labels` are the picture's; NULL: none. Errors: ARGUMENT (every pixel
 * is labelled), those of labelling. */
enum shw_result view_search_poll(struct view_search *search, struct view_scene *scene,
                                 struct shw_picture_labels *labels);

/* The wand: the connected region of pixels whose shown labels are the same. */
struct view_wand {
    bool wanted;
    bool asked; /* the labels that are being read are for it */
    bool waits; /* for exact labels of what is seen of a large picture */
    bool far;   /* and of what is not seen */
    uint32_t number;
    struct shw_point pixel;
};

/* Must be called when another picture is shown, or the classes have changed. */
void view_wand_give_up(struct view_wand *wand);

/* Whether there will be a region; and whether that needs no more than frames. */
bool view_wand_is_running(const struct view_wand *wand);
bool view_wand_needs_frames(const struct view_wand *wand);

/* *found: the region has been found, and `runs` are its pixels, to be freed. Errors: ARGUMENT (the labels have
 * vanished), LIMIT (the region is too large), MEMORY. */
enum shw_result view_wand_poll(struct view_wand *wand, struct view_scene *scene, struct view_runs *runs, bool *found);

/* The outline that a lasso or polygon has so far, in pixels of the picture. */
struct view_outline {
    bool begun;
    uint32_t number; /* the class to label, or SHW_LABEL_VOID */
    struct shw_point *points;
    uint32_t count, capacity;
};

/* Begins with a first point, in place of what there was. False: out of memory. */
bool view_outline_begin(struct view_outline *outline, uint32_t number, struct shw_point point);

/* Appends a point unless it is the last one. False: out of memory, or there are SHW_STROKE_POINTS_MAX of them. */
bool view_outline_append(struct view_outline *outline, struct shw_point point);

/* Takes back the last point; with the first one, the outline is given up. */
void view_outline_take_back(struct view_outline *outline);

/* Gives it up. Accepts zero-initialised and given up ones. */
void view_outline_drop(struct view_outline *outline);

/* What the mouse does on the picture (tools.h). */
enum view_hand {
    VIEW_HAND_PAN,
    VIEW_HAND_BRUSH,
    VIEW_HAND_ERASER,
    VIEW_HAND_FILL,
    VIEW_HAND_LASSO,
    VIEW_HAND_POLYGON,
    VIEW_HAND_WAND,
    VIEW_HAND_RECTANGLE,
    VIEW_HAND_COUNT
};

/* The size of a brush. */
struct view_size {
    uint32_t radius;
    bool screen; /* in pixels of the canvas, whatever the zoom; otherwise of the picture */
};

/* What trains: by default the device in slices between frames or, if the device is a CPU, `cpu` on the training
 * worker's thread, which yields to the frames. */
enum view_trainer { VIEW_TRAINER_AUTO, VIEW_TRAINER_DEVICE, VIEW_TRAINER_CPU, VIEW_TRAINER_COUNT };
extern const char *const view_trainer_names[VIEW_TRAINER_COUNT];

/* What a script waits for. */
enum view_train_wait { VIEW_WAIT_NONE, VIEW_WAIT_SMALL, VIEW_WAIT_FULL, VIEW_WAIT_JUDGED };

/* Times from the end of the last stroke until it affects the screen, in seconds of view_clock(). */
struct view_stroke_times {
    uint64_t revision; /* of the project at its end */
    double ended;
    struct view_train_times training; /* of the first forest trained with it */
    uint64_t frames;                  /* number of the first frame with that forest's labels; 0: not yet */
    double shown;                     /* when that frame was noticed to have finished on the device; 0: not yet */
    bool sketched;                    /* at its end there were no labels, or not everywhere */
    double covered;                   /* then: when there were some everywhere, exact or not; 0: not yet */
    uint32_t slices;
    double slice_seconds; /* of the slices, from recording to completion */
};

struct view_teaching {
    struct view_scene *scene; /* borrowed, like the next */
    const struct view_cursor *cursor;
    struct view_annotating *annotating; /* as above */
    struct view_project project;
    uint32_t opened; /* how often another project was opened, or none */
    bool careful;    /* interactive use: asks before work is discarded or replaced */
    uint64_t saves;  /* how often a project was saved */
    struct view_question question;
    struct view_autosave *autosave;  /* NULL: no copies of unsaved work are kept */
    struct view_left_list recovered; /* work that can be recovered */
    bool rescue;                     /* the program ends by a failure: unsaved work stays recoverable */
    struct shw_class *classes;       /* the project's, for the scene */
    uint32_t class_count;
    uint64_t renumbered; /* revision since which class numbers are valid */

    struct view_train_worker *worker;
    uint64_t number;              /* number of the last forest taken from the worker (struct view_train_status) */
    struct shw_held_out accuracy; /* of the worker's measurement number `measurements`; without classes: none */
    uint64_t measurements;
    uint64_t judged;           /* the revision that it is of */
    uint64_t announced;        /* the worker's measurements for which a frame was asked for */
    enum view_trainer trainer; /* here */
    struct view_away away;
    uint64_t memory; /* bytes that training may use on the host; 0: a quarter of the machine's */
    double drawn;    /* when the last frame began */
    enum view_train_wait wait;
    VkCommandBuffer commands; /* for training slices */
    VkFence fence;

    struct view_painting painting;
    bool hide_strokes;
    enum view_hand hand;
    struct view_size brush, eraser;
    struct {
        bool on;
        uint32_t number;
        struct shw_point point;
    } approach;                  /* the mouse is drawn outside the picture: the stroke has not begun */
    struct view_outline outline; /* of the lasso or polygon in progress */
    struct view_wand wand;
    struct view_stroke_times times;
    struct view_search search;
    struct view_frames_before frames_before;
    struct view_picture_list list;
    struct view_box_marks box_marks;
    struct view_thumbnails *thumbnails; /* of the list */
    struct view_ranking ranking;
    struct {
        char add[128], rename[128];
        char depth[1024], depth_was[1024]; /* the pattern, and what it was when the field was filled */
        bool more;                         /* the field for a new class is to get the focus */
        bool next;                         /* the same, once the panels have seen the click that takes it from fields */
    } fields;                              /* text fields of the panel */
    struct {
        bool on;                              /* labels before a change of choices are shown left of the wipe's line */
        struct shw_project_training training; /* what was chosen then, */
        char *depth;                          /* and its pattern; or NULL */
    } preview;
    char said[1024]; /* what an action has written, for the shell to show and reset */
};

/* `teaching` must not move. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_teaching_create(struct view_scene *scene, const struct view_cursor *cursor,
                                     struct view_annotating *annotating, struct view_teaching *teaching);
/* Recorded commands must have finished. Accepts zero-initialised ones. */
void view_teaching_destroy(struct view_teaching *teaching);

/* Keeps copies of unsaved work in a folder from now on, and finds what others left there. Errors: MEMORY. */
enum shw_result view_teaching_keep_copies(struct view_teaching *teaching, const char *folder);
/* Opens work that can be recovered. Errors: those of reading it. */
enum shw_result view_teaching_recover(struct view_teaching *teaching, uint32_t item);

/* Shows the recovered project's pictures: opens its file as the source, or else the folder of its first painted
 * picture, or its first painted frame's video there; if there is no such file, shows that picture as it was kept.
 * Errors: those of sources, MEMORY. */
enum shw_result view_teaching_show_pictures(struct view_teaching *teaching);

/* Whether something is asked that covers the picture. */
bool view_teaching_asks(const struct view_teaching *teaching);

/* Replaces the open project with a new one. Errors: MEMORY. */
enum shw_result view_teaching_new(struct view_teaching *teaching);
/* Closes the project; its picture, and a forest that was loaded, stay. Errors: those of view_scene_set_forest(). */
enum shw_result view_teaching_close(struct view_teaching *teaching);
/* Opens pictures that are painted on for the open project. Errors: ARGUMENT (there is none, or these are no pictures),
 * and those of sources. */
enum shw_result view_teaching_add_pictures(struct view_teaching *teaching, const char *path);
/* Opens a project file; its pictures become the source. Errors: those of view_project_read() and of sources. */
enum shw_result view_teaching_open(struct view_teaching *teaching, const char *path);
/* Whether a file of that kind may be written there, beside what the program reads and the project with its pictures
 * (files/io/output_files.h); `files` is to be freed in either case. Errors: ARGUMENT, IO, MEMORY. */
enum shw_result view_teaching_begin_output(const struct view_teaching *teaching, const char *path,
                                           const struct shw_file_kind *kind, struct shw_output_files *files);
/* The same without the list of files, by which they are looked at again before they are written. */
enum shw_result view_teaching_check_output(const struct view_teaching *teaching, const char *path,
                                           const struct shw_file_kind *kind);
/* See view_project_write(). `replace`: whatever the file is, except one that is read. */
enum shw_result view_teaching_save(struct view_teaching *teaching, const char *path, bool replace);

/* Changes the trainer; training in progress is restarted. Errors: MEMORY. */
enum shw_result view_teaching_set_trainer(struct view_teaching *teaching, enum view_trainer trainer);

/* Replaces the worker, after a change of who trains; training in progress is restarted. Errors: MEMORY. */
enum shw_result view_teaching_restart(struct view_teaching *teaching);

/* Lets a program that this command starts train, usually on another machine (docs/serve.md); NULL or "": that of
 * before. Training in progress is restarted. If the connection ends, training goes on here, and the log says so.
 * Errors: ARGUMENT, IO (the program cannot be started), MEMORY, UNSUPPORTED. */
enum shw_result view_teaching_connect(struct view_teaching *teaching, const char *command);
/* Trains here again. Errors: MEMORY. */
enum shw_result view_teaching_disconnect(struct view_teaching *teaching);

/* Limits the host memory of training and of measuring accuracy, to bytes; 0: a quarter of the machine's. Training in
 * progress is restarted. Errors: MEMORY. */
enum shw_result view_teaching_set_memory(struct view_teaching *teaching, uint64_t bytes);

/* Updates everything for the scene's picture. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_teaching_follow(struct view_teaching *teaching);

/* Updates the classes after a change of the project. Errors: those of view_scene_set_forest(). */
enum shw_result view_teaching_classes_changed(struct view_teaching *teaching);

void view_teaching_end_stroke(struct view_teaching *teaching);
/* Labels runs of pixels of the shown picture as one stroke. Errors: those of view_painting_add(). */
enum shw_result view_teaching_add_area(struct view_teaching *teaching, uint32_t number, const struct view_runs *runs);
enum shw_result view_teaching_undo(struct view_teaching *teaching, bool redo);

/* Changes the parameters of the project's training, and the pattern of its depth (NULL: as it is, "": none). Pictures
 * come with what they read from then on. Errors: those of shw_project_set_training(); FORMAT: a painted picture has no
 * depth or height, but would need it; those of sources, MEMORY. */
enum shw_result view_teaching_set_training(struct view_teaching *teaching, const struct shw_project_training *training,
                                           const char *depth);

/* Trains with what a text makes (shw_project_put_text()); `file`: that it came from. Takes over the hold. Errors: those
 * of shw_project_put_text() and view_teaching_set_training(); what there was stays then. Or without it. */
enum shw_result view_teaching_put_text(struct view_teaching *teaching, const char *file,
                                       const struct shw_code_made *made);
enum shw_result view_teaching_remove_text(struct view_teaching *teaching, uint32_t index);

/* Where a plane of the project's pictures is: a pattern from the project's folder, or NULL, their own files. Errors:
 * ARGUMENT, FORMAT (a picture with strokes lacks it there; nothing is changed), MEMORY. */
enum shw_result view_teaching_set_plane_files(struct view_teaching *teaching, const char *name, const char *pattern);

/* Ends the preview of other choices, which stay. */
void view_teaching_end_preview(struct view_teaching *teaching);

/* Before a picture of what is shown is made: draws strokes, unless they are hidden. */
void view_teaching_set_strokes(struct view_teaching *teaching);

/* Before a frame: gives the training worker its share of the frame's time, takes a new forest, and updates the image of
 * strokes. Errors: those of view_scene_set_forest(), DEVICE_LOST. */
enum shw_result view_teaching_frame(struct view_teaching *teaching);
/* After a frame: notes whether it shows the last stroke's forest. */
void view_teaching_shown(struct view_teaching *teaching);

/* Whether frames record training, in slices; and whether a frame that shows the last stroke's forest has not finished
 * yet. */
bool view_teaching_is_recorded(const struct view_teaching *teaching);

/* Checks whether the frame that shows the last stroke's forest has finished, waiting up to `seconds`. */
void view_teaching_notice(struct view_teaching *teaching, double seconds);

/* Polls the work in the background; of it, only the wand needs frames. Errors: those of view_search_poll(). */
enum shw_result view_teaching_poll(struct view_teaching *teaching);

/* Whether a place, a region or the pictures are being searched for, which scripts wait for. */
bool view_teaching_is_searching(const struct view_teaching *teaching);

/* How many seconds the caller may wait before polling again. */
double view_teaching_patience(const struct view_teaching *teaching);

/* Whether it needs frames. */
bool view_teaching_is_busy(const struct view_teaching *teaching);

/* Whether a whole forest of the project is going to replace the one that is shown, or the lack of one; `fraction`: how
 * much of it is trained. Frames are needed for that. Not of a forest that was loaded, nor while training is paused. */
bool view_teaching_expects_forest(struct view_teaching *teaching, double *fraction);

/* Whether the forest that is shown was trained on less than what is painted, and stays: it was restored. */
bool view_teaching_shows_earlier_forest(const struct view_teaching *teaching);

/* Whether a script must wait for training or a search. Errors: ARGUMENT if it would wait for ever. */
enum shw_result view_teaching_waits(struct view_teaching *teaching, bool *waits);

/* The accuracy of the last full forest, valid until the next call, of the project's classes or the first of them; NULL:
 * not measured yet, or of classes with other numbers. */
const struct shw_held_out *view_teaching_accuracy(struct view_teaching *teaching);

/* What has been learned, in words, before a stroke was painted here. */
const char *view_teaching_learned(const struct view_teaching *teaching);

/* Chooses what the mouse does on the picture if a project is open. */
void view_teaching_take_in_hand(struct view_teaching *teaching, enum view_hand hand);

/* Actions, on a struct view_teaching. */
extern const struct view_action_group view_project_group, view_list_group, view_tools_group, view_teach_group,
    view_smoothing_group, view_choices_group, view_planes_group;

#endif
