#include "detection/learn/ranks.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

bool shw_ranks_add(struct shw_ranks *ranks, int32_t score)
{
    if (!SHW_RESERVE(ranks->scores, ranks->capacity, (size_t)ranks->count + 1))
        return false;
    ranks->scores[ranks->count++] = score;
    return true;
}

static int compare_falling(const void *a, const void *b)
{
    const int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;

    return one > other ? -1 : one < other;
}

void shw_ranks_sort(struct shw_ranks *ranks)
{
    if (ranks->count > 0)
        qsort(ranks->scores, ranks->count, sizeof *ranks->scores, compare_falling);
}

int32_t shw_ranks_map(const struct shw_ranks *from, const struct shw_ranks *to, double ratio, int32_t score)
{
    const uint32_t count = from->count < to->count ? from->count : to->count;
    uint32_t rank = 0; /* of the first one that is not better */
    double part;

    while (rank < count && from->scores[rank] > score)
        rank++;
    if (count == 0)
        return (int32_t)lround(ratio * score);
    if (rank == count)
        return (int32_t)lround(to->scores[count - 1] - ratio * ((double)from->scores[count - 1] - score));
    if (rank == 0 && from->scores[0] > 0 && to->scores[0] > 0)
        return (int32_t)lround((double)to->scores[0] / from->scores[0] * score);
    if (rank == 0)
        return (int32_t)lround(to->scores[0] + ratio * ((double)score - from->scores[0]));
    part = ((double)from->scores[rank - 1] - score) / ((double)from->scores[rank - 1] - from->scores[rank]);
    return (int32_t)lround(to->scores[rank - 1] + part * ((double)to->scores[rank] - to->scores[rank - 1]));
}
