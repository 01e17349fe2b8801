#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/simd.h"
#include "dense/forest/forest.h"
#include "dense/integrate/integral.h"
#include "dense/means/means.h"
#include "shared/rectangle.h"

/* Rows of planes that one piece of work makes, from sums of so many rows and those of the longest side. */
#define BAND 64u

struct work {
    enum shw_simd simd;
    const struct shw_means *means;
    const int16_t *channels;
    int16_t *out;
    uint32_t width, height, out_width, out_height; /* of channels and of planes */
    uint32_t bands;
    struct shw_rect held; /* the part of the image that the channels hold */
    uint32_t *sums;       /* of each thread */
    size_t sum_count;
};

/* A row of rectangles of a plane: the sums above their first row and above the row after their last. */
struct row {
    const uint32_t *above, *below;
    int32_t height;
    int16_t *out;
};

/* The quotient of doubles, rounded once, is never rounded up to the next integer: truncation is exact, and faster than
 * a division of integers. */
static inline int16_t value_of(const struct row *row, int32_t x0, int32_t x1, bool is_sum)
{
    const int32_t sum = (int32_t)(row->below[x1] - row->below[x0] - row->above[x1] + row->above[x0]);

    return (int16_t)(is_sum ? sum : (int32_t)((double)sum / ((x1 - x0) * row->height)));
}

/* Elements before `begin`, whose rectangles begin to the left of the image, and from `end` on, whose rectangles end to
 * the right of it. */
static void make_edges(const struct work *work, const struct row *row, int32_t width, uint32_t begin, uint32_t end)
{
    const struct shw_rect held = work->held;
    const bool is_sum = work->means->is_sum;
    int32_t x = -(int32_t)work->means->margin;

    for (uint32_t i = 0; i < begin; i++, x++)
        row->out[i] = value_of(row, held.x0, shw_clamp(x + width, held.x0 + 1, held.x1), is_sum);
    x += (int32_t)(end - begin);
    for (uint32_t i = end; i < work->out_width; i++, x++)
        row->out[i] = value_of(row, shw_min(x, held.x1 - 1), held.x1, is_sum);
}

/* Rectangles whose columns are not clipped: those that begin at `first` and the `count` - 1 columns after it. */
struct inside {
    uint32_t first, count;
    uint32_t width;
    int16_t *out;
};

static void make_inside(const struct row *row, const struct inside *inside, uint32_t multiplier, uint32_t shift)
{
    const uint32_t *above = row->above + inside->first, *below = row->below + inside->first, width = inside->width;

    for (uint32_t i = 0; i < inside->count; i++) {
        const int32_t sum = (int32_t)(below[i + width] - below[i] - above[i + width] + above[i]);
        inside->out[i] = (int16_t)(multiplier > 0 ? shw_mean_by(sum, multiplier, shift) : sum);
    }
}

#if SHW_SIMD_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* As in dense/feature/rectangle_patch.h: of sums below 2^30, no exact quotient is truncated to the one below, and none
 * lifted to the next. */
#define RECIPROCAL_LIFT (1.0 + 0x1p-40)

AVX2 __m256i load8(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

AVX2 __m256i sums8(const uint32_t *above, const uint32_t *below, uint32_t width)
{
    return _mm256_sub_epi32(_mm256_sub_epi32(load8(below + width), load8(below)),
                            _mm256_sub_epi32(load8(above + width), load8(above)));
}

/* Eight means, in the lower half of each lane of 128 bits four. */
AVX2 __m256i means8(__m256i sums, __m256d reciprocal)
{
    __m128i low = _mm256_cvttpd_epi32(_mm256_mul_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(sums)), reciprocal));
    __m128i high =
        _mm256_cvttpd_epi32(_mm256_mul_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(sums, 1)), reciprocal));

    return _mm256_set_m128i(high, low);
}

/* Sums whose magnitude is below 2^21: (|sum| + 1/2) / area, rounded to floats twice, is off by less than 1/2 / area. */
AVX2 __m256i small_means8(__m256i sums, __m256 reciprocal)
{
    const __m256 half = _mm256_set1_ps(0.5f), sign = _mm256_set1_ps(-0.0f);
    const __m256 values = _mm256_cvtepi32_ps(sums);
    const __m256 away = _mm256_add_ps(values, _mm256_or_ps(half, _mm256_and_ps(values, sign)));

    return _mm256_cvttps_epi32(_mm256_mul_ps(away, reciprocal));
}

enum kind { SUMS, MEANS, SMALL_MEANS };

AVX2 __m256i values8(__m256i sums, double reciprocal, enum kind kind)
{
    return kind == SUMS    ? sums
           : kind == MEANS ? means8(sums, _mm256_set1_pd(reciprocal * RECIPROCAL_LIFT))
                           : small_means8(sums, _mm256_set1_ps((float)reciprocal));
}

/* All but the last, at most 15, which are left. Returns their number. */
AVX2 uint32_t make_sixteens(const struct row *row, const struct inside *inside, double reciprocal, enum kind kind)
{
    const uint32_t *above = row->above + inside->first, *below = row->below + inside->first;
    uint32_t i = 0;

    for (; i + 16 <= inside->count; i += 16) {
        __m256i low = values8(sums8(above + i, below + i, inside->width), reciprocal, kind);
        __m256i high = values8(sums8(above + i + 8, below + i + 8, inside->width), reciprocal, kind);
        __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
        _mm256_storeu_si256((__m256i *)(void *)(inside->out + i), both);
    }
    return inside->count - i;
}

__attribute__((target("avx2"))) static uint32_t make_sixteens_avx2(const struct row *row, const struct inside *inside,
                                                                   double reciprocal, enum kind kind)
{
    switch (kind) {
    case SUMS: return make_sixteens(row, inside, reciprocal, SUMS);
    case MEANS: return make_sixteens(row, inside, reciprocal, MEANS);
    case SMALL_MEANS: break;
    }
    return make_sixteens(row, inside, reciprocal, SMALL_MEANS);
}

static enum kind kind_of(const struct work *work, const struct shw_mean_plane *plane)
{
    const uint32_t most = work->means->forest->channels.channels[plane->channel].max_abs;

    return work->means->is_sum ? SUMS : (uint64_t)most * plane->width * plane->height < 1u << 21u ? SMALL_MEANS : MEANS;
}
#endif

static void make_row(const struct work *work, const struct shw_mean_plane *plane, const struct row *row)
{
    const uint32_t margin = work->means->margin, area = plane->width * (uint32_t)row->height;
    const int32_t columns = work->held.x1 - work->held.x0 - (int32_t)plane->width + 1;
    uint32_t begin = (uint32_t)work->held.x0 + margin, end = begin;
    struct inside inside = {(uint32_t)work->held.x0, columns > 0 ? (uint32_t)columns : 0, plane->width,
                            row->out + begin};

    end += inside.count;
    make_edges(work, row, (int32_t)plane->width, begin, end);
#if SHW_SIMD_X86
    if (work->simd >= SHW_SIMD_AVX2) {
        const uint32_t left = make_sixteens_avx2(row, &inside, 1.0 / area, kind_of(work, plane));
        inside.first += inside.count - left;
        inside.out += inside.count - left;
        inside.count = left;
    }
#endif
    make_inside(row, &inside, work->means->is_sum ? 0 : shw_mean_multiplier(area), shw_mean_shift(area));
}

/* The rows of the channel that a rectangle of row y of a plane covers. */
static struct shw_rect rows_of(const struct work *work, uint32_t y, uint32_t height)
{
    const struct shw_rect rect = {0, 0, 1, (int32_t)height};

    return shw_rect_move(rect, work->held.x0, (int32_t)y - (int32_t)work->means->margin, work->held);
}

/* A band of all planes of a channel, from the integral image of the rows that they cover. */
static void make_band(void *user, uint32_t index, uint32_t thread)
{
    const struct work *work = user;
    const struct shw_means *means = work->means;
    const uint32_t channel = index / work->bands, begin = index % work->bands * BAND;
    const uint32_t end = shw_min_u32(begin + BAND, work->out_height), stride = work->width + 1;
    uint32_t *sums = work->sums + thread * work->sum_count;
    int32_t first = rows_of(work, begin, 1).y0, last = first;
    uint32_t p = 0;

    while (p < means->count && means->planes[p].channel < channel)
        p++;
    if (p == means->count || means->planes[p].channel > channel)
        return;
    last = rows_of(work, end - 1, means->margin + 1).y1;
    shw_integrate_cpu(work->channels + ((size_t)channel * work->height + (uint32_t)first) * work->width, work->width,
                      (uint32_t)(last - first), 1, sums, NULL);
    for (; p < means->count && means->planes[p].channel == channel; p++)
        for (uint32_t y = begin; y < end; y++) {
            const struct shw_rect rows = rows_of(work, y, means->planes[p].height);
            const struct row row = {sums + (size_t)(rows.y0 - first) * stride,
                                    sums + (size_t)(rows.y1 - first) * stride, rows.y1 - rows.y0,
                                    work->out + ((size_t)p * work->out_height + y) * work->out_width};
            make_row(work, &means->planes[p], &row);
        }
}

static enum shw_result run(void *user, const struct shw_stage_host_frame *frame)
{
    const struct shw_stage_frame *at = &frame->frame;
    const struct shw_stage_planes *channels = shw_stage_find(&frame->planes, SHW_CHANNELS),
                                  *planes = shw_stage_find(&frame->planes, SHW_MEANS);
    const struct shw_rect image = {-(int32_t)at->x, -(int32_t)at->y, (int32_t)at->full_width - (int32_t)at->x,
                                   (int32_t)at->full_height - (int32_t)at->y};
    const struct shw_means *means = frame->forest.forest->means;
    struct work work = {.simd = shw_simd_level(),
                        .means = means,
                        .channels = channels->host,
                        .out = planes->host,
                        .width = at->width,
                        .height = at->height,
                        .out_width = planes->width,
                        .out_height = planes->height,
                        .bands = (planes->height + BAND - 1) / BAND,
                        .held = shw_rect_held(image, (int32_t)at->width, (int32_t)at->height),
                        .sum_count = shw_integral_size(at->width, shw_min_u32(BAND + means->margin + 1, at->height))};

    (void)user;
    work.sums = malloc(shw_thread_pool_size(frame->pool) * work.sum_count * sizeof *work.sums);
    if (work.sums == NULL)
        return shw_fail_memory(&frame->log, "mean planes");
    shw_thread_pool_run(frame->pool, channels->count * work.bands, make_band, &work);
    free(work.sums);
    return SHW_OK;
}

const struct shw_stage_technique shw_means_cpu_technique = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                            .name = "cpu",
                                                            .stage = SHW_STAGE_INTEGRATE,
                                                            .form = SHW_PLANES_HOST,
                                                            .run = run};
