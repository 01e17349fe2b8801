#include "detection/detect/order.h"

#include <stdlib.h>

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* The first that differs of pairs of numbers. */
static int compare_all(const int64_t (*pairs)[2], size_t count)
{
    int order = 0;

    for (size_t i = 0; i < count && order == 0; i++)
        order = compare(pairs[i][0], pairs[i][1]);
    return order;
}

#define COMPARE(pairs) compare_all(pairs, sizeof pairs / sizeof *pairs)

static int compare_windows(const void *first, const void *second)
{
    const struct shw_detection *a = first, *b = second;
    const int64_t pairs[][2] = {
        {a->angle, b->angle}, {a->level, b->level}, {a->y, b->y}, {a->x, b->x}, {a->score, b->score}};

    return COMPARE(pairs);
}

static int compare_scores(const void *first, const void *second)
{
    const struct shw_detection *a = first, *b = second;
    const int64_t pairs[][2] = {
        {b->score, a->score},   {a->x, b->x},         {a->y, b->y},         {a->width, b->width},
        {a->height, b->height}, {a->level, b->level}, {a->angle, b->angle}, {b->neighbours, a->neighbours}};

    return COMPARE(pairs);
}

static int compare_columns(const void *first, const void *second)
{
    const struct shw_detection *a = first, *b = second;
    int order = compare(a->x, b->x);

    return order != 0 ? order : compare_scores(a, b);
}

static void sort(struct shw_detection *items, uint32_t count, int (*order)(const void *, const void *))
{
    if (count > 1)
        qsort(items, count, sizeof *items, order);
}

void shw_detections_sort_windows(struct shw_detection *items, uint32_t count)
{
    sort(items, count, compare_windows);
}

void shw_detections_sort_scores(struct shw_detection *items, uint32_t count)
{
    sort(items, count, compare_scores);
}

void shw_detections_sort_columns(struct shw_detection *items, uint32_t count)
{
    sort(items, count, compare_columns);
}
