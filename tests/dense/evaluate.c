/* Evaluation on the CPU against code as plain as its definition: sums over channel planes pixel by pixel, descent node
 * by node. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

/* An image's channels, as the definition sees them. */
struct scene {
    const struct shw_forest *forest;
    const int16_t *planes;
    int64_t width, height;
};

static int64_t clamped(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The rectangle's pixels that lie in the image, or in each direction the one that is nearest to it; added one by
 * one. */
static int64_t plain_value(const struct scene *scene, struct shw_rectangle rect, uint32_t channel, int64_t x, int64_t y)
{
    const int16_t *plane = scene->planes + channel * scene->width * scene->height;
    int64_t left = clamped(x + rect.x0, 0, scene->width - 1), right = clamped(x + rect.x1 - 1, 0, scene->width - 1);
    int64_t top = clamped(y + rect.y0, 0, scene->height - 1), bottom = clamped(y + rect.y1 - 1, 0, scene->height - 1);
    int64_t sum = 0, area = 0;

    for (int64_t v = top; v <= bottom; v++)
        for (int64_t u = left; u <= right; u++, area++)
            sum += plane[v * scene->width + u];
    return shw_forest_get_info(scene->forest)->feature == &shw_feature_mean_difference ? sum / area : sum;
}

static uint32_t plain_leaf(const struct scene *scene, uint32_t tree, uint32_t n, int64_t x, int64_t y)
{
    struct shw_node node = shw_forest_get_node(scene->forest, tree, n);
    struct shw_rectangle_difference feature = shw_rectangle_difference_unpack(&node.feature);
    int64_t response;

    if (!node.is_split)
        return node.leaf;
    response = plain_value(scene, feature.rectangle[0], feature.channel[0], x, y);
    if (!feature.single)
        response -= plain_value(scene, feature.rectangle[1], feature.channel[1], x, y);
    return plain_leaf(scene, tree, node.left + (node.t0 <= response && response < node.t1), x, y);
}

/* What a tree says about a class: its leaf's share, or its vote. */
static uint64_t plain_share(const struct scene *scene, uint32_t tree, uint32_t leaf, uint32_t class)
{
    const uint16_t *distribution = shw_forest_get_distribution(scene->forest, tree, leaf);

    if (shw_forest_get_info(scene->forest)->combine == SHW_COMBINE_MEAN)
        return distribution[class];
    for (uint32_t c = 0; c < shw_forest_get_info(scene->forest)->class_count; c++)
        if (distribution[c] > distribution[class] || (distribution[c] == distribution[class] && c < class))
            return 0;
    return 65535;
}

static void plain_pixel(const struct scene *scene, int64_t x, int64_t y, struct testing_labelling *out)
{
    size_t pixels = (size_t)(scene->width * scene->height), at = (size_t)(y * scene->width + x);
    uint64_t best = 0;

    for (uint32_t t = 0; t < out->trees; t++)
        out->out.forest_leaves[t * pixels + at] = plain_leaf(scene, t, 0, x, y);
    out->out.tree_leaf[at] = out->out.forest_leaves[at];
    for (uint32_t c = 0; c < out->classes; c++) {
        uint64_t sum = 0;
        for (uint32_t t = 0; t < out->trees; t++)
            sum += plain_share(scene, t, out->out.forest_leaves[t * pixels + at], c);
        out->out.distribution[c * pixels + at] = (uint16_t)(((double)sum / out->trees) + 0.5);
        if (c == 0 || sum > best) {
            best = sum;
            out->out.argmax[at] = (uint16_t)c;
        }
    }
}

static struct testing_labelling plain_label(const struct shw_forest *forest, const struct shw_image *image)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    size_t count = info->channel_list->channel_count;
    int16_t *planes = malloc(count * image->width * image->height * sizeof *planes);
    struct scene scene = {forest, planes, image->width, image->height};
    struct testing_labelling out = testing_labelling(forest, image->width, image->height);

    assert_non_null(planes);
    assert_int_equal(
        shw_channels_cpu(info->channel_list, &(struct shw_channel_images){.of = {image}}, NULL, planes, NULL), SHW_OK);
    for (int64_t y = 0; y < scene.height; y++)
        for (int64_t x = 0; x < scene.width; x++)
            plain_pixel(&scene, x, y, &out);
    free(planes);
    return out;
}

static uint32_t different_leaves(const struct testing_labelling *labelling)
{
    uint32_t different = 0;

    for (size_t i = 1; i < (size_t)labelling->width * labelling->height * labelling->trees; i++)
        different += labelling->out.forest_leaves[i] != labelling->out.forest_leaves[i - 1];
    return different;
}

/* The values of SHADEWOOD_SIMD. */
static const char *const simd[] = {"none", "portable", "avx2", "avx512"};

/* Labels by every kind of vector instructions that there is. Returns how often neighbouring pixels reach different
 * leaves. */
static uint32_t check(const struct random_forest_params *params, uint32_t width, uint32_t height,
                      enum shw_pixel_format format)
{
    struct testing_random random = {params->seed + 1000};
    struct shw_forest *forest = random_forest(params);
    struct shw_image image = testing_image(&random, width, height, format, 6);
    struct shw_labeller_params labeller = {.forest = forest, .threads = 2};
    struct testing_labelling plain = plain_label(forest, &image);
    uint32_t different = different_leaves(&plain);

    for (size_t i = 0; i < sizeof simd / sizeof *simd; i++) {
        struct testing_labelling got;
        assert_int_equal(setenv("SHADEWOOD_SIMD", simd[i], 1), 0);
        got = testing_label(&labeller, &image);
        testing_labelling_same(simd[i], TESTING_ALL_OUTPUTS, &got, &plain);
        testing_labelling_free(&got);
    }
    assert_int_equal(unsetenv("SHADEWOOD_SIMD"), 0);
    testing_labelling_free(&plain);
    free((void *)(uintptr_t)image.pixels);
    shw_forest_destroy(&forest);
    return different;
}

TESTING_CASE(every_set_feature_and_size)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 7}, {9, 1}, {33, 31}, {16, 24}, {64, 3}, {147, 5}};
    uint32_t different = 0, step = TESTING_THREAD_SANITIZED ? 3 : 1;

    for (uint32_t set = 1; shw_channel_list_get_name(set - 1) != NULL; set++)
        for (uint32_t feature = 0; feature < 3; feature++)
            for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s += step) {
                struct random_forest_params params = {.seed = set * 100 + feature * 10 + s,
                                                      .channels = shw_channel_list_get_name(set - 1),
                                                      .feature = shw_feature_type_get(feature),
                                                      .classes = 1 + 3 * s,
                                                      .trees = 1 + s,
                                                      .depth = 6,
                                                      .split_percent = 70,
                                                      .single_percent = 30};
                different +=
                    check(&params, sizes[s][0], sizes[s][1], (enum shw_pixel_format)(SHW_PIXEL_GREY8 + (s + set) % 6));
            }
    assert_true(different > 1000);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, extremes)
{
    static const struct random_forest_params forests[] = {
        {.seed = 1, .depth = 0, .trees = 3},
        {.seed = 2, .depth = 8, .split_percent = 60, .extreme = true, .trees = 5},
        {.seed = 3, .depth = 5, .split_percent = 80, .offset_max = 32767, .size_max = 200, .single_percent = 20},
        {.seed = 4,
         .depth = 5,
         .split_percent = 80,
         .offset_max = 40,
         .size_max = 500,
         .feature = &shw_feature_sum_difference},
        {.seed = 5, .depth = 64, .split_percent = 5, .trees = 2},
        {.seed = 6, .depth = 4, .split_percent = 90, .classes = 300, .trees = 7, .extreme = true},
        {.seed = 7, .depth = 20, .split_percent = 85, .trees = 3, .classes = 33},
        {.seed = 8, .depth = 5, .split_percent = 50, .classes = 21, .trees = 40, .channels = SHW_CHANNELS_RGB},
        {.seed = 9, .depth = 6, .split_percent = 80, .classes = 33, .trees = 6, .combine = SHW_COMBINE_VOTE},
        {.seed = 11, .depth = 7, .split_percent = 80, .classes = 9, .trees = 4, .single_percent = 40, .ferns = true},
        {.seed = 12,
         .depth = 5,
         .split_percent = 90,
         .trees = 3,
         .offset_max = 32767,
         .size_max = 200,
         .extreme = true,
         .feature = &shw_feature_sum_difference,
         .ferns = true},
        {.seed = 13,
         .depth = 11,
         .split_percent = 60,
         .trees = 3,
         .feature = &shw_feature_pixel_difference,
         .ferns = true},
        {.seed = 10, .depth = 6, .split_percent = 80, .classes = 3, .trees = 9, .combine = SHW_COMBINE_VOTE},
    };

    for (size_t i = 0; i < sizeof forests / sizeof *forests; i++) {
        check(&forests[i], 23, 17, SHW_PIXEL_RGB8);
        check(&forests[i], 5, 40, SHW_PIXEL_RGBA16);
        check(&forests[i], 131, 3, SHW_PIXEL_GREY16);
    }
}

/* A forest of single leaves with these distributions. */
static struct shw_forest *leaf_forest(const uint16_t *distributions, uint32_t trees, uint32_t classes)
{
    const struct shw_node leaf = {.left = 0};
    struct shw_tree tree[4];
    struct shw_forest_params params = {.info = {.channels = SHW_CHANNELS_RGB,
                                                .feature = &shw_feature_sum_difference,
                                                .class_count = classes,
                                                .tree_count = trees},
                                       .trees = tree};
    struct shw_forest *forest = NULL;

    for (uint32_t t = 0; t < trees; t++)
        tree[t] = (struct shw_tree){.nodes = &leaf, .node_count = 1, .distributions = distributions + t * classes};
    assert_int_equal(shw_forest_create(&params, &forest), SHW_OK);
    return forest;
}

static void check_leaf_forest(const uint16_t *distributions, uint32_t trees, uint32_t classes, const uint16_t *expected,
                              uint16_t argmax)
{
    static const uint8_t pixel[3];
    struct shw_image image = {pixel, 1, 1, 0, SHW_PIXEL_RGB8};
    struct shw_forest *forest = leaf_forest(distributions, trees, classes);
    struct shw_labeller_params params = {.forest = forest, .threads = 1};
    struct testing_labelling got = testing_label(&params, &image);

    assert_memory_equal(got.out.distribution, expected, classes * sizeof *expected);
    assert_int_equal(got.out.argmax[0], argmax);
    testing_labelling_free(&got);
    shw_forest_destroy(&forest);
}

/* Means round halves up, and argmax looks at the sums, of which it takes the lowest among equals. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, ties_and_rounding)
{
    check_leaf_forest((const uint16_t[]){65535}, 1, 1, (const uint16_t[]){65535}, 0);
    check_leaf_forest((const uint16_t[]){0, 32767, 32768, 1, 32767, 32767}, 2, 3, (const uint16_t[]){1, 32767, 32768},
                      2);
    check_leaf_forest((const uint16_t[]){0, 30000, 30000, 5535}, 1, 4, (const uint16_t[]){0, 30000, 30000, 5535}, 1);
    /* sums 98302, 98303 of three trees: both means are 32767 or 32768 by rounding, and the larger sum wins */
    check_leaf_forest((const uint16_t[]){32767, 32768, 32767, 32768, 32768, 32767}, 3, 2,
                      (const uint16_t[]){32767, 32768}, 1);
    check_leaf_forest((const uint16_t[]){16383, 16384, 32768, 16384, 16384, 32767, 16384, 16383, 32768}, 3, 3,
                      (const uint16_t[]){16384, 16384, 32768}, 2);
    check_leaf_forest((const uint16_t[]){32768, 32767, 32767, 32768}, 2, 2, (const uint16_t[]){32768, 32768}, 0);
}

/* In an image of one grey every mean is that grey, clipped or not, however large the rectangle: no division may fall
 * short of it, or pass it. Even trees ask for the grey, odd ones for one more. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, whole_means)
{
    enum { WIDTH = 700, HEIGHT = 530, TREES = 24 };
    static const uint8_t greys[] = {1, 3, 89, 255};
    struct testing_random random = {17};
    const uint16_t distributions[] = {65535, 65535};
    struct shw_node nodes[TREES][3];
    struct shw_tree trees[TREES];
    struct shw_forest_params params = {.info = {.channels = SHW_CHANNELS_RGB,
                                                .feature = &shw_feature_mean_difference,
                                                .class_count = 1,
                                                .tree_count = TREES},
                                       .trees = trees};
    uint8_t *pixels = malloc(WIDTH * HEIGHT);

    assert_non_null(pixels);
    for (size_t g = 0; g < sizeof greys; g++) {
        struct shw_image image = {pixels, WIDTH, HEIGHT, 0, SHW_PIXEL_GREY8};
        struct shw_labeller_params labeller = {.threads = 2};
        struct testing_labelling got;
        struct shw_forest *forest = NULL;

        memset(pixels, greys[g], WIDTH * HEIGHT);
        for (uint32_t t = 0; t < TREES; t++) {
            int16_t side_max = t % 3 == 0 ? 512 : 60, side[2];
            int32_t bound = 16 * greys[g] + (int32_t)(t % 2);
            for (int i = 0; i < 2; i++)
                side[i] = (int16_t)testing_random_range(&random, 1, side_max);
            const struct shw_rectangle_difference feature = {
                .rectangle = {{-3, -2, (int16_t)(side[0] - 3), (int16_t)(side[1] - 2)}, {0, 0, 1, 1}}, .single = true};
            nodes[t][0] = (struct shw_node){.is_split = true,
                                            .left = 1,
                                            .feature = shw_rectangle_difference_pack(&feature),
                                            .t0 = bound,
                                            .t1 = INT32_MAX};
            nodes[t][1] = (struct shw_node){.left = 1, .leaf = 0};
            nodes[t][2] = (struct shw_node){.left = 2, .leaf = 1};
            trees[t] = (struct shw_tree){.nodes = nodes[t], .node_count = 3, .distributions = distributions};
        }
        assert_int_equal(shw_forest_create(&params, &forest), SHW_OK);
        labeller.forest = forest;
        got = testing_label(&labeller, &image);
        for (uint32_t t = 0; t < TREES; t++)
            for (size_t i = 0; i < WIDTH * HEIGHT; i++)
                if (got.out.forest_leaves[t * (size_t)WIDTH * HEIGHT + i] != 1 - t % 2)
                    fail_msg("grey %u, tree %u, pixel %zu: the mean is wrong", greys[g], t, i);
        testing_labelling_free(&got);
        shw_forest_destroy(&forest);
    }
    free(pixels);
}

/* Blocks of pixels at the edges of tiles lie at edges of what was integrated, too, where nothing behind may be read. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, tiles_give_the_same)
{
    static const uint32_t tiles[][2] = {{17, 5}, {70, 100}, {5, 33}, {500, 7}};
    struct random_forest_params params = {
        .seed = 41, .depth = 6, .split_percent = 80, .trees = 3, .channels = SHW_CHANNELS_LAB, .single_percent = 30};
    struct testing_random random = {19};
    struct shw_image image = testing_image(&random, 203, 90, SHW_PIXEL_RGB8, 0);
    struct shw_forest *forest = random_forest(&params);
    struct testing_labelling plain = plain_label(forest, &image);
    uint32_t margin = shw_forest_get_reach(forest);

    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++)
        for (size_t i = 0; i < sizeof simd / sizeof *simd; i++) {
            struct shw_labeller_params labeller = {
                .forest = forest, .threads = 1, .width = tiles[t][0] + 2 * margin, .height = tiles[t][1] + 2 * margin};
            struct testing_labelling got;
            assert_int_equal(setenv("SHADEWOOD_SIMD", simd[i], 1), 0);
            got = testing_label(&labeller, &image);
            assert_true(got.tiled);
            testing_labelling_same(simd[i], TESTING_ALL_OUTPUTS, &got, &plain);
            testing_labelling_free(&got);
        }
    assert_int_equal(unsetenv("SHADEWOOD_SIMD"), 0);
    testing_labelling_free(&plain);
    free((void *)(uintptr_t)image.pixels);
    shw_forest_destroy(&forest);
}

static void expect_run_error(const struct shw_image *image, const struct shw_labelling *out)
{
    struct random_forest_params forest_params = {.seed = 1, .depth = 2};
    struct shw_forest *forest = random_forest(&forest_params);
    struct testing_log memory;
    struct shw_labeller_params params = {
        .forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .threads = 1, .log = testing_log(&memory)};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(*image), out), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(memory.last_item, SHW_LOG_ARGUMENT);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
}

TESTING_CASE(wrong_images_and_outputs_are_refused)
{
    static const uint16_t pixels[4 * 4 * 4];
    static const struct shw_image images[] = {{NULL, 4, 4, 0, SHW_PIXEL_RGB8},
                                              {pixels, 0, 4, 0, SHW_PIXEL_RGB8},
                                              {pixels, 4, 0, 0, SHW_PIXEL_RGB8},
                                              {pixels, 65536, 1, 0, SHW_PIXEL_RGB8},
                                              {pixels, 1, 65536, 0, SHW_PIXEL_RGB8},
                                              {pixels, 4, 4, 11, SHW_PIXEL_RGB8},
                                              {pixels, 4, 4, 0, SHW_PIXEL_NONE},
                                              {pixels, 4, 4, 0, (enum shw_pixel_format)(SHW_PIXEL_B10G11R11_FLOAT + 1)},
                                              {pixels, 4, 4, 9, SHW_PIXEL_GREY16},
                                              {(const char *)pixels + 1, 4, 4, 0, SHW_PIXEL_GREY16}};
    const struct shw_image good = {pixels, 4, 4, 0, SHW_PIXEL_RGB8};
    uint16_t labels[16];
    uint32_t leaves[16];

    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        expect_run_error(&images[i], &(struct shw_labelling){.argmax = labels});
    expect_run_error(&good, &(struct shw_labelling){.tree_leaf = leaves});
    expect_run_error(&good, &(struct shw_labelling){.forest_leaves = leaves});
    expect_run_error(&good, &(struct shw_labelling){.distribution = labels});
}

static void expect_create_error(struct shw_labeller_params params)
{
    struct shw_labeller *labeller = NULL;
    struct testing_log memory;

    params.log = testing_log(&memory);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_ARGUMENT);
    assert_null(labeller);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(memory.last_item, SHW_LOG_ARGUMENT);
}

TESTING_CASE(wrong_parameters_are_refused)
{
    struct random_forest_params forest_params = {.seed = 1, .depth = 2};
    struct shw_forest *forest = random_forest(&forest_params);

    expect_create_error((struct shw_labeller_params){.outputs = SHW_OUTPUT_ARGMAX});
    expect_create_error((struct shw_labeller_params){.forest = forest});
    expect_create_error((struct shw_labeller_params){.forest = forest, .outputs = 16});
    expect_create_error(
        (struct shw_labeller_params){.forest = forest, .outputs = 8, .evaluate = (enum shw_technique)6});
    expect_create_error((struct shw_labeller_params){.forest = forest, .outputs = 8, .evaluate = SHW_TECHNIQUE_BLEND});
    expect_create_error(
        (struct shw_labeller_params){.forest = forest, .outputs = 8, .channels = (enum shw_technique) - 1});
    expect_create_error(
        (struct shw_labeller_params){.forest = forest, .outputs = 8, .integrate = SHW_TECHNIQUE_FRAGMENT});
    expect_create_error(
        (struct shw_labeller_params){.forest = forest, .outputs = 8, .evaluate = SHW_TECHNIQUE_COMPUTE});
    expect_create_error((struct shw_labeller_params){.forest = forest, .outputs = 8, .width = 7});
    expect_create_error((struct shw_labeller_params){.forest = forest, .outputs = 8, .width = 65536, .height = 1});
    shw_forest_destroy(&forest);
}

TESTING_CASE(tiles_smaller_than_their_margin_are_refused)
{
    struct random_forest_params forest_params = {.seed = 1, .depth = 3, .offset_max = 40};
    struct shw_forest *forest = random_forest(&forest_params);
    struct testing_random random = {3};
    struct shw_image image = testing_image(&random, 300, 4, SHW_PIXEL_RGB8, 0);
    struct testing_log memory;
    struct shw_labeller_params params = {.forest = forest,
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .width = 10,
                                         .height = 10,
                                         .threads = 1,
                                         .log = testing_log(&memory)};
    struct shw_labeller *labeller = NULL;
    uint16_t *labels = malloc(300 * 4 * sizeof *labels);

    assert_non_null(labels);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &(struct shw_labelling){.argmax = labels}),
                     SHW_ERROR_LIMIT);
    assert_int_equal(memory.last_item, SHW_LOG_TILING);
    shw_labeller_destroy(&labeller);
    free(labels);
    free((void *)(uintptr_t)image.pixels);
    shw_forest_destroy(&forest);
}
