#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/fill.h"

static enum shw_result make(const struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    const struct shw_channel_maker *makers[SHW_CHANNELS_MAX];
    uint32_t count = shw_channel_makers(job->list, job->first, job->count, makers);

    for (uint32_t m = 0; m < count; m++)
        SHW_PROPAGATE(makers[m]->cpu(job, pool));
    return SHW_OK;
}

enum shw_result shw_channels_cpu(const struct shw_channel_list *list, const struct shw_channel_images *images,
                                 const struct shw_region *region, int16_t *planes, struct shw_thread_pool *pool)
{
    const struct shw_image *image = images->of[0];
    const struct shw_region whole = {image->width, image->height, 0, 0, image->width, image->height};
    struct shw_channels_job job = {.list = list,
                                   .images = *images,
                                   .region = region != NULL ? *region : whole,
                                   .count = list->channel_count,
                                   .planes = planes};

    if (shw_pixel_size(image->format) == 0 || image->width == 0 || image->height == 0)
        return SHW_ERROR_ARGUMENT;
    for (uint32_t i = 0; i < list->input_count; i++)
        job.images.of[i] = images->of[i] != NULL ? images->of[i] : image;
    return make(&job, pool);
}

/* The part and all pixels that influence it. */
static struct shw_rect grow(struct shw_rect part, int32_t radius, const struct shw_image *image)
{
    return (struct shw_rect){shw_max(part.x0 - radius, 0), shw_max(part.y0 - radius, 0),
                             shw_min(part.x1 + radius, (int32_t)image->width),
                             shw_min(part.y1 + radius, (int32_t)image->height)};
}

static struct shw_image cut(const struct shw_image *image, struct shw_rect part)
{
    return shw_image_part(image, (uint32_t)part.x0, (uint32_t)part.y0, (uint32_t)(part.x1 - part.x0),
                          (uint32_t)(part.y1 - part.y0));
}

void shw_channels_together(const struct shw_channel_list *list, uint32_t channel, uint32_t *first, uint32_t *count)
{
    const struct shw_channel_entry *entry = shw_channel_entry_of(list, channel);
    bool is_together = shw_channel_maker_of(entry->kind)->is_together;

    *first = is_together ? entry->first : channel;
    *count = is_together ? entry->kind->channel_count : 1;
}

/* Extends the job to whole entries if their maker needs that; the first *skipped channels are extra. */
static void widen(const struct shw_channel_part *part, struct shw_channels_job *job, uint32_t *skipped)
{
    uint32_t first, count, last;

    shw_channels_together(part->list, part->first, &job->first, &count);
    shw_channels_together(part->list, part->first + part->count - 1, &first, &last);
    job->count = first + last - job->first;
    *skipped = part->first - job->first;
}

static uint32_t radius_of(const struct shw_channel_part *part)
{
    uint32_t radius = 0;

    for (uint32_t c = part->first; c < part->first + part->count; c++) {
        uint32_t own = shw_channel_entry_radius(shw_channel_entry_of(part->list, c));
        radius = own > radius ? own : radius;
    }
    return radius;
}

/* Replaces the piece of the depth by filled depth, in *filled, to be freed with free(). */
static enum shw_result fill_depth(const struct shw_channel_part *part, struct shw_rect rect,
                                  struct shw_channels_job *job, struct shw_image *pieces, uint16_t **filled)
{
    uint32_t depth = shw_fill_input(part->list), width = (uint32_t)(rect.x1 - rect.x0);
    uint32_t height = (uint32_t)(rect.y1 - rect.y0);

    if (!shw_fill_affects(part->fill, part->list))
        return SHW_OK;
    *filled = malloc((size_t)width * height * sizeof **filled);
    if (*filled == NULL ||
        shw_filling_of(part->fill)
                ->make(&(struct shw_input){.image = *part->images.of[depth], .depth = part->images.depth[depth]}, rect,
                       *filled, width) != SHW_OK) {
        free(*filled);
        return SHW_ERROR_MEMORY;
    }
    pieces[depth] = (struct shw_image){.pixels = *filled, .width = width, .height = height, .format = SHW_PIXEL_GREY16};
    job->images.depth[depth] = (struct shw_depth){SHW_DEPTH_MILLIMETRES, 0, 0, 0};
    return SHW_OK;
}

enum shw_result shw_channel_part_cpu(const struct shw_channel_part *part, int16_t *values, struct shw_thread_pool *pool)
{
    const struct shw_image *image = part->images.of[0];
    const struct shw_rect rect = part->rect, grown = grow(rect, (int32_t)radius_of(part), image);
    const struct shw_image piece = cut(image, grown);
    struct shw_image pieces[SHW_INPUTS_MAX];
    size_t columns = (size_t)(rect.x1 - rect.x0), pixels = (size_t)piece.width * piece.height;
    struct shw_channels_job job = {
        .list = part->list,
        .images = part->images,
        .region = {piece.width, piece.height, (uint32_t)grown.x0, (uint32_t)grown.y0, image->width, image->height}};
    uint16_t *filled = NULL;
    enum shw_result result;
    uint32_t skipped;

    for (uint32_t i = 0; i < part->list->input_count; i++) {
        pieces[i] = part->images.of[i] != NULL ? cut(part->images.of[i], grown) : piece;
        job.images.of[i] = &pieces[i];
    }
    SHW_PROPAGATE(fill_depth(part, grown, &job, pieces, &filled));
    widen(part, &job, &skipped);
    job.planes = malloc(job.count * pixels * sizeof *job.planes);
    result = job.planes != NULL ? make(&job, pool) : SHW_ERROR_MEMORY;
    for (uint32_t c = skipped; c < skipped + part->count && result == SHW_OK; c++)
        for (int32_t y = rect.y0; y < rect.y1; y++, values += columns)
            memcpy(values,
                   job.planes + c * pixels + (size_t)(y - grown.y0) * piece.width + (size_t)(rect.x0 - grown.x0),
                   columns * sizeof *values);
    free(job.planes);
    free(filled);
    return result;
}
