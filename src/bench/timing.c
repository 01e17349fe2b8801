#include "bench/timing.h"

#include "bench/statistics.h"
#include "bench/warm.h"
#include "vulkan/commands.h"

#define WARM_MS     40.0
#define SHORT_MS    0.1 /* of device time; the host takes about as long for a submission */
#define MANY_MAX    256u
#define MANY_MS     50.0 /* approximate time of the submission with many runs */
#define MANY_REPEAT 5u

struct stopwatch {
    struct shw_device *device;
    VkQueryPool pool;
};

static enum shw_result create(struct shw_device *device, struct stopwatch *watch)
{
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};

    watch->device = device;
    if (device->timestamp_bits > 0)
        VK_PROPAGATE(device, CreateQueryPool(device->handle, &info, device->allocator, &watch->pool));
    return SHW_OK;
}

static void destroy(struct stopwatch *watch)
{
    if (watch->pool != VK_NULL_HANDLE)
        watch->device->vk.DestroyQueryPool(watch->device->handle, watch->pool, watch->device->allocator);
}

/* Timestamps are taken when all previous work has completed; work after the first one starts then. There is no other
 * barrier. */
static void mark(const struct stopwatch *watch, VkCommandBuffer commands, uint32_t query)
{
    const struct shw_use all = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

    if (watch->pool == VK_NULL_HANDLE)
        return;
    if (query == 0)
        shw_memory_barrier(watch->device, commands, all, all);
    watch->device->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, watch->pool, query);
}

static enum shw_result elapsed(const struct stopwatch *watch, double *ms)
{
    struct shw_device *device = watch->device;
    uint64_t ticks[2], taken;

    *ms = 0;
    if (watch->pool == VK_NULL_HANDLE)
        return SHW_OK;
    VK_PROPAGATE(device, GetQueryPoolResults(device->handle, watch->pool, 0, 2, sizeof ticks, ticks, sizeof *ticks,
                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    taken = ticks[1] - ticks[0];
    if (device->timestamp_bits < 64)
        taken &= ((uint64_t)1 << device->timestamp_bits) - 1;
    *ms = 1e-6 * (double)taken * (double)device->properties.limits.timestampPeriod;
    return SHW_OK;
}

/* A submission with the work `many` times. */
static enum shw_result submit(const struct stopwatch *watch, const struct shw_bench_work *work, uint32_t many,
                              double *wall, double *device_ms)
{
    double start = shw_bench_now();
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(watch->device, &commands));
    if (watch->pool != VK_NULL_HANDLE)
        watch->device->vk.CmdResetQueryPool(commands, watch->pool, 0, 2);
    mark(watch, commands, 0);
    for (uint32_t i = 0; i < many; i++)
        work->record(work->user, commands);
    mark(watch, commands, 1);
    SHW_PROPAGATE(shw_submit_wait(watch->device, commands));
    *wall = shw_bench_now() - start;
    return elapsed(watch, device_ms);
}

static enum shw_result time_one(const struct stopwatch *watch, const struct shw_bench_work *work, double *wall,
                                double *device_ms)
{
    double start = shw_bench_now();
    enum shw_result result;

    if (work->record != NULL)
        return submit(watch, work, 1, wall, device_ms);
    result = work->run(work->user);
    *wall = shw_bench_now() - start;
    *device_ms = 0;
    return result;
}

/* Enough runs to take a while; the median of a few submissions. */
static enum shw_result time_many(const struct stopwatch *watch, const struct shw_bench_work *work, double one,
                                 struct shw_bench_times *times)
{
    uint32_t many = one * MANY_MAX < MANY_MS ? MANY_MAX : (uint32_t)(MANY_MS / one);
    double wall[MANY_REPEAT], device_ms[MANY_REPEAT];

    many = work->most > 0 && work->most < many ? work->most : many;
    if (many < 2)
        return SHW_OK;
    for (uint32_t i = 0; i < MANY_REPEAT; i++)
        SHW_PROPAGATE(submit(watch, work, many, &wall[i], &device_ms[i]));
    times->back_to_back = shw_bench_summarise(wall, MANY_REPEAT).median / many;
    times->back_to_back_device = shw_bench_summarise(device_ms, MANY_REPEAT).median / many;
    times->in_flight = many;
    return SHW_OK;
}

enum shw_result shw_bench_time(struct shw_bench *bench, const struct shw_bench_work *work,
                               struct shw_bench_times *times)
{
    struct stopwatch watch = {0};
    double wall, device_ms, begun;
    enum shw_result result;

    times->runs = times->device_runs = times->in_flight = 0;
    times->back_to_back = times->back_to_back_device = 0;
    if (bench->stops != NULL && bench->stops(bench->user))
        return SHW_ERROR_CANCELLED;
    if (work->record != NULL)
        SHW_TRY(create(bench->device, &watch));
    if (work->record != NULL)
        SHW_TRY(shw_bench_warm(bench));
    begun = shw_bench_now();
    do /* fills caches and raises the clocks of idle processors and memory */
        SHW_TRY(time_one(&watch, work, &wall, &device_ms));
    while (shw_bench_now() - begun < WARM_MS);
    if (watch.pool != VK_NULL_HANDLE && device_ms < SHORT_MS)
        SHW_TRY(shw_bench_warm_again(bench));
    begun = shw_bench_now();
    while (times->runs < bench->options.runs && times->runs < SHW_BENCH_RUNS_MAX) {
        if (times->runs >= SHW_BENCH_RUNS_LEAST && shw_bench_now() - begun > 1e3 * bench->options.seconds)
            break;
        SHW_TRY(time_one(&watch, work, &times->wall[times->runs], &times->device[times->runs]));
        times->runs++;
    }
    if (watch.pool != VK_NULL_HANDLE)
        times->device_runs = times->runs;
    if (work->record != NULL && work->most != 1)
        SHW_TRY(time_many(&watch, work, times->device_runs > 0 ? times->device[0] : times->wall[0], times));

    if (work->record != NULL)
        shw_bench_was_busy(bench);

fail:
    destroy(&watch);
    return result;
}
