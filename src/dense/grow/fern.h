/* Ferns: trees whose nodes of one level share a test, the one with the best common score (Waldvogel 2013, 4.4.1). */
#ifndef SHW_DENSE_GROW_FERN_H
#define SHW_DENSE_GROW_FERN_H

#include <shadewood/splitter.h>

#include "dense/split/split.h"

struct shw_splitting;
struct shw_trainer;

/* Bytes of histograms that the CPU counts at a time, unless one takes more, of ferns and of workers that divide the
 * images: they are used while still in the cache. */
#define SHW_FERN_BYTES ((size_t)4 << 20)

/* The level that is being grown. */
struct shw_fern_level {
    struct shw_trainer *trainer;
    struct shw_splitter splitter; /* adds up what the nodes gain; `user` is the level */

    /* The samples from which the thresholds of all nodes are made, by their places in the tree builder; UINT32_MAX: it
     * is another worker's. */
    uint32_t probes[256], probe_count;
    int32_t *values; /* on the CPU: what thresholds are made from (grow_cpu/probes.c) */

    const struct shw_splitter_round *round;
    struct shw_node_counts *nodes; /* of the round */
    int64_t *sums;                 /* [candidate][test]: what all nodes gain */
    uint8_t *usable;               /* [candidate] */
    int32_t *thresholds;           /* [candidate][bins - 1] */
    uint32_t *scratch;             /* per thread: 4 * class_count */
    int64_t gain;                  /* of the test chosen */
};

/* Begins a level of a trainer whose open nodes are known: chooses the samples for thresholds. Errors: MEMORY. */
enum shw_result shw_fern_level_begin(struct shw_trainer *trainer);

/* Scores candidates of workers that divide the images, whose histograms of all nodes are complete, among those that
 * were scored before: *choice is the best test, unless none is better than what was chosen before. Errors: MEMORY. */
enum shw_result shw_fern_level_score(struct shw_fern_level *level, const struct shw_splitter_round *round,
                                     const struct shw_splitter_piece *pieces, uint32_t piece_count,
                                     struct shw_splitter_choice *choice);

/* Accepts a pointer to NULL. Sets *level to NULL. */
void shw_fern_level_free(struct shw_fern_level **level);

#endif
