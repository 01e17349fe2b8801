/* Kinds that are compiled from a header, on the CPU. Their passes fill rows, stripe by stripe: planes of passes are
 * rings of rows, which stay in caches. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/channels_stage.h"
#include "dense/channels/pixels.h"

#define STRIPE_ROWS 64u
#define BLOCK_ROWS  8u /* that a thread fills one after the other, since they read many of the same lines */
#define MARGIN      SHW_CHANNEL_REACH_MAX /* values on either side of a row of a ring */

_Static_assert(SHW_PASSED_ROWS == 2 * SHW_CHANNEL_REACH_MAX + 1 && SHW_PASSED_CENTRE == SHW_CHANNEL_REACH_MAX,
               "headers find the rows of passes");

struct pass {
    struct shw_channel_reading reading;
    void (*fill_row)(const struct shw_channel_row *row, uint32_t parameter, int16_t *const *channels);
    uint32_t ahead;    /* rows that it is ahead of the channels */
    uint32_t finished; /* rows so far */
    int16_t *ring;     /* row y is at y % ring_rows; NULL for the last pass, which makes the channels */
};

struct filling {
    const struct shw_channels_job *job;
    const struct shw_channel_entry *entry;
    const uint32_t *table;
    uint32_t width, height, radius, roles;
    shw_uint4 scales[SHW_INPUT_ROLES]; /* of planes */
    int16_t *lines;                    /* per thread: lines of inputs, with borders */
    uint32_t ring_rows;
    struct pass passes[SHW_CHANNEL_PASSES_MAX + 1];
    uint32_t number, end; /* the pass that is running, and the end of its rows */
};

/* The lines of an input that a block of rows reads. */
#define BLOCK_LINES(filling) (BLOCK_ROWS + 2 * (filling)->radius)

static size_t line_size(const struct filling *filling)
{
    return filling->width + 2 * (size_t)filling->radius;
}

static size_t line_count(const struct filling *filling)
{
    return SHW_BASE_COUNT * (size_t)BLOCK_LINES(filling) * filling->roles;
}

static uint32_t input_of(const struct shw_channel_entry *entry, uint32_t role)
{
    return role == SHW_INPUT_COLOUR ? entry->source : entry->input;
}

/* A row of an input, in up to four lines; returns their number. */
static uint32_t read_line(const struct filling *filling, uint32_t role, uint32_t y, int16_t *const *lines)
{
    const struct shw_channel_code *code = filling->entry->kind->code;
    const struct shw_image *image = filling->job->images.of[input_of(filling->entry, role)];
    shw_uint4 scale = filling->scales[role];

    if (role < code->samples) {
        shw_sample_row(image, scale, y, lines[0]);
        return 1;
    }
    if (role != SHW_INPUT_COLOUR && code->reads_plane) {
        shw_plane_row(image, scale, y, lines[0]);
        return 1;
    }
    if (scale.x == SHW_SCALE_STORED) {
        shw_base_row(image, y, lines);
        return SHW_BASE_COUNT;
    }
    shw_grey_row(image, scale, y, lines[0]);
    for (uint32_t b = 1; b < SHW_BASE_COUNT; b++)
        memcpy(lines[b], lines[0], image->width * sizeof *lines[0]);
    return SHW_BASE_COUNT;
}

static uint32_t clamp_row(const struct filling *filling, int32_t y)
{
    return (uint32_t)shw_clamp(y, 0, (int32_t)filling->height - 1);
}

/* Lines of all inputs for rows of a block from y on, and those above and below that the pass reads: those of the role
 * from line `role * BLOCK_LINES` on. Rows above the first and below the last repeat those. */
static void read_block(const struct filling *filling, uint32_t y, uint32_t rows, uint32_t thread)
{
    const uint32_t reach = filling->passes[filling->number].reading.reach;

    for (uint32_t role = 0; role < filling->roles; role++)
        for (uint32_t i = 0; i < rows + 2 * reach; i++) {
            int16_t *lines[SHW_BASE_COUNT], *line = filling->lines + thread * line_count(filling) * line_size(filling);
            uint32_t lines_read;

            line += SHW_BASE_COUNT * ((size_t)role * BLOCK_LINES(filling) + i) * line_size(filling) + filling->radius;
            for (uint32_t b = 0; b < SHW_BASE_COUNT; b++, line += line_size(filling))
                lines[b] = line;
            lines_read = read_line(filling, role, clamp_row(filling, (int32_t)(y + i) - (int32_t)reach), lines);
            for (uint32_t b = 0; b < lines_read; b++)
                shw_base_clamp(lines[b], filling->width, filling->radius);
        }
}

/* The lines that row `index` of the block reads, as struct shw_channel_row has them: none is farther away than the pass
 * reaches. */
static void find_lines(const struct filling *filling, uint32_t index, uint32_t thread, const int16_t **lines)
{
    const int32_t radius = (int32_t)filling->radius, reach = (int32_t)filling->passes[filling->number].reading.reach;

    for (uint32_t role = 0; role < filling->roles; role++)
        for (int32_t dy = -radius; dy <= radius; dy++) {
            const uint32_t i = index + (uint32_t)(shw_clamp(dy, -reach, reach) + reach);
            const size_t first =
                thread * line_count(filling) + SHW_BASE_COUNT * ((size_t)role * BLOCK_LINES(filling) + i);

            for (uint32_t b = 0; b < SHW_BASE_COUNT; b++)
                *lines++ = filling->lines + (first + b) * line_size(filling) + radius;
        }
}

static int16_t *ring_row(const struct filling *filling, uint32_t pass, uint32_t y)
{
    const size_t width = filling->width + 2 * (size_t)MARGIN;

    return filling->passes[pass].ring + (y % filling->ring_rows) * width + MARGIN;
}

/* The rows of planes of passes that row y reads. */
static void find_passed(const struct filling *filling, uint32_t y, const int16_t **passed)
{
    const struct shw_channel_reading *reading = &filling->passes[filling->number].reading;
    const int32_t reach = (int32_t)reading->reach;

    for (uint32_t p = 0; reading->planes >> p != 0; p++)
        for (int32_t dy = -reach; dy <= reach && (reading->planes >> p & 1) != 0; dy++)
            passed[(int32_t)(p * SHW_PASSED_ROWS) + SHW_PASSED_CENTRE + dy] =
                ring_row(filling, p, clamp_row(filling, (int32_t)y + dy));
}

static void fill_row(const struct filling *filling, struct shw_channel_row *row, uint32_t y)
{
    const struct pass *pass = &filling->passes[filling->number];
    const struct shw_channels_job *job = filling->job;
    const size_t plane = (size_t)filling->width * filling->height;
    int16_t *channels[SHW_CHANNEL_COUNT_MAX];

    row->place[1] = job->region.y + y;
    if (pass->ring != NULL) {
        channels[0] = ring_row(filling, filling->number, y);
        pass->fill_row(row, filling->entry->parameter, channels);
        shw_base_clamp(channels[0], filling->width, MARGIN);
        return;
    }
    for (uint32_t c = 0; c < filling->entry->kind->code->channel_count; c++)
        channels[c] = job->planes + (filling->entry->first - job->first + c) * plane + (size_t)y * filling->width;
    pass->fill_row(row, filling->entry->parameter, channels);
}

static void fill_block(void *user, uint32_t block, uint32_t thread)
{
    const struct filling *filling = user;
    const struct pass *pass = &filling->passes[filling->number];
    const uint32_t first = pass->finished + block * BLOCK_ROWS, end = shw_min_u32(first + BLOCK_ROWS, filling->end);
    const int16_t *lines[SHW_BASE_COUNT * (2 * SHW_CHANNEL_CODE_RADIUS_MAX + 1) * SHW_INPUT_ROLES];
    const int16_t *passed[SHW_CHANNEL_PASSES_MAX * SHW_PASSED_ROWS];
    struct shw_channel_row row = {.lines = lines,
                                  .passed = passed,
                                  .table = filling->table,
                                  .width = filling->width,
                                  .place = {filling->job->region.x, 0},
                                  .extent = {filling->job->region.full_width, filling->job->region.full_height}};

    if (pass->reading.inputs)
        read_block(filling, first, end - first, thread);
    for (uint32_t y = first; y < end; y++) {
        if (pass->reading.inputs)
            find_lines(filling, y - first, thread, lines);
        find_passed(filling, y, passed);
        fill_row(filling, &row, y);
    }
}

/* How far ahead of the channels passes must be, which read each other. Returns the most. */
static uint32_t set_ahead(struct pass *passes, uint32_t count)
{
    uint32_t most = 0;

    for (uint32_t reader = count; reader > 0; reader--)
        for (uint32_t p = 0; p < reader; p++) {
            const uint32_t needed = passes[reader].ahead + passes[reader].reading.reach;

            if ((passes[reader].reading.planes >> p & 1) != 0)
                passes[p].ahead = shw_max_u32(passes[p].ahead, needed);
            most = shw_max_u32(most, passes[p].ahead);
        }
    return most;
}

static bool allocate(struct filling *filling, uint32_t count, uint32_t stripe, uint32_t threads)
{
    const uint32_t most = set_ahead(filling->passes, count);
    bool fine;

    filling->ring_rows = shw_min_u32(stripe + 2 * most, filling->height);
    filling->lines = malloc(threads * line_count(filling) * line_size(filling) * sizeof *filling->lines);
    fine = filling->lines != NULL;
    for (uint32_t p = 0; p < count; p++) {
        filling->passes[p].ring = malloc(filling->ring_rows * (filling->width + 2 * (size_t)MARGIN) * sizeof(int16_t));
        fine = fine && filling->passes[p].ring != NULL;
    }
    return fine;
}

/* Runs all passes, so that the channels have rows up to `end`. */
static void run_stripe(struct filling *filling, uint32_t count, uint32_t end, struct shw_thread_pool *pool)
{
    for (filling->number = 0; filling->number <= count; filling->number++) {
        struct pass *pass = &filling->passes[filling->number];

        filling->end = shw_min_u32(end + pass->ahead, filling->height);
        if (filling->end > pass->finished)
            shw_thread_pool_run(pool, (filling->end - pass->finished + BLOCK_ROWS - 1) / BLOCK_ROWS, fill_block,
                                filling);
        pass->finished = shw_max_u32(filling->end, pass->finished);
    }
}

static enum shw_result fill_entry(const struct shw_channels_job *job, const struct shw_channel_entry *entry,
                                  struct shw_thread_pool *pool)
{
    const struct shw_channel_code *code = entry->kind->code;
    const uint32_t threads = shw_thread_pool_size(pool), passes = code->pass_count;
    struct filling filling = {.job = job,
                              .entry = entry,
                              .width = job->images.of[0]->width,
                              .height = job->images.of[0]->height,
                              .radius = code->radius,
                              .roles = shw_channel_reads_other(code) ? SHW_INPUT_ROLES : 1};
    const uint32_t stripe = passes > 0 ? shw_max_u32(STRIPE_ROWS, BLOCK_ROWS * threads) : filling.height;
    enum shw_result result = SHW_ERROR_MEMORY;
    uint32_t count;

    for (uint32_t p = 0; p <= passes; p++)
        filling.passes[p] = (struct pass){.reading = shw_channel_reading_of(code, p),
                                          .fill_row = p < passes ? code->passes[p].fill_row : code->fill_row};
    for (uint32_t role = 0; role < filling.roles; role++)
        filling.scales[role] = shw_depth_scale(&job->images.depth[input_of(entry, role)]);
    if (code->has_table)
        filling.table = entry->kind->get_table(&count);
    if (allocate(&filling, passes, stripe, threads)) {
        for (uint32_t y = 0; y < filling.height; y = shw_min_u32(y + stripe, filling.height))
            run_stripe(&filling, passes, shw_min_u32(y + stripe, filling.height), pool);
        result = SHW_OK;
    }
    free(filling.lines);
    for (uint32_t p = 0; p < passes; p++)
        free(filling.passes[p].ring);
    return result;
}

enum shw_result shw_channel_code_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    for (uint32_t i = 0; i < job->list->entry_count; i++) {
        const struct shw_channel_entry *entry = &job->list->entries[i];
        if (shw_channel_maker_of(entry->kind) == &shw_channel_code_maker && entry->first >= job->first &&
            entry->first < job->first + job->count)
            SHW_PROPAGATE(fill_entry(job, entry, pool));
    }
    return SHW_OK;
}
