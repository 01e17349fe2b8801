/* The suite `roofline`: peak rates of the device and the processor, by micro-benchmarks of the kinds of memory access
 * of the stages. docs/bench.md describes each. */
#include <stdlib.h>
#include <string.h>

#include "bench/report.h"
#include "bench/roofline_device.h"
#include "bench/roofline_gathers.h"
#include "bench/statistics.h"

#define LARGE_BYTES       ((uint64_t)512 << 20) /* larger than the caches of devices */
#define LARGE_BYTES_CPU   ((uint64_t)64 << 20)
#define LARGE_BYTES_LEAST ((uint64_t)32 << 20) /* holds the planes */
#define RUN_MS            8.0                  /* at least, on a device */
#define RUN_MS_CPU        3.0
#define STEPS_MAX         (1u << 15)
#define PLANES_BYTES      (4 * SHW_ROOFLINE_STRIDE * SHW_ROOFLINE_ROWS * SHW_ROOFLINE_LAYERS)

_Static_assert(PLANES_BYTES <= LARGE_BYTES_LEAST, "the large buffer holds the planes");

/* A limit that was not measured. */
static enum shw_result add_skipped(struct shw_bench *bench, const char *limit, const char *title, const char *unit,
                                   const char *why)
{
    json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "limit", limit, "title", title, "unit", unit, "skipped", why);

    if (entry == NULL || json_array_append_new(json_object_get(bench->document, "limits"), entry) != 0)
        return shw_fail_memory(&bench->log, "the report");
    return SHW_OK;
}

static double median(const double *ms, uint32_t runs)
{
    double sorted[SHW_BENCH_RUNS_MAX];

    memcpy(sorted, ms, runs * sizeof *sorted);
    return shw_bench_summarise(sorted, runs).median;
}

struct timed {
    const struct shw_roofline_device *roofline;
    const struct shw_roofline_case *made;
    uint32_t steps;
};

static void record(void *user, VkCommandBuffer commands)
{
    const struct timed *timed = user;
    const struct shw_roofline_push push = shw_roofline_push_of(timed->roofline, timed->made->kernel, timed->steps);

    shw_roofline_record(timed->roofline, timed->made, commands, &push);
    shw_roofline_barrier(timed->roofline, commands);
}

/* Enough steps to make the overhead negligible. */
static enum shw_result find_steps(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                  uint32_t *steps)
{
    double wanted = roofline->description.is_cpu ? RUN_MS_CPU : RUN_MS, start;

    for (*steps = 1; *steps < STEPS_MAX; *steps *= 2) {
        start = shw_bench_now();
        SHW_PROPAGATE(shw_roofline_run(roofline, made, *steps));
        if (shw_bench_now() - start >= wanted)
            break;
    }
    return SHW_OK;
}

static enum shw_result measure(struct shw_bench *bench, struct shw_roofline_device *roofline,
                               const struct shw_roofline_kernel *kernel, struct shw_bench_times *times)
{
    const struct shw_roofline_push push = shw_roofline_push_of(roofline, kernel, 1);
    struct shw_roofline_case made = {.kernel = kernel};
    struct timed timed = {.roofline = roofline, .made = &made};
    const struct shw_bench_work work = {.record = record, .user = &timed, .most = 1};
    const char *cannot = kernel->cannot != NULL ? kernel->cannot(roofline) : NULL;
    bool good = false;
    double ms;
    enum shw_result result;

    if (cannot != NULL)
        return add_skipped(bench, kernel->limit, kernel->title, kernel->unit, cannot);
    shw_bench_say(bench, "roofline: %s", kernel->title);
    SHW_TRY(kernel->create(roofline, &made));
    SHW_TRY(shw_roofline_run(roofline, &made, 1));
    SHW_TRY(kernel->check(roofline, &made, &push, &good));
    if (!good) {
        result = add_skipped(bench, kernel->limit, kernel->title, kernel->unit, "the device gave wrong results");
        goto fail;
    }
    SHW_TRY(find_steps(roofline, &made, &timed.steps));
    SHW_TRY(shw_bench_time(bench, &work, times));
    ms = median(times->device_runs > 0 ? times->device : times->wall, times->runs);
    SHW_TRY(shw_bench_add_limit(bench, kernel->limit, kernel->title, 1e3 * made.amount * timed.steps / ms, kernel->unit,
                                times));

fail:
    shw_roofline_case_destroy(roofline->device, &made);
    return result;
}

static uint64_t large_bytes(const struct shw_bench *bench)
{
    const struct shw_device_description *device = &bench->description;
    uint64_t bytes = device->is_cpu || bench->options.quick ? LARGE_BYTES_CPU : LARGE_BYTES;

    while (bytes > LARGE_BYTES_LEAST && (bytes > device->storage_buffer_range_max || bytes > device->memory_bytes / 8))
        bytes /= 2;
    return bytes;
}

static enum shw_result measure_all(struct shw_bench *bench, struct shw_roofline_device *roofline,
                                   const struct shw_roofline_kernel *kernels, uint32_t count,
                                   struct shw_bench_times *times)
{
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < count; i++) {
        result = measure(bench, roofline, &kernels[i], times);
        if (result != SHW_OK && shw_bench_is_skip(result))
            result = add_skipped(bench, kernels[i].limit, kernels[i].title, kernels[i].unit, bench->message);
        if (result != SHW_OK)
            break;
    }
    return result;
}

static enum shw_result measure_device(struct shw_bench *bench, struct shw_bench_times *times)
{
    struct shw_roofline_device roofline = {0};
    enum shw_result result;

    SHW_TRY(shw_roofline_device_create(bench->device, large_bytes(bench), &bench->log, &roofline));
    SHW_TRY(measure_all(bench, &roofline, shw_roofline_reads, shw_roofline_read_count, times));
    SHW_TRY(measure_all(bench, &roofline, shw_roofline_writes, shw_roofline_write_count, times));

fail:
    shw_roofline_device_destroy(&roofline);
    return result;
}

struct gathers {
    struct shw_thread_pool *pool;
    const uint32_t *table;
    uint32_t *sums; /* per thread */
    uint32_t steps;
};

static void gather_part(void *user, uint32_t index, uint32_t thread)
{
    const struct gathers *gathers = user;

    (void)thread;
    gathers->sums[index] = shw_gathers(gathers->table, index, gathers->steps, true);
}

static enum shw_result gather(void *user)
{
    struct gathers *gathers = user;

    shw_thread_pool_run(gathers->pool, shw_thread_pool_size(gathers->pool), gather_part, gathers);
    return SHW_OK;
}

static bool gathers_are_good(const struct gathers *gathers)
{
    for (uint32_t i = 0; i < shw_thread_pool_size(gathers->pool); i++)
        if (gathers->sums[i] != shw_gathers(gathers->table, i, gathers->steps, false))
            return false;
    return true;
}

static enum shw_result measure_processor(struct shw_bench *bench, struct shw_bench_times *times)
{
    const char *limit = "cpu_gathers", *unit = "loads";
    const char *title = shw_gathers_have_vector() ? "scattered loads of words from a small table, cpu with AVX2 gathers"
                                                  : "scattered loads of words from a small table, cpu";
    uint32_t threads = shw_thread_pool_size(bench->pool), words = 1u << SHW_GATHERS_BITS;
    uint32_t *table = malloc(words * sizeof *table), *sums = malloc(threads * sizeof *sums);
    struct gathers gathers = {.pool = bench->pool, .table = table, .sums = sums, .steps = 1000};
    const struct shw_bench_work work = {.run = gather, .user = &gathers};
    double start, ms = 0;
    enum shw_result result;

    if (table == NULL || sums == NULL) {
        result = shw_fail_memory(&bench->log, "a table");
        goto fail;
    }
    for (uint32_t i = 0; i < words; i++)
        table[i] = shw_roofline_word(i);
    shw_bench_say(bench, "roofline: %s", title);
    SHW_TRY(gather(&gathers));
    if (!gathers_are_good(&gathers)) {
        result = add_skipped(bench, limit, title, unit, "the processor gave wrong results");
        goto fail;
    }
    for (; ms < RUN_MS_CPU && gathers.steps < 1u << 24; gathers.steps *= 2) {
        start = shw_bench_now();
        SHW_TRY(gather(&gathers));
        ms = shw_bench_now() - start;
    }
    SHW_TRY(shw_bench_time(bench, &work, times));
    ms = median(times->wall, times->runs);
    SHW_TRY(
        shw_bench_add_limit(bench, limit, title, 1e3 * gathers.steps * SHW_GATHERS_LANES * threads / ms, unit, times));

fail:
    free(sums);
    free(table);
    return result;
}

enum shw_result shw_bench_roofline(struct shw_bench *bench)
{
    struct shw_bench_times *times = malloc(sizeof *times);
    enum shw_result result;

    if (times == NULL)
        return shw_fail_memory(&bench->log, "times");
    if (bench->device != NULL)
        SHW_TRY(measure_device(bench, times));
    SHW_TRY(measure_processor(bench, times));

fail:
    free(times);
    return result;
}
