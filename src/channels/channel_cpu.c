/* One channel of a part of an image, by itself. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "channels/channels_cpu.h"
#include "shared/base_planes.h"

/* A filter bank that makes one channel of another, as its last plane. */
struct picked {
    struct shw_filter_bank bank;
    struct shw_row_filter rows[2];
    struct shw_column_filter column;
    uint32_t radius;
};

static void pick(const struct shw_filter_bank *from, uint32_t channel, struct picked *picked)
{
    bool absolute = channel >= from->column_count;

    picked->column = from->columns[absolute ? channel - from->column_count + from->absolute_first : channel];
    for (uint32_t term = 0; term < picked->column.term_count; term++) {
        picked->rows[term] = from->rows[picked->column.terms[term].row];
        picked->column.terms[term].row = (uint8_t)term;
    }
    picked->radius = shw_filter_kernels[picked->column.terms[0].kernel].radius;
    picked->bank = (struct shw_filter_bank){.row_count = picked->column.term_count,
                                            .rows = picked->rows,
                                            .column_count = 1,
                                            .columns = &picked->column,
                                            .absolute_count = absolute};
}

static void write_position(const struct shw_image *image, struct shw_rect part, bool vertical, int16_t *values)
{
    for (int32_t y = part.y0; y < part.y1; y++)
        for (int32_t x = part.x0; x < part.x1; x++)
            *values++ = (int16_t)(vertical ? shw_position((uint32_t)y, image->height)
                                           : shw_position((uint32_t)x, image->width));
}

/* The part and what its values depend on. */
static struct shw_rect grow(struct shw_rect part, int32_t radius, const struct shw_image *image)
{
    return (struct shw_rect){shw_max(part.x0 - radius, 0), shw_max(part.y0 - radius, 0),
                             shw_min(part.x1 + radius, (int32_t)image->width),
                             shw_min(part.y1 + radius, (int32_t)image->height)};
}

static struct shw_image cut(const struct shw_image *image, struct shw_rect part)
{
    size_t pixel = shw_pixel_size(image->format), stride = image->stride > 0 ? image->stride : pixel * image->width;

    return (struct shw_image){.pixels =
                                  (const char *)image->pixels + (size_t)part.y0 * stride + (size_t)part.x0 * pixel,
                              .width = (uint32_t)(part.x1 - part.x0),
                              .height = (uint32_t)(part.y1 - part.y0),
                              .stride = stride,
                              .format = image->format};
}

/* The planes of the grown part, of which the last, or of sets that filter nothing the channel's, is wanted. */
static enum shw_result make_planes(const struct shw_channel_part *part, const struct picked *picked,
                                   struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    switch (part->set) {
    case SHW_CHANNELS_RGB: return shw_channels_cpu(SHW_CHANNELS_RGB, job->image, NULL, job->planes, pool);
    case SHW_CHANNELS_LAB: return shw_lab_cpu(job, pool);
    default: job->bank = &picked->bank; return shw_filter_bank_cpu(job, pool);
    }
}

enum shw_result shw_channel_cpu(const struct shw_channel_part *part, int16_t *values, struct shw_thread_pool *pool)
{
    const struct shw_filter_bank *bank = shw_filter_bank_get(part->set);
    const struct shw_rect rect = part->rect;
    uint32_t plane = part->channel, planes = shw_channel_set_get(part->set)->channel_count;
    size_t columns = (size_t)(rect.x1 - rect.x0), pixels;
    struct picked picked = {0};
    struct shw_rect grown;
    struct shw_image piece;
    struct shw_channels_job job = {.image = &piece, .lab_table = part->lab_table};
    enum shw_result result;

    if (bank != NULL && plane >= bank->column_count + bank->absolute_count) {
        write_position(part->image, rect, plane > bank->column_count + bank->absolute_count, values);
        return SHW_OK;
    }
    if (bank != NULL) {
        pick(bank, plane, &picked);
        planes = 1 + picked.bank.absolute_count;
        plane = planes - 1;
    }
    grown = grow(rect, (int32_t)picked.radius, part->image);
    piece = cut(part->image, grown);
    pixels = (size_t)piece.width * piece.height;
    job.planes = malloc(planes * pixels * sizeof *job.planes);
    if (job.planes == NULL)
        return SHW_ERROR_MEMORY;
    result = make_planes(part, &picked, &job, pool);
    for (uint32_t c = 0; c < part->count && result == SHW_OK; c++, plane++)
        for (int32_t y = rect.y0; y < rect.y1; y++, values += columns)
            memcpy(values,
                   job.planes + plane * pixels + (size_t)(y - grown.y0) * piece.width + (size_t)(rect.x0 - grown.x0),
                   columns * sizeof *values);
    free(job.planes);
    return result;
}
