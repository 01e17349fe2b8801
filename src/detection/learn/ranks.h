/* Scores of one cascade in those of another: equal are those that as many false alarms in the same pictures have. */
#ifndef SHW_DETECTION_LEARN_RANKS_H
#define SHW_DETECTION_LEARN_RANKS_H

#include <stdbool.h>
#include <stdint.h>

/* Scores of false alarms. Zero-initialise them, and free `scores` in the end. */
struct shw_ranks {
    int32_t *scores;
    uint32_t count, capacity;
};

/* False: no memory. */
bool shw_ranks_add(struct shw_ranks *ranks, int32_t score);

/* By falling score, for shw_ranks_map(). */
void shw_ranks_sort(struct shw_ranks *ranks);

/* A score in the other scale. `ratio`, of the scales, serves below all false alarms and where there are none; above
 * them, it is that of the best ones. */
int32_t shw_ranks_map(const struct shw_ranks *from, const struct shw_ranks *to, double ratio, int32_t score);

#endif
