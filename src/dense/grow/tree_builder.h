/* Distributions of leaves. */
#ifndef SHW_DENSE_GROW_TREE_BUILDER_H
#define SHW_DENSE_GROW_TREE_BUILDER_H

#include <shadewood/proposer.h>
#include <shadewood/train.h>

#include "dense/forest/gains.h"
#include "dense/grow/tree_samples.h"
#include "dense/samples/sampling.h"
#include "dense/split/split.h"

/* How the samples of a tree become the distributions of its leaves. */
struct shw_leaf_rule {
    uint32_t classes, bias_percent;
    unsigned __int128 *weights; /* [class]: what a sample counts */
};

/* Makes the rule of a tree with these samples by class. `weights` are those of its samples in scores, `class_pixels`
 * the labelled pixels of the training set. False if out of memory. */
bool shw_leaf_rule_make(const struct shw_trainer_params *params, uint32_t classes, const uint32_t *weights,
                        const uint64_t *class_pixels, const uint64_t *samples, struct shw_leaf_rule *rule);
void shw_leaf_rule_free(struct shw_leaf_rule *rule);

/* The distribution of a leaf with these samples by class, at least one in all: shares of 65535 by largest remainders,
 * the lowest class first among equals. */
void shw_leaf_distribute(const struct shw_leaf_rule *rule, const uint32_t *counts, uint16_t *distribution);

struct shw_trainer;

/* An open node. */
struct shw_open_node {
    uint32_t node;         /* number in the tree */
    uint32_t first, count; /* its samples */
    uint32_t all, before;  /* those of all workers that divide the images, and of them those of the workers before this
                              one: samples are numbered through. Otherwise count and 0 */
};

/* One tree under construction. */
struct shw_tree_builder {
    struct shw_samples samples;
    uint32_t whole_samples; /* of all workers that divide the images */
    struct shw_node *nodes;
    uint32_t node_count, node_capacity;
    struct shw_open_node *open;
    uint32_t *open_counts;                  /* [open node][class], of all workers that divide the images */
    uint32_t *own_counts;                   /* the same of this worker's samples; NULL where images are not divided */
    uint32_t open_count, depth, leaf_count; /* leaf_count: of the tree so far */
    uint16_t *distributions;                /* [node][class]; only those of leaves are filled in */
    struct shw_split *splits;               /* of the current round, by open node; NULL between rounds */
    uint32_t *child_counts;                 /* per open node: class counts of the left child, then of the right one, of
                                               own samples */
    uint32_t *weights;                      /* of the classes, scaled for this tree */
    struct shw_leaf_rule leaf_rule;
    struct shw_gains gains;            /* of the splits made */
    struct shw_proposer_split *chosen; /* the splits made, if there is a proposer */
    uint32_t chosen_count, chosen_capacity;
    uint64_t proposals[SHW_DEPTH_MAX]; /* by round: a hash of what was proposed; 0: not yet */
    uint64_t mass;                     /* of the samples, weighted */
    bool handed_over;                  /* to the back end */
    enum shw_samples_origin origin;    /* of the samples; set when they are taken */
};

/* Begin the next tree; begin and end one of its rounds; move it to the trainer's trees. Within a round, splits are
 * found, shw_tree_builder_limit() drops those that would make too many leaves, and the samples of children are counted.
 */
enum shw_result shw_tree_builder_begin(struct shw_trainer *trainer);
enum shw_result shw_tree_builder_round_begin(struct shw_trainer *trainer);
void shw_tree_builder_limit(struct shw_trainer *trainer);
enum shw_result shw_tree_builder_round_end(struct shw_trainer *trainer, uint32_t *splits_made);
enum shw_result shw_tree_builder_finish(struct shw_trainer *trainer);
void shw_tree_builder_free(struct shw_tree_builder *builder);

/* [open node][class]: of the trainer's own samples. */
static inline const uint32_t *shw_tree_builder_own_counts(const struct shw_tree_builder *builder)
{
    return builder->own_counts != NULL ? builder->own_counts : builder->open_counts;
}

/* Lists what the classes that an open node has weigh, and how many samples it has of each; returns how many they are.
 * Both have room for all classes. */
uint32_t shw_tree_builder_list_classes(const struct shw_trainer *trainer, uint32_t open, uint32_t *weights,
                                       uint32_t *counts);

/* Fills in the features of the round's splits, from their candidate numbers. */
void shw_tree_builder_recall_features(struct shw_trainer *trainer);

/* Fails because a histogram of an open node does not hold all of its samples, whatever the cause. */
enum shw_result shw_tree_builder_lost(const struct shw_trainer *trainer, uint32_t open);

/* Ends a round: turns open nodes into splits with two new leaves each, and opens those that may be split further.
 * `child_counts`: per open node, the class counts of the left child, then of the right one; workers that divide the
 * images add them up. Errors: MEMORY, LIMIT, UNSUPPORTED if a child has too few samples, or the children do not have
 * those of the node; those of the exchange. */
enum shw_result shw_tree_builder_apply(struct shw_trainer *trainer, const struct shw_split *splits,
                                       const uint32_t *child_counts, uint32_t *made);

/* The tree so far, with open nodes as leaves. The nodes remain the tree builder's; the caller frees the distributions.
 * Errors: MEMORY. */
enum shw_result shw_tree_builder_tree(struct shw_trainer *trainer, struct shw_tree *tree);

#endif
