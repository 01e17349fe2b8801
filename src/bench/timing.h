/* Timing: repeated runs, by the device's timestamps and by the host's clock. */
#ifndef SHW_BENCH_TIMING_H
#define SHW_BENCH_TIMING_H

#include "bench/bench.h"
#include "vulkan/submit.h"

/* What is timed: `record` for work of the device, `run` for work of the host; the other is NULL. */
struct shw_bench_work {
    void (*record)(void *user, VkCommandBuffer commands);
    enum shw_result (*run)(void *user);
    void *user;
    uint32_t most; /* recordings that one submission may hold; 0: any number, 1: there is no throughput */
};

#define SHW_BENCH_RUNS_MAX   1001u
#define SHW_BENCH_RUNS_LEAST 3u /* however long they take */

struct shw_bench_times {
    uint32_t runs, device_runs;                                  /* device_runs: 0 where there are no timestamps */
    double wall[SHW_BENCH_RUNS_MAX], device[SHW_BENCH_RUNS_MAX]; /* milliseconds, in the order of the runs */
    uint32_t in_flight;                                          /* of the throughput below; 0: not measured */
    double back_to_back;                                         /* milliseconds of the host's clock for one of many */
    double back_to_back_device;                                  /* by timestamps; 0 without */
};

/* Runs the work for a moment without counting, then as often as the options say: latency of one, from recording to the
 * end of waiting, and by timestamps around what was recorded; then many in one submission, unless there is to be no
 * throughput. Errors: what the work returns, MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_bench_time(struct shw_bench *bench, const struct shw_bench_work *work,
                               struct shw_bench_times *times);

#endif
