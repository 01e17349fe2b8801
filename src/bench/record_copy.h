/* Copies between the host and the device, without anything else. */
#ifndef SHW_BENCH_RECORD_COPY_H
#define SHW_BENCH_RECORD_COPY_H

#include "bench/timing.h"

/* Times copies of `up` bytes from memory that the device reads itself to the device's own, and then of `down` bytes
 * back. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_bench_record_copy_time(struct shw_bench *bench, uint64_t up, uint64_t down,
                                           struct shw_bench_times *times);

#endif
