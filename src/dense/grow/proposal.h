/* The candidates of training rounds: drawn by the library, or proposed by the caller. */
#ifndef SHW_DENSE_GROW_PROPOSAL_H
#define SHW_DENSE_GROW_PROPOSAL_H

#include <shadewood/proposer.h>

#include "dense/split/split.h"

struct shw_trainer;

/* What the caller's proposer has given for a round. */
struct shw_proposed {
    struct shw_candidate *candidates; /* set after set, each with room for `pitch` */
    uint32_t set_count, pitch;
    uint64_t hash; /* of everything proposed */
};

/* Divides the most candidates that a node may have among the workers, before the first round. */
void shw_candidates_share_all(struct shw_trainer *trainer);

/* Settles how many candidates the nodes of the round have that begins, and how many bins; asks the proposer if there is
 * one. If it is known what was proposed for this round before, the same must be proposed. Errors: MEMORY, ARGUMENT,
 * those of the proposer. */
enum shw_result shw_candidates_begin(struct shw_trainer *trainer);

/* Ends the round's candidates, or does nothing if there are none. */
void shw_candidates_end(struct shw_trainer *trainer);

/* Candidate `candidate` of an open node: its feature, and the interval of its responses. Any thread. */
struct shw_feature shw_candidate_feature(const struct shw_trainer *trainer, uint32_t open, uint32_t candidate);
struct shw_interval shw_candidate_interval(const struct shw_trainer *trainer, uint32_t open, uint32_t candidate);

/* What worker `worker` counts of the candidates of a node: those from here on, up to those of the next worker; at least
 * one. Shares are as large as the workers are fast. */
uint32_t shw_candidates_share(const struct shw_trainer *trainer, uint32_t worker);

/* Takes note of how many microseconds each worker has taken for its share of this round, from which the shares of the
 * next are made; all workers have the same numbers. False if out of memory. */
bool shw_candidates_measure(struct shw_trainer *trainer, const uint32_t *microseconds);

#endif
