/* Proposals of points in a space of several dimensions whose loss is to be small: at random, and by the tree-structured
 * Parzen estimator (Bergstra, Bardenet, Bengio and Kegl, Algorithms for Hyper-Parameter Optimization, 2011). */
#ifndef SHW_FILES_TUNE_SEARCH_H
#define SHW_FILES_TUNE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#define SHW_DIMENSIONS_MAX 32u

/* A dimension: numbers from low to high, or choices, whose values are 0, 1, ... */
struct shw_dimension {
    double low, high;
    bool logarithmic; /* equal ratios are equally likely, not equal differences; low is then above 0 */
    bool whole;       /* values are integers */
    uint32_t choices; /* how many; 0: numbers */
};

/* A stream of random numbers: splitmix64. */
struct shw_search_random {
    uint64_t state;
};

/* The stream of proposal `number` of a search with a seed. */
struct shw_search_random shw_search_random_of(uint64_t seed, uint64_t number);

/* Below `bound`, which is not 0. */
uint64_t shw_search_below(struct shw_search_random *random, uint64_t bound);

struct shw_observation {
    double values[SHW_DIMENSIONS_MAX];
    double loss; /* NaN: not known yet, which counts as bad, so that others keep away from it */
};

/* Draws a point; each dimension by itself. */
void shw_search_draw(const struct shw_dimension *dimensions, uint32_t count, struct shw_search_random *random,
                     double *values);

/* Fewer observations than that say too little: then the point is drawn. */
#define SHW_TPE_BEGIN 10u

/* Proposes the point that is most likely among those of the best observations relative to the others. The best are 15 %
 * of those whose loss is known, which need not be sorted. With l and g the densities of a dimension's values among the
 * best and among the others, 24 values are drawn from l, and the one with the largest l / g is taken. A density of
 * numbers is a mixture of normal distributions, truncated to the dimension: one about each value, as wide as the
 * distance to its farther neighbour, and a wide one about the middle; one of choices is their frequency, after one more
 * of all of them together. Does nothing but draw if memory is exhausted. */
void shw_search_propose(const struct shw_dimension *dimensions, uint32_t count,
                        const struct shw_observation *observations, uint32_t observation_count,
                        struct shw_search_random *random, double *values);

/* Moves a point, which should be a good one: each dimension with a probability of 3 / count, but one at least. A number
 * changes by a draw from a normal distribution whose deviation is 0.15 of the range; a choice becomes another one. */
void shw_search_move(const struct shw_dimension *dimensions, uint32_t count, struct shw_search_random *random,
                     double *values);

/* Which part of the variance of the losses a dimension explains by itself: between the choices, or between four groups
 * of as many values each, in the order of the values; less what chance explains (epsilon squared, Kelley 1935). 0 to 1;
 * NaN if there are too few observations. */
double shw_search_importance(const struct shw_dimension *dimension, uint32_t index,
                             const struct shw_observation *observations, uint32_t observation_count);

#endif
