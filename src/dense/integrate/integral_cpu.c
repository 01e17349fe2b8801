#include <string.h>

#include "base/simd.h"
#include "dense/integrate/integral.h"

struct integration {
    enum shw_simd simd;
    const int16_t *planes;
    uint32_t width, height;
    uint32_t *integrals;
};

/* Computes a row from the row above, both without their leading zero; `sum`: of the pixels to the left. */
static void integrate_row(const int16_t *in, uint32_t width, uint32_t sum, const uint32_t *above, uint32_t *out)
{
    for (uint32_t x = 0; x < width; x++) {
        int32_t value = in[x];
        sum += (uint32_t)value;
        out[x] = above[x] + sum;
    }
}

#if SHW_SIMD_X86
#include <immintrin.h>

__attribute__((target("avx2"))) static inline __m256i prefix_sums(__m128i values)
{
    __m256i sums = _mm256_cvtepi16_epi32(values), low;

    sums = _mm256_add_epi32(sums, _mm256_slli_si256(sums, 4));
    sums = _mm256_add_epi32(sums, _mm256_slli_si256(sums, 8)); /* within each half */
    low = _mm256_shuffle_epi32(_mm256_permute2x128_si256(sums, sums, 0x08), 0xff);
    return _mm256_add_epi32(sums, low);
}

__attribute__((target("avx2"))) static void integrate_row_avx2(const int16_t *in, uint32_t width, const uint32_t *above,
                                                               uint32_t *out)
{
    const __m256i last = _mm256_set1_epi32(7);
    __m256i before = _mm256_setzero_si256();
    uint32_t x = 0;

    for (; x + 8 <= width; x += 8) {
        __m256i sums = prefix_sums(_mm_loadu_si128((const __m128i *)(const void *)(in + x)));
        __m256i from = _mm256_loadu_si256((const __m256i *)(const void *)(above + x));
        _mm256_storeu_si256((__m256i *)(void *)(out + x), _mm256_add_epi32(_mm256_add_epi32(from, before), sums));
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(sums, last));
    }
    integrate_row(in + x, width - x, (uint32_t)_mm256_cvtsi256_si32(before), above + x, out + x);
}
#endif

static void integrate_plane(void *user, uint32_t plane, uint32_t thread)
{
    const struct integration *integration = user;
    uint32_t width = integration->width;
    const int16_t *in = integration->planes + (size_t)plane * width * integration->height;
    uint32_t *out = integration->integrals + plane * shw_integral_size(width, integration->height);

    (void)thread;
    memset(out, 0, ((size_t)width + 1) * sizeof *out);
    for (uint32_t y = 0; y < integration->height; y++, in += width) {
        const uint32_t *above = out;

        out += width + 1;
        out[0] = 0;
#if SHW_SIMD_X86
        if (integration->simd >= SHW_SIMD_AVX2) {
            integrate_row_avx2(in, width, above + 1, out + 1);
            continue;
        }
#endif
        integrate_row(in, width, 0, above + 1, out + 1);
    }
}

void shw_integrate_cpu(const int16_t *planes, uint32_t width, uint32_t height, uint32_t count, uint32_t *integrals,
                       struct shw_thread_pool *pool)
{
    struct integration integration = {
        .simd = shw_simd_level(), .planes = planes, .width = width, .height = height, .integrals = integrals};

    shw_thread_pool_run(pool, count, integrate_plane, &integration);
}

static enum shw_result run(void *user, const struct shw_stage_host_frame *frame)
{
    const struct shw_stage_planes *channels = shw_stage_find(&frame->planes, SHW_CHANNELS);

    (void)user;
    shw_integrate_cpu(channels->host, channels->width, channels->height, channels->count,
                      shw_stage_find(&frame->planes, SHW_INTEGRALS)->host, frame->pool);
    return SHW_OK;
}

const struct shw_stage_technique shw_integral_cpu_technique = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                               .name = "cpu",
                                                               .stage = SHW_STAGE_INTEGRATE,
                                                               .form = SHW_PLANES_HOST,
                                                               .run = run};
