#include "depth/fill_simple.h"

#include <stddef.h>
#include <string.h>

/* Fills a row, and returns whether it has depth. */
static int fill_row(uint16_t *row, uint32_t width)
{
    for (uint32_t x = width - 1; x-- > 0;)
        row[x] = row[x] != 0 ? row[x] : row[x + 1];
    for (uint32_t x = 1; x < width; x++)
        row[x] = row[x] != 0 ? row[x] : row[x - 1];
    return row[0] != 0;
}

void shw_fill_simple(uint16_t *depth, uint32_t width, uint32_t height)
{
    size_t row_size = width * sizeof *depth;
    uint32_t first = height; /* the first row with depth */

    for (uint32_t y = 0; y < height; y++) {
        uint16_t *row = depth + (size_t)y * width;

        if (fill_row(row, width) && first == height)
            first = y;
        else if (row[0] == 0 && first < height)
            memcpy(row, row - width, row_size);
    }
    for (uint32_t y = 0; y < first && first < height; y++)
        memcpy(depth + (size_t)y * width, depth + (size_t)first * width, row_size);
}
