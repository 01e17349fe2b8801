/* Warming up: idle devices lower their clocks, that of their memory above all, and need about a second to raise them.
 */
#ifndef SHW_BENCH_WARM_H
#define SHW_BENCH_WARM_H

#include "bench/bench.h"

/* Keeps processors and memory of the device busy for a second and a half, unless it was recently busy. Does nothing
 * without a device, on one that is a processor, or if device memory is short. Errors: DEVICE_LOST. */
enum shw_result shw_bench_warm(struct shw_bench *bench);

/* For some tenths of a second, however busy it was: before work so short that waiting for its results takes longer,
 * which does not keep the clocks up. */
enum shw_result shw_bench_warm_again(struct shw_bench *bench);

/* Records that the device was busy until now. */
void shw_bench_was_busy(struct shw_bench *bench);

#endif
