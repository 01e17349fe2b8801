/* Explanations and the channel reader against labelling, against whole channels, and against sums pixel by pixel. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "dense/explain/explain.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

/* One image with the channels that the whole of it has. */
struct scene {
    struct shw_image image;
    const struct shw_channel_list *set;
    int16_t *planes;
    struct shw_channel_reader *reader;
};

static struct scene make_scene(uint64_t seed, const char *set, uint32_t width, uint32_t height,
                               enum shw_pixel_format format)
{
    struct testing_random random = {seed};
    struct scene scene = {.image = testing_image(&random, width, height, format, 6), .set = testing_channels(set)};
    struct shw_channel_reader_params params = {.inputs = SHW_COLOUR_IMAGE(scene.image), .channels = set, .threads = 2};

    scene.planes = malloc(scene.set->channel_count * (size_t)width * height * sizeof *scene.planes);
    assert_non_null(scene.planes);
    assert_int_equal(
        shw_channels_cpu(scene.set, &(struct shw_channel_images){.of = {&scene.image}}, NULL, scene.planes, NULL),
        SHW_OK);
    assert_int_equal(shw_channel_reader_create(&params, &scene.reader), SHW_OK);
    return scene;
}

static void free_scene(struct scene *scene)
{
    shw_channel_reader_destroy(&scene->reader);
    assert_null(scene->reader);
    free(scene->planes);
    free((void *)(uintptr_t)scene->image.pixels);
}

static int64_t plain_sum(const struct scene *scene, uint32_t channel, const struct shw_image_rectangle *rect)
{
    const int16_t *plane = scene->planes + channel * (size_t)scene->image.width * scene->image.height;
    int64_t sum = 0;

    for (uint32_t y = rect->y0; y < rect->y1; y++)
        for (uint32_t x = rect->x0; x < rect->x1; x++)
            sum += plane[(size_t)y * scene->image.width + x];
    return sum;
}

/* Channels and integral images as wholes, and rectangles of all kinds, those of single pixels among them. */
static void check_reader(struct scene *scene, struct testing_random *random)
{
    uint32_t width = scene->image.width, height = scene->image.height;
    size_t pixels = (size_t)width * height;
    int16_t *values = malloc(pixels * sizeof *values);
    uint32_t *integral = malloc((size_t)(width + 1) * (height + 1) * sizeof *integral);

    assert_non_null(values);
    assert_non_null(integral);
    for (uint32_t c = 0; c < scene->set->channel_count; c++) {
        assert_int_equal(shw_channel_reader_get_channel(scene->reader, c, values), SHW_OK);
        assert_memory_equal(values, scene->planes + c * pixels, pixels * sizeof *values);
        assert_int_equal(shw_channel_reader_get_integral(scene->reader, c, integral), SHW_OK);
        for (uint32_t i = 0; i < 20; i++) {
            struct shw_image_rectangle rect = {0, 0, testing_random_below(random, width + 1),
                                               testing_random_below(random, height + 1)};
            assert_int_equal(integral[(size_t)rect.y1 * (width + 1) + rect.x1], (uint32_t)plain_sum(scene, c, &rect));
        }
        for (uint32_t i = 0; i < 20; i++) {
            struct shw_image_rectangle rect = {testing_random_below(random, width),
                                               testing_random_below(random, height), 0, 0};
            int32_t sum;
            rect.x1 = rect.x0 + 1 + (i % 4 == 0 ? 0 : testing_random_below(random, width - rect.x0));
            rect.y1 = rect.y0 + 1 + (i % 4 == 0 ? 0 : testing_random_below(random, height - rect.y0));
            assert_int_equal(shw_channel_reader_sum(scene->reader, c, &rect, &sum), SHW_OK);
            assert_int_equal(shw_channel_reader_get_part(scene->reader, c, &rect, values), SHW_OK);
            for (uint32_t y = rect.y0, at = 0; y < rect.y1; y++)
                for (uint32_t x = rect.x0; x < rect.x1; x++)
                    assert_int_equal(values[at++], scene->planes[c * pixels + y * width + x]);
            assert_int_equal(sum, (int32_t)(uint32_t)plain_sum(scene, c, &rect));
        }
    }
    free(integral);
    free(values);
}

TESTING_CASE(channels_are_those_of_the_whole_image)
{
    static const uint32_t sizes[][2] = {{1, 1}, {64, 64}, {65, 1}, {3, 130}, {150, 97}};
    struct testing_random random = {4};

    for (uint32_t set = 1; shw_channel_list_get_name(set - 1) != NULL; set++)
        for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct scene scene = make_scene(10 * set + s, shw_channel_list_get_name(set - 1), sizes[s][0], sizes[s][1],
                                            (enum shw_pixel_format)(SHW_PIXEL_GREY8 + (s + set) % 6));
            check_reader(&scene, &random);
            free_scene(&scene);
        }
}

/* More squares than are kept, so that old ones are given up, and read again. */
TESTING_CASE(what_was_given_up_is_made_again)
{
    enum { WIDTH = 30000, HEIGHT = 3, SQUARES = (WIDTH + 63) / 64 };
    struct scene scene = make_scene(3, SHW_CHANNELS_WIDE, WIDTH, HEIGHT, SHW_PIXEL_RGB8);
    struct testing_random random = {9};
    uint32_t kept = 0;

    assert_true(SQUARES * scene.set->channel_count > SHW_BLOCKS_MAX);
    for (uint32_t c = 0; c < scene.set->channel_count; c++) {
        struct shw_image_rectangle whole = {0, 0, WIDTH, HEIGHT};
        int32_t sum;
        assert_int_equal(shw_channel_reader_sum(scene.reader, c, &whole, &sum), SHW_OK);
        assert_int_equal(sum, (int32_t)(uint32_t)plain_sum(&scene, c, &whole));
    }
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t x = testing_random_below(&random, WIDTH - 90), y = testing_random_below(&random, HEIGHT);
        uint32_t c = testing_random_below(&random, scene.set->channel_count);
        struct shw_image_rectangle rect = {x, y, x + 90, HEIGHT};
        int32_t sum;
        assert_int_equal(shw_channel_reader_sum(scene.reader, c, &rect, &sum), SHW_OK);
        assert_int_equal(sum, plain_sum(&scene, c, &rect));
    }
    for (size_t p = 0; p < (size_t)SQUARES * scene.set->channel_count; p++)
        kept += scene.reader->places[p] != 0;
    assert_int_equal(kept, SHW_BLOCKS_MAX);
    free_scene(&scene);
}

/* One reader goes from image to image; what a refused one leaves is the image before. */
TESTING_CASE(one_reader_reads_many_images)
{
    static const uint32_t sizes[][2] = {{150, 97}, {64, 64}, {150, 97}, {300, 20}};
    struct testing_random random = {11};
    struct scene first = make_scene(50, SHW_CHANNELS_WINN17, 90, 70, SHW_PIXEL_RGB8);
    struct shw_image none = first.image;

    none.pixels = NULL;
    check_reader(&first, &random);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct scene scene = make_scene(60 + i, SHW_CHANNELS_WINN17, sizes[i][0], sizes[i][1], SHW_PIXEL_GREY16);
        shw_channel_reader_destroy(&scene.reader);
        scene.reader = first.reader;
        assert_int_equal(shw_channel_reader_set_inputs(scene.reader, SHW_COLOUR_IMAGE(scene.image)), SHW_OK);
        check_reader(&scene, &random);
        assert_int_equal(shw_channel_reader_set_inputs(scene.reader, SHW_COLOUR_IMAGE(none)), SHW_ERROR_ARGUMENT);
        check_reader(&scene, &random);
        assert_int_equal(shw_channel_reader_set_inputs(scene.reader, SHW_COLOUR_IMAGE(first.image)), SHW_OK);
        check_reader(&first, &random);
        scene.reader = NULL;
        free_scene(&scene);
    }
    free_scene(&first);
}

static uint32_t clamped(int64_t value, int64_t low, int64_t high)
{
    return (uint32_t)(value < low ? low : value > high ? high : value);
}

/* The pixels of a shape around (x, y) that lie in the image, or in each direction the nearest one. */
static struct shw_image_rectangle plain_rectangle(const struct scene *scene, struct shw_rectangle shape, int64_t x,
                                                  int64_t y)
{
    int64_t right = scene->image.width - 1, bottom = scene->image.height - 1;

    return (struct shw_image_rectangle){clamped(x + shape.x0, 0, right), clamped(y + shape.y0, 0, bottom),
                                        clamped(x + shape.x1 - 1, 0, right) + 1,
                                        clamped(y + shape.y1 - 1, 0, bottom) + 1};
}

static void check_test(const struct scene *scene, const struct shw_forest *forest,
                       const struct shw_explanation *explanation, const struct shw_explained_test *test)
{
    bool mean = shw_forest_get_info(forest)->feature == &shw_feature_mean_difference;
    struct shw_rectangle_difference feature = shw_rectangle_difference_unpack(&test->split.feature);
    int64_t values[2] = {0, 0};

    assert_int_equal(test->region_count, feature.single ? 1 : 2);
    for (uint32_t i = 0; i < test->region_count; i++) {
        const struct shw_explained_region *region = &test->regions[i];
        struct shw_image_rectangle rect = plain_rectangle(scene, feature.rectangle[i], explanation->x, explanation->y);
        int64_t sum = plain_sum(scene, feature.channel[i], &rect);
        assert_int_equal(region->region.channel, feature.channel[i]);
        assert_int_equal(region->region.subtracted, i == 1);
        assert_memory_equal(&region->rectangle, &rect, sizeof rect);
        assert_int_equal(region->sum, sum);
        values[i] = mean ? sum / ((int64_t)(rect.x1 - rect.x0) * (rect.y1 - rect.y0)) : sum;
        assert_int_equal(region->value, values[i]);
    }
    assert_false(test->undefined);
    assert_int_equal(test->response, values[0] - values[1]);
    assert_int_equal(test->right, test->split.t0 <= test->response && test->response < test->split.t1);
}

/* Returns how many tests the pixel met. */
static uint32_t check_pixel(const struct scene *scene, const struct shw_forest *forest,
                            const struct testing_labelling *labels, uint32_t x, uint32_t y)
{
    size_t pixels = (size_t)scene->image.width * scene->image.height, at = (size_t)y * scene->image.width + x;
    struct shw_explanation *explanation;
    uint32_t tests = 0;

    assert_int_equal(shw_explain(forest, scene->reader, x, y, &explanation), SHW_OK);
    assert_int_equal(explanation->x, x);
    assert_int_equal(explanation->y, y);
    assert_int_equal(explanation->tree_count, labels->trees);
    assert_int_equal(explanation->class_count, labels->classes);
    for (uint32_t t = 0; t < labels->trees; t++) {
        const struct shw_explained_tree *tree = &explanation->trees[t];
        uint32_t node = 0;
        for (uint32_t i = 0; i < tree->test_count; i++) {
            struct shw_node split = shw_forest_get_node(forest, t, node);
            assert_int_equal(tree->tests[i].node, node);
            assert_true(split.is_split && tree->tests[i].split.is_split);
            assert_int_equal(tree->tests[i].split.left, split.left);
            assert_int_equal(tree->tests[i].split.t0, split.t0);
            assert_int_equal(tree->tests[i].split.t1, split.t1);
            assert_memory_equal(&tree->tests[i].split.feature, &split.feature, sizeof split.feature);
            check_test(scene, forest, explanation, &tree->tests[i]);
            node = split.left + tree->tests[i].right;
        }
        assert_int_equal(tree->node, node);
        assert_false(shw_forest_get_node(forest, t, node).is_split);
        assert_int_equal(tree->leaf, shw_forest_get_node(forest, t, node).leaf);
        assert_int_equal(tree->leaf, labels->out.forest_leaves[t * pixels + at]);
        assert_ptr_equal(tree->distribution, shw_forest_get_distribution(forest, t, tree->leaf));
        tests += tree->test_count;
    }
    for (uint32_t c = 0; c < labels->classes; c++) {
        uint32_t sum = 0;
        for (uint32_t t = 0; t < labels->trees; t++)
            sum += explanation->trees[t].distribution[c];
        assert_int_equal(explanation->sums[c], sum);
        assert_int_equal(explanation->distribution[c], labels->out.distribution[c * pixels + at]);
    }
    assert_int_equal(explanation->argmax, labels->out.argmax[at]);
    shw_explanation_free(&explanation);
    assert_null(explanation);
    return tests;
}

/* All borders, and some pixels between. Returns how many tests they met. */
static uint32_t check_forest(const struct random_forest_params *params, uint32_t width, uint32_t height,
                             enum shw_pixel_format format)
{
    struct scene scene = make_scene(params->seed, params->channels, width, height, format);
    struct shw_forest *forest = random_forest(params);
    struct shw_labeller_params labeller = {.forest = forest,
                                           .channels = SHW_TECHNIQUE_CPU,
                                           .integrate = SHW_TECHNIQUE_CPU,
                                           .evaluate = SHW_TECHNIQUE_CPU,
                                           .threads = 1};
    struct testing_labelling labels = testing_label(&labeller, &scene.image);
    struct testing_random random = {params->seed};
    uint32_t tests = 0;

    for (uint32_t x = 0; x < width; x += 3)
        tests += check_pixel(&scene, forest, &labels, x, 0) + check_pixel(&scene, forest, &labels, x, height - 1);
    for (uint32_t y = 0; y < height; y += 3)
        tests += check_pixel(&scene, forest, &labels, 0, y) + check_pixel(&scene, forest, &labels, width - 1, y);
    for (uint32_t i = 0; i < 40; i++)
        tests += check_pixel(&scene, forest, &labels, testing_random_below(&random, width),
                             testing_random_below(&random, height));
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
    free_scene(&scene);
    return tests;
}

TESTING_CASE(explanations_end_where_labelling_does)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 40}, {33, 31}, {100, 70}};
    uint32_t tests = 0;

    for (uint32_t set = 1; shw_channel_list_get_name(set - 1) != NULL; set++)
        for (uint32_t feature = 0; feature < 3; feature++)
            for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                struct random_forest_params params = {.seed = set * 100 + feature * 10 + s,
                                                      .channels = shw_channel_list_get_name(set - 1),
                                                      .feature = shw_feature_type_get(feature),
                                                      .classes = 1 + 3 * s,
                                                      .trees = 1 + s,
                                                      .depth = 6,
                                                      .split_percent = 70,
                                                      .single_percent = 30};
                for (uint32_t i = 0; i < 6; i += 3) /* formats take turns */
                    tests += check_forest(&params, sizes[s][0], sizes[s][1],
                                          (enum shw_pixel_format)(SHW_PIXEL_GREY8 + (set + feature + s + i) % 6));
            }
    assert_true(tests > 40000);
}

TESTING_CASE(edge_cases_end_where_labelling_does)
{
    const struct random_forest_params kinds[] = {
        {.seed = 1, .trees = 3},                                                            /* leaves alone */
        {.seed = 2, .depth = SHW_DEPTH_MAX, .splits_max = 200},                             /* a chain */
        {.seed = 3, .depth = 5, .split_percent = 80, .offset_max = 32000, .size_max = 300}, /* outside the image */
        {.seed = 4, .depth = 5, .split_percent = 80, .extreme = true},                      /* thresholds */
        {.seed = 5, .depth = 4, .split_percent = 90, .classes = 3000, .trees = 2},          /* classes */
        {.seed = 6, .depth = 5, .split_percent = 90, .offset_max = 100, .size_max = 150, .trees = 9}, /* across squares
                                                                                                       */
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint32_t feature = 0; feature < 3; feature++) {
            struct random_forest_params params = kinds[i];
            params.feature = shw_feature_type_get(feature);
            params.channels = SHW_CHANNELS_WINN16;
            check_forest(&params, 150, 80, SHW_PIXEL_RGB8);
        }
}

TESTING_CASE(what_makes_no_sense_is_refused)
{
    struct scene scene = make_scene(1, NULL, 20, 10, SHW_PIXEL_RGB8);
    struct testing_log memory = {0};
    struct shw_channel_reader_params params = {.inputs = SHW_COLOUR_IMAGE(scene.image), .log = testing_log(&memory)};
    const struct shw_image_rectangle bad[] = {{0, 0, 0, 1}, {0, 0, 1, 0},  {3, 3, 3, 4},
                                              {5, 5, 4, 6}, {0, 0, 21, 1}, {0, 0, 1, 11}};
    struct random_forest_params same = {.seed = 1, .depth = 1},
                                other = {.seed = 1, .depth = 1, .channels = SHW_CHANNELS_RGB};
    struct shw_forest *forests[] = {random_forest(&same), random_forest(&other)};
    struct shw_explanation *explanation;
    struct shw_channel_reader *reader;
    struct shw_image image = scene.image;
    int16_t values[20 * 10];
    int32_t sum;

    image.width = 0;
    params.inputs = SHW_COLOUR_IMAGE(image);
    assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_ERROR_ARGUMENT);
    assert_null(reader);
    params.inputs = NULL;
    assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_ERROR_ARGUMENT);
    params.inputs = SHW_COLOUR_IMAGE(scene.image);
    params.channels = "gauss";
    assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_ERROR_ARGUMENT);
    params.channels = NULL;
    assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_OK);
    assert_int_equal(memory.errors, 3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(shw_channel_reader_sum(reader, 0, &bad[i], &sum) == SHW_ERROR_ARGUMENT &&
                    shw_channel_reader_get_part(reader, 0, &bad[i], values) == SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_channel_reader_get_channel(reader, 16, values), SHW_ERROR_ARGUMENT);
    assert_string_equal(memory.last, "there is no channel 16: winn16 has 0 to 15");
    assert_int_equal(shw_explain(forests[0], reader, 19, 9, &explanation), SHW_OK);
    shw_explanation_free(&explanation);
    assert_int_equal(shw_explain(forests[0], reader, 20, 9, &explanation), SHW_ERROR_ARGUMENT);
    assert_null(explanation);
    assert_int_equal(shw_explain(forests[0], reader, 19, 10, &explanation), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_explain(forests[1], reader, 0, 0, &explanation), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.last_item, SHW_LOG_ARGUMENT);
    shw_explanation_free(&explanation);
    shw_explanation_free(NULL);
    shw_channel_reader_destroy(&reader);
    shw_channel_reader_destroy(&reader);
    shw_channel_reader_destroy(NULL);
    shw_forest_destroy(&forests[0]);
    shw_forest_destroy(&forests[1]);
    free_scene(&scene);
}
