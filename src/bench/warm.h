/* A device that has had nothing to do lowers its clocks, that of its memory above all, and takes a second or so to
 * raise them again. */
#ifndef SHW_BENCH_WARM_H
#define SHW_BENCH_WARM_H

#include "bench/bench.h"

/* Keeps hardware busy with copies for a second and a half, unless it was busy a moment ago. Does nothing without a
 * device, or on one that is a processor. A device that is short of memory is left cold. Errors: MEMORY, DEVICE_LOST. */
enum shw_result shw_bench_warm(struct shw_bench *bench);

/* Notes that the device was busy until now. */
void shw_bench_was_busy(struct shw_bench *bench);

#endif
