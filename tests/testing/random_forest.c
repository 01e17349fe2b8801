#include "testing/random_forest.h"

#include <stdlib.h>
#include <string.h>

#include "dense/channels/posterior.h"
#include "dense/feature/feature_code.h"

static struct random_forest_params with_defaults(const struct random_forest_params *given)
{
    struct random_forest_params params = *given;

    params.channels = params.channels != NULL ? params.channels : SHW_CHANNELS_WINN16;
    params.feature = params.feature != 0 ? params.feature : &shw_feature_mean_difference;
    if (params.feature->reads_depth && strstr(params.channels, "depth") == NULL)
        params.channels = "constant-depth:1500,rgb";
    params.classes = params.classes > 0 ? params.classes : 2;
    params.trees = params.trees > 0 ? params.trees : 1;
    params.splits_max = params.splits_max > 0 ? params.splits_max : 1000;
    params.offset_max = params.offset_max > 0 ? params.offset_max : 20;
    params.size_max = params.size_max > 0 ? params.size_max : 12;
    if (params.feature->reads == SHW_FEATURE_READS_CHANNELS) /* at single pixels */
        params.size_max = 1;
    return params;
}

static void random_range(struct testing_random *random, int32_t offset_max, int32_t size_max, int16_t *first,
                         int16_t *end)
{
    /* every size of size and offset: those of an image's size tell pixels apart */
    int32_t size = testing_random_range(random, 1, 1 + ((size_max - 1) >> testing_random_below(random, 8)));
    int32_t reach = offset_max >> testing_random_below(random, 16);
    int32_t low = testing_random_range(random, -reach, reach);

    *first = (int16_t)(low < INT16_MIN ? INT16_MIN : low > INT16_MAX - size ? INT16_MAX - size : low);
    *end = (int16_t)(*first + size);
}

const struct shw_feature_type *random_feature_type(struct testing_random *random)
{
    uint32_t count = 0;

    while (shw_feature_type_get(count) != NULL)
        count++;
    return shw_feature_type_get(testing_random_below(random, count));
}

/* The differences of rectangles and pixels, whose words are struct shw_rectangle_difference. */
static bool is_difference(const struct shw_feature_type *type)
{
    return type == &shw_feature_mean_difference || type == &shw_feature_sum_difference ||
           type == &shw_feature_pixel_difference;
}

/* As in training. */
static int32_t drawn_feature(struct testing_random *random, const struct random_forest_params *params,
                             const struct shw_channel_list *set, struct shw_feature *feature)
{
    const struct shw_candidate_space space = {.key = (uint32_t)testing_random_next(random),
                                              .channels = set->channel_count,
                                              .size_max = (uint32_t)params->size_max,
                                              .offset_max = (uint32_t)params->offset_max,
                                              .single_percent = params->single_percent};

    *feature = params->feature->code->draw(set, &space, 0, testing_random_below(random, 1000));
    return (int32_t)params->feature->get_bound(feature, set);
}

/* Squares, and every second shape twice as wide as high, or twice as high as wide and one pixel more: the longest side
 * is even or odd. */
static void make_shape(const struct random_forest_params *params, uint32_t number, struct shw_rectangle *rect)
{
    const int32_t side = 1 + (int32_t)number * params->size_max / (int32_t)params->shapes;
    const bool is_wide = number % 2 == 1 && side % 2 == 0, is_tall = number % 2 == 1 && side % 2 == 1;

    rect->x1 = (int16_t)shw_min(rect->x0 + (is_wide ? 2 * side : side), INT16_MAX);
    rect->y1 = (int16_t)shw_min(rect->y0 + (is_tall ? 2 * side + 1 : side), INT16_MAX);
}

/* Returns the magnitude that the response can be expected to have. */
static int32_t random_feature(struct testing_random *random, const struct random_forest_params *params,
                              struct shw_feature *feature)
{
    struct shw_channel_list set;
    struct shw_rectangle_difference difference = {0};
    int32_t magnitude = 0;

    assert_int_equal(shw_channel_list_parse(params->channels, &params->kinds, NULL, &set), SHW_OK);
    if (!is_difference(params->feature))
        return drawn_feature(random, params, &set, feature);
    difference.single = testing_random_below(random, 100) < params->single_percent;
    for (int r = 0; r < 2; r++) {
        struct shw_rectangle *rect = &difference.rectangle[r];
        int64_t bound, area;
        difference.channel[r] = (uint16_t)testing_random_below(random, set.channel_count);
        bound = set.channels[difference.channel[r]].max_abs;
        random_range(random, params->offset_max, params->size_max, &rect->x0, &rect->x1);
        random_range(random, params->offset_max, params->size_max, &rect->y0, &rect->y1);
        if (params->shapes > 0 && params->feature != &shw_feature_pixel_difference)
            make_shape(params, testing_random_below(random, params->shapes), rect);
        area = (int64_t)(rect->x1 - rect->x0) * (rect->y1 - rect->y0);
        if (area * bound >= 1 << 30) {
            rect->x1 = (int16_t)(rect->x0 + 1);
            rect->y1 = (int16_t)(rect->y0 + 1);
            area = 1;
        }
        bound = params->feature == &shw_feature_sum_difference ? bound * area : bound;
        magnitude = bound > magnitude ? (int32_t)bound : magnitude;
    }
    *feature = shw_rectangle_difference_pack(&difference);
    return magnitude;
}

static void random_thresholds(struct testing_random *random, bool extreme, int32_t magnitude, struct shw_node *node)
{
    static const int32_t bounds[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
    int32_t spread = 1 + (magnitude >> (2 + testing_random_below(random, 6))); /* responses are mostly small */

    node->t0 = testing_random_range(random, -spread, spread);
    node->t1 = testing_random_below(random, 2) == 0 ? INT32_MAX : node->t0 + testing_random_range(random, 1, spread);
    if (extreme && testing_random_below(random, 3) == 0) {
        uint32_t low = testing_random_below(random, 6);
        node->t0 = bounds[low];
        node->t1 = bounds[low + 1 + testing_random_below(random, 6 - low)];
    }
}

/* Nodes in breadth-first order; the first node of each level above the depth is a split, so that the depth is
 * reached. */
static uint32_t grow(struct testing_random *random, const struct random_forest_params *params, struct shw_node *nodes)
{
    uint32_t splits = 0, depth = 0, level_end = 1, n;
    struct shw_node test = {0};

    for (n = 0; n < 1 + 2 * splits; n++) {
        bool first = n == 0 || n == level_end;
        if (n == level_end) {
            depth++;
            level_end = 1 + 2 * splits;
        }
        nodes[n] = (struct shw_node){.left = n, .leaf = n - splits};
        if (depth < params->depth && (first || (splits + params->depth < params->splits_max &&
                                                testing_random_below(random, 100) < params->split_percent))) {
            nodes[n] = (struct shw_node){.is_split = true, .left = 1 + 2 * splits++};
            random_thresholds(random, params->extreme, random_feature(random, params, &nodes[n].feature), &nodes[n]);
            if (first)
                test = nodes[n];
            if (params->ferns) {
                test.left = nodes[n].left;
                nodes[n] = test;
            }
        }
    }
    return n;
}

static void random_distribution(struct testing_random *random, uint32_t classes, uint16_t *values)
{
    uint32_t left = 65535;

    for (uint32_t parts = testing_random_below(random, 4); parts > 0; parts--) {
        uint32_t part = testing_random_below(random, left + 1);
        uint32_t class = testing_random_below(random, classes);
        values[class] = (uint16_t)(values[class] + part);
        left -= part;
    }
    values[testing_random_below(random, classes)] += (uint16_t)left;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL)
        abort();
    return memory;
}

/* Gives half of the leaves but the first the number of an earlier one; returns how many numbers there are. */
static uint32_t share_leaves(struct testing_random *random, struct shw_node *nodes, uint32_t count)
{
    uint32_t numbers = 0;

    for (uint32_t n = 0; n < count; n++)
        if (!nodes[n].is_split)
            nodes[n].leaf =
                numbers > 0 && testing_random_below(random, 2) == 0 ? testing_random_below(random, numbers) : numbers++;
    return numbers;
}

struct shw_tree *random_trees(const struct random_forest_params *given)
{
    struct random_forest_params params = with_defaults(given);
    struct testing_random random = {params.seed};
    struct shw_tree *trees = allocate(params.trees, sizeof *trees);

    for (uint32_t t = 0; t < params.trees; t++) {
        struct shw_node *nodes = allocate((size_t)2 * (params.splits_max + params.depth) + 1, sizeof *nodes);
        uint32_t count = grow(&random, &params, nodes), leaves = (count + 1) / 2;
        uint32_t numbers = params.shares_leaves ? share_leaves(&random, nodes, count) : 0;
        uint16_t *distributions = allocate((size_t)leaves * params.classes, sizeof *distributions);
        for (uint32_t l = 0; l < leaves; l++)
            random_distribution(&random, params.classes, distributions + (size_t)l * params.classes);
        trees[t] = (struct shw_tree){nodes, count, distributions, numbers};
    }
    return trees;
}

void random_trees_free(struct shw_tree *trees, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++) {
        free((void *)(uintptr_t)trees[t].nodes);
        free((void *)(uintptr_t)trees[t].distributions);
    }
    free(trees);
}

static struct shw_forest *random_level(const struct random_forest_params *given, const struct shw_forest *below)
{
    struct random_forest_params params = with_defaults(given);
    struct shw_tree *trees = random_trees(&params);
    struct testing_log memory;
    struct shw_forest *forest = NULL;
    struct shw_forest_params create = {.info = {.channels = params.channels,
                                                .kinds = params.kinds,
                                                .feature = params.feature,
                                                .class_count = params.classes,
                                                .tree_count = params.trees,
                                                .combine = params.combine,
                                                .smoothing = params.smoothing,
                                                .below = below,
                                                .training = "{\"made_by\":\"chance\"}"},
                                       .trees = trees,
                                       .log = testing_log(&memory)};

    assert_int_equal(shw_forest_create(&create, &forest), SHW_OK);
    random_trees_free(trees, params.trees);
    return forest;
}

bool random_forest_channels(const struct random_forest_params *given, struct shw_channel_list *list)
{
    const struct random_forest_params params = with_defaults(given);
    char why[SHW_CHANNEL_WHY_SIZE];
    struct shw_channel_list image;

    assert_int_equal(shw_channel_list_parse(params.channels, &params.kinds, NULL, &image), SHW_OK);
    return shw_posterior_add(&image, &params.kinds, params.classes, list, why);
}

struct shw_forest *random_forest(const struct random_forest_params *given)
{
    struct shw_forest *forest = random_level(given, NULL), *above;
    struct random_forest_params params = with_defaults(given);
    struct shw_channel_list list;

    if (params.levels > 1) {
        assert_true(random_forest_channels(&params, &list));
        params.channels = list.name;
    }
    for (uint32_t level = 2; level <= params.levels; level++) {
        params.seed++;
        above = random_level(&params, forest);
        shw_forest_destroy(&forest);
        forest = above;
    }
    return forest;
}
