/* Submission with semaphores: commands wait for a value of a timeline, set another, and wait for a binary semaphore. */
#include <string.h>

#include "scene.h"
#include "vulkan/memory.h"

static const struct random_forest_params forest_params = {.seed = 1, .channels = SHW_CHANNELS_RGB, .depth = 2};

static VkSemaphore create_semaphore(const struct scene *scene, bool timeline)
{
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = timeline ? &type : NULL};
    VkSemaphore semaphore = VK_NULL_HANDLE;

    assert_int_equal(scene->engine.vk.CreateSemaphore(scene->engine.handle, &info, NULL, &semaphore), VK_SUCCESS);
    return semaphore;
}

/* Commands that copy a word of the buffer to the next one. */
static void record_copy(struct scene *scene, struct engine_frame *frame, VkBuffer buffer, uint32_t from)
{
    const VkBufferCopy region = {4 * (VkDeviceSize)from, 4 * (VkDeviceSize)(from + 1), 4};
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};

    engine_begin(&scene->engine, frame);
    scene->engine.vk.CmdPipelineBarrier(frame->commands,
                                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                                        VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    scene->engine.vk.CmdCopyBuffer(frame->commands, buffer, buffer, 1, &region);
    assert_int_equal(scene->engine.vk.EndCommandBuffer(frame->commands), VK_SUCCESS);
}

/* Opens the scene with the feature, or without; skips the test where the device lacks it. */
static void open_either(struct scene *scene, bool synchronization2)
{
    if (!synchronization2) {
        open_scene(scene, &forest_params);
        return;
    }
    if (!open_scene_synchronized(scene, &forest_params)) {
        close_scene(scene);
        testing_abandon("the device lacks synchronization2");
    }
}

/* `stages` are those that wait, and those that are waited for. */
static void check_order(bool synchronization2, VkPipelineStageFlags2 stages)
{
    struct engine_frame frames[2];
    struct shw_buffer words;
    struct scene scene;
    PFN_vkSignalSemaphore signal;
    PFN_vkGetSemaphoreCounterValue get_value;
    PFN_vkWaitSemaphores wait;
    uint64_t value;

    open_either(&scene, synchronization2);
    wait = (PFN_vkWaitSemaphores)scene.engine.vk.GetDeviceProcAddr(scene.engine.handle, "vkWaitSemaphores");
    signal = (PFN_vkSignalSemaphore)scene.engine.vk.GetDeviceProcAddr(scene.engine.handle, "vkSignalSemaphore");
    get_value = (PFN_vkGetSemaphoreCounterValue)scene.engine.vk.GetDeviceProcAddr(scene.engine.handle,
                                                                                  "vkGetSemaphoreCounterValue");
    assert_true(signal != NULL && get_value != NULL && wait != NULL);

    const VkSemaphore timeline = create_semaphore(&scene, true), binary = create_semaphore(&scene, false);
    const VkSemaphoreSignalInfo from_host = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = timeline, .value = 1};
    const struct shw_semaphore one = {timeline, 1, stages}, both[] = {{binary, 0, stages}, {timeline, 5, stages}},
                               last = {timeline, 7, stages};
    const VkSemaphoreWaitInfo until_last = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                            .semaphoreCount = 1,
                                            .pSemaphores = &timeline,
                                            .pValues = &last.value};
    const struct shw_submission first = {.queue = scene.engine.queue,
                                         .command_count = 1,
                                         .commands = &frames[0].commands,
                                         .wait_count = 1,
                                         .waits = &one,
                                         .signal_count = 2,
                                         .signals = both};
    struct shw_submission second = {.queue = scene.engine.queue,
                                    .command_count = 1,
                                    .commands = &frames[1].commands,
                                    .wait_count = 2,
                                    .waits = both,
                                    .signal_count = 1,
                                    .signals = &last};

    assert_int_equal(shw_buffer_create(scene.device, 12,
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_READBACK, "words", &words),
                     SHW_OK);
    memset(words.mapped, 0, words.size);
    for (uint32_t f = 0; f < 2; f++)
        record_copy(&scene, &frames[f], words.handle, f);
    second.fence = frames[1].fence;
    assert_int_equal(shw_submit(scene.device, &first), SHW_OK);
    assert_int_equal(get_value(scene.engine.handle, timeline, &value), VK_SUCCESS);
    assert_int_equal(value, 0);
    *(uint32_t *)words.mapped = 4711; /* which commands that did not wait would not have seen */
    assert_int_equal(signal(scene.engine.handle, &from_host), VK_SUCCESS);
    /* not before: what a binary semaphore depends on must be submitted, or signalled by the host, first */
    assert_int_equal(shw_submit(scene.device, &second), SHW_OK);
    engine_wait(&scene.engine, &frames[1]);
    assert_int_equal(((uint32_t *)words.mapped)[1], 4711);
    assert_int_equal(((uint32_t *)words.mapped)[2], 4711);
    /* Mesa 22.3 can signal the fence a moment before the semaphore of the same submission */
    assert_int_equal(wait(scene.engine.handle, &until_last, UINT64_MAX), VK_SUCCESS);
    assert_int_equal(get_value(scene.engine.handle, timeline, &value), VK_SUCCESS);
    assert_int_equal(value, 7);

    assert_int_equal(scene.engine.vk.DeviceWaitIdle(scene.engine.handle), VK_SUCCESS);
    shw_buffer_destroy(scene.device, &words);
    scene.engine.vk.DestroyFence(scene.engine.handle, frames[0].fence, NULL);
    scene.engine.vk.DestroySemaphore(scene.engine.handle, timeline, NULL);
    scene.engine.vk.DestroySemaphore(scene.engine.handle, binary, NULL);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(commands_wait_and_signal)
{
    check_order(false, 0);
    check_order(false, VK_PIPELINE_STAGE_TRANSFER_BIT);
}

TESTING_CASE(stages_of_64_bits_wait_and_signal)
{
    check_order(true, 0);
    check_order(true, VK_PIPELINE_STAGE_2_COPY_BIT);
}

/* Each copies what the one before has written. */
static void check_many(bool synchronization2)
{
    enum { COMMANDS = 40 };
    struct shw_submission submission = {.command_count = COMMANDS};
    struct engine_frame frames[COMMANDS];
    VkCommandBuffer commands[COMMANDS];
    struct shw_buffer words;
    struct scene scene;

    open_either(&scene, synchronization2);
    assert_int_equal(shw_buffer_create(scene.device, 4 * (COMMANDS + 1),
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_READBACK, "words", &words),
                     SHW_OK);
    memset(words.mapped, 0, words.size);
    *(uint32_t *)words.mapped = 4711;
    for (uint32_t f = 0; f < COMMANDS; f++) {
        record_copy(&scene, &frames[f], words.handle, f);
        commands[f] = frames[f].commands;
    }
    submission.queue = scene.engine.queue;
    submission.commands = commands;
    submission.fence = frames[0].fence;
    assert_int_equal(shw_submit(scene.device, &submission), SHW_OK);
    engine_wait(&scene.engine, &frames[0]);
    assert_int_equal(((uint32_t *)words.mapped)[COMMANDS], 4711);
    assert_int_equal(scene.engine.vk.DeviceWaitIdle(scene.engine.handle), VK_SUCCESS);
    for (uint32_t f = 1; f < COMMANDS; f++)
        scene.engine.vk.DestroyFence(scene.engine.handle, frames[f].fence, NULL);
    shw_buffer_destroy(scene.device, &words);
    close_scene(&scene);
}

TESTING_CASE(many_commands_are_submitted_in_order)
{
    check_many(false);
    check_many(true);
}

static void refused(struct scene *scene, const struct shw_submission *submission, enum shw_result result,
                    const char *why)
{
    const unsigned errors = scene->memory.errors;

    assert_int_equal(shw_submit(scene->device, submission), result);
    assert_int_equal(scene->memory.errors, errors + 1);
    if (strstr(scene->memory.last, why) == NULL)
        fail_msg("'%s' does not say '%s'", scene->memory.last, why);
}

#define REFUSED(member, value, result, why)                                                                            \
    do {                                                                                                               \
        struct shw_submission changed = submission;                                                                    \
        changed.member = value;                                                                                        \
        refused(&scene, &changed, result, why);                                                                        \
    } while (0)

TESTING_CASE(what_is_wrong_is_refused)
{
    const VkCommandBuffer none = VK_NULL_HANDLE;
    const struct shw_semaphore no_semaphore = {0}, wide = {(VkSemaphore)(uintptr_t)1, 0, VK_PIPELINE_STAGE_2_COPY_BIT};
    struct shw_submission submission = {0};
    struct scene scene;

    open_scene(&scene, &forest_params);
    refused(&scene, &submission, SHW_ERROR_ARGUMENT, "`queue`");
    submission.queue = scene.engine.queue;
    REFUSED(command_count, 1, SHW_ERROR_ARGUMENT, "command buffer 0");
    REFUSED(wait_count, 1, SHW_ERROR_ARGUMENT, "1 semaphores to wait for, but the pointer is NULL");
    REFUSED(signal_count, 1, SHW_ERROR_ARGUMENT, "1 semaphores to signal, but the pointer is NULL");
    submission.commands = &none;
    submission.waits = submission.signals = &no_semaphore;
    REFUSED(command_count, 1, SHW_ERROR_ARGUMENT, "command buffer 0");
    REFUSED(wait_count, 1, SHW_ERROR_ARGUMENT, "semaphore 0 to wait for is VK_NULL_HANDLE");
    REFUSED(signal_count, 1, SHW_ERROR_ARGUMENT, "semaphore 0 to signal is VK_NULL_HANDLE");
    REFUSED(wait_count, SHW_SUBMIT_SEMAPHORES_MAX + 1, SHW_ERROR_LIMIT, "33 semaphores");
    REFUSED(signal_count, SHW_SUBMIT_SEMAPHORES_MAX + 1, SHW_ERROR_LIMIT, "33 semaphores");
    submission.waits = submission.signals = &wide;
    REFUSED(wait_count, 1, SHW_ERROR_ARGUMENT, "semaphore 0 to wait for: stages of more than 32 bits");
    REFUSED(signal_count, 1, SHW_ERROR_ARGUMENT, "semaphore 0 to signal: stages of more than 32 bits");
    close_scene(&scene);
}
