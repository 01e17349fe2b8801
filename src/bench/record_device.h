/* Records on the device, of any number, and buffers for their classes. */
#ifndef SHW_BENCH_RECORD_DEVICE_H
#define SHW_BENCH_RECORD_DEVICE_H

#include "bench/bench.h"
#include "vulkan/memory.h"

#define SHW_BENCH_RECORD_CHUNKS_MAX 64u

/* Chunks of at most 1 GiB. */
struct shw_bench_record_buffers {
    uint32_t chunk_count;
    uint64_t chunk, count; /* records of each chunk but the last; in all */
    struct shw_buffer records[SHW_BENCH_RECORD_CHUNKS_MAX], classes[SHW_BENCH_RECORD_CHUNKS_MAX];
};

/* Puts `distinct` records on the device, repeated up to `count`. Free with shw_bench_record_buffers_free(), also on
 * failure. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST, LIMIT. */
enum shw_result shw_bench_record_buffers_make(struct shw_bench *bench, const float *values, uint64_t distinct,
                                              uint64_t count, uint32_t attributes,
                                              struct shw_bench_record_buffers *buffers);
void shw_bench_record_buffers_free(struct shw_bench *bench, struct shw_bench_record_buffers *buffers);

uint32_t shw_bench_record_chunk_count(const struct shw_bench_record_buffers *buffers, uint32_t chunk);

/* Whether all classes are those of the distinct records. */
enum shw_result shw_bench_record_classes_equal(struct shw_bench *bench, const struct shw_bench_record_buffers *buffers,
                                               const uint32_t *expected, uint64_t distinct, bool *equal);

#endif
