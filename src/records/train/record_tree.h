/* Trees of a record forest from those that the trainer has grown on ranks: where among the values of a tree's examples
 * its thresholds are, where records without the attribute go, and what leaves say. */
#ifndef SHW_RECORDS_TRAIN_RECORD_TREE_H
#define SHW_RECORDS_TRAIN_RECORD_TREE_H

#include "dense/grow/trainer.h"
#include "records/train/ranks.h"

/* The forest so far, in the form of struct shw_record_forest_info. */
struct shw_record_trees {
    struct shw_record_tree *trees;
    struct shw_record_node *nodes;
    int32_t *leaf_values; /* [leaf][class] */
    uint32_t tree_count, node_count, leaf_count;
    uint32_t tree_capacity, node_capacity, value_capacity;
    uint64_t *drawn; /* [tree][word]: a bit for each example that the tree was trained on; NULL: not wanted */
};

/* Words of shw_record_trees.drawn per tree. */
static inline size_t shw_record_drawn_words(const struct shw_ranks *ranks)
{
    return ((size_t)ranks->count + 63) / 64;
}

/* Adds the trainer's tree number trees->tree_count. Errors: FORMAT (a tree of a checkpoint that these examples do not
 * make), LIMIT, MEMORY, CANCELLED. */
enum shw_result shw_record_trees_add(const struct shw_trainer *trainer, const struct shw_rank_images *images,
                                     const struct shw_records *records, struct shw_record_trees *trees);
void shw_record_trees_free(struct shw_record_trees *trees);

#endif
