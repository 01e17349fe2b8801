#include "gpu/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "gpu/gpu.h"

struct item {
    uint64_t frame; /* the next one to be recorded when this was retired */
    struct view_image image;
    struct view_buffer buffer; /* one of the two */
};

struct view_retired {
    struct item *items;
    uint32_t count, capacity;
    uint64_t frame; /* the one that is recorded now or next */
};

struct view_retired *view_retired_create(void)
{
    return calloc(1, sizeof(struct view_retired));
}

static void destroy(const struct view_gpu *gpu, struct item *item)
{
    view_image_destroy(gpu, &item->image);
    view_buffer_destroy(gpu, &item->buffer);
}

void view_retired_destroy(const struct view_gpu *gpu, struct view_retired **retired)
{
    struct view_retired *old = *retired;

    for (uint32_t i = 0; old != NULL && i < old->count; i++)
        destroy(gpu, &old->items[i]);
    if (old != NULL)
        free(old->items);
    free(old);
    *retired = NULL;
}

static void retire(const struct view_gpu *gpu, struct item item)
{
    struct view_retired *retired = gpu->retired;

    if (retired->count == retired->capacity) {
        uint32_t capacity = 2 * retired->capacity + 16;
        struct item *items = realloc(retired->items, capacity * sizeof *items);
        if (items == NULL) {
            view_device_wait(gpu);
            destroy(gpu, &item);
            return;
        }
        retired->items = items;
        retired->capacity = capacity;
    }
    item.frame = retired->frame;
    retired->items[retired->count++] = item;
}

void view_image_retire(const struct view_gpu *gpu, struct view_image *image)
{
    if (image->handle != VK_NULL_HANDLE)
        retire(gpu, (struct item){.image = *image});
    memset(image, 0, sizeof *image);
}

void view_buffer_retire(const struct view_gpu *gpu, struct view_buffer *buffer)
{
    if (buffer->handle != VK_NULL_HANDLE)
        retire(gpu, (struct item){.buffer = *buffer});
    memset(buffer, 0, sizeof *buffer);
}

/* To be called when frame `frame`, counted from 0, is about to be recorded, and frame `frame` - VIEW_SLOTS is over. */
static void retired_collect(const struct view_gpu *gpu, uint64_t frame)
{
    struct view_retired *retired = gpu->retired;
    uint32_t kept = 0;

    retired->frame = frame;
    for (uint32_t i = 0; i < retired->count; i++)
        if (retired->items[i].frame + VIEW_SLOTS <= frame)
            destroy(gpu, &retired->items[i]);
        else
            retired->items[kept++] = retired->items[i];
    retired->count = kept;
}

void view_frames_clear_times(struct view_frames *frames)
{
    view_times_clear(&frames->times);
    view_watch_clear(&frames->watch);
    frames->cleared = view_clock();
    frames->cleared_count = frames->count;
}

enum shw_result view_frames_create(const struct view_gpu *gpu, struct view_frames *frames)
{
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = gpu->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = VIEW_SLOTS};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                     .queryCount = VIEW_STAMPS * VIEW_SLOTS};
    enum shw_result result;

    memset(frames, 0, sizeof *frames);
    VIEW_TRY(gpu, vkAllocateCommandBuffers, gpu->device, &allocate, frames->commands);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        VIEW_TRY(gpu, vkCreateFence, gpu->device, &fence, NULL, &frames->fences[s]);
    view_frames_clear_times(frames);
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

/* Times of stages are added up until their labelling is complete. Some parts of a stage take longer than others, and no
 * frame should be delayed, so rates follow slow parts at once and fast ones gradually. */
static void count_stage(struct view_frames *frames, uint32_t stage, uint64_t work, double milliseconds)
{
    double rate = work > 0 ? milliseconds / (double)work : 0.0, old = frames->rates[stage];

    frames->stage_times[stage] += milliseconds;
    if (work > 0)
        frames->rates[stage] = rate > old ? rate : 0.9 * old + 0.1 * rate;
}

static void read_times(const struct view_gpu *gpu, struct view_frames *frames, uint32_t slot)
{
    uint64_t stamps[VIEW_STAMPS],
        mask = gpu->timestamp_bits == 64 ? UINT64_MAX : (UINT64_C(1) << gpu->timestamp_bits) - 1;
    double unit = gpu->properties.limits.timestampPeriod / 1e6, sums[VIEW_TIME_COUNT] = {0};
    uint32_t count = frames->stamps[slot];

    if (frames->queries == VK_NULL_HANDLE || count == 0 ||
        vkGetQueryPoolResults(gpu->device, frames->queries, slot * VIEW_STAMPS, count, sizeof stamps, stamps,
                              sizeof *stamps, VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
        return;
    if (frames->begins[slot])
        memset(frames->stage_times, 0, sizeof frames->stage_times);
    for (uint32_t i = 1; i < count; i++) {
        const struct view_span *span = &frames->spans[slot][i];
        double milliseconds = (double)((stamps[i] - stamps[i - 1]) & mask) * unit;
        if (span->kind >= VIEW_TIME_CHANNELS && span->kind <= VIEW_TIME_EVALUATE)
            count_stage(frames, span->kind - VIEW_TIME_CHANNELS, span->work, milliseconds);
        else
            sums[span->kind] += milliseconds;
    }
    sums[VIEW_TIME_DEVICE] = (double)((stamps[count - 1] - stamps[0]) & mask) * unit;
    for (uint32_t kind = 0; kind < VIEW_TIME_COUNT; kind++)
        if (sums[kind] > 0.0)
            view_times_add(&frames->times, kind, sums[kind]);
    for (uint32_t stage = 0; frames->ends[slot] && stage < SHW_STAGE_COUNT; stage++)
        view_times_add(&frames->times, VIEW_TIME_CHANNELS + stage, frames->stage_times[stage]);
}

static enum shw_result wait_slot(const struct view_gpu *gpu, struct view_frames *frames, uint32_t slot,
                                 enum view_block kind)
{
    double began = view_block_begin();

    if (!frames->pending[slot])
        return SHW_OK;
    VIEW_PROPAGATE(gpu, vkWaitForFences, gpu->device, 1, &frames->fences[slot], VK_TRUE, UINT64_MAX);
    view_block_end(kind, began);
    VIEW_PROPAGATE(gpu, vkResetFences, gpu->device, 1, &frames->fences[slot]);
    frames->pending[slot] = false;
    read_times(gpu, frames, slot);
    return SHW_OK;
}

enum shw_result view_frames_wait(const struct view_gpu *gpu, struct view_frames *frames)
{
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        SHW_PROPAGATE(wait_slot(gpu, frames, (uint32_t)((frames->count + s) % VIEW_SLOTS), VIEW_BLOCK_FRAMES));
    return SHW_OK;
}

bool view_frames_is_over(const struct view_gpu *gpu, const struct view_frames *frames, uint64_t number, double seconds)
{
    uint32_t slot = (uint32_t)(number % VIEW_SLOTS);

    return number + VIEW_SLOTS < frames->count || !frames->pending[slot] ||
           vkWaitForFences(gpu->device, 1, &frames->fences[slot], VK_TRUE, (uint64_t)(seconds * 1e9)) == VK_SUCCESS;
}

enum shw_result view_frames_next(const struct view_gpu *gpu, struct view_frames *frames, uint32_t *slot)
{
    *slot = (uint32_t)(frames->count % VIEW_SLOTS);
    return wait_slot(gpu, frames, *slot, VIEW_BLOCK_SLOT);
}

void view_frames_stamp(struct view_frames *frames, VkCommandBuffer commands, uint32_t slot, enum view_time kind,
                       uint64_t work)
{
    uint32_t number = frames->stamps[slot];

    if (frames->queries == VK_NULL_HANDLE || number == VIEW_STAMPS)
        return;
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, frames->queries, slot * VIEW_STAMPS + number);
    frames->spans[slot][number] = (struct view_span){kind, work};
    frames->stamps[slot]++;
}

enum shw_result view_frames_begin(const struct view_gpu *gpu, struct view_frames *frames, uint32_t *slot,
                                  VkCommandBuffer *commands)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};

    SHW_PROPAGATE(view_frames_next(gpu, frames, slot));
    retired_collect(gpu, frames->count);
    *commands = frames->commands[*slot];
    VIEW_PROPAGATE(gpu, vkBeginCommandBuffer, *commands, &begin);
    if (frames->queries != VK_NULL_HANDLE)
        vkCmdResetQueryPool(*commands, frames->queries, *slot * VIEW_STAMPS, VIEW_STAMPS);
    frames->stamps[*slot] = 0;
    frames->begins[*slot] = frames->ends[*slot] = false;
    return SHW_OK;
}

enum shw_result view_frames_submit(const struct view_gpu *gpu, struct view_frames *frames, uint32_t slot,
                                   VkSemaphore wait, VkSemaphore signal)
{
    const VkPipelineStageFlags copied = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .waitSemaphoreCount = wait != VK_NULL_HANDLE ? 1 : 0,
                           .pWaitSemaphores = &wait,
                           .pWaitDstStageMask = &copied,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &frames->commands[slot],
                           .signalSemaphoreCount = signal != VK_NULL_HANDLE ? 1 : 0,
                           .pSignalSemaphores = &signal};

    VIEW_PROPAGATE(gpu, vkEndCommandBuffer, frames->commands[slot]);
    VIEW_PROPAGATE(gpu, vkQueueSubmit, gpu->queue, 1, &submit, frames->fences[slot]);
    frames->pending[slot] = true;
    frames->count++;
    return SHW_OK;
}
