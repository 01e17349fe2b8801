/* The accuracy of predicted classes. */
#ifndef SHW_DENSE_METRICS_ACCURACY_H
#define SHW_DENSE_METRICS_ACCURACY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

/* The sum of confusion matrices over all pixels. A label or a prediction may be SHW_LABEL_VOID: a forest predicts it
 * where a pixel's features are undefined. Pixels labelled void are counted separately and affect a measure only where
 * it says so. */
struct shw_accuracy {
    uint32_t class_count;
    uint64_t *confusion;        /* [label * class_count + prediction] */
    uint64_t *void_predictions; /* [label]: pixels of the class that were predicted void; in the memory of confusion */
    uint64_t void_pixels;       /* labelled void */
    uint64_t void_agreed;       /* of these, those predicted void */
};

/* Creates an empty matrix. Errors: MEMORY. */
enum shw_result shw_accuracy_create(struct shw_accuracy *accuracy, uint32_t class_count, const struct shw_log *log);

/* Releases the matrix. Accepts one that is zero-initialised or released. */
void shw_accuracy_destroy(struct shw_accuracy *accuracy);

/* A deep copy; false: out of memory, and *to is then zero. */
bool shw_accuracy_copy(const struct shw_accuracy *from, struct shw_accuracy *to);

/* Adds `count` pixels. Labels and predictions are below class_count or SHW_LABEL_VOID. */
void shw_accuracy_add(struct shw_accuracy *accuracy, const uint16_t *labels, const uint16_t *predictions, size_t count);

/* Adds the pixels of another matrix of as many classes. */
void shw_accuracy_merge(struct shw_accuracy *accuracy, const struct shw_accuracy *other);

/* The accuracy of a class; quotients with a divisor of zero are NaN. A void prediction is a wrong one. */
struct shw_class_accuracy {
    uint64_t labelled, predicted, correct; /* pixels */
    double recall;                         /* correct / labelled: the class accuracy */
    double precision;                      /* correct / predicted */
    double iou;                            /* correct / (labelled + predicted - correct) */
};
struct shw_class_accuracy shw_accuracy_of_class(const struct shw_accuracy *accuracy, uint32_t class_index);

/* Which pixels count (Waldvogel 2013, Section 3.3). */
struct shw_accuracy_variant {
    bool with_void;          /* void is a class like others, right where it is predicted */
    bool without_background; /* the pixels labelled `background` count only where they are right, and then only for the
                                pixel accuracy; pixels of other classes that were predicted background are wrong */
    uint32_t background;
};

/* As fractions of 1; NaN if no pixel counts. */
struct shw_accuracy_values {
    uint64_t pixels, correct;
    double pixel;      /* correct / pixels */
    double mean_class; /* the mean of recall over the classes that occur among the labels; not over the background if it
                          is left out */
};
struct shw_accuracy_values shw_accuracy_of_variant(const struct shw_accuracy *accuracy,
                                                   struct shw_accuracy_variant variant);

/* Over all pixels that are not labelled void, as fractions of 1; NaN if there are none. */
struct shw_accuracy_summary {
    uint64_t pixels, correct;
    double pixel, mean_class; /* as above */
    double mean_iou;          /* the mean of iou over the classes that occur among labels or predictions */
    uint64_t void_predictions;
    double void_share; /* void_predictions / pixels */
};
struct shw_accuracy_summary shw_accuracy_summarise(const struct shw_accuracy *accuracy);

/* The spread of a measure over several measurements: the mean and the sample standard deviation, with the divisor count
 * - 1. */
struct shw_spread {
    double mean, deviation; /* NaN where not defined: without values, and with fewer than two */
};

/* Of those of the values that are not NaN: `count` doubles, `stride` doubles apart. */
struct shw_spread shw_spread_of(const double *values, uint32_t count, uint32_t stride);

#endif
