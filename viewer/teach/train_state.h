/* How far a training worker is, and what it works with. */
#ifndef VIEW_TEACH_TRAIN_STATE_H
#define VIEW_TEACH_TRAIN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/train.h>

enum view_train_state {
    VIEW_TRAIN_IDLE,    /* there are no strokes */
    VIEW_TRAIN_SMALL,   /* training the small forest */
    VIEW_TRAIN_FULL,    /* training the full one */
    VIEW_TRAIN_JUDGING, /* the full one is there; accuracy is being measured */
    VIEW_TRAIN_DONE,
    VIEW_TRAIN_FAILED /* until the project changes; the log has the reason */
};

struct view_train_worker_params {
    struct shw_device *device; /* borrowed; NULL: `cpu` on the training worker's thread */
    /* With a device: rounds are computed by view_train_worker_record(), which imported devices need. The device's
     * import must allow creation on another thread: no pipeline cache that others use, memory hooks that are
     * thread-safe. */
    bool recorded;
    bool out_of_bag;           /* measure accuracy after the full forest */
    uint64_t work_max, memory; /* as in struct shw_trainer_params */
    uint32_t threads;          /* on the host; 0: one a processor */
    struct shw_log log;        /* may be called on the training worker's thread */
};

/* When a forest was trained, in seconds of view_clock(). For a full forest, the trainer is prepared after the small one
 * is complete. */
struct view_train_times {
    double wanted;   /* view_train_worker_update() took its strokes along */
    double begun;    /* the thread took them up */
    double prepared; /* the trainer was ready for its first round */
    double grown;    /* the last round had ended */
};

struct view_train_status {
    enum view_train_state state;
    bool stopped;
    double fraction; /* of the forest being trained, from 0 to 1 */
    uint64_t number; /* counts up when view_train_worker_share_forest() gives another forest; 0: there is none yet */
    bool can_restore;
    struct view_train_times times; /* of the forest that was taught last */
};

#endif
