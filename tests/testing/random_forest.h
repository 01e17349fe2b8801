/* Forests nobody trained, for tests: any shape, any feature, from a seed. */
#ifndef SHW_TESTING_RANDOM_FOREST_H
#define SHW_TESTING_RANDOM_FOREST_H

#include "testing/testing.h"

/* Zero means what stands at the field. */
struct random_forest_params {
    uint64_t seed;
    const char *channels;                   /* WINN16 */
    struct shw_channel_kinds kinds;         /* that the text may name besides the library's */
    const struct shw_feature_type *feature; /* MEAN_DIFFERENCE */
    uint32_t classes;                       /* 2 */
    uint32_t trees;                         /* 1 */
    uint32_t depth;                         /* each tree's longest path has this many tests; 0: single leaves */
    uint32_t split_percent; /* other nodes above that depth are splits with this probability. 0: a chain of splits */
    uint32_t splits_max;    /* of a tree, where the chain leaves room: 1000 */
    int32_t offset_max; /* rectangles begin within this many pixels; 32000 and more makes them leave every image: 20 */
    int32_t size_max;   /* of their sides: 12. Cut where the sum could leave its range */
    uint32_t shapes;    /* that rectangles have; 0: any */
    uint32_t single_percent;  /* of splits that use one rectangle */
    enum shw_combine combine; /* MEAN */
    struct shw_smoothing smoothing;
    bool ferns;         /* all splits of a level have the first one's test */
    bool shares_leaves; /* half of the leaves of a tree have the number of an earlier one */
    bool extreme;       /* every third threshold is one of the largest or smallest integers */
    uint32_t levels;    /* alike but for their trees, each above the first reading what the one below says: 1 */
};

/* One of the library's types. */
const struct shw_feature_type *random_feature_type(struct testing_random *random);

/* Trees for shw_forest_create(), to be freed with random_trees_free(). */
struct shw_tree *random_trees(const struct random_forest_params *params);
void random_trees_free(struct shw_tree *trees, uint32_t count);

/* The channels of the levels above the first; false: there are too many. */
bool random_forest_channels(const struct random_forest_params *params, struct shw_channel_list *list);

/* The whole forest; fails the test if it is refused. */
struct shw_forest *random_forest(const struct random_forest_params *params);

#endif
