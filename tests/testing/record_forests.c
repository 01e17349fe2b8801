#include "testing/record_forests.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cases.h"

enum { TREE_NODES_MAX = 1 << 19 };

struct maker {
    struct random_record_forest_params params;
    struct testing_random random;
    struct shw_record_tree *trees;
    struct shw_record_node *nodes;
    uint32_t node_count, node_capacity, leaf_count;
    uint32_t *depths; /* of the nodes of the tree that is made */
    uint32_t *sets, set_word_count, set_capacity;
};

static struct random_record_forest_params with_defaults(const struct random_record_forest_params *given)
{
    struct random_record_forest_params params = *given;

    params.trees = params.trees > 0 ? params.trees : 5;
    params.depth = params.depth > 0 ? params.depth : 5;
    params.attributes = params.attributes > 0 ? params.attributes : 7;
    params.outputs = params.outputs > 0 ? params.outputs : 3;
    return params;
}

static float any_number(struct testing_random *random)
{
    uint32_t bits = (uint32_t)testing_random_next(random);
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Of the sizes that records have, so that tests send some of them to either side. */
static float usual_number(struct testing_random *random)
{
    return (float)testing_random_range(random, -1000, 1000) / 64;
}

static float special_number(struct testing_random *random)
{
    static const float numbers[] = {0.0f,     -0.0f,   FLT_TRUE_MIN, -FLT_TRUE_MIN,   FLT_MIN,
                                    -FLT_MIN, FLT_MAX, -FLT_MAX,     (float)INFINITY, (float)-INFINITY,
                                    1e-35f,   -1e-35f, 1.1e-35f,     -1.1e-35f,       1e-40f,
                                    -1e-40f,  1.0f,    -1.0f,        16777216,        0.5f};

    return numbers[testing_random_below(random, sizeof numbers / sizeof *numbers)];
}

static int32_t any_threshold(struct testing_random *random)
{
    float number = usual_number(random);
    uint32_t kind = testing_random_below(random, 10);

    if (kind == 0)
        number = any_number(random);
    if (kind < 3)
        number = special_number(random);
    if (isnan(number))
        number = 1;
    return kind % 2 == 0 ? shw_record_threshold_below(number) : shw_record_threshold_at_most(number);
}

/* A set of a few categories, or of many; of the lowest ones, by which records are divided, or of the highest. */
static void make_set(struct maker *maker, struct shw_record_node *node)
{
    static const uint32_t flags[] = {0, SHW_RECORD_SET_WHOLE, SHW_RECORD_SET_FROM_BELOW};
    struct testing_random *random = &maker->random;
    const uint32_t words = random_chance(random, 10) ? 40 : 1 + testing_random_below(random, 3);
    uint32_t first = random_chance(random, 70) ? 0 : testing_random_below(random, 4), *set;

    if (random_chance(random, 5))
        first = (1u << 19) - words;
    if (maker->set_word_count + 2 + words > maker->set_capacity) {
        maker->set_capacity = 2 * (maker->set_word_count + words) + 64;
        maker->sets = realloc(maker->sets, maker->set_capacity * sizeof *maker->sets);
        assert_non_null(maker->sets);
    }
    set = maker->sets + maker->set_word_count;
    set[0] =
        first | flags[testing_random_below(random, 3)] | (random_chance(random, 50) ? SHW_RECORD_SET_MEMBERS_RIGHT : 0);
    set[1] = words;
    for (uint32_t w = 0; w < words; w++)
        set[2 + w] = random_chance(random, 15) ? UINT32_MAX : (uint32_t)testing_random_next(random);
    set[2] |= 1u << testing_random_below(random, 32);
    set[1 + words] |= 1u << testing_random_below(random, 32);
    node->is_set = true;
    node->zero_missing = false;
    node->threshold = (int32_t)maker->set_word_count;
    maker->set_word_count += 2 + words;
}

static void make_split(struct maker *maker, struct shw_record_node *node, uint32_t left)
{
    *node = (struct shw_record_node){
        .is_split = true,
        .left = left,
        .attribute = testing_random_below(&maker->random, maker->params.attributes),
        .threshold = any_threshold(&maker->random),
        .missing_right = !maker->params.no_missing && random_chance(&maker->random, 50),
        .zero_missing = !maker->params.no_missing && random_chance(&maker->random, 25),
        .source = (uint32_t)testing_random_next(&maker->random),
    };
    if (maker->params.sets > 0 && random_chance(&maker->random, maker->params.sets))
        make_set(maker, node);
}

/* Whether node `n` of `count` so far, of which `open` have no children yet, gets some. Of a chain, one of each pair of
 * children does; a random tree has at least one split a level. */
static bool is_split(struct maker *maker, enum random_tree_shape shape, uint32_t n, uint32_t count, bool *level_splits)
{
    uint32_t depth = maker->depths[n];
    bool is_last = n + 1 == count || maker->depths[n + 1] != depth;

    if (shape == TREE_LEAF || depth >= maker->params.depth || count + 2 > TREE_NODES_MAX)
        return false;
    if (shape == TREE_BALANCED)
        return true;
    if (is_last && !*level_splits)
        return true;
    return shape == TREE_CHAIN ? !*level_splits && random_chance(&maker->random, 50)
                               : random_chance(&maker->random, 60);
}

static void reserve(struct maker *maker, uint32_t count)
{
    if (count <= maker->node_capacity)
        return;
    maker->node_capacity = 2 * count + 64;
    maker->nodes = realloc(maker->nodes, maker->node_capacity * sizeof *maker->nodes);
    assert_non_null(maker->nodes);
}

static void make_tree(struct maker *maker, struct shw_record_tree *tree)
{
    enum random_tree_shape shape = maker->params.shape;
    uint32_t first = maker->node_count, count = 1, splits = 0;
    bool level_splits = false;

    if (shape == TREE_MIXED)
        shape = 1 + (enum random_tree_shape)testing_random_below(&maker->random, 4);
    maker->depths[0] = 0;
    for (uint32_t n = 0; n < count; n++) {
        if (n > 0 && maker->depths[n] != maker->depths[n - 1])
            level_splits = false;
        reserve(maker, first + count + 2);
        if (is_split(maker, shape, n, count, &level_splits)) {
            level_splits = true;
            make_split(maker, &maker->nodes[first + n], 1 + 2 * splits++);
            maker->depths[count] = maker->depths[count + 1] = maker->depths[n] + 1;
            count += 2;
        } else {
            maker->nodes[first + n] = (struct shw_record_node){
                .left = n, .leaf = n - splits, .source = (uint32_t)testing_random_next(&maker->random)};
        }
    }
    *tree = (struct shw_record_tree){.first_node = first, .node_count = count};
    if (maker->params.one_value)
        tree->output = testing_random_below(&maker->random, maker->params.outputs);
    maker->node_count += count;
    maker->leaf_count += splits + 1;
}

static void make_shares(struct testing_random *random, int32_t *values, uint32_t count)
{
    int32_t left = 1 << 30;

    for (uint32_t v = 0; v + 1 < count; v++) {
        values[v] = (int32_t)(testing_random_next(random) % ((uint32_t)left + 1));
        left -= values[v];
    }
    values[count - 1] = left;
}

static int32_t *make_values(struct maker *maker, uint32_t values_per_leaf)
{
    size_t count = (size_t)maker->leaf_count * values_per_leaf;
    int32_t *values = malloc(count * sizeof *values);

    assert_non_null(values);
    for (uint32_t l = 0; maker->params.shares && l < maker->leaf_count; l++)
        make_shares(&maker->random, values + (size_t)l * values_per_leaf, values_per_leaf);
    for (size_t v = 0; !maker->params.shares && v < count; v++) {
        values[v] = testing_random_range(&maker->random, -3, 3); /* so that outputs are equal at times */
        if (maker->params.large_values)
            values[v] = random_chance(&maker->random, 10) ? (random_chance(&maker->random, 50) ? INT32_MAX : INT32_MIN)
                                                          : (int32_t)testing_random_next(&maker->random);
    }
    return values;
}

static const char *const *make_names(uint32_t count, const char *prefix)
{
    const char **names = malloc(count * sizeof *names + (size_t)count * 24);
    char *text = (char *)(names + count);

    assert_non_null(names);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = text + (size_t)24 * i;
        snprintf(text + (size_t)24 * i, 24, "%s %u \xc3\xa9", prefix, i);
    }
    return names;
}

static void fill_info(struct maker *maker, struct shw_record_forest_info *info, int64_t *base)
{
    const struct random_record_forest_params *params = &maker->params;

    *info = (struct shw_record_forest_info){
        .task = params->task,
        .link = params->link,
        .mean = params->mean,
        .attribute_count = params->attributes,
        .output_count = params->outputs,
        .class_count = params->task != SHW_RECORD_CLASSES ? 0
                       : params->outputs == 1             ? 2
                                                          : params->outputs,
        .fraction_bits = params->shares         ? 30
                         : params->large_values ? 28
                                                : 2,
        .values_per_leaf = params->one_value ? 1 : params->outputs,
        .base = base,
        .tree_count = params->trees,
        .node_count = maker->node_count,
        .leaf_count = maker->leaf_count,
        .trees = maker->trees,
        .nodes = maker->nodes,
        .sets = maker->sets,
        .set_word_count = maker->set_word_count,
    };
    for (uint32_t o = 0; o < params->outputs; o++)
        base[o] = params->large_values ? (int64_t)testing_random_next(&maker->random) / 4
                                       : testing_random_range(&maker->random, -2, 2);
    if (info->class_count > info->output_count)
        info->cut = testing_random_range(&maker->random, -2, 2);
}

struct shw_record_forest *random_record_forest(const struct random_record_forest_params *given)
{
    struct maker maker = {.params = with_defaults(given), .random = {given->seed}};
    struct shw_record_forest *forest = NULL;
    struct shw_record_forest_info info;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    int64_t *base = malloc(maker.params.outputs * sizeof *base);

    maker.trees = calloc(maker.params.trees, sizeof *maker.trees);
    maker.depths = malloc(((size_t)TREE_NODES_MAX + 2) * sizeof *maker.depths);
    assert_true(base != NULL && maker.trees != NULL && maker.depths != NULL);
    for (uint32_t t = 0; t < maker.params.trees; t++)
        make_tree(&maker, &maker.trees[t]);
    fill_info(&maker, &info, base);
    info.leaf_values = make_values(&maker, info.values_per_leaf);
    if (maker.params.names)
        info.attribute_names = make_names(info.attribute_count, "attribute");
    if (maker.params.names && info.task == SHW_RECORD_VALUES)
        info.output_names = make_names(info.output_count, "output");
    assert_int_equal(shw_record_forest_create(&info, &log, &forest), SHW_OK);
    free((void *)info.attribute_names);
    free((void *)info.output_names);
    free((void *)info.leaf_values);
    free(maker.depths);
    free(maker.nodes);
    free(maker.sets);
    free(maker.trees);
    free(base);
    return forest;
}

/* The threshold of a node as a number, or a neighbour of it. */
static float near_threshold(const struct shw_record_forest_info *info, struct testing_random *random)
{
    const struct shw_record_node *node = &info->nodes[testing_random_below(random, info->node_count)];
    const uint32_t *set = node->is_set ? info->sets + (uint32_t)node->threshold : NULL;
    const uint32_t end = set != NULL ? 32 * set[1] : 0, bit = testing_random_below(random, end + 32);
    const bool is_beyond = random_chance(random, 25); /* where the words of another set may follow */
    float number = set == NULL ? shw_record_code_value(node->threshold)
                               : (float)(32 * (set[0] & SHW_RECORD_SET_FIRST) + (is_beyond ? end + bit % 32 : bit));

    switch (testing_random_below(random, 4)) {
    case 0: return nextafterf(number, INFINITY);
    case 1: return nextafterf(number, -INFINITY);
    default: return number;
    }
}

float *random_records(const struct shw_record_forest *forest, uint64_t count, uint64_t seed)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    struct testing_random random = {seed};
    size_t value_count = (size_t)count * info->attribute_count;
    float *values = malloc(value_count * sizeof *values + 1);

    assert_non_null(values);
    for (size_t v = 0; v < value_count; v++) {
        uint32_t kind = testing_random_below(&random, 20);
        values[v] = kind < 10   ? usual_number(&random)
                    : kind < 15 ? near_threshold(info, &random)
                    : kind < 17 ? special_number(&random)
                    : kind < 19 ? any_number(&random)
                                : NAN;
    }
    return values;
}

/* As shadewood/record_forest.h has it. */
static bool is_member(const uint32_t *set, float value)
{
    const double whole = trunc((double)value), first = 32.0 * (set[0] & SHW_RECORD_SET_FIRST);
    const bool is_below = value < 0 && !((set[0] & SHW_RECORD_SET_FROM_BELOW) != 0 && value > -1);
    uint32_t bit;

    if (is_below || ((set[0] & SHW_RECORD_SET_WHOLE) != 0 && whole != (double)value) ||
        !(whole >= first && whole < first + 32.0 * set[1]))
        return false;
    bit = (uint32_t)(whole - first);
    return (set[2 + bit / 32] >> bit % 32 & 1u) != 0;
}

static bool goes_right(const struct shw_record_node *node, const uint32_t *sets, float value, const float *missing)
{
    bool is_missing = isnan(value) || (missing != NULL && value == *missing);
    float limit = shw_record_code_value(node->threshold);

    if (node->zero_missing && value >= -1e-35f && value <= 1e-35f)
        is_missing = true;
    if (is_missing)
        return node->missing_right;
    if (node->is_set) {
        const uint32_t *set = sets + (uint32_t)node->threshold;
        return is_member(set, value) == ((set[0] & SHW_RECORD_SET_MEMBERS_RIGHT) != 0);
    }
    return isnan(limit) || value > limit;
}

static uint32_t plain_leaf(const struct shw_record_node *nodes, const uint32_t *sets, const float *record,
                           size_t stride, const float *missing)
{
    uint32_t n = 0;

    while (nodes[n].is_split)
        n = nodes[n].left + goes_right(&nodes[n], sets, record[nodes[n].attribute * stride], missing);
    return nodes[n].leaf;
}

static uint32_t plain_class(const struct shw_record_forest_info *info, const int64_t *sums)
{
    uint32_t best = 0;

    if (info->output_count == 1)
        return sums[0] > info->cut;
    for (uint32_t o = 1; o < info->output_count; o++)
        if (sums[o] > sums[best])
            best = o;
    return best;
}

struct plain_results plain_evaluate(const struct shw_record_forest *forest, const float *values, uint64_t count,
                                    size_t record_stride, size_t attribute_stride, const float *missing)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    struct plain_results results = {
        .classes = info->task == SHW_RECORD_CLASSES ? malloc(count * sizeof *results.classes + 1) : NULL,
        .sums = malloc(count * info->output_count * sizeof *results.sums + 1),
        .leaves = malloc(count * info->tree_count * sizeof *results.leaves + 1),
    };

    assert_true(results.sums != NULL && results.leaves != NULL);
    for (uint64_t r = 0; r < count; r++) {
        int64_t *sums = results.sums + r * info->output_count;
        memcpy(sums, info->base, info->output_count * sizeof *sums);
        for (uint32_t t = 0; t < info->tree_count; t++) {
            const struct shw_record_tree *tree = &info->trees[t];
            uint32_t leaf = plain_leaf(info->nodes + tree->first_node, info->sets, values + r * record_stride,
                                       attribute_stride, missing);
            const int32_t *leaf_values = info->leaf_values + ((size_t)tree->first_leaf + leaf) * info->values_per_leaf;
            results.leaves[r * info->tree_count + t] = leaf;
            for (uint32_t v = 0; v < info->values_per_leaf; v++)
                sums[tree->output + v] += leaf_values[v];
        }
        if (results.classes != NULL)
            results.classes[r] = plain_class(info, sums);
    }
    return results;
}

void plain_results_free(struct plain_results *results)
{
    free(results->classes);
    free(results->sums);
    free(results->leaves);
    *results = (struct plain_results){0};
}

static void assert_same(const char *what, const void *a, const void *b, uint64_t count, uint32_t per_record,
                        size_t size)
{
    for (uint64_t i = 0; i < count * per_record; i++)
        if (memcmp((const char *)a + i * size, (const char *)b + i * size, size) != 0)
            fail_msg("record %llu of %llu: %s %llu differs from the plain evaluation's",
                     (unsigned long long)(i / per_record), (unsigned long long)count, what,
                     (unsigned long long)(i % per_record));
}

void assert_evaluates(struct shw_record_evaluator *evaluator, const struct shw_record_forest *forest,
                      const float *values, uint64_t count, const struct plain_results *expected)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const struct shw_records records = {.values = values, .count = count, .attribute_count = info->attribute_count};
    size_t sums_size = count * info->output_count * sizeof(int64_t) + 1;
    size_t leaves_size = count * info->tree_count * sizeof(uint32_t) + 1;
    const struct shw_record_results results = {
        .classes = expected->classes != NULL ? malloc(count * sizeof *results.classes + 1) : NULL,
        .sums = malloc(sums_size),
        .leaves = malloc(leaves_size),
    };

    assert_true(results.sums != NULL && results.leaves != NULL);
    memset(results.sums, 0x5a, sums_size); /* so that what is not written is seen */
    memset(results.leaves, 0x5a, leaves_size);
    if (results.classes != NULL)
        memset(results.classes, 0x5a, count * sizeof *results.classes + 1);
    assert_int_equal(shw_record_evaluator_run(evaluator, &records, &results), SHW_OK);
    assert_same("leaf", results.leaves, expected->leaves, count, info->tree_count, sizeof *results.leaves);
    assert_same("sum", results.sums, expected->sums, count, info->output_count, sizeof *results.sums);
    if (results.classes != NULL)
        assert_same("class", results.classes, expected->classes, count, 1, sizeof *results.classes);
    free(results.classes);
    free(results.sums);
    free(results.leaves);
}
