/* The measures of accuracy, against figures worked out by hand and against counting pixel by pixel. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/metrics/accuracy.h"

TESTING_CASE(small_table_has_the_known_measures)
{
    /* label:      0 0 0 0  1 1  2 2 2  void void; class 3 is never labelled but predicted, class 4 does not occur */
    const uint16_t labels[] = {0, 0, 0, 0, 1, 1, 2, 2, 2, SHW_LABEL_VOID, SHW_LABEL_VOID};
    const uint16_t predictions[] = {0, 0, 0, 1, 1, 0, 2, 3, 0, 0, 2};
    struct shw_accuracy accuracy;
    struct shw_accuracy_summary summary;
    struct shw_class_accuracy of_class;

    assert_int_equal(shw_accuracy_create(&accuracy, 5, NULL), SHW_OK);
    shw_accuracy_add(&accuracy, labels, predictions, sizeof labels / sizeof labels[0]);
    assert_int_equal(accuracy.void_pixels, 2);
    assert_int_equal(accuracy.confusion[0 * 5 + 1], 1);
    assert_int_equal(accuracy.confusion[2 * 5 + 3], 1);

    summary = shw_accuracy_summarise(&accuracy);
    assert_int_equal(summary.pixels, 9);
    assert_int_equal(summary.correct, 5);
    assert_true(summary.pixel == 5.0 / 9.0);
    assert_true(fabs(summary.mean_class - (3.0 / 4 + 1.0 / 2 + 1.0 / 3) / 3) < 1e-15);
    assert_true(fabs(summary.mean_iou - (3.0 / 6 + 1.0 / 3 + 1.0 / 3 + 0) / 4) < 1e-15);

    of_class = shw_accuracy_of_class(&accuracy, 0);
    assert_int_equal(of_class.labelled, 4);
    assert_int_equal(of_class.predicted, 5);
    assert_int_equal(of_class.correct, 3);
    assert_true(of_class.recall == 0.75 && of_class.precision == 0.6 && of_class.iou == 0.5);
    of_class = shw_accuracy_of_class(&accuracy, 3);
    assert_true(isnan(of_class.recall) && of_class.precision == 0 && of_class.iou == 0);
    of_class = shw_accuracy_of_class(&accuracy, 4);
    assert_true(isnan(of_class.recall) && isnan(of_class.precision) && isnan(of_class.iou));
    shw_accuracy_destroy(&accuracy);
    assert_null(accuracy.confusion);
    shw_accuracy_destroy(&accuracy);
}

TESTING_CASE(void_alone_measures_nothing)
{
    const uint16_t label = SHW_LABEL_VOID, prediction = 0;
    struct shw_accuracy accuracy;
    struct shw_accuracy_summary summary;

    assert_int_equal(shw_accuracy_create(&accuracy, 1, NULL), SHW_OK);
    shw_accuracy_add(&accuracy, &label, &prediction, 1);
    summary = shw_accuracy_summarise(&accuracy);
    assert_int_equal(summary.pixels, 0);
    assert_true(isnan(summary.pixel) && isnan(summary.mean_class) && isnan(summary.mean_iou));
    shw_accuracy_destroy(&accuracy);
}

TESTING_CASE(pieces_add_up_to_the_whole)
{
    enum { CLASSES = 7, PIXELS = 5000 };
    struct testing_random random = {11};
    struct shw_accuracy whole, parts;
    uint16_t labels[PIXELS], predictions[PIXELS];
    uint64_t correct = 0, pixels = 0;

    for (int i = 0; i < PIXELS; i++) {
        labels[i] = (uint16_t)testing_random_below(&random, CLASSES + 1);
        predictions[i] = (uint16_t)testing_random_below(&random, CLASSES);
        if (labels[i] == CLASSES)
            labels[i] = SHW_LABEL_VOID;
        else
            pixels++;
        correct += labels[i] == predictions[i];
    }
    assert_int_equal(shw_accuracy_create(&whole, CLASSES, NULL), SHW_OK);
    assert_int_equal(shw_accuracy_create(&parts, CLASSES, NULL), SHW_OK);
    shw_accuracy_add(&whole, labels, predictions, PIXELS);
    shw_accuracy_add(&parts, labels, predictions, 1234);
    shw_accuracy_add(&parts, labels + 1234, predictions + 1234, PIXELS - 1234);
    assert_memory_equal(parts.confusion, whole.confusion, CLASSES * CLASSES * sizeof *whole.confusion);
    assert_int_equal(parts.void_pixels, whole.void_pixels);
    assert_int_equal(shw_accuracy_summarise(&parts).correct, correct);
    assert_int_equal(shw_accuracy_summarise(&parts).pixels, pixels);
    shw_accuracy_destroy(&whole);
    shw_accuracy_destroy(&parts);
}

/* Pixels of `CLASSES` classes and void, the last class never labelled; half of the predictions are right. */
enum { CLASSES = 5, PIXELS = 3000 };

static void draw_pixels(struct testing_random *random, bool void_predictions, uint16_t *labels, uint16_t *predictions)
{
    for (int i = 0; i < PIXELS; i++) {
        labels[i] = (uint16_t)testing_random_below(random, CLASSES);
        labels[i] = labels[i] == CLASSES - 1 ? SHW_LABEL_VOID : labels[i];
        predictions[i] = (uint16_t)testing_random_below(random, CLASSES + void_predictions);
        predictions[i] = predictions[i] == CLASSES ? SHW_LABEL_VOID : predictions[i];
        if (testing_random_below(random, 2) == 0 && (labels[i] != SHW_LABEL_VOID || void_predictions))
            predictions[i] = labels[i];
    }
}

/* A variant pixel by pixel, as Waldvogel words it. */
static struct shw_accuracy_values count_variant(const uint16_t *labels, const uint16_t *predictions,
                                                struct shw_accuracy_variant variant)
{
    struct shw_accuracy_values values = {0};
    uint64_t labelled[CLASSES + 1] = {0}, right[CLASSES + 1] = {0};
    double sum = 0;
    int classes = 0;

    for (int i = 0; i < PIXELS; i++) {
        uint16_t class = labels[i] == SHW_LABEL_VOID ? CLASSES : labels[i];
        bool agree = labels[i] == predictions[i];

        if (class == CLASSES && !variant.with_void)
            continue;
        values.correct += agree;
        values.pixels += agree || !variant.without_background || class != variant.background;
        labelled[class]++;
        right[class] += agree;
    }
    for (uint32_t c = 0; c <= CLASSES; c++)
        if (labelled[c] > 0 && !(variant.without_background && c == variant.background)) {
            sum += (double)right[c] / (double)labelled[c];
            classes++;
        }
    values.pixel = (double)values.correct / (double)values.pixels;
    values.mean_class = sum / classes;
    return values;
}

TESTING_CASE(variants_are_those_of_counting_pixels)
{
    struct testing_random random = {3};
    uint16_t labels[PIXELS], predictions[PIXELS];

    for (int round = 0; round < 4; round++) {
        struct shw_accuracy accuracy;

        draw_pixels(&random, round % 2 == 0, labels, predictions);
        assert_int_equal(shw_accuracy_create(&accuracy, CLASSES, NULL), SHW_OK);
        shw_accuracy_add(&accuracy, labels, predictions, PIXELS);
        /* the last background is a class that no pixel is labelled with, but predicted */
        for (uint32_t v = 0; v < 4 * CLASSES; v++) {
            struct shw_accuracy_variant variant = {v % 2 != 0, v / 2 % 2 != 0, v / 4};
            struct shw_accuracy_values expected = count_variant(labels, predictions, variant),
                                       found = shw_accuracy_of_variant(&accuracy, variant);

            assert_int_equal(found.pixels, expected.pixels);
            assert_int_equal(found.correct, expected.correct);
            assert_true(found.pixel == expected.pixel);
            assert_true(fabs(found.mean_class - expected.mean_class) < 1e-15);
        }
        shw_accuracy_destroy(&accuracy);
    }
}

TESTING_CASE(four_pixels_have_the_known_variants)
{
    const uint16_t labels[] = {0, 0, 1, SHW_LABEL_VOID}, predictions[] = {0, 1, 1, SHW_LABEL_VOID};
    const struct shw_accuracy_variant all = {.with_void = true},
                                      background = {.without_background = true, .background = 0};
    struct shw_accuracy accuracy;
    struct shw_accuracy_summary summary;
    struct shw_accuracy_values values;

    assert_int_equal(shw_accuracy_create(&accuracy, 2, NULL), SHW_OK);
    shw_accuracy_add(&accuracy, labels, predictions, 4);
    summary = shw_accuracy_summarise(&accuracy);
    assert_true(summary.pixel == 2.0 / 3.0 && summary.mean_class == 0.75 && summary.void_share == 0.0);
    values = shw_accuracy_of_variant(&accuracy, all);
    assert_true(values.pixel == 0.75 && fabs(values.mean_class - 2.5 / 3.0) < 1e-15);
    values = shw_accuracy_of_variant(&accuracy, background); /* the wrong pixel of the background does not count */
    assert_true(values.pixel == 1.0 && values.mean_class == 1.0);
    assert_int_equal(values.pixels, 2);
    shw_accuracy_destroy(&accuracy);
}

TESTING_CASE(void_predictions_are_wrong)
{
    const uint16_t labels[] = {0, 0, 0, 0, 1, SHW_LABEL_VOID},
                   predictions[] = {0, SHW_LABEL_VOID, SHW_LABEL_VOID, 1, 1, SHW_LABEL_VOID};
    struct shw_accuracy accuracy, copy;
    struct shw_accuracy_summary summary;
    struct shw_class_accuracy of_class;

    assert_int_equal(shw_accuracy_create(&accuracy, 2, NULL), SHW_OK);
    shw_accuracy_add(&accuracy, labels, predictions, 6);
    assert_int_equal(accuracy.void_predictions[0], 2);
    assert_int_equal(accuracy.void_predictions[1], 0);
    assert_int_equal(accuracy.void_pixels, 1);
    assert_int_equal(accuracy.void_agreed, 1);
    summary = shw_accuracy_summarise(&accuracy);
    assert_int_equal(summary.pixels, 5);
    assert_int_equal(summary.void_predictions, 2);
    assert_true(summary.pixel == 0.4 && summary.mean_class == 0.625 && summary.void_share == 0.4);
    of_class = shw_accuracy_of_class(&accuracy, 0);
    assert_int_equal(of_class.labelled, 4);
    assert_int_equal(of_class.predicted, 1);
    assert_true(of_class.recall == 0.25 && of_class.precision == 1.0 && of_class.iou == 0.25);

    assert_true(shw_accuracy_copy(&accuracy, &copy));
    shw_accuracy_merge(&copy, &accuracy);
    assert_int_equal(copy.void_predictions[0], 4);
    assert_int_equal(accuracy.void_predictions[0], 2);
    assert_int_equal(copy.void_agreed, 2);
    assert_true(shw_accuracy_summarise(&copy).pixel == summary.pixel);
    shw_accuracy_destroy(&copy);
    shw_accuracy_destroy(&accuracy);
}

TESTING_CASE(deviations_are_those_of_a_sample)
{
    const double values[] = {2, -1, 4, -1, 4, -1, 4, -1, 5, -1, 5, -1, 7, -1, 9, -1};
    const double close[] = {1e9 + 0.25, (double)NAN, 1e9 + 0.75};
    struct shw_spread spread = shw_spread_of(values, 8, 2);

    assert_true(spread.mean == 5.0 && fabs(spread.deviation - sqrt(32.0 / 7.0)) < 1e-15);
    spread = shw_spread_of(close, 3, 1);
    assert_true(spread.mean == 1e9 + 0.5 && fabs(spread.deviation - sqrt(0.125)) < 1e-7);
    spread = shw_spread_of(close, 2, 1);
    assert_true(spread.mean == close[0] && isnan(spread.deviation));
    spread = shw_spread_of(close + 1, 1, 1);
    assert_true(isnan(spread.mean) && isnan(spread.deviation));
    spread = shw_spread_of(values, 3, 0);
    assert_true(spread.mean == 2.0 && spread.deviation == 0.0);
}
