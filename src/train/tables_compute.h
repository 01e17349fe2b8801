/* The tables of a training round. */
#ifndef SHW_TRAIN_TABLES_COMPUTE_H
#define SHW_TRAIN_TABLES_COMPUTE_H

#include "train/trainer.h"

struct shw_train_compute;

/* Some open nodes and some or all of their candidates, whose histograms are in memory at once. */
struct shw_compute_batch {
    uint32_t open_begin, open_count, candidate_begin, candidate_count;
    uint32_t item_begin, item_end; /* of the round's */
    size_t histogram_words;
};

/* The tables of a round as the device gets them (SHW_TRAIN_TABLES), and what the host has to know of them. */
struct shw_compute_tables {
    uint32_t *words;
    size_t count;
    uint32_t capacity;
    uint32_t channels, tests, segments, items; /* where they are */
    uint32_t test_count, segment_count, item_count;
    struct shw_compute_batch *batches;
    uint32_t batch_count, batch_capacity;
    size_t rows, histogram_words; /* of the largest batch */
};

/* Lays the round out: nodes, segments, batches and their items. Errors: MEMORY, LIMIT. */
enum shw_result shw_compute_tables_make(struct shw_train_compute *training, const struct shw_trainer *trainer);
void shw_compute_tables_free(struct shw_compute_tables *tables);

#endif
