#include "frame.h"

#include <string.h>

#include "base/log.h"

enum { START, UPLOADED, LABELLED, DRAWN, STAMPS };

enum shw_result view_frames_create(const struct view_gpu *gpu, struct view_frames *frames)
{
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = gpu->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = VIEW_SLOTS};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                     .queryCount = STAMPS * VIEW_SLOTS};
    enum shw_result result;

    memset(frames, 0, sizeof *frames);
    frames->times = (struct view_frame_times){-1, -1, -1};
    VIEW_TRY(gpu, vkAllocateCommandBuffers, gpu->device, &allocate, frames->commands);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        VIEW_TRY(gpu, vkCreateFence, gpu->device, &fence, NULL, &frames->fences[s]);
    if (gpu->timestamp_bits > 0)
        VIEW_TRY(gpu, vkCreateQueryPool, gpu->device, &queries, NULL, &frames->queries);
    return SHW_OK;

fail:
    view_frames_destroy(gpu, frames);
    return result;
}

void view_frames_destroy(const struct view_gpu *gpu, struct view_frames *frames)
{
    if (gpu->device == VK_NULL_HANDLE)
        return;
    vkDeviceWaitIdle(gpu->device);
    vkDestroyQueryPool(gpu->device, frames->queries, NULL);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        vkDestroyFence(gpu->device, frames->fences[s], NULL);
    if (frames->commands[0] != VK_NULL_HANDLE)
        vkFreeCommandBuffers(gpu->device, gpu->pool, VIEW_SLOTS, frames->commands);
    memset(frames, 0, sizeof *frames);
}

static void read_times(const struct view_gpu *gpu, struct view_frames *frames, uint32_t slot)
{
    uint64_t stamps[STAMPS], mask = gpu->timestamp_bits == 64 ? UINT64_MAX : (UINT64_C(1) << gpu->timestamp_bits) - 1;
    double unit = gpu->properties.limits.timestampPeriod / 1e6;

    if (frames->queries == VK_NULL_HANDLE ||
        vkGetQueryPoolResults(gpu->device, frames->queries, slot * STAMPS, STAMPS, sizeof stamps, stamps, sizeof *stamps,
                              VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
        return;
    frames->times.upload = frames->uploaded[slot] ? (double)((stamps[UPLOADED] - stamps[START]) & mask) * unit : -1;
    frames->times.labelling = frames->labelled[slot] ? (double)((stamps[LABELLED] - stamps[UPLOADED]) & mask) * unit : -1;
    frames->times.drawing = (double)((stamps[DRAWN] - stamps[LABELLED]) & mask) * unit;
}

static enum shw_result wait_slot(const struct view_gpu *gpu, struct view_frames *frames, uint32_t slot)
{
    enum shw_result result = SHW_OK;

    if (!frames->pending[slot])
        return SHW_OK;
    VIEW_TRY(gpu, vkWaitForFences, gpu->device, 1, &frames->fences[slot], VK_TRUE, UINT64_MAX);
    VIEW_TRY(gpu, vkResetFences, gpu->device, 1, &frames->fences[slot]);
    frames->pending[slot] = false;
    read_times(gpu, frames, slot);

fail:
    return result;
}

enum shw_result view_frames_wait(const struct view_gpu *gpu, struct view_frames *frames)
{
    enum shw_result result = SHW_OK;

    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        SHW_TRY(wait_slot(gpu, frames, (uint32_t)((frames->count + s) % VIEW_SLOTS)));

fail:
    return result;
}

enum shw_result view_frames_next(const struct view_gpu *gpu, struct view_frames *frames, uint32_t *slot)
{
    *slot = (uint32_t)(frames->count % VIEW_SLOTS);
    return wait_slot(gpu, frames, *slot);
}

static void stamp(const struct view_frames *frames, VkCommandBuffer commands, uint32_t slot, uint32_t which)
{
    if (frames->queries != VK_NULL_HANDLE)
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, frames->queries, slot * STAMPS + which);
}

static void draw(const struct view_gpu *gpu, const struct view_frames *frames, const struct view_frame *frame,
                 VkCommandBuffer commands, uint32_t slot)
{
    const struct view_labelling *labelling = frame->labelling;
    const struct view_shown *shown = frame->instead != NULL ? frame->instead : frame->shown;
    struct view_overlay_frame overlay = {
        .canvas = frame->canvas->image.extent,
        .images = {.shown = &shown->shown,
                   .argmax = labelling->filled ? &labelling->argmax : NULL,
                   .distribution =
                       labelling->filled && labelling->distribution.handle != VK_NULL_HANDLE ? &labelling->distribution : NULL,
                   .truth = shown->truth.handle != VK_NULL_HANDLE ? &shown->truth : NULL,
                   .plane = frame->plane->filled ? &frame->plane->image : NULL,
                   .painted = frame->painted != NULL ? &frame->painted->image : NULL},
        .settings = frame->settings,
        .place = frame->place,
        .wipe_column = frame->wipe_column,
        .changed = frames->uploaded[slot] || frames->labelled[slot] || frames->plane[slot]};

    if (frame->painted != NULL && view_painted_upload(frame->painted, frame->strokes, commands, slot))
        overlay.changed = true;
    if (shown->filled)
        view_overlay_compose(gpu, frame->overlay, commands, slot, &overlay);
    view_offscreen_begin(frame->canvas, commands);
    if (shown->filled)
        view_overlay_draw(frame->overlay, commands, slot);
    view_marks_draw(commands, frame->canvas->image.extent, &frame->place, frame->marks, frame->mark_count);
    if (frame->ui != NULL)
        view_ui_draw(frame->ui, commands);
    view_offscreen_end(commands);
}

static enum shw_result record(const struct view_gpu *gpu, struct view_frames *frames, const struct view_frame *frame,
                              VkCommandBuffer commands, uint32_t slot)
{
    enum shw_result result = SHW_OK;

    if (frames->queries != VK_NULL_HANDLE)
        vkCmdResetQueryPool(commands, frames->queries, slot * STAMPS, STAMPS);
    stamp(frames, commands, slot, START);
    frames->uploaded[slot] = frame->picture != NULL;
    if (frame->picture != NULL)
        view_shown_upload(frame->shown, frame->picture, frame->range, commands, slot);
    if (frame->texture != NULL)
        view_shown_upload(frame->instead, frame->texture, frame->range, commands, slot);
    frames->plane[slot] = view_plane_upload(frame->plane, commands, slot);
    stamp(frames, commands, slot, UPLOADED);
    frames->labelled[slot] = frame->label && frame->labelling->labeller != NULL && frame->shown->filled;
    if (frames->labelled[slot])
        SHW_TRY(view_labelling_record(frame->labelling, commands, slot, view_shown_source(frame->shown)));
    stamp(frames, commands, slot, LABELLED);
    draw(gpu, frames, frame, commands, slot);
    stamp(frames, commands, slot, DRAWN);
    if (frame->read)
        view_offscreen_read(frame->canvas, commands);
    if (frame->present != NULL)
        frame->present(frame->user, commands);

fail:
    return result;
}

enum shw_result view_frames_render(const struct view_gpu *gpu, struct view_frames *frames, const struct view_frame *frame)
{
    uint32_t slot;
    VkCommandBuffer commands;
    const VkPipelineStageFlags copied = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .waitSemaphoreCount = frame->wait != VK_NULL_HANDLE ? 1 : 0,
                           .pWaitSemaphores = &frame->wait,
                           .pWaitDstStageMask = &copied,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands,
                           .signalSemaphoreCount = frame->signal != VK_NULL_HANDLE ? 1 : 0,
                           .pSignalSemaphores = &frame->signal};
    enum shw_result result;

    SHW_TRY(view_frames_next(gpu, frames, &slot));
    commands = frames->commands[slot];
    VIEW_TRY(gpu, vkBeginCommandBuffer, commands, &begin);
    SHW_TRY(record(gpu, frames, frame, commands, slot));
    VIEW_TRY(gpu, vkEndCommandBuffer, commands);
    VIEW_TRY(gpu, vkQueueSubmit, gpu->queue, 1, &submit, frames->fences[slot]);
    frames->pending[slot] = true;
    frames->count++;

fail:
    return result;
}
