/* The loops of smoothing on the CPU: the body. The including file defines LOOPS, the name of their table, and TARGET,
 * the attribute of functions with its instructions. Loops are plain ones, over rows of numbers, which compilers turn
 * into vector instructions. */
#include <string.h>

#include "base/integers.h"
#include "dense/channels/pixels.h"
#include "dense/smooth/smooth_tile.h"

/* In a function of its own, compilers know that what a loop writes is not what it reads. */
#define LOOP TARGET __attribute__((noinline))

/* Where a window around cell `centre` begins and ends, in a range of cells that has all of it that is in the image. */
TARGET static uint32_t window_first(uint32_t centre, uint32_t reach)
{
    return centre > reach ? centre - reach : 0;
}

TARGET static uint32_t window_end(uint32_t centre, uint32_t reach, uint32_t full)
{
    return shw_min_u32(centre + reach + 1, full);
}

/* Sums over windows of the columns, the first of which is around column `offset`. All arithmetic wraps. */
TARGET static void add_windows(const uint32_t *columns, uint32_t count, uint32_t reach, uint32_t offset,
                               uint32_t *restrict before, int32_t *restrict sums, uint32_t windows)
{
    const uint32_t *ends = before + offset + 2 * (size_t)reach + 1;
    uint32_t sum = 0;

    memset(before, 0, reach * sizeof *before);
    for (uint32_t x = 0; x < count; x++) {
        before[reach + x] = sum;
        sum += columns[x];
    }
    for (uint32_t x = 0; x <= reach; x++)
        before[reach + count + x] = sum;
    for (uint32_t i = 0; i < windows; i++)
        sums[i] = (int32_t)(ends[i] - before[offset + i]);
}

/* Cells: means of the guide and of shares. */

/* The pixels of a cell row or column. */
TARGET static uint32_t pixels_of(uint32_t cell, uint32_t bits, uint32_t full)
{
    return shw_min_u32(1u << bits, full - (cell << bits));
}

LOOP static void add_pairs(const uint32_t *line, uint32_t *restrict sums, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] = line[2 * i] + line[2 * i + 1];
}

/* Adds up the pixels of a row to `cells` cells, of which the last one may have less, and returns where they are: in one
 * of two lines of that many whole cells. */
TARGET static uint32_t *add_up(uint32_t *line, uint32_t pixels, uint32_t cells, uint32_t bits)
{
    uint32_t *other = line + ((size_t)cells << bits), *sums = line;

    memset(line + pixels, 0, (((size_t)cells << bits) - pixels) * sizeof *line);
    for (uint32_t b = bits; b > 0; b--) {
        sums = line == sums ? other : line;
        add_pairs(sums == line ? other : line, sums, (size_t)cells << (b - 1));
    }
    return sums;
}

TARGET static void make_guide_row(void *user, uint32_t row, uint32_t thread)
{
    const struct shw_smooth_work *work = user;
    const struct shw_smooth_tile *of = work->of;
    const uint32_t bits = of->windows.bits, y = (work->cells.y + row) << bits, width = work->cells.width;
    const uint32_t rows = pixels_of(work->cells.y + row, bits, of->full_height),
                   first = (work->cells.x << bits) - of->given.x,
                   pixels = shw_min_u32(width << bits, of->full_width - (work->cells.x << bits));
    const struct shw_smooth_scratch *scratch = &work->scratch[thread];
    uint32_t *sums = scratch->columns, *line = scratch->line, *added;
    int16_t *base[SHW_BASE_COUNT];

    for (uint32_t b = 0; b < SHW_BASE_COUNT; b++)
        base[b] = scratch->base + (size_t)b * of->image->width;
    memset(sums, 0, (size_t)3 * width * sizeof *sums);
    for (uint32_t i = 0; i < rows; i++) {
        shw_base_row(of->image, y + i - of->given.y, base);
        for (uint32_t c = 0; c < 3; c++) {
            for (uint32_t x = 0; x < pixels; x++)
                line[x] = (uint16_t)base[c][first + x];
            added = add_up(line, pixels, width, bits);
            for (uint32_t x = 0; x < width; x++)
                sums[c * width + x] += added[x];
        }
    }
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t x = 0; x < width; x++)
            work->guide[((size_t)c * work->cells.height + row) * width + x] = (int16_t)shw_smooth_guide(
                sums[c * width + x], rows * pixels_of(work->cells.x + x, bits, of->full_width));
}

TARGET static void make_shares_row(void *user, uint32_t index, uint32_t thread)
{
    const struct shw_smooth_work *work = user;
    const struct shw_smooth_tile *of = work->of;
    const uint32_t bits = of->windows.bits, row = index % work->cells.height, class = index / work->cells.height;
    const uint32_t rows = pixels_of(work->cells.y + row, bits, of->full_height), y = (work->cells.y + row) << bits;
    const uint32_t width = work->cells.width,
                   pixels = shw_min_u32(width << bits, of->full_width - (work->cells.x << bits));
    const uint16_t *given = of->distribution + ((size_t) class * of->given.height + y - of->given.y) * of->given.width +
                            (work->cells.x << bits) - of->given.x;
    const uint32_t whole = rows == 1u << bits ? pixels >> bits : 0;
    uint32_t *line = work->scratch[thread].line;
    uint16_t *shares = work->shares + ((size_t) class * work->cells.height + row) * width;

    memset(line, 0, pixels * sizeof *line);
    for (uint32_t i = 0; i < rows; i++, given += of->given.width)
        for (uint32_t x = 0; x < pixels; x++)
            line[x] += given[x];
    line = add_up(line, pixels, width, bits);
    for (uint32_t x = 0; x < whole; x++)
        shares[x] = (uint16_t)shw_smooth_share(line[x], 1u << (2 * bits));
    for (uint32_t x = whole; x < width; x++)
        shares[x] = (uint16_t)shw_smooth_share(line[x], rows * pixels_of(work->cells.x + x, bits, of->full_width));
}

/* Models. */

TARGET static void put_factors(int32_t *to, size_t pitch, struct shw_guide_factors f)
{
    const int32_t numbers[SHW_FACTOR_ROWS] = {(int32_t)f.count.value,
                                              (int32_t)f.count.multiplier,
                                              (int32_t)f.count.shift,
                                              f.r,
                                              f.g,
                                              f.b,
                                              f.rest_r,
                                              f.rest_g,
                                              f.rest_b,
                                              f.gr,
                                              f.br,
                                              f.bg,
                                              (int32_t)f.pivot_r.mantissa,
                                              (int32_t)f.pivot_r.shift,
                                              (int32_t)f.pivot_g.mantissa,
                                              (int32_t)f.pivot_g.shift,
                                              (int32_t)f.pivot_b.mantissa,
                                              (int32_t)f.pivot_b.shift};

    for (uint32_t i = 0; i < SHW_FACTOR_ROWS; i++)
        to[i * pitch] = numbers[i];
}

TARGET static inline struct shw_divisor get_divisor(const int32_t *from, size_t pitch)
{
    return (struct shw_divisor){(uint32_t)from[0], (uint32_t)from[pitch], (uint32_t)from[2 * pitch]};
}

TARGET static inline struct shw_reciprocal get_reciprocal(const int32_t *from, size_t pitch)
{
    return (struct shw_reciprocal){(uint32_t)from[0], (uint32_t)from[pitch]};
}

TARGET static inline struct shw_guide_factors get_factors(const int32_t *from, size_t pitch)
{
    return (struct shw_guide_factors){.count = get_divisor(from, pitch),
                                      .r = from[3 * pitch],
                                      .g = from[4 * pitch],
                                      .b = from[5 * pitch],
                                      .rest_r = from[6 * pitch],
                                      .rest_g = from[7 * pitch],
                                      .rest_b = from[8 * pitch],
                                      .gr = from[9 * pitch],
                                      .br = from[10 * pitch],
                                      .bg = from[11 * pitch],
                                      .pivot_r = get_reciprocal(from + 12 * pitch, pitch),
                                      .pivot_g = get_reciprocal(from + 14 * pitch, pitch),
                                      .pivot_b = get_reciprocal(from + 16 * pitch, pitch)};
}

TARGET static inline struct shw_smooth_model get_model(const int32_t *from, size_t pitch)
{
    return (struct shw_smooth_model){from[0], from[pitch], from[2 * pitch], from[3 * pitch]};
}

TARGET static inline void put_model(int32_t *to, size_t pitch, struct shw_smooth_model model)
{
    to[0] = model.r;
    to[pitch] = model.g;
    to[2 * pitch] = model.b;
    to[3 * pitch] = model.level;
}

/* Adds a row of guide values and of their products to the sums of columns. */
LOOP static void add_guide_row(const int16_t *guide, size_t plane, uint32_t *restrict columns, size_t pitch)
{
    const int16_t *red = guide, *green = guide + plane, *blue = guide + 2 * plane;

    for (size_t x = 0; x < pitch; x++) {
        const int32_t r = red[x], g = green[x], b = blue[x];
        columns[x] += (uint32_t)r;
        columns[pitch + x] += (uint32_t)g;
        columns[2 * pitch + x] += (uint32_t)b;
        columns[3 * pitch + x] += (uint32_t)(r * r);
        columns[4 * pitch + x] += (uint32_t)(r * g);
        columns[5 * pitch + x] += (uint32_t)(r * b);
        columns[6 * pitch + x] += (uint32_t)(g * g);
        columns[7 * pitch + x] += (uint32_t)(g * b);
        columns[8 * pitch + x] += (uint32_t)(b * b);
    }
}

TARGET static void make_factors_row(void *user, uint32_t row, uint32_t thread)
{
    const struct shw_smooth_work *work = user;
    const struct shw_smooth_scratch *scratch = &work->scratch[thread];
    const uint32_t reach = work->of->windows.cells, centre = work->models.y + row;
    const uint32_t y0 = window_first(centre, reach), y1 = window_end(centre, reach, work->full_rows);
    const size_t width = work->cells.width, plane = width * work->cells.height, pitch = work->models.width;
    int32_t *sums = scratch->sums, *factors = work->factors + row * pitch * SHW_FACTOR_ROWS;

    memset(scratch->columns, 0, SHW_GUIDE_ROWS * width * sizeof *scratch->columns);
    for (uint32_t y = y0; y < y1; y++)
        add_guide_row(work->guide + (y - work->cells.y) * width, plane, scratch->columns, width);
    for (uint32_t i = 0; i < SHW_GUIDE_ROWS; i++)
        add_windows(scratch->columns + i * width, work->cells.width, reach, work->models.x - work->cells.x,
                    scratch->before, sums + i * pitch, work->models.width);
    for (uint32_t i = 0; i < work->models.width; i++) {
        const uint32_t x = work->models.x + i;
        const uint32_t columns = window_end(x, reach, work->full_columns) - window_first(x, reach);
        const struct shw_guide_sums at = {.r = sums[i],
                                          .g = sums[pitch + i],
                                          .b = sums[2 * pitch + i],
                                          .rr = sums[3 * pitch + i],
                                          .rg = sums[4 * pitch + i],
                                          .rb = sums[5 * pitch + i],
                                          .gg = sums[6 * pitch + i],
                                          .gb = sums[7 * pitch + i],
                                          .bb = sums[8 * pitch + i]};
        put_factors(factors + i, pitch,
                    shw_guide_factors_of(at, work->divisors[(y1 - y0) * columns], work->of->windows.epsilon));
    }
}

/* Adds a row of shares and of their products with guide values to the sums of columns, or subtracts it. */
LOOP static void add_shares_row(const struct shw_smooth_work *work, const uint16_t *shares, uint32_t y, int32_t sign,
                                uint32_t *restrict columns)
{
    const size_t width = work->cells.width, at = (y - work->cells.y) * width, plane = width * work->cells.height;
    const int16_t *red = work->guide + at, *green = red + plane, *blue = green + plane;

    shares += at;
    for (size_t x = 0; x < width; x++) {
        const int32_t p = sign * shares[x];
        columns[x] += (uint32_t)p;
        columns[width + x] += (uint32_t)(red[x] * p);
        columns[2 * width + x] += (uint32_t)(green[x] * p);
        columns[3 * width + x] += (uint32_t)(blue[x] * p);
    }
}

LOOP static void solve_row(const int32_t *factors, const int32_t *sums, int32_t *restrict models, size_t pitch)
{
    for (size_t i = 0; i < pitch; i++) {
        const struct shw_share_sums shares = {sums[i], sums[pitch + i], sums[2 * pitch + i], sums[3 * pitch + i]};
        put_model(models + i, pitch, shw_smooth_solve(get_factors(factors + i, pitch), shares));
    }
}

TARGET static void make_models(const struct shw_smooth_work *work, uint32_t class,
                               const struct shw_smooth_scratch *scratch)
{
    const uint32_t reach = work->of->windows.cells, width = work->cells.width;
    const size_t pitch = work->models.width;
    const uint16_t *shares = work->shares + (size_t) class * width * work->cells.height;
    uint32_t y0 = work->cells.y, y1 = y0;

    memset(scratch->columns, 0, (size_t)SHW_SHARE_ROWS * width * sizeof *scratch->columns);
    for (uint32_t row = 0; row < work->models.height; row++) {
        for (; y1 < window_end(work->models.y + row, reach, work->full_rows); y1++)
            add_shares_row(work, shares, y1, 1, scratch->columns);
        for (; y0 < window_first(work->models.y + row, reach); y0++)
            add_shares_row(work, shares, y0, -1, scratch->columns);
        for (uint32_t i = 0; i < SHW_SHARE_ROWS; i++)
            add_windows(scratch->columns + (size_t)i * width, width, reach, work->models.x - work->cells.x,
                        scratch->before, scratch->sums + i * pitch, work->models.width);
        solve_row(work->factors + row * pitch * SHW_FACTOR_ROWS, scratch->sums,
                  scratch->models + row * pitch * SHW_MODEL_ROWS, pitch);
    }
}

/* Adds a row of models to the sums of columns, or subtracts it. */
LOOP static void add_models_row(const int32_t *models, size_t count, int32_t sign, uint32_t *restrict columns)
{
    for (size_t i = 0; i < count; i++)
        columns[i] += (uint32_t)(sign * models[i]);
}

/* The divisors of a row of windows of so many rows of cells. */
TARGET static void put_divisors(const struct shw_smooth_work *work, uint32_t rows, int32_t *to)
{
    const uint32_t reach = work->of->windows.cells, pitch = work->means.width;

    for (uint32_t i = 0; i < pitch; i++) {
        const uint32_t x = work->means.x + i;
        const struct shw_divisor divisor =
            work->divisors[rows * (window_end(x, reach, work->full_columns) - window_first(x, reach))];
        to[i] = (int32_t)divisor.value;
        to[pitch + i] = (int32_t)divisor.multiplier;
        to[2 * pitch + i] = (int32_t)divisor.shift;
    }
}

LOOP static void divide_row(const int32_t *sums, const int32_t *divisors, int32_t *restrict mean, size_t pitch)
{
    for (size_t i = 0; i < pitch; i++)
        put_model(mean + i, pitch, shw_smooth_mean(get_model(sums + i, pitch), get_divisor(divisors + i, pitch)));
}

TARGET static void make_means(const struct shw_smooth_work *work, uint32_t class,
                              const struct shw_smooth_scratch *scratch)
{
    const uint32_t reach = work->of->windows.cells, width = work->models.width;
    const size_t pitch = work->means.width, models = (size_t)SHW_MODEL_ROWS * width;
    int32_t *mean = work->mean + (size_t) class * work->means.height * pitch * SHW_MODEL_ROWS;
    uint32_t y0 = work->models.y, y1 = y0, rows = 0;

    memset(scratch->columns, 0, models * sizeof *scratch->columns);
    for (uint32_t row = 0; row < work->means.height; row++, mean += pitch * SHW_MODEL_ROWS) {
        for (; y1 < window_end(work->means.y + row, reach, work->full_rows); y1++)
            add_models_row(scratch->models + (y1 - work->models.y) * models, models, 1, scratch->columns);
        for (; y0 < window_first(work->means.y + row, reach); y0++)
            add_models_row(scratch->models + (y0 - work->models.y) * models, models, -1, scratch->columns);
        for (uint32_t i = 0; i < SHW_MODEL_ROWS; i++)
            add_windows(scratch->columns + (size_t)i * width, width, reach, work->means.x - work->models.x,
                        scratch->before, scratch->sums + i * pitch, work->means.width);
        if (rows != y1 - y0)
            put_divisors(work, y1 - y0, scratch->divisors);
        rows = y1 - y0;
        divide_row(scratch->sums, scratch->divisors, mean, pitch);
    }
}

TARGET static void make_class(void *user, uint32_t class, uint32_t thread)
{
    const struct shw_smooth_work *work = user;

    make_models(work, class, &work->scratch[thread]);
    make_means(work, class, &work->scratch[thread]);
}

/* Pixels, in runs. */

/* Guide values of pixels with whole windows, from the sums of columns. */
LOOP static void make_near(const uint32_t *columns, struct shw_divisor divisor, int32_t *restrict near, size_t count)
{
    for (size_t x = 0; x < count; x++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 2 * SHW_SMOOTH_NEAR_REACH + 1; i++)
            sum += columns[x + i];
        near[x] = shw_divide_round_by((int32_t)sum, divisor) - SHW_SMOOTH_MIDDLE;
    }
}

LOOP static void add_base_row(const int16_t *base, uint32_t *restrict columns, size_t count)
{
    for (size_t x = 0; x < count; x++)
        columns[x] += (uint16_t)base[x];
}

/* The guide of a row's pixels. At the image's sides, columns of zeros complete the windows; the pixels are fewer. */
TARGET static void make_pixel_guide(const struct shw_smooth_work *work, uint32_t y,
                                    const struct shw_smooth_scratch *scratch)
{
    const struct shw_smooth_tile *of = work->of;
    const struct shw_smooth_runs *runs = &work->runs;
    const uint32_t reach = SHW_SMOOTH_NEAR_REACH, width = of->tile.width, pitch = width + 2 * reach;
    const uint32_t y0 = window_first(y, reach), y1 = window_end(y, reach, of->full_height);
    const uint32_t x0 = window_first(of->tile.x, reach), x1 = window_end(of->tile.x + width - 1, reach, of->full_width);
    const size_t pixels = (size_t)runs->length * runs->count;
    int16_t *base[SHW_BASE_COUNT];

    for (uint32_t b = 0; b < SHW_BASE_COUNT; b++)
        base[b] = scratch->base + (size_t)b * of->image->width;
    memset(scratch->colours, 0, 3 * (size_t)pitch * sizeof *scratch->colours);
    for (uint32_t row = y0; row < y1; row++) {
        shw_base_row(of->image, row - of->given.y, base);
        for (uint32_t c = 0; c < 3; c++)
            add_base_row(base[c] + x0 - of->given.x, scratch->colours + c * pitch + x0 + reach - of->tile.x, x1 - x0);
    }
    memset(scratch->guide, 0, 3 * pixels * sizeof *scratch->guide);
    for (uint32_t c = 0; c < 3; c++) {
        const uint32_t *columns = scratch->colours + c * pitch;
        make_near(columns, shw_divisor_of(4 * (2 * reach + 1) * (y1 - y0)), scratch->near, width);
        for (uint32_t i = 0; i < width; i++) {
            const uint32_t x = of->tile.x + i, place = (uint32_t)((int32_t)x - runs->x0);
            const uint32_t count = window_end(x, reach, of->full_width) - window_first(x, reach);
            uint32_t sum = 0;
            for (uint32_t n = 0; n < 2 * reach + 1 && count < 2 * reach + 1; n++)
                sum += columns[i + n];
            scratch->guide[c * pixels + place % runs->count * runs->length + place / runs->count] =
                count < 2 * reach + 1 ? shw_smooth_guide(sum, count * (y1 - y0)) : scratch->near[i];
        }
    }
}

/* The models between two rows of mean models, at the cells of the runs and one more. */
TARGET static void make_between(const struct shw_smooth_work *work, uint32_t class, struct shw_smooth_place row,
                                int32_t *restrict between)
{
    const struct shw_smooth_runs *runs = &work->runs;
    const size_t width = work->means.width, pitch = (size_t)runs->length + 1, models = SHW_MODEL_ROWS * width;
    const int32_t *mean = work->mean + (size_t) class * work->means.height * models;
    const int32_t *first = mean + ((size_t)row.first - work->means.y) * models;
    const int32_t *next = mean + ((size_t)row.next - work->means.y) * models;
    const int32_t weight = row.weight, rest = (2 << work->of->windows.bits) - weight;
    /* the first cell of all stands for one before it, the last one for one behind */
    const size_t left = runs->first < 0, known = width < pitch - left ? width : pitch - left;

    for (uint32_t i = 0; i < SHW_MODEL_ROWS; i++, between += pitch, first += width, next += width) {
        for (size_t x = 0; x < known; x++)
            between[left + x] = rest * first[x] + weight * next[x];
        between[0] = rest * first[0] + weight * next[0];
        for (size_t x = left + known; x < pitch; x++)
            between[x] = between[left + known - 1];
    }
}

/* The values of a class at the pixels of a run. */
LOOP static void make_values(const int32_t *between, size_t pitch, uint32_t bits, int32_t weight, const int32_t *guide,
                             size_t pixels, uint16_t *restrict values, size_t count)
{
    const int32_t whole = 2 << bits;

    for (size_t i = 0; i < count; i++) {
        const struct shw_smooth_model first = get_model(between + i, pitch), next = get_model(between + i + 1, pitch);
        const struct shw_smooth_model sum = {
            whole * first.r + weight * (next.r - first.r), whole * first.g + weight * (next.g - first.g),
            whole * first.b + weight * (next.b - first.b), whole * first.level + weight * (next.level - first.level)};
        values[i] = (uint16_t)shw_smooth_value(shw_smooth_model_between(sum, bits), guide[i], guide[pixels + i],
                                               guide[2 * pixels + i]);
    }
}

/* Sums and largest values of pixels. */
LOOP static void add_values(const uint16_t *values, uint16_t class, size_t count, uint32_t *restrict totals,
                            uint16_t *restrict most, uint16_t *restrict labels)
{
    for (size_t i = 0; i < count; i++)
        totals[i] += values[i];
    for (size_t i = 0; i < count; i++) {
        labels[i] = values[i] > most[i] ? class : labels[i];
        most[i] = values[i] > most[i] ? values[i] : most[i];
    }
}

/* Compensates for the rounding of a reciprocal and of its product: large enough that no exact integer quotient is
 * truncated to the one below, small enough that none is lifted to the next, since totals are below 2^32. */
#define RECIPROCAL_LIFT (1.0 + 0x1p-50)

/* As shw_smooth_normalise() divides. */
LOOP static void scale_values(const uint16_t *values, const double *scales, size_t count, uint32_t *restrict rest,
                              uint16_t *restrict shares)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t share = (uint32_t)(int32_t)(values[i] * scales[i]);
        rest[i] -= share;
        shares[i] = (uint16_t)share;
    }
}

/* Puts the runs in order; known to the compiler how many there are. */
TARGET static inline __attribute__((always_inline)) void interleave(const uint16_t *runs, uint32_t length,
                                                                    uint32_t count, uint16_t *restrict in_order)
{
    for (size_t i = 0; i < length; i++)
        for (size_t p = 0; p < count; p++)
            in_order[i * count + p] = runs[p * length + i];
}

TARGET static void put_in_order(const struct shw_smooth_runs *runs, const uint16_t *of, uint16_t *in_order)
{
    switch (runs->count) {
    case 1: memcpy(in_order, of, runs->length * sizeof *of); break;
    case 2: interleave(of, runs->length, 2, in_order); break;
    case 4: interleave(of, runs->length, 4, in_order); break;
    default: interleave(of, runs->length, 8, in_order); break;
    }
}

/* Writes every step-th pixel. */
TARGET static void write_pixels(const uint16_t *pixels, uint32_t step, uint32_t count, uint16_t *out)
{
    if (step == 1)
        memcpy(out, pixels, count * sizeof *out);
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = pixels[(size_t)i * step];
}

/* Void pixels have no distribution, and stay void; where all values are zero, the distribution stays. `given` is that
 * of the pixel. */
TARGET static void keep_pixel(const struct shw_smooth_tile *of, const uint16_t *given, size_t out)
{
    const size_t pitch = (size_t)of->given.width * of->given.height;
    const size_t out_pitch = (size_t)of->out_width * of->out_height;
    uint32_t largest = 0;

    for (uint32_t c = 0; c < of->classes; c++) {
        largest = given[c * pitch] > given[largest * pitch] ? c : largest;
        if (of->out_distribution != NULL)
            of->out_distribution[c * out_pitch + out] = given[c * pitch];
    }
    if (of->out_argmax != NULL)
        of->out_argmax[out] = given[largest * pitch] > 0 ? (uint16_t)largest : SHW_LABEL_VOID;
}

TARGET static void write_row(void *user, uint32_t index, uint32_t thread)
{
    const struct shw_smooth_work *work = user;
    const struct shw_smooth_tile *of = work->of;
    const struct shw_smooth_scratch *scratch = &work->scratch[thread];
    const struct shw_smooth_runs *runs = &work->runs;
    const uint32_t y = of->tile.y + index * of->step, columns = (of->tile.width - 1) / of->step + 1;
    const struct shw_smooth_place row = shw_smooth_place_of((int32_t)y, of->windows.bits, (int32_t)work->full_rows);
    const size_t given_pitch = (size_t)of->given.width * of->given.height;
    const size_t out_pitch = (size_t)of->out_width * of->out_height;
    const uint16_t *given = of->distribution + (size_t)(y - of->given.y) * of->given.width + of->tile.x - of->given.x;
    const size_t out = (size_t)(of->out_y + index) * of->out_width + of->out_x;
    const size_t pixels = (size_t)runs->length * runs->count;
    const uint32_t skipped = (uint32_t)((int32_t)of->tile.x - runs->x0);

    make_pixel_guide(work, y, scratch);
    memset(scratch->totals, 0, pixels * sizeof *scratch->totals);
    memset(scratch->most, 0, pixels * sizeof *scratch->most);
    memset(scratch->labels, 0, pixels * sizeof *scratch->labels);
    memset(scratch->given, 0, of->tile.width * sizeof *scratch->given);
    for (uint32_t c = 0; c < of->classes; c++) {
        uint16_t *values = scratch->values + c * pixels;
        make_between(work, c, row, scratch->between);
        for (uint32_t p = 0; p < runs->count; p++)
            make_values(scratch->between, (size_t)runs->length + 1, of->windows.bits,
                        runs->count > 1 ? 2 * (int32_t)p + 1 : 0, scratch->guide + (size_t)p * runs->length, pixels,
                        values + (size_t)p * runs->length, runs->length);
        add_values(values, (uint16_t)c, pixels, scratch->totals, scratch->most, scratch->labels);
        for (uint32_t x = 0; x < of->tile.width; x++)
            scratch->given[x] |= given[c * given_pitch + x];
    }
    for (size_t i = 0; i < pixels; i++) {
        scratch->scales[i] = 65535 * RECIPROCAL_LIFT / shw_max_u32(scratch->totals[i], 1);
        scratch->totals[i] = 65535;
    }
    for (uint32_t c = 0; c < of->classes && of->out_distribution != NULL; c++) {
        scale_values(scratch->values + c * pixels, scratch->scales, pixels, scratch->totals, scratch->shares);
        put_in_order(runs, scratch->shares, scratch->in_order);
        write_pixels(scratch->in_order + skipped, of->step, columns, of->out_distribution + c * out_pitch + out);
    }
    for (uint32_t i = 0; i < columns; i++) {
        const uint32_t x = i * of->step, place = skipped + x;
        const uint32_t at = place % runs->count * runs->length + place / runs->count;
        if (scratch->most[at] == 0 || scratch->given[x] == 0) {
            keep_pixel(of, given + x, out + i);
            continue;
        }
        if (of->out_argmax != NULL)
            of->out_argmax[out + i] = scratch->labels[at];
        if (of->out_distribution != NULL)
            of->out_distribution[scratch->labels[at] * out_pitch + out + i] += (uint16_t)scratch->totals[at];
    }
}

const struct shw_smooth_loops LOOPS = {make_guide_row, make_shares_row, make_factors_row, make_class, write_row};
