/* Forests as the technique compute walks them: what a walk by their nodes reaches where no rectangle is clipped. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/feature/feature_code.h"
#include "dense/traverse/forest_table.h"
#include "shared/rectangle.h"
#include "shared/walk_node.h"
#include "testing/random_forest.h"

enum { WIDTH = 90, HEIGHT = 70, STRIDE = WIDTH + 5, PITCH = STRIDE * (HEIGHT + 3) };

/* Integral images of noise, and the values themselves. */
static int16_t values[3][HEIGHT][WIDTH];
static uint32_t integrals[3 * PITCH];

static void make_planes(struct testing_random *random)
{
    for (int c = 0; c < 3; c++)
        for (int y = 0; y <= HEIGHT; y++)
            for (int x = 0; x <= WIDTH; x++) {
                uint32_t *to = &integrals[c * PITCH + y * STRIDE + x];
                *to = 0;
                if (x == 0 || y == 0)
                    continue;
                values[c][y - 1][x - 1] = (int16_t)testing_random_below(random, 4081);
                *to = (uint32_t)values[c][y - 1][x - 1] + to[-1] + to[-STRIDE] - to[-STRIDE - 1];
            }
}

/* By definition, from the forest. */
static int32_t response_at(const struct shw_feature *packed, const struct shw_feature_type *type, int x, int y)
{
    struct shw_rectangle_difference feature = shw_rectangle_difference_unpack(packed);
    int64_t result = 0;

    for (int r = 0; r < (feature.single ? 1 : 2); r++) {
        const struct shw_rectangle *rect = &feature.rectangle[r];
        int64_t sum = 0, area = (int64_t)(rect->x1 - rect->x0) * (rect->y1 - rect->y0);
        for (int dy = rect->y0; dy < rect->y1; dy++)
            for (int dx = rect->x0; dx < rect->x1; dx++)
                sum += values[feature.channel[r]][y + dy][x + dx];
        result += (r == 0 ? 1 : -1) * (type == &shw_feature_mean_difference ? sum / area : sum);
    }
    return (int32_t)result;
}

static uint32_t leaf_at(const struct shw_forest *forest, uint32_t tree, int x, int y)
{
    struct shw_node node = shw_forest_get_node(forest, tree, 0);

    while (node.is_split) {
        int32_t response = response_at(&node.feature, shw_forest_get_info(forest)->feature, x, y);
        node = shw_forest_get_node(forest, tree, node.left + (node.t0 <= response && response < node.t1));
    }
    return node.leaf;
}

static int32_t value_by(const uint32_t *corners, uint32_t channel, const struct shw_feature_type *type, int x, int y)
{
    int x0 = x + (int16_t)corners[0], y0 = y + (int16_t)(corners[0] >> 16);
    int x1 = x + (int16_t)corners[1], y1 = y + (int16_t)(corners[1] >> 16);
    const uint32_t *upper = integrals + channel * PITCH + y0 * STRIDE, *lower = upper + (y1 - y0) * STRIDE;
    int32_t sum = (int32_t)(lower[x1] - lower[x0] - upper[x1] + upper[x0]);

    return type == &shw_feature_mean_difference ? sum / ((x1 - x0) * (y1 - y0)) : sum;
}

/* What the shader does. */
static uint32_t walk(const uint32_t *nodes, uint32_t tree, const struct shw_feature_type *type, int x, int y)
{
    uint32_t at = nodes[4 * tree];

    for (uint32_t level = 0; level < nodes[4 * tree + 1]; level++) {
        const uint32_t *node = nodes + 4 * (size_t)at;
        uint32_t head = node[3];
        int32_t response = (int32_t)node[2] == INT32_MIN ? 0 : value_by(node + 4, head & 0xfff, type, x, y);
        if ((head >> 25 & 1) != 0)
            response -= value_by(node + 6, head >> 12 & 0xfff, type, x, y);
        at = node[0] + SHW_WALK_TEXELS_PLAIN * ((int32_t)node[1] <= response && response < (int32_t)node[2]);
    }
    return nodes[4 * (size_t)at + 1];
}

static void check(uint64_t seed, const struct shw_feature_type *feature, uint32_t depth)
{
    const struct random_forest_params params = {.seed = seed,
                                                .feature = feature,
                                                .channels = SHW_CHANNELS_RGB,
                                                .trees = 3,
                                                .depth = depth,
                                                .split_percent = 70,
                                                .single_percent = 30,
                                                .offset_max = 15,
                                                .size_max = 12};
    struct shw_forest *forest = random_forest(&params);
    struct shw_walk_nodes measured = shw_walk_nodes_measure(forest, 3, UINT64_MAX);
    uint32_t *nodes = malloc(measured.texels * 16 + 4);
    struct testing_random random = {seed};
    struct shw_reach reach = {0, 0, 0, 0};
    uint64_t count = 3;

    assert_non_null(nodes);
    make_planes(&random);
    nodes[measured.texels * 4] = 0xdeadbeef;
    shw_walk_nodes_write(forest, 3, UINT64_MAX, STRIDE, PITCH, nodes);
    assert_int_equal(nodes[measured.texels * 4], 0xdeadbeef);
    for (uint32_t t = 0; t < 3; t++)
        for (uint32_t n = 0; n < shw_forest_get_tree(forest, t).node_count; n++) {
            struct shw_node node = shw_forest_get_node(forest, t, n);
            count += SHW_WALK_TEXELS_PLAIN;
            struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(&node.feature);
            for (int r = 0; node.is_split && r < 2; r++) {
                const struct shw_rectangle *rect = &difference.rectangle[r];
                reach.x0 = rect->x0 < reach.x0 ? rect->x0 : reach.x0;
                reach.y0 = rect->y0 < reach.y0 ? rect->y0 : reach.y0;
                reach.x1 = rect->x1 > reach.x1 ? rect->x1 : reach.x1;
                reach.y1 = rect->y1 > reach.y1 ? rect->y1 : reach.y1;
            }
        }
    assert_int_equal(measured.texels, count);
    assert_memory_equal(&measured.reach, &reach, sizeof reach);
    for (uint32_t t = 0; t < 3; t++)
        for (int y = -reach.y0; y + reach.y1 <= HEIGHT; y++)
            for (int x = -reach.x0; x + reach.x1 <= WIDTH; x++)
                assert_int_equal(walk(nodes, t, feature, x, y), leaf_at(forest, t, x, y));
    free(nodes);
    shw_forest_destroy(&forest);
}

static int32_t prepared_value(const uint32_t *rect, const struct shw_feature_type *type, uint32_t word)
{
    const uint32_t *upper = integrals + (uint32_t)(word + rect[0]), *lower = upper + rect[2];
    uint32_t width = rect[1] & 0xffff;
    int32_t sum = (int32_t)(lower[width] - lower[0] - upper[width] + upper[0]);

    return type == &shw_feature_mean_difference ? shw_mean_by(sum, rect[3], rect[1] >> 16) : sum & (int32_t)rect[3];
}

/* What ferns read where no rectangle is clipped. */
static void check_prepared(uint64_t seed, const struct shw_feature_type *type)
{
    const struct random_forest_params params = {.seed = seed,
                                                .feature = type,
                                                .channels = SHW_CHANNELS_RGB,
                                                .trees = 1,
                                                .depth = 7,
                                                .split_percent = 90,
                                                .single_percent = 30,
                                                .offset_max = 15,
                                                .size_max = 12};
    struct shw_forest *forest = random_forest(&params);
    struct testing_random random = {seed};
    uint32_t splits = 0;

    make_planes(&random);
    for (uint32_t n = 0; n < shw_forest_get_tree(forest, 0).node_count; n++) {
        struct shw_node node = shw_forest_get_node(forest, 0, n);
        uint32_t words[8] = {0};
        if (!node.is_split)
            continue;
        splits++;
        type->code->prepare(&node.feature, STRIDE, PITCH, words);
        for (int y = 30; y < 40; y++)
            for (int x = 30; x < 60; x++) {
                uint32_t word = (uint32_t)(y * STRIDE + x);
                assert_int_equal(prepared_value(words, type, word) - prepared_value(words + 4, type, word),
                                 response_at(&node.feature, type, x, y));
            }
    }
    assert_true(splits > 0);
    shw_forest_destroy(&forest);
}

static int32_t value_at(uint32_t place)
{
    return values[place / PITCH][place % PITCH / STRIDE][place % PITCH % STRIDE];
}

static uint32_t walk_places(const uint32_t *nodes, uint32_t tree, int pixel)
{
    uint32_t at = nodes[4 * tree];

    for (uint32_t level = 0; level < nodes[4 * tree + 1]; level++) {
        const uint32_t *node = nodes + 4 * (size_t)at;
        int32_t second = (node[0] & SHW_WALK_PAIR) != 0 ? value_at((uint32_t)pixel + node[3]) : 0;
        int32_t response = value_at((uint32_t)pixel + node[2]) - second;
        at = (node[0] & ~SHW_WALK_PAIR) +
             SHW_WALK_TEXELS_PLAIN * ((int32_t)node[1] <= response && response < (int32_t)node[4]);
    }
    return nodes[4 * (size_t)at + 1] - 1;
}

/* Nodes of places, where nothing is clipped, as the shader walks them: of most nodes, one texel. */
TESTING_CASE(places_are_walked)
{
    for (uint64_t seed = 40; seed < 46; seed++) {
        const struct random_forest_params params = {.seed = seed,
                                                    .feature = &shw_feature_pixel_difference,
                                                    .channels = SHW_CHANNELS_RGB,
                                                    .trees = 2,
                                                    .depth = (uint32_t)(seed - 40) * 2,
                                                    .split_percent = 80,
                                                    .single_percent = 30,
                                                    .offset_max = 15,
                                                    .size_max = 1};
        struct shw_forest *forest = random_forest(&params);
        const struct shw_walk_nodes measured = shw_walk_nodes_measure(forest, 2, UINT64_MAX);
        uint32_t *nodes = malloc(measured.texels * 16);
        struct testing_random random = {seed};
        bool has_intervals = false;

        assert_non_null(nodes);
        make_planes(&random);
        shw_walk_nodes_write(forest, 2, UINT64_MAX, STRIDE, PITCH, nodes);
        for (uint32_t t = 0; t < 2; t++) {
            for (uint32_t n = 0; n < shw_forest_get_tree(forest, t).node_count; n++) {
                const struct shw_node node = shw_forest_get_node(forest, t, n);
                has_intervals = has_intervals || (node.is_split && node.t1 != INT32_MAX);
            }
            for (int y = 20; y < 30; y++)
                for (int x = 20; x < 60; x++)
                    assert_int_equal(walk_places(nodes, t, y * STRIDE + x), leaf_at(forest, t, x, y));
        }
        assert_int_equal(measured.has_intervals, has_intervals);
        free(nodes);
        shw_forest_destroy(&forest);
    }
}

/* Consecutive trees, as many as fit; each group as if it were a forest of its own. */
TESTING_CASE(groups_are_forests)
{
    const struct random_forest_params params = {
        .seed = 21, .channels = SHW_CHANNELS_RGB, .trees = 9, .depth = 6, .split_percent = 60};
    struct shw_forest *forest = random_forest(&params);
    uint64_t largest = 0, all = shw_walk_nodes_measure(forest, 9, UINT64_MAX).texels;

    for (uint32_t t = 0; t < 9; t++)
        largest = shw_walk_tree_texels(forest, t) > largest ? shw_walk_tree_texels(forest, t) : largest;
    for (uint64_t most = largest; most <= all + 40; most += 40) {
        struct shw_walk_nodes measured = shw_walk_nodes_measure(forest, 9, most);
        uint32_t *nodes = malloc(measured.texels * 16), count = 0, trees = 0;
        struct shw_walk_group group = {0};
        assert_non_null(nodes);
        shw_walk_nodes_write(forest, 9, most, STRIDE, PITCH, nodes);
        while (group = shw_walk_group_next(forest, 9, most, group), group.count > 0) {
            uint64_t texels = 0;
            assert_int_equal(group.first, trees);
            assert_int_equal(group.begin % SHW_WALK_GROUP_TEXELS, 0);
            for (uint32_t t = 0; t < group.count; t++) {
                const uint32_t *entry = nodes + 4 * (group.begin + t);
                assert_int_equal(entry[0], group.count + (texels - t));
                assert_int_equal(entry[1], shw_forest_get_tree(forest, trees + t).depth);
                texels += shw_walk_tree_texels(forest, trees + t);
            }
            assert_int_equal(texels, group.texels);
            assert_true(texels <= most && group.begin + texels <= measured.texels);
            trees += group.count;
            assert_true(trees == 9 || texels + shw_walk_tree_texels(forest, trees) > most);
            count++;
        }
        assert_int_equal(trees, 9);
        assert_int_equal(measured.groups, count);
        assert_int_equal(count == 1, most >= all);
        free(nodes);
    }
    assert_int_equal(shw_walk_nodes_measure(forest, 9, largest - 1).groups, 0);
    shw_forest_destroy(&forest);
}

TESTING_CASE(means)
{
    for (uint64_t seed = 1; seed < 4; seed++)
        check(seed, &shw_feature_mean_difference, 9);
}

TESTING_CASE(sums)
{
    for (uint64_t seed = 11; seed < 14; seed++)
        check(seed, &shw_feature_sum_difference, 9);
}

TESTING_CASE(prepared)
{
    check_prepared(31, &shw_feature_mean_difference);
    check_prepared(32, &shw_feature_sum_difference);
}

TESTING_CASE(leaves_alone)
{
    check(21, &shw_feature_mean_difference, 0);
}
