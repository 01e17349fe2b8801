/* The real data sets, where they are at hand. */
#include "testing/testing.h"

#include <stdio.h>
#include <string.h>

#include "dataset/dataset.h"

static void path_in(char *path, size_t size, const char *folder, const char *rest)
{
    snprintf(path, size, "%s/%s", folder, rest);
}

/* Reads all examples and counts the labelled pixels of each class, void last. */
static void count_labels(const struct shw_dataset *set, uint64_t *counts)
{
    for (uint32_t i = 0; i < set->count; i++) {
        struct shw_labelled_image example;

        assert_int_equal(set->read(set->user, i, &example), SHW_OK);
        assert_string_equal(example.name, shw_dataset_name(set, i));
        for (size_t p = 0; p < (size_t)example.image.width * example.image.height; p++) {
            assert_true(example.labels[p] < set->class_count || example.labels[p] == SHW_LABEL_VOID);
            counts[example.labels[p] == SHW_LABEL_VOID ? set->class_count : example.labels[p]]++;
        }
        set->release(set->user, &example);
    }
}

static void test_msrc21(void **state)
{
    struct testing_log memory;
    struct shw_dataset_params params = {
        .images = "images/{}.png", .labels = "labels/{}.png", .cache_bytes = 1, .log = testing_log(&memory)};
    char root[900], train[1000], val[1000], test[1000];
    const char *splits[2] = {train, val}, *test_split = test;
    uint64_t counts[22] = {0};
    struct shw_dataset set = {0};

    (void)state;
    snprintf(root, sizeof root, "%s", testing_data("msrc21"));
    path_in(train, sizeof train, root, "splits/Train.txt");
    path_in(val, sizeof val, root, "splits/Val.txt");
    path_in(test, sizeof test, root, "splits/Test.txt");
    params.root = root;

    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 591);
    assert_int_equal(set.class_count, 21);
    assert_string_equal(set.classes[0].name, "building");
    assert_string_equal(set.classes[20].name, "boat");
    assert_string_equal(shw_dataset_name(&set, 0), "10_10_s");
    count_labels(&set, counts);
    for (int c = 0; c < 22; c++)
        assert_true(counts[c] > 0);
    assert_true(counts[21] * 100 / (591 * 320 * 213) >= 6 && counts[21] * 100 / (591 * 320 * 213) <= 20);
    shw_dataset_close(&set);

    params.splits = splits;
    params.split_count = 2;
    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 335);
    shw_dataset_close(&set);
    params.splits = &test_split;
    params.split_count = 1;
    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 256);
    shw_dataset_close(&set);
    assert_int_equal(memory.errors, 0);
}

static void test_replica(void **state)
{
    struct testing_log memory;
    struct shw_dataset_params params = {.layout = SHW_DATASET_CURFIL, .log = testing_log(&memory)};
    uint64_t counts[23] = {0};
    struct shw_dataset set = {0};
    struct shw_labelled_image example;
    uint64_t present = 0;
    const uint16_t *depth;

    (void)state;
    params.root = testing_data("replica_office0/train");
    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 52);
    assert_int_equal(set.class_count, 22);
    assert_string_equal(shw_dataset_name(&set, 0), "0000");
    assert_int_equal(set.read(set.user, 0, &example), SHW_OK);
    depth = shw_inputs_find(&example.inputs, SHW_DEPTH)->image.pixels;
    for (size_t p = 0; p < 600 * 340; p++)
        present += depth[p] > 300 && depth[p] < 10000;
    assert_true(present > 600 * 340 / 2);
    set.release(set.user, &example);
    count_labels(&set, counts);
    assert_true(counts[8] > 0); /* the floor */
    shw_dataset_close(&set);
}

static void test_curfil(void **state)
{
    struct testing_log memory;
    struct shw_dataset_params params = {.layout = SHW_DATASET_CURFIL, .log = testing_log(&memory)};
    uint64_t counts[300] = {0};
    struct shw_dataset set = {0};

    (void)state;
    params.root = testing_data("curfil_testdata");
    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 4);
    assert_int_equal(set.class_count, 4);
    assert_string_equal(set.classes[2].name, "#ff0000");
    count_labels(&set, counts);
    for (uint32_t c = 0; c < set.class_count; c++)
        assert_true(counts[c] > 0);
    shw_dataset_close(&set);
}

/* Masks of 0 and 1 need no palette. */
static void test_horses(void **state)
{
    struct testing_log memory;
    struct shw_dataset_params params = {.images = "horse/{}.jpg", .labels = "mask/{}.png", .log = testing_log(&memory)};
    struct shw_dataset set = {0};
    uint64_t counts[3] = {0};

    (void)state;
    params.root = testing_data("weizmann_horses");
    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 327);
    assert_int_equal(set.class_count, 2);
    assert_string_equal(set.classes[1].name, "class 1");
    count_labels(&set, counts);
    assert_true(counts[0] > counts[1] && counts[1] > 0 && counts[2] == 0);
    shw_dataset_close(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_msrc21),
        cmocka_unit_test(test_replica),
        cmocka_unit_test(test_curfil),
        cmocka_unit_test(test_horses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
