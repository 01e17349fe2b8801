/* Timing: repeated runs, by the timestamps of the device and by the clock of the host; warming up; statistics. */
#ifndef SHW_BENCH_TIMING_H
#define SHW_BENCH_TIMING_H

#include <stdint.h>

#include "bench/bench.h"
#include "vulkan/commands.h"

struct shw_bench_statistics {
    double median, min, max, q1, q3;
    double mean, deviation; /* that of a sample, with n - 1; 0 of one value */
};

/* Of `count` values, at least one, which are sorted in place. Quartiles by linear interpolation between order
 * statistics (Hyndman and Fan's type 7). */
struct shw_bench_statistics shw_bench_summarise(double *values, uint32_t count);

/* Keeps processors and memory of the device busy for a second and a half, unless it was recently busy. Does nothing
 * without a device, on one that is a processor, or if device memory is short. Errors: DEVICE_LOST. */
enum shw_result shw_bench_warm(struct shw_bench *bench);

/* Records that the device was busy until now. */
void shw_bench_was_busy(struct shw_bench *bench);

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
