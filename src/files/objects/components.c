#include "files/objects/components.h"

#include <stddef.h>

#include <shadewood/dataset.h>

#define NONE UINT32_MAX

/* Until they are numbered, pixels point to an earlier pixel of their component, its first pixel to itself: runs of a
 * row point to their first pixels, and those are united with runs of the row above. */

/* The first pixel of a component; shortens the way to it. */
static uint32_t find(uint32_t *parents, uint32_t pixel)
{
    while (parents[pixel] != pixel) {
        parents[pixel] = parents[parents[pixel]];
        pixel = parents[pixel];
    }
    return pixel;
}

static void unite(uint32_t *parents, uint32_t a, uint32_t b)
{
    a = find(parents, a);
    b = find(parents, b);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}

/* Unites the run from `start` to before `end` with the runs of the row above that touch it. */
static void join_above(const uint16_t *labels, uint32_t width, uint32_t row, uint32_t start, uint32_t end, bool four,
                       uint32_t *parents)
{
    const uint16_t *above = labels + row - width;
    uint32_t from = !four && start > 0 ? start - 1 : start, to = !four && end < width ? end + 1 : end;
    uint16_t label = labels[row + start];

    for (uint32_t x = from; x < to; x++)
        if (above[x] == label && (x == from || above[x - 1] != label))
            unite(parents, row - width + x, row + start);
}

static void find_runs(const uint16_t *labels, uint32_t width, uint32_t row, bool four, uint32_t *parents)
{
    for (uint32_t start = 0, end; start < width; start = end) {
        uint16_t label = labels[row + start];
        uint32_t parent = label != SHW_LABEL_VOID ? row + start : NONE;

        for (end = start; end < width && labels[row + end] == label; end++)
            parents[row + end] = parent;
        if (label != SHW_LABEL_VOID && row > 0)
            join_above(labels, width, row, start, end, four, parents);
    }
}

uint32_t shw_find_components(const uint16_t *labels, uint32_t width, uint32_t height, bool four, uint32_t *numbers)
{
    uint32_t pixels = width * height, count = 0;

    for (uint32_t row = 0; row < pixels; row += width)
        find_runs(labels, width, row, four, numbers);
    for (uint32_t i = 0; i < pixels; i++)
        if (numbers[i] == NONE)
            numbers[i] = 0;
        else
            numbers[i] = numbers[i] == i ? ++count : numbers[numbers[i]]; /* that one is numbered already */
    return count;
}
