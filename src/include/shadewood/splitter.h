/* The caller's own learning algorithm. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_SPLITTER_H
#define SHADEWOOD_SPLITTER_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A trainer with a splitter (shw_trainer_params.splitter) draws samples and candidates and counts, and leaves to the
 * splitter which test splits which node (Sharp 2008, Section 4). What a training round hands over is a histogram with
 * four axes: open node, candidate, bin of the response, and class. It may be larger than memory, so it comes in pieces.
 * All techniques give the same histograms.
 *
 * A round is one call of begin_round, any number of calls of histograms, and one of end_round. All are made on the
 * thread that called shw_trainer_step(), shw_trainer_record() or shw_trainer_complete(), one after the other. Choices
 * must depend on nothing but what the splitter is given in the round: then the forest is the same by every technique,
 * and when training is resumed from a checkpoint, where another splitter has seen the rounds before. */

/* One open node: a leaf that may be split. */
struct shw_splitter_node {
    uint32_t number;         /* in the tree; the root is 0 */
    uint32_t samples;        /* that it has, not weighted */
    uint32_t class_count;    /* of classes that it has samples of: the last axis of its histograms */
    const uint16_t *classes; /* which, in ascending order */
    const uint32_t *counts;  /* samples of each */
    const uint32_t *weights; /* what a sample of each counts for; all samples of a tree together weigh less than 2^31 */
};

/* Valid, with all that it points to, from begin_round until end_round returns. */
struct shw_splitter_round {
    uint32_t tree, depth; /* of the forest; of the open nodes. Both from 0 */
    uint32_t node_count;  /* open nodes, in order of their numbers */
    const struct shw_splitter_node *nodes;
    uint32_t candidate_count; /* of each node */
    uint32_t bin_count;       /* of each candidate */
    uint32_t undefined_bins;  /* 1: behind them there is one more, of undefined responses, which every test sends right;
                                 0: responses are never undefined */
    enum shw_threshold_scheme thresholds;
    uint32_t samples_min; /* that either side of a split must receive, not weighted */
    uint64_t seed;        /* the trainer's, for splitters that choose at random */
};

/* The histograms of some neighbouring candidates of one node. Valid during the call.
 *
 * `usable` has a flag for each candidate: 0 where it has no thresholds, because responses are alike or undefined. It
 * must not then be chosen, and its thresholds and counts are given as 0.
 * `thresholds` has bin_count - 1 numbers for each candidate, ascending. A response's bin is the number of them that it
 * reaches.
 * `histogram` has all_bins * class_count counts for each candidate, bin by bin, with class_count as the node has it,
 * and all_bins = bin_count + undefined_bins: samples, not weighted, of class nodes[node].classes[c] in bin b of the
 * candidate candidate_begin + i are histogram[(i * all_bins + b) * class_count + c]. */
struct shw_splitter_piece {
    uint32_t node;                             /* counted from the round's first */
    uint32_t candidate_begin, candidate_count; /* the first, counted from the node's first; how many */
    const uint8_t *usable;
    const int32_t *thresholds;
    const uint32_t *histogram;
};

/* What becomes of a node. A test asks whether a sample's bin is one of bin_first..bin_last; those samples and undefined
 * ones go right, the others left. */
struct shw_splitter_choice {
    bool split;                   /* false: the node stays a leaf, and the other fields do not count */
    uint32_t candidate;           /* counted from the node's first */
    uint32_t bin_first, bin_last; /* both included; not all bins, nor any between two thresholds that are equal */
};

/* The algorithm. Callbacks that fail tell why as any Shadewood function does; their result ends training and is passed
 * on. */
struct shw_splitter {
    const char *name; /* UTF-8, for the forest's training record and for messages */
    void *user;

    /* A round begins. May be NULL. */
    enum shw_result (*begin_round)(void *user, const struct shw_splitter_round *round);

    /* Hands pieces over, in order of nodes and, in a node, of candidates. Every candidate of every node comes once in a
     * round. Where the pieces of a node are cut, and how many come in one call, depends on memory and on the technique;
     * the histograms of a call take at most 128 MiB. */
    enum shw_result (*histograms)(void *user, const struct shw_splitter_round *round,
                                  const struct shw_splitter_piece *pieces, uint32_t piece_count);

    /* Takes the choices, one a node, all of which are given as no split. What breaks the rules above or leaves a side
     * less than samples_min ends training with the result ARGUMENT and a message that names splitter, node and value.
     */
    enum shw_result (*end_round)(void *user, const struct shw_splitter_round *round,
                                 struct shw_splitter_choice *choices);
};

/* Two splitters. They use nothing but this interface, and choose what the trainer's own SHW_SCORE_INFORMATION_GAIN and
 * SHW_SCORE_GAIN_RATIO choose, to the last bit; but those are faster, because no histogram has to leave the place where
 * it is counted.
 *
 * They are filled in by these functions and released by shw_splitter_free(), after the trainers that use them. A
 * splitter serves one trainer at a time. Errors: MEMORY. On failure *splitter is zero. */
SHW_API enum shw_result shw_splitter_id3(const struct shw_log *log, struct shw_splitter *splitter); /* Quinlan 1986 */
SHW_API enum shw_result shw_splitter_c45(const struct shw_log *log, struct shw_splitter *splitter); /* Quinlan 1993 */

/* Releases what one of the two functions above has filled in, and makes it zero. Accepts a zero one. */
SHW_API void shw_splitter_free(struct shw_splitter *splitter);

#ifdef __cplusplus
}
#endif
#endif
