/* Kinds that are compiled from a header, on the CPU: row by row. */
#include <stdlib.h>

#include "dense/channels/base_planes.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/code_step.h"
#include "dense/channels/depth_codes.h"

struct filling {
    const struct shw_channels_job *job;
    const struct shw_channel_entry *entry;
    const uint32_t *table;
    uint32_t radius, roles;
    shw_uint4 scale; /* of the plane */
    int16_t *lines;  /* per thread: the lines of a struct shw_channel_row, with borders */
};

static size_t line_size(const struct filling *filling)
{
    return filling->job->images.of[0]->width + 2 * (size_t)filling->radius;
}

static size_t line_count(const struct filling *filling)
{
    return SHW_BASE_COUNT * (2 * (size_t)filling->radius + 1) * filling->roles;
}

/* Rows above the first and below the last repeat those. */
static void fill_row(void *user, uint32_t y, uint32_t thread)
{
    const struct filling *filling = user;
    const struct shw_channels_job *job = filling->job;
    const struct shw_channel_code *code = filling->entry->kind->code;
    const struct shw_image *image = job->images.of[0];
    size_t plane = (size_t)image->width * image->height;
    uint32_t rows = 2 * filling->radius + 1;
    int16_t *line = filling->lines + thread * line_count(filling) * line_size(filling);
    int16_t *channels[SHW_CHANNEL_COUNT_MAX];
    int16_t *lines[SHW_BASE_COUNT * (2 * SHW_CHANNEL_CODE_RADIUS_MAX + 1) * SHW_INPUT_ROLES];
    struct shw_channel_row row = {.lines = (const int16_t *const *)lines,
                                  .table = filling->table,
                                  .width = image->width,
                                  .place = {job->region.x, job->region.y + y},
                                  .extent = {job->region.full_width, job->region.full_height}};

    for (size_t i = 0; i < line_count(filling); i++, line += line_size(filling))
        lines[i] = line + filling->radius;
    for (uint32_t i = 0; i < rows * filling->roles; i++) {
        int16_t *const *base = lines + (size_t)SHW_BASE_COUNT * i;
        uint32_t from = (uint32_t)shw_clamp((int32_t)(y + i % rows - filling->radius), 0, (int32_t)image->height - 1);
        bool is_plane = i >= rows && code->reads_plane;
        if (is_plane)
            shw_plane_row(job->images.of[filling->entry->input], filling->scale, from, base[0]);
        else
            shw_base_row(job->images.of[i < rows ? 0 : filling->entry->input], from, base);
        for (uint32_t b = 0; b < (is_plane ? 1 : SHW_BASE_COUNT); b++)
            shw_base_clamp(base[b], image->width, filling->radius);
    }
    for (uint32_t c = 0; c < code->channel_count; c++)
        channels[c] = job->planes + (filling->entry->first - job->first + c) * plane + (size_t)y * image->width;
    code->fill_row(&row, filling->entry->parameter, channels);
}

static enum shw_result fill_entry(const struct shw_channels_job *job, const struct shw_channel_entry *entry,
                                  struct shw_thread_pool *pool)
{
    struct filling filling = {.job = job, .entry = entry, .radius = entry->kind->code->radius};
    uint32_t count;

    filling.roles = entry->kind->code->reads_previous || entry->kind->code->reads_plane ? SHW_INPUT_ROLES : 1;
    if (entry->kind->code->reads_plane)
        filling.scale = shw_depth_scale(&job->images.depth[entry->input]);
    if (entry->kind->code->has_table)
        filling.table = entry->kind->get_table(&count);
    filling.lines =
        malloc(shw_thread_pool_size(pool) * line_count(&filling) * line_size(&filling) * sizeof *filling.lines);
    if (filling.lines == NULL)
        return SHW_ERROR_MEMORY;
    shw_thread_pool_run(pool, job->images.of[0]->height, fill_row, &filling);
    free(filling.lines);
    return SHW_OK;
}

static enum shw_result code_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    for (uint32_t i = 0; i < job->list->entry_count; i++) {
        const struct shw_channel_entry *entry = &job->list->entries[i];
        if (shw_channel_maker_of(entry->kind) == &shw_channel_code_maker && entry->first >= job->first &&
            entry->first < job->first + job->count)
            SHW_PROPAGATE(fill_entry(job, entry, pool));
    }
    return SHW_OK;
}

const struct shw_channel_maker shw_channel_code_maker = {
    .is_together = true, .cpu = code_cpu, .fragment = &shw_channel_code_device, .compute = &shw_channel_code_device};
