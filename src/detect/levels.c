#include "detect/levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "shared/detect.h"

#define ROWS_PER_TASK 16u

/* A plane of 12 bits. */
struct plane {
    uint16_t *values;
    uint32_t width, height;
};

struct shw_levels {
    const struct shw_detect_plan *plan;
    struct shw_cascade_planes planes;
    struct plane *octaves;     /* the image and its halves */
    struct shw_uint2 *samples; /* for all levels one after another: shw_detect_sample() of each column */
    uint32_t *first_samples;   /* of each level */
    uint32_t *first_tasks;     /* of each level, and how many there are */
    uint16_t *sharp, *values;  /* mipmap images: before the last blur, and after it; the same if there is none */
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
        plane->values = malloc((size_t)plane->width * plane->height * sizeof *plane->values);
        if (plane->values == NULL)
            return false;
    }
    return levels->octaves != NULL;
}

static bool make_samples(struct shw_levels *levels)
{
    const struct shw_detect_plan *plan = levels->plan;
    size_t count = 0;

    levels->first_samples = malloc((plan->level_count + 1) * sizeof *levels->first_samples);
    levels->first_tasks = malloc((plan->level_count + 1) * sizeof *levels->first_tasks);
    if (levels->first_samples == NULL || levels->first_tasks == NULL)
        return false;
    levels->first_tasks[0] = 0;
    for (uint32_t l = 0; l < plan->level_count; l++) {
        levels->first_samples[l] = (uint32_t)count;
        count += plan->levels[l].scaled_width;
        levels->first_tasks[l + 1] = levels->first_tasks[l] + tasks_of(plan->levels[l].height);
    }
    levels->samples = malloc((count + 1) * sizeof *levels->samples);
    for (uint32_t l = 0; levels->samples != NULL && l < plan->level_count; l++) {
        const struct shw_detect_level *level = &plan->levels[l];
        for (uint32_t x = 0; x < level->scaled_width; x++)
            levels->samples[levels->first_samples[l] + x] =
                shw_detect_sample(x, level->scaled_width, levels->octaves[level->octave].width);
    }
    return levels->samples != NULL;
}

enum shw_result shw_levels_create(const struct shw_cascade_planes *planes, const struct shw_detect_plan *plan,
                                  const struct shw_log *log, struct shw_levels **out)
{
    struct shw_levels *levels = calloc(1, sizeof *levels);

    if (levels == NULL)
        return shw_fail_memory(log, "the levels of an image");
    levels->plan = plan;
    levels->planes = *planes;
    levels->sharp = calloc(1, mipmap_bytes(plan));
    levels->values = planes->blur_after ? calloc(1, mipmap_bytes(plan)) : levels->sharp;
    if (levels->sharp == NULL || levels->values == NULL || !allocate_octaves(levels) || !make_samples(levels)) {
        shw_levels_destroy(&levels);
        return shw_fail_memory(log, "the levels of an image");
    }
    *out = levels;
    return SHW_OK;
}

void shw_levels_destroy(struct shw_levels **handle)
{
    struct shw_levels *levels = handle != NULL ? *handle : NULL;

    if (levels == NULL)
        return;
    for (uint32_t o = 0; levels->octaves != NULL && o <= levels->plan->octave_count; o++)
        free(levels->octaves[o].values);
    free(levels->octaves);
    free(levels->samples);
    free(levels->first_samples);
    free(levels->first_tasks);
    if (levels->values != levels->sharp)
        free(levels->values);
    free(levels->sharp);
    free(levels);
    *handle = NULL;
}

const uint16_t *shw_levels_get(const struct shw_levels *levels)
{
    return levels->values;
}

/* A row of [1 2 1] in both directions over `above`, `row` and `below`; borders repeat. */
#define BLUR_ROW(name, type, finish)                                                                                   \
    static void name(const type *above, const type *row, const type *below, uint32_t width, uint16_t *out)             \
    {                                                                                                                  \
        uint32_t before, here = shw_detect_blur3(above[0], row[0], below[0]), after = here;                            \
                                                                                                                       \
        for (uint32_t x = 0; x < width; x++) {                                                                         \
            before = here;                                                                                             \
            here = after;                                                                                              \
            if (x + 1 < width)                                                                                         \
                after = shw_detect_blur3(above[x + 1], row[x + 1], below[x + 1]);                                      \
            out[x] = (uint16_t)(finish(shw_detect_blur3(before, here, after)));                                        \
        }                                                                                                              \
    }

BLUR_ROW(blur_grey, uint8_t, )
BLUR_ROW(blur_level, uint16_t, shw_detect_blurred)

/* The image with 12 bits. */
static void begin_rows(void *user, uint32_t index, uint32_t thread)
{
    const struct shw_levels *levels = user;
    const struct plane *to = &levels->octaves[0];
    uint32_t end = shw_min_u32(to->height, (index + 1) * ROWS_PER_TASK);

    (void)thread;
    for (uint32_t y = index * ROWS_PER_TASK; y < end; y++) {
        const uint8_t *row = levels->grey + (size_t)y * to->width;
        uint16_t *out = to->values + (size_t)y * to->width;
        if (levels->planes.blur_before)
            blur_grey(y > 0 ? row - to->width : row, row, y + 1 < to->height ? row + to->width : row, to->width, out);
        else
            for (uint32_t x = 0; x < to->width; x++)
                out[x] = (uint16_t)(16 * row[x]);
    }
}

static void halve_rows(void *user, uint32_t index, uint32_t thread)
{
    const struct shw_levels *levels = user;
    const struct plane *from = &levels->octaves[levels->octave - 1], *to = &levels->octaves[levels->octave];
    uint32_t end = shw_min_u32(to->height, (index + 1) * ROWS_PER_TASK);

    (void)thread;
    for (uint32_t y = index * ROWS_PER_TASK; y < end; y++) {
        const uint16_t *upper = from->values + 2 * (size_t)y * from->width, *lower = upper + from->width;
        uint16_t *out = to->values + (size_t)y * to->width;
        for (size_t x = 0; x < to->width; x++)
            out[x] = (uint16_t)shw_detect_halved((uint32_t)upper[2 * x] + upper[2 * x + 1] + lower[2 * x] +
                                                 lower[2 * x + 1]);
    }
}

/* The sum of a block's row between two rows of the plane. */
static uint32_t sum_across(const uint16_t *upper, const uint16_t *lower, uint32_t last, uint32_t down,
                           const struct shw_uint2 *samples, uint32_t count)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t left = samples[i].x, right = shw_min_u32(left + 1, last);
        sum += shw_detect_between(upper[left], upper[right], lower[left], lower[right],
                                  (struct shw_uint2){samples[i].y, down});
    }
    return sum;
}

static void resample_row(const struct shw_levels *levels, uint32_t l, uint32_t y)
{
    const struct shw_detect_level *level = &levels->plan->levels[l];
    const struct plane *from = &levels->octaves[level->octave];
    const struct shw_uint2 *samples = levels->samples + levels->first_samples[l];
    uint32_t shrink = levels->planes.shrink;
    uint16_t *out = levels->sharp + (size_t)(level->y + y) * levels->plan->mipmap_width + level->x;

    for (uint32_t x = 0; x < level->width; x++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < shrink; i++) {
            struct shw_uint2 sample = shw_detect_sample(y * shrink + i, level->scaled_height, from->height);
            const uint16_t *upper = from->values + (size_t)sample.x * from->width;
            const uint16_t *lower = sample.x + 1 < from->height ? upper + from->width : upper;
            sum += sum_across(upper, lower, from->width - 1, sample.y, samples + (size_t)x * shrink, shrink);
        }
        out[x] = (uint16_t)shw_detect_shrunk(sum, shrink);
    }
}

static void blur_row(const struct shw_levels *levels, uint32_t l, uint32_t y)
{
    const struct shw_detect_level *level = &levels->plan->levels[l];
    size_t pitch = levels->plan->mipmap_width, first = (level->y + y) * pitch + level->x;
    const uint16_t *row = levels->sharp + first;

    blur_level(y > 0 ? row - pitch : row, row, y + 1 < level->height ? row + pitch : row, level->width,
               levels->values + first);
}

/* Calls `make` for the rows of a task. */
static void run_task(const struct shw_levels *levels, uint32_t task,
                     void (*make)(const struct shw_levels *levels, uint32_t level, uint32_t y))
{
    uint32_t l = 0, first, end;

    while (levels->first_tasks[l + 1] <= task)
        l++;
    first = (task - levels->first_tasks[l]) * ROWS_PER_TASK;
    end = shw_min_u32(levels->plan->levels[l].height, first + ROWS_PER_TASK);
    for (uint32_t y = first; y < end; y++)
        make(levels, l, y);
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
