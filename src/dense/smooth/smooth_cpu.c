/* Smoothing on the CPU: sums over windows slide from cell to cell. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "dense/channels/pixels.h"
#include "dense/smooth/smooth.h"
#include "shared/smooth.h"

struct shw_smooth_windows shw_smooth_windows_of(const struct shw_smoothing *smoothing)
{
    const uint32_t epsilon = smoothing->epsilon > 0 ? smoothing->epsilon : SHW_SMOOTHING_EPSILON_DEFAULT;
    struct shw_smooth_windows windows = {.epsilon = shw_max_u32(16 * epsilon, SHW_SMOOTH_EPSILON_MIN)};

    while (windows.bits < 3 && smoothing->radius >> windows.bits >= 16)
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

/* Everything about one tile. Of the three rectangles of cells, each has those within a window of the next one. */
struct work {
    const struct shw_smooth_tile *of;
    struct shw_smooth_rect cells, models, means;
    uint32_t full_columns, full_rows;  /* cells of the image */
    int16_t *guide;                    /* three planes of `cells` */
    uint16_t *shares;                  /* a plane of `cells` per class */
    struct shw_guide_factors *factors; /* of `models` */
    struct shw_smooth_model *mean;     /* a plane of `means` per class */
    struct scratch *scratch;           /* per thread */
};

/* Memory of a thread. */
struct scratch {
    int16_t *base;                    /* four rows of the image */
    uint32_t *sums;                   /* three rows of `cells` */
    struct shw_share_sums *shares;    /* of columns of `cells` */
    struct shw_smooth_model *models;  /* of one class */
    struct shw_smooth_model *columns; /* sums of columns of `models` */
    struct shw_smooth_model *between; /* a row of `means` */
    uint32_t *values;                 /* of a row of pixels, a plane per class */
};

/* Where a window around cell `centre` begins and ends, in a range of cells that has all of it that is in the image. */
static uint32_t window_first(uint32_t centre, uint32_t reach)
{
    return centre > reach ? centre - reach : 0;
}

static uint32_t window_end(uint32_t centre, uint32_t reach, uint32_t full)
{
    return shw_min_u32(centre + reach + 1, full);
}

/* Cells: means of the guide and of shares. */

/* The pixels of a cell row or column. */
static uint32_t pixels_of(uint32_t cell, uint32_t bits, uint32_t full)
{
    return shw_min_u32(1u << bits, full - (cell << bits));
}

static void make_guide_row(void *user, uint32_t row, uint32_t thread)
{
    const struct work *work = user;
    const struct shw_smooth_tile *of = work->of;
    uint32_t bits = of->windows.bits, y = (work->cells.y + row) << bits, width = of->image->width;
    uint32_t rows = pixels_of(work->cells.y + row, bits, of->full_height),
             first = (work->cells.x << bits) - of->given.x;
    int16_t *base[SHW_BASE_COUNT];
    uint32_t *sums = work->scratch[thread].sums;

    for (uint32_t b = 0; b < SHW_BASE_COUNT; b++)
        base[b] = work->scratch[thread].base + (size_t)b * width;
    memset(sums, 0, 3 * work->cells.width * sizeof *sums);
    for (uint32_t i = 0; i < rows; i++) {
        shw_base_row(of->image, y + i - of->given.y, base);
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t x = 0; x < work->cells.width; x++) {
                uint32_t columns = pixels_of(work->cells.x + x, bits, of->full_width);
                for (uint32_t j = 0; j < columns; j++)
                    sums[c * work->cells.width + x] += (uint16_t)base[c][first + (x << bits) + j];
            }
    }
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t x = 0; x < work->cells.width; x++) {
            uint32_t pixels = rows * pixels_of(work->cells.x + x, bits, of->full_width);
            work->guide[((size_t)c * work->cells.height + row) * work->cells.width + x] =
                (int16_t)shw_smooth_guide(sums[c * work->cells.width + x], pixels);
        }
}

static void make_shares_row(void *user, uint32_t index, uint32_t thread)
{
    const struct work *work = user;
    const struct shw_smooth_tile *of = work->of;
    uint32_t bits = of->windows.bits, row = index % work->cells.height, class = index / work->cells.height;
    uint32_t rows = pixels_of(work->cells.y + row, bits, of->full_height), y = (work->cells.y + row) << bits;
    uint32_t *sums = work->scratch[thread].sums;
    uint16_t *shares = work->shares + ((size_t) class * work->cells.height + row) * work->cells.width;

    memset(sums, 0, work->cells.width * sizeof *sums);
    for (uint32_t i = 0; i < rows; i++) {
        const uint16_t *given = of->distribution +
                                ((size_t) class * of->given.height + y + i - of->given.y) * of->given.width +
                                (work->cells.x << bits) - of->given.x;
        for (uint32_t x = 0; x < work->cells.width; x++) {
            uint32_t columns = pixels_of(work->cells.x + x, bits, of->full_width);
            for (uint32_t j = 0; j < columns; j++)
                sums[x] += given[(x << bits) + j];
        }
    }
    for (uint32_t x = 0; x < work->cells.width; x++)
        shares[x] = (uint16_t)shw_smooth_share(sums[x], rows * pixels_of(work->cells.x + x, bits, of->full_width));
}

/* Models. */

static void add_guide(struct shw_guide_sums *sums, const int16_t *guide, size_t plane, int32_t sign)
{
    const int32_t r = guide[0], g = guide[plane], b = guide[2 * plane];

    sums->count += sign;
    sums->r += sign * r;
    sums->g += sign * g;
    sums->b += sign * b;
    sums->rr += sign * r * r;
    sums->rg += sign * r * g;
    sums->rb += sign * r * b;
    sums->gg += sign * g * g;
    sums->gb += sign * g * b;
    sums->bb += sign * b * b;
}

static void make_factors_row(void *user, uint32_t row, uint32_t thread)
{
    const struct work *work = user;
    const uint32_t reach = work->of->windows.cells, centre = work->models.y + row;
    const uint32_t y0 = window_first(centre, reach), y1 = window_end(centre, reach, work->full_rows);
    const size_t width = work->cells.width, plane = width * work->cells.height;
    uint32_t x0 = work->cells.x, x1 = x0;
    struct shw_guide_sums sums = {0};

    (void)thread;
    for (uint32_t i = 0; i < work->models.width; i++) {
        uint32_t from = window_first(work->models.x + i, reach);
        uint32_t to = window_end(work->models.x + i, reach, work->full_columns);
        for (; x1 < to; x1++)
            for (uint32_t y = y0; y < y1; y++)
                add_guide(&sums, work->guide + (y - work->cells.y) * width + x1 - work->cells.x, plane, 1);
        for (; x0 < from; x0++)
            for (uint32_t y = y0; y < y1; y++)
                add_guide(&sums, work->guide + (y - work->cells.y) * width + x0 - work->cells.x, plane, -1);
        work->factors[(size_t)row * work->models.width + i] = shw_guide_factors_of(sums, work->of->windows.epsilon);
    }
}

static void add_shares(struct shw_share_sums *to, const struct shw_share_sums *from, int32_t sign)
{
    to->p += sign * from->p;
    to->rp += sign * from->rp;
    to->gp += sign * from->gp;
    to->bp += sign * from->bp;
}

/* Adds row `y` of the cells to the sums of columns, or subtracts it. */
static void add_shares_row(const struct work *work, const uint16_t *shares, uint32_t y, int32_t sign,
                           struct shw_share_sums *columns)
{
    const size_t at = (size_t)(y - work->cells.y) * work->cells.width,
                 plane = (size_t)work->cells.width * work->cells.height;
    const int16_t *guide = work->guide + at;

    shares += at;
    for (uint32_t x = 0; x < work->cells.width; x++) {
        const int32_t p = sign * shares[x];
        columns[x].p += p;
        columns[x].rp += guide[x] * p;
        columns[x].gp += guide[plane + x] * p;
        columns[x].bp += guide[2 * plane + x] * p;
    }
}

static void make_models(const struct work *work, uint32_t class, const struct scratch *scratch)
{
    const uint32_t reach = work->of->windows.cells;
    const uint16_t *shares = work->shares + (size_t) class * work->cells.width * work->cells.height;
    struct shw_share_sums *columns = scratch->shares;
    uint32_t y0 = work->cells.y, y1 = y0;

    memset(columns, 0, work->cells.width * sizeof *columns);
    for (uint32_t row = 0; row < work->models.height; row++) {
        const struct shw_guide_factors *factors = work->factors + (size_t)row * work->models.width;
        struct shw_smooth_model *models = scratch->models + (size_t)row * work->models.width;
        uint32_t x0 = work->cells.x, x1 = x0;
        struct shw_share_sums sums = {0};

        for (; y1 < window_end(work->models.y + row, reach, work->full_rows); y1++)
            add_shares_row(work, shares, y1, 1, columns);
        for (; y0 < window_first(work->models.y + row, reach); y0++)
            add_shares_row(work, shares, y0, -1, columns);
        for (uint32_t i = 0; i < work->models.width; i++) {
            for (; x1 < window_end(work->models.x + i, reach, work->full_columns); x1++)
                add_shares(&sums, columns + x1 - work->cells.x, 1);
            for (; x0 < window_first(work->models.x + i, reach); x0++)
                add_shares(&sums, columns + x0 - work->cells.x, -1);
            models[i] = shw_smooth_solve(factors[i], sums);
        }
    }
}

static void add_model(struct shw_smooth_model *to, const struct shw_smooth_model *from, int32_t sign)
{
    to->r += sign * from->r;
    to->g += sign * from->g;
    to->b += sign * from->b;
    to->level += sign * from->level;
}

static void add_models_row(const struct work *work, const struct shw_smooth_model *models, uint32_t y, int32_t sign,
                           struct shw_smooth_model *columns)
{
    models += (size_t)(y - work->models.y) * work->models.width;
    for (uint32_t x = 0; x < work->models.width; x++)
        add_model(columns + x, models + x, sign);
}

static void make_means(const struct work *work, uint32_t class, const struct scratch *scratch)
{
    const uint32_t reach = work->of->windows.cells;
    struct shw_smooth_model *columns = scratch->columns;
    struct shw_smooth_model *mean = work->mean + (size_t) class * work->means.width * work->means.height;
    uint32_t y0 = work->models.y, y1 = y0;

    memset(columns, 0, work->models.width * sizeof *columns);
    for (uint32_t row = 0; row < work->means.height; row++, mean += work->means.width) {
        uint32_t x0 = work->models.x, x1 = x0;
        struct shw_smooth_model sum = {0};

        for (; y1 < window_end(work->means.y + row, reach, work->full_rows); y1++)
            add_models_row(work, scratch->models, y1, 1, columns);
        for (; y0 < window_first(work->means.y + row, reach); y0++)
            add_models_row(work, scratch->models, y0, -1, columns);
        for (uint32_t i = 0; i < work->means.width; i++) {
            for (; x1 < window_end(work->means.x + i, reach, work->full_columns); x1++)
                add_model(&sum, columns + x1 - work->models.x, 1);
            for (; x0 < window_first(work->means.x + i, reach); x0++)
                add_model(&sum, columns + x0 - work->models.x, -1);
            mean[i] = shw_smooth_mean(sum, (int32_t)((y1 - y0) * (x1 - x0)));
        }
    }
}

static void make_class(void *user, uint32_t class, uint32_t thread)
{
    const struct work *work = user;

    make_models(work, class, &work->scratch[thread]);
    make_means(work, class, &work->scratch[thread]);
}

/* Pixels. */

static struct shw_smooth_model weigh(const struct shw_smooth_model *a, int32_t weight_a,
                                     const struct shw_smooth_model *b, int32_t weight_b)
{
    return (struct shw_smooth_model){weight_a * a->r + weight_b * b->r, weight_a * a->g + weight_b * b->g,
                                     weight_a * a->b + weight_b * b->b, weight_a * a->level + weight_b * b->level};
}

/* The values of a class at a row of pixels. */
static void make_values(const struct work *work, uint32_t class, struct shw_smooth_place row, int16_t *const base[],
                        struct shw_smooth_model *between, uint32_t *values)
{
    const struct shw_smooth_tile *of = work->of;
    const uint32_t bits = of->windows.bits, width = work->means.width;
    const struct shw_smooth_model *mean = work->mean + (size_t) class * width * work->means.height;
    const struct shw_smooth_model *first = mean + ((size_t)row.first - work->means.y) * width;
    const struct shw_smooth_model *next = mean + ((size_t)row.next - work->means.y) * width;

    for (uint32_t x = 0; x < width; x++)
        between[x] = weigh(first + x, (2 << bits) - row.weight, next + x, row.weight);
    for (uint32_t i = 0, x = of->tile.x; x < of->tile.x + of->tile.width; x += of->step, i++) {
        const struct shw_smooth_place place = shw_smooth_place_of((int32_t)x, bits, (int32_t)work->full_columns);
        const struct shw_smooth_model sum = weigh(between + place.first - work->means.x, (2 << bits) - place.weight,
                                                  between + place.next - work->means.x, place.weight);
        values[i] = shw_smooth_value(shw_smooth_model_between(sum, bits),
                                     shw_smooth_guide((uint32_t)base[SHW_BASE_R][x - of->given.x], 1),
                                     shw_smooth_guide((uint32_t)base[SHW_BASE_G][x - of->given.x], 1),
                                     shw_smooth_guide((uint32_t)base[SHW_BASE_B][x - of->given.x], 1));
    }
}

/* Normalises a pixel's values, `pitch` apart, and writes the results. Void pixels have no distribution, and stay void;
 * where all values are zero, the distribution stays. */
static void write_pixel(const struct shw_smooth_tile *of, const uint16_t *given, size_t given_pitch, uint32_t *values,
                        size_t pitch, size_t out)
{
    const size_t out_pitch = (size_t)of->out_width * of->out_height;
    uint32_t sum = 0, largest = 0, rest = 65535, given_sum = 0;

    for (uint32_t c = 0; c < of->classes; c++) {
        given_sum += given[c * given_pitch];
        sum += values[c * pitch];
    }
    if (sum == 0 || given_sum == 0)
        for (uint32_t c = 0; c < of->classes; c++)
            values[c * pitch] = given[c * given_pitch];
    for (uint32_t c = 1; c < of->classes; c++)
        if (values[c * pitch] > values[largest * pitch])
            largest = c;
    if (of->out_argmax != NULL)
        of->out_argmax[out] = given_sum > 0 ? (uint16_t)largest : SHW_LABEL_VOID;
    if (of->out_distribution == NULL)
        return;
    for (uint32_t c = 0; c < of->classes; c++) {
        uint32_t share = sum == 0 || given_sum == 0 ? values[c * pitch] : shw_smooth_normalise(values[c * pitch], sum);
        of->out_distribution[c * out_pitch + out] = (uint16_t)share;
        rest -= share;
    }
    if (sum > 0 && given_sum > 0)
        of->out_distribution[largest * out_pitch + out] += (uint16_t)rest;
}

static void write_row(void *user, uint32_t index, uint32_t thread)
{
    const struct work *work = user;
    const struct shw_smooth_tile *of = work->of;
    const struct scratch *scratch = &work->scratch[thread];
    const uint32_t y = of->tile.y + index * of->step, columns = (of->tile.width - 1) / of->step + 1;
    const struct shw_smooth_place row = shw_smooth_place_of((int32_t)y, of->windows.bits, (int32_t)work->full_rows);
    const size_t given_pitch = (size_t)of->given.width * of->given.height;
    const uint16_t *given = of->distribution + (size_t)(y - of->given.y) * of->given.width + of->tile.x - of->given.x;
    size_t out = (size_t)(of->out_y + index) * of->out_width + of->out_x;
    int16_t *base[SHW_BASE_COUNT];

    for (uint32_t b = 0; b < SHW_BASE_COUNT; b++)
        base[b] = scratch->base + (size_t)b * of->image->width;
    shw_base_row(of->image, y - of->given.y, base);
    for (uint32_t c = 0; c < of->classes; c++)
        make_values(work, c, row, base, scratch->between, scratch->values + (size_t)c * columns);
    for (uint32_t i = 0; i < columns; i++)
        write_pixel(of, given + (size_t)i * of->step, given_pitch, scratch->values + i, columns, out + i);
}

/* Memory. */

static bool allocate_scratch(const struct work *work, struct scratch *scratch)
{
    const struct shw_smooth_tile *of = work->of;

    *scratch =
        (struct scratch){.base = calloc((size_t)SHW_BASE_COUNT * of->image->width, sizeof *scratch->base),
                         .sums = calloc((size_t)3 * work->cells.width, sizeof *scratch->sums),
                         .shares = calloc(work->cells.width, sizeof *scratch->shares),
                         .models = calloc((size_t)work->models.width * work->models.height, sizeof *scratch->models),
                         .columns = calloc(work->models.width, sizeof *scratch->columns),
                         .between = calloc(work->means.width, sizeof *scratch->between),
                         .values = calloc((size_t)of->classes * of->tile.width, sizeof *scratch->values)};
    return scratch->base != NULL && scratch->sums != NULL && scratch->shares != NULL && scratch->models != NULL &&
           scratch->columns != NULL && scratch->between != NULL && scratch->values != NULL;
}

static bool allocate(struct work *work, uint32_t threads)
{
    const size_t cells = (size_t)work->cells.width * work->cells.height, classes = work->of->classes;
    const size_t means = (size_t)work->means.width * work->means.height;
    bool all = true;

    work->guide = malloc(3 * cells * sizeof *work->guide);
    work->shares = malloc(classes * cells * sizeof *work->shares);
    work->factors = malloc((size_t)work->models.width * work->models.height * sizeof *work->factors);
    work->mean = malloc(classes * means * sizeof *work->mean);
    work->scratch = calloc(threads, sizeof *work->scratch);
    for (uint32_t t = 0; work->scratch != NULL && t < threads; t++)
        all = allocate_scratch(work, &work->scratch[t]) && all;
    return all && work->guide != NULL && work->shares != NULL && work->factors != NULL && work->mean != NULL &&
           work->scratch != NULL;
}

static void release(struct work *work, uint32_t threads)
{
    for (uint32_t t = 0; work->scratch != NULL && t < threads; t++) {
        struct scratch *scratch = &work->scratch[t];
        free(scratch->base);
        free(scratch->sums);
        free(scratch->shares);
        free(scratch->models);
        free(scratch->columns);
        free(scratch->between);
        free(scratch->values);
    }
    free(work->scratch);
    free(work->mean);
    free(work->factors);
    free(work->shares);
    free(work->guide);
}

enum shw_result shw_smooth_cpu(const struct shw_smooth_tile *tile, struct shw_thread_pool *pool)
{
    const uint32_t threads = shw_thread_pool_size(pool), bits = tile->windows.bits;
    struct work work = {.of = tile,
                        .full_columns = (tile->full_width + (1u << bits) - 1) >> bits,
                        .full_rows = (tile->full_height + (1u << bits) - 1) >> bits};
    enum shw_result result = SHW_ERROR_MEMORY;

    work.cells = shw_smooth_cells(&tile->windows, &tile->tile, tile->full_width, tile->full_height, 2);
    work.models = shw_smooth_cells(&tile->windows, &tile->tile, tile->full_width, tile->full_height, 1);
    work.means = shw_smooth_cells(&tile->windows, &tile->tile, tile->full_width, tile->full_height, 0);
    if (allocate(&work, threads)) {
        shw_thread_pool_run(pool, work.cells.height, make_guide_row, &work);
        shw_thread_pool_run(pool, work.cells.height * tile->classes, make_shares_row, &work);
        shw_thread_pool_run(pool, work.models.height, make_factors_row, &work);
        shw_thread_pool_run(pool, tile->classes, make_class, &work);
        shw_thread_pool_run(pool, (tile->tile.height - 1) / tile->step + 1, write_row, &work);
        result = SHW_OK;
    }
    release(&work, threads);
    return result;
}
