/* Records from the host: they pass through the device in pieces, of which one is copied up, one is evaluated and one is
 * copied down at a time. */
#ifndef SHW_RECORDS_EVALUATE_DEVICE_TRANSFER_H
#define SHW_RECORDS_EVALUATE_DEVICE_TRANSFER_H

#include "base/thread_pool.h"
#include "records/evaluate/evaluator.h"
#include "vulkan/memory.h"

#define SHW_RECORD_FLIGHTS 3u /* pieces under way; their slots follow those of the caller */

/* A piece under way, and its memory. */
struct shw_record_flight {
    struct shw_buffer upload, records, results,
        readback; /* upload, readback: zero if the host uses the others itself */
    VkCommandPool pool, transfer_pool;
    VkCommandBuffer commands, copies; /* copies: of the transfer queue */
    VkSemaphore copied;
    VkFence fence;
    VkQueryPool times;
    uint64_t first; /* of its records */
    uint32_t count; /* 0: not under way */
};

struct shw_record_transfer {
    const struct shw_record_evaluator_params *params;
    const struct shw_record_forest_info *info;
    struct shw_device *device;
    void *state; /* of the technique, whose record() it is */
    enum shw_result (*record)(void *state, VkCommandBuffer commands, uint32_t slot,
                              const struct shw_record_source *source, const struct shw_record_target *target);
    bool is_direct;                      /* the host writes and reads memory of the device itself */
    uint64_t piece_bytes;                /* of records and results; at most */
    uint64_t record_bytes, result_bytes; /* that each flight has memory for */
    struct shw_thread_pool *pool;
    struct shw_record_flight flights[SHW_RECORD_FLIGHTS];
    double inner;
};

/* Nothing is allocated yet. */
void shw_record_transfer_begin(const struct shw_record_evaluator_params *params, void *state,
                               enum shw_result (*record)(void *state, VkCommandBuffer commands, uint32_t slot,
                                                         const struct shw_record_source *source,
                                                         const struct shw_record_target *target),
                               struct shw_record_transfer *transfer);

/* Accepts a zero transfer. */
void shw_record_transfer_end(struct shw_record_transfer *transfer);

/* As shw_record_variant.run. */
enum shw_result shw_record_transfer_run(struct shw_record_transfer *transfer, const struct shw_records *records,
                                        const struct shw_record_results *results, double *inner_seconds);

#endif
