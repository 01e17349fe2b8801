/* The filter bank on the CPU, row by row: first along rows into intermediate planes, then along columns. */
#include <stdlib.h>

#include "channels/base_planes.h"
#include "channels/channel_maker.h"
#include "channels/filter_bank.h"
#include "channels/filter_bank_stage.h"
#include "channels/weighted_sum.h"

struct filtering {
    enum shw_simd simd;
    const struct shw_channels_job *job;
    struct shw_filter_bank bank;
    uint32_t width, height, radius;
    int16_t *padded;       /* per thread: SHW_BASE_COUNT rows of width + 2 * radius */
    int16_t *intermediate; /* one plane after the other */
};

static void filter_row(void *user, uint32_t y, uint32_t thread)
{
    const struct filtering *filtering = user;
    const struct shw_filter_bank *bank = &filtering->bank;
    size_t plane = (size_t)filtering->width * filtering->height,
           padded_width = filtering->width + 2 * (size_t)filtering->radius;
    int16_t *inner[SHW_BASE_COUNT];
    const int16_t *taps[SHW_WEIGHTED_SUM_MAX];

    for (uint32_t i = 0; i < SHW_BASE_COUNT; i++)
        inner[i] = filtering->padded + (thread * (size_t)SHW_BASE_COUNT + i) * padded_width + filtering->radius;
    shw_base_row(filtering->job->images[0], y, inner);
    for (uint32_t i = 0; i < SHW_BASE_COUNT; i++)
        shw_base_clamp(inner[i], filtering->width, filtering->radius);
    for (uint32_t i = 0; i < bank->row_count; i++) {
        const struct shw_filter_kernel *kernel = &shw_filter_kernels[bank->rows[i].kernel];
        uint32_t count = 2 * kernel->radius + 1;
        for (uint32_t tap = 0; tap < count; tap++)
            taps[tap] = inner[bank->rows[i].base] + tap - kernel->radius;
        shw_weighted_sum(taps, kernel->weights, count, filtering->width, SHW_ROW_SHIFT,
                         filtering->intermediate + i * plane + (size_t)y * filtering->width, filtering->simd);
    }
}

static void filter_column(const struct filtering *filtering, const struct shw_column_filter *filter, uint32_t y,
                          int16_t *out)
{
    size_t plane = (size_t)filtering->width * filtering->height;
    const int16_t *taps[SHW_WEIGHTED_SUM_MAX];
    int16_t weights[SHW_WEIGHTED_SUM_MAX];
    uint32_t count = 0;

    for (uint32_t term = 0; term < filter->term_count; term++) {
        const struct shw_filter_kernel *kernel = &shw_filter_kernels[filter->terms[term].kernel];
        for (uint32_t tap = 0; tap <= 2 * kernel->radius; tap++, count++) {
            int32_t row = shw_clamp((int32_t)(y + tap) - (int32_t)kernel->radius, 0, (int32_t)filtering->height - 1);
            taps[count] = filtering->intermediate + filter->terms[term].row * plane + (size_t)row * filtering->width;
            weights[count] = kernel->weights[tap];
        }
    }
    shw_weighted_sum(taps, weights, count, filtering->width, SHW_COLUMN_SHIFT, out, filtering->simd);
}

static void finish_row(void *user, uint32_t y, uint32_t thread)
{
    const struct filtering *filtering = user;
    uint32_t width = filtering->width;
    size_t plane = (size_t)width * filtering->height;
    int16_t *row = filtering->job->planes + (size_t)y * width;

    (void)thread;
    for (uint32_t i = 0; i < filtering->bank.column_count; i++) {
        const struct shw_column_filter *column = &filtering->bank.columns[i];
        bool is_wanted = column->output != SHW_NO_OUTPUT;
        int16_t *sums = row + (is_wanted ? column->output : column->magnitude) * plane;
        filter_column(filtering, column, y, sums);
        if (column->magnitude == SHW_NO_OUTPUT)
            continue;
        int16_t *magnitudes = row + column->magnitude * plane;
        for (uint32_t x = 0; x < width; x++)
            magnitudes[x] = (int16_t)abs(sums[x]);
    }
}

static enum shw_result filter_bank_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    struct filtering filtering = {
        .job = job, .width = job->images[0]->width, .height = job->images[0]->height, .simd = shw_simd_level()};
    size_t plane = (size_t)filtering.width * filtering.height;
    enum shw_result result = SHW_ERROR_MEMORY;

    shw_filter_bank_make(job->list, job->first, job->count, &filtering.bank);
    for (uint32_t i = 0; i < filtering.bank.row_count; i++) {
        uint32_t radius = shw_filter_kernels[filtering.bank.rows[i].kernel].radius;
        filtering.radius = radius > filtering.radius ? radius : filtering.radius;
    }
    filtering.padded = malloc(shw_thread_pool_size(pool) * SHW_BASE_COUNT *
                              (filtering.width + 2 * (size_t)filtering.radius) * sizeof *filtering.padded);
    filtering.intermediate = malloc(filtering.bank.row_count * plane * sizeof *filtering.intermediate);
    if (filtering.padded == NULL || filtering.intermediate == NULL)
        goto fail;
    shw_thread_pool_run(pool, filtering.height, filter_row, &filtering);
    shw_thread_pool_run(pool, filtering.height, finish_row, &filtering);
    result = SHW_OK;

fail:
    free(filtering.intermediate);
    free(filtering.padded);
    return result;
}

const struct shw_channel_maker shw_filter_bank_maker = {
    .cpu = filter_bank_cpu, .fragment = &shw_filter_bank_fragment, .compute = &shw_filter_bank_compute};
