/* Smoothing on the CPU. */
#include <stdlib.h>

#include "base/integers.h"
#include "base/simd.h"
#include "dense/channels/pixels.h"
#include "dense/smooth/smooth.h"
#include "dense/smooth/smooth_tile.h"

#define WINDOW_CELLS_MAX ((2 * SHW_SMOOTH_CELLS_MAX + 1) * (2 * SHW_SMOOTH_CELLS_MAX + 1))

struct shw_smooth_windows shw_smooth_windows_of(const struct shw_smoothing *smoothing)
{
    const uint32_t epsilon = smoothing->epsilon > 0 ? smoothing->epsilon : SHW_SMOOTHING_EPSILON_DEFAULT;
    struct shw_smooth_windows windows = {.epsilon = shw_max_u32(16 * epsilon, SHW_SMOOTH_EPSILON_MIN)};

    while (windows.bits < 3 && smoothing->radius >> windows.bits >= 8)
        windows.bits++;
    windows.cells =
        shw_min_u32((smoothing->radius + ((1u << windows.bits) >> 1)) >> windows.bits, SHW_SMOOTH_CELLS_MAX);
    return windows;
}

struct shw_smooth_rect shw_smooth_cells(const struct shw_smooth_windows *windows, const struct shw_smooth_rect *tile,
                                        uint32_t full_width, uint32_t full_height, uint32_t times)
{
    const uint32_t bits = windows->bits, round = (1u << bits) - 1;
    const int32_t more = (int32_t)(times * windows->cells);
    const struct shw_smooth_range x = shw_smooth_range_of((int32_t)tile->x, (int32_t)tile->width, bits, more,
                                                          (int32_t)((full_width + round) >> bits));
    const struct shw_smooth_range y = shw_smooth_range_of((int32_t)tile->y, (int32_t)tile->height, bits, more,
                                                          (int32_t)((full_height + round) >> bits));

    return (struct shw_smooth_rect){(uint32_t)x.first, (uint32_t)y.first, (uint32_t)x.count, (uint32_t)y.count};
}

/* The runs of a tile's rows. */
static struct shw_smooth_runs runs_of(const struct shw_smooth_tile *tile)
{
    const int32_t bits = (int32_t)tile->windows.bits, half = (1 << bits) >> 1;
    const int32_t x = (int32_t)tile->tile.x - half + (1 << bits), end = x + (int32_t)tile->tile.width - 1;
    const int32_t first = (x >> bits) - 1;

    return (struct shw_smooth_runs){.first = first,
                                    .length = (uint32_t)((end >> bits) - first),
                                    .count = 1u << bits,
                                    .x0 = first * (1 << bits) + half};
}

/* Memory. */

struct memory {
    uint64_t bytes;
    bool counts; /* and nothing is allocated */
    bool failed;
};

static void *get(size_t count, size_t size, struct memory *memory)
{
    void *allocated = memory->counts ? NULL : malloc(count * size);

    memory->bytes += (uint64_t)count * size;
    memory->failed = memory->failed || allocated == NULL;
    return allocated;
}

static void allocate_scratch(const struct shw_smooth_work *work, struct shw_smooth_scratch *scratch,
                             struct memory *memory)
{
    const struct shw_smooth_tile *of = work->of;
    const size_t width = work->cells.width, models = work->models.width, means = work->means.width;
    const size_t pixels = (size_t)work->runs.length * work->runs.count;

    *scratch = (struct shw_smooth_scratch){
        .base = get((size_t)SHW_BASE_COUNT * of->image->width, sizeof *scratch->base, memory),
        .line = get(2 * width << of->windows.bits, sizeof *scratch->line, memory),
        .columns = get(SHW_GUIDE_ROWS * width, sizeof *scratch->columns, memory),
        .before = get(width + 2 * of->windows.cells + 1, sizeof *scratch->before, memory),
        .sums = get(SHW_GUIDE_ROWS * models, sizeof *scratch->sums, memory),
        .models = get(SHW_MODEL_ROWS * models * work->models.height, sizeof *scratch->models, memory),
        .divisors = get(SHW_DIVISOR_ROWS * means, sizeof *scratch->divisors, memory),
        .between = get(SHW_MODEL_ROWS * ((size_t)work->runs.length + 1), sizeof *scratch->between, memory),
        .colours = get(3 * ((size_t)of->tile.width + 2 * SHW_SMOOTH_NEAR_REACH), sizeof *scratch->colours, memory),
        .near = get(of->tile.width, sizeof *scratch->near, memory),
        .guide = get(3 * pixels, sizeof *scratch->guide, memory),
        .values = get(of->classes * pixels, sizeof *scratch->values, memory),
        .totals = get(pixels, sizeof *scratch->totals, memory),
        .scales = get(pixels, sizeof *scratch->scales, memory),
        .most = get(pixels, sizeof *scratch->most, memory),
        .labels = get(pixels, sizeof *scratch->labels, memory),
        .given = get(of->tile.width, sizeof *scratch->given, memory),
        .shares = get(pixels, sizeof *scratch->shares, memory),
        .in_order = get(pixels, sizeof *scratch->in_order, memory)};
}

static void allocate(struct shw_smooth_work *work, uint32_t threads, struct memory *memory)
{
    const size_t cells = (size_t)work->cells.width * work->cells.height, classes = work->of->classes;
    const size_t models = (size_t)work->models.width * work->models.height;
    const size_t means = (size_t)work->means.width * work->means.height;

    work->guide = get(3 * cells, sizeof *work->guide, memory);
    work->shares = get(classes * cells, sizeof *work->shares, memory);
    work->factors = get(SHW_FACTOR_ROWS * models, sizeof *work->factors, memory);
    work->mean = get(classes * SHW_MODEL_ROWS * means, sizeof *work->mean, memory);
    work->divisors = get(WINDOW_CELLS_MAX + 1, sizeof *work->divisors, memory);
    work->scratch = calloc(threads, sizeof *work->scratch);
    for (uint32_t t = 0; work->scratch != NULL && t < threads; t++)
        allocate_scratch(work, &work->scratch[t], memory);
}

static void release(struct shw_smooth_work *work, uint32_t threads)
{
    for (uint32_t t = 0; work->scratch != NULL && t < threads; t++) {
        struct shw_smooth_scratch *scratch = &work->scratch[t];
        free(scratch->base);
        free(scratch->line);
        free(scratch->columns);
        free(scratch->before);
        free(scratch->sums);
        free(scratch->models);
        free(scratch->divisors);
        free(scratch->between);
        free(scratch->colours);
        free(scratch->near);
        free(scratch->guide);
        free(scratch->values);
        free(scratch->totals);
        free(scratch->scales);
        free(scratch->most);
        free(scratch->labels);
        free(scratch->given);
        free(scratch->shares);
        free(scratch->in_order);
    }
    free(work->scratch);
    free(work->divisors);
    free(work->mean);
    free(work->factors);
    free(work->shares);
    free(work->guide);
}

/* AVX-512 is no faster. */
static const struct shw_smooth_loops *loops_for(enum shw_simd simd)
{
#if SHW_SIMD_X86
    if (simd >= SHW_SIMD_AVX2)
        return &shw_smooth_loops_avx2;
#endif
    (void)simd;
    return &shw_smooth_loops;
}

static struct shw_smooth_work work_of(const struct shw_smooth_tile *tile)
{
    const uint32_t bits = tile->windows.bits;
    struct shw_smooth_work work = {.of = tile,
                                   .runs = runs_of(tile),
                                   .full_columns = (tile->full_width + (1u << bits) - 1) >> bits,
                                   .full_rows = (tile->full_height + (1u << bits) - 1) >> bits};

    work.cells = shw_smooth_cells(&tile->windows, &tile->tile, tile->full_width, tile->full_height, 2);
    work.models = shw_smooth_cells(&tile->windows, &tile->tile, tile->full_width, tile->full_height, 1);
    work.means = shw_smooth_cells(&tile->windows, &tile->tile, tile->full_width, tile->full_height, 0);
    return work;
}

uint64_t shw_smooth_cpu_bytes(const struct shw_smooth_windows *windows, uint32_t side, uint32_t classes,
                              uint32_t threads)
{
    const uint32_t reach = shw_smooth_reach(windows), given = side + 2 * reach;
    const struct shw_image image = {.width = given, .height = given};
    const struct shw_smooth_tile tile = {.windows = *windows,
                                         .full_width = given,
                                         .full_height = given,
                                         .given = {0, 0, given, given},
                                         .image = &image,
                                         .classes = classes,
                                         .tile = {reach, reach, side, side}};
    struct shw_smooth_work work = work_of(&tile);
    struct memory memory = {.counts = true};

    allocate(&work, threads, &memory);
    release(&work, threads);
    return memory.bytes + sizeof(uint16_t) * classes * (uint64_t)given * given;
}

enum shw_result shw_smooth_cpu(const struct shw_smooth_tile *tile, struct shw_thread_pool *pool)
{
    const struct shw_smooth_loops *loops = loops_for(shw_simd_level());
    const uint32_t threads = shw_thread_pool_size(pool);
    struct shw_smooth_work work = work_of(tile);
    struct memory memory = {.bytes = 0};
    enum shw_result result = SHW_ERROR_MEMORY;

    allocate(&work, threads, &memory);
    if (!memory.failed) {
        for (uint32_t i = 1; i <= WINDOW_CELLS_MAX; i++)
            work.divisors[i] = shw_divisor_of(i);
        shw_thread_pool_run(pool, work.cells.height, loops->guide, &work);
        shw_thread_pool_run(pool, work.cells.height * tile->classes, loops->shares, &work);
        shw_thread_pool_run(pool, work.models.height, loops->factors, &work);
        shw_thread_pool_run(pool, tile->classes, loops->models, &work);
        shw_thread_pool_run(pool, (tile->tile.height - 1) / tile->step + 1, loops->pixels, &work);
        result = SHW_OK;
    }
    release(&work, threads);
    return result;
}
