/* Training of a cascade from the rectangles that were drawn, in the background: what it has made, what that is worth on
 * pictures that were held out, and its file.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_DETECT_LEARNING_H
#define VIEW_DETECT_LEARNING_H

#include "action/action.h"
#include "annotate/annotating.h"
#include "detect/detecting.h"
#include "detect/tracking.h"
#include "detection/learn/learn.h"
#include "job/job.h"
#include "label/scene.h"

/* A picture with its rectangles, as they were when training began. */
struct view_learn_picture {
    char *place;               /* of its file; NULL: the pixels are kept */
    struct view_picture *kept; /* shared; or NULL */
    uint8_t *grey;             /* pixels, once it is read */
    struct shw_true_object *objects, *wrong;
};

struct view_learning {
    struct view_scene *scene; /* borrowed, like the next two */
    struct view_annotating *annotating;
    struct view_detecting *detecting;
    struct view_tracking *tracking; /* borrowed, for the panel; NULL: none */
    bool careful;                   /* interactive use: asks before a cascade is lost or a file replaced */
    struct view_question question;
    bool running, cancelled;
    double begun;                /* in seconds of view_clock() */
    uint32_t folds, stages;      /* 0: the usual ones */
    char label[VIEW_LABEL_SIZE]; /* of the objects that are learned, or were last; "": of all */
    struct view_job job;

    /* the thread's while it works, otherwise the main thread's: */
    struct shw_log log;
    struct view_learn_picture *pictures;
    struct shw_learn_picture *given; /* to training; of the same number */
    uint32_t count;
    struct shw_learned made;
    /* under the job's lock: */
    struct shw_learn_progress progress;
    uint32_t pictures_read;
    bool progressed; /* since the main thread has looked */

    const struct view_shared_cascade *latest; /* that was made; only compared */
    bool result_wanted;                       /* to be printed when it is there */
    char said[1024];                          /* for the shell to read and reset */
};

void view_learning_init(struct view_scene *scene, struct view_annotating *annotating, struct view_detecting *detecting,
                        struct view_learning *learning);
/* Stops training. Accepts zero-initialised ones. */
void view_learning_destroy(struct view_learning *learning);

/* Begins to train with the rectangles of a class; "" or NULL: the one of new rectangles. Errors: ARGUMENT (there are
 * none; or it is running), MEMORY. */
enum shw_result view_learning_begin(struct view_learning *learning, const char *label);
void view_learning_cancel(struct view_learning *learning);

/* Takes the cascade when it is there: detection goes on with it. Errors: those of training. */
enum shw_result view_learning_poll(struct view_learning *learning);

/* Whether a script must wait: the result is wanted. */
bool view_learning_is_awaited(const struct view_learning *learning);

/* A copy of the progress. `reads`: pictures are still being read, so many of them so far. */
struct shw_learn_progress view_learning_progress(struct view_learning *learning, bool *reads, uint32_t *pictures);

/* The chosen one, if its cascade was trained here; or NULL. */
struct view_detector *view_learning_detector(const struct view_learning *learning);

/* The first whose cascade was trained here and is in no file; NULL: there is none. */
struct view_detector *view_learning_unsaved(const struct view_learning *learning);

/* Whether there is a file that is not the chosen cascade's own. */
bool view_learning_replaces(const struct view_learning *learning, const char *path);

/* Says that a cascade without a file is lost. */
void view_learning_warn_of_loss(const struct view_learning *learning, const struct view_detector *detector);

/* Writes the chosen cascade, which was trained here, with the least score that is in use. `replace`: whatever the file
 * is, except one that is read. Errors: ARGUMENT, IO, MEMORY. */
enum shw_result view_learning_save(struct view_learning *learning, const char *path, bool replace);

/* Actions, on a struct view_learning. */
extern const struct view_action_group view_learn_group;

#endif
