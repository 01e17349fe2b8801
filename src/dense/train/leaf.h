/* Distributions of leaves. */
#ifndef SHW_DENSE_TRAIN_LEAF_H
#define SHW_DENSE_TRAIN_LEAF_H

#include <shadewood/train.h>

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

#endif
