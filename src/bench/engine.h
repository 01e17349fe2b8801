/* A minimal engine with its own instance, device, queue and frames, into which Shadewood records. */
#ifndef SHW_BENCH_ENGINE_H
#define SHW_BENCH_ENGINE_H

#include <shadewood/device.h>

#include "vulkan/device.h"

#define SHW_ENGINE_FRAMES 2u /* in flight */

struct shw_engine_frame {
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool marks; /* null if the queue has no timestamps */
};

struct shw_engine {
    void *library;
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    VkCommandPool pool;
    uint32_t family, timestamp_bits;
    double timestamp_period; /* nanoseconds */
    struct shw_vk vk;
    struct shw_engine_frame frames[SHW_ENGINE_FRAMES];
    const struct shw_log *log;
    struct shw_device *device; /* the imported device */
};

/* Opens device `index` in the loader's order. Errors: NO_DEVICE, UNSUPPORTED, MEMORY. On failure the engine is zero. */
enum shw_result shw_engine_open(uint32_t index, const struct shw_log *log, struct shw_engine *engine);

/* Waits for submitted work. Accepts a zero engine. */
void shw_engine_close(struct shw_engine *engine);

/* Waits for the frame's previous submission, and begins its commands. Errors: DEVICE_LOST, MEMORY, DEVICE_MEMORY. */
enum shw_result shw_engine_begin(struct shw_engine *engine, struct shw_engine_frame *frame);

/* Records timestamp 0 or 1 of the frame, after all previous work. */
void shw_engine_mark(struct shw_engine *engine, struct shw_engine_frame *frame, uint32_t mark);

/* Ends and submits the commands, and optionally waits for completion. */
enum shw_result shw_engine_submit(struct shw_engine *engine, struct shw_engine_frame *frame);
enum shw_result shw_engine_wait(struct shw_engine *engine, struct shw_engine_frame *frame);

/* Milliseconds between the timestamps of a completed frame; 0 without timestamps. */
enum shw_result shw_engine_elapsed(struct shw_engine *engine, struct shw_engine_frame *frame, double *ms);

#endif
