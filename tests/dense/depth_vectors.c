/* The vector code of the feature types that divide by the depth at the pixel against their portable code, which depth.c
 * compares with plain arithmetic: every depth, offsets and sizes at which quotients change, missing depth, borders, and
 * sums as large as they may become. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/grow_cpu/responses.h"
#include "testing/labelling.h"

enum { CHANNELS = 3, FEATURES = 48 }; /* the depth, its count, and another */

static const struct shw_feature_type *const types[] = {
    &shw_feature_depth_mean_difference, &shw_feature_curfil_difference, &shw_feature_depth_pixel_difference,
    &shw_feature_kinect_difference};
#define TYPE_COUNT (sizeof types / sizeof *types)

/* Channels of an image, and what features read of them. */
struct scene {
    uint32_t width, height;
    int16_t *channels;
    uint32_t *integrals;
};

static struct scene make_scene(uint32_t width, uint32_t height)
{
    return (struct scene){width, height, calloc((size_t)CHANNELS * width * height + 8, sizeof(int16_t)),
                          calloc((size_t)CHANNELS * (width + 1) * (height + 1), sizeof(uint32_t))};
}

static void free_scene(struct scene *scene)
{
    free(scene->channels);
    free(scene->integrals);
}

static int16_t *value_at(struct scene *scene, uint32_t channel, uint32_t x, uint32_t y)
{
    return &scene->channels[((size_t)channel * scene->height + y) * scene->width + x];
}

static void integrate(struct scene *scene)
{
    size_t stride = scene->width + 1, pitch = stride * (scene->height + 1);

    for (uint32_t c = 0; c < CHANNELS; c++)
        for (uint32_t y = 0; y < scene->height; y++) {
            uint32_t *below = scene->integrals + c * pitch + (y + 1) * stride, row = 0;
            for (uint32_t x = 0; x < scene->width; x++) {
                const int32_t value = *value_at(scene, c, x, y);
                row += (uint32_t)value;
                below[x + 1] = below[x + 1 - stride] + row;
            }
        }
}

static const void *planes_of(const struct scene *scene, const struct shw_feature_type *type)
{
    return type->reads == SHW_FEATURE_READS_INTEGRALS ? (const void *)scene->integrals : scene->channels;
}

static void begin_block(const struct scene *scene, const struct shw_feature_type *type, struct shw_image_block *block)
{
    const struct shw_train_image image = {
        .width = scene->width, .height = scene->height, .more = shw_feature_more(type)};

    memset(block, 0, sizeof *block);
    shw_image_block_begin(block, &image);
}

/* A length at which the quotient by the depth changes, or the one before or after. */
static uint32_t edge_length(struct testing_random *random, uint32_t depth, uint32_t reach, uint32_t most)
{
    uint32_t quotient = testing_random_below(random, (reach >> testing_random_below(random, 12)) + 1);
    uint64_t length = ((uint64_t)quotient * depth + 999) / 1000 + testing_random_below(random, 3);

    length -= length > 0;
    return length > most ? most - testing_random_below(random, 2) : (uint32_t)length;
}

static uint32_t edge_offset(struct testing_random *random, uint32_t depth, uint32_t reach)
{
    static const int16_t edges[] = {0, 1, -1, INT16_MAX, INT16_MIN, -INT16_MAX};
    uint32_t pair = 0;

    for (int i = 0; i < 2; i++) {
        int32_t offset = (int32_t)edge_length(random, depth, i == 0 ? reach : 4, 32767);
        if (testing_random_below(random, 2) == 0)
            offset = -offset;
        if (testing_random_below(random, 8) == 0)
            offset = edges[testing_random_below(random, 6)];
        pair |= (uint32_t)(uint16_t)offset << (16 * i);
    }
    return pair;
}

static uint32_t edge_size(struct testing_random *random, uint32_t depth, const struct shw_feature_type *type)
{
    uint32_t most = type == &shw_feature_curfil_difference ? 127 : 65535;
    uint32_t width = edge_length(random, depth, 200, most), height = edge_length(random, depth, 200, most);

    return (width > 0 ? width : 1) | (height > 0 ? height : 1) << 16;
}

/* Counted where the type allows it. */
static struct shw_feature random_feature(struct testing_random *random, const struct shw_feature_type *type,
                                         uint32_t depth, uint32_t reach)
{
    uint32_t channels[2], second = testing_random_below(random, 4) > 0;
    bool has_sizes = type->reads == SHW_FEATURE_READS_INTEGRALS;
    struct shw_feature feature = {{second << SHW_NODE_SECOND_SHIFT}};

    for (uint32_t i = 0; i < 2; i++) {
        channels[i] = 2 * testing_random_below(random, 2);
        if (i == 1 && type == &shw_feature_curfil_difference)
            channels[1] = channels[0];
        if (has_sizes)
            feature.words[0] |= channels[i] << (SHW_NODE_CHANNEL_BITS * i) | (uint32_t)(channels[i] == 0)
                                                                                 << (SHW_NODE_COUNTED_SHIFT + i);
        feature.words[1 + 2 * i] = edge_offset(random, depth, reach);
        feature.words[2 + 2 * i] = has_sizes ? edge_size(random, depth, type) : 0;
    }
    if (type == &shw_feature_curfil_difference)
        feature.words[0] |= (uint32_t)(testing_random_below(random, 16) == 0) << 28;
    return feature;
}

/* Runs of `count` samples from place 8 on, with every feature, by the vector code and by the portable code. */
static void check_runs(const struct scene *scene, const struct shw_feature_type *type, struct shw_image_block *block,
                       uint32_t count, const struct shw_feature *features, uint32_t feature_count)
{
    const struct shw_respond *plain = &type->code->respond, *fast = shw_respond_choose(type, 1, shw_simd_level());
    static int32_t expected[FEATURES][SHW_BLOCK], got[SHW_BLOCK];
    const void *planes = planes_of(scene, type);

    if (plain->prepare != NULL)
        plain->prepare(planes, block, 8, SHW_LANES_UP(count));
    for (uint32_t f = 0; f < feature_count; f++)
        plain->run(planes, block, 8, count, &features[f], expected[f]);
    if (fast->prepare != NULL)
        fast->prepare(planes, block, 8, SHW_LANES_UP(count));
    for (uint32_t f = 0; f < feature_count; f++) {
        fast->run(planes, block, 8, count, &features[f], got);
        assert_memory_equal(got, expected[f], count * sizeof *got);
    }
}

/* One sample with every feature. */
static void check_features(const struct scene *scene, const struct shw_feature_type *type,
                           struct shw_image_block *block, const struct shw_feature *features, uint32_t count)
{
    const struct shw_respond *plain = &type->code->respond, *fast = shw_respond_choose(type, 1, shw_simd_level());
    uint32_t words[5][FEATURES + 7] = {{0}};
    int32_t expected[FEATURES + 7], got[FEATURES + 7];
    struct shw_feature_lanes lanes;

    for (uint32_t w = 0; w < 5; w++) {
        lanes.words[w] = words[w];
        for (uint32_t f = 0; f < count; f++)
            words[w][f] = features[f].words[w];
    }
    if (plain->prepare != NULL)
        plain->prepare(planes_of(scene, type), block, 0, 8);
    plain->features(planes_of(scene, type), block, 0, &lanes, count, expected);
    if (fast->prepare != NULL)
        fast->prepare(planes_of(scene, type), block, 0, 8);
    fast->features(planes_of(scene, type), block, 0, &lanes, count, got);
    assert_memory_equal(got, expected, count * sizeof *got);
}

/* The depth at x is x: responses tell where they look. Where x is a multiple of 1009, there is no depth. */
static struct scene every_depth(void)
{
    struct scene scene = make_scene(32768, 8);

    for (uint32_t y = 0; y < scene.height; y++)
        for (uint32_t x = 0; x < scene.width; x++) {
            *value_at(&scene, 0, x, y) = (int16_t)(x % 1009 == 0 ? 0 : x);
            *value_at(&scene, 1, x, y) = x % 1009 != 0;
            *value_at(&scene, 2, x, y) = (int16_t)((int32_t)(x * 7919 % 65535) - 32767);
        }
    integrate(&scene);
    return scene;
}

TESTING_CASE(every_depth_with_some_features)
{
    static struct shw_image_block block;
    struct testing_random random = {31};
    struct scene scene = every_depth();

    for (size_t t = 0; t < TYPE_COUNT; t++) {
        begin_block(&scene, types[t], &block);
        for (uint32_t first = 0; first < 32768; first += 1000) {
            uint32_t count = 32768 - first < 1000 ? 32768 - first : 1000;
            struct shw_feature features[FEATURES];
            for (uint32_t i = 0; i < SHW_LANES_UP(count); i++) {
                block.x[8 + i] = (int32_t)(first + (i < count ? i : count - 1));
                block.y[8 + i] = (int32_t)(block.x[8 + i] % 8);
            }
            for (uint32_t f = 0; f < FEATURES; f++)
                features[f] =
                    random_feature(&random, types[t], first + testing_random_below(&random, count) + 1, 32767);
            check_runs(&scene, types[t], &block, count, features, FEATURES);
        }
    }
    free_scene(&scene);
}

TESTING_CASE(every_depth_where_its_quotients_change)
{
    static struct shw_image_block block;
    struct testing_random random = {32};
    struct scene scene = every_depth();

    for (size_t t = 0; t < TYPE_COUNT; t++) {
        begin_block(&scene, types[t], &block);
        for (uint32_t depth = 0; depth < 32768; depth++) {
            struct shw_feature features[8];
            for (uint32_t i = 0; i < 8; i++)
                block.x[i] = (int32_t)depth, block.y[i] = (int32_t)(depth / 8 % 8);
            for (uint32_t f = 0; f < 8; f++)
                features[f] = random_feature(&random, types[t], depth > 0 ? depth : 1, 32767);
            check_features(&scene, types[t], &block, features, 8);
        }
    }
    free_scene(&scene);
}

/* Everything as large as it may be, with holes and without; regions of all sizes on all sides of the borders. */
TESTING_CASE(largest_sums)
{
    static struct shw_image_block block;
    struct testing_random random = {33};

    for (uint32_t kind = 0; kind < 4; kind++) {
        struct scene scene = make_scene(300, 280);
        for (uint32_t y = 0; y < scene.height; y++)
            for (uint32_t x = 0; x < scene.width; x++) {
                bool hole = kind % 2 == 1 && testing_random_below(&random, 7) == 0;
                *value_at(&scene, 0, x, y) = hole ? 0 : INT16_MAX;
                *value_at(&scene, 1, x, y) = !hole;
                *value_at(&scene, 2, x, y) = kind < 2 ? INT16_MAX : -INT16_MAX;
            }
        integrate(&scene);
        for (size_t t = 0; t < TYPE_COUNT; t++)
            for (int round = 0; round < 12; round++) {
                struct shw_feature features[FEATURES];
                begin_block(&scene, types[t], &block);
                for (uint32_t i = 0; i < 208; i++) {
                    block.x[i] = (int32_t)testing_random_below(&random, scene.width);
                    block.y[i] = (int32_t)testing_random_below(&random, scene.height);
                }
                for (uint32_t f = 0; f < FEATURES; f++)
                    features[f] = random_feature(&random, types[t], INT16_MAX, 200);
                check_runs(&scene, types[t], &block, 199, features, FEATURES);
                for (uint32_t i = 1; i < 8; i++)
                    block.x[i] = block.x[0], block.y[i] = block.y[0];
                check_features(&scene, types[t], &block, features, FEATURES - 3);
            }
        free_scene(&scene);
    }
}

/* Complete trees of random features, whose thresholds are near zero. */
static struct shw_forest *random_trees(struct testing_random *random, const struct shw_feature_type *type)
{
    enum { TREES = 2, DEPTH = 6, NODES = (2 << DEPTH) - 1, LEAVES = 1 << DEPTH };
    static uint16_t distributions[LEAVES];
    static struct shw_node nodes[TREES][NODES];
    struct testing_log memory;
    struct shw_tree trees[TREES];
    struct shw_forest_params params = {
        .info = {.channels = "depth,rgb", .feature = type, .class_count = 1, .tree_count = TREES, .training = "{}"},
        .trees = trees,
        .log = testing_log(&memory)};
    struct shw_forest *forest = NULL;

    for (uint32_t t = 0; t < TREES; t++) {
        for (uint32_t n = 0; n < NODES; n++) {
            uint32_t depth = 1 + (testing_random_below(random, 32767) >> testing_random_below(random, 4));
            nodes[t][n] = (struct shw_node){.left = n, .leaf = n - (LEAVES - 1)};
            if (n >= LEAVES - 1)
                continue;
            nodes[t][n] = (struct shw_node){.is_split = true,
                                            .left = 2 * n + 1,
                                            .t0 = testing_random_range(random, -50, 50),
                                            .t1 = INT32_MAX,
                                            .feature = random_feature(random, type, depth, 60)};
        }
        trees[t] = (struct shw_tree){nodes[t], NODES, distributions, 0};
    }
    for (uint32_t l = 0; l < LEAVES; l++)
        distributions[l] = 65535;
    if (shw_forest_create(&params, &forest) != SHW_OK)
        fail_msg("%s", memory.last);
    return forest;
}

static struct testing_labelling label(const struct shw_forest *forest, const struct shw_inputs *inputs, uint32_t width,
                                      uint32_t height, const char *simd)
{
    struct shw_labeller_params params = {
        .forest = forest, .evaluate = SHW_TECHNIQUE_CPU, .outputs = TESTING_ALL_OUTPUTS, .threads = 1};
    struct testing_labelling got = testing_labelling(forest, width, height);
    struct shw_labeller *labeller;

    params.channels = params.integrate = SHW_TECHNIQUE_CPU;
    assert_int_equal(setenv("SHADEWOOD_SIMD", simd, 1), 0);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, inputs, &got.out), SHW_OK);
    shw_labeller_destroy(&labeller);
    assert_int_equal(unsetenv("SHADEWOOD_SIMD"), 0);
    return got;
}

/* Leaf images of an image that has every depth, and of narrow ones, by every kind of vector instructions. */
TESTING_CASE(leaves_by_all_instructions)
{
    static const char *const simd[] = {"portable", "avx2", "avx512"};
    static const uint32_t sizes[][2] = {{331, 99}, {7, 40}, {64, 3}, {1, 1}};
    struct testing_random random = {34};

    for (size_t t = 0; t < TYPE_COUNT; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint32_t width = sizes[s][0], height = sizes[s][1], different = 0;
            struct shw_forest *forest = random_trees(&random, types[t]);
            uint16_t *depth = malloc((size_t)width * height * sizeof *depth);
            struct shw_input list[2] = {{.image = testing_image(&random, width, height, SHW_PIXEL_RGB8, 0)},
                                        {.name = SHW_DEPTH, .image = {depth, width, height, 0, SHW_PIXEL_GREY16}}};
            struct shw_inputs inputs = {2, list};
            struct testing_labelling plain;
            assert_non_null(depth);
            for (uint32_t i = 0; i < width * height; i++)
                depth[i] = (uint16_t)(i % 97 == 0 ? 0 : s == 0 ? i + 1 : 1 + testing_random_below(&random, 3000));
            plain = label(forest, &inputs, width, height, "none");
            for (size_t i = 1; i < (size_t)2 * width * height; i++)
                different += plain.out.forest_leaves[i] != plain.out.forest_leaves[i - 1];
            assert_true(s > 0 || different > 500);
            for (size_t v = 0; v < sizeof simd / sizeof *simd; v++) {
                struct testing_labelling got = label(forest, &inputs, width, height, simd[v]);
                testing_labelling_same(simd[v], TESTING_ALL_OUTPUTS, &got, &plain);
                testing_labelling_free(&got);
            }
            testing_labelling_free(&plain);
            free((void *)(uintptr_t)list[0].image.pixels);
            free(depth);
            shw_forest_destroy(&forest);
        }
}
