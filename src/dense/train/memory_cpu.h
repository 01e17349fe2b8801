/* How the back end `cpu` divides the memory that it may use. */
#ifndef SHW_DENSE_TRAIN_MEMORY_CPU_H
#define SHW_DENSE_TRAIN_MEMORY_CPU_H

#include <stdbool.h>

#include <shadewood/train.h>

struct shw_image_store;
struct shw_trainer;

struct shw_cpu_memory {
    uint64_t round;    /* for what is allocated during a round, and to draw and to move samples */
    uint32_t resident; /* images whose planes stay in memory, with those of their mirror images */
    uint32_t slots;    /* images whose planes are made at a time, besides those */
    uint64_t store;    /* for compact copies of images; 0: none are worth keeping */
};

/* All the memory that training may use: params->memory, or three quarters of the machine's. */
uint64_t shw_cpu_memory_limit(const struct shw_trainer_params *params);

/* The least limit that is enough. The training set has been measured. */
uint64_t shw_cpu_memory_least(const struct shw_trainer *trainer);

/* Divides it if the planes of all images in trainer->images fit, beside `taken` bytes; otherwise returns false. */
bool shw_cpu_memory_holds_all(const struct shw_trainer *trainer, uint64_t taken, struct shw_cpu_memory *memory);

/* Divides it; the training set has been measured, and copies take `copies` bytes at present; UINT64_MAX: as many as
 * there is room for. Errors: LIMIT if samples, one image at a time and the least that a round needs are too much. */
enum shw_result shw_cpu_memory_plan(const struct shw_trainer *trainer, uint64_t copies, struct shw_cpu_memory *memory);

/* Of memory.round, for responses or histograms of a batch; for its features, in number; for its runs of samples, in
 * number. */
size_t shw_cpu_batch_bytes(const struct shw_cpu_memory *memory);
size_t shw_cpu_batch_features(const struct shw_cpu_memory *memory);
uint32_t shw_cpu_batch_runs(const struct shw_cpu_memory *memory);

#endif
