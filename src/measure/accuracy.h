/* The accuracy of predicted classes. */
#ifndef SHW_MEASURE_ACCURACY_H
#define SHW_MEASURE_ACCURACY_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

/* The sum of confusion matrices over all pixels. Void pixels are counted separately and affect no measure. */
struct shw_accuracy {
    uint32_t class_count;
    uint64_t *confusion; /* [label * class_count + prediction] */
    uint64_t void_pixels;
};

/* Creates an empty matrix. Errors: MEMORY. */
enum shw_result shw_accuracy_create(struct shw_accuracy *accuracy, uint32_t class_count, const struct shw_log *log);

/* Releases the matrix. Accepts one that is zero-initialised or released. */
void shw_accuracy_destroy(struct shw_accuracy *accuracy);

/* Adds `count` pixels. Labels are below class_count or SHW_LABEL_VOID, predictions below class_count. */
void shw_accuracy_add(struct shw_accuracy *accuracy, const uint16_t *labels, const uint16_t *predictions, size_t count);

/* The accuracy of a class; quotients with a divisor of zero are NaN. */
struct shw_class_accuracy {
    uint64_t labelled, predicted, correct; /* pixels */
    double recall;                         /* correct / labelled: the class accuracy */
    double precision;                      /* correct / predicted */
    double iou;                            /* correct / (labelled + predicted - correct) */
};
struct shw_class_accuracy shw_accuracy_of_class(const struct shw_accuracy *accuracy, uint32_t class_index);

/* Over all pixels that are not void, as fractions of 1; NaN if there are none. */
struct shw_accuracy_summary {
    uint64_t pixels, correct;
    double pixel;      /* correct / pixels */
    double mean_class; /* the mean of recall over the classes that occur among the labels */
    double mean_iou;   /* the mean of iou over the classes that occur among labels or predictions */
};
struct shw_accuracy_summary shw_accuracy_summarise(const struct shw_accuracy *accuracy);

#endif
