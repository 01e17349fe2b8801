#include "dense/channels/fill_simple.h"

#include <stdlib.h>
#include <string.h>

#include "dense/channels/base_planes.h"
#include "dense/channels/depth_codes.h"

struct sweep {
    const struct shw_image *image;
    shw_uint4 scale;
    uint16_t *row;   /* the row read last, filled */
    uint16_t *found; /* the row that rows without depth become */
};

/* Fills a row, and returns whether it has depth. */
static bool fill_row(uint16_t *row, uint32_t width)
{
    for (uint32_t x = width - 1; x-- > 0;)
        row[x] = row[x] != 0 ? row[x] : row[x + 1];
    for (uint32_t x = 1; x < width; x++)
        row[x] = row[x] != 0 ? row[x] : row[x - 1];
    return row[0] != 0;
}

/* Reads a row; if it has depth, it is the one that is found. */
static bool find(struct sweep *sweep, uint32_t y)
{
    uint16_t *row = sweep->row;

    shw_plane_row(sweep->image, sweep->scale, y, (int16_t *)row);
    if (!fill_row(row, sweep->image->width))
        return false;
    sweep->row = sweep->found;
    sweep->found = row;
    return true;
}

/* For a first row without depth: looks above, then below. */
static bool find_near(struct sweep *sweep, uint32_t y)
{
    for (uint32_t above = y; above-- > 0;)
        if (find(sweep, above))
            return true;
    for (uint32_t below = y + 1; below < sweep->image->height; below++)
        if (find(sweep, below))
            return true;
    return false;
}

enum shw_result shw_fill_simple(const struct shw_input *depth, struct shw_rect rect, uint16_t *filled, size_t stride)
{
    uint32_t width = depth->image.width;
    uint16_t *lines = calloc(2, width * sizeof *lines);
    struct sweep sweep = {&depth->image, shw_depth_scale(&depth->depth), lines, lines + width};
    bool any = true; /* row `found`, unless no row has depth */

    if (lines == NULL)
        return SHW_ERROR_MEMORY;
    for (int32_t y = rect.y0; y < rect.y1; y++, filled += stride) {
        if (any && !find(&sweep, (uint32_t)y) && y == rect.y0)
            any = find_near(&sweep, (uint32_t)y);
        memcpy(filled, sweep.found + rect.x0, (size_t)(rect.x1 - rect.x0) * sizeof *filled);
    }
    free(lines);
    return SHW_OK;
}
