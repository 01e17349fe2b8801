/* Growing one tree of a boosted cascade from the histograms of a back end. */
#ifndef SHW_DETECTION_BOOST_TREE_H
#define SHW_DETECTION_BOOST_TREE_H

#include <shadewood/detect_train.h>

#include "base/thread_pool.h"
#include "detection/boost/backend.h"

#define SHW_BOOSTED_DEPTH_MAX 8u
#define SHW_BOOSTED_NODES_MAX ((2u << SHW_BOOSTED_DEPTH_MAX) - 1)

#define SHW_BOOSTED_FRACTION_BITS 16u /* of leaf values and scores */

/* Nodes in the order of a cascade's. */
struct shw_boosted_tree {
    struct shw_cascade_node nodes[SHW_BOOSTED_NODES_MAX];
    uint32_t node_count;
};

/* The value of the leaf that a patch, of rows of `width` values, reaches. */
int32_t shw_boosted_tree_value(const struct shw_cascade_node *nodes, const uint16_t *patch, uint32_t width);

/* What a tree is grown from. */
struct shw_boosting_samples {
    const uint16_t *patches; /* the same as the back end has */
    const uint8_t *classes;
    uint32_t *weights;
    uint32_t count;
};

struct shw_boosting_choice {
    uint64_t seed;
    enum shw_boosting boosting;
    uint32_t width, height; /* of the window */
    uint32_t border;        /* pixels of it on each side that no test looks at */
    uint32_t depth, candidates, thresholds;
};

/* The weights of one class that AdaBoost gives by scores, exp(-score) of objects and exp(score) of backgrounds, in
 * integers that sum up to less than 2^23. Those with `left_out` have none. */
void shw_boosting_weigh(const int32_t *scores, const bool *left_out, uint32_t count, bool objects, uint32_t *weights);

/* The loss of a leaf with these sums of weights, which training minimises: it grows as classes are mixed. */
uint64_t shw_boosting_loss(enum shw_boosting boosting, uint32_t object, uint32_t background);

/* The value of a leaf with these sums. Both are increased by a little, which keeps leaves of few samples from
 * certainty. */
int32_t shw_boosting_value(enum shw_boosting boosting, uint32_t object, uint32_t background);

/* Grows tree number `tree`; `leaves`, of samples->count, become the nodes that the samples reach. Errors: those of the
 * back end, MEMORY. */
enum shw_result shw_boosting_grow(const struct shw_boosting_choice *choice, struct shw_boost *boost,
                                  struct shw_thread_pool *pool, const struct shw_log *log, uint32_t tree,
                                  const struct shw_boosting_samples *samples, struct shw_boosted_tree *result,
                                  uint16_t *leaves);

#endif
