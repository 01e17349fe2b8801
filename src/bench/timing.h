/* Timing: repeated runs, by the device's timestamps and by the host's clock. */
#ifndef SHW_BENCH_TIMING_H
#define SHW_BENCH_TIMING_H

#include "bench/bench.h"
#include "vulkan/commands.h"

/* The work to time: `record` on the device or `run` on the host; the other is NULL. */
struct shw_bench_work {
    void (*record)(void *user, VkCommandBuffer commands);
    enum shw_result (*run)(void *user);
    void *user;
    uint32_t most; /* maximum recordings per submission; 0: any number, 1: no throughput */
};

#define SHW_BENCH_RUNS_MAX   1001u
#define SHW_BENCH_RUNS_LEAST 3u /* regardless of their time */

struct shw_bench_times {
    uint32_t runs, device_runs;                                  /* device_runs: 0 without timestamps */
    double wall[SHW_BENCH_RUNS_MAX], device[SHW_BENCH_RUNS_MAX]; /* milliseconds, in the order of the runs */
    uint32_t in_flight;                                          /* of the throughput below; 0: not measured */
    double back_to_back;                                         /* milliseconds by the host's clock for one of many */
    double back_to_back_device;                                  /* by timestamps; 0 without */
};

/* Warms up, then runs the work as often as the options say: the latency of one run, from recording to the end of
 * waiting, and by timestamps around the recorded work; then many runs in one submission, unless throughput is not
 * measured. Errors: those of the work, MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_bench_time(struct shw_bench *bench, const struct shw_bench_work *work,
                               struct shw_bench_times *times);

#endif
