/* Trees of the kind that Kinect used: packed files, the text, cutting, and the forest, against the text read plainly.
 */
#include "testing/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#ifdef HAS_BZIP2
#include <bzlib.h>
#endif

#include "files/image/image_file.h"
#include "formats/kinect.h"
#include "formats/source.h"
#include "testing/labelling.h"

#define MOST ((size_t)1 << 22)

/* Packs `text`, or returns how many bytes that took. */
static size_t pack_gzip(const char *text, size_t size, uint8_t *packed, size_t room)
{
    z_stream stream = {
        .next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)size, .next_out = packed, .avail_out = (uInt)room};

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

static size_t pack_bzip2(const char *text, size_t size, uint8_t *packed, size_t room)
{
#ifdef HAS_BZIP2
    unsigned length = (unsigned)room;

    assert_int_equal(
        BZ2_bzBuffToBuffCompress((char *)packed, &length, (char *)(uintptr_t)text, (unsigned)size, 9, 0, 0), BZ_OK);
    return length;
#else
    (void)text, (void)size, (void)packed, (void)room;
    return 0;
#endif
}

typedef size_t (*packer)(const char *text, size_t size, uint8_t *packed, size_t room);

static void check_unpacked(const uint8_t *packed, size_t size, const char *text, size_t length)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_file_bytes bytes;

    assert_int_equal(
        shw_source_unpack(&(const struct shw_import_source){.bytes = packed, .size = size, .name = "some.txt"}, MOST,
                          &log, &bytes, NULL),
        SHW_OK);
    assert_int_equal(bytes.size, length);
    assert_memory_equal(bytes.bytes, text, length);
    assert_int_equal(bytes.bytes[length], 0);
    shw_file_bytes_free(&bytes);
}

static void refuse_packed(const uint8_t *packed, size_t size, size_t most, enum shw_result expected)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_file_bytes bytes;

    log.level = SHW_LOG_ERROR;
    assert_int_equal(
        shw_source_unpack(&(const struct shw_import_source){.bytes = packed, .size = size, .name = "some.txt"}, most,
                          &log, &bytes, NULL),
        expected);
    assert_null(bytes.bytes);
    assert_int_equal(memory.errors, 1);
    assert_non_null(strstr(memory.last, "some.txt"));
}

/* Of several sizes about the pieces in which it is unpacked, in one and in two members, cut everywhere, and too long.
 */
static void check_packer(packer pack)
{
    static const size_t sizes[] = {0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 21) - 1, 1 << 21, MOST};
    size_t room = 2 * MOST, length;
    char *text = malloc(2 * MOST);
    uint8_t *packed = malloc(room);
    struct testing_random random = {1};

    assert_non_null(text);
    assert_non_null(packed);
    for (size_t i = 0; i < 2 * MOST; i++)
        text[i] = (char)('0' + testing_random_below(&random, i % 4096 < 64 ? 10 : 1));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        length = pack(text, sizes[i], packed, room);
        check_unpacked(packed, length, text, sizes[i]);
    }
    length = pack(text, 2000, packed, room);
    for (size_t cut = 3; cut < length; cut++)
        refuse_packed(packed, cut, MOST, SHW_ERROR_FORMAT);
    refuse_packed(packed, length, 1999, SHW_ERROR_LIMIT);
    length += pack(text + 2000, 77, packed + length, room - length);
    check_unpacked(packed, length, text, 2077);
    packed[length] = 'x';
    refuse_packed(packed, length + 1, MOST, SHW_ERROR_FORMAT);
    free(text);
    free(packed);
}

TESTING_CASE(gzip_is_unpacked)
{
    check_packer(pack_gzip);
}

TESTING_CASE(bzip2_is_unpacked)
{
#ifndef HAS_BZIP2
    testing_skip("libbz2-dev is not installed");
#endif
    check_packer(pack_bzip2);
}

TESTING_CASE(other_files_are_copied)
{
    check_unpacked((const uint8_t *)"", 0, "", 0);
    check_unpacked((const uint8_t *)"1 2\n", 4, "1 2\n", 4);
    refuse_packed((const uint8_t *)"1234", 4, 3, SHW_ERROR_LIMIT);
}

TESTING_CASE(the_text_is_read)
{
    static const char text[] = " 2\r\n1 -2 3\t-4 5 -32768 32767 0 0 -1\n  6 7 8 9 10\n0\n24 3\n3";
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_kinect_tree tree;

    assert_int_equal(shw_kinect_tree_parse(text, sizeof text - 1, "tree.txt", &log, &tree), SHW_OK);
    assert_int_equal(tree.depth, 2);
    assert_int_equal(tree.tests[0].du[0], 1);
    assert_int_equal(tree.tests[0].dv[0], -2);
    assert_int_equal(tree.tests[0].du[1], 3);
    assert_int_equal(tree.tests[0].dv[1], -4);
    assert_int_equal(tree.tests[0].threshold, 5);
    assert_int_equal(tree.tests[1].du[0], -32768);
    assert_int_equal(tree.tests[1].dv[0], 32767);
    assert_int_equal(tree.tests[1].threshold, -1);
    assert_int_equal(tree.tests[2].threshold, 10);
    assert_memory_equal(tree.labels, "\0\x18\3\3", 4);
    shw_kinect_tree_free(&tree);
    shw_kinect_tree_free(&tree);
}

TESTING_CASE(wrong_texts_are_refused)
{
    static const char *const cases[][2] = {
        {"", "line 1: the text ends before the depth"},
        {"x", "line 1: the depth is not a whole number"},
        {"-", "line 1: the depth is not a whole number"},
        {"1.0", "line 1: the depth is not a whole number"},
        {"24\n", "the depth is not in 0..23"},
        {"-1\n", "the depth is not in 0..23"},
        {"99999999999999999999\n", "the depth is not in 0..23"},
        {"23\n1 1 1 1 1\n", "line 1: a tree of depth 23 has 8388607 tests"},
        {"0\n25\n", "line 2: the label of a leaf is not in 0..24"},
        {"0\n1 1\n", "line 2: more text follows the last label"},
        {"0\n1\nx\n", "line 3: more text follows the last label"},
        {"1\n1 1 1 1 40000\n1\n1\n", "line 2: the threshold of a test is not in"},
        {"1\n1 1 1\n-32769 1\n1\n1\n", "line 3: the second offset in y is not in"},
        {"1\n1 1 1 1 1    \n1\n       ", "line 4: the text ends before the label of a leaf"},
        {"1\n1 1 1 1 1\n1\n\xff\n", "line 4: the label of a leaf is not a whole number"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        struct shw_kinect_tree tree;
        assert_int_equal(shw_kinect_tree_parse(cases[i][0], strlen(cases[i][0]), "tree.txt", &log, &tree),
                         SHW_ERROR_FORMAT);
        assert_null(tree.tests);
        assert_int_equal(memory.errors, 1);
        if (strncmp(memory.last, "tree.txt, ", 10) != 0 || strstr(memory.last, cases[i][1]) == NULL)
            fail_msg("no '%s' in: %s", cases[i][1], memory.last);
    }
}

/* Labels that are often those of their neighbours, so that parts of the tree vote alike. */
static struct shw_kinect_tree random_tree(struct testing_random *random, uint32_t depth)
{
    size_t leaves = (size_t)1 << depth;
    struct shw_kinect_tree tree = {depth, calloc(leaves, sizeof *tree.tests), malloc(leaves), false};

    assert_non_null(tree.tests);
    assert_non_null(tree.labels);
    for (size_t i = 0; i + 1 < leaves; i++)
        for (int k = 0; k < 2; k++) {
            tree.tests[i].du[k] = (int16_t)testing_random_range(random, -400, 400);
            tree.tests[i].dv[k] = (int16_t)testing_random_range(random, -400, 400);
            tree.tests[i].threshold = (int16_t)testing_random_range(random, -300, 300);
        }
    for (size_t i = 0; i < leaves; i++)
        tree.labels[i] = i % 4 != 0 && testing_random_below(random, 4) != 0
                             ? tree.labels[i - 1]
                             : (uint8_t)testing_random_below(random, SHW_KINECT_LABELS);
    return tree;
}

/* A response that depends on the test and on a seed only: what a pixel would give. */
static int32_t response_of(const uint32_t words[5], uint64_t seed)
{
    return (int32_t)(testing_hash(words, 5 * sizeof *words) * (seed | 1) >> 40) % 1000 - 500;
}

static uint8_t vote_of_text(const struct shw_kinect_tree *tree, uint64_t seed)
{
    size_t i = 0, splits = ((size_t)1 << tree->depth) - 1;

    while (i < splits) {
        const struct shw_kinect_test *test = &tree->tests[i];
        const uint32_t words[5] = {1u << 25, (uint16_t)test->du[0] | (uint32_t)(uint16_t)test->dv[0] << 16, 0,
                                   (uint16_t)test->du[1] | (uint32_t)(uint16_t)test->dv[1] << 16, 0};
        i = 2 * i + 1 + (response_of(words, seed) > test->threshold);
    }
    return tree->labels[i - splits];
}

static uint8_t vote_of_nodes(const struct shw_tree *tree, uint64_t seed)
{
    const struct shw_node *node = tree->nodes;
    const uint16_t *distribution;
    uint8_t label = 0;

    while (node->is_split) {
        int32_t response = response_of(node->feature.words, seed);
        node = tree->nodes + node->left + (node->t0 <= response && response < node->t1);
    }
    assert_true(node->leaf < tree->leaf_count);
    distribution = tree->distributions + (size_t)node->leaf * SHW_KINECT_LABELS;
    while (label < SHW_KINECT_LABELS - 1 && distribution[label] == 0)
        label++;
    assert_int_equal(distribution[label], 65535);
    return label;
}

TESTING_CASE(nodes_vote_as_the_text)
{
    struct testing_random random = {3};

    for (uint32_t depth = 0; depth < 9; depth++) {
        struct shw_kinect_tree tree = random_tree(&random, depth);
        struct shw_tree nodes;
        assert_int_equal(shw_kinect_nodes_make(&tree, NULL, &nodes), SHW_OK);
        assert_true(nodes.leaf_count <= SHW_KINECT_LABELS);
        assert_true(depth < 5 || nodes.node_count < ((uint32_t)2 << depth) - 1);
        for (int i = 0; i < 500; i++) {
            uint64_t seed = testing_random_next(&random);
            assert_int_equal(vote_of_nodes(&nodes, seed), vote_of_text(&tree, seed));
        }
        shw_kinect_nodes_free(&nodes);
        shw_kinect_nodes_free(&nodes);
        shw_kinect_tree_free(&tree);
    }
}

TESTING_CASE(one_label_is_one_leaf)
{
    struct shw_kinect_test tests[7] = {{.threshold = 3}};
    uint8_t labels[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    const struct shw_kinect_tree tree = {3, tests, labels, false};
    struct shw_tree nodes;

    assert_int_equal(shw_kinect_nodes_make(&tree, NULL, &nodes), SHW_OK);
    assert_int_equal(nodes.node_count, 1);
    assert_int_equal(nodes.leaf_count, 1);
    assert_int_equal(nodes.distributions[7], 65535);
    shw_kinect_nodes_free(&nodes);
}

TESTING_CASE(cut_trees_vote_as_most_leaves)
{
    struct testing_random random = {5};

    for (uint32_t depth = 0; depth <= 6; depth++) {
        struct shw_kinect_tree tree = random_tree(&random, 6), same = tree;
        uint8_t labels[64];
        memcpy(labels, tree.labels, sizeof labels);
        shw_kinect_tree_cut(&tree, depth);
        assert_int_equal(tree.depth, depth);
        assert_ptr_equal(tree.tests, same.tests);
        for (uint32_t leaf = 0; leaf < 1u << depth; leaf++) {
            uint32_t count[SHW_KINECT_LABELS] = {0}, below = 64u >> depth;
            for (uint32_t i = 0; i < below; i++)
                count[labels[leaf * below + i]]++;
            for (uint32_t c = 0; c < SHW_KINECT_LABELS; c++)
                assert_true(c < tree.labels[leaf] ? count[c] < count[tree.labels[leaf]]
                                                  : count[c] <= count[tree.labels[leaf]]);
        }
        shw_kinect_tree_cut(&tree, depth + 1);
        assert_int_equal(tree.depth, depth);
        shw_kinect_tree_free(&tree);
    }
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int32_t floor_div(int32_t dividend, int32_t divisor)
{
    return dividend / divisor - (dividend % divisor < 0);
}

/* The depth that a test reads, as the library that the trees are from says. */
static int32_t depth_at(const struct shw_image *image, const struct shw_kinect_test *test, int k, int32_t x, int32_t y)
{
    const uint16_t *depth = image->pixels;
    int32_t width = (int32_t)image->width, height = (int32_t)image->height;
    int32_t d = clamp(depth[y * width + x], 0, 32767);
    int32_t u = clamp(x + floor_div(test->du[k] * 1000, d), 0, width - 1);
    int32_t v = clamp(y + floor_div(test->dv[k] * 1000, d), 0, height - 1);

    return depth[v * width + u] == 0 ? 32767 : clamp(depth[v * width + u], 0, 32767);
}

/* The label that a pixel with depth reaches in the tree as it is in the text. */
static uint8_t label_at(const struct shw_kinect_tree *tree, const struct shw_image *image, int32_t x, int32_t y)
{
    size_t i = 0, splits = ((size_t)1 << tree->depth) - 1;

    while (i < splits) {
        const struct shw_kinect_test *test = &tree->tests[i];
        bool right = depth_at(image, test, 0, x, y) - depth_at(image, test, 1, x, y) > test->threshold;
        i = 2 * i + 1 + right;
    }
    return tree->labels[i - splits];
}

/* The leaf number that stands for a label in a tree of the forest. */
static uint32_t number_of(const struct shw_forest *forest, uint32_t tree, uint8_t label)
{
    uint32_t number = 0;

    while (shw_forest_get_distribution(forest, tree, number)[label] != 65535)
        number++;
    assert_true(number < shw_forest_get_tree(forest, tree).leaf_count);
    return number;
}

/* What the trees say as plain programs walk them: leaf images, and the label with the most votes, the lowest of
 * several. Pixels without depth are void. */
static void expect(const struct shw_kinect_tree *trees, uint32_t count, const struct shw_forest *forest,
                   const struct shw_image *image, struct testing_labelling *labelling)
{
    const uint16_t *depth = image->pixels;
    uint32_t pixels = image->width * image->height;

    for (uint32_t i = 0; i < pixels; i++) {
        uint32_t votes[SHW_KINECT_LABELS] = {0}, best = 0;
        for (uint32_t t = 0; t < count; t++) {
            uint8_t label = 0;
            if (depth[i] > 0)
                votes[label = label_at(&trees[t], image, (int32_t)(i % image->width), (int32_t)(i / image->width))]++;
            labelling->out.forest_leaves[t * pixels + i] = depth[i] > 0 ? number_of(forest, t, label) : SHW_LEAF_NONE;
        }
        for (uint32_t c = 1; c < SHW_KINECT_LABELS; c++)
            best = votes[c] > votes[best] ? c : best;
        labelling->out.argmax[i] = depth[i] > 0 ? (uint16_t)best : SHW_LABEL_VOID;
    }
}

#define OUTPUTS ((uint32_t)SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_ARGMAX)

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};

/* To be freed with testing_labelling_free(). */
static struct testing_labelling label_by(enum shw_technique technique, const struct shw_forest *forest,
                                         const struct shw_image *image)
{
    struct shw_input list[2] = {{.image = *image}, {.name = SHW_DEPTH, .image = *image}};
    const struct shw_inputs inputs = {2, list};
    struct testing_log memory;
    struct shw_labeller_params params = {.forest = forest,
                                         .device = testing_device(),
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .outputs = OUTPUTS,
                                         .threads = 2,
                                         .log = testing_log(&memory)};
    struct testing_labelling got = testing_labelling(forest, image->width, image->height);
    struct shw_labelling out = {.forest_leaves = got.out.forest_leaves, .argmax = got.out.argmax};
    struct shw_labeller *labeller;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, &inputs, &out), SHW_OK);
    shw_labeller_destroy(&labeller);
    return got;
}

/* All techniques give that, bit for bit. */
static void check_labels_of(const struct shw_kinect_tree *trees, uint32_t count, const struct shw_image *image)
{
    struct shw_forest *forest = NULL;
    struct testing_labelling expected;

    assert_int_equal(shw_kinect_forest_make(trees, count, "{}", NULL, &forest), SHW_OK);
    expected = testing_labelling(forest, image->width, image->height);
    expect(trees, count, forest, image, &expected);
    for (int i = 0; i < 3; i++) {
        struct testing_labelling got = label_by(techniques[i], forest, image);
        testing_labelling_same(shw_technique_name(techniques[i]), OUTPUTS, &got, &expected);
        testing_labelling_free(&got);
    }
    testing_labelling_free(&expected);
    shw_forest_destroy(&forest);
    testing_device_check();
}

/* Also with tests whose leaves have one label: whole trees are larger than a storage buffer of lavapipe. */
static void check_labels(struct shw_kinect_tree *trees, uint32_t count, const struct shw_image *image)
{
    check_labels_of(trees, count, image);
    for (uint32_t t = 0; t < count; t++)
        trees[t].keeps_all = true;
    check_labels_of(trees, count, image);
}

TESTING_CASE(forests_label_as_the_text)
{
    struct testing_random random = {8};

    for (uint32_t count = 1; count <= 3; count++) {
        struct shw_kinect_tree trees[3];
        struct shw_image image = testing_depth(&random, 41, 33);
        for (uint32_t t = 0; t < count; t++)
            trees[t] = random_tree(&random, 2 + 2 * t + count);
        check_labels(trees, count, &image);
        for (uint32_t t = 0; t < count; t++)
            shw_kinect_tree_free(&trees[t]);
        free((void *)(uintptr_t)image.pixels);
    }
}

/* Writes a tree as the published ones are. */
static const char *write_tree(const struct shw_kinect_tree *tree)
{
    size_t leaves = (size_t)1 << tree->depth, room = leaves * 48 + 16, length, packed_length;
    char *text = malloc(room);
    uint8_t *packed = malloc(room);
    const char *path;
    FILE *file;

    assert_non_null(text);
    assert_non_null(packed);
    length = (size_t)sprintf(text, "%u\n", tree->depth);
    for (size_t i = 0; i + 1 < leaves; i++) {
        const struct shw_kinect_test *test = &tree->tests[i];
        length += (size_t)sprintf(text + length, "%d %d %d %d %d\n", test->du[0], test->dv[0], test->du[1], test->dv[1],
                                  test->threshold);
    }
    for (size_t i = 0; i < leaves; i++)
        length += (size_t)sprintf(text + length, "%u\n", tree->labels[i]);
    assert_true(length < room);
#ifdef HAS_BZIP2
    path = testing_path("tree.txt.bz2");
    packed_length = pack_bzip2(text, length, packed, room);
#else
    path = testing_path("tree.txt.gz");
    packed_length = pack_gzip(text, length, packed, room);
#endif
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(packed, 1, packed_length, file), packed_length);
    assert_int_equal(fclose(file), 0);
    free(text);
    free(packed);
    return path;
}

TESTING_CASE(offsets_are_scaled)
{
    static const struct {
        int32_t offset;
        uint32_t focal, from;
        int32_t scaled;
    } cases[] = {
        {100, 525, 525, 100},     {-100, 1050, 525, -200},    {3, 1, 2, 2},           {-3, 1, 2, -2},
        {1, 262, 525, 0},         {1, 263, 525, 1},           {-1, 263, 525, -1},     {-32768, 525, 525, -32767},
        {32767, 65535, 1, 32767}, {-32768, 65535, 1, -32767}, {-32768, 1, 65535, -1}, {0, 65535, 1, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(shw_focal_offset(cases[i].offset, cases[i].focal, cases[i].from), cases[i].scaled);
}

static struct shw_image enlarge(const struct shw_image *image)
{
    const uint16_t *from = image->pixels;
    uint32_t width = 2 * image->width, height = 2 * image->height;
    uint16_t *to = malloc((size_t)2 * width * height);

    assert_non_null(to);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            to[y * width + x] = from[y / 2 * image->width + x / 2];
    return (struct shw_image){to, width, height, 0, SHW_PIXEL_GREY16};
}

/* Twice as large, pixels have the labels of those that they were. */
static void check_enlarged(const struct shw_forest *forest, const struct shw_image *image,
                           const struct testing_labelling *expected)
{
    struct shw_image large = enlarge(image);

    for (int i = 0; i < 3; i++) {
        struct testing_labelling got = label_by(techniques[i], forest, &large);
        for (uint32_t y = 0; y < image->height; y++)
            for (uint32_t x = 0; x < image->width; x++)
                assert_int_equal(got.out.argmax[2 * y * large.width + 2 * x],
                                 expected->out.argmax[y * image->width + x]);
        testing_labelling_free(&got);
    }
    free((void *)(uintptr_t)large.pixels);
    testing_device_check();
}

/* For twice the focal length; and back, by which offsets that are whole numbers come back, too. */
TESTING_CASE(forests_are_focused)
{
    struct testing_random random = {18};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_kinect_tree trees[2] = {random_tree(&random, 5), random_tree(&random, 6)};
    struct shw_image image = testing_depth(&random, 41, 33);
    struct shw_forest *forest = NULL, *plain = NULL, *focused = NULL, *back = NULL;
    struct testing_labelling expected;

    assert_int_equal(shw_kinect_forest_make(trees, 2, "{\"imported_from\": \"kinect\"}", &log, &forest), SHW_OK);
    assert_int_equal(shw_forest_focal(shw_forest_get_info(forest)), 525);
    assert_true(shw_forest_focal_is_assumed(shw_forest_get_info(forest)));
    assert_int_equal(shw_forest_focus(forest, 1050, "f", &log, &focused), SHW_OK);
    assert_int_equal(shw_forest_focal(shw_forest_get_info(focused)), 1050);
    assert_false(shw_forest_focal_is_assumed(shw_forest_get_info(focused)));
    expected = testing_labelling(forest, image.width, image.height);
    expect(trees, 2, forest, &image, &expected);
    check_enlarged(focused, &image, &expected);
    testing_labelling_free(&expected);

    assert_int_equal(shw_forest_focus(focused, 525, "f", &log, &back), SHW_OK);
    for (uint32_t n = 0; n < shw_forest_get_tree(forest, 1).node_count; n++) {
        struct shw_node a = shw_forest_get_node(forest, 1, n), b = shw_forest_get_node(back, 1, n);
        assert_memory_equal(a.feature.words, b.feature.words, sizeof a.feature.words);
        assert_int_equal(a.leaf, b.leaf);
    }

    /* trained, for a camera that is not known */
    assert_int_equal(shw_kinect_forest_make(trees, 2, "{\"focal_length\": \"525\"}", &log, &plain), SHW_OK);
    assert_int_equal(shw_forest_focal(shw_forest_get_info(plain)), 0);
    assert_int_equal(memory.errors, 0);
    log.level = SHW_LOG_ERROR;
    assert_int_equal(shw_forest_focus(plain, 300, "plain.ktx2", &log, &back), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "plain.ktx2: the focal length of its tests is unknown"));
    for (int t = 0; t < 2; t++)
        shw_kinect_tree_free(&trees[t]);
    free((void *)(uintptr_t)image.pixels);
    shw_forest_destroy(&forest);
    shw_forest_destroy(&plain);
    shw_forest_destroy(&focused);
    shw_forest_destroy(&back);
}

/* The published trees on the depth of a room; what they say about it does not matter. */
static void check_real(uint32_t count, uint32_t depth, uint32_t width, uint32_t height)
{
    struct shw_kinect_tree trees[3];
    struct shw_image_file file;
    struct shw_image image;
    char path[1100];
    uint16_t *cut = malloc((size_t)2 * width * height);

    assert_non_null(cut);
    for (uint32_t t = 0; t < count; t++) {
        snprintf(path, sizeof path, "%s/tree%u.txt.bz2", testing_data("people"), t + 1);
        assert_int_equal(shw_kinect_tree_read(&(const struct shw_import_source){.path = path}, NULL, &trees[t]),
                         SHW_OK);
        assert_int_equal(trees[t].depth, 20);
        shw_kinect_tree_cut(&trees[t], depth);
    }
    snprintf(path, sizeof path, "%s/testing1_depth.png", testing_data("curfil_testdata"));
    assert_int_equal(shw_input_file_read(SHW_DEPTH, path, &(struct shw_image_params){0}, NULL, &file), SHW_OK);
    for (uint32_t y = 0; y < height; y++)
        memcpy(cut + y * width,
               (const uint16_t *)file.image.pixels + (y + file.image.height - height) * file.image.width, 2 * width);
    image = (struct shw_image){cut, width, height, 0, SHW_PIXEL_GREY16};
    check_labels(trees, count, &image);
    shw_image_file_free(&file);
    for (uint32_t t = 0; t < count; t++)
        shw_kinect_tree_free(&trees[t]);
    free(cut);
}

/* Deep trees come from packed files, and label when they have been cut. */
TESTING_CASE(trees_of_files_are_cut)
{
    struct testing_random random = {14};
    struct shw_kinect_tree tree = random_tree(&random, 14), read;
    struct shw_image image = testing_depth(&random, 80, 60);

    assert_int_equal(shw_kinect_tree_read(&(const struct shw_import_source){.path = write_tree(&tree)}, NULL, &read),
                     SHW_OK);
    assert_int_equal(read.depth, 14);
    assert_memory_equal(read.labels, tree.labels, (size_t)1 << 14);
    assert_memory_equal(read.tests, tree.tests, (((size_t)1 << 14) - 1) * sizeof *tree.tests);
    shw_kinect_tree_cut(&read, 11);
    check_labels(&read, 1, &image);
    free((void *)(uintptr_t)image.pixels);
    shw_kinect_tree_free(&tree);
    shw_kinect_tree_free(&read);
    if (testing_data("people") != NULL && testing_data("curfil_testdata") != NULL)
        check_real(1, 14, 160, 120);
}

TESTING_CASE_OF("exchange_kinect_whole", the_published_trees)
{
    testing_need_data("people", "curfil_testdata", NULL);
    check_real(3, 20, 640, 480);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
