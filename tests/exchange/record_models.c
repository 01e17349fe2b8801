#include "exchange/record_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/record_open.h"
#include "image/file_bytes.h"

struct answers {
    struct shw_file_bytes file;
    int32_t records, attributes, trees, predictions, has_classes;
    const float *values;
    const int32_t *leaves;
    const uint8_t *prediction_bytes; /* float64, perhaps not aligned */
    const int32_t *classes;
};

struct found {
    uint32_t *classes, *leaves;
    int64_t *sums;
    float *predictions;
};

static const char *model_path(const char *name, const char *ending)
{
    static char path[1024];

    assert_true((size_t)snprintf(path, sizeof path, "%s/%s.%s", RECORD_MODELS, name, ending) < sizeof path);
    return path;
}

static struct answers read_answers(const char *name)
{
    struct answers answers = {0};
    const uint8_t *at;
    int32_t head[5];

    assert_int_equal(shw_file_bytes_read(model_path(name, "bin"), 1 << 24, NULL, &answers.file), SHW_OK);
    memcpy(head, answers.file.bytes, sizeof head);
    answers.records = head[0];
    answers.attributes = head[1];
    answers.trees = head[2];
    answers.predictions = head[3];
    answers.has_classes = head[4];
    at = answers.file.bytes + sizeof head;
    answers.values = (const float *)(const void *)at;
    at += sizeof(float) * (size_t)head[0] * (size_t)head[1];
    answers.leaves = (const int32_t *)(const void *)at;
    at += sizeof(int32_t) * (size_t)head[0] * (size_t)head[2];
    answers.prediction_bytes = at;
    at += sizeof(double) * (size_t)head[0] * (size_t)head[3];
    answers.classes = (const int32_t *)(const void *)at;
    at += sizeof(int32_t) * (size_t)head[0] * (size_t)head[4];
    assert_true(at == answers.file.bytes + answers.file.size);
    return answers;
}

static void evaluate(const struct shw_record_forest *forest, const struct answers *answers, struct found *found)
{
    const struct shw_record_evaluator_params params = {.forest = forest, .technique = SHW_RECORD_SERIAL, .threads = 1};
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const struct shw_records records = {.values = answers->values,
                                        .count = (uint64_t)answers->records,
                                        .attribute_count = (uint32_t)answers->attributes};
    const size_t count = (size_t)answers->records;
    struct shw_record_evaluator *evaluator = NULL;

    *found = (struct found){.classes = calloc(count, sizeof *found->classes),
                            .leaves = calloc(count * info->tree_count, sizeof *found->leaves),
                            .sums = calloc(count * info->output_count, sizeof *found->sums),
                            .predictions = calloc(count * (size_t)answers->predictions, sizeof *found->predictions)};
    assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_OK);
    assert_int_equal(shw_record_evaluator_run(
                         evaluator, &records,
                         &(const struct shw_record_results){.classes = answers->has_classes ? found->classes : NULL,
                                                            .leaves = found->leaves,
                                                            .sums = found->sums,
                                                            .predictions = found->predictions}),
                     SHW_OK);
    shw_record_evaluator_destroy(&evaluator);
}

static uint32_t source_of(const struct shw_record_forest_info *info, uint32_t t, uint32_t leaf)
{
    const struct shw_record_tree *tree = &info->trees[t];

    for (uint32_t n = 0; n < tree->node_count; n++) {
        const struct shw_record_node *node = &info->nodes[tree->first_node + n];
        if (!node->is_split && node->leaf == leaf)
            return node->source;
    }
    fail();
    return 0;
}

static void check_leaves(const char *name, const struct shw_record_forest_info *info, const struct answers *answers,
                         const struct found *found)
{
    for (uint32_t r = 0; r < (uint32_t)answers->records; r++)
        for (uint32_t t = 0; t < (uint32_t)answers->trees; t++) {
            uint32_t source = source_of(info, t, found->leaves[r * info->tree_count + t]);
            int32_t expected = answers->leaves[r * (uint32_t)answers->trees + t];
            if (source != (uint32_t)expected)
                fail_msg("%s: record %u, tree %u: leaf %u instead of %d", name, r, t, source, expected);
        }
}

static void check_predictions(const char *name, const struct answers *answers, const struct found *found)
{
    for (size_t i = 0; i < (size_t)answers->records * (size_t)answers->predictions; i++) {
        double expected, tolerance;
        memcpy(&expected, answers->prediction_bytes + i * sizeof expected, sizeof expected);
        tolerance = 1e-6 * fmax(fabs(expected), 1);
        if (!(fabs((double)found->predictions[i] - expected) <= tolerance))
            fail_msg("%s: record %zu: %.9g instead of %.9g", name, i / (size_t)answers->predictions,
                     (double)found->predictions[i], expected);
    }
}

static void check_classes(const char *name, const struct answers *answers, const struct found *found)
{
    for (int32_t r = 0; answers->has_classes && r < answers->records; r++)
        if (found->classes[r] != (uint32_t)answers->classes[r])
            fail_msg("%s: record %d: class %u instead of %d", name, r, found->classes[r], answers->classes[r]);
}

void check_record_model(const char *name, const char *ending, const char *format)
{
    struct answers answers = read_answers(name);
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    struct shw_record_forest *forest = NULL;
    const struct shw_record_forest_info *info;
    struct found found;

    assert_int_equal(shw_record_model_read(model_path(name, ending), NULL, &log, &forest), SHW_OK);
    info = shw_record_forest_get_info(forest);
    assert_non_null(strstr(info->training, format));
    assert_int_equal(info->attribute_count, answers.attributes);
    assert_true(answers.trees == 0 || info->tree_count == (uint32_t)answers.trees);
    assert_int_equal(shw_record_forest_get_prediction_count(forest), answers.predictions);
    evaluate(forest, &answers, &found);
    check_leaves(name, info, &answers, &found);
    check_classes(name, &answers, &found);
    check_predictions(name, &answers, &found);
    free(found.classes);
    free(found.leaves);
    free(found.sums);
    free(found.predictions);
    shw_record_forest_destroy(&forest);
    shw_file_bytes_free(&answers.file);
}
