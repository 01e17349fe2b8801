#include "testing/cascades.h"

#include <stdlib.h>
#include <string.h>

enum { WALKS = 256, NODES_MAX = 1 << 12 /* of a tree */ };

struct maker {
    struct random_cascade_params params;
    struct testing_random random;
    struct shw_cascade_info info;
    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    struct shw_cascade_feature *features;
    uint32_t node_capacity;
    int32_t scores[WALKS]; /* of windows whose tests go either way by chance, and that all stages so far let pass */
};

static struct random_cascade_params with_defaults(const struct random_cascade_params *given)
{
    struct random_cascade_params params = *given;
    bool has_features = params.kind == SHW_CASCADE_HAAR || params.kind == SHW_CASCADE_LBP;

#define DEFAULT(field, value)                                                                                          \
    if (params.field == 0)                                                                                             \
    params.field = (value)
    DEFAULT(window_width, params.kind == SHW_CASCADE_SCALED ? 0 : has_features ? 20 : 12);
    DEFAULT(window_height, params.kind == SHW_CASCADE_SCALED ? 0 : has_features ? 20 : 12);
    DEFAULT(stages, 6);
    DEFAULT(trees, 3);
    DEFAULT(depth, params.stumps ? 1 : 3);
    DEFAULT(features, 20);
    DEFAULT(pass_percent, 70);
    DEFAULT(fraction_bits, 16);
    DEFAULT(planes.shrink, 2);
    DEFAULT(levels_per_octave, 2);
    DEFAULT(scale_factor, 1.25);
#undef DEFAULT
    return params;
}

static void make_points(struct maker *maker, struct shw_cascade_node *node)
{
    bool is_scaled = maker->info.kind == SHW_CASCADE_SCALED;
    int32_t least = is_scaled ? -128 : 0;
    int32_t right = is_scaled ? 127 : (int32_t)maker->info.window_width - 1;
    int32_t bottom = is_scaled ? 127 : (int32_t)maker->info.window_height - 1;

    node->x1 = (int16_t)testing_random_range(&maker->random, least, right);
    node->y1 = (int16_t)testing_random_range(&maker->random, least, bottom);
    node->x2 = (int16_t)testing_random_range(&maker->random, least, right);
    node->y2 = (int16_t)testing_random_range(&maker->random, least, bottom);
    node->threshold =
        is_scaled ? testing_random_range(&maker->random, -25, 25) : testing_random_range(&maker->random, -4000, 4000);
}

static void make_test(struct maker *maker, struct shw_cascade_node *node)
{
    switch (maker->info.kind) {
    case SHW_CASCADE_PIXELS:
    case SHW_CASCADE_SCALED: make_points(maker, node); break;
    case SHW_CASCADE_HAAR:
        node->feature = testing_random_below(&maker->random, maker->info.feature_count);
        node->threshold = testing_random_range(&maker->random, -(1 << 19), 1 << 19);
        break;
    case SHW_CASCADE_LBP:
        node->feature = testing_random_below(&maker->random, maker->info.feature_count);
        for (int i = 0; i < 8; i++)
            node->subset[i] = (uint32_t)testing_random_next(&maker->random);
        break;
    }
}

/* Breadth first; four of five nodes above the largest depth are splits. */
static void make_tree(struct maker *maker, struct shw_cascade_tree *tree, bool is_deep)
{
    struct shw_cascade_node *nodes = maker->nodes + maker->info.node_count;
    uint32_t depths[NODES_MAX] = {0}, count = 1, splits = 0;

    for (uint32_t n = 0; n < count; n++) {
        bool has_room = depths[n] < maker->params.depth && count + 2 <= NODES_MAX;
        bool chosen =
            maker->params.stumps || (is_deep && n == 2 * splits) || testing_random_below(&maker->random, 5) > 0;
        nodes[n] = (struct shw_cascade_node){.is_split = has_room && chosen, .left = n};
        if (nodes[n].is_split) {
            make_test(maker, &nodes[n]);
            nodes[n].left = 1 + 2 * splits++;
            depths[count] = depths[count + 1] = depths[n] + 1;
            count += 2;
        } else {
            nodes[n].value =
                testing_random_range(&maker->random, -(1 << maker->info.fraction_bits), 1 << maker->info.fraction_bits);
        }
    }
    *tree = (struct shw_cascade_tree){maker->info.node_count, count};
    maker->info.node_count += count;
}

static int32_t walk(struct maker *maker, const struct shw_cascade_tree *tree)
{
    const struct shw_cascade_node *nodes = maker->nodes + tree->first_node;
    uint32_t n = 0;

    while (nodes[n].is_split)
        n = nodes[n].left + testing_random_below(&maker->random, 2);
    return nodes[n].value;
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* Lets pass that part of the walks, which then take the place of those that it does not. */
static void set_threshold(struct maker *maker, struct shw_cascade_stage *stage)
{
    uint32_t rejected = WALKS * (100 - maker->params.pass_percent) / 100;

    for (uint32_t w = 0; w < WALKS; w++) {
        if (maker->info.restarts)
            maker->scores[w] = 0;
        for (uint32_t t = 0; t < stage->tree_count; t++)
            maker->scores[w] += walk(maker, &maker->trees[stage->first_tree + t]);
    }
    qsort(maker->scores, WALKS, sizeof *maker->scores, compare);
    stage->threshold = maker->scores[rejected];
    for (uint32_t w = 0; w < rejected; w++)
        maker->scores[w] = maker->scores[rejected + w % (WALKS - rejected)];
}

static void make_rectangle(struct maker *maker, bool tilted, uint32_t cells, struct shw_cascade_rectangle *rectangle)
{
    uint32_t window_width = maker->info.window_width, window_height = maker->info.window_height;
    uint32_t width, height;

    if (tilted) { /* leaves room for both sides in both directions */
        uint32_t most = (window_width < window_height ? window_width : window_height) / 4;
        width = 1 + testing_random_below(&maker->random, most);
        height = 1 + testing_random_below(&maker->random, most);
        rectangle->x = (uint8_t)(height + testing_random_below(&maker->random, window_width - width - height + 1));
        rectangle->y = (uint8_t)testing_random_below(&maker->random, window_height - width - height + 1);
    } else {
        width = 1 + testing_random_below(&maker->random, window_width / cells);
        height = 1 + testing_random_below(&maker->random, window_height / cells);
        rectangle->x = (uint8_t)testing_random_below(&maker->random, window_width - cells * width + 1);
        rectangle->y = (uint8_t)testing_random_below(&maker->random, window_height - cells * height + 1);
    }
    rectangle->width = (uint8_t)width;
    rectangle->height = (uint8_t)height;
}

static void make_feature(struct maker *maker, struct shw_cascade_feature *feature)
{
    bool is_lbp = maker->info.kind == SHW_CASCADE_LBP;

    *feature = (struct shw_cascade_feature){
        .tilted = !is_lbp && maker->info.window_width >= 8 && maker->info.window_height >= 8 &&
                  testing_random_below(&maker->random, 3) == 0,
        .rectangle_count = is_lbp ? 1 : 2 + testing_random_below(&maker->random, 2)};
    for (uint32_t r = 0; r < feature->rectangle_count; r++) {
        make_rectangle(maker, feature->tilted, is_lbp ? 3 : 1, &feature->rectangles[r]);
        if (!is_lbp)
            feature->rectangles[r].weight = r == 0 ? -256 : 256 * testing_random_range(&maker->random, 1, 3);
    }
}

static void make_features(struct maker *maker)
{
    maker->info.feature_count = maker->params.features;
    maker->info.features = maker->features = calloc(maker->params.features, sizeof *maker->features);
    assert_non_null(maker->features);
    for (uint32_t f = 0; f < maker->info.feature_count; f++)
        make_feature(maker, &maker->features[f]);
}

static void make_stages(struct maker *maker)
{
    const struct random_cascade_params *params = &maker->params;
    uint32_t trees_max = params->stages * params->trees;
    uint32_t nodes_max = params->depth < 12 ? (2u << params->depth) - 1 : NODES_MAX;

    maker->info.stages = maker->stages = calloc(params->stages, sizeof *maker->stages);
    maker->info.trees = maker->trees = calloc(trees_max, sizeof *maker->trees);
    maker->info.nodes = maker->nodes = calloc((size_t)trees_max * nodes_max, sizeof *maker->nodes);
    assert_true(maker->stages != NULL && maker->trees != NULL && maker->nodes != NULL);
    maker->info.stage_count = params->stages;
    for (uint32_t s = 0; s < params->stages; s++) {
        struct shw_cascade_stage *stage = &maker->stages[s];
        *stage = (struct shw_cascade_stage){maker->info.tree_count,
                                            1 + testing_random_below(&maker->random, params->trees), 0};
        for (uint32_t t = 0; t < stage->tree_count; t++, maker->info.tree_count++)
            make_tree(maker, &maker->trees[maker->info.tree_count], maker->info.tree_count == 0);
        set_threshold(maker, stage);
    }
}

static uint64_t *make_survivors(const struct maker *maker)
{
    uint64_t *survivors = calloc((size_t)maker->info.stage_count + 1, sizeof *survivors);

    assert_non_null(survivors);
    survivors[0] = 1000000;
    for (uint32_t s = 0; s < maker->info.stage_count; s++)
        survivors[s + 1] = survivors[s] * maker->params.pass_percent / 100;
    return survivors;
}

struct shw_cascade *random_cascade(const struct random_cascade_params *given)
{
    struct maker maker = {.params = with_defaults(given), .random = {given->seed}};
    struct shw_cascade_info *info = &maker.info;
    bool has_pyramid = given->kind == SHW_CASCADE_PIXELS;
    struct shw_cascade *cascade = NULL;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    uint64_t *survivors;

    info->kind = given->kind;
    info->name = "thing";
    info->window_width = maker.params.window_width;
    info->window_height = maker.params.window_height;
    info->fraction_bits = maker.params.fraction_bits;
    info->restarts = given->restarts;
    if (has_pyramid) {
        info->planes = maker.params.planes;
        info->levels_per_octave = maker.params.levels_per_octave;
    } else {
        info->scale_factor = maker.params.scale_factor;
    }
    if (given->kind == SHW_CASCADE_HAAR || given->kind == SHW_CASCADE_LBP)
        make_features(&maker);
    make_stages(&maker);
    info->score_base = maker.stages[info->stage_count - 1].threshold;
    info->survivors = survivors = given->has_survivors ? make_survivors(&maker) : NULL;
    info->min_score = given->min_score;
    info->has_min_score = given->has_min_score;
    assert_int_equal(shw_cascade_create(info, &log, &cascade), SHW_OK);
    free(survivors);
    free(maker.features);
    free(maker.nodes);
    free(maker.trees);
    free(maker.stages);
    return cascade;
}
