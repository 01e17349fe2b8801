/* Labelling by every technique and mixture against the CPU, bit for bit, and the CPU against sums written out. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channels/channels.h"
#include "testing/device.h"
#include "testing/random_forest.h"

#define ALL (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)

enum { CPU = SHW_TECHNIQUE_CPU, FRAGMENT = SHW_TECHNIQUE_FRAGMENT, COMPUTE = SHW_TECHNIQUE_COMPUTE };

static void *allocate(size_t count, size_t size)
{
    void *memory = malloc(count * size);

    assert_non_null(memory);
    memset(memory, 0xee, count * size);
    return memory;
}

static struct shw_labelling labelling_of(const struct shw_forest *forest, const struct shw_image *image, uint32_t outputs)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    size_t pixels = (size_t)image->width * image->height;

    return (struct shw_labelling){
        .tree_leaf = outputs & SHW_OUTPUT_TREE_LEAF ? allocate(pixels, 4) : NULL,
        .forest_leaves = outputs & SHW_OUTPUT_FOREST_LEAVES ? allocate(info->tree_count * pixels, 4) : NULL,
        .distribution = outputs & SHW_OUTPUT_DISTRIBUTION ? allocate(info->class_count * pixels, 2) : NULL,
        .argmax = outputs & SHW_OUTPUT_ARGMAX ? allocate(pixels, 2) : NULL,
    };
}

static void labelling_free(struct shw_labelling *labelling)
{
    free(labelling->tree_leaf);
    free(labelling->forest_leaves);
    free(labelling->distribution);
    free(labelling->argmax);
}

static struct shw_image random_image(uint64_t seed, uint32_t width, uint32_t height, enum shw_pixel_format format)
{
    struct testing_random random = {seed};
    size_t size = (size_t)width * height * shw_pixel_size(format);
    uint8_t *pixels = allocate(size, 1), blocks[251];

    for (uint32_t block = 0; block < sizeof blocks / sizeof *blocks; block++)
        blocks[block] = (uint8_t)testing_random_below(&random, 256);
    for (size_t i = 0; i < size; i++) { /* patches with noise, so that neighbouring pixels share paths and part from them */
        size_t sample = i % shw_pixel_size(format), x = i / shw_pixel_size(format) % width,
               y = i / shw_pixel_size(format) / width;
        pixels[i] = blocks[(x / 6 + 7 * (y / 5) + 11 * sample) % sizeof blocks];
        if (testing_random_below(&random, 4) == 0)
            pixels[i] = (uint8_t)testing_random_below(&random, 256);
    }
    return (struct shw_image){.pixels = pixels, .width = width, .height = height, .format = format};
}

static void image_free(struct shw_image *image)
{
    free((void *)(uintptr_t)image->pixels);
}

static struct shw_labeller_params params_of(const struct shw_forest *forest, uint32_t outputs, int channels, int integrate,
                                            int evaluate)
{
    bool cpu = channels == CPU && integrate == CPU && evaluate == CPU;

    return (struct shw_labeller_params){.forest = forest,
                                        .device = cpu ? NULL : testing_device(),
                                        .outputs = outputs,
                                        .channels = (enum shw_technique)channels,
                                        .integrate = (enum shw_technique)integrate,
                                        .evaluate = (enum shw_technique)evaluate};
}

static struct shw_labelling label(struct shw_labeller_params params, const struct shw_image *image)
{
    struct testing_log memory;
    struct shw_labelling out = labelling_of(params.forest, image, params.outputs);
    struct shw_labeller *labeller = NULL;

    params.log = testing_log(&memory);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, image, &out), SHW_OK);
    shw_labeller_destroy(&labeller);
    assert_null(labeller);
    if (params.device != NULL)
        testing_device_check();
    return out;
}

static void assert_plane(const char *what, const char *output, const void *got, const void *expected, size_t size)
{
    if (got == NULL || testing_hash(got, size) == testing_hash(expected, size))
        return;
    for (size_t i = 0; i < size; i++)
        if (((const uint8_t *)got)[i] != ((const uint8_t *)expected)[i])
            fail_msg("%s: %s differs at byte %zu of %zu", what, output, i, size);
}

/* Outputs that `got` lacks are not compared. */
static void assert_same(const char *what, const struct shw_forest *forest, const struct shw_image *image,
                        const struct shw_labelling *got, const struct shw_labelling *expected)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    size_t pixels = (size_t)image->width * image->height;

    assert_plane(what, "tree leaf", got->tree_leaf, expected->tree_leaf, 4 * pixels);
    assert_plane(what, "forest leaves", got->forest_leaves, expected->forest_leaves, 4 * pixels * info->tree_count);
    assert_plane(what, "distribution", got->distribution, expected->distribution, 2 * pixels * info->class_count);
    assert_plane(what, "argmax", got->argmax, expected->argmax, 2 * pixels);
}

/* The response as the forest's header defines it: sums pixel by pixel over what is left of the rectangles. */
static int32_t direct_response(const struct shw_feature *feature, bool mean, const int16_t *planes, const struct shw_image *image,
                               int32_t px, int32_t py)
{
    int32_t width = (int32_t)image->width, height = (int32_t)image->height;
    int64_t value[2] = {0, 0};

    for (int r = 0; r < (feature->single ? 1 : 2); r++) {
        const struct shw_rectangle *rect = &feature->rectangle[r];
        const int16_t *plane = planes + (size_t)feature->channel[r] * image->width * image->height;
        int32_t left = px + rect->x0, right = px + rect->x1, top = py + rect->y0, bottom = py + rect->y1;
        left = left < 0 ? 0 : left >= width ? width - 1 : left;
        top = top < 0 ? 0 : top >= height ? height - 1 : top;
        right = right <= left ? left + 1 : right > width ? width : right;
        bottom = bottom <= top ? top + 1 : bottom > height ? height : bottom;
        for (int32_t y = top; y < bottom; y++)
            for (int32_t x = left; x < right; x++)
                value[r] += plane[(size_t)y * image->width + (size_t)x];
        if (mean)
            value[r] /= (int64_t)(right - left) * (bottom - top);
    }
    return (int32_t)(value[0] - value[1]);
}

static uint32_t direct_leaf(const struct shw_forest *forest, uint32_t tree, const int16_t *planes, const struct shw_image *image,
                            int32_t x, int32_t y)
{
    bool mean = shw_forest_get_info(forest)->feature == SHW_FEATURE_MEAN_DIFFERENCE;
    struct shw_node node = shw_forest_get_node(forest, tree, 0);

    while (node.is_split) {
        int32_t response = direct_response(&node.feature, mean, planes, image, x, y);
        bool right = node.t0 <= response && response < node.t1;
        node = shw_forest_get_node(forest, tree, node.left + right);
    }
    return node.leaf;
}

/* Everything without integral images, shared headers and threads. */
static struct shw_labelling label_directly(const struct shw_forest *forest, const struct shw_image *image)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_labelling out = labelling_of(forest, image, ALL);
    size_t pixels = (size_t)image->width * image->height;
    int16_t *planes = allocate(shw_channel_set_get(info->channels)->channel_count * pixels, sizeof *planes);

    assert_int_equal(shw_channels_cpu(info->channels, image, NULL, planes, NULL), SHW_OK);
    for (size_t p = 0; p < pixels; p++) {
        int32_t x = (int32_t)(p % image->width), y = (int32_t)(p / image->width);
        uint64_t best_sum = 0;
        out.argmax[p] = 0;
        for (uint32_t t = 0; t < info->tree_count; t++)
            out.forest_leaves[t * pixels + p] = direct_leaf(forest, t, planes, image, x, y);
        out.tree_leaf[p] = out.forest_leaves[p];
        for (uint32_t c = 0; c < info->class_count; c++) {
            uint64_t sum = 0;
            for (uint32_t t = 0; t < info->tree_count; t++)
                sum += shw_forest_get_distribution(forest, t, out.forest_leaves[t * pixels + p])[c];
            out.distribution[c * pixels + p] = (uint16_t)((2 * sum + info->tree_count) / (2 * info->tree_count));
            if (sum > best_sum) {
                best_sum = sum;
                out.argmax[p] = (uint16_t)c;
            }
        }
    }
    free(planes);
    return out;
}

struct scene {
    const char *name;
    struct random_forest_params forest;
    uint32_t width, height;
    enum shw_pixel_format format;
};

#define SUM  SHW_FEATURE_SUM_DIFFERENCE
#define MEAN SHW_FEATURE_MEAN_DIFFERENCE

static const struct scene scenes[] = {
    {"a leaf and a pixel", {.classes = 1}, 1, 1, SHW_PIXEL_RGB8},
    {"a leaf", {.classes = 5}, 13, 7, SHW_PIXEL_GREY8},
    {"a pixel", {.trees = 3, .depth = 6, .split_percent = 80}, 1, 1, SHW_PIXEL_RGB8},
    {"a row", {.trees = 2, .depth = 5, .split_percent = 80, .feature = SUM}, 57, 1, SHW_PIXEL_RGBA8},
    {"a column", {.trees = 2, .depth = 5, .split_percent = 80}, 1, 43, SHW_PIXEL_RGB16},
    {"one class", {.classes = 1, .trees = 2, .depth = 4, .split_percent = 70}, 19, 11, SHW_PIXEL_RGBA16},
    {"many classes", {.classes = 300, .trees = 3, .depth = 6, .split_percent = 80}, 23, 17, SHW_PIXEL_RGB8},
    {"nine classes", {.classes = 9, .trees = 5, .depth = 6, .split_percent = 80, .feature = SUM}, 8, 8, SHW_PIXEL_RGB8},
    {"many trees", {.classes = 4, .trees = 40, .depth = 7, .split_percent = 80}, 31, 29, SHW_PIXEL_RGB8},
    {"deep", {.classes = 6, .trees = 2, .depth = 20, .split_percent = 75, .extreme = true}, 33, 21, SHW_PIXEL_GREY16},
    {"deep sums", {.classes = 6, .trees = 4, .depth = 20, .split_percent = 75, .feature = SUM}, 33, 21, SHW_PIXEL_RGB8},
    {"a chain", {.classes = 3, .trees = 6, .depth = 64, .extreme = true}, 17, 16, SHW_PIXEL_RGB8},
    {"far away", {.trees = 3, .depth = 7, .split_percent = 85, .offset_max = 40000, .size_max = 500}, 37, 26, SHW_PIXEL_RGB8},
    {"large sums",
     {.trees = 3, .depth = 7, .split_percent = 85, .offset_max = 300, .size_max = 500, .feature = SUM, .extreme = true},
     37,
     26,
     SHW_PIXEL_RGB8},
    {"winn17", {.channels = SHW_CHANNELS_WINN17, .trees = 2, .depth = 8, .split_percent = 80}, 40, 30, SHW_PIXEL_RGB8},
    {"winn17 sums", {.channels = SHW_CHANNELS_WINN17, .depth = 8, .split_percent = 80, .feature = SUM}, 40, 30, SHW_PIXEL_GREY16},
    {"wide", {.channels = SHW_CHANNELS_WIDE, .trees = 3, .depth = 8, .split_percent = 80}, 41, 31, SHW_PIXEL_RGB8},
    {"wide sums",
     {.channels = SHW_CHANNELS_WIDE, .trees = 3, .depth = 8, .split_percent = 80, .feature = SUM},
     39,
     28,
     SHW_PIXEL_RGB8},
    {"rgb", {.channels = SHW_CHANNELS_RGB, .trees = 3, .depth = 8, .split_percent = 80}, 29, 30, SHW_PIXEL_RGB16},
    {"rgb sums",
     {.channels = SHW_CHANNELS_RGB, .trees = 3, .depth = 8, .split_percent = 80, .feature = SUM},
     29,
     30,
     SHW_PIXEL_RGB8},
    {"lab", {.channels = SHW_CHANNELS_LAB, .trees = 3, .depth = 8, .split_percent = 80}, 30, 27, SHW_PIXEL_RGB8},
    {"lab sums", {.channels = SHW_CHANNELS_LAB, .depth = 8, .split_percent = 80, .feature = SUM}, 30, 27, SHW_PIXEL_RGBA16},
};

#define SCENES (sizeof scenes / sizeof *scenes)

static struct shw_forest *forest_of(const struct scene *scene)
{
    struct random_forest_params params = scene->forest;

    params.seed = 1000 + (uint64_t)(scene - scenes);
    params.single_percent = 25;
    return random_forest(&params);
}

static void cpu_is_what_the_words_say(void **state)
{
    (void)state;
    for (size_t s = 0; s < SCENES; s++) {
        struct shw_forest *forest = forest_of(&scenes[s]);
        struct shw_image image = random_image(s, scenes[s].width, scenes[s].height, scenes[s].format);
        struct shw_labelling expected = label_directly(forest, &image);
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            struct shw_labeller_params params = params_of(forest, ALL, CPU, CPU, CPU);
            struct shw_labelling got;
            params.threads = threads;
            got = label(params, &image);
            assert_same(scenes[s].name, forest, &image, &got, &expected);
            labelling_free(&got);
        }
        labelling_free(&expected);
        image_free(&image);
        shw_forest_destroy(&forest);
    }
}

/* The scenes would prove nothing if all pixels met in one leaf. */
static void scenes_reach_many_leaves(void **state)
{
    (void)state;
    for (size_t s = 0; s < SCENES; s++) {
        struct shw_forest *forest = forest_of(&scenes[s]);
        struct shw_image image = random_image(s, scenes[s].width, scenes[s].height, scenes[s].format);
        struct shw_labelling labelling = label(params_of(forest, ALL, CPU, CPU, CPU), &image);
        size_t values = (size_t)image.width * image.height * shw_forest_get_info(forest)->tree_count, steps = 0;
        for (size_t i = 1; i < values; i++)
            steps += labelling.forest_leaves[i] != labelling.forest_leaves[i - 1];
        if (scenes[s].forest.depth > 0 && image.width * image.height > 1 && steps * 40 < values)
            fail_msg("%s: %zu changes of leaf among %zu", scenes[s].name, steps, values);
        labelling_free(&labelling);
        image_free(&image);
        shw_forest_destroy(&forest);
    }
}

static void check_scenes(int technique)
{
    for (size_t s = 0; s < SCENES; s++) {
        struct shw_forest *forest = forest_of(&scenes[s]);
        struct shw_image image = random_image(s, scenes[s].width, scenes[s].height, scenes[s].format);
        struct shw_labelling expected = label(params_of(forest, ALL, CPU, CPU, CPU), &image);
        struct shw_labelling got = label(params_of(forest, ALL, technique, technique, technique), &image);
        assert_same(scenes[s].name, forest, &image, &got, &expected);
        labelling_free(&got);
        labelling_free(&expected);
        image_free(&image);
        shw_forest_destroy(&forest);
    }
}

static void fragment_is_cpu(void **state)
{
    (void)state;
    check_scenes(FRAGMENT);
}

static void compute_is_cpu(void **state)
{
    (void)state;
    check_scenes(COMPUTE);
}

static const struct random_forest_params mixed_forest = {.seed = 7,
                                                         .channels = SHW_CHANNELS_WIDE,
                                                         .classes = 7,
                                                         .trees = 6,
                                                         .depth = 7,
                                                         .split_percent = 80,
                                                         .offset_max = 8,
                                                         .size_max = 6,
                                                         .single_percent = 20};

static void every_mixture_is_cpu(void **state)
{
    struct shw_forest *forest = random_forest(&mixed_forest);
    struct shw_image image = random_image(3, 35, 22, SHW_PIXEL_RGB8);
    struct shw_labelling expected = label(params_of(forest, ALL, CPU, CPU, CPU), &image);

    (void)state;
    for (int i = 0; i < 27; i++) {
        int channels = CPU + i % 3, integrate = CPU + i / 3 % 3, evaluate = CPU + i / 9;
        struct shw_labelling got = label(params_of(forest, ALL, channels, integrate, evaluate), &image);
        char what[64];
        snprintf(what, sizeof what, "%s, %s, %s", shw_technique_name((enum shw_technique)channels),
                 shw_technique_name((enum shw_technique)integrate), shw_technique_name((enum shw_technique)evaluate));
        assert_same(what, forest, &image, &got, &expected);
        labelling_free(&got);
    }
    labelling_free(&expected);
    image_free(&image);
    shw_forest_destroy(&forest);
}

static void outputs_do_not_depend_on_each_other(void **state)
{
    static const uint32_t sets[] = {SHW_OUTPUT_TREE_LEAF, SHW_OUTPUT_FOREST_LEAVES, SHW_OUTPUT_DISTRIBUTION, SHW_OUTPUT_ARGMAX,
                                    SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_ARGMAX};
    struct shw_forest *forest = random_forest(&mixed_forest);
    struct shw_image image = random_image(4, 27, 18, SHW_PIXEL_RGB8);
    struct shw_labelling expected = label(params_of(forest, ALL, CPU, CPU, CPU), &image);

    (void)state;
    for (size_t o = 0; o < sizeof sets / sizeof *sets; o++)
        for (int technique = CPU; technique <= COMPUTE; technique++) {
            uint32_t outputs = sets[o];
            struct shw_labelling got = label(params_of(forest, outputs, technique, technique, technique), &image);
            char what[64];
            snprintf(what, sizeof what, "outputs %u by %s", outputs, shw_technique_name((enum shw_technique)technique));
            assert_same(what, forest, &image, &got, &expected);
            labelling_free(&got);
        }
    labelling_free(&expected);
    image_free(&image);
    shw_forest_destroy(&forest);
}

static void tiles_leave_no_trace(void **state)
{
    static const uint32_t sizes[][2] = {{91, 150}, {200, 90}, {101, 93}};
    struct shw_forest *forest = random_forest(&mixed_forest);
    struct shw_image image = random_image(5, 173, 131, SHW_PIXEL_RGB8);
    struct shw_labelling expected = label(params_of(forest, ALL, CPU, CPU, CPU), &image);

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int technique = CPU; technique <= COMPUTE; technique++) {
            struct shw_labeller_params params = params_of(forest, ALL, technique, technique, technique);
            struct shw_labelling got;
            char what[64];
            params.width = sizes[s][0];
            params.height = sizes[s][1];
            got = label(params, &image);
            snprintf(what, sizeof what, "regions of %u x %u by %s", params.width, params.height,
                     shw_technique_name((enum shw_technique)technique));
            assert_same(what, forest, &image, &got, &expected);
            labelling_free(&got);
        }
    labelling_free(&expected);
    image_free(&image);
    shw_forest_destroy(&forest);
}

/* One labeller, images of many shapes, one after the other: large, then wide, then high, then small. */
static void labellers_take_any_sequence_of_images(void **state)
{
    static const uint32_t sizes[][2] = {{40, 30}, {2500, 3}, {3, 2500}, {1, 1}, {64, 48}};
    struct shw_forest *forest = random_forest(&mixed_forest);

    (void)state;
    for (int technique = CPU; technique <= COMPUTE; technique++) {
        struct shw_labeller_params params = params_of(forest, ALL, technique, technique, technique);
        struct testing_log memory;
        struct shw_labeller *labeller = NULL;
        params.log = testing_log(&memory);
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            enum shw_pixel_format format = s % 2 == 0 ? SHW_PIXEL_RGB8 : SHW_PIXEL_GREY16;
            struct shw_image image = random_image(s, sizes[s][0], sizes[s][1], format);
            struct shw_labelling expected = label(params_of(forest, ALL, CPU, CPU, CPU), &image);
            struct shw_labelling got = labelling_of(forest, &image, ALL);
            assert_int_equal(shw_labeller_run(labeller, &image, &got), SHW_OK);
            assert_same("sequence", forest, &image, &got, &expected);
            labelling_free(&got);
            labelling_free(&expected);
            image_free(&image);
        }
        shw_labeller_destroy(&labeller);
    }
    shw_forest_destroy(&forest);
}

static void strides_are_kept(void **state)
{
    struct shw_forest *forest = random_forest(&mixed_forest);
    struct shw_image whole = random_image(6, 50, 20, SHW_PIXEL_RGB8), part = whole, copy;
    uint8_t *packed = allocate(33 * 20, 3);

    (void)state;
    part.stride = 150;
    part.pixels = (const uint8_t *)whole.pixels + 9;
    part.width = 33;
    for (uint32_t y = 0; y < 20; y++)
        memcpy(packed + y * 99, (const uint8_t *)part.pixels + y * 150, 99);
    copy = (struct shw_image){.pixels = packed, .width = 33, .height = 20, .format = SHW_PIXEL_RGB8};
    for (int technique = CPU; technique <= COMPUTE; technique++) {
        struct shw_labelling expected = label(params_of(forest, ALL, CPU, CPU, CPU), &copy);
        struct shw_labelling got = label(params_of(forest, ALL, technique, technique, technique), &part);
        assert_same("stride", forest, &part, &got, &expected);
        labelling_free(&got);
        labelling_free(&expected);
    }
    image_free(&whole);
    free(packed);
    shw_forest_destroy(&forest);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_is_what_the_words_say), cmocka_unit_test(scenes_reach_many_leaves),
        cmocka_unit_test(fragment_is_cpu),           cmocka_unit_test(compute_is_cpu),
        cmocka_unit_test(every_mixture_is_cpu),      cmocka_unit_test(outputs_do_not_depend_on_each_other),
        cmocka_unit_test(tiles_leave_no_trace),      cmocka_unit_test(labellers_take_any_sequence_of_images),
        cmocka_unit_test(strides_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, testing_device_teardown);
}
