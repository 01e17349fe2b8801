/* Levels of the pyramid, made strip by strip. */
#include "detection/detect/levels.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
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

#define GREY_ROWS_PER_TASK 32u

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
    uint32_t end = shw_min_u32(image->height, (index + 1) * GREY_ROWS_PER_TASK);

    (void)thread;
    for (uint32_t y = index * GREY_ROWS_PER_TASK; y < end; y++)
        grey_row(work, (const char *)image->pixels + y * stride, work->grey + (size_t)y * image->width);
}

void shw_grey_make(const struct shw_image *image, uint8_t *grey, struct shw_thread_pool *pool)
{
    struct work work = {image, shw_simd_level(), grey};

    shw_thread_pool_run(pool, (image->height + GREY_ROWS_PER_TASK - 1) / GREY_ROWS_PER_TASK, grey_rows, &work);
}

#define STRIP 1024u

/* The arithmetic of shaders/shared/detect.h over rows of pixels. */
struct level_rows {
    /* [1 2 1] in both directions over three rows of grey values, to 12 bits: for values first..first + count - 1 of
     * `width`, of which `out` is the first; count <= STRIP. Borders repeat. */
    void (*blur_grey)(const uint8_t *const rows[3], uint32_t width, uint32_t first, uint32_t count, uint16_t *out);
    /* The same of 16 bits, to 16 bits. */
    void (*blur_level)(const uint16_t *const rows[3], uint32_t width, uint32_t first, uint32_t count, uint16_t *out);
    /* Means of 2 x 2 values; `width` is that of `out`. */
    void (*halve)(const uint16_t *upper, const uint16_t *lower, uint32_t width, uint16_t *out);
    /* Between value places[i] of the row and the next one, times 256. The lower half of weights[i] is the weight of the
     * first, the upper half that of the next. */
    void (*mix_across)(const uint16_t *row, const uint32_t *places, const uint32_t *weights, uint32_t count,
                       uint32_t *out);
    /* Adds what is between two rows of mix_across(), the lower one with `weight` 256ths. */
    void (*mix_down)(const uint32_t *upper, const uint32_t *lower, uint32_t weight, uint32_t count, uint32_t *sums);
    /* Means of blocks from the sums of their rows; `width` is that of `out`. */
    void (*shrink)(const uint32_t *sums, uint32_t shrink, uint32_t width, uint16_t *out);
};

#define NAME(name) name##_plain
#define ROWS
#include "detection/detect/level_rows_code.h"

static void mix_across(const uint16_t *row, const uint32_t *places, const uint32_t *weights, uint32_t count,
                       uint32_t *out)
{
    for (uint32_t x = 0; x < count; x++)
        out[x] = shw_detect_between_columns(row[places[x]], row[places[x] + 1], weights[x] >> 16);
}

static const struct level_rows rows_plain = {blur_grey_plain, blur_level_plain, halve_plain,
                                             mix_across,      mix_down_plain,   shrink_row_plain};

#if SHW_SIMD_X86
#include <immintrin.h>

#define AVX2  __attribute__((target("avx2")))
#define LANES 8u

#define NAME(name) name##_avx2
#define ROWS       AVX2
#include "detection/detect/level_rows_code.h"

/* Both values, of 12 bits. */
AVX2 static inline int32_t load_pair(const uint16_t *from)
{
    int32_t pair;

    memcpy(&pair, from, sizeof pair);
    return pair;
}

AVX2 static void mix_across_avx2(const uint16_t *row, const uint32_t *places, const uint32_t *weights, uint32_t count,
                                 uint32_t *out)
{
    uint32_t x = 0;

    for (; x + LANES <= count; x += LANES) {
        const uint32_t *at = places + x;
        __m256i pairs = _mm256_setr_epi32(load_pair(row + at[0]), load_pair(row + at[1]), load_pair(row + at[2]),
                                          load_pair(row + at[3]), load_pair(row + at[4]), load_pair(row + at[5]),
                                          load_pair(row + at[6]), load_pair(row + at[7]));
        __m256i parts = _mm256_loadu_si256((const __m256i *)(const void *)(weights + x));
        _mm256_storeu_si256((__m256i *)(void *)(out + x), _mm256_madd_epi16(pairs, parts));
    }
    mix_across(row, places + x, weights + x, count - x, out + x);
}

static const struct level_rows rows_avx2 = {blur_grey_avx2,  blur_level_avx2, halve_avx2,
                                            mix_across_avx2, mix_down_avx2,   shrink_row_avx2};
#endif

static const struct level_rows *choose_rows(enum shw_simd simd)
{
#if SHW_SIMD_X86
    if (simd >= SHW_SIMD_AVX2)
        return &rows_avx2;
#endif
    (void)simd;
    return &rows_plain;
}

#define ROWS_PER_TASK 16u

/* A plane of 12 bits, whose rows have one value more, which repeats the last. */
struct plane {
    uint16_t *values;
    uint32_t width, height;
    size_t stride;
};

/* A strip of a level: values first..first + count - 1 of its rows. */
struct strip {
    uint32_t level, first, count;
    uint32_t mixed[2][STRIP]; /* rows of the level's plane mixed across, */
    uint32_t y[2];            /* which they are, or NO_ROW */
};
#define NO_ROW UINT32_MAX

struct shw_levels {
    const struct shw_detect_plan *plan;
    struct shw_cascade_planes planes;
    const struct level_rows *functions;
    struct plane *octaves;      /* the image and its halves */
    uint32_t *places, *weights; /* of each column of all levels one after another, for mix_across() */
    uint32_t *first_columns;    /* in those, of each level */
    uint32_t *first_tasks;      /* of each level, and how many there are */
    uint16_t *sharp, *values;   /* mipmap images: before the last blur, and after it; the same if there is none */
    const uint8_t *grey;
    uint32_t octave; /* that is being halved */
};

static uint32_t tasks_of(uint32_t rows)
{
    return (rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
}

static size_t mipmap_bytes(const struct shw_detect_plan *plan)
{
    return (size_t)plan->mipmap_width * plan->mipmap_height * sizeof(uint16_t) + 1;
}

static bool allocate_octaves(struct shw_levels *levels)
{
    uint32_t count = levels->plan->octave_count + 1;

    levels->octaves = calloc(count, sizeof *levels->octaves);
    for (uint32_t o = 0; levels->octaves != NULL && o < count; o++) {
        struct plane *plane = &levels->octaves[o];
        plane->width = levels->plan->width >> o;
        plane->height = levels->plan->height >> o;
        plane->stride = (size_t)plane->width + 1;
        plane->values = malloc(plane->stride * plane->height * sizeof *plane->values + 1);
        if (plane->values == NULL)
            return false;
    }
    return levels->octaves != NULL;
}

static void set_columns(struct shw_levels *levels, uint32_t l)
{
    const struct shw_detect_level *level = &levels->plan->levels[l];

    for (uint32_t x = 0; x < level->scaled_width; x++) {
        struct shw_uint2 sample = shw_detect_sample(x, level->scaled_width, levels->octaves[level->octave].width);
        levels->places[levels->first_columns[l] + x] = sample.x;
        levels->weights[levels->first_columns[l] + x] = (256 - sample.y) | sample.y << 16;
    }
}

static bool make_columns(struct shw_levels *levels)
{
    const struct shw_detect_plan *plan = levels->plan;
    size_t count = 0;

    levels->first_columns = malloc((plan->level_count + 1) * sizeof *levels->first_columns);
    levels->first_tasks = malloc((plan->level_count + 1) * sizeof *levels->first_tasks);
    if (levels->first_columns == NULL || levels->first_tasks == NULL)
        return false;
    levels->first_tasks[0] = 0;
    for (uint32_t l = 0; l < plan->level_count; l++) {
        levels->first_columns[l] = (uint32_t)count;
        count += plan->levels[l].scaled_width;
        levels->first_tasks[l + 1] = levels->first_tasks[l] + tasks_of(plan->levels[l].height);
    }
    levels->places = malloc((count + 1) * sizeof *levels->places);
    levels->weights = malloc((count + 1) * sizeof *levels->weights);
    for (uint32_t l = 0; levels->places != NULL && levels->weights != NULL && l < plan->level_count; l++)
        set_columns(levels, l);
    return levels->places != NULL && levels->weights != NULL;
}

void shw_levels_destroy(struct shw_levels **handle)
{
    struct shw_levels *levels = handle != NULL ? *handle : NULL;

    if (levels == NULL)
        return;
    for (uint32_t o = 0; levels->octaves != NULL && o <= levels->plan->octave_count; o++)
        free(levels->octaves[o].values);
    free(levels->octaves);
    free(levels->places);
    free(levels->weights);
    free(levels->first_columns);
    free(levels->first_tasks);
    if (levels->values != levels->sharp)
        free(levels->values);
    free(levels->sharp);
    free(levels);
    *handle = NULL;
}

enum shw_result shw_levels_create(const struct shw_cascade_planes *planes, const struct shw_detect_plan *plan,
                                  const struct shw_log *log, struct shw_levels **out)
{
    struct shw_levels *levels = calloc(1, sizeof *levels);

    if (levels == NULL)
        return shw_fail_memory(log, "the levels of an image");
    levels->plan = plan;
    levels->planes = *planes;
    levels->functions = choose_rows(shw_simd_level());
    levels->sharp = calloc(1, mipmap_bytes(plan));
    levels->values = planes->blur_after ? calloc(1, mipmap_bytes(plan)) : levels->sharp;
    if (levels->sharp == NULL || levels->values == NULL || !allocate_octaves(levels) || !make_columns(levels)) {
        shw_levels_destroy(&levels);
        return shw_fail_memory(log, "the levels of an image");
    }
    *out = levels;
    return SHW_OK;
}

const uint16_t *shw_levels_get(const struct shw_levels *levels)
{
    return levels->values;
}

/* Repeats the last value. */
static void end_row(const struct plane *plane, uint16_t *row)
{
    row[plane->width] = row[plane->width - 1];
}

static void begin_row(const struct shw_levels *levels, uint32_t y, uint16_t *out)
{
    uint32_t width = levels->octaves[0].width, height = levels->octaves[0].height;
    const uint8_t *row = levels->grey + (size_t)y * width;
    const uint8_t *rows[3] = {y > 0 ? row - width : row, row, y + 1 < height ? row + width : row};

    for (uint32_t x = 0; levels->planes.blur_before && x < width; x += STRIP)
        levels->functions->blur_grey(rows, width, x, shw_min_u32(STRIP, width - x), out + x);
    for (uint32_t x = 0; !levels->planes.blur_before && x < width; x++)
        out[x] = (uint16_t)(16 * row[x]);
}

/* The image with 12 bits. */
static void begin_rows(void *user, uint32_t index, uint32_t thread)
{
    const struct shw_levels *levels = user;
    const struct plane *to = &levels->octaves[0];
    uint32_t end = shw_min_u32(to->height, (index + 1) * ROWS_PER_TASK);

    (void)thread;
    for (uint32_t y = index * ROWS_PER_TASK; y < end; y++) {
        begin_row(levels, y, to->values + y * to->stride);
        end_row(to, to->values + y * to->stride);
    }
}

static void halve_rows(void *user, uint32_t index, uint32_t thread)
{
    const struct shw_levels *levels = user;
    const struct plane *from = &levels->octaves[levels->octave - 1], *to = &levels->octaves[levels->octave];
    uint32_t end = shw_min_u32(to->height, (index + 1) * ROWS_PER_TASK);

    (void)thread;
    for (uint32_t y = index * ROWS_PER_TASK; y < end; y++) {
        const uint16_t *upper = from->values + 2 * y * from->stride;
        levels->functions->halve(upper, upper + from->stride, to->width, to->values + y * to->stride);
        end_row(to, to->values + y * to->stride);
    }
}

/* A row of the level's plane mixed across, unless it is there already; row `keep` stays. */
static const uint32_t *mix_row(const struct shw_levels *levels, struct strip *strip, uint32_t y, uint32_t keep)
{
    const struct plane *from = &levels->octaves[levels->plan->levels[strip->level].octave];
    size_t columns = levels->first_columns[strip->level] + (size_t)strip->first * levels->planes.shrink;
    uint32_t slot = strip->y[0] == keep ? 1 : 0;

    for (uint32_t i = 0; i < 2; i++)
        if (strip->y[i] == y)
            return strip->mixed[i];
    levels->functions->mix_across(from->values + y * from->stride, levels->places + columns, levels->weights + columns,
                                  strip->count * levels->planes.shrink, strip->mixed[slot]);
    strip->y[slot] = y;
    return strip->mixed[slot];
}

static void resample_row(const struct shw_levels *levels, struct strip *strip, uint32_t y)
{
    const struct shw_detect_level *level = &levels->plan->levels[strip->level];
    uint32_t shrink = levels->planes.shrink, full = levels->octaves[level->octave].height;
    uint32_t sums[STRIP] = {0};
    size_t first = (size_t)(level->y + y) * levels->plan->mipmap_width + level->x + strip->first;

    for (uint32_t i = 0; i < shrink; i++) {
        struct shw_uint2 sample = shw_detect_sample(y * shrink + i, level->scaled_height, full);
        uint32_t below = shw_min_u32(sample.x + 1, full - 1);
        const uint32_t *upper = mix_row(levels, strip, sample.x, below);
        const uint32_t *lower = mix_row(levels, strip, below, sample.x);
        levels->functions->mix_down(upper, lower, sample.y, strip->count * shrink, sums);
    }
    levels->functions->shrink(sums, shrink, strip->count, levels->sharp + first);
}

static void blur_row(const struct shw_levels *levels, struct strip *strip, uint32_t y)
{
    const struct shw_detect_level *level = &levels->plan->levels[strip->level];
    size_t pitch = levels->plan->mipmap_width, first = (level->y + y) * pitch + level->x;
    const uint16_t *row = levels->sharp + first;
    const uint16_t *rows[3] = {y > 0 ? row - pitch : row, row, y + 1 < level->height ? row + pitch : row};

    levels->functions->blur_level(rows, level->width, strip->first, strip->count,
                                  levels->values + first + strip->first);
}

/* Calls `make` for the rows of a task, strip by strip. */
static void run_task(const struct shw_levels *levels, uint32_t task,
                     void (*make)(const struct shw_levels *levels, struct strip *strip, uint32_t y))
{
    uint32_t most = STRIP / levels->planes.shrink, l = 0, first, end, width;

    while (levels->first_tasks[l + 1] <= task)
        l++;
    first = (task - levels->first_tasks[l]) * ROWS_PER_TASK;
    end = shw_min_u32(levels->plan->levels[l].height, first + ROWS_PER_TASK);
    width = levels->plan->levels[l].width;
    for (uint32_t x = 0; x < width; x += most) {
        struct strip strip;
        strip.level = l;
        strip.first = x;
        strip.count = shw_min_u32(most, width - x);
        strip.y[0] = strip.y[1] = NO_ROW;
        for (uint32_t y = first; y < end; y++)
            make(levels, &strip, y);
    }
}

static void resample_rows(void *user, uint32_t index, uint32_t thread)
{
    (void)thread;
    run_task(user, index, resample_row);
}

static void blur_rows(void *user, uint32_t index, uint32_t thread)
{
    (void)thread;
    run_task(user, index, blur_row);
}

void shw_levels_make(struct shw_levels *levels, const uint8_t *grey, struct shw_thread_pool *pool)
{
    uint32_t tasks = levels->first_tasks[levels->plan->level_count];

    if (levels->plan->level_count == 0)
        return;
    levels->grey = grey;
    shw_thread_pool_run(pool, tasks_of(levels->octaves[0].height), begin_rows, levels);
    for (levels->octave = 1; levels->octave <= levels->plan->octave_count; levels->octave++)
        shw_thread_pool_run(pool, tasks_of(levels->octaves[levels->octave].height), halve_rows, levels);
    shw_thread_pool_run(pool, tasks, resample_rows, levels);
    if (levels->planes.blur_after)
        shw_thread_pool_run(pool, tasks, blur_rows, levels);
}
