/* Training on bad data and with bad parameters: it fails with the right message, and nothing leaks. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/examples.h"
#include "testing/training.h"

static const struct testing_examples_params some_examples = {.seed = 31, .void_percent = 15};

/* Expects that training fails so. */
static void check_failure(const struct shw_trainer_params *params, const struct testing_examples *examples,
                          enum shw_result result, enum shw_log_item item)
{
    struct testing_log memory;
    struct shw_trainer_params with_log = *params;
    struct shw_forest *forest = NULL;

    with_log.log = testing_log(&memory);
    assert_int_equal(shw_train(&with_log, &examples->dataset, &forest), result);
    assert_null(forest);
    assert_int_equal(examples->held, 0);
    if (item != SHW_LOG_ITEM_COUNT) {
        assert_int_equal(memory.errors, 1);
        assert_int_equal(memory.last_item, item);
    }
}

TESTING_CASE(bad_data_is_reported)
{
    struct testing_examples examples;
    uint16_t *labels, kept;

    testing_examples_make(&some_examples, &examples);
    labels = examples.examples[2].labels;
    examples.dataset.user = &examples;
    for (examples.fail_at = 0; examples.fail_at < examples.dataset.count; examples.fail_at++) {
        examples.fail_with = SHW_ERROR_IO;
        check_failure(&testing_training, &examples, SHW_ERROR_IO, SHW_LOG_ITEM_COUNT);
    }
    examples.fail_with = SHW_OK;
    kept = labels[77];
    labels[77] = 3;
    check_failure(&testing_training, &examples, SHW_ERROR_FORMAT, SHW_LOG_DATASET);
    labels[77] = kept;
    examples.examples[2].labels = NULL;
    check_failure(&testing_training, &examples, SHW_ERROR_FORMAT, SHW_LOG_DATASET);
    examples.examples[2].labels = labels;
    for (uint32_t i = 0; i < examples.dataset.count; i++)
        memset(examples.examples[i].labels, 0xff,
               sizeof(uint16_t) * examples.examples[i].width * examples.examples[i].height);
    check_failure(&testing_training, &examples, SHW_ERROR_FORMAT, SHW_LOG_DATASET); /* void alone */
    testing_examples_free(&examples);
}

TESTING_CASE(bad_parameters_are_refused)
{
    static const double zero[] = {1, 0, 1}, infinite[] = {1, INFINITY, 1}, nothing[] = {1, NAN, 1}, good[] = {1, 1, 1};
    struct testing_examples examples;
    struct shw_trainer_params list[40];
    struct shw_class *classes;
    uint32_t n = 0;

    testing_examples_make(&some_examples, &examples);
    examples.dataset.user = &examples;
#define VARIANT(field, value)                                                                                          \
    list[n] = testing_training;                                                                                        \
    list[n++].field = (value)
    VARIANT(channels, "gauss:77");
    VARIANT(tree_count, SHW_TREES_MAX + 1);
    VARIANT(depth, SHW_DEPTH_MAX + 1);
    VARIANT(candidates, 0xffffffff);
    VARIANT(pool, (enum shw_candidate_pool)2);
    VARIANT(bins, 1);
    VARIANT(bins, 257);
    VARIANT(thresholds, (enum shw_threshold_scheme)2);
    VARIANT(score, (enum shw_score)5);
    VARIANT(offset_max, 40000);
    VARIANT(size_max, 26);
    VARIANT(single_percent, 101);
    VARIANT(sampling, (enum shw_pixel_sampling)3);
    VARIANT(prior, (enum shw_leaf_prior)2);
    VARIANT(bias_percent, 100);
    VARIANT(images_percent, 101);
    VARIANT(weighting, (enum shw_class_weighting)4);
    VARIANT(weighting, SHW_WEIGHTING_GIVEN);
    VARIANT(class_weights, good);
    VARIANT(notes, "[]");
    for (uint32_t i = 0; i < 3; i++) {
        VARIANT(weighting, SHW_WEIGHTING_GIVEN);
        list[n - 1].class_weights = i == 0 ? zero : i == 1 ? infinite : nothing;
    }
    for (uint32_t i = 0; i < n; i++)
        check_failure(&list[i], &examples, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER);
    classes = calloc(examples.dataset.class_count, sizeof *classes);
    assert_non_null(classes);
    for (uint32_t c = 0; c + 1 < examples.dataset.class_count; c++)
        classes[c].name = "a";
    examples.dataset.classes = classes;
    for (uint32_t i = 0; i < 3; i++) {
        classes[examples.dataset.class_count - 1].name = i == 0 ? NULL : i == 1 ? "" : "\x7f";
        check_failure(&testing_training, &examples, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET);
    }
    free(classes);
    examples.dataset.classes = NULL;
    examples.dataset.count = 0;
    check_failure(&testing_training, &examples, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER);
    examples.dataset.count = 4;
    for (uint32_t i = 0; i < 2; i++) {
        struct shw_dataset whole = examples.dataset;
        if (i == 0)
            examples.dataset.read = NULL;
        else
            examples.dataset.release = NULL;
        check_failure(&testing_training, &examples, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET);
        examples.dataset = whole;
    }
    testing_examples_free(&examples);
}
