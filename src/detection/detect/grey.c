#include "detection/detect/grey.h"

#include <stdint.h>
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/simd.h"
#include "dense/channels/pixels.h"
#include "shared/detect.h"

/* Samples from pixel to pixel, and where colours are in one. */
struct grey_layout {
    uint32_t step, red, green, blue;
};

#if SHW_SIMD_X86
#include <immintrin.h>

#define LANES  8u
#define TARGET __attribute__((target("avx2")))
#define VECTOR __attribute__((target("avx2"), always_inline)) static inline

/* Four pixels to 32 bits each; reads 16 bytes. */
VECTOR __m128i load_pixels(const uint8_t *from, uint32_t step)
{
    const __m128i apart = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);

    return step == 3 ? _mm_shuffle_epi8(bytes, apart) : bytes;
}

/* A sample of each pixel times its weight in the grey value. */
VECTOR __m256i weigh(__m256i pixels, uint32_t sample, uint32_t weight)
{
    __m256i values =
        _mm256_and_si256(_mm256_srl_epi32(pixels, _mm_cvtsi32_si128((int)(8 * sample))), _mm256_set1_epi32(0xff));

    return _mm256_mullo_epi32(values, _mm256_set1_epi32((int32_t)weight));
}

/* As shw_detect_grey(). */
VECTOR __m256i grey_of(__m256i pixels, const struct grey_layout *layout)
{
    __m256i sum =
        _mm256_add_epi32(weigh(pixels, layout->red, SHW_DETECT_RED), weigh(pixels, layout->green, SHW_DETECT_GREEN));

    sum = _mm256_add_epi32(sum, weigh(pixels, layout->blue, SHW_DETECT_BLUE));
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(32768)), 16);
}

/* With AVX2, of 3 or 4 bytes a pixel. Returns how many pixels it has made of the `count`; the rest is left. */
TARGET static uint32_t grey_row_avx2(const struct grey_layout *layout, const uint8_t *from, uint32_t count, uint8_t *to)
{
    const __m256i lowest = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                                            -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    uint32_t x = 0;

    for (; x + LANES + 2 <= count; x += LANES) { /* the last load may reach two pixels further */
        const uint8_t *at = from + (size_t)x * layout->step;
        __m128i low = load_pixels(at, layout->step), high = load_pixels(at + 4 * layout->step, layout->step);
        __m256i grey = grey_of(_mm256_set_m128i(high, low), layout);
        __m256i bytes = _mm256_shuffle_epi8(grey, lowest);
        int32_t words[2] = {_mm256_cvtsi256_si32(bytes), _mm256_extract_epi32(bytes, 4)};
        memcpy(to + x, words, sizeof words);
    }
    return x;
}

#endif

#define ROWS_PER_TASK 32u

struct work {
    const struct shw_image *image;
    enum shw_simd simd;
    uint8_t *grey;
};

/* `shift` leaves the upper 8 bits. */
#define GREY_ROW(name, type, shift)                                                                                    \
    static void name(const struct grey_layout *layout, const type *from, uint32_t count, uint8_t *to)                  \
    {                                                                                                                  \
        for (uint32_t x = 0; x < count; x++, from += layout->step)                                                     \
            to[x] =                                                                                                    \
                (uint8_t)shw_detect_grey((uint32_t)from[layout->red] >> shift, (uint32_t)from[layout->green] >> shift, \
                                         (uint32_t)from[layout->blue] >> shift);                                       \
    }

GREY_ROW(grey_row8, uint8_t, 0)
GREY_ROW(grey_row16, uint16_t, 8)

/* Of formats without a layout. */
static void grey_codes(enum shw_pixel_format format, const char *from, uint32_t count, uint8_t *to)
{
    size_t size = shw_pixel_size(format);
    uint32_t shift = shw_pixel_is_wide(format) ? 8 : 0, codes[3];

    for (uint32_t x = 0; x < count; x++, from += size) {
        shw_pixel_codes(format, from, codes);
        to[x] = (uint8_t)shw_detect_grey(codes[0] >> shift, codes[1] >> shift, codes[2] >> shift);
    }
}

/* Where samples are; step 0: not in a layout. */
static struct grey_layout find_layout(enum shw_pixel_format format)
{
    uint32_t size = (uint32_t)shw_pixel_size(format) / (shw_pixel_is_wide(format) ? 2 : 1);

    if (format == SHW_PIXEL_BGRA8)
        return (struct grey_layout){4, 2, 1, 0};
    if (!shw_pixel_is_plain(format))
        return (struct grey_layout){0, 0, 0, 0};
    return size > 1 ? (struct grey_layout){size, 0, 1, 2} : (struct grey_layout){1, 0, 0, 0};
}

static void grey_row(const struct work *work, const char *from, uint8_t *to)
{
    const struct shw_image *image = work->image;
    const struct grey_layout layout = find_layout(image->format);
    uint32_t done = 0;

    if (layout.step == 0)
        grey_codes(image->format, from, image->width, to);
    else if (shw_pixel_is_wide(image->format))
        grey_row16(&layout, (const uint16_t *)(const void *)from, image->width, to);
    else if (layout.step == 1)
        memcpy(to, from, image->width);
    else {
#if SHW_SIMD_X86
        if (work->simd >= SHW_SIMD_AVX2)
            done = grey_row_avx2(&layout, (const uint8_t *)from, image->width, to);
#endif
        grey_row8(&layout, (const uint8_t *)from + (size_t)done * layout.step, image->width - done, to + done);
    }
}

static void grey_rows(void *user, uint32_t index, uint32_t thread)
{
    const struct work *work = user;
    const struct shw_image *image = work->image;
    size_t stride = image->stride > 0 ? image->stride : shw_pixel_size(image->format) * image->width;
    uint32_t end = shw_min_u32(image->height, (index + 1) * ROWS_PER_TASK);

    (void)thread;
    for (uint32_t y = index * ROWS_PER_TASK; y < end; y++)
        grey_row(work, (const char *)image->pixels + y * stride, work->grey + (size_t)y * image->width);
}

void shw_grey_make(const struct shw_image *image, uint8_t *grey, struct shw_thread_pool *pool)
{
    struct work work = {image, shw_simd_level(), grey};

    shw_thread_pool_run(pool, (image->height + ROWS_PER_TASK - 1) / ROWS_PER_TASK, grey_rows, &work);
}
