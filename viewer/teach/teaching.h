/* Teaching by painting: the project that is open, what is painted in it, and the training worker that grows forests
 * from it while frames are shown.
 *
 * For the main thread. Functions that fail have logged why. */
#ifndef VIEW_TEACH_TEACHING_H
#define VIEW_TEACH_TEACHING_H

#include "teach/painting.h"
#include "teach/search.h"
#include "teach/train_worker.h"

/* What the mouse does on the picture. */
enum view_hand { VIEW_HAND_PAN, VIEW_HAND_BRUSH, VIEW_HAND_ERASER, VIEW_HAND_COUNT };
extern const char *const view_hand_names[VIEW_HAND_COUNT];

/* Who trains: by default the device in slices between frames, or, if the device is itself a CPU, `cpu` on the training
 * worker's thread, which gives way to the frames. */
enum view_trainer { VIEW_TRAINER_AUTO, VIEW_TRAINER_DEVICE, VIEW_TRAINER_CPU, VIEW_TRAINER_COUNT };
extern const char *const view_trainer_names[VIEW_TRAINER_COUNT];

/* What a script waits for. */
enum view_train_wait { VIEW_WAIT_NONE, VIEW_WAIT_SMALL, VIEW_WAIT_FULL, VIEW_WAIT_JUDGED };

/* The last stroke's way to the screen, in seconds of view_clock(). */
struct view_stroke_times {
    uint64_t revision; /* of the project when it had ended */
    double ended;
    struct view_train_times training; /* of the first forest that knows it */
    uint64_t frames;                  /* until the one with that forest's labels; 0: not yet */
    double shown;                     /* that frame was over on the device, as far as is known; 0: not yet */
    uint32_t slices;
    double slice_seconds; /* slices, from recording to the end on the device */
};

#define VIEW_MORE_CLASSES 6u /* frames: it is scrolled into sight before */

struct view_teaching {
    struct view_scene *scene; /* borrowed, as the next */
    const struct view_cursor *cursor;
    struct view_project project;
    bool careful;              /* someone works by hand, and is told before what is not saved goes */
    struct shw_class *classes; /* the project's, as others want them */
    uint32_t class_count;
    uint64_t renumbered; /* revision since which numbers mean these classes */

    struct view_train_worker *worker;
    uint64_t number; /* of the worker's forest that was taken last (struct view_train_status) */
    enum view_trainer trainer;
    double drawn; /* when the last frame began */
    enum view_train_wait wait;
    VkCommandBuffer commands; /* for slices of training */
    VkFence fence;

    struct view_painting painting;
    bool hide_strokes;
    enum view_hand hand;
    uint32_t radius;
    struct view_stroke_times times;
    struct view_search search;
    struct {
        char add[128], rename[128], file[512], import[512];
        uint32_t chosen; /* class that was brought into sight */
        uint32_t more;   /* frames until the field of a new class takes the keys; 0: it does not */
    } fields;            /* of the panel, while they are typed */
};

/* `teaching` must stay where it is. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_teaching_create(struct view_scene *scene, const struct view_cursor *cursor,
                                     struct view_teaching *teaching);
/* Nothing that was recorded may still run. Accepts zero-initialised ones. */
void view_teaching_destroy(struct view_teaching *teaching);

/* A new project, in place of the one that is open; classes and strokes come by actions. Errors: MEMORY. */
enum shw_result view_teaching_new(struct view_teaching *teaching);
/* The project in a file; its pictures become the source. Errors: those of view_project_read() and of sources. */
enum shw_result view_teaching_open(struct view_teaching *teaching, const char *path);
/* See view_project_write(). */
enum shw_result view_teaching_save(struct view_teaching *teaching, const char *path);

/* Another trainer; what is on the way begins anew. Errors: MEMORY. */
enum shw_result view_teaching_set_trainer(struct view_teaching *teaching, enum view_trainer trainer);

/* Whether the project may be closed: nothing is painted that was not saved, or a message about it has been shown since
 * the last stroke. Shows one if not. */
bool view_teaching_may_close(struct view_teaching *teaching);

/* ARGUMENT, after a message, where no project is open. */
enum shw_result view_teaching_need_project(const struct view_teaching *teaching);

/* Another picture is shown, or may be. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_teaching_follow(struct view_teaching *teaching);

/* Classes have changed, or may have. Errors: those of view_scene_set_forest(). */
enum shw_result view_teaching_classes_changed(struct view_teaching *teaching);

void view_teaching_end_stroke(struct view_teaching *teaching);
enum shw_result view_teaching_undo(struct view_teaching *teaching, bool redo);

/* Before a frame: lets the training worker work as long as a frame has time for it, takes a new forest, and brings what
 * is painted up to date. Errors: those of view_scene_set_forest(), DEVICE_LOST. */
enum shw_result view_teaching_frame(struct view_teaching *teaching);
/* After it: the forest that is shown now. */
void view_teaching_shown(struct view_teaching *teaching);

/* Looks whether the frame that shows what the last stroke has taught is over, and waits that many seconds for it. */
void view_teaching_notice(struct view_teaching *teaching, double seconds);

/* While frames may or may not come: what is done beside them. Errors: those of view_search_poll(). */
enum shw_result view_teaching_poll(struct view_teaching *teaching);

/* How long at most, in seconds, until something here is worth looking after. */
double view_teaching_patience(const struct view_teaching *teaching);

/* Whether frames are to come without being asked for. */
bool view_teaching_is_busy(const struct view_teaching *teaching);

/* Whether what a script waits for, or has begun, is still to come. Errors: ARGUMENT where it will not come. */
enum shw_result view_teaching_waits(struct view_teaching *teaching, bool *waits);

/* Mouse and project permitting, the mouse then paints or erases. */
void view_teaching_take_in_hand(struct view_teaching *teaching, enum view_hand hand);

/* Actions, on a struct view_teaching. */
extern const struct view_action_group view_project_group, view_teach_group;

#endif
