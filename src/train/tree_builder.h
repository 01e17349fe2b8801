/* One tree under construction: its samples, its rounds, its leaves. */
#ifndef SHW_TRAIN_TREE_BUILDER_H
#define SHW_TRAIN_TREE_BUILDER_H

#include "train/sampling.h"
#include "train/split.h"

struct shw_trainer;

/* An open node. */
struct shw_open_node {
    uint32_t node;         /* its number in the tree */
    uint32_t first, count; /* its samples */
};

/* One tree under construction. */
struct shw_tree_builder {
    struct shw_samples samples;
    struct shw_node *nodes;
    uint32_t node_count, node_capacity;
    struct shw_open_node *open;
    uint32_t *open_counts;                  /* by open node, of its samples by class */
    uint32_t open_count, depth, leaf_count; /* leaf_count: of the tree as it is */
    uint16_t *distributions;                /* by node, class_count values; only those of leaves are filled */
    struct shw_split *splits;               /* of the round that is going on, by open node; NULL between rounds */
    uint32_t *child_counts;                 /* by open node, of the left child by class, then of the right one */
    uint32_t *weights;                      /* of the classes, scaled for this tree */
    bool handed_over;                       /* to the back end */
};

/* Begins the next tree; begins and ends a round of it; makes it one of the trainer's trees. Between begin and end the
 * round's splits are found, shw_tree_builder_limit() drops those that would make too many leaves, and children are
 * counted. */
enum shw_result shw_tree_builder_begin(struct shw_trainer *trainer);
enum shw_result shw_tree_builder_round_begin(struct shw_trainer *trainer);
void shw_tree_builder_limit(struct shw_trainer *trainer);
enum shw_result shw_tree_builder_round_end(struct shw_trainer *trainer, uint32_t *splits_made);
enum shw_result shw_tree_builder_finish(struct shw_trainer *trainer);
void shw_tree_builder_free(struct shw_tree_builder *builder);

/* Draws the features of the round's splits again, from the numbers of their candidates. */
void shw_tree_builder_recall_features(struct shw_trainer *trainer);

/* The end of a round: turns open nodes into splits with two new leaves each, and opens those that may grow on.
 * `child_counts` as shw_partition_cpu() fills it in. Errors: MEMORY, LIMIT, UNSUPPORTED where a child has fewer samples
 * than any may have. */
enum shw_result shw_tree_builder_apply(struct shw_trainer *trainer, const struct shw_split *splits,
                                       const uint32_t *child_counts, uint32_t *made);

/* The tree as it is, its open nodes as leaves. The nodes remain the tree builder's; the distributions are to be freed.
 * Errors: MEMORY. */
enum shw_result shw_tree_builder_tree(struct shw_trainer *trainer, struct shw_tree *tree);

#endif
