/* Device time of each program, from timestamps. */
#ifndef SHW_TRAIN_CLOCK_COMPUTE_H
#define SHW_TRAIN_CLOCK_COMPUTE_H

#include <shadewood/train.h>

#include "train/programs_compute.h"

/* The last element of `seconds` is for everything else. */
#define SHW_CLOCK_MARKS 512u
struct shw_compute_clock {
    VkQueryPool pool;               /* null: the queue has no timestamps */
    uint8_t marks[SHW_CLOCK_MARKS]; /* the program that ended at this mark */
    uint32_t count;
    double seconds[SHW_PROGRAM_COUNT + 1]; /* of the round */
};

/* Names of the programs for users; the last one is for everything else. */
extern const char *const shw_compute_pass_names[SHW_PROGRAM_COUNT + 1];

/* Create the clock; begin a recording; mark the end of a program in it; after it has run, add its times. */
enum shw_result shw_compute_clock_create(struct shw_train_compute *training);
void shw_compute_clock_begin(struct shw_train_compute *training, VkCommandBuffer commands);
void shw_compute_clock_mark(struct shw_train_compute *training, VkCommandBuffer commands, uint32_t program);
enum shw_result shw_compute_clock_read(struct shw_train_compute *training);

/* As in struct shw_train_backend. */
void shw_compute_get_passes(const void *state, struct shw_train_progress *progress);

#endif
