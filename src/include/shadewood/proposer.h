/* Custom candidates. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_PROPOSER_H
#define SHADEWOOD_PROPOSER_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/channels.h>
#include <shadewood/feature.h>
#include <shadewood/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A trainer with a proposer (shw_trainer_params.proposer) takes the candidates of each training round from the caller,
 * and if the caller wants, the intervals of their responses that are divided into bins (Sharp 2008, Sections 2.5, 4 and
 * 4.5). Everything else is as without one: all techniques, ferns, splitters, workers and checkpoints.
 *
 * What is proposed must depend only on what the proposer is told of the round. Then the forest is the same with every
 * technique and any number of workers, which all ask their own proposers, and when training is resumed. */

/* One open node: a leaf that may be split. */
struct shw_proposer_node {
    uint32_t number;        /* in the tree; the root is 0 */
    uint32_t samples;       /* in the node, unweighted */
    const uint32_t *counts; /* of them, by class */
};

/* A test that an earlier round chose. */
struct shw_proposer_split {
    uint32_t node, depth; /* the root has number and depth 0 */
    uint32_t left;        /* number of the left child; that of the right one follows */
    struct shw_feature feature;
    int32_t t0, t1; /* samples with t0 <= response < t1, and undefined ones, go right */
    uint64_t gain; /* information about the class, in units of 2^-24 bits, summed over the weighted samples of the node,
                      whatever the score of the training (docs/training.md, What tests gain) */
};

/* Valid, with everything that it points to, during the call. */
struct shw_proposer_round {
    uint32_t tree, depth; /* numbers of the tree, which counts from first_tree, and of the level of the open nodes,
                             from 0 */
    uint64_t seed;        /* the trainer's, for random choices */
    const struct shw_feature_type *feature;
    const struct shw_channel_list *channels;
    uint32_t class_count;
    const uint32_t *weights; /* of a sample of each class; the samples of a tree weigh less than 2^31 in total */
    uint32_t node_count;     /* open nodes, in order of their numbers */
    const struct shw_proposer_node *nodes;
    uint32_t split_count; /* tests of the tree so far, in order of their nodes */
    const struct shw_proposer_split *splits;
    uint32_t set_count; /* sets of candidates: node_count, one for each open node; with SHW_POOL_ROUND and with ferns
                           1, for all of them */
    uint32_t candidate_max; /* per set: shw_trainer_params.candidates */
    enum shw_threshold_scheme thresholds;
    const struct shw_trainer *trainer; /* for shw_proposer_draw() */
};

/* A feature, and which of its responses are divided into bins.
 *
 * With low < high, threshold k of bins - 1 is low + ceil((high - low) k / bins), with either scheme; responses below
 * low are in the first bin, those from high on in the last. With low == high, thresholds are made from responses, as
 * for candidates that the library draws. So two bins with low = t - 1 and high = t + 1 have the threshold t, and three
 * bins with low = 2 a - b and high = 2 b - a the thresholds a and b. */
struct shw_candidate {
    struct shw_feature feature; /* of the trainer's type, over its channels */
    int32_t low, high;          /* low > INT32_MIN */
};

/* What is proposed for a round. Sets may have the same candidate several times; of equal tests the first one wins. */
struct shw_proposal {
    struct shw_candidate *candidates; /* to be filled in: set s begins at candidates[s * candidate_max]. Zero before */
    uint32_t candidate_count;         /* in every set, 1 to candidate_max, and at least as many as workers. 0 before */
    uint32_t bins;                    /* per candidate, 2 to shw_trainer_params.bins, which it is before */
    char why[SHW_WHY_SIZE];           /* empty before; a call that fails may say why */
};

/* Gives the candidates of each round. */
struct shw_proposer {
    const char *name; /* UTF-8, for the provenance and for messages */
    void *user;

    /* Called once per round, on the thread that called shw_trainer_step() or shw_trainer_record(), before anything of
     * the round is computed; and by shw_trainer_load() for the rounds of the unfinished tree that were finished before,
     * which must be the same candidates as then. A result other than OK ends the step, with a message that has `why`;
     * the trainer can then be saved, and the step repeated. So does a candidate that the feature type's `check`
     * refuses, whose sums may exceed its bounds or which, unless the type is custom or divides by the depth, reads
     * farther than offset_max: ARGUMENT, with a message that names set and candidate. */
    enum shw_result (*propose)(void *user, const struct shw_proposer_round *round, struct shw_proposal *proposal);
};

/* The candidate `number` of a set, less than candidate_max, that the library would draw without a proposer: from these
 * candidates it trains the same forest. False without a round, a feature, a set or a candidate of that number. Any
 * thread, during the call. */
SHW_API bool shw_proposer_draw(const struct shw_proposer_round *round, uint32_t set, uint32_t number,
                               struct shw_feature *feature);

#ifdef __cplusplus
}
#endif
#endif
