#include "files/image/tiff_range.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"

/* Of a larger page, every n-th pixel of every n-th row counts. */
#define PIXELS_MAX (1u << 18)

struct search {
    const struct shw_tiff_layout *layout;
    uint32_t step;
    double *values; /* finite ones of the pixels that count */
    size_t count;
};

static uint64_t pixels_at(const struct shw_tiff_layout *layout, uint32_t step)
{
    return (uint64_t)((layout->width + step - 1) / step) * ((layout->height + step - 1) / step);
}

static void take_value(struct search *search, double value)
{
    if (!isfinite(value))
        return;
    search->values[search->count++] = value;
}

static void take_block(void *user, const struct shw_tiff_block *block)
{
    struct search *search = user;
    const struct shw_tiff_layout *layout = search->layout;
    bool separate = layout->planar == PLANARCONFIG_SEPARATE;
    uint32_t first = separate ? block->channel : 0, last = separate ? block->channel : layout->channel_count - 1;

    for (uint32_t y = 0; y < block->height; y++) {
        const uint8_t *row = block->bytes + y * block->stride;
        if ((block->top + y) % search->step != 0)
            continue;
        for (uint32_t x = 0; x < block->width; x++)
            for (uint32_t c = first; (block->left + x) % search->step == 0 && c <= last; c++)
                if (layout->channels[c] != SHW_TIFF_BLACK)
                    take_value(search,
                               shw_tiff_number_at(layout, row,
                                                  separate ? x : (size_t)x * layout->samples + layout->channels[c]));
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of values in ascending order. */
static struct shw_intensity_range choose(const double *values, size_t count)
{
    size_t cut = count / 1000;
    struct shw_intensity_range range;

    if (count == 0)
        return (struct shw_intensity_range){0.0, 1.0};
    range = (struct shw_intensity_range){values[cut], values[count - 1 - cut]};
    if (range.low == range.high)
        range = (struct shw_intensity_range){values[0], values[count - 1]};
    if (range.low == range.high)
        range.high = range.low + fmax(1.0, fabs(range.low));
    return range;
}

enum shw_result shw_tiff_find_range(TIFF *tiff, struct shw_tiff_memory *memory, const struct shw_source *source,
                                    const struct shw_tiff_layout *layout, struct shw_intensity_range *range)
{
    struct search search = {.layout = layout, .step = 1};
    enum shw_result result;

    while (pixels_at(layout, search.step) > PIXELS_MAX)
        search.step++;
    search.values = malloc((size_t)pixels_at(layout, search.step) * layout->channel_count * sizeof *search.values);
    if (search.values == NULL)
        return shw_fail_memory(source->log, source->name);
    result = shw_tiff_read_blocks(tiff, memory, source, layout, take_block, &search);
    qsort(search.values, search.count, sizeof *search.values, compare);
    *range = choose(search.values, search.count);
    free(search.values);
    return result;
}
