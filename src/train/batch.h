/* A batch: responses of the samples of some open nodes to some of their candidates, all in memory at once.
 *
 * Responses are computed image by image, so that the integral images of an image stay in the cache while all nodes read
 * them; histograms are then filled node by node. Responses of large nodes are stored as bins of one byte, candidate by
 * candidate: more candidates fit, and images pass through the cache less often. Responses of other nodes are stored
 * sample by sample: an image has few samples of such a node, and all candidates of a sample are computed together. */
#ifndef SHW_TRAIN_BATCH_H
#define SHW_TRAIN_BATCH_H

#include "train/candidates.h"
#include "train/trainer.h"

/* A node with at least so many samples is large: few of them are needed to make its thresholds. */
#define SHW_LARGE_NODE 8192u

/* Maximum number of candidates in an item. */
#define SHW_ITEM_CANDIDATES 384u

/* One side of a candidate's feature. */
struct shw_batch_side {
    uint32_t candidate; /* relative to the item's first */
    struct shw_feature_side side;
};

/* Candidates first..first+count-1 of one open node, relative to the first candidate that this worker counts. */
struct shw_batch_item {
    uint32_t open, first, count;
    bool binned;
    uint32_t side_count;
    size_t features;   /* index of the first candidate in shw_batch.features */
    size_t thresholds; /* index of the first candidate in shw_batch.thresholds, if binned */
    size_t begin;      /* offset in shw_batch.bytes; rows of shw_batch_pitch() bytes: if binned, one per candidate with
                          bins, else one per sample with responses */
};

struct shw_batch {
    struct shw_batch_item *items;
    uint32_t item_count;
    uint32_t *features;                /* words of all features; see shw_batch_lanes() */
    struct shw_batch_side *sides;      /* of each item from 2 * features on, by channel; unused without sides */
    struct shw_thresholds *thresholds; /* of binned items */
    char *bytes;                       /* memory of the trainer */
    size_t byte_limit;
    size_t feature_capacity;
    size_t feature_count, threshold_count, byte_count; /* in use */
};

/* Where the next batch begins; all zero: at the first node of the round. */
struct shw_batch_position {
    uint32_t open, candidate;
};

/* Bytes from one row of an item to the next. */
size_t shw_batch_pitch(const struct shw_batch_item *item, const struct shw_open_node *open);

/* The features of an item; one of them. */
struct shw_feature_lanes shw_batch_lanes(const struct shw_batch *batch, const struct shw_batch_item *item);
static inline struct shw_feature shw_batch_feature(const struct shw_feature_lanes *lanes, uint32_t i)
{
    return (struct shw_feature){
        {lanes->words[0][i], lanes->words[1][i], lanes->words[2][i], lanes->words[3][i], lanes->words[4][i]}};
}

/* Chooses the samples of an open node from which thresholds are made, relative to its first. Returns their number. */
uint32_t shw_choose_probes(const struct shw_trainer *trainer, const struct shw_open_node *open, uint32_t probes[256]);

/* Fills the batch with as many items from *position on as it has room for; draws their candidates and, for large nodes,
 * thresholds. At the end of the round the batch is empty. Errors: MEMORY. */
enum shw_result shw_batch_draw(struct shw_trainer *trainer, struct shw_batch_position *position,
                               struct shw_batch *batch);

/* shw_batch_draw(), then computes the responses. */
enum shw_result shw_batch_next(struct shw_trainer *trainer, struct shw_batch_position *position,
                               struct shw_batch *batch);

/* Errors: MEMORY. On failure *batch is zero. */
enum shw_result shw_batch_create(struct shw_trainer *trainer, struct shw_batch *batch);
void shw_batch_destroy(struct shw_batch *batch);

#endif
