/* A batch: the samples of some open nodes and some of their candidates.
 *
 * Responses are computed image by image, so that the planes of an image stay in the cache while all nodes read them;
 * histograms are then filled node by node. What is kept of the responses until then depends on the node:
 *
 * responses  sample by sample: an image has few samples of a small node, and all candidates of a sample are computed
 *            together
 * bins       of one byte, candidate by candidate, for large nodes: more candidates fit, and images pass through the
 *            cache less often. Thresholds must be known before
 * counts     if planes are made again for every pass over the images, and not all responses fit into memory:
 *            histograms, to which the responses of some images at a time are added. Thresholds must be known before
 * sides      one bit per sample: whether it goes right in the split of its node, the only candidate
 *
 * A batch goes over the images in ranges that have as many responses for counts, and as many runs of samples, as there
 * is memory for. */
#ifndef SHW_DENSE_GROW_CPU_BATCH_H
#define SHW_DENSE_GROW_CPU_BATCH_H

#include "dense/grow/trainer.h"
#include "dense/grow_cpu/memory.h"
#include "dense/grow_cpu/responses.h"
#include "dense/split/split.h"

/* A node with at least so many samples is large: few of them are needed to make its thresholds. */
#define SHW_LARGE_NODE 8192u

/* Maximum number of candidates in an item. */
#define SHW_ITEM_CANDIDATES 384u

/* Responses that are computed together, per slot, at most. */
#define SHW_RESPOND_TABLE      ((size_t)SHW_BLOCK * SHW_ITEM_CANDIDATES)
#define SHW_RESPOND_SLOT_BYTES (SHW_RESPOND_TABLE * sizeof(int32_t) + sizeof(struct shw_image_block))

/* One side of a candidate's feature. */
struct shw_batch_side {
    uint32_t candidate; /* relative to the item's first */
    struct shw_feature_side side;
};

enum shw_item_kind { SHW_ITEM_RESPONSES, SHW_ITEM_BINS, SHW_ITEM_COUNTS, SHW_ITEM_SIDES };

/* Candidates first..first+count-1 of one open node, relative to the first candidate that this worker counts. */
struct shw_batch_item {
    uint32_t open, first, count;
    enum shw_item_kind kind;
    uint32_t side_count;
    size_t features;   /* index of the first candidate in shw_batch.features */
    size_t thresholds; /* bins: index of the first candidate in shw_batch.thresholds */
    size_t begin;  /* offset in shw_batch.bytes. Responses: rows of shw_batch_pitch() bytes, one per sample. Bins: one
                      per candidate. Counts: one histogram per candidate, of shw_batch_histogram() bytes */
    size_t values; /* offset in shw_batch.bytes: what thresholds are made from (shw_batch_probe()) */
    uint32_t visited; /* samples in the images up to this range */
    /* The samples in this range, and counts: the offset of the first one's row of responses in shw_batch.bytes. */
    uint32_t range_first, range_count;
    size_t range_rows;
};

struct shw_batch {
    struct shw_batch_item *items;
    uint32_t item_count, item_capacity;
    uint32_t *features;                /* words of all features; see shw_batch_lanes() */
    struct shw_batch_side *sides;      /* of each item from 2 * features on, by channel; unused without sides */
    struct shw_thresholds *thresholds; /* of items with bins */
    size_t threshold_capacity;
    char *bytes; /* memory of the trainer */
    size_t byte_limit;
    size_t range_bytes; /* counts: of the limit, for the responses of a range, at the end; otherwise 0 */
    size_t feature_capacity;
    size_t feature_count, threshold_count, byte_count; /* in use */
    uint32_t run_capacity;
};

/* Where the next batch begins; all zero: at the first node of the round. */
struct shw_batch_position {
    uint32_t open, candidate;
};

/* Bytes from one row of an item to the next. */
size_t shw_batch_pitch(const struct shw_batch_item *item, const struct shw_open_node *open);

/* Bytes of the histogram of one candidate of an item with counts. They are 16-bit numbers if shw_batch_is_narrow(). */
size_t shw_batch_histogram(const struct shw_trainer *trainer, uint32_t open);
static inline bool shw_batch_is_narrow(const struct shw_open_node *open)
{
    return open->count <= UINT16_MAX;
}

/* The interval of candidate `c` of an item. */
static inline struct shw_interval shw_batch_interval(const struct shw_trainer *trainer,
                                                     const struct shw_batch_item *item, uint32_t c)
{
    return shw_candidate_interval(trainer, item->open, trainer->candidate_begin + item->first + c);
}

/* The features of an item; one of them. */
struct shw_feature_lanes shw_batch_lanes(const struct shw_batch *batch, const struct shw_batch_item *item);
static inline struct shw_feature shw_batch_feature(const struct shw_feature_lanes *lanes, uint32_t i)
{
    return (struct shw_feature){
        {lanes->words[0][i], lanes->words[1][i], lanes->words[2][i], lanes->words[3][i], lanes->words[4][i]}};
}

/* Chooses the samples of an open node from which thresholds are made, relative to its first. Returns their number. */
uint32_t shw_choose_probes(const struct shw_trainer *trainer, const struct shw_open_node *open, uint32_t probes[256]);

/* Computes what the thresholds of items with bins or counts are made from. Errors: MEMORY, those of reading images. */
enum shw_result shw_batch_probe(struct shw_trainer *trainer, struct shw_batch *batch);

/* Copies what the thresholds of candidate `c` are made from; returns how many numbers. */
uint32_t shw_batch_get_values(const struct shw_trainer *trainer, const struct shw_batch *batch,
                              const struct shw_batch_item *item, uint32_t c, int32_t values[256]);

/* The same for the level of a fern, and for a block of candidates of workers that divide the images. */
enum shw_result shw_fern_level_probe(struct shw_trainer *trainer);
enum shw_result shw_block_probe(struct shw_trainer *trainer);

/* Computes all responses. Errors: MEMORY, those of reading images. */
enum shw_result shw_batch_respond(struct shw_trainer *trainer, struct shw_batch *batch);

/* Adds the responses of a range to the histograms of items with counts. Errors: MEMORY. */
enum shw_result shw_batch_count(struct shw_trainer *trainer, struct shw_batch *batch);

/* Fills the batch with as many items from *position on as it has room for; draws their candidates, and computes
 * thresholds and responses. At the end of the round the batch is empty. Errors: MEMORY, those of reading images. */
enum shw_result shw_batch_next(struct shw_trainer *trainer, struct shw_batch_position *position,
                               struct shw_batch *batch);

/* A batch for the open nodes. Errors: MEMORY. On failure *batch is zero. */
enum shw_result shw_batch_create(struct shw_trainer *trainer, struct shw_batch *batch);

/* A batch with one candidate, the feature of its split, for each open node that has one and is not in trainer->sided.
 * Errors: MEMORY. On failure *batch is zero. */
enum shw_result shw_batch_create_sides(struct shw_trainer *trainer, const struct shw_split *splits,
                                       struct shw_batch *batch);
void shw_batch_destroy(struct shw_batch *batch);

/* Makes trainer->batch at least that large; its contents are lost. False if out of memory. */
bool shw_batch_reserve(struct shw_trainer *trainer, size_t bytes);

/* Frees trainer->batch if it is larger than that. */
void shw_batch_trim(struct shw_trainer *trainer, uint64_t bytes);

#endif
