#include "measure/accuracy.h"

#include <math.h>
#include <stdlib.h>

#include <shadewood/dataset.h>

#include "base/log.h"

enum shw_result shw_accuracy_create(struct shw_accuracy *accuracy, uint32_t class_count, const struct shw_log *log)
{
    uint64_t *confusion = calloc((size_t)class_count * class_count, sizeof *confusion);

    if (confusion == NULL)
        return shw_fail(log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                        "not enough memory for the confusion matrix of %u classes", class_count);
    *accuracy = (struct shw_accuracy){.class_count = class_count, .confusion = confusion};
    return SHW_OK;
}

void shw_accuracy_destroy(struct shw_accuracy *accuracy)
{
    free(accuracy->confusion);
    *accuracy = (struct shw_accuracy){0};
}

void shw_accuracy_add(struct shw_accuracy *accuracy, const uint16_t *labels, const uint16_t *predictions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (labels[i] == SHW_LABEL_VOID)
            accuracy->void_pixels++;
        else
            accuracy->confusion[(size_t)labels[i] * accuracy->class_count + predictions[i]]++;
    }
}

static double quotient(uint64_t a, uint64_t b)
{
    return b > 0 ? (double)a / (double)b : (double)NAN;
}

struct shw_class_accuracy shw_accuracy_of_class(const struct shw_accuracy *accuracy, uint32_t class_index)
{
    size_t classes = accuracy->class_count;
    struct shw_class_accuracy result = {.correct = accuracy->confusion[class_index * classes + class_index]};

    for (size_t other = 0; other < classes; other++) {
        result.labelled += accuracy->confusion[class_index * classes + other];
        result.predicted += accuracy->confusion[other * classes + class_index];
    }
    result.recall = quotient(result.correct, result.labelled);
    result.precision = quotient(result.correct, result.predicted);
    result.iou = quotient(result.correct, result.labelled + result.predicted - result.correct);
    return result;
}

struct shw_accuracy_summary shw_accuracy_summarise(const struct shw_accuracy *accuracy)
{
    struct shw_accuracy_summary summary = {0};
    double recalls = 0, ious = 0;
    uint32_t with_labels = 0, seen = 0;

    for (uint32_t c = 0; c < accuracy->class_count; c++) {
        struct shw_class_accuracy of_class = shw_accuracy_of_class(accuracy, c);

        summary.pixels += of_class.labelled;
        summary.correct += of_class.correct;
        if (of_class.labelled > 0) {
            recalls += of_class.recall;
            with_labels++;
        }
        if (of_class.labelled + of_class.predicted > 0) {
            ious += of_class.iou;
            seen++;
        }
    }
    summary.pixel = quotient(summary.correct, summary.pixels);
    summary.mean_class = with_labels > 0 ? recalls / with_labels : (double)NAN;
    summary.mean_iou = seen > 0 ? ious / seen : (double)NAN;
    return summary;
}
