/* The score of a split, in exact integers. */
#ifndef SHW_DENSE_SPLIT_SCORE_H
#define SHW_DENSE_SPLIT_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/train.h>

/* The total weight of a tree's samples stays below this, so that every sum and product here is exact. */
#define SHW_MASS_MAX ((uint64_t)1 << 31)

/* whole + numerator / denominator, the fraction below one. Larger is better. Comparable for partitions of the same
 * samples by the same measure. */
struct shw_score_value {
    int64_t whole;
    uint64_t numerator, denominator;
};

/* n log2 n with 24 fraction bits; n < 2^31. Any thread. */
uint64_t shw_score_times_log2(uint32_t n);

/* The value that a device has computed, from the words of its struct shw_fraction (shared/fraction.h). */
struct shw_score_value shw_score_of_words(enum shw_score score, const uint32_t words[5]);

/* Exact comparison: negative, zero or positive as a < b, a == b or a > b. */
int shw_score_compare(const struct shw_score_value *a, const struct shw_score_value *b);

/* The score of a node times its mass, in units of 2^-24, rounded down: sums over nodes are comparable (Waldvogel 2013,
 * Eq. 4.14). Information gain, Gini and misclassification are products with the mass already. |result| < 2^60, also for
 * the sum over all nodes of a level. */
int64_t shw_score_weigh(enum shw_score score, uint64_t mass, const struct shw_score_value *value);

/* What the score needs to know of one side's weighted class counts. */
struct shw_score_side {
    uint64_t mass; /* sum of the counts */
    /* Information gain and its quotients: sum of n log2 n; Gini: sum of squares; misclassification: the largest. */
    uint64_t measure;
};

/* The side with these counts. */
struct shw_score_side shw_score_side_of(enum shw_score score, const uint32_t *counts, uint32_t classes);

/* The score of a partition of `all` into two sides; one side may be empty: the score of the unsplit node.
 * information gain: sum over sides of (sum n log2 n) - N log2 N, the negative entropy
 * Gini: sum over sides of (sum n^2) / N
 * misclassification: sum over sides of max n
 * normalised gain: 2 gain / (entropy of the classes + entropy of the split), from 0 to 1
 * gain ratio: gain / entropy of the split, from 0 to 1
 * Logarithms are rounded down, so a computed gain of at most two units in the last place per unit of mass may in fact
 * be zero: its quotient is 0. A larger gain is real, and no entropy is less than it; if rounding says otherwise, the
 * quotient is 1. So there is no division by zero. */
struct shw_score_value shw_score_of(enum shw_score score, const struct shw_score_side *all,
                                    const struct shw_score_side *left, const struct shw_score_side *right);

/* Weights of classes. */

/* Integer weights from relative ones, in units of 1/256, all halved until samples of these counts, less than
 * SHW_MASS_MAX in total, weigh less than SHW_MASS_MAX; at least 1. Without relative weights (NULL) all are 1. */
void shw_weights_scale(const double *relative, const uint64_t *counts, uint32_t classes, uint32_t *weights);

#endif
