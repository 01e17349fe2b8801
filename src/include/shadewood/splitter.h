/* Custom split selection. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_SPLITTER_H
#define SHADEWOOD_SPLITTER_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/train.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A trainer with a splitter (shw_trainer_params.splitter) draws samples and candidates and counts histograms; the
 * splitter chooses the test for each node (Sharp 2008, Section 4). In a training round it receives a histogram with
 * four axes: open node, candidate, bin of the response, and class. The histogram may be larger than memory, so it comes
 * in pieces. All techniques give the same histograms.
 *
 * A round is one call of begin_round, any number of calls of histograms, and one call of end_round, one after the other
 * on the thread that called shw_trainer_step(), shw_trainer_record() or shw_trainer_complete(). Choices must depend
 * only on what the splitter is given in the round: then the forest is the same with every technique, and when training
 * is resumed from a checkpoint with a splitter that has not seen earlier rounds. */

/* One open node: a leaf that may be split. */
struct shw_splitter_node {
    uint32_t number;         /* in the tree; the root is 0 */
    uint32_t samples;        /* in the node, unweighted */
    uint32_t class_count;    /* classes present in the node: the last axis of its histograms */
    const uint16_t *classes; /* their numbers, ascending */
    const uint32_t *counts;  /* samples of each of these classes */
    const uint32_t *weights; /* weight of a sample of each; the samples of a tree weigh less than 2^31 in total */
};

/* Valid, with everything that it points to, from begin_round until end_round returns. */
struct shw_splitter_round {
    uint32_t tree, depth; /* numbers of the tree, which counts from first_tree, and of the level of the open nodes,
                             from 0 */
    uint32_t node_count;  /* open nodes, in order of their numbers */
    const struct shw_splitter_node *nodes;
    uint32_t candidate_count; /* per node */
    uint32_t bin_count;       /* per candidate */
    uint32_t undefined_bins;  /* 1: one more bin follows for undefined responses, which every test sends right; 0:
                                 responses are never undefined */
    enum shw_threshold_scheme thresholds;
    uint32_t samples_min; /* required on either side of a split, unweighted */
    uint64_t seed;        /* the trainer's, for splitters with random choices */
};

/* The histograms of consecutive candidates of one node. Valid during the call.
 *
 * `usable` has a flag per candidate: 0 if it has no thresholds because all responses are equal or undefined. It must
 *     not be chosen; its thresholds and counts are 0.
 * `thresholds` has bin_count - 1 numbers per candidate, ascending. The bin of a response is the number of thresholds
 *     that do not exceed it.
 * `histogram` has all_bins * class_count counts per candidate, where all_bins = bin_count + undefined_bins and
 *     class_count is the node's: the unweighted samples of class nodes[node].classes[c] in bin b of candidate
 *     candidate_begin + i are histogram[(i * all_bins + b) * class_count + c]. */
struct shw_splitter_piece {
    uint32_t node;                             /* index in the round's nodes */
    uint32_t candidate_begin, candidate_count; /* numbers among the node's candidates */
    const uint8_t *usable;
    const int32_t *thresholds;
    const uint32_t *histogram;
};

/* The choice for a node. Samples whose bin is one of bin_first..bin_last, and undefined ones, go right, the others
 * left. */
struct shw_splitter_choice {
    bool split;                   /* false: the node stays a leaf; the other fields are ignored */
    uint32_t candidate;           /* number among the node's candidates */
    uint32_t bin_first, bin_last; /* both inclusive; not all bins, and not only bins between equal thresholds */
};

/* The algorithm. A callback that fails reports the reason to its own log; its result ends training and is returned to
 * the caller. */
struct shw_splitter {
    const char *name; /* UTF-8, for the provenance and for messages */
    void *user;

    /* Begins a round. May be NULL. */
    enum shw_result (*begin_round)(void *user, const struct shw_splitter_round *round);

    /* Receives pieces, in order of nodes and, within a node, of candidates; every candidate of every node once per
     * round. How nodes are divided into pieces, and how many pieces a call has, depends on memory and technique; the
     * histograms of a call take at most 128 MiB. */
    enum shw_result (*histograms)(void *user, const struct shw_splitter_round *round,
                                  const struct shw_splitter_piece *pieces, uint32_t piece_count);

    /* Fills in the choices, one per node, initially no split. A choice that breaks the rules above or leaves a side
     * fewer than samples_min samples ends training with ARGUMENT and a message that names splitter, node and value. */
    enum shw_result (*end_round)(void *user, const struct shw_splitter_round *round,
                                 struct shw_splitter_choice *choices);
};

/* Two splitters that use only this interface: ID3 (Quinlan 1986) and C4.5 (Quinlan 1993). Their choices are exactly
 * those of SHW_SCORE_INFORMATION_GAIN and SHW_SCORE_GAIN_RATIO, which are faster because histograms stay where they are
 * counted.
 *
 * Release them with shw_splitter_free() after the trainers that use them. A splitter serves one trainer at a time.
 * Errors: MEMORY. On failure *splitter is zero. */
SHW_API enum shw_result shw_splitter_id3_abi(uint32_t abi, const struct shw_log *log, struct shw_splitter *splitter);
static inline enum shw_result shw_splitter_id3(const struct shw_log *log, struct shw_splitter *splitter)
{
    return shw_splitter_id3_abi(SHW_ABI, log, splitter);
}
SHW_API enum shw_result shw_splitter_c45_abi(uint32_t abi, const struct shw_log *log, struct shw_splitter *splitter);
static inline enum shw_result shw_splitter_c45(const struct shw_log *log, struct shw_splitter *splitter)
{
    return shw_splitter_c45_abi(SHW_ABI, log, splitter);
}

/* Releases a splitter made by one of the two functions above, and zeroes it. Accepts a zero one. */
SHW_API void shw_splitter_free(struct shw_splitter *splitter);

#ifdef __cplusplus
}
#endif
#endif
