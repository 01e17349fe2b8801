/* Building record forests from trees in any order: breadth-first order, shares, fixed point. */
#include "records/model/builder.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cases.h"
#include "testing/record_forests.h"

/* Nodes of a forest in an order that is nobody's, among some that nothing leads to. */
static struct shw_record_builder_node *shuffle(const struct shw_record_forest_info *info, uint32_t tree,
                                               struct testing_random *random, const double *values, uint32_t *count)
{
    const struct shw_record_tree *of = &info->trees[tree];
    const struct shw_record_node *nodes = info->nodes + of->first_node;
    uint32_t *places = malloc(of->node_count * sizeof *places);
    struct shw_record_builder_node *shuffled;

    *count = of->node_count + 3;
    shuffled = calloc(*count, sizeof *shuffled);
    assert_true(places != NULL && shuffled != NULL);
    for (uint32_t n = 0; n < of->node_count; n++)
        places[n] = n;
    for (uint32_t n = of->node_count; n > 2; n--) { /* the root stays the first */
        uint32_t other = 1 + testing_random_below(random, n - 1), place = places[n - 1];
        places[n - 1] = places[other];
        places[other] = place;
    }
    for (uint32_t n = 0; n < of->node_count; n++) {
        const struct shw_record_node *node = &nodes[n];
        struct shw_record_builder_node *own = &shuffled[places[n]];
        *own = (struct shw_record_builder_node){.is_split = node->is_split, .source = node->source};
        if (node->is_split) {
            own->missing_right = node->missing_right;
            own->zero_missing = node->zero_missing;
            own->set = node->is_set ? info->sets + (uint32_t)node->threshold : NULL;
            own->left = places[node->left];
            own->right = places[node->left + 1];
            own->attribute = node->attribute;
            own->threshold = node->threshold;
        } else {
            own->left = own->right = 0xdeadbeef; /* of leaves, nobody reads it */
            own->values = values + ((size_t)of->first_leaf + node->leaf) * info->values_per_leaf;
        }
    }
    for (uint32_t n = of->node_count; n < *count; n++)
        shuffled[n] = (struct shw_record_builder_node){.is_split = true, .left = 0, .right = n};
    free(places);
    return shuffled;
}

TESTING_CASE(shuffled_trees_become_the_same_forest)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct shw_record_forest *forest =
            random_record_forest(&(struct random_record_forest_params){.seed = seed,
                                                                       .task = SHW_RECORD_VALUES,
                                                                       .one_value = seed % 2 == 0,
                                                                       .large_values = true,
                                                                       .depth = 8,
                                                                       .sets = seed % 3 == 0 ? 40 : 0});
        const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
        size_t count = (size_t)info->leaf_count * info->values_per_leaf;
        double *values = malloc(count * sizeof *values), base[3];
        struct shw_record_builder_params params = {.info = *info, .base = base};
        struct testing_random random = {seed};
        struct shw_record_builder *builder = NULL;
        struct shw_record_forest *again = NULL;
        struct testing_log memory;
        const struct shw_log log = testing_log(&memory);
        bool has_min = false;
        for (size_t v = 0; v < count; v++) {
            values[v] = ldexp(info->leaf_values[v], -info->fraction_bits);
            has_min |= info->leaf_values[v] == INT32_MIN; /* 2^31 does not fit 31 bits */
        }
        for (uint32_t o = 0; o < info->output_count; o++)
            base[o] = 0;
        assert_int_equal(shw_record_builder_create("x", info->values_per_leaf, &log, &builder), SHW_OK);
        for (uint32_t t = 0; t < info->tree_count; t++) {
            uint32_t node_count;
            struct shw_record_builder_node *nodes = shuffle(info, t, &random, values, &node_count);
            assert_int_equal(shw_record_builder_add(builder, nodes, node_count, info->trees[t].output), SHW_OK);
            free(nodes);
        }
        params.info.fraction_bits = 99; /* ignored */
        assert_int_equal(shw_record_builder_finish(builder, &params, &again), SHW_OK);
        const struct shw_record_forest_info *made = shw_record_forest_get_info(again);
        assert_int_equal(made->node_count, info->node_count);
        assert_memory_equal(made->trees, info->trees, info->tree_count * sizeof *info->trees);
        for (uint32_t n = 0; n < info->node_count; n++) {
            const struct shw_record_node *a = &made->nodes[n], *b = &info->nodes[n];
            assert_true(a->is_split == b->is_split && a->missing_right == b->missing_right &&
                        a->zero_missing == b->zero_missing && a->is_set == b->is_set && a->left == b->left &&
                        a->attribute == b->attribute && a->threshold == b->threshold && a->leaf == b->leaf &&
                        a->source == b->source);
        }
        assert_int_equal(made->set_word_count, info->set_word_count);
        if (info->set_word_count > 0)
            assert_memory_equal(made->sets, info->sets, info->set_word_count * sizeof *info->sets);
        if (!has_min && made->fraction_bits == info->fraction_bits)
            assert_memory_equal(made->leaf_values, info->leaf_values, count * sizeof *info->leaf_values);
        free(values);
        shw_record_builder_destroy(&builder);
        shw_record_forest_destroy(&again);
        shw_record_forest_destroy(&forest);
    }
}

TESTING_CASE(trees_that_are_none_are_told)
{
    static const double one = 1, infinite = INFINITY;
    static const struct {
        struct shw_record_builder_node nodes[5];
        uint32_t count;
        const char *words;
    } cases[] = {
        {{{.is_split = true, .left = 1, .right = 2}, {.values = &one}, {.values = &one}},
         2,
         "f.json: tree 1, node 0: its child is node 2 of 2"},
        {{{.is_split = true, .left = 1, .right = 1}, {.values = &one}},
         2,
         "tree 1, node 0: its child, node 1, is already the child of a node"},
        {{{.is_split = true, .left = 1, .right = 0}, {.values = &one}},
         2,
         "tree 1, node 0: its child, node 0, is the root"},
        {{{.is_split = true, .left = 1, .right = 2},
          {.values = &one},
          {.is_split = true, .left = 3, .right = 4},
          {.is_split = true, .left = 2, .right = 1},
          {.values = &one}},
         5,
         "tree 1, node 3: its child, node 2, is already the child of a node"},
        {{{.is_split = true, .left = 2, .right = 1}, {.values = &infinite}, {.values = &one}},
         3,
         "tree 1, node 1: a leaf value is inf"},
        {{{0}}, 0, "f.json: tree 1 has no nodes"},
    };
    const struct shw_record_builder_node leaf = {.values = &one};
    struct shw_record_builder *builder = NULL;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);

    assert_int_equal(shw_record_builder_create("f.json", 1, &log, &builder), SHW_OK);
    assert_int_equal(shw_record_builder_add(builder, &leaf, 1, 0), SHW_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(shw_record_builder_add(builder, cases[i].nodes, cases[i].count, 0), SHW_ERROR_FORMAT);
        assert_int_equal(memory.last_item, SHW_LOG_RECORD_FOREST);
        if (strstr(memory.last, cases[i].words) == NULL)
            fail_msg("'%s' is not in: %s", cases[i].words, memory.last);
    }
    shw_record_builder_destroy(&builder);
    assert_int_equal(shw_record_builder_create("f.json", 0, &log, &builder), SHW_ERROR_FORMAT);
    assert_int_equal(shw_record_builder_create("f.json", 4097, &log, &builder), SHW_ERROR_LIMIT);
    assert_null(builder);
}

/* A chain as deep as trees may be, last node first: no recursion, no quadratic time. */
TESTING_CASE(deep_trees_are_ordered)
{
    enum { DEPTH = SHW_RECORD_DEPTH_MAX, NODES = 2 * DEPTH + 1 };
    static struct shw_record_builder_node nodes[NODES];
    const double value = 0.5;
    struct shw_record_builder_params params = {
        .info = {.task = SHW_RECORD_VALUES, .attribute_count = 1, .output_count = 1}};
    struct shw_record_builder *builder = NULL;
    struct shw_record_forest *forest = NULL;

    for (uint32_t i = 0; i < DEPTH; i++) {
        uint32_t split = i == 0 ? 0 : NODES - i, leaf = 1 + i;
        nodes[split] = (struct shw_record_builder_node){
            .is_split = true, .left = i + 1 < DEPTH ? NODES - i - 1 : DEPTH + 1, .right = leaf};
        nodes[leaf] = (struct shw_record_builder_node){.values = &value, .source = i};
    }
    nodes[DEPTH + 1] = (struct shw_record_builder_node){.values = &value, .source = DEPTH};
    assert_int_equal(shw_record_builder_create("x", 1, NULL, &builder), SHW_OK);
    assert_int_equal(shw_record_builder_add(builder, nodes, NODES, 0), SHW_OK);
    assert_int_equal(shw_record_builder_finish(builder, &params, &forest), SHW_OK);
    assert_int_equal(shw_record_forest_get_info(forest)->trees[0].depth, DEPTH);
    shw_record_forest_destroy(&forest);
    shw_record_builder_destroy(&builder);
}

/* A forest of one leaf a value; its scale and values. */
static enum shw_result scale(const double *values, uint32_t count, double base, double cut,
                             struct shw_record_forest **forest, char message[1024])
{
    struct shw_record_builder_params params = {
        .info = {.attribute_count = 1, .output_count = 1, .class_count = 2}, .base = &base, .cut = cut};
    struct shw_record_builder *builder = NULL;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    enum shw_result result;

    assert_int_equal(shw_record_builder_create("x", 1, &log, &builder), SHW_OK);
    for (uint32_t v = 0; v < count; v++)
        assert_int_equal(shw_record_builder_add(builder, &(struct shw_record_builder_node){.values = &values[v]}, 1, 0),
                         SHW_OK);
    result = shw_record_builder_finish(builder, &params, forest);
    memcpy(message, memory.last, sizeof memory.last);
    shw_record_builder_destroy(&builder);
    return result;
}

TESTING_CASE(the_largest_value_just_fits)
{
    static const struct {
        double values[3], base, cut;
        int32_t bits, first;
        int64_t made_base, made_cut;
    } cases[] = {
        {{1, -0.5, 0.25}, 0, 0, 30, 1 << 30, 0, 0},
        {{-1, 0, 0}, 3.5, -0.5, 30, -(1 << 30), INT64_C(7) << 29, -(1 << 29)},
        {{2147483647, 1.5, 2.5}, 0.5, 0.75, 0, INT32_MAX, 0, 0},
        {{2147483647, 1.5, 2.5}, 1.5, -0.25, 0, INT32_MAX, 2, -1},
        {{2147483647.25, 0, 0}, 0, 0, 0, INT32_MAX, 0, 0},
        {{2147483647.5, 0, 0}, 0, 0, -1, 1 << 30, 0, 0}, /* would round to 2^31 */
        {{-2147483648.0, 0, 0}, 0, 0, -1, -(1 << 30), 0, 0},
        {{0, 0, 0}, 0, 0, 0, 0, 0, 0},
        {{0, 0, 0}, 0.5, 0, 62, 0, INT64_C(1) << 61, 0}, /* the base keeps its fraction */

        {{FLT_MAX, 1, 0}, 0, 0, -97, INT32_MAX, 0, 0}, /* rounded: see below */
        {{FLT_TRUE_MIN, 0, 0}, 0, 0, 127, 0, 0, 0},
        {{1e-30, 0, 0}, 1e9, 0, 31, 0, INT64_C(2147483648000000000), 0}, /* the base must fit, too */
        {{1e-30, 0, 0}, 0, -1e9, 31, 0, 0, -INT64_C(2147483648000000000)},
    };
    char message[1024];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_record_forest *forest = NULL;
        const struct shw_record_forest_info *info;
        assert_int_equal(scale(cases[i].values, 3, cases[i].base, cases[i].cut, &forest, message), SHW_OK);
        info = shw_record_forest_get_info(forest);
        if (cases[i].values[0] == FLT_MAX) { /* 2^128 - 2^104: rounds to 2^31 with one bit more */
            assert_int_equal(info->fraction_bits, -97);
            assert_int_equal(info->leaf_values[0], INT32_MAX - 127);
        } else {
            assert_int_equal(info->fraction_bits, cases[i].bits);
            assert_int_equal(info->leaf_values[0], cases[i].first);
        }
        assert_true(info->base[0] == cases[i].made_base);
        assert_true(info->cut == cases[i].made_cut);
        shw_record_forest_destroy(&forest);
    }
}

TESTING_CASE(values_that_do_not_fit_are_told)
{
    static const struct {
        double value, base, cut;
        const char *words;
    } cases[] = {{1, NAN, 0, "the base of output 0 is nan"},
                 {1, 0, INFINITY, "the cut is inf"},
                 {DBL_MAX, 0, 0, "is too large"},
                 {1, DBL_MAX, 0, "the base of output 0, 1.79769e+308, is too large"},
                 {1, 0, -DBL_MAX, "the cut, -1.79769e+308, is too large"}};
    char message[1024];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_record_forest *forest = NULL;
        assert_int_equal(scale(&cases[i].value, 1, cases[i].base, cases[i].cut, &forest, message), SHW_ERROR_FORMAT);
        assert_null(forest);
        if (strstr(message, cases[i].words) == NULL)
            fail_msg("'%s' is not in: %s", cases[i].words, message);
    }
}

/* Exact shares of counts, in integers: the floor of each and what is left to the largest remainders. */
static void share_counts(const uint32_t *counts, uint32_t n, int32_t *shares)
{
    uint64_t sum = 0, remainders[8];
    uint32_t left = 1u << 30;

    for (uint32_t c = 0; c < n; c++)
        sum += counts[c];
    for (uint32_t c = 0; c < n; c++) {
        shares[c] = (int32_t)(((uint64_t)counts[c] << 30) / sum);
        remainders[c] = ((uint64_t)counts[c] << 30) % sum + 1; /* 0: has got one */
        left -= (uint32_t)shares[c];
    }
    for (; left > 0; left--) {
        uint32_t best = 0;
        for (uint32_t c = 1; c < n; c++)
            best = remainders[c] > remainders[best] ? c : best;
        shares[best]++;
        remainders[best] = 0;
    }
}

TESTING_CASE(shares_have_the_largest_remainders)
{
    struct testing_random random = {11};

    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t n = 1 + testing_random_below(&random, 8), counts[8] = {0};
        double values[8];
        int32_t expected[8], shares[8];
        for (uint32_t c = 0; c < n; c++) {
            counts[c] = random_chance(&random, 30) ? 0 : testing_random_below(&random, i % 2 == 0 ? 5 : 500000);
            values[c] = counts[c] / (i % 3 == 0 ? 1024.0 : 1.0);
        }
        counts[n - 1]++;
        values[n - 1] = counts[n - 1] / (i % 3 == 0 ? 1024.0 : 1.0);
        share_counts(counts, n, expected);
        assert_true(shw_record_shares(values, n, shares));
        assert_memory_equal(shares, expected, n * sizeof *shares);
    }
}

TESTING_CASE(shares_of_any_numbers_are_whole)
{
    struct testing_random random = {12};
    double values[8];
    int32_t shares[8];

    for (uint32_t i = 0; i < 20000; i++) {
        int64_t sum = 0;
        for (uint32_t c = 0; c < 8; c++)
            values[c] = ldexp((double)(testing_random_next(&random) >> 11), testing_random_range(&random, -1000, 900));
        assert_true(shw_record_shares(values, 8, shares));
        for (uint32_t c = 0; c < 8; c++) {
            assert_true(shares[c] >= 0);
            sum += shares[c];
        }
        assert_int_equal(sum, 1 << 30);
    }
    assert_false(shw_record_shares((const double[]){0, 0}, 2, shares));
    assert_false(shw_record_shares((const double[]){1, -1}, 2, shares));
    assert_false(shw_record_shares((const double[]){1, NAN}, 2, shares));
    assert_false(shw_record_shares((const double[]){1, INFINITY}, 2, shares));
    assert_false(shw_record_shares((const double[]){DBL_MAX, DBL_MAX}, 2, shares));
}

TESTING_CASE(leaves_become_shares)
{
    const double values[3] = {1, 0, 2}, none[3] = {0, 0, 0};
    struct shw_record_builder_params params = {
        .info = {.mean = true, .attribute_count = 1, .output_count = 3, .class_count = 3},
        .scale = SHW_RECORD_SCALE_SHARES};
    struct shw_record_builder *builder = NULL;
    struct shw_record_forest *forest = NULL;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);

    assert_int_equal(shw_record_builder_create("x", 3, &log, &builder), SHW_OK);
    assert_int_equal(shw_record_builder_add(builder, &(struct shw_record_builder_node){.values = values}, 1, 0),
                     SHW_OK);
    assert_int_equal(shw_record_builder_finish(builder, &params, &forest), SHW_OK);
    assert_int_equal(shw_record_forest_get_info(forest)->fraction_bits, 30);
    assert_int_equal(shw_record_forest_get_info(forest)->leaf_values[0], 357913941);
    assert_int_equal(shw_record_forest_get_info(forest)->leaf_values[2], 715827883);
    shw_record_forest_destroy(&forest);
    assert_int_equal(shw_record_builder_add(builder, &(struct shw_record_builder_node){.values = none}, 1, 0), SHW_OK);
    assert_int_equal(shw_record_builder_finish(builder, &params, &forest), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "x: leaf 1 of all trees has no shares"));
    shw_record_builder_destroy(&builder);
}
