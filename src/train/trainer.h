/* What a trainer consists of. */
#ifndef SHW_TRAIN_TRAINER_H
#define SHW_TRAIN_TRAINER_H

#include <stdatomic.h>

#include <shadewood/train.h>

#include "base/log.h"
#include "base/thread_pool.h"
#include "train/backend.h"
#include "train/images.h"
#include "train/progress.h"
#include "train/respond.h"
#include "train/tree_builder.h"

struct shw_blend_limits;
struct shw_splitting;

struct shw_trainer {
    struct shw_trainer_params params; /* with defaults filled in */
    const struct shw_dataset *dataset;
    struct shw_channel_list channels;
    uint32_t candidate_begin, candidate_count; /* of a node's candidates, those that this worker counts */
    struct shw_thread_pool *pool;
    struct shw_train_images images;
    enum shw_simd simd; /* of the technique cpu */
    const struct shw_respond *respond;
    double *class_weights; /* relative, before scaling to a tree */
    char *notes;
    struct shw_tree_builder builder;
    struct shw_round round;
    const struct shw_blend_limits *blend_limits; /* for tests; NULL: the usual ones */
    struct shw_splitting *splitting;             /* while a splitter has a round to choose tests for */
    const struct shw_train_backend *backend;
    void *state; /* the back end's; NULL until the training set is read */
    char *batch; /* memory of batches, kept from round to round */
    size_t batch_bytes;
    struct shw_tree *trees; /* finished ones, whose arrays belong to the trainer */
    uint32_t tree_count;
    uint64_t responses;
    double start;
    struct shw_pace pace;
    bool loaded, finished;
    bool recorded; /* and not completed */
    atomic_bool interrupted;
    bool in_doubt; /* what was recorded may not have run: what the device is thought to hold may not be there */
    struct shw_forest *forest;
};

/* Whether training is to end: what is computed then does not count. Any thread. */
static inline bool shw_trainer_is_interrupted(const struct shw_trainer *trainer)
{
    return atomic_load_explicit(&trainer->interrupted, memory_order_relaxed);
}

/* Errors: CANCELLED where it is. */
static inline enum shw_result shw_trainer_check_interruption(const struct shw_trainer *trainer)
{
    return shw_trainer_is_interrupted(trainer)
               ? shw_fail(&trainer->params.log, SHW_ERROR_CANCELLED, SHW_LOG_PROGRESS, "training was stopped")
               : SHW_OK;
}

#endif
