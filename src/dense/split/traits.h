/* What a training may choose from, a line for each choice: its value, its name in options and in provenance, what the
 * help of the option says about it, and what it does. Names, help, limits and code come from these lists only; a value
 * without a line, or a line with something missing, does not compile. */
#ifndef SHW_DENSE_SPLIT_TRAITS_H
#define SHW_DENSE_SPLIT_TRAITS_H

#include <shadewood/train.h>

/* Samplings: how the labelled pixels of a picture are listed, and how many of each class are drawn; NULL: of all
 * classes together. Planned: the numbers depend on all images of the tree. The functions are in samples/sampling.c. */
#define SHW_SAMPLINGS(X)                                                                                               \
    X(SHW_SAMPLING_UNIFORM, "uniform", "uniform", list_in_order, NULL, false)                                          \
    X(SHW_SAMPLING_BALANCED, "balanced", ", balanced over the classes of each image", list_by_class, balance, false)   \
    X(SHW_SAMPLING_CLASS_UNIFORM, "class-uniform", ",\nor class-uniform: over those of all images", list_by_class,     \
      take_planned, true)

/* Pools of candidates. Shared: by all open nodes of a round. */
#define SHW_POOLS(X)                                                                                                   \
    X(SHW_POOL_NODE, "node", "each node draws its own candidates", false)                                              \
    X(SHW_POOL_ROUND, "round", " or all nodes\nof a round share them", true)

/* Priors of leaves: what a sample of a class counts. The functions are in grow/tree_builder.c. */
#define SHW_PRIORS(X)                                                                                                  \
    X(SHW_PRIOR_SAMPLES, "samples", "as in the samples", count_samples)                                                \
    X(SHW_PRIOR_DATA, "data", " or as in all of the data", count_data)

/* Weights of classes by their frequency. SHW_WEIGHTING_GIVEN, which is not an option, follows. The functions are in
 * train/trainer.c. */
#define SHW_WEIGHTINGS(X)                                                                                              \
    X(SHW_WEIGHTING_NONE, "none", "none", weigh_equally)                                                               \
    X(SHW_WEIGHTING_INVERSE_ROOT, "inverse-root", ", inverse-root", weigh_by_root)                                     \
    X(SHW_WEIGHTING_INVERSE, "inverse", " or inverse", weigh_by_inverse)

/* Columns. */
#define SHW_TRAIT_NAME(value, name, ...)       [value] = name,
#define SHW_TRAIT_HELP(value, name, help, ...) help
#define SHW_TRAIT_ONE(...)                     +1

#define SHW_SAMPLING_COUNT  (0u SHW_SAMPLINGS(SHW_TRAIT_ONE))
#define SHW_POOL_COUNT      (0u SHW_POOLS(SHW_TRAIT_ONE))
#define SHW_PRIOR_COUNT     (0u SHW_PRIORS(SHW_TRAIT_ONE))
#define SHW_WEIGHTING_COUNT (0u SHW_WEIGHTINGS(SHW_TRAIT_ONE))

/* Names by value, and NULL after the last one; and those of the measures of splits and of the schemes of thresholds. */
extern const char *const shw_sampling_names[];
extern const char *const shw_pool_names[];
extern const char *const shw_prior_names[];
extern const char *const shw_weighting_names[];
extern const char *const shw_score_names[];
extern const char *const shw_threshold_names[];

/* Whether the numbers of pixels depend on all images of a tree. */
bool shw_sampling_is_planned(enum shw_pixel_sampling sampling);

/* Whether all open nodes of a round have the same candidates. */
bool shw_pool_is_shared(enum shw_candidate_pool pool);

/* The number from which the candidates of an open node are drawn: that of the node, or of the round. */
static inline uint32_t shw_pool_place(enum shw_candidate_pool pool, uint32_t node, uint32_t round)
{
    return shw_pool_is_shared(pool) ? round : node;
}

#endif
