/* A round on the device, piece by piece. */
#ifndef SHW_TRAIN_PLAN_COMPUTE_H
#define SHW_TRAIN_PLAN_COMPUTE_H

#include "train/backend.h"

/* Where a round stands. */
enum shw_compute_step {
    SHW_STEP_BEGIN,      /* tables, and with the first round of a tree samples, go to the device */
    SHW_STEP_CANDIDATES, /* of a batch */
    SHW_STEP_PROBES,     /* a sweep over all chunks */
    SHW_STEP_THRESHOLDS,
    SHW_STEP_HISTOGRAM, /* a sweep over all chunks */
    SHW_STEP_SPLIT,     /* then the next batch */
    SHW_STEP_HAND_OVER, /* instead, where the caller's splitter splits: histograms go to the host */
    SHW_STEP_DECIDE,    /* the host decides which splits are made */
    SHW_STEP_SIDES,     /* a sweep over all chunks */
    SHW_STEP_MOVE,
    SHW_STEP_FETCH, /* the host applies them */
    SHW_STEP_END
};

struct shw_compute_plan {
    enum shw_compute_step step;
    uint32_t batch;
    uint32_t *sweep;      /* the chunks in the order of the sweep that is going on, or comes next */
    uint32_t swept;       /* of them */
    uint32_t item;        /* of the histogram: the next one, of the batch's; of the counter's */
    bool planned;         /* the sweep's images are being read ahead */
    bool backwards;       /* the next sweep's direction: what was used last is there still */
    bool samples;         /* new ones are to be sent */
    bool split_by_caller; /* the caller's splitter chooses the splits */
    bool decide;          /* the host has a say in what is split */
    bool decided;
    bool winners_fetched;
};

/* As in struct shw_train_backend; `state` is a struct shw_train_compute. */
enum shw_result shw_compute_begin(void *state);
enum shw_result shw_compute_record(void *state, VkCommandBuffer commands, uint64_t work_max);
enum shw_result shw_compute_submitted(void *state, enum shw_train_event *event);
void shw_compute_decide(void *state);

#endif
