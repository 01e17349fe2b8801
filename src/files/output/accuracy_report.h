/* The report on the accuracy of one forest, or of several with means and deviations. */
#ifndef SHW_FILES_OUTPUT_ACCURACY_REPORT_H
#define SHW_FILES_OUTPUT_ACCURACY_REPORT_H

#include <jansson.h>

#include <shadewood/forest.h>

#include "dense/metrics/accuracy.h"
#include "dense/metrics/reliability.h"

#define SHW_NO_BACKGROUND UINT32_MAX

/* A forest that was measured. */
struct shw_measured {
    const char *path;
    uint64_t hash;
    struct shw_accuracy accuracy;
    double seconds; /* of labelling */
    struct shw_reliability reliability;
};

struct shw_accuracy_report {
    const struct shw_class *classes; /* of all forests */
    uint32_t class_count;
    const struct shw_measured *measured;
    uint32_t count;      /* of forests */
    uint32_t images;     /* that each has labelled */
    uint32_t background; /* the class, for the variants of accuracy; or SHW_NO_BACKGROUND */
    bool counts;         /* the confusion matrix in pixels */
    bool reliability;    /* was measured */
};

/* Prints the report. False if memory is exhausted. */
bool shw_print_accuracy(const struct shw_accuracy_report *report);

/* The same as JSON: the object of the forest, or one with those of all "forests", "mean" and "deviation". NULL if
 * memory is exhausted. */
json_t *shw_pack_accuracy(const struct shw_accuracy_report *report);

#endif
