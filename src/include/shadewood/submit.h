/* Submission of recorded commands, with timeline semaphores. Part of Shadewood; MIT licence, see LICENSE.
 *
 * For hosts whose images have semaphores of their own, as those of FFmpeg and libplacebo (docs/hosts.md): a call of
 * vkQueueSubmit(), or vkQueueSubmit2() where synchronization2 is enabled, with one batch. Nothing else in the library
 * submits to the caller's queues. */
#ifndef SHADEWOOD_SUBMIT_H
#define SHADEWOOD_SUBMIT_H

#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most semaphores that a submission waits for, and that it signals. */
#define SHW_SUBMIT_SEMAPHORES_MAX 32u

/* A semaphore and, of a timeline, the value to wait for or to set. 0: a binary semaphore. */
struct shw_semaphore {
    VkSemaphore handle;
    uint64_t value;
    /* Of `waits`, the stages of the commands that wait; of `signals`, those that have finished when it is signalled. 0:
     * all commands. As in struct shw_image_use, flags beyond 32 bits need synchronization2; without that, signals
     * follow all commands whatever is stated here. */
    VkPipelineStageFlags2 stages;
};

/* Zero-initialised members: none of these. */
struct shw_submission {
    VkQueue queue; /* of the device's queue family */
    uint32_t command_count;
    const VkCommandBuffer *commands; /* ended; run in this order */
    /* Up to SHW_SUBMIT_SEMAPHORES_MAX each. With `stages` 0, all commands wait for all of `waits`, in all stages, so
     * that a struct shw_image_use need only have VK_PIPELINE_STAGE_ALL_COMMANDS_BIT before, and no access; all of
     * `signals` follow all commands, so that the same is enough after. With stages of your own, a use has these: its
     * barrier follows the wait only if it begins with a stage that waits. */
    uint32_t wait_count, signal_count;
    const struct shw_semaphore *waits, *signals;
    VkFence fence; /* signalled when the commands have finished */
};

/* Submits, and does not wait. Values other than 0 need timeline semaphores, which the caller has enabled: Vulkan 1.2 or
 * VK_KHR_timeline_semaphore, and the feature. Errors: ARGUMENT, LIMIT, MEMORY, DEVICE_MEMORY, DEVICE_LOST. Any thread,
 * but only one at a time per queue, whoever submits to it: hold the host's lock. */
SHW_API enum shw_result shw_submit(struct shw_device *device, const struct shw_submission *submission);

#ifdef __cplusplus
}
#endif
#endif
