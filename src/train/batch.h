/* A batch: responses of some open nodes' samples to some of their candidates, all in memory at once.
 *
 * Responses are computed image by image, whatever node a sample is in, so that an image's integral images stay in the
 * cache while all nodes look at it; histograms are then filled node by node from the finished responses. Those of large
 * nodes are kept as bins, a byte each, candidate by candidate, so that more candidates fit and images pass through the
 * cache less often. Those of other nodes are kept sample by sample, because there an image has few samples of a node
 * and it pays to take all candidates of one sample together. */
#ifndef SHW_TRAIN_BATCH_H
#define SHW_TRAIN_BATCH_H

#include "train/candidates.h"
#include "train/trainer.h"

/* Samples from which on a node is large: its thresholds then need few responses beforehand. */
#define SHW_LARGE_NODE 8192u

/* Candidates of one item at most. */
#define SHW_ITEM_CANDIDATES 384u

/* A side of a candidate's feature. */
struct shw_batch_side {
    uint32_t candidate; /* counted from the item's first */
    struct shw_feature_side side;
};

/* Candidates first..first+count-1 of one open node, counted from the first that this worker counts. */
struct shw_batch_item {
    uint32_t open, first, count;
    bool binned;
    uint32_t side_count;
    size_t features;   /* of its first candidate in shw_batch.features */
    size_t thresholds; /* of its first candidate in shw_batch.thresholds, if binned */
    size_t begin;      /* in shw_batch.bytes: binned: rows of shw_batch_pitch() bins, a candidate; else of responses, a
                          sample */
};

struct shw_batch {
    struct shw_batch_item *items;
    uint32_t item_count;
    uint32_t *features;           /* words of all features, as shw_batch_lanes() shows them */
    struct shw_batch_side *sides; /* of each item from 2 * features on: sorted by channel; not of features without */
    struct shw_thresholds *thresholds; /* of binned items */
    char *bytes;                       /* the trainer's */
    size_t byte_limit;
    size_t feature_capacity;
    size_t feature_count, threshold_count, byte_count; /* in use */
};

/* Where the next batch begins; zero-initialised: at the round's first node. */
struct shw_batch_position {
    uint32_t open, candidate;
};

/* Bytes from one row of an item to the next. */
size_t shw_batch_pitch(const struct shw_batch_item *item, const struct shw_open_node *open);

/* The features of an item, and one of them. */
struct shw_feature_lanes shw_batch_lanes(const struct shw_batch *batch, const struct shw_batch_item *item);
static inline struct shw_feature shw_batch_feature(const struct shw_feature_lanes *lanes, uint32_t i)
{
    return (struct shw_feature){
        {lanes->words[0][i], lanes->words[1][i], lanes->words[2][i], lanes->words[3][i], lanes->words[4][i]}};
}

/* Which of an open node's samples its thresholds are made from, counted from its first. Returns how many. */
uint32_t shw_choose_probes(const struct shw_trainer *trainer, const struct shw_open_node *open, uint32_t probes[256]);

/* Takes as many items from *position on as the batch has room for, and draws their candidates and the thresholds of
 * large nodes. At the end of the round the batch is empty. Errors: MEMORY. */
enum shw_result shw_batch_draw(struct shw_trainer *trainer, struct shw_batch_position *position,
                               struct shw_batch *batch);

/* The same, and computes the batch's responses. */
enum shw_result shw_batch_next(struct shw_trainer *trainer, struct shw_batch_position *position,
                               struct shw_batch *batch);

/* Errors: MEMORY. On failure *batch is zero. */
enum shw_result shw_batch_create(struct shw_trainer *trainer, struct shw_batch *batch);
void shw_batch_destroy(struct shw_batch *batch);

#endif
