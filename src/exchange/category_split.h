/* Categorical splits, written out as thresholds, by which they are decided alike. */
#ifndef SHW_EXCHANGE_CATEGORY_SPLIT_H
#define SHW_EXCHANGE_CATEGORY_SPLIT_H

#include "record_forest/builder.h"

#define SHW_CATEGORY_NODES_MAX (1u << 17) /* of a tree, written out */

/* The categories for which a split goes to one child, and all other numbers to the other one. A number is of the
 * category that is left when its fraction is cut off. */
struct shw_category_set {
    int32_t *limits;     /* thresholds in ascending order, between numbers outside and inside in turns, outside first;
                            to be freed with free(). NULL: the node is not a categorical split */
    uint32_t count;      /* of limits, at least 1 */
    bool inside_is_left; /* numbers inside go left */
};

/* Makes the limits of `count` categories in ascending order, of which none occurs twice. `zero` is the threshold up to
 * which a number is below the category 0: XGBoost takes -0.5 for no category, LightGBM for category 0. Errors: MEMORY.
 */
enum shw_result shw_category_set_make(const uint32_t *categories, uint32_t count, int32_t zero, const char *name,
                                      const struct shw_log *log, struct shw_category_set *set);

/* Writes out the categorical splits of a tree for shw_record_builder_add(), *expanded to be freed with free(). sets[n]
 * is that of nodes[n]; children are numbers below `count`. Subtrees that several ranges of numbers lead to are
 * repeated, with the same sources. `tree` is its number for messages, which begin with `name`. Errors: LIMIT for more
 * than SHW_CATEGORY_NODES_MAX nodes, which children that form a circle also lead to; MEMORY. */
enum shw_result shw_category_splits_expand(const struct shw_record_builder_node *nodes,
                                           const struct shw_category_set *sets, uint32_t tree, const char *name,
                                           const struct shw_log *log, struct shw_record_builder_node **expanded,
                                           uint32_t *expanded_count);

#endif
