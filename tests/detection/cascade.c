/* Cascades: their texture, what is refused and where, and their hash. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "shared/cascade_texture.h"
#include "testing/cascades.h"

static const struct random_cascade_params samples[] = {
    {.kind = SHW_CASCADE_PIXELS, .planes = {.shrink = 4, .blur_before = true, .octaves = true}, .has_survivors = true},
    {.kind = SHW_CASCADE_PIXELS, .window_width = 128, .window_height = 2, .stages = 1, .trees = 1, .depth = 16},
    {.kind = SHW_CASCADE_SCALED, .stages = 40, .depth = 5},
    {.kind = SHW_CASCADE_HAAR, .restarts = true, .has_survivors = true},
    {.kind = SHW_CASCADE_HAAR, .window_width = 255, .window_height = 20, .stumps = true},
    {.kind = SHW_CASCADE_LBP, .restarts = true, .trees = 7},
};
#define SAMPLE_COUNT (sizeof samples / sizeof *samples)

/* A plain walk of the texture, by the documented layout alone, comes to the leaf that the nodes lead to. */
TESTING_CASE(the_texture_is_as_documented)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        struct shw_cascade *cascade = random_cascade(&samples[i]);
        const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
        const struct shw_cascade_texture texture = shw_cascade_get_texture(cascade);
        const uint32_t *texels = texture.texels;
        uint32_t k = info->kind == SHW_CASCADE_LBP ? 3 : 1, trees = 2 + info->stage_count;
        uint32_t nodes = trees + info->tree_count, features = nodes + k * info->node_count;
        assert_int_equal(texels[0], info->stage_count);
        assert_int_equal(texels[1], info->tree_count);
        assert_int_equal(texels[2], info->node_count);
        assert_int_equal(texels[3], info->feature_count);
        assert_int_equal(texels[4], info->window_width | info->window_height << 16);
        assert_int_equal(texels[5], info->fraction_bits | (info->restarts ? 256u : 0u));
        assert_int_equal((int32_t)texels[6], info->score_base);
        for (uint32_t s = 0; s < info->stage_count; s++) {
            const uint32_t *stage = texels + 4 * (2 + s);
            assert_int_equal(stage[0], info->stages[s].first_tree);
            assert_int_equal(stage[1], info->stages[s].tree_count);
            assert_int_equal((int32_t)stage[2], info->stages[s].threshold);
            assert_int_equal(stage[3], texels[4 * (trees + stage[0])]);
        }
        for (uint32_t t = 0; t < info->tree_count; t++) {
            const uint32_t *tree = texels + 4 * (trees + t);
            uint32_t deepest = 0, depths[1 << 12] = {0};
            assert_int_equal(tree[0], nodes + k * info->trees[t].first_node);
            assert_int_equal(tree[1], info->trees[t].node_count);
            for (uint32_t n = 0; n < tree[1]; n++) {
                const struct shw_cascade_node *node = &info->nodes[info->trees[t].first_node + n];
                const uint32_t *words = texels + 4 * (tree[0] + k * n);
                bool has_features = info->kind >= SHW_CASCADE_HAAR;
                assert_int_equal(words[0], has_features ? node->feature
                                                        : (uint8_t)node->x1 | (uint32_t)(uint8_t)node->y1 << 8 |
                                                              (uint32_t)(uint8_t)node->x2 << 16 |
                                                              (uint32_t)(uint8_t)node->y2 << 24);
                assert_int_equal((int32_t)words[1], node->threshold);
                assert_int_equal(words[2], node->is_split ? node->left : n);
                assert_int_equal((int32_t)words[3], node->value);
                if (k == 3)
                    assert_memory_equal(words + 4, node->subset, 32);
                if (node->is_split)
                    depths[node->left] = depths[node->left + 1] = depths[n] + 1;
                deepest = depths[n] > deepest ? depths[n] : deepest;
            }
            assert_int_equal(tree[2], deepest);
        }
        for (uint32_t f = 0; f < info->feature_count; f++) {
            const uint32_t *words = texels + 4 * (features + 2 * f);
            const struct shw_cascade_feature *feature = &info->features[f];
            for (uint32_t r = 0; r < 3; r++) {
                assert_int_equal(shw_cascade_byte(words[2 * r], 0), feature->rectangles[r].x);
                assert_int_equal(shw_cascade_byte(words[2 * r], 1), feature->rectangles[r].y);
                assert_int_equal(shw_cascade_byte(words[2 * r], 2), feature->rectangles[r].width);
                assert_int_equal(shw_cascade_byte(words[2 * r], 3), feature->rectangles[r].height);
                assert_int_equal((int32_t)words[2 * r + 1], feature->rectangles[r].weight);
            }
            assert_int_equal(words[6], feature->rectangle_count);
            assert_int_equal(words[7], feature->tilted);
        }
        assert_true(texture.height <= texture.width);
        assert_true(texture.width == 16 || features + 2 * info->feature_count > texture.width * texture.width / 4);
        shw_cascade_destroy(&cascade);
    }
}

TESTING_CASE(bytes_of_points_keep_their_signs)
{
    for (int32_t value = -128; value < 128; value++)
        for (uint32_t b = 0; b < 4; b++) {
            uint32_t word = ((uint32_t)value & 0xffu) << (8 * b) ^ (b == 0 ? 0xa5a5a500u : 0);
            assert_int_equal(shw_cascade_signed_byte(word, b), value);
            assert_int_equal(shw_cascade_byte(word, b), value & 0xff);
        }
}

/* A cascade whose parts can be changed. */
struct parts {
    struct shw_cascade_info info;
    struct shw_cascade_stage stages[64];
    struct shw_cascade_tree trees[256];
    struct shw_cascade_node nodes[4096];
    struct shw_cascade_feature features[64];
    uint64_t survivors[65];
};

static struct parts parts_of(const struct random_cascade_params *params)
{
    struct shw_cascade *cascade = random_cascade(params);
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    struct parts parts = {.info = *info};

    assert_true(info->stage_count <= 64 && info->tree_count <= 256 && info->node_count <= 4096 &&
                info->feature_count <= 64);
    memcpy(parts.stages, info->stages, info->stage_count * sizeof *info->stages);
    memcpy(parts.trees, info->trees, info->tree_count * sizeof *info->trees);
    memcpy(parts.nodes, info->nodes, info->node_count * sizeof *info->nodes);
    if (info->features != NULL)
        memcpy(parts.features, info->features, info->feature_count * sizeof *info->features);
    if (info->survivors != NULL)
        memcpy(parts.survivors, info->survivors, (info->stage_count + 1) * sizeof *info->survivors);
    parts.info.name = "thing";
    parts.info.training = "{\"by\": \"hand\"}";
    shw_cascade_destroy(&cascade);
    return parts;
}

static enum shw_result create(struct parts *parts, struct testing_log *memory, struct shw_cascade **cascade)
{
    const struct shw_log log = testing_log(memory);
    bool has_features = parts->info.kind == SHW_CASCADE_HAAR || parts->info.kind == SHW_CASCADE_LBP;

    parts->info.stages = parts->stages;
    parts->info.trees = parts->trees;
    parts->info.nodes = parts->nodes;
    parts->info.features = has_features || parts->info.feature_count > 0 ? parts->features : NULL;
    if (parts->info.survivors != NULL)
        parts->info.survivors = parts->survivors;
    return shw_cascade_create(&parts->info, &log, cascade);
}

static void refuse(struct parts *parts, enum shw_result expected, const char *words)
{
    struct shw_cascade *cascade = NULL;
    struct testing_log memory;

    assert_int_equal(create(parts, &memory, &cascade), expected);
    assert_null(cascade);
    assert_int_equal(memory.last_item, expected == SHW_ERROR_ARGUMENT ? SHW_LOG_ARGUMENT : SHW_LOG_CASCADE);
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

enum { PYRAMID, WIDE, SCALED, HAAR, STUMPS, LBP };

TESTING_CASE(what_is_not_a_cascade_is_refused)
{
    REFUSE(PYRAMID, p->info.kind = (enum shw_cascade_kind)4, SHW_ERROR_ARGUMENT, "4 is not a value");
    REFUSE(PYRAMID, p->info.name = "a\nb", SHW_ERROR_FORMAT, "name of the object");
    REFUSE(PYRAMID, p->info.stage_count = 0, SHW_ERROR_FORMAT, "no stages");
    REFUSE(PYRAMID, p->info.stage_count = SHW_CASCADE_STAGES_MAX + 1, SHW_ERROR_LIMIT, "65537 stages");
    REFUSE(PYRAMID, p->info.tree_count = 0, SHW_ERROR_FORMAT, "no trees");
    REFUSE(PYRAMID, p->info.tree_count = SHW_CASCADE_TREES_MAX + 1, SHW_ERROR_LIMIT, "65537 trees");
    REFUSE(PYRAMID, p->info.node_count = 0, SHW_ERROR_FORMAT, "no nodes");
    REFUSE(PYRAMID, p->info.node_count = SHW_CASCADE_NODES_MAX + 1, SHW_ERROR_LIMIT, "1048577 nodes");
    REFUSE(PYRAMID, p->info.feature_count = 1, SHW_ERROR_FORMAT, "it has features");
    REFUSE(LBP, p->info.feature_count = SHW_CASCADE_NODES_MAX + 1, SHW_ERROR_LIMIT, "1048577 features");
    REFUSE(PYRAMID, p->info.window_width = 1, SHW_ERROR_FORMAT, "a window of 1 x 12");
    REFUSE(PYRAMID, p->info.window_height = 129, SHW_ERROR_FORMAT, "2 to 128");
    REFUSE(SCALED, p->info.window_height = 24, SHW_ERROR_FORMAT, "0 to 0");
    REFUSE(HAAR, p->info.window_width = 256, SHW_ERROR_FORMAT, "2 to 255");
    REFUSE(PYRAMID, p->info.planes.shrink = 0, SHW_ERROR_FORMAT, "shrink by 0");
    REFUSE(PYRAMID, p->info.planes.shrink = 17, SHW_ERROR_FORMAT, "shrink by 17");
    REFUSE(SCALED, p->info.planes.shrink = 1, SHW_ERROR_FORMAT, "shrink by 1 ");
    REFUSE(SCALED, p->info.planes.octaves = true, SHW_ERROR_FORMAT, "prepares planes");
    REFUSE(PYRAMID, p->info.levels_per_octave = 0, SHW_ERROR_FORMAT, "0 levels per octave");
    REFUSE(LBP, p->info.levels_per_octave = 4, SHW_ERROR_FORMAT, "4 levels per octave");
    REFUSE(PYRAMID, p->info.scale_factor = 1.1, SHW_ERROR_FORMAT, "scale factor of 1.1");
    REFUSE(SCALED, p->info.scale_factor = 1, SHW_ERROR_FORMAT, "scale factor of 1 ");
    REFUSE(SCALED, p->info.scale_factor = 0.0 / 0.0, SHW_ERROR_FORMAT, "scale factor of ");
    REFUSE(PYRAMID, p->info.fraction_bits = 31, SHW_ERROR_FORMAT, "31 fraction bits");
    REFUSE(PYRAMID, p->info.training = "[]", SHW_ERROR_FORMAT, "provenance");
    REFUSE(PYRAMID, p->info.training = "{", SHW_ERROR_FORMAT, "provenance");
    REFUSE(PYRAMID, p->survivors[3] = p->survivors[2] + 1, SHW_ERROR_FORMAT, "survive stage 2 than reach");
    REFUSE(PYRAMID, p->survivors[0] = 1ull << 63, SHW_ERROR_FORMAT, "2^63");
}

TESTING_CASE(wrong_stages_and_trees_are_told)
{
    REFUSE(PYRAMID, p->stages[0].first_tree = 1, SHW_ERROR_FORMAT, "stage 0: ");
    REFUSE(PYRAMID, p->stages[1].first_tree++, SHW_ERROR_FORMAT, "stage 1: ");
    REFUSE(PYRAMID, p->stages[2].tree_count = 0, SHW_ERROR_FORMAT, "stage 2: 0 trees");
    REFUSE(PYRAMID, p->stages[5].tree_count++, SHW_ERROR_FORMAT, "stage 5: ");
    REFUSE(PYRAMID, p->stages[5].tree_count = UINT32_MAX, SHW_ERROR_FORMAT, "stage 5: ");
    REFUSE(PYRAMID, p->info.stage_count--; p->info.survivors = NULL, SHW_ERROR_FORMAT, "belong to stages");
    REFUSE(PYRAMID, p->trees[1].first_node--, SHW_ERROR_FORMAT, "tree 1: ");
    REFUSE(PYRAMID, p->trees[0].node_count = 0, SHW_ERROR_FORMAT, "tree 0: 0 nodes");
    REFUSE(PYRAMID, p->trees[0].node_count = UINT32_MAX, SHW_ERROR_FORMAT, "tree 0: 4294967295 nodes");
    REFUSE(PYRAMID, p->info.node_count++, SHW_ERROR_FORMAT, "belong to stages");
    REFUSE(WIDE, p->trees[0].node_count -= 1; p->info.node_count -= 1, SHW_ERROR_FORMAT, "breadth-first");
    REFUSE(WIDE, p->trees[0].node_count += 1;
           p->nodes[p->info.node_count++] = (struct shw_cascade_node){0}, SHW_ERROR_FORMAT, "not the child");
}

TESTING_CASE(wrong_nodes_are_told)
{
    REFUSE(PYRAMID, p->nodes[0].left = 0, SHW_ERROR_FORMAT, "stage 0, tree 0, node 0: child 0");
    REFUSE(PYRAMID, p->nodes[0].left = 2, SHW_ERROR_FORMAT, "node 0: child 2");
    REFUSE(PYRAMID, p->nodes[0].value = 1, SHW_ERROR_FORMAT, "node 0: a split has a value");
    REFUSE(PYRAMID, p->nodes[0].x1 = -1, SHW_ERROR_FORMAT, "node 0: the point (-1, ");
    REFUSE(PYRAMID, p->nodes[0].y1 = 12, SHW_ERROR_FORMAT, ", 12) is outside");
    REFUSE(PYRAMID, p->nodes[0].x2 = 12, SHW_ERROR_FORMAT, "node 0: the point (12, ");
    REFUSE(WIDE, p->nodes[0].y2 = 2, SHW_ERROR_FORMAT, "(0, 0) to (127, 1)");
    REFUSE(SCALED, p->nodes[0].x1 = 128, SHW_ERROR_FORMAT, "(-128, -128) to (127, 127)");
    REFUSE(SCALED, p->nodes[0].y2 = -129, SHW_ERROR_FORMAT, "-129) is outside");
    REFUSE(SCALED, p->nodes[0].feature = 1, SHW_ERROR_FORMAT, "node 0: it tests feature 1 of 0");
    REFUSE(SCALED, p->nodes[0].subset[7] = 1, SHW_ERROR_FORMAT, "it has a subset");
    REFUSE(HAAR, p->nodes[0].feature = 20, SHW_ERROR_FORMAT, "it tests feature 20 of 20");
    REFUSE(HAAR, p->nodes[0].y2 = 1, SHW_ERROR_FORMAT, "it has points");
    REFUSE(HAAR, p->nodes[0].subset[0] = 1, SHW_ERROR_FORMAT, "it has a subset");
    REFUSE(LBP, p->nodes[0].threshold = 1, SHW_ERROR_FORMAT, "it has a threshold");
    for (int part = 0; part < 5; part++) {
        struct parts parts = parts_of(&samples[PYRAMID]);
        uint32_t n = 0;
        while (parts.nodes[n].is_split)
            n++;
        switch (part) {
        case 0: parts.nodes[n].y1 = 1; break;
        case 1: parts.nodes[n].feature = 1; break;
        case 2: parts.nodes[n].threshold = 1; break;
        case 3: parts.nodes[n].subset[3] = 1; break;
        default: parts.nodes[n].left = n + 1; break;
        }
        refuse(&parts, SHW_ERROR_FORMAT, part < 4 ? "a leaf has a test" : "the child of a leaf is node");
    }
}

TESTING_CASE(trees_that_are_too_deep_are_refused)
{
    struct parts parts = parts_of(&samples[WIDE]);

    for (uint32_t n = 0; n < 35; n++)
        parts.nodes[n] =
            (struct shw_cascade_node){.is_split = n % 2 == 0 && n < 34, .left = n % 2 == 0 && n < 34 ? n + 1 : n};
    parts.trees[0].node_count = parts.info.node_count = 35;
    refuse(&parts, SHW_ERROR_LIMIT, "17 tests deep; at most 16");
}

TESTING_CASE(wrong_features_are_told)
{
    struct shw_cascade_feature upright = {.rectangle_count = 1, .rectangles = {{2, 3, 18, 17, 256}}};
    struct shw_cascade_feature tilted = {.tilted = true, .rectangle_count = 1, .rectangles = {{6, 4, 10, 6, 256}}};
    struct shw_cascade_feature pattern = {.rectangle_count = 1, .rectangles = {{2, 5, 6, 5, 0}}};
    struct testing_log memory;
    struct shw_cascade *cascade = NULL;
    struct parts parts = parts_of(&samples[HAAR]);

    parts.features[0] = upright; /* both reach the window's last pixels */
    parts.features[1] = tilted;
    assert_int_equal(create(&parts, &memory, &cascade), SHW_OK);
    shw_cascade_destroy(&cascade);
    REFUSE(HAAR, p->features[3] = upright; p->features[3].rectangles[0].width++, SHW_ERROR_FORMAT, "feature 3");
    REFUSE(HAAR, p->features[3] = upright; p->features[3].rectangles[0].y++, SHW_ERROR_FORMAT, "outside the window");
    REFUSE(HAAR, p->features[3] = upright; p->features[3].rectangles[0].height = 0, SHW_ERROR_FORMAT, "is empty");
    REFUSE(HAAR, p->features[3] = tilted; p->features[3].rectangles[0].x--, SHW_ERROR_FORMAT, ", tilted, ");
    REFUSE(HAAR, p->features[3] = tilted; p->features[3].rectangles[0].y++, SHW_ERROR_FORMAT, ", tilted, ");
    REFUSE(HAAR, p->features[3] = tilted; p->features[3].rectangles[0].x += 5, SHW_ERROR_FORMAT, ", tilted, ");
    REFUSE(HAAR, p->features[3] = upright; p->features[3].rectangles[2].weight = 1, SHW_ERROR_FORMAT, "is not used");
    REFUSE(HAAR, p->features[3] = upright; p->features[3].rectangles[0].weight = 32769, SHW_ERROR_FORMAT, "32769/256");
    REFUSE(HAAR, p->features[3] = upright;
           p->features[3].rectangles[0].weight = 27522, SHW_ERROR_FORMAT,
           "feature 3: its weighted sum could leave 32 bits"); /* 27521 * 255 * 18 * 17 is below 2^31 */
    REFUSE(HAAR, p->features[3].rectangle_count = 0, SHW_ERROR_FORMAT, "0 rectangles");
    REFUSE(HAAR, p->features[3].rectangle_count = 4, SHW_ERROR_FORMAT, "4 rectangles");
    REFUSE(LBP, p->features[0].rectangle_count = 2, SHW_ERROR_FORMAT, "1 to 1");
    REFUSE(LBP, p->features[0].tilted = true, SHW_ERROR_FORMAT, "cannot be tilted");
    REFUSE(LBP, p->features[0].rectangles[0].weight = 256, SHW_ERROR_FORMAT, "a weight of 256/256");
    parts = parts_of(&samples[LBP]);
    parts.features[0] = pattern;
    assert_int_equal(create(&parts, &memory, &cascade), SHW_OK);
    shw_cascade_destroy(&cascade);
    REFUSE(LBP, p->features[0] = pattern; p->features[0].rectangles[0].x++, SHW_ERROR_FORMAT, "outside the window");
    REFUSE(LBP, p->features[0] = pattern;
           p->features[0].rectangles[0].height++, SHW_ERROR_FORMAT, "outside the window");
}

/* Two stages of a leaf each, whose scores add up to the largest number, or restart. */
TESTING_CASE(no_score_can_leave_32_bits)
{
    static const struct {
        int32_t values[2], base;
        bool restarts, passes;
    } cases[] = {
        {{INT32_MAX - 5, 5}, 0, false, true},    {{INT32_MAX - 5, 6}, 0, false, false},
        {{5 - INT32_MAX, -5}, 0, false, true},   {{INT32_MAX - 5, -6}, 0, false, false},
        {{INT32_MIN, 0}, 0, false, false},       {{INT32_MAX - 5, 0}, -5, false, true},
        {{INT32_MAX - 5, 0}, 6, false, false},   {{0, 0}, INT32_MIN, false, false},
        {{INT32_MAX, INT32_MAX}, 0, true, true}, {{INT32_MAX, INT32_MAX - 1}, 1, true, true},
        {{0, INT32_MAX - 1}, -2, true, false},   {{INT32_MIN, 0}, 0, true, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_cascade *cascade = NULL;
        struct parts parts = parts_of(&samples[WIDE]);
        struct testing_log memory;
        parts.info.stage_count = parts.info.tree_count = parts.info.node_count = 2;
        for (uint32_t s = 0; s < 2; s++) {
            parts.stages[s] = (struct shw_cascade_stage){.first_tree = s, .tree_count = 1};
            parts.trees[s] = (struct shw_cascade_tree){.first_node = s, .node_count = 1};
            parts.nodes[s] = (struct shw_cascade_node){.value = cases[i].values[s]};
        }
        parts.info.restarts = cases[i].restarts;
        parts.info.score_base = cases[i].base;
        if (!cases[i].passes) {
            refuse(&parts, SHW_ERROR_FORMAT, "scores could leave 32 bits");
            continue;
        }
        assert_int_equal(create(&parts, &memory, &cascade), SHW_OK);
        shw_cascade_destroy(&cascade);
    }
}

static uint64_t hash_of(struct parts *parts)
{
    struct shw_cascade *cascade = NULL;
    struct testing_log memory;
    uint64_t hash;

    assert_int_equal(create(parts, &memory, &cascade), SHW_OK);
    hash = shw_cascade_hash(cascade);
    shw_cascade_destroy(&cascade);
    return hash;
}

#define CHANGES_HASH(sample, change, changes)                                                                          \
    do {                                                                                                               \
        struct parts p_ = parts_of(&samples[sample]), *p = &p_;                                                        \
        uint64_t before = hash_of(p);                                                                                  \
        change;                                                                                                        \
        assert_int_equal(hash_of(p) != before, changes);                                                               \
    } while (0)

TESTING_CASE(hashes_tell_cascades_apart)
{
    CHANGES_HASH(PYRAMID, p->info.training = "{}", false);
    CHANGES_HASH(PYRAMID, p->info.survivors = NULL, false);
    CHANGES_HASH(PYRAMID, p->info.name = "other", true);
    CHANGES_HASH(PYRAMID, p->info.planes.blur_after = true, true);
    CHANGES_HASH(PYRAMID, p->info.planes.octaves = false, true);
    CHANGES_HASH(PYRAMID, p->info.planes.shrink = 3, true);
    CHANGES_HASH(PYRAMID, p->info.levels_per_octave = 3, true);
    CHANGES_HASH(PYRAMID, p->info.window_width = 13, true);
    CHANGES_HASH(PYRAMID, p->info.restarts = true, true);
    CHANGES_HASH(PYRAMID, p->info.score_base++, true);
    CHANGES_HASH(PYRAMID, p->stages[5].threshold++, true);
    CHANGES_HASH(PYRAMID, p->nodes[0].threshold++, true);
    CHANGES_HASH(SCALED, p->info.scale_factor = 1.2, true);
    CHANGES_HASH(LBP, p->nodes[0].subset[7] ^= 1, true);
}

TESTING_CASE(kinds_have_names)
{
    static const char *const names[] = {"pixels", "scaled-pixels", "haar", "lbp"};

    for (int k = 0; k < 4; k++)
        assert_string_equal(shw_cascade_kind_name((enum shw_cascade_kind)k), names[k]);
    assert_null(shw_cascade_kind_name((enum shw_cascade_kind)4));
    assert_null(shw_cascade_kind_name((enum shw_cascade_kind) - 1));
}
