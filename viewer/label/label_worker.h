/* Labelling on a separate thread, for techniques that include `cpu` and for parts of large pictures, while frames
 * continue. Its threads have a low priority, so that those that draw go first.
 *
 * For the main thread; only one labelling at a time. */
#ifndef VIEW_LABEL_LABEL_WORKER_H
#define VIEW_LABEL_LABEL_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/forest.h>
#include <shadewood/label.h>

/* A reference-counted forest, shared by the parts of the program that train it, show it and label with it. Any thread.
 */

struct view_shared_forest {
    struct shw_forest *forest;
    bool full;                      /* of trained ones: not the small one */
    uint64_t revision;              /* of the project when it was trained (shw_project_get_taught()) */
    char *path;                     /* of the file that it was loaded from, owned; NULL: it was trained */
    struct shw_smoothing smoothing; /* that it labels with (struct shw_labeller_params); radius 0: its own */
    bool for_kinect; /* for pictures SHW_KINECT_WIDTH wide alone (formats/kinect.h), and none is known to be
                        of another width */
};

/* Takes ownership of the forest, with its holds of texts (shw_code_hold_forest()); the caller gets one share. NULL if
 * out of memory; the forest is then still the caller's. */
struct view_shared_forest *view_shared_forest_create(struct shw_forest *forest, bool full, uint64_t revision);

/* The same forest, of which it keeps a share, with other smoothing. NULL if out of memory. */
struct view_shared_forest *view_shared_forest_smooth(struct view_shared_forest *forest, struct shw_smoothing smoothing);

/* What it labels with, for labellers; the radius is never 0. */
struct shw_smoothing view_shared_forest_smoothing(const struct view_shared_forest *forest);

/* Adds a share. Accepts NULL. */
struct view_shared_forest *view_shared_forest_share(struct view_shared_forest *forest);

/* Releases a share and sets *forest to NULL; accepts a pointer to NULL. The last release destroys the forest. */
void view_shared_forest_release(struct view_shared_forest **forest);

/* Whether a labeller can switch from one to the other if it has room: they have the same channel list, feature type,
 * filling and smoothing. */
bool view_shared_forest_is_alike(const struct view_shared_forest *one, const struct view_shared_forest *other);

struct view_label_worker;

struct view_label_job {
    struct view_shared_forest *forest; /* the worker takes a share */
    struct shw_inputs inputs;          /* copied, except names and pixels; colour first */
    void (*release)(void *held);       /* called once, from any thread, when the pixels are no longer
                                          needed; NULL: they stay valid until the job is done */
    void *held;
    const struct shw_part *parts; /* copied; labelled one after the other. NULL: the whole image */
    uint32_t part_count;
    uint64_t memory;                                   /* limit for the planes of a tile; 0: the labeller's */
    enum shw_technique techniques[SHW_STAGE_COUNT];    /* `auto` only with a device */
    bool on_device;                                    /* some are not `cpu`: */
    uint32_t device;                                   /* its index */
    const struct shw_calibration *calibration;         /* of that device, for `auto`; or NULL. Must stay valid */
    uint32_t planes;                                   /* number of classes to compute probabilities for: all or none */
    void (*then)(void *user, const uint16_t *results); /* called on the worker's thread with the results; or NULL */
    void *user;
};

/* `log` is used on the worker's thread. Errors: MEMORY. */
enum shw_result view_label_worker_create(const struct shw_log *log, struct view_label_worker **worker);
/* Interrupts the labelling in progress. Accepts NULL. */
void view_label_worker_destroy(struct view_label_worker **worker);

/* Lets the worker create the device that jobs are going to need, so that the first one need not wait for it. */
void view_label_worker_prepare(struct view_label_worker *worker, uint32_t device);

/* Begins a labelling; none may be in progress, and the results of the last one must have been taken. Releases the
 * pixels also if it fails. Errors: MEMORY. */
enum shw_result view_label_worker_begin(struct view_label_worker *worker, const struct view_label_job *job);

/* Whether results are available. */
bool view_label_worker_done(struct view_label_worker *worker);
void view_label_worker_wait(struct view_label_worker *worker);

/* The number of parts, in the job's order, whose results are complete, and where those of such a part are. */
uint32_t view_label_worker_ready(struct view_label_worker *worker);
const uint16_t *view_label_worker_part(const struct view_label_worker *worker, uint32_t part);

/* Makes the labelling in progress end soon, with CANCELLED. */
void view_label_worker_stop(struct view_label_worker *worker);

/* Takes the results: part after part, 16-bit values, the most likely classes and then one plane per class. They stay
 * valid until the second labelling after this one begins. *milliseconds: the time taken. Returns the result of the
 * labelling: the errors of shw_labeller_create() and shw_labeller_run_part(), which have been logged. */
enum shw_result view_label_worker_take(struct view_label_worker *worker, const uint16_t **results,
                                       double *milliseconds);

#endif
