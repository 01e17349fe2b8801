/* The training worker: trains forests on a project's strokes while painting continues.
 *
 * Soon after a stroke it publishes a small forest, then the project's full one. New strokes restart it, but not before
 * the small forest is complete, so that there is a result even while the brush never rests; only a small forest trained
 * on an unfinished stroke is abandoned when that stroke ends. Equal strokes give equal forests.
 *
 * All functions are for one thread, that of the frame loop. Reading pictures and everything else that may take long is
 * done on the training worker's own thread. */
#ifndef VIEW_TEACH_TRAIN_WORKER_H
#define VIEW_TEACH_TRAIN_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/device.h>
#include <shadewood/train.h>

#include "files/project/held_out.h"
#include "files/project/project.h"
#include "label/label_worker.h"

/* Creates the pipelines for labelling with trained forests before there is one. */

/* For forests of that many trees, with and without smoothing, with the techniques that `auto` chooses; the device keeps
 * the pipelines. Failures are not logged: labelling will report them. Any thread. */
void view_label_pipelines_make(struct shw_device *device, uint32_t trees);

enum view_train_state {
    VIEW_TRAIN_IDLE,    /* there are no strokes of two classes */
    VIEW_TRAIN_SMALL,   /* training the small forest */
    VIEW_TRAIN_FULL,    /* training the full forest */
    VIEW_TRAIN_JUDGING, /* the full forest is complete; accuracy is being measured */
    VIEW_TRAIN_DONE,
    VIEW_TRAIN_FAILED /* until the project changes; the log has the reason */
};

struct shw_remote;

struct view_train_worker_params {
    struct shw_device *device; /* borrowed; NULL: `cpu` on the training worker's thread */
    /* With a device: view_train_worker_record() computes rounds, which imported devices need. The device must have been
     * imported so that objects can be created on another thread: without a shared pipeline cache, with thread-safe
     * memory hooks. */
    bool recorded;
    /* Trains instead, as long as it is connected (files/serve/remote.h); borrowed, must outlive the worker; NULL:
     * nobody else. */
    struct shw_remote *remote;
    bool judges;               /* measure accuracy after the full forest */
    uint64_t work_max, memory; /* as in struct shw_trainer_params */
    uint64_t judge_memory;     /* the same for measuring accuracy, which `cpu` does */
    uint32_t threads;          /* on the host; 0: one per processor */
    struct shw_log log;        /* also called on the training worker's thread */
};

/* When a forest was trained, in seconds of view_clock(). For a full forest, the trainer is prepared after the small one
 * is complete. */
struct view_train_times {
    double wanted;   /* view_train_worker_update() copied its strokes */
    double begun;    /* the thread began */
    double prepared; /* the trainer was ready for its first round */
    double grown;    /* the last round ended */
};

struct view_train_status {
    enum view_train_state state;
    bool stopped;
    double fraction; /* of the forest in training, from 0 to 1 */
    uint64_t number; /* increases when view_train_worker_share_forest() would return another forest; 0: there is none
                        yet */
    bool can_restore;
    struct view_train_times times; /* of the last trained forest */
    bool lacks_class;              /* something is painted, but not two classes: nothing can be learned from it */
    uint64_t measurements;         /* changes when view_train_worker_get_accuracy() would return something else */
};

struct view_train_worker;

/* Errors: ARGUMENT (recorded without a device), MEMORY. */
enum shw_result view_train_worker_create(const struct view_train_worker_params *params,
                                         struct view_train_worker **worker);

/* Destroys *worker and sets it to NULL; accepts NULL and a pointer to NULL. Recorded commands must have finished. */
void view_train_worker_destroy(struct view_train_worker **worker);

/* To be called every frame: copies the project's strokes if it has changed; otherwise cheap. If only its smoothing has,
 * the forests get that, and nothing is trained. Errors: MEMORY. */
enum shw_result view_train_worker_update(struct view_train_worker *worker, struct shw_project *project);

/* Training within the caller's frame, if `recorded` is set. record: records a slice outside a render pass if there is
 * one to compute, and sets *recorded. complete: must be called when the slice has finished on the device, before the
 * next is recorded. A frame may have as many slices as there is time for; a forest needs one or two per level of each
 * tree. Errors of training set the state VIEW_TRAIN_FAILED. */
void view_train_worker_record(struct view_train_worker *worker, VkCommandBuffer commands, bool *recorded);
void view_train_worker_complete(struct view_train_worker *worker);

/* Waits up to `seconds` until there is a slice to record; returns whether there is one. Returns at once if none can
 * come: nothing is being trained, the worker trains by itself, or there is a newer forest than that of `number` (struct
 * view_train_status). */
bool view_train_worker_wait(struct view_train_worker *worker, uint64_t number, double seconds);

/* Pauses between two rounds, or continues. Strokes painted meanwhile are used. */
void view_train_worker_stop(struct view_train_worker *worker, bool stopped);

/* Restores the previous full forest; the next call restores the current one. Abandons training in progress until the
 * project changes again. False: there is none. */
bool view_train_worker_restore(struct view_train_worker *worker);

void view_train_worker_get_status(struct view_train_worker *worker, struct view_train_status *status);

/* A share of the newest forest, to be released; NULL if there is none. */
struct view_shared_forest *view_train_worker_share_forest(struct view_train_worker *worker);

/* A copy of the accuracy of the last full forest, to be freed with shw_held_out_free(), and the revision of the project
 * that it was trained on. False: it has not been measured yet, or out of memory. */
bool view_train_worker_get_accuracy(struct view_train_worker *worker, struct shw_held_out *accuracy,
                                    uint64_t *revision);

#endif
