/* Record forests: the texture is what docs/record-format.md says, and everything that is not one is reported with tree,
 * node and reason. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/record_forests.h"

enum { CLASSES, BINARY, VALUES, SAMPLE_COUNT };

static const struct random_record_forest_params samples[SAMPLE_COUNT] = {
    [CLASSES] = {.seed = 3, .shape = TREE_RANDOM, .mean = true, .names = true, .shares = true},
    [BINARY] = {.seed = 4, .outputs = 1, .link = SHW_RECORD_LOGISTIC},
    [VALUES] = {.seed = 5, .task = SHW_RECORD_VALUES, .one_value = true, .shape = TREE_CHAIN, .depth = 9},
};

TESTING_CASE(texels_are_as_documented)
{
    for (uint32_t seed = 0; seed < 30; seed++) {
        struct random_record_forest_params params = samples[seed % SAMPLE_COUNT];
        params.seed = seed;
        params.trees = 1 + seed;
        params.sets = seed % 2 == 1 ? 30 : 0;
        struct shw_record_forest *forest = random_record_forest(&params);
        const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
        const struct shw_record_forest_texture texture = shw_record_forest_get_texture(forest);
        const uint32_t *texels = texture.texels;
        uint32_t first_node = 2 + 2 * info->tree_count, values = first_node + info->node_count;
        uint32_t value_count = info->leaf_count * info->values_per_leaf, sets = values + (value_count + 3) / 4;
        uint32_t end = sets + (info->set_word_count + 3) / 4;
        const uint32_t head[8] = {info->tree_count,      info->output_count,    values,           info->leaf_count,
                                  info->attribute_count, info->values_per_leaf, info->node_count, info->set_word_count};
        assert_memory_equal(texels, head, sizeof head);
        for (uint32_t t = 0; t < info->tree_count; t++) {
            const struct shw_record_tree *tree = &info->trees[t];
            const uint32_t words[8] = {first_node + tree->first_node,
                                       tree->node_count,
                                       tree->depth,
                                       tree->first_leaf,
                                       tree->output,
                                       tree->leaf_count,
                                       0,
                                       0};
            assert_memory_equal(texels + 8 + 8 * (size_t)t, words, sizeof words);
        }
        for (uint32_t n = 0; n < info->node_count; n++) {
            const struct shw_record_node *node = &info->nodes[n];
            uint32_t flags = 1u << 24 | (uint32_t)node->missing_right << 25 | (uint32_t)node->zero_missing << 26 |
                             (uint32_t)node->is_set << 27;
            const uint32_t words[4] = {node->left, node->is_split ? node->attribute | flags : 0,
                                       node->is_split ? (uint32_t)node->threshold : node->leaf, node->source};
            assert_memory_equal(texels + 4 * (size_t)(first_node + n), words, sizeof words);
        }
        assert_memory_equal(texels + 4 * (size_t)values, info->leaf_values, 4 * (size_t)value_count);
        for (uint32_t w = 4 * values + value_count; w < 4 * sets; w++)
            assert_int_equal(texels[w], 0);
        if (info->set_word_count > 0)
            assert_memory_equal(texels + 4 * (size_t)sets, info->sets, 4 * (size_t)info->set_word_count);
        for (uint32_t w = 4 * sets + info->set_word_count; w < 4 * texture.width * texture.height; w++)
            assert_int_equal(texels[w], 0);
        assert_int_equal(texture.layers, 1);
        assert_true(texture.height <= texture.width && (texture.height - 1) * texture.width < end);
        assert_true(texture.width == 16 || end > texture.width * texture.width / 4);
        shw_record_forest_destroy(&forest);
    }
}

TESTING_CASE(trees_know_their_leaves_and_depths)
{
    static const struct {
        enum random_tree_shape shape;
        uint32_t depth, leaves;
    } cases[] = {{TREE_LEAF, 0, 1}, {TREE_CHAIN, 4096, 4097}, {TREE_BALANCED, 7, 128}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_record_forest *forest = random_record_forest(
            &(struct random_record_forest_params){.shape = cases[i].shape, .depth = cases[i].depth, .trees = 2});
        const struct shw_record_tree *tree = &shw_record_forest_get_info(forest)->trees[1];
        assert_int_equal(tree->depth, cases[i].depth);
        assert_int_equal(tree->leaf_count, cases[i].leaves);
        assert_int_equal(tree->first_leaf, cases[i].leaves);
        shw_record_forest_destroy(&forest);
    }
}

/* More texels than one layer has, by many outputs: the values go on in the next one. Most of the 67 million are
 * zeros, which take no memory here. */
TESTING_CASE(large_forests_have_layers)
{
    struct shw_record_forest *small = random_record_forest(&(struct random_record_forest_params){
        .shape = TREE_BALANCED, .trees = 1, .depth = 15, .outputs = 1, .task = SHW_RECORD_VALUES});
    struct shw_record_forest_info info = *shw_record_forest_get_info(small);
    const size_t outputs = 2049, count = info.leaf_count * outputs, first = 4 * (2 + 2 + (size_t)info.node_count);
    const size_t layer = (size_t)4 * 4096 * 4096 - first, places[] = {0, layer - 1, layer, count - 1};
    int32_t *values = calloc(count, sizeof *values);
    struct shw_record_forest *forest = NULL;
    struct shw_record_forest_texture texture;

    assert_non_null(values);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        values[places[p]] = -1 - (int32_t)p;
    info.output_count = info.values_per_leaf = (uint32_t)outputs;
    info.leaf_values = values;
    info.base = NULL;
    info.output_names = NULL;
    assert_int_equal(shw_record_forest_create(&info, NULL, &forest), SHW_OK);
    free(values);
    texture = shw_record_forest_get_texture(forest);
    assert_int_equal(texture.width, 4096);
    assert_int_equal(texture.height, 4096);
    assert_int_equal(texture.layers, 2);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        assert_int_equal(texture.texels[first + places[p]], (uint32_t)(-1 - (int32_t)p));
    shw_record_forest_destroy(&forest);
    shw_record_forest_destroy(&small);
}

TESTING_CASE(defaults_are_filled_in)
{
    const struct shw_record_tree tree = {.node_count = 1};
    const struct shw_record_node node = {0};
    const int32_t values[2] = {1, 2};
    const struct shw_record_forest_info given = {.attribute_count = 1,
                                                 .output_count = 2,
                                                 .class_count = 2,
                                                 .values_per_leaf = 2,
                                                 .tree_count = 1,
                                                 .node_count = 1,
                                                 .leaf_count = 1,
                                                 .trees = &tree,
                                                 .nodes = &node,
                                                 .leaf_values = values};
    struct shw_record_forest *forest = NULL;
    const struct shw_record_forest_info *info;

    assert_int_equal(shw_record_forest_create(&given, NULL, &forest), SHW_OK);
    info = shw_record_forest_get_info(forest);
    assert_string_equal(info->class_names[0], "0");
    assert_string_equal(info->class_names[1], "1");
    assert_null(info->attribute_names);
    assert_null(info->output_names);
    assert_true(info->base[0] == 0 && info->base[1] == 0);
    assert_true(info->link_scale == 1);
    assert_string_equal(info->training, "{}");
    shw_record_forest_destroy(&forest);
    assert_null(forest);
}

/* A forest whose parts can be changed. */
struct parts {
    struct shw_record_forest_info info;
    struct shw_record_tree trees[16];
    struct shw_record_node nodes[1024];
    int32_t values[4096];
    int64_t base[8];
    const char *names[8];
};

static struct parts parts_of(const struct random_record_forest_params *params)
{
    struct shw_record_forest *forest = random_record_forest(params);
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    struct parts parts = {.info = *info, .names = {"a", "b", "c", "d", "e", "f", "g", "h"}};

    assert_true(info->tree_count <= 16 && info->node_count <= 1024 && info->output_count <= 8 &&
                info->leaf_count * info->values_per_leaf <= 4096);
    memcpy(parts.trees, info->trees, info->tree_count * sizeof *info->trees);
    memcpy(parts.nodes, info->nodes, info->node_count * sizeof *info->nodes);
    memcpy(parts.values, info->leaf_values, info->leaf_count * info->values_per_leaf * sizeof *info->leaf_values);
    memcpy(parts.base, info->base, info->output_count * sizeof *info->base);
    parts.info.attribute_names = parts.info.class_names = NULL;
    parts.info.training = "{\"by\": \"hand\"}";
    shw_record_forest_destroy(&forest);
    return parts;
}

static enum shw_result create(struct parts *parts, struct testing_log *memory, struct shw_record_forest **forest)
{
    const struct shw_log log = testing_log(memory);

    parts->info.trees = parts->trees;
    parts->info.nodes = parts->nodes;
    parts->info.leaf_values = parts->values;
    parts->info.base = parts->base;
    return shw_record_forest_create(&parts->info, &log, forest);
}

static void refuse(struct parts *parts, enum shw_result expected, const char *words)
{
    struct shw_record_forest *forest = NULL;
    struct testing_log memory;

    assert_int_equal(create(parts, &memory, &forest), expected);
    assert_null(forest);
    assert_int_equal(memory.last_item, expected == SHW_ERROR_ARGUMENT ? SHW_LOG_ARGUMENT : SHW_LOG_RECORD_FOREST);
    if (strstr(memory.last, words) == NULL)
        fail_msg("'%s' is not in: %s", words, memory.last);
    assert_int_equal(memory.errors, 1);
}

#define REFUSE(sample, change, result, words)                                                                          \
    do {                                                                                                               \
        struct parts p_ = parts_of(&samples[sample]), *p = &p_;                                                        \
        change;                                                                                                        \
        refuse(p, result, words);                                                                                      \
    } while (0)

TESTING_CASE(wrong_counts_are_told)
{
    REFUSE(CLASSES, p->info.task = (enum shw_record_task)2, SHW_ERROR_ARGUMENT, "2 is not a value of shw_record_task");
    REFUSE(CLASSES, p->info.link = (enum shw_record_link)SHW_RECORD_LINK_COUNT, SHW_ERROR_ARGUMENT,
           "is not a value of shw_record_link");
    REFUSE(CLASSES, p->info.attribute_count = 0, SHW_ERROR_FORMAT, "no attributes");
    REFUSE(CLASSES, p->info.attribute_count = SHW_RECORD_ATTRIBUTES_MAX + 1, SHW_ERROR_LIMIT, "65537 attributes");
    REFUSE(VALUES, p->info.output_count = 0, SHW_ERROR_FORMAT, "no outputs");
    REFUSE(VALUES, p->info.output_count = SHW_RECORD_OUTPUTS_MAX + 1, SHW_ERROR_LIMIT, "4097 outputs");
    REFUSE(VALUES, p->info.tree_count = 0, SHW_ERROR_FORMAT, "no trees");
    REFUSE(VALUES, p->info.tree_count = SHW_RECORD_TREES_MAX + 1, SHW_ERROR_LIMIT, "65537 trees");
    REFUSE(VALUES, p->info.node_count = SHW_RECORD_NODES_MAX + 1, SHW_ERROR_LIMIT, "67108865 nodes");
    REFUSE(VALUES, p->info.leaf_count = 0, SHW_ERROR_FORMAT, "no leaves");
    REFUSE(VALUES, p->info.leaf_count++, SHW_ERROR_FORMAT, "leaves, but its trees have ");
    REFUSE(CLASSES, p->info.values_per_leaf = 2, SHW_ERROR_FORMAT, "2 values per leaf; there must be 1 or");
    REFUSE(CLASSES, p->info.class_count = 2, SHW_ERROR_FORMAT, "2 classes and 3 outputs");
    REFUSE(BINARY, p->info.class_count = 1, SHW_ERROR_FORMAT, "1 classes and 1 outputs");
    REFUSE(BINARY, p->info.class_count = 3, SHW_ERROR_FORMAT, "3 classes and 1 outputs");
    REFUSE(VALUES, p->info.class_count = 3, SHW_ERROR_FORMAT, "it has classes, but its task is values");
    REFUSE(VALUES, p->info.class_names = p->names, SHW_ERROR_FORMAT, "it has classes");
    REFUSE(CLASSES, p->info.output_names = p->names, SHW_ERROR_FORMAT, "those of the classes");
    REFUSE(CLASSES, p->info.cut = 1, SHW_ERROR_FORMAT, "a cut, which only");
    REFUSE(BINARY, p->info.cut = INT64_MIN, SHW_ERROR_FORMAT, "a cut of -9223372036854775808");
    REFUSE(CLASSES, p->info.link_scale = 2, SHW_ERROR_FORMAT, "a scale of 2 of the link identity");
    REFUSE(BINARY, p->info.link_scale = -1, SHW_ERROR_FORMAT, "a scale of -1 of the link logistic");
    REFUSE(BINARY, p->info.link_scale = NAN, SHW_ERROR_FORMAT, "it must be positive");
    REFUSE(BINARY, p->info.link_scale = INFINITY, SHW_ERROR_FORMAT, "it must be positive");
    REFUSE(CLASSES, p->info.fraction_bits = 128, SHW_ERROR_FORMAT, "128 fraction bits");
    REFUSE(CLASSES, p->info.fraction_bits = -128, SHW_ERROR_FORMAT, "-128 fraction bits");
    REFUSE(CLASSES, p->info.training = "[]", SHW_ERROR_FORMAT, "provenance");
    REFUSE(CLASSES, p->info.class_names = p->names;
           p->names[1] = "a\n", SHW_ERROR_FORMAT, "name 2 of the classes is not");
    REFUSE(CLASSES, p->info.attribute_names = p->names;
           p->names[6] = "\xff", SHW_ERROR_FORMAT, "name 7 of the attributes is not");
    REFUSE(VALUES, p->info.output_names = p->names; p->names[2] = "", SHW_ERROR_FORMAT, "name 3 of the outputs is not");
}

/* As many leaf values as no texture has; nothing is read before that is known. */
TESTING_CASE(too_many_values_are_refused)
{
    struct parts parts = parts_of(&samples[CLASSES]);

    parts.info.output_count = parts.info.class_count = parts.info.values_per_leaf = SHW_RECORD_OUTPUTS_MAX;
    parts.info.leaf_count = 1u << 23;
    refuse(&parts, SHW_ERROR_LIMIT, "texels of trees, nodes, leaf values and sets; at most 4278190080");
}

static const uint32_t one_set[] = {0, 1, 1};

TESTING_CASE(wrong_trees_and_nodes_are_told)
{
    REFUSE(CLASSES, p->trees[0].first_node = 1, SHW_ERROR_FORMAT, "tree 0: ");
    REFUSE(CLASSES, p->trees[1].first_node--, SHW_ERROR_FORMAT, "tree 1: ");
    REFUSE(CLASSES, p->trees[2].node_count = 0, SHW_ERROR_FORMAT, "tree 2: 0 nodes");
    REFUSE(CLASSES, p->trees[4].node_count = UINT32_MAX, SHW_ERROR_FORMAT, "tree 4: 4294967295 nodes");
    REFUSE(CLASSES, p->trees[1].output = 1, SHW_ERROR_FORMAT, "tree 1 adds to output 1 of 1");
    REFUSE(VALUES, p->trees[1].output = 3, SHW_ERROR_FORMAT, "tree 1 adds to output 3 of 3");
    REFUSE(CLASSES, p->info.node_count++, SHW_ERROR_FORMAT, "belong to trees");
    REFUSE(CLASSES, p->trees[4].node_count--; p->info.node_count--, SHW_ERROR_FORMAT, "breadth-first");
    REFUSE(CLASSES, p->trees[4].node_count++;
           p->nodes[p->info.node_count++] = (struct shw_record_node){0}, SHW_ERROR_FORMAT, "not the child");
    REFUSE(VALUES, p->nodes[0].left = 0, SHW_ERROR_FORMAT, "tree 0, node 0: child 0");
    REFUSE(VALUES, p->nodes[0].left = UINT32_MAX, SHW_ERROR_FORMAT, "tree 0, node 0: child 4294967295");
    REFUSE(VALUES, p->nodes[0].attribute = 7, SHW_ERROR_FORMAT, "node 0: it tests attribute 7 of 7");
    REFUSE(VALUES, p->nodes[0].threshold = SHW_RECORD_CODE_MISSING, SHW_ERROR_FORMAT, "the code of missing values");
    REFUSE(VALUES, p->nodes[0].leaf = 1, SHW_ERROR_FORMAT, "a split has the number of a leaf");
    REFUSE(VALUES, p->nodes[0].is_set = true, SHW_ERROR_FORMAT, "node 0: its set begins with word");
    REFUSE(VALUES, p->info.set_word_count = 3, SHW_ERROR_ARGUMENT, "its sets are NULL");
    REFUSE(VALUES, p->info.set_word_count = 3;
           p->info.sets = one_set, SHW_ERROR_FORMAT, "3 words of sets, but only 0 belong to tests");
    REFUSE(VALUES, p->info.set_word_count = SHW_RECORD_SET_WORDS_MAX + 1;
           p->info.sets = one_set, SHW_ERROR_LIMIT, "67108865 words of sets");
    REFUSE(VALUES, p->info.set_word_count = 3; p->info.sets = one_set; p->nodes[0].is_set = true;
           p->nodes[0].threshold = 0; p->nodes[0].zero_missing = true, SHW_ERROR_FORMAT, "treats zero as missing");
    for (int part = 0; part < 7; part++) {
        struct parts parts = parts_of(&samples[VALUES]);
        uint32_t n = 0;
        while (parts.nodes[n].is_split)
            n++;
        switch (part) {
        case 0: parts.nodes[n].attribute = 1; break;
        case 1: parts.nodes[n].threshold = 1; break;
        case 2: parts.nodes[n].missing_right = true; break;
        case 3: parts.nodes[n].zero_missing = true; break;
        case 4: parts.nodes[n].is_set = true; break;
        case 5: parts.nodes[n].leaf++; break;
        default: parts.nodes[n].left = n + 1; break;
        }
        refuse(&parts, SHW_ERROR_FORMAT,
               part < 5    ? "a leaf has a test"
               : part == 5 ? "leaf 1 instead of 0"
                           : "the child of a leaf is node");
    }
}

TESTING_CASE(trees_that_are_too_deep_are_refused)
{
    enum { DEPTH = SHW_RECORD_DEPTH_MAX + 1, NODES = 2 * DEPTH + 1 };
    struct parts parts = parts_of(&samples[VALUES]);
    struct shw_record_node *nodes = calloc(NODES, sizeof *nodes);
    int32_t *values = calloc(DEPTH + 1, sizeof *values);
    const struct shw_record_tree tree = {.node_count = NODES};
    struct shw_record_forest *forest = NULL;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);

    for (uint32_t n = 0, splits = 0; n < NODES; n++)
        if (n % 2 == 0 && n + 1 < NODES)
            nodes[n] = (struct shw_record_node){.is_split = true, .left = 1 + 2 * splits++};
        else
            nodes[n] = (struct shw_record_node){.left = n, .leaf = n - splits};
    parts.info.tree_count = 1;
    parts.info.trees = &tree;
    parts.info.node_count = NODES;
    parts.info.nodes = nodes;
    parts.info.leaf_count = DEPTH + 1;
    parts.info.leaf_values = values;
    parts.info.base = NULL;
    assert_int_equal(shw_record_forest_create(&parts.info, &log, &forest), SHW_ERROR_LIMIT);
    assert_non_null(strstr(memory.last, "tree 0 is 4097 tests deep; at most 4096 are supported"));
    free(nodes);
    free(values);
}

/* The largest magnitude of each tree counts, with that of the base, output by output. */
TESTING_CASE(sums_stay_below_their_bound)
{
    struct shw_record_forest *forest = NULL;
    struct testing_log memory;
    int64_t most = INT64_C(1) << 62;

    for (int sign = -1; sign <= 1; sign += 2) {
        struct parts parts = parts_of(&samples[VALUES]);
        uint32_t output = parts.trees[2].output;
        memset(parts.values, 0, sizeof parts.values);
        for (uint32_t t = 0; t < parts.info.tree_count; t++)
            parts.trees[t].output = output;
        parts.values[parts.trees[2].first_leaf + 1] = INT32_MIN;
        parts.values[parts.trees[2].first_leaf] = INT32_MAX;
        parts.values[parts.trees[1].first_leaf] = 5;
        parts.base[output] = sign * (most - INT64_C(0x80000000) - 5);
        refuse(&parts, SHW_ERROR_FORMAT, "its sum could reach 2^62");
        parts.base[output] -= sign;
        assert_int_equal(create(&parts, &memory, &forest), SHW_OK);
        shw_record_forest_destroy(&forest);
        parts.base[(output + 1) % 3] = INT64_MIN;
        refuse(&parts, SHW_ERROR_FORMAT, "its sum could reach 2^62");
    }
}

/* Everything but the provenance is in the hash. */
TESTING_CASE(hashes_tell_forests_apart)
{
    uint64_t hashes[16];
    uint32_t count = 0;

    for (int change = 0; change < 14; change++) {
        struct parts parts = parts_of(&samples[VALUES]);
        struct shw_record_forest *forest = NULL;
        struct testing_log memory;
        switch (change) {
        case 1: parts.info.training = "{}"; break;
        case 2: parts.info.mean = true; break;
        case 3: parts.info.link = SHW_RECORD_EXP; break;
        case 4: parts.info.link = SHW_RECORD_LOGISTIC; break;
        case 5: parts.info.link = SHW_RECORD_LOGISTIC, parts.info.link_scale = 2; break;
        case 6: parts.info.attribute_names = parts.names; break;
        case 7: parts.info.output_names = parts.names; break;
        case 8: parts.info.fraction_bits++; break;
        case 9: parts.base[1]++; break;
        case 10: parts.nodes[0].source++; break;
        case 11: parts.values[3]++; break;
        case 12: parts.info.task = SHW_RECORD_CLASSES, parts.info.class_count = 3; break;
        case 13: parts.info.task = SHW_RECORD_CLASSES, parts.info.class_count = 3, parts.info.class_names = parts.names;
        default: break;
        }
        assert_int_equal(create(&parts, &memory, &forest), SHW_OK);
        hashes[count++] = shw_record_forest_hash(forest);
        shw_record_forest_destroy(&forest);
    }
    assert_true(hashes[0] == hashes[1]);
    for (uint32_t a = 1; a < count; a++)
        for (uint32_t b = 1; b < a; b++)
            assert_true(hashes[a] != hashes[b]);
}
