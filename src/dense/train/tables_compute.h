/* The tables of a training round. */
#ifndef SHW_DENSE_TRAIN_TABLES_COMPUTE_H
#define SHW_DENSE_TRAIN_TABLES_COMPUTE_H

#include "dense/train/trainer.h"

struct shw_train_compute;

/* Some open nodes with some or all of their candidates; their histograms are in memory at once. */
struct shw_compute_batch {
    uint32_t open_begin, open_count, candidate_begin, candidate_count;
    uint32_t item_begin, item_end; /* of the round */
    size_t histogram_words;
};

/* The tables of a round as the device reads them (SHW_TRAIN_TABLES), and what the host needs to know about them. */
struct shw_compute_tables {
    uint32_t *words;
    size_t count;
    uint32_t capacity;
    uint32_t channels, tests, segments, items; /* where they begin */
    uint32_t level_probes, level_probe_count;  /* of ferns */
    uint32_t test_count, segment_count, item_count;
    struct shw_compute_batch *batches;
    uint32_t batch_count, batch_capacity;
    size_t rows, histogram_words; /* of the largest batch */
};

/* Lays out the round: nodes, segments, batches and their items. Errors: MEMORY, LIMIT. */
enum shw_result shw_compute_tables_make(struct shw_train_compute *training, const struct shw_trainer *trainer);
void shw_compute_tables_free(struct shw_compute_tables *tables);

#endif
