#include "detection/detect/rectangles.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "shared/detect.h"

/* Rows of one level while its integrals are made. */
struct shw_rectangles_rows {
    struct shw_uint2 *samples; /* shw_detect_sample() of each column */
    uint16_t *between;         /* as wide as the image, and one value more */
    uint8_t *grey;             /* of the level */
    /* One value more than the level has pixels, and another: sums along the lines that go up to the left and to the
     * right */
    uint32_t *left, *right;
};

static bool allocate_rows(struct shw_rectangles *rectangles)
{
    const struct shw_detect_plan *plan = rectangles->plan;

    rectangles->rows = calloc(plan->level_count + 1, sizeof *rectangles->rows);
    for (uint32_t l = 0; rectangles->rows != NULL && l < plan->level_count; l++) {
        struct shw_rectangles_rows *rows = &rectangles->rows[rectangles->row_count++];
        uint32_t width = plan->levels[l].scaled_width;
        rows->samples = malloc(width * sizeof *rows->samples);
        rows->between = malloc((plan->width + 1) * sizeof *rows->between);
        rows->grey = malloc(width);
        rows->left = malloc((width + 2) * sizeof *rows->left);
        rows->right = malloc((width + 2) * sizeof *rows->right);
        if (rows->samples == NULL || rows->between == NULL || rows->grey == NULL || rows->left == NULL ||
            rows->right == NULL)
            return false;
        for (uint32_t x = 0; x < width; x++)
            rows->samples[x] = shw_detect_sample(x, width, plan->width);
    }
    return rectangles->rows != NULL;
}

enum shw_result shw_rectangles_create(const struct shw_detect_plan *plan, bool has_squares, bool has_tilted,
                                      const struct shw_log *log, struct shw_rectangles *rectangles)
{
    size_t size = (size_t)plan->mipmap_width * plan->mipmap_height + SHW_RECTANGLES_MARGIN;

    *rectangles = (struct shw_rectangles){.plan = plan};
    rectangles->sums = calloc(size, sizeof *rectangles->sums);
    rectangles->squares = has_squares ? calloc(size, sizeof *rectangles->squares) : NULL;
    rectangles->tilted = has_tilted ? calloc(size, sizeof *rectangles->tilted) : NULL;
    if (rectangles->sums != NULL && (rectangles->squares != NULL || !has_squares) &&
        (rectangles->tilted != NULL || !has_tilted) && allocate_rows(rectangles))
        return SHW_OK;
    shw_rectangles_free(rectangles);
    return shw_fail_memory(log, "the integrals of an image");
}

void shw_rectangles_free(struct shw_rectangles *rectangles)
{
    for (uint32_t l = 0; l < rectangles->row_count; l++) {
        free(rectangles->rows[l].samples);
        free(rectangles->rows[l].between);
        free(rectangles->rows[l].grey);
        free(rectangles->rows[l].left);
        free(rectangles->rows[l].right);
    }
    free(rectangles->rows);
    free(rectangles->sums);
    free(rectangles->squares);
    free(rectangles->tilted);
    *rectangles = (struct shw_rectangles){0};
}

/* The row of a level as shw_detect_between() has it, first between rows of the image, then between columns. */
static void resample_row(const struct shw_detect_plan *plan, const struct shw_detect_level *level, const uint8_t *image,
                         uint32_t y, const struct shw_rectangles_rows *rows)
{
    struct shw_uint2 sample = shw_detect_sample(y, level->scaled_height, plan->height);
    const uint8_t *upper = image + (size_t)sample.x * plan->width;
    const uint8_t *lower = sample.x + 1 < plan->height ? upper + plan->width : upper;

    for (uint32_t x = 0; x < plan->width; x++)
        rows->between[x] = (uint16_t)(upper[x] * (256 - sample.y) + lower[x] * sample.y);
    rows->between[plan->width] = rows->between[plan->width - 1];
    for (uint32_t x = 0; x < level->scaled_width; x++) {
        const uint16_t *at = rows->between + rows->samples[x].x;
        rows->grey[x] = (uint8_t)((at[0] * (256 - rows->samples[x].y) + at[1] * rows->samples[x].y + 32768) >> 16);
    }
}

/* Row `y + 1` of the integrals from row `y` of the level; `at` is their first value. */
static void sum_row(const struct shw_rectangles *rectangles, size_t at, uint32_t width, const uint8_t *grey)
{
    uint32_t pitch = rectangles->plan->mipmap_width, sum = 0;

    for (uint32_t x = 0; x < width; x++) {
        sum += grey[x];
        rectangles->sums[at + x + 1] = rectangles->sums[at - pitch + x + 1] + sum;
    }
}

static void square_row(const struct shw_rectangles *rectangles, size_t at, uint32_t width, const uint8_t *grey)
{
    uint32_t pitch = rectangles->plan->mipmap_width, sum = 0;

    for (uint32_t x = 0; x < width; x++) {
        sum += (uint32_t)grey[x] * grey[x];
        rectangles->squares[at + x + 1] = rectangles->squares[at - pitch + x + 1] + sum;
    }
}

static void tilt_row(const struct shw_rectangles *rectangles, size_t at, uint32_t width,
                     const struct shw_rectangles_rows *rows)
{
    const uint32_t *above = rectangles->tilted + at - rectangles->plan->mipmap_width;
    uint32_t *here = rectangles->tilted + at;

    memmove(rows->left + 1, rows->left, width * sizeof *rows->left);
    memmove(rows->right, rows->right + 1, (width + 1) * sizeof *rows->right);
    rows->left[0] = 0;
    here[0] = above[0] + rows->right[0];
    for (uint32_t x = 1; x <= width; x++) {
        uint32_t pixel = rows->grey[x - 1];
        here[x] = above[x] + rows->left[x] + rows->right[x] + pixel;
        rows->left[x] += pixel;
        rows->right[x] += pixel;
    }
}

static void make_level(void *user, uint32_t index, uint32_t thread)
{
    const struct shw_rectangles *rectangles = user;
    const struct shw_detect_level *level = &rectangles->plan->levels[index];
    const struct shw_rectangles_rows *rows = &rectangles->rows[index];
    uint32_t width = level->scaled_width;

    (void)thread;
    memset(rows->left, 0, (width + 2) * sizeof *rows->left);
    memset(rows->right, 0, (width + 2) * sizeof *rows->right);
    for (uint32_t y = 0; y < level->scaled_height; y++) {
        size_t at = (size_t)(level->y + y + 1) * rectangles->plan->mipmap_width + level->x;
        resample_row(rectangles->plan, level, rectangles->image, y, rows);
        sum_row(rectangles, at, width, rows->grey);
        if (rectangles->squares != NULL)
            square_row(rectangles, at, width, rows->grey);
        if (rectangles->tilted != NULL)
            tilt_row(rectangles, at, width, rows);
    }
}

void shw_rectangles_make(struct shw_rectangles *rectangles, const uint8_t *grey, struct shw_thread_pool *pool)
{
    rectangles->image = grey;
    shw_thread_pool_run(pool, rectangles->plan->level_count, make_level, rectangles);
}
