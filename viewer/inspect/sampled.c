#include "inspect/sampled.h"

#include <stdlib.h>
#include <string.h>

void view_sampled_free(struct view_sampled *sampled)
{
    free(sampled->channel);
    free(sampled->integral);
    free(sampled->sums);
    *sampled = (struct view_sampled){0};
}

bool view_sampled_begin(const struct shw_part *part, uint32_t width, bool integral, struct view_sampled *sampled)
{
    size_t pixels = (size_t)part->width * part->height;

    view_sampled_free(sampled);
    sampled->part = *part;
    sampled->channel = malloc(pixels * sizeof *sampled->channel);
    if (integral) {
        sampled->integral = malloc(pixels * sizeof *sampled->integral);
        sampled->sums = calloc(width, sizeof *sampled->sums);
    }
    if (sampled->channel != NULL && (!integral || (sampled->integral != NULL && sampled->sums != NULL)))
        return true;
    view_sampled_free(sampled);
    return false;
}

bool view_sampled_is_complete(const struct view_sampled *sampled)
{
    return sampled->part.width > 0 && sampled->rows == sampled->part.height;
}

/* Adds a row of the channel to the sums. */
static void add_row(uint32_t *sums, const int16_t *values, uint32_t width)
{
    uint32_t row = 0;

    for (uint32_t x = 0; x < width; x++) {
        int32_t value = values[x];
        row += (uint32_t)value;
        sums[x] += row;
    }
}

/* Takes rows y0..y1-1 of the picture from x0 on, of which values has `width` columns. */
static void take_rows(struct view_sampled *sampled, uint32_t y0, uint32_t y1, uint32_t width, const int16_t *values)
{
    const struct shw_part *part = &sampled->part;

    for (uint32_t y = y0; y < y1; y++, values += width) {
        size_t to = (size_t)sampled->rows * part->width;
        if (sampled->sums != NULL)
            add_row(sampled->sums, values, width);
        if ((y - part->y) % part->step != 0)
            continue;
        for (uint32_t i = 0; i < part->width; i++) {
            sampled->channel[to + i] = values[(size_t)i * part->step];
            if (sampled->integral != NULL)
                sampled->integral[to + i] = sampled->sums[(size_t)i * part->step];
        }
        sampled->rows++;
    }
}

enum shw_result view_sampled_continue(struct view_sampled *sampled, struct shw_channel_reader *reader, uint32_t channel,
                                      uint32_t width, uint32_t pixels)
{
    const struct shw_part *part = &sampled->part;
    uint32_t across = sampled->sums != NULL ? width : (part->width - 1) * part->step + 1;
    uint32_t left = part->height - sampled->rows, rows = pixels / across / part->step;
    struct shw_image_rectangle band = {.x0 = part->x, .x1 = part->x + across};
    int16_t *values;
    enum shw_result result;

    rows = rows == 0 ? 1 : rows < left ? rows : left;
    /* from the row after the last one that was taken to the last one that is taken now */
    band.y0 = sampled->rows == 0 ? part->y : part->y + (sampled->rows - 1) * part->step + 1;
    band.y1 = part->y + (sampled->rows + rows - 1) * part->step + 1;
    values = malloc((size_t)across * (band.y1 - band.y0) * sizeof *values);
    if (values == NULL)
        return SHW_ERROR_MEMORY;
    result = shw_channel_reader_get_part(reader, channel, &band, values);
    if (result == SHW_OK)
        take_rows(sampled, band.y0, band.y1, across, values);
    free(values);
    return result;
}
