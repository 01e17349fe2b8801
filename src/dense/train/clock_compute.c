/* Device time of each pass. */
#include "dense/train/clock_compute.h"

#include "dense/train/backend_compute.h"

/* Marks that are reset at a time: most recordings have few, and validation layers keep something of every reset. */
#define RESET_COUNT 64u

const char *const shw_compute_pass_names[SHW_CLOCK_COUNT] = {
    [SHW_PROGRAM_CANDIDATES] = "candidates",
    [SHW_PROGRAM_PROBES] = "probes",
    [SHW_PROGRAM_THRESHOLDS] = "thresholds",
    [SHW_PROGRAM_HISTOGRAM] = "histogram",
    [SHW_PROGRAM_SPLIT] = "split",
    [SHW_PROGRAM_WINNERS] = "winners",
    [SHW_PROGRAM_SIDES] = "sides",
    [SHW_PROGRAM_SCAN] = "scan",
    [SHW_PROGRAM_MOVE] = "move",
    [SHW_CLOCK_OTHER] = "other",
    [SHW_CLOCK_LEAVES] = "leaf images",
    [SHW_CLOCK_RESPONSES] = "responses",
    [SHW_CLOCK_SCATTER] = "scatter",
};

enum shw_result shw_compute_clock_create(struct shw_train_compute *training)
{
    struct shw_device *device = training->device;
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                  .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                  .queryCount = SHW_CLOCK_MARKS};

    if (device->timestamp_bits > 0)
        VK_PROPAGATE(device, CreateQueryPool(device->handle, &info, device->allocator, &training->clock.pool));
    return SHW_OK;
}

void shw_compute_clock_begin(struct shw_train_compute *training, VkCommandBuffer commands)
{
    struct shw_compute_clock *clock = &training->clock;

    if (clock->pool == VK_NULL_HANDLE)
        return;
    clock->count = 0;
    shw_compute_clock_mark(training, commands, SHW_CLOCK_OTHER);
}

void shw_compute_clock_mark(struct shw_train_compute *training, VkCommandBuffer commands, uint32_t pass)
{
    struct shw_compute_clock *clock = &training->clock;

    if (clock->pool == VK_NULL_HANDLE || clock->count == SHW_CLOCK_MARKS)
        return;
    if (clock->count % RESET_COUNT == 0)
        training->device->vk.CmdResetQueryPool(commands, clock->pool, clock->count, RESET_COUNT);
    clock->marks[clock->count] = (uint8_t)pass;
    training->device->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, clock->pool, clock->count++);
}

enum shw_result shw_compute_clock_read(struct shw_train_compute *training)
{
    struct shw_device *device = training->device;
    struct shw_compute_clock *clock = &training->clock;
    uint64_t ticks[SHW_CLOCK_MARKS];

    if (clock->pool == VK_NULL_HANDLE)
        return SHW_OK;
    VK_PROPAGATE(device, GetQueryPoolResults(device->handle, clock->pool, 0, clock->count, sizeof ticks, ticks,
                                             sizeof *ticks, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    for (uint32_t i = 1; i < clock->count; i++) {
        uint64_t taken = ticks[i] - ticks[i - 1];
        if (device->timestamp_bits < 64)
            taken &= ((uint64_t)1 << device->timestamp_bits) - 1;
        clock->seconds[clock->marks[i]] += 1e-9 * (double)taken * (double)device->properties.limits.timestampPeriod;
    }
    return SHW_OK;
}

void shw_compute_get_passes(const void *state, struct shw_train_progress *progress)
{
    const struct shw_train_compute *training = state;

    if (training->clock.pool == VK_NULL_HANDLE)
        return;
    progress->pass_count = SHW_CLOCK_COUNT;
    progress->pass_names = shw_compute_pass_names;
    progress->pass_seconds = training->clock.seconds;
}
