#include "formats/record_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/record_formats.h"
#include "testing/record_forests.h"

struct shw_file_bytes read_record_model(const char *name)
{
    struct shw_file_bytes bytes;
    char path[512];

    snprintf(path, sizeof path, SHADEWOOD_MODELS "/%s", name);
    assert_int_equal(shw_file_bytes_read(path, 1 << 20, NULL, &bytes), SHW_OK);
    return bytes;
}

struct shw_record_forest *open_record_model(const char *name)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_record_forest *forest = NULL;
    char path[512];

    snprintf(path, sizeof path, SHADEWOOD_MODELS "/%s", name);
    assert_int_equal(shw_record_forest_open(path, &log, &forest), SHW_OK);
    assert_int_equal(memory.errors, 0);
    return forest;
}

/* What the other program says; it points into the file's bytes. */
struct fixture {
    struct shw_file_bytes bytes;
    int32_t records, attributes, trees, predictions, has_classes;
    const float *values;
    const int32_t *leaves;
    const uint8_t *expected; /* doubles, unaligned */
    const uint8_t *classes;  /* int32, unaligned */
};

static struct fixture read_fixture(const char *model)
{
    struct fixture fixture;
    const uint8_t *at;
    char name[256];

    snprintf(name, sizeof name, "%.*s.bin", (int)(strrchr(model, '.') - model), model);
    fixture.bytes = read_record_model(name);
    at = fixture.bytes.bytes;
    memcpy(&fixture.records, at, 5 * sizeof(int32_t));
    at += 5 * sizeof(int32_t);
    fixture.values = (const float *)(const void *)at;
    at += (size_t)fixture.records * (size_t)fixture.attributes * sizeof(float);
    fixture.leaves = (const int32_t *)(const void *)at;
    at += (size_t)fixture.records * (size_t)fixture.trees * sizeof(int32_t);
    fixture.expected = at;
    at += (size_t)fixture.records * (size_t)fixture.predictions * sizeof(double);
    fixture.classes = at;
    at += fixture.has_classes ? (size_t)fixture.records * sizeof(int32_t) : 0;
    assert_ptr_equal(at, fixture.bytes.bytes + fixture.bytes.size);
    return fixture;
}

uint32_t record_leaf_source(const struct shw_record_forest_info *info, uint32_t tree, uint32_t leaf)
{
    for (uint32_t n = 0; n < info->trees[tree].node_count; n++) {
        const struct shw_record_node *node = &info->nodes[info->trees[tree].first_node + n];
        if (!node->is_split && node->leaf == leaf)
            return node->source;
    }
    fail_msg("tree %u has no leaf %u", tree, leaf);
    return 0;
}

static void check_leaves(const struct fixture *fixture, const struct shw_record_forest_info *info,
                         const uint32_t *leaves)
{
    for (int32_t i = 0; i < fixture->records * fixture->trees; i++) {
        uint32_t tree = (uint32_t)(i % fixture->trees);
        assert_int_equal(record_leaf_source(info, tree, leaves[i]), fixture->leaves[i]);
    }
}

static double expected_of(const struct fixture *fixture, int32_t i)
{
    double expected;

    memcpy(&expected, fixture->expected + (size_t)i * sizeof expected, sizeof expected);
    return expected;
}

/* Originals sum in double precision: what is left is the rounding of leaf values to 31 bits and of the result to
 * float32. But XGBoost sums in single precision, so that each sum, and its function, is off by a few units of the last
 * place of numbers about as large as the largest. */
static void check_predictions(const char *name, const struct fixture *fixture, const float *predictions)
{
    bool in_double = strncmp(name, "xgboost", 7) != 0;
    double largest = 0;
    int32_t count = fixture->records * fixture->predictions;

    for (int32_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(expected_of(fixture, i)));
    for (int32_t i = 0; i < count; i++) {
        double expected = expected_of(fixture, i);
        double bound = in_double ? 0x1p-24 * fabs(expected) + 0x1p-30 * largest : 0x1p-22 * largest;
        if (!(fabs(predictions[i] - expected) <= bound))
            fail_msg("%s: prediction %d is %.9g instead of %.9g", name, i, (double)predictions[i], expected);
    }
}

void check_record_model(const char *name)
{
    struct shw_record_forest *forest = open_record_model(name);
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    struct fixture fixture = read_fixture(name);
    struct plain_results results;
    float *predictions = calloc((size_t)(fixture.records * fixture.predictions), sizeof *predictions);

    assert_non_null(predictions);
    assert_int_equal(info->attribute_count, fixture.attributes);
    assert_int_equal(shw_record_forest_get_prediction_count(forest), fixture.predictions);
    assert_true(fixture.trees == 0 || fixture.trees == (int32_t)info->tree_count);
    results = plain_evaluate(forest, fixture.values, (uint64_t)fixture.records, info->attribute_count, 1, NULL);
    shw_record_forest_predict(forest, (uint64_t)fixture.records, results.sums, predictions);
    if (fixture.trees > 0)
        check_leaves(&fixture, info, results.leaves);
    check_predictions(name, &fixture, predictions);
    assert_int_equal(info->task == SHW_RECORD_CLASSES, fixture.has_classes);
    if (fixture.has_classes)
        assert_memory_equal(results.classes, fixture.classes, (size_t)fixture.records * sizeof(int32_t));
    plain_results_free(&results);
    free(predictions);
    shw_file_bytes_free(&fixture.bytes);
    shw_record_forest_destroy(&forest);
}

char *replace_in_model(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    size_t size = strlen(text) + strlen(new) + 1;
    char *changed = malloc(size);

    assert_non_null(at);
    assert_non_null(changed);
    snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return changed;
}

struct shw_record_forest *parse_record_model(const char *text)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_record_forest *forest = NULL;

    assert_int_equal(
        shw_record_model_read(&(const struct shw_import_source){.bytes = text, .size = strlen(text), .name = "model"},
                              NULL, &log, &forest),
        SHW_OK);
    assert_int_equal(memory.errors, 0);
    return forest;
}
