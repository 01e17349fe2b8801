/* Warming up: idle devices lower their clocks, that of their memory above all, and need about a second to raise them.
 */
#ifndef SHW_BENCH_WARM_H
#define SHW_BENCH_WARM_H

#include "bench/bench.h"

/* Keeps hardware busy with copies for a second and a half, unless it was recently busy. Does nothing without a device,
 * on one that is a processor, or if device memory is short. Errors: MEMORY, DEVICE_LOST. */
enum shw_result shw_bench_warm(struct shw_bench *bench);

/* Records that the device was busy until now. */
void shw_bench_was_busy(struct shw_bench *bench);

#endif
