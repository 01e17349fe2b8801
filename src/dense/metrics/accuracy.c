#include "dense/metrics/accuracy.h"

#include <math.h>
#include <stdlib.h>

#include <shadewood/dataset.h>

#include "base/log.h"

static bool allocate(struct shw_accuracy *accuracy, uint32_t class_count)
{
    size_t places = (size_t)class_count * class_count;

    *accuracy = (struct shw_accuracy){0};
    accuracy->confusion = calloc(places + class_count, sizeof *accuracy->confusion);
    if (accuracy->confusion == NULL)
        return false;
    accuracy->class_count = class_count;
    accuracy->void_predictions = accuracy->confusion + places;
    return true;
}

enum shw_result shw_accuracy_create(struct shw_accuracy *accuracy, uint32_t class_count, const struct shw_log *log)
{
    if (!allocate(accuracy, class_count))
        return shw_fail(log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                        "not enough memory for the confusion matrix of %u classes", class_count);
    return SHW_OK;
}

void shw_accuracy_destroy(struct shw_accuracy *accuracy)
{
    free(accuracy->confusion);
    *accuracy = (struct shw_accuracy){0};
}

bool shw_accuracy_copy(const struct shw_accuracy *from, struct shw_accuracy *to)
{
    if (!allocate(to, from->class_count))
        return false;
    shw_accuracy_merge(to, from);
    return true;
}

void shw_accuracy_add(struct shw_accuracy *accuracy, const uint16_t *labels, const uint16_t *predictions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (labels[i] == SHW_LABEL_VOID) {
            accuracy->void_pixels++;
            accuracy->void_agreed += predictions[i] == SHW_LABEL_VOID;
        } else if (predictions[i] == SHW_LABEL_VOID) {
            accuracy->void_predictions[labels[i]]++;
        } else {
            accuracy->confusion[(size_t)labels[i] * accuracy->class_count + predictions[i]]++;
        }
    }
}

void shw_accuracy_merge(struct shw_accuracy *accuracy, const struct shw_accuracy *other)
{
    size_t counts = ((size_t)accuracy->class_count + 1) * accuracy->class_count;

    for (size_t i = 0; i < counts; i++)
        accuracy->confusion[i] += other->confusion[i];
    accuracy->void_pixels += other->void_pixels;
    accuracy->void_agreed += other->void_agreed;
}

static double quotient(uint64_t a, uint64_t b)
{
    return b > 0 ? (double)a / (double)b : (double)NAN;
}

struct shw_class_accuracy shw_accuracy_of_class(const struct shw_accuracy *accuracy, uint32_t class_index)
{
    size_t classes = accuracy->class_count;
    struct shw_class_accuracy result = {.labelled = accuracy->void_predictions[class_index],
                                        .correct = accuracy->confusion[class_index * classes + class_index]};

    for (size_t other = 0; other < classes; other++) {
        result.labelled += accuracy->confusion[class_index * classes + other];
        result.predicted += accuracy->confusion[other * classes + class_index];
    }
    result.recall = quotient(result.correct, result.labelled);
    result.precision = quotient(result.correct, result.predicted);
    result.iou = quotient(result.correct, result.labelled + result.predicted - result.correct);
    return result;
}

struct shw_accuracy_values shw_accuracy_of_variant(const struct shw_accuracy *accuracy,
                                                   struct shw_accuracy_variant variant)
{
    struct shw_accuracy_values values = {0};
    double recalls = 0;
    uint32_t classes = 0;

    for (uint32_t c = 0; c < accuracy->class_count; c++) {
        struct shw_class_accuracy of_class = shw_accuracy_of_class(accuracy, c);
        bool left_out = variant.without_background && c == variant.background;

        values.pixels += left_out ? of_class.correct : of_class.labelled;
        values.correct += of_class.correct;
        if (of_class.labelled > 0 && !left_out) {
            recalls += of_class.recall;
            classes++;
        }
    }
    if (variant.with_void && accuracy->void_pixels > 0) {
        values.pixels += accuracy->void_pixels;
        values.correct += accuracy->void_agreed;
        recalls += quotient(accuracy->void_agreed, accuracy->void_pixels);
        classes++;
    }
    values.pixel = quotient(values.correct, values.pixels);
    values.mean_class = classes > 0 ? recalls / classes : (double)NAN;
    return values;
}

struct shw_accuracy_summary shw_accuracy_summarise(const struct shw_accuracy *accuracy)
{
    struct shw_accuracy_values values = shw_accuracy_of_variant(accuracy, (struct shw_accuracy_variant){0});
    struct shw_accuracy_summary summary = {
        .pixels = values.pixels, .correct = values.correct, .pixel = values.pixel, .mean_class = values.mean_class};
    double ious = 0;
    uint32_t seen = 0;

    for (uint32_t c = 0; c < accuracy->class_count; c++) {
        struct shw_class_accuracy of_class = shw_accuracy_of_class(accuracy, c);

        summary.void_predictions += accuracy->void_predictions[c];
        if (of_class.labelled + of_class.predicted > 0) {
            ious += of_class.iou;
            seen++;
        }
    }
    summary.mean_iou = seen > 0 ? ious / seen : (double)NAN;
    summary.void_share = quotient(summary.void_predictions, summary.pixels);
    return summary;
}

/* The two passes are exact to rounding also where the deviation is far below the mean. */
struct shw_spread shw_spread_of(const double *values, uint32_t count, uint32_t stride)
{
    struct shw_spread spread = {(double)NAN, (double)NAN};
    double sum = 0, squares = 0;
    uint32_t defined = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i * stride])) {
            sum += values[i * stride];
            defined++;
        }
    if (defined == 0)
        return spread;
    spread.mean = sum / defined;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i * stride]))
            squares += (values[i * stride] - spread.mean) * (values[i * stride] - spread.mean);
    if (defined > 1)
        spread.deviation = sqrt(squares / (defined - 1));
    return spread;
}
