#include <shadewood/submit.h>
#include <stdlib.h>

#include "base/log.h"
#include "vulkan/device.h"

/* Semaphores as vkQueueSubmit2() takes them. */
struct batch {
    VkSemaphoreSubmitInfo semaphores[SHW_SUBMIT_SEMAPHORES_MAX];
    uint32_t count;
    bool has_timelines;
};

static enum shw_result fill(const struct shw_device *device, const char *what, const struct shw_semaphore *semaphores,
                            uint32_t count, struct batch *batch)
{
    const struct shw_log *log = &device->log;

    if (count > SHW_SUBMIT_SEMAPHORES_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "%u semaphores to %s; there may be %u", count, what,
                        SHW_SUBMIT_SEMAPHORES_MAX);
    if (count > 0 && semaphores == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%u semaphores to %s, but the pointer is NULL",
                        count, what);
    batch->count = count;
    for (uint32_t s = 0; s < count; s++) {
        const struct shw_semaphore *semaphore = &semaphores[s];
        if (semaphore->handle == VK_NULL_HANDLE)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "semaphore %u to %s is VK_NULL_HANDLE", s, what);
        if (semaphore->stages > UINT32_MAX && !device->enabled.synchronization2)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_REQUIREMENT,
                            "semaphore %u to %s: stages of more than 32 bits need the feature synchronization2, which "
                            "the device was imported without",
                            s, what);
        batch->semaphores[s] = (VkSemaphoreSubmitInfo){
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
            .semaphore = semaphore->handle,
            .value = semaphore->value,
            .stageMask = semaphore->stages != 0 ? semaphore->stages : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
        batch->has_timelines |= semaphore->value != 0;
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

/* Without synchronization2. */
static VkResult submit(const struct shw_device *device, const struct shw_submission *submission,
                       const struct batch *waits, const struct batch *signals)
{
    VkSemaphore waited[SHW_SUBMIT_SEMAPHORES_MAX], signalled[SHW_SUBMIT_SEMAPHORES_MAX];
    uint64_t waited_values[SHW_SUBMIT_SEMAPHORES_MAX], signalled_values[SHW_SUBMIT_SEMAPHORES_MAX];
    VkPipelineStageFlags stages[SHW_SUBMIT_SEMAPHORES_MAX];
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = waits->count,
                                                  .pWaitSemaphoreValues = waited_values,
                                                  .signalSemaphoreValueCount = signals->count,
                                                  .pSignalSemaphoreValues = signalled_values};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = waits->has_timelines || signals->has_timelines ? &values : NULL,
                               .waitSemaphoreCount = waits->count,
                               .pWaitSemaphores = waited,
                               .pWaitDstStageMask = stages,
                               .commandBufferCount = submission->command_count,
                               .pCommandBuffers = submission->commands,
                               .signalSemaphoreCount = signals->count,
                               .pSignalSemaphores = signalled};

    for (uint32_t w = 0; w < waits->count; w++) {
        waited[w] = waits->semaphores[w].semaphore;
        waited_values[w] = waits->semaphores[w].value;
        stages[w] = (VkPipelineStageFlags)waits->semaphores[w].stageMask;
    }
    for (uint32_t s = 0; s < signals->count; s++) {
        signalled[s] = signals->semaphores[s].semaphore;
        signalled_values[s] = signals->semaphores[s].value;
    }
    return device->vk.QueueSubmit(submission->queue, 1, &info, submission->fence);
}

/* With it. `commands` has room for all of the submission. */
static VkResult submit_2(const struct shw_device *device, const struct shw_submission *submission,
                         const struct batch *waits, const struct batch *signals, VkCommandBufferSubmitInfo *commands)
{
    const VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                .waitSemaphoreInfoCount = waits->count,
                                .pWaitSemaphoreInfos = waits->semaphores,
                                .commandBufferInfoCount = submission->command_count,
                                .pCommandBufferInfos = commands,
                                .signalSemaphoreInfoCount = signals->count,
                                .pSignalSemaphoreInfos = signals->semaphores};

    for (uint32_t c = 0; c < submission->command_count; c++)
        commands[c] = (VkCommandBufferSubmitInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                                  .commandBuffer = submission->commands[c]};
    return device->vk.QueueSubmit2(submission->queue, 1, &info, submission->fence);
}

#define COMMANDS_FEW 16u /* need no memory */

enum shw_result shw_submit(struct shw_device *device, const struct shw_submission *submission)
{
    SHW_REFUSE_NULL(NULL, device);
    SHW_REFUSE_NULL(&device->log, submission);

    VkCommandBufferSubmitInfo few[COMMANDS_FEW], *commands = few;
    struct batch waits = {.has_timelines = false}, signals = {.has_timelines = false};
    VkResult result;

    SHW_PROPAGATE(check_commands(&device->log, submission));
    SHW_PROPAGATE(fill(device, "wait for", submission->waits, submission->wait_count, &waits));
    SHW_PROPAGATE(fill(device, "signal", submission->signals, submission->signal_count, &signals));
    if (device->enabled.synchronization2 && submission->command_count > COMMANDS_FEW) {
        commands = malloc(submission->command_count * sizeof *commands);
        if (commands == NULL)
            return shw_fail_memory(&device->log, "commands to submit");
    }
    result = device->enabled.synchronization2 ? submit_2(device, submission, &waits, &signals, commands)
                                              : submit(device, submission, &waits, &signals);
    if (commands != few)
        free(commands);
    return result == VK_SUCCESS ? SHW_OK : shw_vk_fail(device, result, "vkQueueSubmit");
}
