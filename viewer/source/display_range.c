#include "source/display_range.h"

#include <stdlib.h>

#define VALUES 65536u

/* How many samples have each value; NULL when memory is exhausted. */
static uint64_t *count_values(const struct shw_image *image, unsigned samples, unsigned step)
{
    uint64_t *counts = calloc(VALUES, sizeof *counts);
    size_t stride = image->stride != 0 ? image->stride : (size_t)image->width * step * sizeof(uint16_t);

    if (counts == NULL)
        return NULL;
    for (uint32_t y = 0; y < image->height; y++) {
        const uint16_t *row = (const void *)((const uint8_t *)image->pixels + y * stride);

        for (uint32_t x = 0; x < image->width; x++)
            for (unsigned i = 0; i < samples; i++)
                counts[row[(size_t)x * step + i]]++;
    }
    return counts;
}

enum shw_result view_display_range_find(const struct shw_image *image, double cut, struct view_display_range *range)
{
    unsigned step = (unsigned)(shw_pixel_size(image->format) / sizeof(uint16_t)), samples = step == 4 ? 3 : step;
    uint64_t *counts, most, below = 0, above = 0;
    uint32_t low = 0, high = VALUES - 1;

    *range = VIEW_DISPLAY_RANGE_WHOLE;
    if (image->format != SHW_PIXEL_GREY16 && image->format != SHW_PIXEL_RGB16 && image->format != SHW_PIXEL_RGBA16)
        return SHW_OK;
    counts = count_values(image, samples, step);
    if (counts == NULL)
        return SHW_ERROR_MEMORY;
    most = (uint64_t)(cut * (double)((uint64_t)image->width * image->height * samples));
    while (low < VALUES - 1 && below + counts[low] <= most)
        below += counts[low++];
    while (high > low && above + counts[high] <= most)
        above += counts[high--];
    free(counts);
    if (low == high && high < VALUES - 1)
        high++;
    else if (low == high)
        low--;
    *range = (struct view_display_range){(uint16_t)low, (uint16_t)high};
    return SHW_OK;
}
