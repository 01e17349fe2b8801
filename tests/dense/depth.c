/* The feature types that divide by the depth at the pixel: against plain arithmetic written here, by every technique.
 */
#include "testing/device.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/explain.h>

#include "shared/centre.h"
#include "testing/labelling.h"

enum { WIDTH = 37, HEIGHT = 29, TREES = 3, DEPTH = 5, NODES = (2 << DEPTH) - 1, LEAVES = 1 << DEPTH, CLASSES = 5 };

/* length * 1000 / depth, without sign: all depths, and the lengths at which the quotient changes. */
TESTING_CASE(division_is_exact)
{
    struct testing_random random = {1};

    for (uint32_t depth = 1; depth <= 65535; depth++) {
        struct shw_centre centre = shw_centre_with_depth(0, 0, depth);
        for (int i = 0; i < 24; i++) {
            uint32_t step = testing_random_below(&random, 32769 * 1000 / depth + 1);
            uint32_t length = i < 4 ? 32768 - (uint32_t)i : (step * depth + 999 * (i & 1)) / 1000;
            length = length > 32768 ? 32768 : length;
            assert_int_equal(shw_centre_divide(centre, length), length * 1000 / depth);
        }
    }
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Offset * 1000 / depth; `down`: towards minus infinity, otherwise towards zero. */
static int32_t divide(int32_t offset, int32_t depth, bool down)
{
    int32_t product = offset * 1000, quotient = product / depth;

    if (down && product < 0 && product % depth != 0)
        quotient--;
    return clamp(quotient, -32767, 32767);
}

TESTING_CASE(both_roundings)
{
    static const int32_t depths[] = {1, 2, 3, 7, 31, 32, 33, 999, 1000, 1001, 4000, 32767, 65535};

    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        struct shw_centre centre = shw_centre_with_depth(0, 0, (uint32_t)depths[d]);
        for (int32_t offset = -32768; offset < 32768; offset += offset < -40 || offset > 40 ? 61 : 1) {
            assert_int_equal(shw_centre_offset(centre, offset), divide(offset, depths[d], false));
            assert_int_equal(shw_centre_offset_down(centre, offset), divide(offset, depths[d], true));
        }
    }
}

/* An image with its depth and height, and their channels by plain rules. */
struct scene {
    struct shw_image colour;
    uint16_t depth[HEIGHT][WIDTH], height[HEIGHT][WIDTH];
    struct shw_input list[3];
    struct shw_inputs inputs;
    int32_t channels[9][HEIGHT][WIDTH];
    uint32_t channel_count;
};

/* `least` mm and up, of all magnitudes, and holes. */
static uint16_t random_depth(struct testing_random *random, uint32_t least, bool holes)
{
    if (holes && testing_random_below(random, 5) == 0)
        return 0;
    return (uint16_t)(least + (testing_random_below(random, 65536 - least) >> testing_random_below(random, 12)));
}

static void make_scene(struct testing_random *random, const char *channels, uint32_t least, bool holes,
                       struct scene *scene)
{
    int16_t values[HEIGHT * WIDTH];
    struct shw_channel_reader_params params = {.channels = channels, .inputs = &scene->inputs, .threads = 1};
    struct shw_channel_reader *reader;
    struct shw_channel_list list;

    scene->colour = testing_image(random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            bool patch = testing_random_below(random, 3) > 0 && x > 0; /* runs of equal depth */
            scene->depth[y][x] = patch ? scene->depth[y][x - 1] : random_depth(random, least, holes);
            scene->height[y][x] = random_depth(random, 1, true);
        }
    scene->list[0] = (struct shw_input){.image = scene->colour};
    scene->list[1] = (struct shw_input){.name = SHW_DEPTH, .image = {scene->depth, WIDTH, HEIGHT, 0, SHW_PIXEL_GREY16}};
    scene->list[2] =
        (struct shw_input){.name = SHW_HEIGHT, .image = {scene->height, WIDTH, HEIGHT, 0, SHW_PIXEL_GREY16}};
    assert_int_equal(shw_channel_list_parse(channels, NULL, NULL, &list), SHW_OK);
    scene->inputs = (struct shw_inputs){list.input_count, scene->list};
    scene->channel_count = list.channel_count;
    assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_OK);
    for (uint32_t c = 0; c < list.channel_count; c++) {
        assert_int_equal(shw_channel_reader_get_channel(reader, c, values), SHW_OK);
        for (uint32_t i = 0; i < HEIGHT * WIDTH; i++)
            scene->channels[c][i / WIDTH][i % WIDTH] = values[i];
    }
    shw_channel_reader_destroy(&reader);
}

static void free_scene(struct scene *scene)
{
    free((void *)(uintptr_t)scene->colour.pixels);
}

TESTING_CASE(the_channels)
{
    static struct scene scene;
    struct testing_random random = {4};

    make_scene(&random, "depth,height,constant-depth:1234", 1, true, &scene);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            assert_int_equal(scene.channels[0][y][x], clamp(scene.depth[y][x], 0, 32767));
            assert_int_equal(scene.channels[1][y][x], scene.depth[y][x] > 0);
            assert_int_equal(scene.channels[2][y][x], clamp(scene.height[y][x], 0, 32767));
            assert_int_equal(scene.channels[3][y][x], scene.height[y][x] > 0);
            assert_int_equal(scene.channels[4][y][x], 1234);
            assert_int_equal(scene.channels[5][y][x], 1);
        }
    free_scene(&scene);
}

struct response {
    bool undefined;
    int32_t value;
};

static int16_t low(uint32_t word)
{
    return (int16_t)(word & 0xffff);
}

static int16_t high(uint32_t word)
{
    return (int16_t)(word >> 16);
}

/* The mean over a region, pixel by pixel; `counted`: over the pixels that the next channel counts. */
static struct response mean_at(const struct scene *scene, uint32_t channel, bool counted, uint32_t offset,
                               uint32_t size, int32_t x, int32_t y)
{
    int32_t depth = scene->channels[0][y][x];
    int32_t width = clamp((int32_t)((size & 0xffff) > 32767 ? 32767 : size & 0xffff) * 1000 / depth, 1, 181);
    int32_t height = clamp((int32_t)(size >> 16 > 32767 ? 32767 : size >> 16) * 1000 / depth, 1, 181);
    int32_t x0 = x + divide(low(offset), depth, false) - width / 2;
    int32_t y0 = y + divide(high(offset), depth, false) - height / 2;
    int64_t sum = 0, count = 0;

    for (int32_t v = y0; v < y0 + height; v++)
        for (int32_t u = x0; u < x0 + width; u++)
            if (u >= 0 && v >= 0 && u < WIDTH && v < HEIGHT) {
                sum += scene->channels[channel][v][u];
                count += counted ? scene->channels[channel + 1][v][u] : 1;
            }
    return (struct response){count == 0, count == 0 ? 0 : (int32_t)(sum / count)};
}

static struct response mean_difference(const struct scene *scene, const uint32_t words[5], int32_t x, int32_t y)
{
    uint32_t head = words[0];
    struct response a = mean_at(scene, head & 4095, head >> 26 & 1, words[1], words[2], x, y);
    struct response b = mean_at(scene, head >> 12 & 4095, head >> 27 & 1, words[3], words[4], x, y);

    if ((head >> 25 & 1) == 0)
        return a;
    return (struct response){a.undefined || b.undefined, a.value - b.value};
}

static struct response depth_at(const struct scene *scene, uint32_t offset, int32_t x, int32_t y)
{
    int32_t depth = scene->channels[0][y][x];
    int32_t u = x + divide(low(offset), depth, false), v = y + divide(high(offset), depth, false);
    bool inside = u >= 0 && v >= 0 && u < WIDTH && v < HEIGHT;

    return (struct response){!inside || scene->channels[0][v][u] == 0, inside ? scene->channels[0][v][u] : 0};
}

static struct response pixel_difference(const struct scene *scene, const uint32_t words[5], int32_t x, int32_t y)
{
    struct response a = depth_at(scene, words[1], x, y), b = depth_at(scene, words[3], x, y);

    if ((words[0] >> 25 & 1) == 0)
        return a;
    return (struct response){a.undefined || b.undefined, a.value - b.value};
}

static int32_t kinect_at(const struct scene *scene, uint32_t offset, int32_t x, int32_t y)
{
    int32_t depth = scene->channels[0][y][x];
    int32_t u = clamp(x + divide(low(offset), depth, true), 0, WIDTH - 1);
    int32_t v = clamp(y + divide(high(offset), depth, true), 0, HEIGHT - 1);

    return scene->channels[0][v][u] > 0 ? scene->channels[0][v][u] : 32767;
}

static struct response kinect_difference(const struct scene *scene, const uint32_t words[5], int32_t x, int32_t y)
{
    int32_t a = kinect_at(scene, words[1], x, y), b = kinect_at(scene, words[3], x, y);

    return (struct response){false, (words[0] >> 25 & 1) != 0 ? a - b : a};
}

/* CURFIL's: (x - w, x + w] and likewise in y, which must lie in the image; sums, or means in sixteenths. */
static struct response curfil_at(const struct scene *scene, uint32_t head, uint32_t side, uint32_t offset,
                                 uint32_t half, int32_t x, int32_t y)
{
    int32_t ahead = head >> 28 & 1, channel = head >> (12 * side) & 4095, counted = head >> 26 & 1;
    bool there = x + ahead < WIDTH && y + ahead < HEIGHT;
    int32_t depth = there ? scene->channels[0][y + ahead][x + ahead] : 0;
    int32_t width = depth > 0 ? clamp((int32_t)(half & 0xffff) * 1000 / depth, 1, 127) : 1;
    int32_t height = depth > 0 ? clamp((int32_t)(half >> 16) * 1000 / depth, 1, 127) : 1;
    int32_t cx = x + (depth > 0 ? divide(low(offset), depth, false) : 0);
    int32_t cy = y + (depth > 0 ? divide(high(offset), depth, false) : 0);
    int64_t sum = 0, count = 0;

    if ((depth == 0 && ahead == 0) || cx - width < 0 || cy - height < 0 || cx + width >= WIDTH || cy + height >= HEIGHT)
        return (struct response){true, 0};
    for (int32_t v = cy - height + 1; v <= cy + height; v++)
        for (int32_t u = cx - width + 1; u <= cx + width; u++) {
            sum += scene->channels[channel][v][u];
            count += counted ? scene->channels[channel + 1][v][u] : 1;
        }
    if (!counted)
        return (struct response){false, (int32_t)sum};
    return (struct response){count == 0, count == 0 ? 0 : (int32_t)(16 * sum / count)};
}

static struct response curfil_difference(const struct scene *scene, const uint32_t words[5], int32_t x, int32_t y)
{
    struct response a = curfil_at(scene, words[0], 0, words[1], words[2], x, y);
    struct response b = curfil_at(scene, words[0], 1, words[3], words[4], x, y);

    if ((words[0] >> 25 & 1) == 0)
        return a;
    return (struct response){a.undefined || b.undefined, a.value - b.value};
}

/* Offsets and sizes of all magnitudes; those whose quotient lies in the image are the most frequent. */
static uint32_t random_pair(struct testing_random *random, int32_t most)
{
    uint32_t pair = 0;

    for (int i = 0; i < 2; i++) {
        int32_t reach = most >> testing_random_below(random, 14);
        pair |= (uint32_t)(uint16_t)testing_random_range(random, -reach, reach) << (16 * i);
    }
    return pair;
}

static uint32_t random_size_pair(struct testing_random *random)
{
    uint32_t pair = 0;

    for (int i = 0; i < 2; i++)
        pair |= (1 + (testing_random_below(random, 65535) >> testing_random_below(random, 16))) << (16 * i);
    return pair;
}

/* Half the sizes: means of one of the channels with a count, or sums of two others. */
static void random_curfil_words(struct testing_random *random, const struct shw_channel_list *list, uint32_t words[5])
{
    bool counted = testing_random_below(random, 2) == 0;

    words[0] |= (uint32_t)counted * (3u << 26) | testing_random_below(random, 2) << 28;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t channel;
        do
            channel = testing_random_below(random, list->channel_count);
        while (counted !=
               (channel + 1 < list->channel_count && list->channels[channel + 1].content == SHW_CONTENT_COUNT));
        words[0] |= channel << (12 * side);
        words[1 + 2 * side] = random_pair(random, 60);
        words[2 + 2 * side] = testing_random_below(random, 128) >> testing_random_below(random, 8);
        words[2 + 2 * side] |= testing_random_below(random, 128) >> testing_random_below(random, 8) << 16;
    }
}

static void random_words(struct testing_random *random, const struct shw_feature_type *type,
                         const struct shw_channel_list *list, uint32_t words[5])
{
    uint32_t single = testing_random_below(random, 4) == 0;

    words[0] = (1 - single) << 25;
    words[1] = random_pair(random, 32767);
    words[2] = words[4] = 0;
    words[3] = random_pair(random, 32767);
    if (type == &shw_feature_curfil_difference)
        random_curfil_words(random, list, words);
    if (type != &shw_feature_depth_mean_difference)
        return;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t channel = testing_random_below(random, list->channel_count);
        bool counted = channel + 1 < list->channel_count && list->channels[channel + 1].content == SHW_CONTENT_COUNT;
        words[0] |= channel << (12 * side) | (uint32_t)counted << (26 + side);
        words[2 + 2 * side] = random_size_pair(random);
    }
}

typedef struct response (*plain)(const struct scene *scene, const uint32_t words[5], int32_t x, int32_t y);

static uint16_t distributions[TREES][LEAVES][CLASSES];
static struct shw_node nodes[TREES][NODES];

/* Complete trees, whose thresholds are responses at random pixels. */
static struct shw_forest *make_forest(struct testing_random *random, const struct shw_feature_type *type,
                                      const char *channels, const struct scene *scene, plain respond)
{
    struct shw_tree trees[TREES];
    struct shw_channel_list list;
    struct testing_log memory;
    struct shw_forest_params params = {
        .info = {.channels = channels, .feature = type, .class_count = CLASSES, .tree_count = TREES, .training = "{}"},
        .trees = trees,
        .log = testing_log(&memory)};
    struct shw_forest *forest = NULL;

    assert_int_equal(shw_channel_list_parse(channels, NULL, NULL, &list), SHW_OK);
    memset(distributions, 0, sizeof distributions);
    for (uint32_t t = 0; t < TREES; t++) {
        for (uint32_t n = 0; n < NODES; n++) {
            struct shw_node *node = &nodes[t][n];
            int32_t x, y;
            *node = (struct shw_node){.left = n, .leaf = n - (LEAVES - 1)};
            if (n >= LEAVES - 1)
                continue;
            *node = (struct shw_node){.is_split = true, .left = 2 * n + 1, .t0 = 0, .t1 = INT32_MAX};
            random_words(random, type, &list, node->feature.words);
            do {
                x = testing_random_range(random, 0, WIDTH - 1);
                y = testing_random_range(random, 0, HEIGHT - 1);
            } while (scene->channels[0][y][x] == 0);
            node->t0 = respond(scene, node->feature.words, x, y).value;
        }
        for (uint32_t l = 0; l < LEAVES; l++) {
            distributions[t][l][testing_random_below(random, CLASSES)] += 40000;
            distributions[t][l][testing_random_below(random, CLASSES)] += 25535;
        }
        trees[t] = (struct shw_tree){nodes[t], NODES, &distributions[t][0][0], 0};
    }
    assert_int_equal(shw_forest_create(&params, &forest), SHW_OK);
    return forest;
}

static uint32_t walk(const struct scene *scene, uint32_t tree, plain respond, int32_t x, int32_t y)
{
    uint32_t n = 0;

    while (n < LEAVES - 1) {
        const struct shw_node *node = &nodes[tree][n];
        struct response response = respond(scene, node->feature.words, x, y);
        n = node->left + (response.undefined || (node->t0 <= response.value && response.value < node->t1));
    }
    return n - (LEAVES - 1);
}

static bool is_void_at(const struct shw_forest *forest, const struct scene *scene, uint32_t i)
{
    return !shw_forest_get_info(forest)->feature->labels_all && scene->channels[0][i / WIDTH][i % WIDTH] == 0;
}

/* All outputs by plain rules: pixels without depth are void. */
static void expect(const struct shw_forest *forest, const struct scene *scene, plain respond,
                   struct testing_labelling *labelling)
{
    *labelling = testing_labelling(forest, WIDTH, HEIGHT);
    for (int32_t i = 0; i < WIDTH * HEIGHT; i++) {
        uint32_t sums[CLASSES] = {0}, best = 0;
        bool is_void = is_void_at(forest, scene, (uint32_t)i);
        for (uint32_t t = 0; t < TREES; t++) {
            uint32_t leaf = is_void ? SHW_LEAF_NONE : walk(scene, t, respond, i % WIDTH, i / WIDTH);
            labelling->out.forest_leaves[t * WIDTH * HEIGHT + (uint32_t)i] = leaf;
            for (uint32_t c = 0; c < CLASSES && !is_void; c++)
                sums[c] += distributions[t][leaf][c];
        }
        labelling->out.tree_leaf[i] = labelling->out.forest_leaves[i];
        for (uint32_t c = 0; c < CLASSES; c++) {
            best = sums[c] > sums[best] ? c : best;
            labelling->out.distribution[c * WIDTH * HEIGHT + (uint32_t)i] =
                (uint16_t)((2 * sums[c] + TREES) / (2 * TREES) * !is_void);
        }
        labelling->out.argmax[i] = is_void ? SHW_LABEL_VOID : (uint16_t)best;
    }
}

static void compare(const struct shw_forest *forest, const struct scene *scene, enum shw_technique technique,
                    const struct testing_labelling *expected)
{
    struct testing_log memory;
    struct shw_labeller_params params = {.forest = forest,
                                         .device = testing_device(),
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .outputs = TESTING_ALL_OUTPUTS,
                                         .threads = 2,
                                         .log = testing_log(&memory)};
    struct testing_labelling got = testing_labelling(forest, WIDTH, HEIGHT);
    struct shw_labeller *labeller;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, &scene->inputs, &got.out), SHW_OK);
    testing_labelling_same(shw_technique_name(technique), TESTING_ALL_OUTPUTS, &got, expected);
    shw_labeller_destroy(&labeller);
    testing_labelling_free(&got);
}

/* By every kind of vector instructions that there is. */
static void compare_cpu(const struct shw_forest *forest, const struct scene *scene,
                        const struct testing_labelling *expected)
{
    static const char *const simd[] = {"none", "portable", "avx2", "avx512"};

    for (size_t i = 0; i < sizeof simd / sizeof *simd; i++) {
        assert_int_equal(setenv("SHADEWOOD_SIMD", simd[i], 1), 0);
        compare(forest, scene, SHW_TECHNIQUE_CPU, expected);
    }
    assert_int_equal(unsetenv("SHADEWOOD_SIMD"), 0);
}

static void explain(const struct shw_forest *forest, const struct scene *scene, const char *channels, plain respond)
{
    struct shw_channel_reader_params params = {.channels = channels, .inputs = &scene->inputs, .threads = 1};
    struct shw_channel_reader *reader;

    assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_OK);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i += 41) {
        struct shw_explanation *explanation;
        bool is_void = is_void_at(forest, scene, i);
        assert_int_equal(shw_explain(forest, reader, i % WIDTH, i / WIDTH, &explanation), SHW_OK);
        assert_int_equal(explanation->argmax == SHW_LABEL_VOID, is_void);
        for (uint32_t t = 0; t < TREES && !is_void; t++) {
            const struct shw_explained_tree *tree = &explanation->trees[t];
            assert_int_equal(tree->leaf, walk(scene, t, respond, (int32_t)(i % WIDTH), (int32_t)(i / WIDTH)));
            for (uint32_t k = 0; k < tree->test_count; k++) {
                const struct shw_explained_test *test = &tree->tests[k];
                int32_t value = test->regions[0].value - (test->region_count > 1 ? test->regions[1].value : 0);
                assert_true(test->undefined || value == test->response);
            }
        }
        shw_explanation_free(&explanation);
    }
    shw_channel_reader_destroy(&reader);
}

static void check_type(const struct shw_feature_type *type, const char *channels, plain respond, uint64_t seed)
{
    static struct scene scene;
    struct testing_random random = {seed};

    for (int run = 0; run < 4; run++) {
        struct testing_labelling expected;
        struct shw_forest *forest;
        make_scene(&random, channels, run == 0 ? 1 : 300, run < 3, &scene);
        forest = make_forest(&random, type, channels, &scene, respond);
        expect(forest, &scene, respond, &expected);
        compare_cpu(forest, &scene, &expected);
        compare(forest, &scene, SHW_TECHNIQUE_FRAGMENT, &expected);
        compare(forest, &scene, SHW_TECHNIQUE_COMPUTE, &expected);
        explain(forest, &scene, channels, respond);
        testing_labelling_free(&expected);
        shw_forest_destroy(&forest);
        free_scene(&scene);
    }
    testing_device_check();
}

TESTING_CASE(mean_differences)
{
    check_type(&shw_feature_depth_mean_difference, "depth,lab,height", mean_difference, 10);
    check_type(&shw_feature_depth_mean_difference, "constant-depth:700,rgb", mean_difference, 11);
}

TESTING_CASE(pixel_differences)
{
    check_type(&shw_feature_depth_pixel_difference, "depth", pixel_difference, 12);
}

TESTING_CASE(kinect_differences)
{
    check_type(&shw_feature_kinect_difference, "depth", kinect_difference, 13);
}

TESTING_CASE(curfil_differences)
{
    check_type(&shw_feature_curfil_difference, "depth,lab-linear", curfil_difference, 14);
    check_type(&shw_feature_curfil_difference, "constant-depth:1000,rgb", curfil_difference, 15);
}

TESTING_CASE(what_is_no_feature)
{
    const struct shw_feature_type *mean = &shw_feature_depth_mean_difference;
    const struct shw_feature_type *kinect = &shw_feature_kinect_difference;
    const struct shw_feature_type *curfil = &shw_feature_curfil_difference;
    struct shw_channel_list with, without;
    char why[SHW_WHY_SIZE];

    assert_int_equal(shw_channel_list_parse("depth,rgb", NULL, NULL, &with), SHW_OK);
    assert_int_equal(shw_channel_list_parse("rgb,depth", NULL, NULL, &without), SHW_OK);
#define REFUSE(type, list, text, ...)                                                                                  \
    assert_false(type->check(&(struct shw_feature){{__VA_ARGS__}}, &list, why));                                       \
    assert_non_null(strstr(why, text))
    assert_true(mean->check(&(struct shw_feature){{2 | 2 << 12, 0, 0x10001, 0, 0x10001}}, &with, why));
    assert_true(mean->check(&(struct shw_feature){{3 << 26, 0, 0x10001, 0, 0x10001}}, &with, why));
    REFUSE(mean, without, "must begin with depth", 2 | 2 << 12, 0, 0x10001, 0, 0x10001);
    REFUSE(mean, with, "not a mean over counted", 0, 0, 0x10001, 0, 0x10001);
    REFUSE(mean, with, "has no count", 2 | 2 << 12 | 1 << 27, 0, 0x10001, 0, 0x10001);
    REFUSE(mean, with, "channel 5", 5 | 2 << 12, 0, 0x10001, 0, 0x10001);
    REFUSE(mean, with, "region 0 is empty", 2 | 2 << 12, 0, 0x10000, 0, 0x10001);
    REFUSE(mean, with, "region 1 is empty", 2 | 2 << 12, 0, 0x10001, 0, 0x00001);
    REFUSE(mean, with, "unknown flags", 2 | 2 << 12 | 1u << 28, 0, 0x10001, 0, 0x10001);
    REFUSE(kinect, with, "must be zero", 1, 0, 0, 0, 0);
    REFUSE(kinect, with, "must be zero", 0, 0, 1, 0, 0);
    REFUSE(kinect, without, "must begin with depth", 0, 0, 0, 0, 0);
    assert_true(curfil->check(&(struct shw_feature){{2 | 4 << 12 | 1u << 28, 0, 0, 0, 127}}, &with, why));
    assert_true(curfil->check(&(struct shw_feature){{7 << 26, 0, 0, 0, 0}}, &with, why));
    REFUSE(curfil, without, "must begin with depth", 2 | 2 << 12, 0, 0, 0, 0);
    REFUSE(curfil, with, "a mean is compared with a sum", 2 << 12 | 1 << 26, 0, 0, 0, 0);
    REFUSE(curfil, with, "not a mean over counted", 0, 0, 0, 0, 0);
    REFUSE(curfil, with, "has no count", 2 | 2 << 12 | 3 << 26, 0, 0, 0, 0);
    REFUSE(curfil, with, "channel 5", 2 | 5 << 12, 0, 0, 0, 0);
    REFUSE(curfil, with, "region 1 is 0 x 128", 2 | 2 << 12, 0, 0, 0, 128 << 16);
    REFUSE(curfil, with, "unknown flags", 2 | 2 << 12 | 1u << 29, 0, 0, 0, 0);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
