#include <shadewood/submit.h>

#include "base/log.h"
#include "vulkan/device.h"

/* Semaphores as Vulkan takes them. */
struct batch {
    VkSemaphore handles[SHW_SUBMIT_SEMAPHORES_MAX];
    uint64_t values[SHW_SUBMIT_SEMAPHORES_MAX];
    bool has_timelines;
};

static enum shw_result fill(const struct shw_log *log, const char *what, const struct shw_semaphore *semaphores,
                            uint32_t count, struct batch *batch)
{
    if (count > SHW_SUBMIT_SEMAPHORES_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "%u semaphores to %s; there may be %u", count, what,
                        SHW_SUBMIT_SEMAPHORES_MAX);
    if (count > 0 && semaphores == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%u semaphores to %s, but the pointer is NULL",
                        count, what);
    for (uint32_t s = 0; s < count; s++) {
        if (semaphores[s].handle == VK_NULL_HANDLE)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "semaphore %u to %s is VK_NULL_HANDLE", s, what);
        batch->handles[s] = semaphores[s].handle;
        batch->values[s] = semaphores[s].value;
        batch->has_timelines |= semaphores[s].value != 0;
    }
    return SHW_OK;
}

static enum shw_result check_commands(const struct shw_log *log, const struct shw_submission *submission)
{
    if (submission->queue == VK_NULL_HANDLE)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "`queue` is VK_NULL_HANDLE");
    for (uint32_t c = 0; c < submission->command_count; c++)
        if (submission->commands == NULL || submission->commands[c] == VK_NULL_HANDLE)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "command buffer %u is VK_NULL_HANDLE", c);
    return SHW_OK;
}

enum shw_result shw_submit(struct shw_device *device, const struct shw_submission *submission)
{
    SHW_REFUSE_NULL(NULL, device);
    SHW_REFUSE_NULL(&device->log, submission);

    VkPipelineStageFlags stages[SHW_SUBMIT_SEMAPHORES_MAX];
    struct batch waits = {.has_timelines = false}, signals = {.has_timelines = false};
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = submission->wait_count,
                                                  .pWaitSemaphoreValues = waits.values,
                                                  .signalSemaphoreValueCount = submission->signal_count,
                                                  .pSignalSemaphoreValues = signals.values};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .waitSemaphoreCount = submission->wait_count,
                         .pWaitSemaphores = waits.handles,
                         .pWaitDstStageMask = stages,
                         .commandBufferCount = submission->command_count,
                         .pCommandBuffers = submission->commands,
                         .signalSemaphoreCount = submission->signal_count,
                         .pSignalSemaphores = signals.handles};

    SHW_PROPAGATE(check_commands(&device->log, submission));
    SHW_PROPAGATE(fill(&device->log, "wait for", submission->waits, submission->wait_count, &waits));
    SHW_PROPAGATE(fill(&device->log, "signal", submission->signals, submission->signal_count, &signals));
    for (uint32_t w = 0; w < submission->wait_count; w++)
        stages[w] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    if (waits.has_timelines || signals.has_timelines)
        info.pNext = &values;
    VK_PROPAGATE(device, QueueSubmit(submission->queue, 1, &info, submission->fence));
    return SHW_OK;
}
