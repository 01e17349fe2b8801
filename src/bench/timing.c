#include "bench/timing.h"

#include "bench/roofline_device.h"
#include "vulkan/commands.h"
#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double quantile(const double *sorted, uint32_t count, double share)
{
    double place = share * (count - 1);
    uint32_t below = (uint32_t)place;
    uint32_t above = below + 1 < count ? below + 1 : below;

    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

static double mean_of(const double *values, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static double deviation_of(const double *values, uint32_t count, double mean)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sqrt(sum / (count - 1)) : 0;
}

struct shw_bench_statistics shw_bench_summarise(double *values, uint32_t count)
{
    double mean = mean_of(values, count);

    qsort(values, count, sizeof *values, ascending);
    return (struct shw_bench_statistics){.median = quantile(values, count, 0.5),
                                         .min = values[0],
                                         .max = values[count - 1],
                                         .q1 = quantile(values, count, 0.25),
                                         .q3 = quantile(values, count, 0.75),
                                         .mean = mean,
                                         .deviation = deviation_of(values, count, mean)};
}

#define BYTES     ((uint64_t)256 << 20)
#define RUN_MS    8.0    /* of a dispatch, at least */
#define STEPS_MAX 16384u /* of it */
#define CLOCKS_MS 1500.0 /* what an NVIDIA H200 needs */
#define AGAIN_MS  300.0
#define STILL_MS  100.0 /* shorter idle times need no warming up */

void shw_bench_was_busy(struct shw_bench *bench)
{
    bench->busy_until = shw_bench_now();
}

/* Loads from memory by all processors. */
static enum shw_result load(struct shw_bench *bench, struct shw_roofline_device *roofline, double ms)
{
    struct shw_roofline_case made = {.kernel = &shw_roofline_reads[0]};
    double begun = shw_bench_now(), before;
    uint32_t steps = 1;
    enum shw_result result;

    SHW_TRY(made.kernel->create(roofline, &made));
    while (shw_bench_now() - begun < ms) {
        before = shw_bench_now();
        SHW_TRY(shw_roofline_run(roofline, &made, steps));
        if (shw_bench_now() - before < RUN_MS && steps < STEPS_MAX)
            steps *= 2;
    }

fail:
    shw_roofline_case_destroy(bench->device, &made);
    return result;
}

static enum shw_result warm(struct shw_bench *bench, double ms)
{
    struct shw_roofline_device roofline;
    enum shw_result result;

    if (bench->device == NULL || bench->description.is_cpu)
        return SHW_OK;
    result = shw_roofline_device_create(bench->device, BYTES, NULL, &roofline);
    if (result == SHW_OK)
        result = load(bench, &roofline, ms);
    shw_roofline_device_destroy(&roofline);
    shw_bench_was_busy(bench);
    return result == SHW_ERROR_DEVICE_LOST ? result
                                           : SHW_OK; /* without memory for it, work is timed without warming up */
}

enum shw_result shw_bench_warm(struct shw_bench *bench)
{
    return shw_bench_now() - bench->busy_until < STILL_MS ? SHW_OK : warm(bench, CLOCKS_MS);
}

/* Warms up for some tenths of a second regardless: before work so short that waiting for its results dominates, which
 * does not keep the clocks up. */
static enum shw_result warm_again(struct shw_bench *bench)
{
    return warm(bench, AGAIN_MS);
}

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
        SHW_TRY(warm_again(bench));
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
