/* State, parameters and status of a training worker. */
#ifndef VIEW_TEACH_TRAIN_STATE_H
#define VIEW_TEACH_TRAIN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/train.h>

enum view_train_state {
    VIEW_TRAIN_IDLE,    /* there are no strokes */
    VIEW_TRAIN_SMALL,   /* training the small forest */
    VIEW_TRAIN_FULL,    /* training the full forest */
    VIEW_TRAIN_JUDGING, /* the full forest is complete; accuracy is being measured */
    VIEW_TRAIN_DONE,
    VIEW_TRAIN_FAILED /* until the project changes; the log has the reason */
};

struct view_train_worker_params {
    struct shw_device *device; /* borrowed; NULL: `cpu` on the training worker's thread */
    /* With a device: view_train_worker_record() computes rounds, which imported devices need. The device must have been
     * imported so that objects can be created on another thread: without a shared pipeline cache, with thread-safe
     * memory hooks. */
    bool recorded;
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
    uint64_t measurements;         /* changes when view_train_worker_get_accuracy() would return something else */
};

#endif
