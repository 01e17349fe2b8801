/* Timed training of a forest. */
#ifndef SHW_BENCH_TRAINING_H
#define SHW_BENCH_TRAINING_H

#include <shadewood/train.h>

#include "bench/timing.h"

#define SHW_BENCH_TREES_MAX  16u
#define SHW_BENCH_ROUNDS_MAX SHW_DEPTH_MAX
#define SHW_BENCH_PASSES_MAX 16u

struct shw_bench_round {
    uint32_t nodes;
    uint64_t samples;
    double wall, device;                 /* milliseconds; device: 0 if unknown */
    double passes[SHW_BENCH_PASSES_MAX]; /* parts of `device` */
};

struct shw_bench_trained {
    uint64_t hash, leaves;
    double all; /* milliseconds by the host's clock, including reading the images */
    uint32_t tree_count, round_count;
    double wall[SHW_BENCH_TREES_MAX],
        device[SHW_BENCH_TREES_MAX]; /* milliseconds per tree; the first includes the preparation of the images */
    struct shw_bench_round rounds[SHW_BENCH_ROUNDS_MAX]; /* of the last tree */
    uint32_t pass_count;
    const char *const *pass_names; /* static */
    double resident;               /* share of the integral images that are on the device at a time; 0 with cpu */
};

/* Trains with params->technique; device, progress and log are set here. At most SHW_BENCH_TREES_MAX trees. Errors:
 * those of the trainer. */
enum shw_result shw_bench_train(struct shw_bench *bench, const struct shw_trainer_params *params,
                                const struct shw_dataset *dataset, struct shw_bench_trained *trained);

/* The times of the trees after the first, or of the first if there is no other. */
void shw_bench_tree_times(const struct shw_bench_trained *trained, struct shw_bench_times *times);

/* One time. `device`: 0 if unknown. */
void shw_bench_single_time(double wall, double device, struct shw_bench_times *times);

#endif
