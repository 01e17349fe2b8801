/* An engine that is not ours: its own instance, device, queue and frames, to which Shadewood is a guest. */
#ifndef SHW_BENCH_ENGINE_H
#define SHW_BENCH_ENGINE_H

#include <shadewood/device.h>

#include "vulkan/table.h"

#define SHW_ENGINE_FRAMES 2u /* in flight */

struct shw_engine_frame {
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool marks; /* null where the queue has no timestamps */
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
    struct shw_device *device; /* what Shadewood sees: imported */
};

/* Opens device `index` in the loader's order. Errors: NO_DEVICE, UNSUPPORTED, MEMORY. On failure the engine is zero. */
enum shw_result shw_engine_open(uint32_t index, const struct shw_log *log, struct shw_engine *engine);

/* Waits for what was submitted. Accepts a zero engine. */
void shw_engine_close(struct shw_engine *engine);

/* Waits until the frame's last use has ended, and begins its commands. Errors: DEVICE_LOST, MEMORY, DEVICE_MEMORY. */
enum shw_result shw_engine_begin(struct shw_engine *engine, struct shw_engine_frame *frame);

/* Takes timestamp 0 or 1 of the frame; everything before it has ended then. */
void shw_engine_mark(struct shw_engine *engine, struct shw_engine_frame *frame, uint32_t mark);

/* Ends and submits, or also waits for the end. */
enum shw_result shw_engine_submit(struct shw_engine *engine, struct shw_engine_frame *frame);
enum shw_result shw_engine_wait(struct shw_engine *engine, struct shw_engine_frame *frame);

/* Milliseconds between the marks of a frame that has ended; 0 without timestamps. */
enum shw_result shw_engine_elapsed(struct shw_engine *engine, struct shw_engine_frame *frame, double *ms);

#endif
