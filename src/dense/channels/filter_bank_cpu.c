#include "dense/channels/filter_bank.h"

#include <stdlib.h>

#include "dense/channels/channel_maker.h"
#include "dense/channels/pixels.h"
#include "shared/types.h"

#define BLOCK 64u

static void weighted_sum_portable(const int16_t *const *rows, const int16_t *weights, uint32_t count, uint32_t width,
                                  uint32_t shift, int16_t *out)
{
    for (uint32_t begin = 0; begin < width; begin += BLOCK) {
        uint32_t size = width - begin < BLOCK ? width - begin : BLOCK;
        int32_t sums[BLOCK] = {0};

        for (uint32_t i = 0; i < count; i++) {
            const int16_t *row = rows[i] + begin;
            int32_t weight = weights[i];
            for (uint32_t x = 0; x < size; x++)
                sums[x] += weight * row[x];
        }
        for (uint32_t x = 0; x < size; x++)
            out[begin + x] = (int16_t)shw_round_shift(sums[x], shift);
    }
}

#if SHW_SIMD_X86

#include <immintrin.h>

#define LANES 16u

/* `pairs` holds weights 2i (low half) and 2i + 1 (high half). Interleaving two rows allows one multiply-add per pair of
 * taps; packing the two halves undoes the interleaving. */
__attribute__((target("avx2"))) static inline void sum_lanes(const int16_t *const *rows, const int32_t *pairs,
                                                             uint32_t pair_count, uint32_t x, __m128i shift,
                                                             __m256i bias, int16_t *out)
{
    __m256i low = bias, high = bias;

    for (uint32_t i = 0; i < pair_count; i++) {
        __m256i weight = _mm256_set1_epi32(pairs[i]);
        __m256i even = _mm256_loadu_si256((const __m256i *)(const void *)(rows[2 * i] + x));
        __m256i odd = _mm256_loadu_si256((const __m256i *)(const void *)(rows[2 * i + 1] + x));
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(even, odd), weight));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(even, odd), weight));
    }
    _mm256_storeu_si256((__m256i *)(void *)(out + x),
                        _mm256_packs_epi32(_mm256_sra_epi32(low, shift), _mm256_sra_epi32(high, shift)));
}

__attribute__((target("avx2"))) static void weighted_sum_avx2(const int16_t *const *rows, const int16_t *weights,
                                                              uint32_t count, uint32_t width, uint32_t shift,
                                                              int16_t *out)
{
    const int16_t *even_rows[SHW_WEIGHTED_SUM_MAX + 1];
    int32_t pairs[(SHW_WEIGHTED_SUM_MAX + 1) / 2];
    uint32_t pair_count = (count + 1) / 2, x = 0;
    __m128i places = _mm_cvtsi32_si128((int)shift);
    __m256i bias = _mm256_set1_epi32((int)((1u << shift) >> 1));

    for (uint32_t i = 0; i < pair_count; i++) {
        uint32_t second = 2 * i + 1 < count ? 2 * i + 1 : 2 * i;
        uint32_t second_weight = second > 2 * i ? (uint16_t)weights[second] : 0u;
        even_rows[2 * i] = rows[2 * i];
        even_rows[2 * i + 1] = rows[second];
        pairs[i] = (int32_t)((uint16_t)weights[2 * i] | second_weight << 16);
    }
    for (; x + LANES <= width; x += LANES)
        sum_lanes(even_rows, pairs, pair_count, x, places, bias, out);
    if (x < width) /* the last vector again, overlapping the one before */
        sum_lanes(even_rows, pairs, pair_count, width - LANES, places, bias, out);
}

#endif

void shw_weighted_sum(const int16_t *const *rows, const int16_t *weights, uint32_t count, uint32_t width,
                      uint32_t shift, int16_t *out, enum shw_simd simd)
{
#if SHW_SIMD_X86
    if (simd >= SHW_SIMD_AVX2 && width >= LANES) {
        weighted_sum_avx2(rows, weights, count, width, shift, out);
        return;
    }
#endif
    (void)simd;
    weighted_sum_portable(rows, weights, count, width, shift, out);
}

/* The filter bank on the CPU, in stripes of rows: first along rows into a ring of filtered rows, which stays in caches,
 * then along columns. */

#define STRIPE_ROWS 64u

struct filtering {
    enum shw_simd simd;
    const struct shw_channels_job *job;
    struct shw_filter_bank bank;
    uint32_t width, height, radius;
    uint32_t filtered, finished; /* rows that earlier runs of the pool have filtered along rows, and finished */
    uint32_t base_count;
    shw_uint4 scales[SHW_INPUTS_MAX]; /* [number of a plane of the bank] */
    int16_t *padded;                  /* per thread: base_count rows of width + 2 * radius */
    int16_t *ring;                    /* per row filter: `ring_rows` rows; row y is at y % ring_rows */
    uint32_t ring_rows;
};

static int16_t *ring_row(const struct filtering *filtering, uint32_t filter, uint32_t y)
{
    return filtering->ring + ((size_t)filter * filtering->ring_rows + y % filtering->ring_rows) * filtering->width;
}

static void filter_row(void *user, uint32_t index, uint32_t thread)
{
    const struct filtering *filtering = user;
    const struct shw_filter_bank *bank = &filtering->bank;
    uint32_t y = filtering->filtered + index;
    size_t padded_width = filtering->width + 2 * (size_t)filtering->radius;
    int16_t *inner[SHW_BASE_COUNT + SHW_INPUTS_MAX];
    const int16_t *taps[SHW_WEIGHTED_SUM_MAX];

    for (uint32_t i = 0; i < filtering->base_count; i++)
        inner[i] = filtering->padded + (thread * (size_t)filtering->base_count + i) * padded_width + filtering->radius;
    if (bank->reads_colour)
        shw_base_row(filtering->job->images.of[0], y, inner);
    for (uint32_t i = 0; i < bank->plane_count; i++)
        shw_grey_row(filtering->job->images.of[bank->planes[i]], filtering->scales[i], y, inner[SHW_BASE_COUNT + i]);
    for (uint32_t i = bank->reads_colour ? 0 : SHW_BASE_COUNT; i < filtering->base_count; i++)
        shw_base_clamp(inner[i], filtering->width, filtering->radius);
    for (uint32_t i = 0; i < bank->row_count; i++) {
        const struct shw_filter_kernel *kernel = &shw_filter_kernels[bank->rows[i].kernel];
        uint32_t count = 2 * kernel->radius + 1;
        for (uint32_t tap = 0; tap < count; tap++)
            taps[tap] = inner[bank->rows[i].base] + tap - kernel->radius;
        shw_weighted_sum(taps, kernel->weights, count, filtering->width, SHW_ROW_SHIFT, ring_row(filtering, i, y),
                         filtering->simd);
    }
}

static void filter_column(const struct filtering *filtering, const struct shw_column_filter *filter, uint32_t y,
                          int16_t *out)
{
    const int16_t *taps[SHW_WEIGHTED_SUM_MAX];
    int16_t weights[SHW_WEIGHTED_SUM_MAX];
    uint32_t count = 0;

    for (uint32_t term = 0; term < filter->term_count; term++) {
        const struct shw_filter_kernel *kernel = &shw_filter_kernels[filter->terms[term].kernel];
        for (uint32_t tap = 0; tap <= 2 * kernel->radius; tap++, count++) {
            int32_t row = shw_clamp((int32_t)(y + tap) - (int32_t)kernel->radius, 0, (int32_t)filtering->height - 1);
            taps[count] = ring_row(filtering, filter->terms[term].row, (uint32_t)row);
            weights[count] = kernel->weights[tap];
        }
    }
    shw_weighted_sum(taps, weights, count, filtering->width, SHW_COLUMN_SHIFT, out, filtering->simd);
}

static void finish_row(void *user, uint32_t index, uint32_t thread)
{
    const struct filtering *filtering = user;
    uint32_t width = filtering->width, y = filtering->finished + index;
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

/* Filters the rows that the next stripe of the output needs, and finishes the stripe. */
static void run_stripe(struct filtering *filtering, uint32_t rows, struct shw_thread_pool *pool)
{
    uint32_t left = filtering->height - filtering->finished;
    uint32_t stripe = rows < left ? rows : left;
    uint32_t ahead = filtering->radius < left - stripe ? filtering->radius : left - stripe;
    uint32_t end = filtering->finished + stripe + ahead;

    shw_thread_pool_run(pool, end - filtering->filtered, filter_row, filtering);
    filtering->filtered = end;
    shw_thread_pool_run(pool, stripe, finish_row, filtering);
    filtering->finished += stripe;
}

static enum shw_result filter_bank_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    struct filtering filtering = {
        .job = job, .width = job->images.of[0]->width, .height = job->images.of[0]->height, .simd = shw_simd_level()};
    uint32_t threads = shw_thread_pool_size(pool), rows = STRIPE_ROWS > 4 * threads ? STRIPE_ROWS : 4 * threads;
    enum shw_result result = SHW_ERROR_MEMORY;

    shw_filter_bank_make(job->list, job->first, job->count, &filtering.bank);
    filtering.base_count = SHW_BASE_COUNT + filtering.bank.plane_count;
    for (uint32_t i = 0; i < filtering.bank.plane_count; i++)
        filtering.scales[i] = shw_depth_scale(&job->images.depth[filtering.bank.planes[i]]);
    for (uint32_t i = 0; i < filtering.bank.row_count; i++) {
        uint32_t radius = shw_filter_kernels[filtering.bank.rows[i].kernel].radius;
        filtering.radius = radius > filtering.radius ? radius : filtering.radius;
    }
    filtering.ring_rows = rows + 2 * filtering.radius;
    filtering.padded = malloc(threads * filtering.base_count * (filtering.width + 2 * (size_t)filtering.radius) *
                              sizeof *filtering.padded);
    filtering.ring =
        malloc((size_t)filtering.bank.row_count * filtering.ring_rows * filtering.width * sizeof *filtering.ring);
    if (filtering.padded == NULL || filtering.ring == NULL)
        goto fail;
    while (filtering.finished < filtering.height)
        run_stripe(&filtering, rows, pool);
    result = SHW_OK;

fail:
    free(filtering.ring);
    free(filtering.padded);
    return result;
}

const struct shw_channel_maker shw_filter_bank_maker = {
    .cpu = filter_bank_cpu, .fragment = &shw_filter_bank_fragment, .compute = &shw_filter_bank_compute};
