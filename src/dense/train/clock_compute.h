/* Device time of each program, from timestamps. */
#ifndef SHW_DENSE_TRAIN_CLOCK_COMPUTE_H
#define SHW_DENSE_TRAIN_CLOCK_COMPUTE_H

#include <shadewood/train.h>

#include "dense/train/programs_compute.h"

/* What a mark ends: one of the programs, or one of these. `blend` divides the histograms. */
enum shw_clock_pass {
    SHW_CLOCK_OTHER = SHW_PROGRAM_COUNT,
    SHW_CLOCK_LEAVES,
    SHW_CLOCK_RESPONSES,
    SHW_CLOCK_SCATTER,
    SHW_CLOCK_COUNT
};

#define SHW_CLOCK_MARKS 4096u
struct shw_compute_clock {
    VkQueryPool pool;               /* null: the queue has no timestamps */
    uint8_t marks[SHW_CLOCK_MARKS]; /* what ended at this mark */
    uint32_t count;
    double seconds[SHW_CLOCK_COUNT]; /* of the round */
};

/* Names of the passes for users. */
extern const char *const shw_compute_pass_names[SHW_CLOCK_COUNT];

/* Create the clock; begin a recording; mark the end of a pass in it, not within a render pass; after it has run,
 * add its times. */
enum shw_result shw_compute_clock_create(struct shw_train_compute *training);
void shw_compute_clock_begin(struct shw_train_compute *training, VkCommandBuffer commands);
void shw_compute_clock_mark(struct shw_train_compute *training, VkCommandBuffer commands, uint32_t pass);
enum shw_result shw_compute_clock_read(struct shw_train_compute *training);

/* As in struct shw_train_backend. */
void shw_compute_get_passes(const void *state, struct shw_train_progress *progress);

#endif
