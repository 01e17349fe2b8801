/* What workers that train one forest tell each other: by shw_train_exchange. */
#ifndef SHW_DENSE_TRAIN_WORKERS_H
#define SHW_DENSE_TRAIN_WORKERS_H

#include "dense/split/split.h"

struct shw_trainer;

/* What a worker sends each round: the round it is in, then the best split of each open node. */
struct shw_worker_head {
    uint32_t tree, depth, opens, candidate_begin;
    uint64_t task,
        counts; /* hashes: of parameters, training set and what was proposed, of the open nodes' class counts */
    uint32_t microseconds; /* that counting has taken: not the same for all */
    uint32_t divide;       /* enum shw_train_division */
};

struct shw_worker_split {
    uint32_t found, candidate;
    int32_t t0, t1;
    struct shw_score_value score;
};

#define SHW_WORKER_HEAD_WORDS  (sizeof(struct shw_worker_head) / sizeof(uint32_t))
#define SHW_WORKER_SPLIT_WORDS (sizeof(struct shw_worker_split) / sizeof(uint32_t))

/* Replaces the best splits of this worker's candidates by those of all workers'. Does not fill in features. Errors:
 * MEMORY, ARGUMENT if workers do not train the same forest, those of the exchange. */
enum shw_result shw_workers_share_splits(struct shw_trainer *trainer);

#endif
