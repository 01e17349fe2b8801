/* Forests: what is refused and why, what a forest tells about itself. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/forest/forest.h"
#include "testing/random_forest.h"

static const struct random_forest_params small = {
    .seed = 5, .classes = 3, .trees = 2, .depth = 4, .split_percent = 70, .single_percent = 30};

/* Trees that a test may spoil. */
struct draft {
    struct shw_tree *trees;
    struct shw_forest_params params;
    struct testing_log memory;
};

static void open_draft(struct draft *draft, const struct random_forest_params *random)
{
    draft->trees = random_trees(random);
    draft->params = (struct shw_forest_params){
        .info = {.channels = SHW_CHANNELS_WINN16, .class_count = random->classes, .tree_count = random->trees},
        .trees = draft->trees,
        .log = testing_log(&draft->memory)};
}

static struct shw_node *node_of(struct draft *draft, uint32_t tree, uint32_t node)
{
    return (struct shw_node *)(uintptr_t)&draft->trees[tree].nodes[node];
}

static uint16_t *distribution_of(struct draft *draft, uint32_t tree)
{
    return (uint16_t *)(uintptr_t)draft->trees[tree].distributions;
}

static uint32_t last_leaf(const struct draft *draft, uint32_t tree)
{
    return draft->trees[tree].node_count - 1;
}

static uint32_t first_leaf(const struct draft *draft, uint32_t tree)
{
    uint32_t n = 0;

    while (draft->trees[tree].nodes[n].is_split)
        n++;
    return n;
}

/* The forest is refused with one message about that, which contains the words. */
static void refuse(struct draft *draft, enum shw_result result, enum shw_log_item item, const char *words)
{
    struct shw_forest *forest = NULL;

    assert_int_equal(shw_forest_create(&draft->params, &forest), result);
    assert_null(forest);
    assert_int_equal(draft->memory.errors, 1);
    assert_int_equal(draft->memory.last_item, item);
    if (strstr(draft->memory.last, words) == NULL)
        fail_msg("no '%s' in: %s", words, draft->memory.last);
    random_trees_free(draft->trees, small.trees);
}

#define REFUSE(change, result, item, words)                                                                            \
    do {                                                                                                               \
        struct draft draft;                                                                                            \
        open_draft(&draft, &small);                                                                                    \
        change;                                                                                                        \
        refuse(&draft, result, item, words);                                                                           \
    } while (0)

TESTING_CASE(forest_is_what_was_given)
{
    struct shw_tree *trees = random_trees(&small);
    struct shw_forest *forest = random_forest(&small);
    const struct shw_forest_info *info = shw_forest_get_info(forest);

    assert_string_equal(info->channels, SHW_CHANNELS_WINN16);
    assert_ptr_equal(info->feature, &shw_feature_mean_difference);
    assert_int_equal(info->class_count, 3);
    assert_int_equal(info->tree_count, 2);
    assert_string_equal(info->classes[2].name, "class 2");
    assert_true(memcmp(info->classes[0].colour, info->classes[1].colour, 3) != 0);
    assert_string_equal(info->training, "{\"made_by\":\"chance\"}");
    for (uint32_t t = 0; t < 2; t++) {
        struct shw_tree_info tree = shw_forest_get_tree(forest, t);
        assert_int_equal(tree.node_count, trees[t].node_count);
        assert_int_equal(tree.leaf_count, (trees[t].node_count + 1) / 2);
        assert_int_equal(tree.depth, small.depth);
        for (uint32_t n = 0; n < tree.node_count; n++) {
            struct shw_node node = shw_forest_get_node(forest, t, n);
            const struct shw_node *given = &trees[t].nodes[n];
            assert_int_equal(node.is_split, given->is_split);
            assert_int_equal(node.left, given->left);
            assert_int_equal(node.t0, given->t0);
            assert_int_equal(node.t1, given->t1);
            assert_int_equal(node.leaf, given->leaf);
            assert_memory_equal(&node.feature, &given->feature, sizeof node.feature);
        }
        for (uint32_t l = 0; l < tree.leaf_count; l++)
            assert_memory_equal(shw_forest_get_distribution(forest, t, l), trees[t].distributions + 3 * l, 6);
    }
    random_trees_free(trees, 2);
    shw_forest_destroy(&forest);
    assert_null(forest);
    shw_forest_destroy(&forest);
    shw_forest_destroy(NULL);
}

/* A named list written out is that list, and other lists are distinguished. */
TESTING_CASE(hashes_follow_what_channels_mean)
{
    static const char *const texts[] = {"winn16", "gauss:1,gauss:2,gauss:4,log:1,log:2,log:4,dx:2,dy:2,dx:4,dy:4",
                                        "gauss:2,gauss:1,gauss:4,log:1,log:2,log:4,dx:2,dy:2,dx:4,dy:4",
                                        "gauss:2,gauss:1,gauss:4,log:1,log:2,log:4,dx:4,dy:2,dx:2,dy:4"};
    uint64_t hashes[4];

    for (int i = 0; i < 4; i++) {
        struct random_forest_params params = small;
        struct shw_forest *forest, *again;
        void *bytes;
        size_t size;
        params.channels = texts[i];
        forest = random_forest(&params);
        hashes[i] = shw_forest_hash(forest);
        assert_string_equal(shw_forest_get_info(forest)->channels, texts[i > 1 ? i : 0]);
        assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
        assert_int_equal(shw_forest_load_memory(bytes, size, "x", NULL, &again), SHW_OK);
        assert_true(shw_forest_hash(again) == hashes[i]);
        assert_string_equal(shw_forest_get_info(again)->channel_list->name, texts[i > 1 ? i : 0]);
        free(bytes);
        shw_forest_destroy(&again);
        shw_forest_destroy(&forest);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_true(hashes[1] != hashes[2] && hashes[2] != hashes[3] && hashes[3] != hashes[1]);
}

TESTING_CASE(wrong_arguments_are_refused)
{
    struct shw_class nameless[3] = {{.name = "a"}, {.name = ""}, {.name = "c"}};
    struct shw_class latin[3] = {{.name = "a"}, {.name = "b"}, {.name = "caf\xe9"}};

    assert_int_equal(shw_forest_create(NULL, NULL), SHW_ERROR_ARGUMENT);
    REFUSE(draft.params.trees = NULL, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "at least one tree");
    REFUSE(draft.params.info.tree_count = 0, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "at least one tree");
    REFUSE(draft.params.info.tree_count = SHW_TREES_MAX + 1, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE, "4097 trees");
    REFUSE(draft.params.info.class_count = 0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "0 classes");
    REFUSE(draft.params.info.class_count = 65536, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "65536 classes");
    REFUSE(draft.params.info.channels = "gauss:77", SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA,
           "gauss does not take the parameter 77");
    REFUSE(draft.params.info.classes = nameless, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "name of class 1");
    REFUSE(draft.params.info.classes = latin, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "name of class 2");
    REFUSE(draft.params.info.training = "[1]", SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "provenance");
    REFUSE(draft.params.info.training = "{", SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "provenance");
}

TESTING_CASE(wrong_structure_is_refused)
{
    REFUSE(node_of(&draft, 0, 0)->left = 0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "tree 0, node 0: child 0");
    REFUSE(node_of(&draft, 1, 0)->left = 2, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "tree 1, node 0: child 2");
    REFUSE(node_of(&draft, 1, 0)->left = 0xfffffffe, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "tree 1, node 0");
    REFUSE(draft.trees[0].node_count -= 2, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "tree 0, node");
    REFUSE(draft.trees[0].node_count -= 1, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "odd");
    REFUSE(draft.trees[0].node_count = 0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "0 nodes");
    REFUSE(draft.trees[0].node_count = SHW_NODES_MAX + 1, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE, "nodes");
    REFUSE(node_of(&draft, 0, first_leaf(&draft, 0))->left++, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
           "instead of the leaf itself");
    REFUSE(node_of(&draft, 0, first_leaf(&draft, 0))->leaf++, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
           "leaf number 1, but 0");
    REFUSE(node_of(&draft, 0, last_leaf(&draft, 0))->leaf++, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
           "numbers come");
    REFUSE(node_of(&draft, 0, first_leaf(&draft, 0))->t0 = 1, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "not zero");
    REFUSE(node_of(&draft, 0, first_leaf(&draft, 0))->t1 = 1, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "a leaf has");
    for (int w = 0; w < 5; w++)
        REFUSE(node_of(&draft, 0, first_leaf(&draft, 0))->feature.words[w] = 1, SHW_ERROR_FORMAT,
               SHW_LOG_FOREST_STRUCTURE, "a leaf has");
    REFUSE(node_of(&draft, 0, 0)->leaf = 1, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "not zero");
    REFUSE(distribution_of(&draft, 1)[0] ^= 1, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
           "tree 1, leaf 0: the distribution");
}

/* A root that is a leaf leaves its children without a parent. */
TESTING_CASE(unreachable_nodes_are_refused)
{
    struct draft draft;

    open_draft(&draft, &small);
    *node_of(&draft, 0, 0) = (struct shw_node){0};
    refuse(&draft, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "node 1: it is not the child of an earlier node");
}

TESTING_CASE(too_deep_trees_are_refused)
{
    const struct random_forest_params deep = {.classes = 3, .trees = 2, .depth = SHW_DEPTH_MAX + 1};
    struct draft draft;

    open_draft(&draft, &deep);
    refuse(&draft, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE, "65 tests deep");
}

static struct shw_rectangle_difference feature_of(struct draft *draft)
{
    return shw_rectangle_difference_unpack(&node_of(draft, 0, 0)->feature);
}

/* Refuses the draft whose first node has another feature. */
#define REFUSE_FEATURE(change, message)                                                                                \
    REFUSE(struct shw_rectangle_difference feature = feature_of(&draft); change;                                       \
           node_of(&draft, 0, 0)->feature = shw_rectangle_difference_pack(&feature), SHW_ERROR_FORMAT,                 \
           SHW_LOG_FOREST_FEATURE, message)

TESTING_CASE(wrong_features_are_refused)
{
    REFUSE_FEATURE(feature.channel[0] = 16, "channel 16");
    REFUSE_FEATURE(feature.channel[1] = 16, "channel 16");
    REFUSE(node_of(&draft, 0, 0)->feature.words[0] |= 1u << 24, SHW_ERROR_FORMAT, SHW_LOG_FOREST_FEATURE, "bit 24");
    REFUSE(node_of(&draft, 0, 0)->feature.words[0] |= 1u << 26, SHW_ERROR_FORMAT, SHW_LOG_FOREST_FEATURE,
           "unknown flags");
    for (int single = 0; single < 2; single++)
        for (int r = 0; r < 2; r++) {
            REFUSE_FEATURE(feature.single = single != 0; feature.rectangle[r].x1 = feature.rectangle[r].x0,
                                                         r == 0 ? "rectangle 0 is empty" : "rectangle 1 is empty");
            REFUSE_FEATURE(feature.rectangle[r].y0 = INT16_MAX, "is empty");
        }
    REFUSE(node_of(&draft, 1, 0)->t1 = node_of(&draft, 1, 0)->t0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_FEATURE,
           "tree 1, node 0");
}

/* The largest rectangle that is still exact, and the next. */
TESTING_CASE(sums_must_stay_exact)
{
    uint32_t max_abs = testing_channels(SHW_CHANNELS_RGB)->channels[0].max_abs;
    int16_t size = 1;

    while ((uint64_t)(size + 1) * (uint64_t)(size + 1) * max_abs <= (1u << 30) - 1)
        size++;
    for (int16_t extra = 0; extra < 2; extra++)
        for (int r = 0; r < 2; r++)
            for (int single = 0; single < 2; single++) {
                struct random_forest_params params = small;
                struct shw_rectangle large = {-7, -9, (int16_t)(size + extra - 7), (int16_t)(size + extra - 9)};
                struct shw_forest *forest = NULL;
                struct shw_rectangle_difference feature;
                struct draft draft;
                params.channels = SHW_CHANNELS_RGB;
                open_draft(&draft, &params);
                draft.params.info.channels = SHW_CHANNELS_RGB;
                feature = feature_of(&draft);
                feature.rectangle[r] = large;
                feature.channel[r] = 0;
                feature.single = single != 0;
                node_of(&draft, 0, 0)->feature = shw_rectangle_difference_pack(&feature);
                if (extra != 0 && (r == 0 || single == 0)) {
                    refuse(&draft, SHW_ERROR_FORMAT, SHW_LOG_FOREST_SUM_RANGE, "must be smaller");
                    continue;
                }
                assert_int_equal(shw_forest_create(&draft.params, &forest), SHW_OK);
                if (r == 0 || single == 0)
                    assert_int_equal(shw_forest_get_reach(forest), size + extra - 8);
                shw_forest_destroy(&forest);
                random_trees_free(draft.trees, 2);
            }
}

/* Nothing inside a rectangle is farther away, and something is as far away: responses read both, whichever count. */
TESTING_CASE(reach_is_the_farthest_pixel)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct random_forest_params params = small;
        struct shw_forest *forest;
        int32_t farthest = 0;
        params.seed = seed;
        forest = random_forest(&params);
        for (uint32_t t = 0; t < 2; t++)
            for (uint32_t n = 0; n < shw_forest_get_tree(forest, t).node_count; n++) {
                struct shw_node node = shw_forest_get_node(forest, t, n);
                struct shw_rectangle_difference feature = shw_rectangle_difference_unpack(&node.feature);
                for (int r = 0; r < (node.is_split ? 2 : 0); r++) {
                    const struct shw_rectangle *rect = &feature.rectangle[r];
                    int32_t corners[] = {abs(rect->x0), abs(rect->x1 - 1), abs(rect->y0), abs(rect->y1 - 1)};
                    for (int i = 0; i < 4; i++)
                        farthest = corners[i] > farthest ? corners[i] : farthest;
                }
            }
        assert_int_equal(shw_forest_get_reach(forest), farthest);
        shw_forest_destroy(&forest);
    }
}

TESTING_CASE(hash_is_of_meaning_not_of_training)
{
    struct shw_class classes[3] = {{"a", {1, 2, 3}}, {"b", {4, 5, 6}}, {"c", {7, 8, 9}}};
    uint64_t hashes[6];

    for (int i = 0; i < 6; i++) {
        struct shw_forest *forest;
        struct draft draft;
        open_draft(&draft, &small);
        classes[1].name = i == 3 ? "z" : "b";
        classes[1].colour[0] = i == 4 ? 9 : 4;
        draft.params.info.classes = classes;
        draft.params.info.training = i == 1 ? "{\"seed\":1}" : NULL;
        draft.params.info.feature = i == 2 ? &shw_feature_sum_difference : &shw_feature_mean_difference;
        if (i == 5)
            node_of(&draft, 0, 0)->t0--;
        assert_int_equal(shw_forest_create(&draft.params, &forest), SHW_OK);
        hashes[i] = shw_forest_hash(forest);
        shw_forest_destroy(&forest);
        random_trees_free(draft.trees, 2);
    }
    assert_true(hashes[0] == hashes[1]);
    for (int i = 2; i < 6; i++)
        for (int j = 0; j < i; j++)
            assert_true(hashes[i] != hashes[j]);
}

/* Every texel says what its words say: each part of the forest is found once, with the words that it should have. */
TESTING_CASE(texels_are_told_apart)
{
    static const struct random_forest_params kinds[] = {
        {.seed = 1},
        {.seed = 2, .trees = 5, .depth = 6, .split_percent = 70, .classes = 9},
        {.seed = 3, .trees = 40, .depth = 3, .classes = 8},
        {.seed = 4, .trees = 2, .depth = 30, .classes = 100},
        {.seed = 5, .trees = 3, .depth = 7, .split_percent = 80, .classes = 9, .shares_leaves = true}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct shw_forest *forest = random_forest(&kinds[i]);
        struct shw_forest_texture texture = shw_forest_get_texture(forest);
        uint32_t trees = shw_forest_get_info(forest)->tree_count, classes = shw_forest_get_info(forest)->class_count;
        uint32_t count[SHW_TEXEL_DISTRIBUTION + 1] = {0}, nodes = 0, leaves = 0;
        for (uint32_t t = 0; t < trees; t++) {
            nodes += shw_forest_get_tree(forest, t).node_count;
            leaves += shw_forest_get_tree(forest, t).leaf_count;
        }
        for (uint32_t index = 0; index < texture.width * texture.height * texture.layers; index++) {
            const uint32_t *words = texture.texels + 4 * (size_t)index, zero[4] = {0};
            struct shw_texel texel = shw_forest_get_texel(forest, index);
            struct shw_node node = shw_forest_get_node(forest, texel.tree, texel.node);
            count[texel.kind]++;
            assert_true(texel.tree < trees && texel.node < shw_forest_get_tree(forest, texel.tree).node_count);
            switch (texel.kind) {
            case SHW_TEXEL_NOTHING: assert_memory_equal(words, zero, sizeof zero); break;
            case SHW_TEXEL_HEADER: assert_int_equal(words[0], trees); break;
            case SHW_TEXEL_TREE: assert_int_equal(words[1], shw_forest_get_tree(forest, texel.tree).node_count); break;
            case SHW_TEXEL_NODE:
                assert_int_equal(words[0], node.left);
                assert_int_equal(words[2], node.is_split ? (uint32_t)node.t0 : texel.leaf);
                assert_int_equal(node.leaf, texel.leaf);
                break;
            case SHW_TEXEL_FEATURE: assert_memory_equal(words, node.feature.words + 1, sizeof zero); break;
            case SHW_TEXEL_DISTRIBUTION:
                assert_false(node.is_split);
                assert_int_equal(node.leaf, texel.leaf);
                for (uint32_t c = texel.first_class; c < texel.first_class + 8; c++)
                    assert_int_equal(words[c % 8 / 2] >> c % 2 * 16 & 0xffff,
                                     c < classes ? shw_forest_get_distribution(forest, texel.tree, texel.leaf)[c] : 0);
                break;
            }
        }
        assert_int_equal(count[SHW_TEXEL_HEADER], 1);
        assert_int_equal(count[SHW_TEXEL_TREE], trees);
        assert_int_equal(count[SHW_TEXEL_NODE], nodes);
        assert_int_equal(count[SHW_TEXEL_FEATURE], nodes);
        assert_int_equal(count[SHW_TEXEL_DISTRIBUTION], leaves * ((classes + 7) / 8));
        assert_int_equal(shw_forest_get_texel(forest, texture.width * texture.height * texture.layers).kind,
                         SHW_TEXEL_NOTHING);
        assert_int_equal(shw_forest_get_texel(forest, UINT32_MAX).kind, SHW_TEXEL_NOTHING);
        shw_forest_destroy(&forest);
    }
}

/* Leaves that share distributions: what was given comes back, through files too, and a pixel that reaches any of them
 * has their number. */
TESTING_CASE(leaves_share_distributions)
{
    struct random_forest_params params = {
        .seed = 6, .trees = 2, .depth = 6, .split_percent = 80, .classes = 3, .shares_leaves = true};
    struct shw_tree *trees = random_trees(&params);
    struct shw_forest *forest = random_forest(&params), *again;
    struct shw_texel texel;
    void *bytes;
    size_t size;

    assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
    assert_int_equal(shw_forest_load_memory(bytes, size, "x", NULL, &again), SHW_OK);
    assert_true(shw_forest_hash(again) == shw_forest_hash(forest));
    for (uint32_t t = 0; t < 2; t++) {
        struct shw_tree_info tree = shw_forest_get_tree(again, t);
        assert_true(tree.leaf_count < tree.node_count / 2 + 1);
        assert_int_equal(tree.leaf_count, trees[t].leaf_count);
        for (uint32_t n = 0; n < tree.node_count; n++)
            assert_int_equal(shw_forest_get_node(again, t, n).leaf, trees[t].nodes[n].leaf);
        for (uint32_t l = 0; l < tree.leaf_count; l++)
            assert_memory_equal(shw_forest_get_distribution(again, t, l), trees[t].distributions + 3 * l, 6);
    }
    texel = shw_forest_get_texel(again, shw_forest_get_texture(again).texels[2] + 1);
    assert_int_equal(texel.leaf, 1);
    for (uint32_t n = 0; n < texel.node; n++)
        assert_true(trees[0].nodes[n].is_split || trees[0].nodes[n].leaf != 1);
    assert_int_equal(trees[0].nodes[texel.node].leaf, 1);
    free(bytes);
    random_trees_free(trees, 2);
    shw_forest_destroy(&again);
    shw_forest_destroy(&forest);
}

TESTING_CASE(wrong_leaf_numbers_are_refused)
{
    REFUSE(draft.trees[0].leaf_count = draft.trees[0].node_count / 2 + 2, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
           "leaf numbers, but only");
    REFUSE(draft.trees[0].leaf_count = draft.trees[0].node_count / 2, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
           "numbers come before it");
    REFUSE(node_of(&draft, 1, last_leaf(&draft, 1))->leaf = 0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
           "no leaf has number");
}

/* Rows begin where they should and nothing overlaps, in textures of one layer and of many (which no test could
 * fill). */
static void check_layout(const struct shw_forest_layout *layout, const struct shw_forest_tree *trees, uint32_t count,
                         uint32_t classes)
{
    uint64_t texels = (uint64_t)layout->width * layout->height * layout->layers, end = 1 + (uint64_t)count, leaves = 0;

    assert_true(layout->width >= 16 && layout->width <= 4096 && (layout->width & (layout->width - 1)) == 0);
    assert_true(layout->layers >= 1 && layout->layers <= 255);
    assert_true(layout->height <= layout->width);
    assert_true(layout->layers == 1 || (layout->height == 4096 && layout->width == 4096));
    assert_true(texels <= UINT32_MAX);
    for (uint32_t t = 0; t <= count; t++) {
        uint32_t first = t < count ? trees[t].first : layout->distributions;
        assert_int_equal(first % layout->width, 0);
        assert_true(first >= end && first - end < layout->width);
        end = first;
        if (t == count)
            break;
        assert_int_equal(trees[t].first_leaf, leaves);
        end += 2 * (uint64_t)trees[t].node_count;
        leaves += trees[t].leaf_count;
    }
    assert_int_equal(layout->leaf_count, leaves);
    end += leaves * ((classes + 7) / 8);
    assert_true(end <= texels);
    assert_true(texels - end <
                (layout->layers > 1 ? (uint64_t)4096 * 4096 : layout->width)); /* no row or layer for nothing */
}

TESTING_CASE(layouts_waste_nothing_and_overlap_nowhere)
{
    static struct shw_forest_tree trees[SHW_TREES_MAX];
    struct testing_random random = {4};
    struct shw_forest_layout layout;
    unsigned layered = 0;

    for (int i = 0; i < 1000; i++) {
        uint32_t count = 1 + testing_random_below(&random, 1u << testing_random_below(&random, 7));
        uint32_t classes = 1 + testing_random_below(&random, 1u << testing_random_below(&random, 9));
        for (uint32_t t = 0; t < count; t++) {
            uint32_t splits = testing_random_below(&random, 1u << testing_random_below(&random, 21));
            trees[t].node_count = 1 + 2 * splits;
            trees[t].leaf_count = 1 + (i % 2 == 0 ? splits : testing_random_below(&random, 1 + splits));
        }
        assert_true(shw_forest_place(trees, count, classes, &layout));
        check_layout(&layout, trees, count, classes);
        layered += layout.layers > 1;
    }
    assert_in_range(layered, 20, 980);
    for (uint32_t t = 0; t < SHW_TREES_MAX; t++) {
        trees[t].node_count = SHW_NODES_MAX - 1;
        trees[t].leaf_count = SHW_NODES_MAX / 2;
    }
    assert_false(shw_forest_place(trees, SHW_TREES_MAX, SHW_CLASSES_MAX, &layout));
    assert_false(shw_forest_place(trees, 128, 1, &layout)); /* 256 layers of nodes alone */
    assert_true(shw_forest_place(trees, 80, 1, &layout));
    check_layout(&layout, trees, 80, 1);
}
