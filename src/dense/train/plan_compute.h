/* A training round on the device, piece by piece. */
#ifndef SHW_DENSE_TRAIN_PLAN_COMPUTE_H
#define SHW_DENSE_TRAIN_PLAN_COMPUTE_H

#include "dense/train/backend.h"

/* The steps of a round. */
enum shw_compute_step {
    SHW_STEP_BEGIN,      /* tables are uploaded, and with the first round of a tree, samples */
    SHW_STEP_CANDIDATES, /* of a batch */
    SHW_STEP_PROBES,     /* a sweep over all chunks */
    SHW_STEP_THRESHOLDS,
    SHW_STEP_HISTOGRAM, /* a sweep over all chunks */
    SHW_STEP_SPLIT,     /* then the next batch */
    SHW_STEP_HAND_OVER, /* instead of SPLIT, if the caller's splitter chooses splits: histograms go to the host */
    SHW_STEP_DECIDE,    /* the host decides which splits to make */
    SHW_STEP_SIDES,     /* a sweep over all chunks */
    SHW_STEP_MOVE,
    SHW_STEP_FETCH, /* results go to the host */
    SHW_STEP_END
};

struct shw_compute_plan {
    enum shw_compute_step step;
    uint32_t batch;
    uint32_t *sweep;      /* chunks in the order of the current or the next sweep */
    uint32_t swept;       /* chunks of the sweep that are done */
    uint32_t item;        /* next item of the batch, or next piece of the counter */
    bool planned;         /* the sweep's images are being read ahead */
    bool backwards;       /* direction of the next sweep: it begins with what was used last */
    bool samples;         /* new ones must be uploaded */
    bool split_by_caller; /* the caller's splitter chooses the splits */
    bool decide;          /* the host may change which splits are made */
    bool decided;
    bool winners_fetched;
};

/* Functions of struct shw_train_backend; `state` is a struct shw_train_compute. */
enum shw_result shw_compute_begin(void *state);
enum shw_result shw_compute_record(void *state, VkCommandBuffer commands, uint64_t work_max);
enum shw_result shw_compute_submitted(void *state, enum shw_train_event *event);
void shw_compute_decide(void *state);

#endif
