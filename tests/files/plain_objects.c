#include "plain_objects.h"

#include <string.h>

static uint16_t label_at(const struct picture *picture, int64_t x, int64_t y)
{
    return picture->labels[(size_t)y * picture->width + (size_t)x];
}

bool is_inside(const struct picture *picture, int64_t x, int64_t y)
{
    return x >= 0 && y >= 0 && x < picture->width && y < picture->height;
}

void smooth_plainly(struct picture *picture, int32_t radius)
{
    static struct picture before;
    static uint32_t counts[CLASSES];

    before = *picture;
    for (int32_t y = 0; y < (int32_t)picture->height; y++)
        for (int32_t x = 0; x < (int32_t)picture->width; x++) {
            uint16_t own = label_at(&before, x, y), best = 0;

            memset(counts, 0, sizeof counts);
            for (int32_t v = y - radius; v <= y + radius; v++)
                for (int32_t u = x - radius; u <= x + radius; u++)
                    counts[is_inside(&before, u, v) ? label_at(&before, u, v) : 0] += is_inside(&before, u, v);
            for (uint16_t c = 1; c < picture->class_count; c++)
                best = counts[c] > counts[best] ? c : best;
            picture->labels[(size_t)y * picture->width + (size_t)x] = counts[own] == counts[best] ? own : best;
        }
}

/* Marks what can be reached from a pixel over pixels for which same[] is equal. */
static uint32_t flood(const uint32_t *same, int32_t width, int32_t height, uint32_t start, bool four, uint32_t mark,
                      uint32_t *marks)
{
    static uint32_t stack[4 * PIXELS_MAX];
    uint32_t depth = 0, count = 0;

    stack[depth++] = start;
    marks[start] = mark;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        int32_t x = (int32_t)at % width, y = (int32_t)at / width;

        count++;
        for (int32_t v = -1; v <= 1; v++)
            for (int32_t u = -1; u <= 1; u++) {
                int32_t next = (y + v) * width + x + u;

                if (x + u < 0 || x + u >= width || y + v < 0 || y + v >= height || (four && u != 0 && v != 0) ||
                    marks[next] != 0 || same[next] != same[at])
                    continue;
                marks[next] = mark;
                stack[depth++] = (uint32_t)next;
            }
    }
    return count;
}

uint32_t number_plainly(const struct picture *picture, bool four, uint32_t *numbers)
{
    static uint32_t same[PIXELS_MAX];
    uint32_t count = 0, pixels = picture->width * picture->height;

    memset(numbers, 0, pixels * sizeof *numbers);
    for (uint32_t i = 0; i < pixels; i++)
        same[i] = picture->labels[i];
    for (uint32_t i = 0; i < pixels; i++)
        if (picture->labels[i] != SHW_LABEL_VOID && numbers[i] == 0)
            flood(same, (int32_t)picture->width, (int32_t)picture->height, i, four, ++count, numbers);
    return count;
}

void fill_plainly(struct picture *picture, bool four, uint32_t hole_max)
{
    static uint32_t numbers[PIXELS_MAX], padded[4 * PIXELS_MAX], marks[4 * PIXELS_MAX], best[PIXELS_MAX];
    static uint16_t filled[PIXELS_MAX];
    uint32_t width = picture->width, height = picture->height, wide = width + 2;
    uint32_t count = number_plainly(picture, four, numbers);

    memset(best, 0, sizeof best);
    memcpy(filled, picture->labels, sizeof filled);
    for (uint32_t n = 1; n <= count; n++) {
        uint16_t label = 0;

        memset(padded, 0, sizeof padded);
        memset(marks, 0, sizeof marks);
        for (uint32_t i = 0; i < width * height; i++)
            if (numbers[i] == n) {
                padded[(i / width + 1) * wide + i % width + 1] = 1;
                label = picture->labels[i];
            }
        flood(padded, (int32_t)wide, (int32_t)height + 2, 0, !four, 1, marks);
        for (uint32_t i = 0; i < wide * (height + 2); i++) {
            uint32_t area;

            if (padded[i] != 0 || marks[i] != 0)
                continue;
            area = flood(padded, (int32_t)wide, (int32_t)height + 2, i, !four, 2 + i, marks);
            for (uint32_t j = 0; j < width * height && area <= hole_max; j++)
                if (marks[(j / width + 1) * wide + j % width + 1] == 2 + i && area > best[j]) {
                    best[j] = area;
                    filled[j] = label;
                }
        }
    }
    memcpy(picture->labels, filled, sizeof filled);
}
