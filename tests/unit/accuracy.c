/* The measures of accuracy, against figures worked out by hand and against counting pixel by pixel. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/accuracy.h"

static void small_table_has_the_known_measures(void **state)
{
    /* label:      0 0 0 0  1 1  2 2 2  void void; class 3 is never labelled but predicted, class 4 does not occur */
    const uint16_t labels[] = {0, 0, 0, 0, 1, 1, 2, 2, 2, SHW_LABEL_VOID, SHW_LABEL_VOID};
    const uint16_t predictions[] = {0, 0, 0, 1, 1, 0, 2, 3, 0, 0, 2};
    struct shw_accuracy accuracy;
    struct shw_accuracy_summary summary;
    struct shw_class_accuracy of_class;

    (void)state;
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

static void void_alone_measures_nothing(void **state)
{
    const uint16_t label = SHW_LABEL_VOID, prediction = 0;
    struct shw_accuracy accuracy;
    struct shw_accuracy_summary summary;

    (void)state;
    assert_int_equal(shw_accuracy_create(&accuracy, 1, NULL), SHW_OK);
    shw_accuracy_add(&accuracy, &label, &prediction, 1);
    summary = shw_accuracy_summarise(&accuracy);
    assert_int_equal(summary.pixels, 0);
    assert_true(isnan(summary.pixel) && isnan(summary.mean_class) && isnan(summary.mean_iou));
    shw_accuracy_destroy(&accuracy);
}

static void pieces_add_up_to_the_whole(void **state)
{
    enum { CLASSES = 7, PIXELS = 5000 };
    struct testing_random random = {11};
    struct shw_accuracy whole, parts;
    uint16_t labels[PIXELS], predictions[PIXELS];
    uint64_t correct = 0, pixels = 0;

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_table_has_the_known_measures),
        cmocka_unit_test(void_alone_measures_nothing),
        cmocka_unit_test(pieces_add_up_to_the_whole),
    };
    return cmocka_run_group_tests_name("accuracy", tests, NULL, NULL);
}
