/* A batch: responses of some open nodes' samples to some of their candidates, all in memory at once.
 *
 * Responses are computed image by image, whatever node a sample is in, so that an image's integral images stay in the cache while all
 * nodes look at it; histograms are then filled node by node from the finished responses. Those of large nodes are kept as bins, a byte
 * each, so that more candidates fit and images pass through the cache less often. */
#ifndef SHW_TRAIN_BATCH_H
#define SHW_TRAIN_BATCH_H

#include "train/trainer.h"

/* Candidates first..first+count-1 of one open node. */
struct shw_batch_item {
    uint32_t open, first, count;
    bool binned;
    size_t features;   /* of its first candidate in shw_batch.features */
    size_t thresholds; /* of its first candidate in shw_batch.thresholds, if binned */
    size_t begin; /* of its first candidate in shw_batch.bytes: candidate by candidate, the node's samples in order, as int32_t
                          responses or uint8_t bins */
};

struct shw_batch {
    struct shw_batch_item *items;
    uint32_t item_count;
    struct shw_packed_feature *features;
    uint32_t *order;                   /* of each item's candidates: sorted by channel, so that planes stay in the cache, too */
    struct shw_thresholds *thresholds; /* of binned items */
    char *bytes;
    size_t byte_limit;
    size_t feature_count, threshold_count, byte_count; /* in use */
};

/* Where the next batch begins; zero-initialised: at the round's first node. */
struct shw_batch_position {
    uint32_t open, candidate;
};

/* Bytes from one candidate of an open node to the next; a multiple of four. */
size_t shw_batch_row(const struct shw_open_node *open);

/* Which of an open node's samples its thresholds are made from, counted from its first. Returns how many. */
uint32_t shw_choose_probes(const struct shw_trainer *trainer, const struct shw_open_node *open, uint32_t probes[256]);

/* Takes as many items from *position on as the batch has room for, draws their candidates and computes their responses. At the end of the
 * round the batch is empty. */
enum shw_result shw_batch_next(struct shw_trainer *trainer, struct shw_batch_position *position, struct shw_batch *batch);

/* Errors: MEMORY. On failure *batch is zero. */
enum shw_result shw_batch_create(const struct shw_trainer *trainer, struct shw_batch *batch);
void shw_batch_destroy(struct shw_batch *batch);

#endif
