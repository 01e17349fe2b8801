/* Cascades of OpenCV: small ones in both syntaxes, what is refused and where, and those of Debian's opencv-data. */
#include "testing/testing.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "formats/cascade_formats.h"

#define OPENCV_DATA "/usr/share/opencv4"

/* Two stages; the first one's second tree has three tests, of which the first leads to the third on its left. */
static const char new_haar[] = "<?xml version=\"1.0\"?>\n"
                               "<!-- a comment -->\n"
                               "<opencv_storage>\n"
                               "<cascade type_id=\"opencv-cascade-classifier\"><stageType>BOOST</stageType>\n"
                               "  <featureType>HAAR</featureType>\n"
                               "  <height>24</height>\n"
                               "  <width>20</width>\n"
                               "  <featureParams><maxCatCount>0</maxCatCount></featureParams>\n"
                               "  <stages>\n"
                               "    <_><maxWeakCount>2</maxWeakCount>\n"
                               "      <stageThreshold>-1.5</stageThreshold>\n"
                               "      <weakClassifiers>\n"
                               "        <_><internalNodes>0 -1 1 0.25</internalNodes>\n"
                               "          <leafValues>0.5 -0.75</leafValues></_>\n"
                               "        <_><internalNodes>\n"
                               "            2 1 0 -1.5 0 -1 1 3e-3\n"
                               "            -2 -3 0 0.125</internalNodes>\n"
                               "          <leafValues>\n"
                               "            1. 2. 3. -4.</leafValues></_></weakClassifiers></_>\n"
                               "    <_><maxWeakCount>1</maxWeakCount>\n"
                               "      <stageThreshold>2.</stageThreshold>\n"
                               "      <weakClassifiers>\n"
                               "        <_><internalNodes>0 -1 0 0.</internalNodes><leafValues>1 "
                               "-1</leafValues></_></weakClassifiers></_></stages>\n"
                               "  <features>\n"
                               "    <_><rects><_>1 2 6 4 -1.</_><_>3 2 2 4 3.</_></rects></_>\n"
                               "    <_><rects><_>9 1 4 8 -1.</_><_>9 1 2 8 2.25</_><_>1 1 1 1 0.</_></rects>\n"
                               "      <tilted>1</tilted></_></features></cascade>\n"
                               "</opencv_storage>\n";

static const char new_lbp[] =
    "<?xml version=\"1.0\"?>\n"
    "<opencv_storage>\n"
    "<cascade>\n"
    "  <stageType>BOOST</stageType>\n"
    "  <featureType>LBP</featureType>\n"
    "  <height>12</height>\n"
    "  <width>14</width>\n"
    "  <featureParams><maxCatCount>256</maxCatCount></featureParams>\n"
    "  <stages>\n"
    "    <_><stageThreshold>0.5</stageThreshold>\n"
    "      <weakClassifiers>\n"
    "        <_><internalNodes>0 -1 1 -2147483648 1 2 3 4 5 6 -7</internalNodes>\n"
    "          <leafValues>-100.25 50.5</leafValues></_></weakClassifiers></_></stages>\n"
    "  <features><_><rect>0 0 1 1</rect></_><_><rect>1 2 3 2</rect></_></features></cascade></opencv_storage>\n";

static const char old_haar[] =
    "<?xml version=\"1.0\"?>\n"
    "<opencv_storage>\n"
    "<a_name type_id=\"opencv-haar-classifier\">\n"
    "  <size>16 10</size>\n"
    "  <stages>\n"
    "    <_>\n"
    "      <!-- stage 0 -->\n"
    "      <trees>\n"
    "        <_>\n"
    "          <_><feature><rects><_>1 2 6 4 -1.</_><_>3 2 2 4 3.</_></rects><tilted>0</tilted></feature>\n"
    "            <threshold>0.0625</threshold><left_val>0.5</left_val><right_node>1</right_node></_>\n"
    "          <_><feature><rects><_>4 1 2 3 2.</_></rects><tilted>1</tilted></feature>\n"
    "            <threshold>-0.5</threshold><left_val>-1</left_val><right_val>1</right_val></_></_></trees>\n"
    "      <stage_threshold>0.25</stage_threshold>\n"
    "      <parent>-1</parent><next>-1</next></_>\n"
    "    <_>\n"
    "      <trees>\n"
    "        <_><_><feature><rects><_>0 0 2 2 1</_></rects><tilted>0</tilted></feature>\n"
    "            <threshold>1</threshold><left_val>3</left_val><right_val>4</right_val></_></_></trees>\n"
    "      <stage_threshold>1</stage_threshold>\n"
    "      <parent>0</parent><next>-1</next></_></stages></a_name>\n"
    "</opencv_storage>\n";

static void parse(const char *text, struct shw_opencv_cascade *cascade)
{
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);

    assert_int_equal(shw_opencv_cascade_parse(text, strlen(text), "a.xml", &log, cascade), SHW_OK);
    assert_int_equal(memory.count[SHW_LOG_FILE_READ], 0);
}

static void assert_split(const struct shw_cascade_info *info, uint32_t node, uint32_t left, uint32_t feature,
                         double threshold)
{
    assert_true(info->nodes[node].is_split);
    assert_int_equal(info->nodes[node].left, left);
    assert_int_equal(info->nodes[node].feature, feature);
    assert_int_equal(info->nodes[node].threshold, (int32_t)nearbyint((double)(float)threshold * 16777216.0));
    assert_int_equal(info->nodes[node].value, 0);
}

static void assert_leaf(const struct shw_cascade_info *info, uint32_t node, uint32_t own, double value)
{
    assert_false(info->nodes[node].is_split);
    assert_int_equal(info->nodes[node].left, own);
    assert_int_equal(info->nodes[node].threshold, 0);
    assert_true(info->nodes[node].value == value * (double)(1u << info->fraction_bits));
}

static void assert_rectangle(const struct shw_cascade_feature *feature, uint32_t number,
                             struct shw_cascade_rectangle is)
{
    assert_true(number < feature->rectangle_count);
    assert_memory_equal(&feature->rectangles[number], &is, sizeof is);
}

TESTING_CASE(test_new_syntax)
{
    struct shw_opencv_cascade cascade;
    const struct shw_cascade_info *info = &cascade.info;

    parse(new_haar, &cascade);
    assert_int_equal(info->kind, SHW_CASCADE_HAAR);
    assert_int_equal(info->window_width, 20);
    assert_int_equal(info->window_height, 24);
    assert_int_equal(info->fraction_bits, 28);
    assert_true(info->restarts && info->scale_factor == 1.1);
    assert_int_equal(info->stage_count, 2);
    assert_int_equal(info->stages[0].tree_count, 2);
    assert_int_equal(info->stages[1].first_tree, 2);
    assert_in_range(info->stages[0].threshold + 0x18000000 + 2684 + 32, 0, 64); /* 1e-5 less than -1.5 */
    assert_int_equal(info->tree_count, 3);
    assert_int_equal(info->trees[1].first_node, 3);
    assert_int_equal(info->trees[1].node_count, 7);
    assert_split(info, 0, 1, 1, 0.25);
    assert_leaf(info, 1, 1, 0.5);
    assert_leaf(info, 2, 2, -0.75);
    assert_split(info, 3, 1, 0, -1.5);
    assert_split(info, 4, 3, 0, 0.125);
    assert_split(info, 5, 5, 1, 3e-3);
    assert_leaf(info, 6, 3, 3);
    assert_leaf(info, 7, 4, -4);
    assert_leaf(info, 8, 5, 1);
    assert_leaf(info, 9, 6, 2);
    assert_int_equal(info->feature_count, 2);
    assert_false(info->features[0].tilted);
    assert_rectangle(&info->features[0], 0, (struct shw_cascade_rectangle){1, 2, 6, 4, -256});
    assert_rectangle(&info->features[0], 1, (struct shw_cascade_rectangle){3, 2, 2, 4, 768});
    assert_true(info->features[1].tilted);
    assert_int_equal(info->features[1].rectangle_count, 2); /* one without weight is dropped */
    assert_rectangle(&info->features[1], 1, (struct shw_cascade_rectangle){9, 1, 2, 8, 576});
    shw_opencv_cascade_free(&cascade);
}

TESTING_CASE(test_patterns)
{
    struct shw_opencv_cascade cascade;
    const struct shw_cascade_info *info = &cascade.info;

    parse(new_lbp, &cascade);
    assert_int_equal(info->kind, SHW_CASCADE_LBP);
    assert_int_equal(info->fraction_bits, 24); /* 100.25 must fit into 7 others */
    assert_split(info, 0, 1, 1, 0);
    assert_int_equal(info->nodes[0].subset[0], 0x80000000u);
    assert_int_equal(info->nodes[0].subset[1], 1);
    assert_int_equal(info->nodes[0].subset[7], (uint32_t)-7);
    assert_leaf(info, 1, 1, -100.25);
    assert_leaf(info, 2, 2, 50.5);
    assert_rectangle(&info->features[1], 0, (struct shw_cascade_rectangle){1, 2, 3, 2, 0});
    shw_opencv_cascade_free(&cascade);
}

TESTING_CASE(test_old_syntax)
{
    struct shw_opencv_cascade cascade;
    const struct shw_cascade_info *info = &cascade.info;

    parse(old_haar, &cascade);
    assert_int_equal(info->kind, SHW_CASCADE_HAAR);
    assert_int_equal(info->window_width, 16);
    assert_int_equal(info->window_height, 10);
    assert_int_equal(info->stage_count, 2);
    assert_int_equal(info->tree_count, 2);
    assert_split(info, 0, 1, 0, 0.0625);
    assert_leaf(info, 1, 1, 0.5);
    assert_split(info, 2, 3, 1, -0.5);
    assert_leaf(info, 3, 3, -1);
    assert_leaf(info, 4, 4, 1);
    assert_split(info, 5, 1, 2, 1);
    assert_int_equal(info->feature_count, 3);
    assert_true(info->features[1].tilted);
    assert_rectangle(&info->features[1], 0, (struct shw_cascade_rectangle){4, 1, 2, 3, 512});
    shw_opencv_cascade_free(&cascade);
}

/* Replaces `from`, which must occur, by `to`; to be freed. */
static char *replace(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *changed = malloc(strlen(text) + strlen(to) + 1);

    assert_true(at != NULL && changed != NULL);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return changed;
}

TESTING_CASE(test_damage)
{
    static const struct {
        const char *text, *from, *to, *message;
    } cases[] = {
        {new_haar, "<opencv_storage>", "<opencv>", "a.xml, line 28: mismatched tag"},
        {new_haar, "<!-- a comment -->", "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>",
         "a.xml, line 2: a document type is declared, which is not supported"},
        {new_haar, "BOOST", "TREE", "a.xml, line 4: stages of the type \"TREE\"; only BOOST is supported"},
        {new_haar, "HAAR", "HOG", "a.xml, line 5: features of the type \"HOG\"; only HAAR and LBP are supported"},
        {new_haar, "<width>20</width>", "", "a.xml, line 4: <cascade> has no <width>"},
        {new_haar, "<width>20", "<width>256", "a.xml, line 7: 256 in <width> is not in 2..255"},
        {new_haar, "<width>20", "<width>2x", "a.xml, line 7: \"2x\" in <width> is not a whole number"},
        {new_haar, "<width>20", "<width>20 1", "a.xml, line 7: <width> has too many numbers"},
        {new_haar, "<width>20", "<width> ", "a.xml, line 7: <width> has too few numbers"},
        {new_haar, "-1.5<", "nan<", "a.xml, line 11: \"nan\" in <stageThreshold> is not a number"},
        {new_haar, "0 -1 1 0.25", "0 -1 1", "a.xml, line 13: <internalNodes> has too few numbers"},
        {new_haar, "0 -1 1 0.25", "0 -1 2 0.25", "a.xml, line 13: a test of feature 2; there are 2"},
        {new_haar, "0 -1 1 0.25", "0 -2 1 0.25", "a.xml, line 13: a test leads to leaf 2 of 2"},
        {new_haar, "0 -1 1 0.25", "0 1 1 0.25", "a.xml, line 13: a test leads to test 1 of 1"},
        {new_haar, "0 -1 1 0.25", "0 -1 1 128", "a.xml, line 13: a threshold of 128; its magnitude must be below 128"},
        {new_haar, "0 -1 1 0.25", "", "a.xml, line 13: a tree without a test"},
        {new_haar, "2 1 0 -1.5", "2 2 0 -1.5", "a.xml, line 15: several tests lead to test 2"},
        {new_haar, "2 1 0 -1.5", "0 1 0 -1.5", "a.xml, line 15: no test leads to test 2"},
        {new_haar, "-2 -3 0 0.125", "-2 2 0 0.125", "a.xml, line 15: several tests lead to test 2"},
        {new_haar, "0.5 -0.75", "0.5e300 1", "a.xml: scores of up to inf do not fit into 32 bits"},
        {new_haar, "<_>1 2 6 4 -1.</_><_>3 2 2 4 3.</_>", "", "a.xml, line 25: a feature without rectangles"},
        {new_haar, "3.</_>", "3.</_><_>1 1 1 1 1</_><_>1 1 1 1 1</_>",
         "a.xml, line 25: a feature of more than 3 rectangles"},
        {new_haar, "4 -1.", "4 200", "a.xml, line 25: a rectangle's weight of 200; its magnitude may be 128"},
        {new_haar, "<tilted>1", "<tilted>2", "a.xml, line 27: 2 in <tilted> is not in 0..1"},
        {new_haar, "<_><rects>", "x<_><rects>", "a.xml, line 25: text between elements"},
        {new_lbp, "256", "0", "a.xml, line 8: 0 categories, which LBP features do not have"},
        {new_lbp, "1 2 3 2<", "1 2 3<", "a.xml, line 14: <rect> has too few numbers"},
        {new_lbp, "5 6 -7", "5 6", "a.xml, line 12: <internalNodes> has too few numbers"},
        {old_haar, "<next>-1", "<next>1",
         "a.xml, line 6: stage 0 has the parent -1 and the next one 1: stages that form a tree are not supported, only "
         "a chain"},
        {old_haar, "<parent>0", "<parent>-1",
         "a.xml, line 16: stage 1 has the parent -1 and the next one -1: stages that form a tree are not supported, "
         "only a chain"},
        {old_haar, "<right_node>1", "<right_node>2", "a.xml, line 9: a test leads to test 2 of 2"},
        {old_haar, "<left_val>0.5</left_val>", "", "a.xml, line 10: <_> has no <left_val>"},
        {old_haar, "opencv-haar-classifier", "else", "a.xml, line 3: <a_name> is not a cascade"},
    };
    struct shw_opencv_cascade cascade;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_log memory = {0};
        struct shw_log log = testing_log(&memory);
        char *text = replace(cases[i].text, cases[i].from, cases[i].to);
        enum shw_result result = shw_opencv_cascade_parse(text, strlen(text), "a.xml", &log, &cascade);

        assert_true(result == SHW_ERROR_FORMAT || result == SHW_ERROR_LIMIT);
        assert_string_equal(memory.last, cases[i].message);
        assert_int_equal(memory.errors, 1);
        free(text);
    }
}

/* Nested elements, and entities, come to nothing. */
TESTING_CASE(test_bombs)
{
    struct shw_opencv_cascade cascade;
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    char deep[400] = "";

    for (int i = 0; i < 40; i++)
        strcat(deep, "<a>");
    assert_int_equal(shw_opencv_cascade_parse(deep, strlen(deep), "deep", &log, &cascade), SHW_ERROR_LIMIT);
    assert_string_equal(memory.last, "deep, line 1: elements are nested too deeply");
    assert_int_equal(shw_opencv_cascade_parse("", 0, "none", &log, &cascade), SHW_ERROR_FORMAT);
    assert_string_equal(memory.last, "none, line 1: no element found");
    assert_int_equal(shw_opencv_cascade_parse("<opencv_storage/>", 17, "x", &log, &cascade), SHW_ERROR_FORMAT);
    assert_string_equal(memory.last, "x, line 1: <opencv_storage> is empty");
}

static void read_one(const char *path, const char *name)
{
    static const struct {
        const char *name;
        uint32_t stages, trees, features;
    } known[] = {
        {"haarcascade_frontalface_default.xml", 25, 2913, 2913},
        {"haarcascade_licence_plate_rus_16stages.xml", 16, 0, 0},
        {"lbpcascade_frontalface.xml", 20, 139, 136},
    };
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_file_bytes file;
    struct shw_opencv_cascade cascade;
    struct shw_cascade *made = NULL;

    assert_int_equal(shw_file_bytes_read(path, SIZE_MAX, &log, &file), SHW_OK);
    assert_int_equal(shw_opencv_cascade_parse(file.bytes, file.size, path, &log, &cascade), SHW_OK);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            assert_int_equal(cascade.info.stage_count, known[i].stages);
            if (known[i].trees > 0) {
                assert_int_equal(cascade.info.tree_count, known[i].trees);
                assert_int_equal(cascade.info.feature_count, known[i].features);
            }
        }
    print_message("%s: %u stages, %u trees, %u features\n", name, cascade.info.stage_count, cascade.info.tree_count,
                  cascade.info.feature_count);
    assert_int_equal(shw_cascade_create(&cascade.info, &log, &made), SHW_OK);
    shw_cascade_destroy(&made);
    shw_opencv_cascade_free(&cascade);
    shw_file_bytes_free(&file);
}

TESTING_CASE(test_opencv_data)
{
    static const char *const folders[] = {OPENCV_DATA "/haarcascades", OPENCV_DATA "/lbpcascades"};
    uint32_t count = 0;

    for (int f = 0; f < 2; f++) {
        DIR *folder = opendir(folders[f]);
        const struct dirent *entry;
        if (folder == NULL)
            testing_skip("opencv-data is not installed");
        while ((entry = readdir(folder)) != NULL) {
            char path[600];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", folders[f], entry->d_name);
            read_one(path, entry->d_name);
            count++;
        }
        closedir(folder);
    }
    assert_true(count >= 20);
}
