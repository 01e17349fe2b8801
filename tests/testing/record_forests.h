/* Record forests nobody trained and records that are hard to decide, for tests, from a seed; and a plain evaluation of
 * them, by comparing floating-point numbers as docs/record-format.md says. */
#ifndef SHW_TESTING_RECORD_FORESTS_H
#define SHW_TESTING_RECORD_FORESTS_H

#include "testing/testing.h"

enum random_tree_shape {
    TREE_MIXED,    /* each tree has one of the others by chance */
    TREE_BALANCED, /* all leaves at the depth */
    TREE_RANDOM,   /* a path as long as the depth, and leaves anywhere above */
    TREE_CHAIN,    /* each split has a leaf, left or right by chance */
    TREE_LEAF      /* one leaf */
};

/* Zero means what stands at the field. */
struct random_record_forest_params {
    uint64_t seed;
    enum random_tree_shape shape; /* MIXED */
    uint32_t trees;               /* 5 */
    uint32_t depth;               /* 5; at most 18 for BALANCED, and for RANDOM as many nodes as that has at most */
    uint32_t attributes;          /* 7 */
    uint32_t outputs;             /* 3; with CLASSES 1 means two classes */
    enum shw_record_task task;    /* CLASSES */
    enum shw_record_link link;    /* IDENTITY */
    bool mean;
    bool one_value;    /* per leaf, for an output of the tree */
    bool shares;       /* leaf values are shares of exactly 2^30 */
    bool no_missing;   /* all nodes send what is missing to the left, and none takes zero for it */
    bool large_values; /* leaf values and base up to their limits */
    bool names;        /* of attributes and outputs */
    uint32_t sets;     /* in a hundred splits, about so many are tests of sets; 0 */
};

/* Fails the test if it is refused. */
struct shw_record_forest *random_record_forest(const struct random_record_forest_params *params);

/* Records for that forest, of as many attributes, to be freed with free(): numbers of all sizes, thresholds of the
 * forest and their neighbours, both zeros, denormal numbers, infinities, numbers about 1e-35, NaN. */
float *random_records(const struct shw_record_forest *forest, uint64_t count, uint64_t seed);

/* What evaluation must find, to be freed with plain_results_free(). */
struct plain_results {
    uint32_t *classes; /* NULL for VALUES */
    int64_t *sums;
    uint32_t *leaves;
};

/* Attribute a of record r: values[r * record_stride + a * attribute_stride]; `missing` may be NULL. */
struct plain_results plain_evaluate(const struct shw_record_forest *forest, const float *values, uint64_t count,
                                    size_t record_stride, size_t attribute_stride, const float *missing);
void plain_results_free(struct plain_results *results);

/* Evaluates records without padding by an evaluator, all results at once, and fails the test if one differs from those.
 */
void assert_evaluates(struct shw_record_evaluator *evaluator, const struct shw_record_forest *forest,
                      const float *values, uint64_t count, const struct plain_results *expected);

#endif
