/* Teaching by painting: the project that is open, what is painted in it, and the training worker that learns from it
 * while frames are shown.
 *
 * For the main thread. Errors tell themselves through the program's log. */
#ifndef VIEW_TEACH_TEACHING_H
#define VIEW_TEACH_TEACHING_H

#include "teach/painted.h"
#include "teach/search.h"
#include "teach/train_worker.h"

struct view_app;

/* What the mouse does on the picture. */
enum view_hand { VIEW_HAND_PAN, VIEW_HAND_BRUSH, VIEW_HAND_ERASER, VIEW_HAND_COUNT };
extern const char *const view_hand_names[VIEW_HAND_COUNT];

/* Who trains: by default the device in slices between frames, or, if the device is itself a CPU, `cpu` on the training
 * worker's thread, which gives way to the frames. */
enum view_trainer { VIEW_TRAINER_AUTO, VIEW_TRAINER_DEVICE, VIEW_TRAINER_CPU, VIEW_TRAINER_COUNT };
extern const char *const view_trainer_names[VIEW_TRAINER_COUNT];

/* What a script waits for. */
enum view_train_wait { VIEW_WAIT_NONE, VIEW_WAIT_SMALL, VIEW_WAIT_FULL, VIEW_WAIT_JUDGED };

/* The last stroke's way to the screen, in seconds of CLOCK_MONOTONIC. */
struct view_stroke_times {
    uint64_t revision; /* of the project when it had ended */
    double ended;
    struct view_train_times training; /* of the first forest that knows it */
    uint64_t frames;                  /* until the one with that forest's labels; 0: not yet */
    double shown;                     /* that frame was over on the device, as far as is known; 0: not yet */
    uint32_t slices;
    double slice_seconds; /* slices, from recording to the end on the device */
};

#define VIEW_MORE_CLASSES 6u /* it is scrolled into sight before */

struct view_teaching {
    struct shw_project *project; /* NULL: none is open */
    char *path;                  /* of its file; NULL: it has none yet */
    char *folder;                /* that names of pictures count from, with a slash at its end; "" without a file */
    uint64_t saved;              /* revision that the file has */
    uint64_t warned;             /* revision of which it was told that it is not saved */
    struct shw_class *classes;   /* the project's, as others want them */
    uint32_t class_count;
    uint64_t renumbered; /* revision since which numbers mean these classes */

    struct view_train_worker *worker;
    uint64_t number; /* of the training worker's forest that was taken last (struct view_train_status) */
    enum view_trainer trainer;
    double drawn; /* when the last frame began */
    enum view_train_wait wait;
    VkCommandBuffer commands; /* for slices of training */
    VkFence fence;

    struct view_painted painted;
    uint32_t picture; /* of the project, that is shown; UINT32_MAX: not painted on */
    uint64_t marked;  /* revision of the project that `painted` has */
    bool hide_strokes;
    enum view_hand hand;
    uint32_t radius;
    struct shw_point last;  /* of the stroke that is being painted */
    uint32_t stroke_radius; /* of that */
    struct view_stroke_times times;
    struct view_search search;
    uint64_t *counts; /* see view_teaching_count_labels() */
    uint64_t counted; /* the revision that they are of */
    struct {
        char add[128], rename[128], file[512], import[512];
        uint32_t chosen; /* class that was brought into sight */
        uint32_t more;   /* frames until the field of a new class takes the keys; 0: it does not */
    } fields;            /* of the panel, while they are typed */
};

enum shw_result view_teaching_create(struct view_app *app);
/* Nothing that was recorded may still run. */
void view_teaching_destroy(struct view_app *app);

/* Makes a project the one that is open, in place of the one before; owns it from now on. */
enum shw_result view_teaching_use(struct view_app *app, struct shw_project *project);
/* A new project, in place of the one that is open; classes and strokes come by actions. Errors: MEMORY. */
enum shw_result view_teaching_new(struct view_app *app);
/* Whether a file's name is that of a project: it ends with .json. */
bool view_is_project(const char *path);
/* The project in a file; its pictures become the source. Errors: those of shw_project_read() and of sources. */
enum shw_result view_teaching_open(struct view_app *app, const char *path);
/* Writes the file; NULL: the one that the project has. Pictures that are no files, frames of videos, are written beside
 * it, into a folder of the file's name with -frames behind it. Errors: ARGUMENT, IO, MEMORY. */
enum shw_result view_teaching_save(struct view_app *app, const char *path);

/* Another trainer; what is on the way begins anew. Errors: MEMORY. */
enum shw_result view_teaching_set_trainer(struct view_app *app, enum view_trainer trainer);

/* Whether the project may be closed: nothing is painted that was not saved, or that was told already, since the last
 * stroke. Tells it. */
bool view_teaching_may_close(struct view_app *app);

/* ARGUMENT, told, where no project is open. */
enum shw_result view_teaching_need_project(struct view_app *app);

/* The name that the shown picture has in the project, or would have; NULL where memory is short. To be freed with
 * free(). */
char *view_teaching_picture_name(struct view_app *app);

/* What an image file is called in the project; NULL where memory is short, or there is no such file. To be freed with
 * free(). */
char *view_teaching_file_name(struct view_app *app, const char *path);

/* Another picture is shown. */
enum shw_result view_teaching_show(struct view_app *app);

/* Classes have changed, or may have. */
enum shw_result view_teaching_classes_changed(struct view_app *app);

/* Makes the shown picture one of the project. Errors: ARGUMENT (no project or picture), MEMORY. */
enum shw_result view_teaching_need_picture(struct view_app *app);

/* Pixels of each class over all pictures, as they were when the last stroke had ended: class_count numbers, valid until
 * the project changes. NULL, told, where memory is short. */
const uint64_t *view_teaching_count_labels(struct view_app *app);

/* Painting on the shown picture; `number` is a class or SHW_LABEL_VOID. A video stays at its picture from then on. */
enum shw_result view_teaching_begin_stroke(struct view_app *app, uint32_t number, uint32_t radius,
                                           struct shw_point point);
enum shw_result view_teaching_extend_stroke(struct view_app *app, struct shw_point point);
void view_teaching_end_stroke(struct view_app *app);
enum shw_result view_teaching_undo(struct view_app *app, bool redo);

/* The shown picture's labels, width * height; NULL where nothing is painted on it. */
const uint16_t *view_teaching_labels(struct view_app *app);

/* Before a frame: lets the training worker work as long as a frame has time for it, takes a new forest, and brings
 * `painted` up to date. Errors: those of view_app_set_forest(), DEVICE_LOST. */
enum shw_result view_teaching_frame(struct view_app *app);
/* After it: the forest that is shown now. */
void view_teaching_shown(struct view_app *app);

/* Looks whether the frame that shows what the last stroke has taught is over, and waits that many seconds for it. */
void view_teaching_notice(struct view_app *app, double seconds);

/* While frames may or may not come: what is done beside them. Errors: those of view_search_poll(). */
enum shw_result view_teaching_poll(struct view_app *app);

/* How long at most, in seconds, until something here is worth looking after. */
double view_teaching_patience(const struct view_app *app);

/* Whether frames are to come without being asked for. */
bool view_teaching_is_busy(const struct view_app *app);

/* Whether what a script waits for, or has begun, is still to come. Errors: ARGUMENT where it will not come. */
enum shw_result view_teaching_waits(struct view_app *app, bool *waits);

/* Mouse and project permitting, the mouse then paints or erases. */
void view_teaching_take_in_hand(struct view_app *app, enum view_hand hand);

/* Where the middle of the pixel below the mouse is on the canvas. */
void view_teaching_brush_middle(const struct view_app *app, float *x, float *y);

/* Brush or eraser is in hand, over the picture. */
bool view_teaching_has_brush(const struct view_app *app);

#endif
