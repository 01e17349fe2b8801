/* Whether the probabilities of predicted classes mean what they say: reliability, in integers. */
#ifndef SHW_DENSE_METRICS_RELIABILITY_H
#define SHW_DENSE_METRICS_RELIABILITY_H

#include <stddef.h>
#include <stdint.h>

#define SHW_RELIABILITY_BINS 10u

/* Pixels whose predicted class has a probability p of 65535, by floor(bins p / 65536). */
struct shw_reliability_bin {
    uint64_t pixels, correct;
    uint64_t confidence; /* the sum of p */
};

struct shw_reliability {
    struct shw_reliability_bin bins[SHW_RELIABILITY_BINS];
    unsigned __int128 squares; /* the sum of the squared differences between the probability of a class, of 65535, and
                                  what it should have been, 65535 for the label and 0 for others */
};

/* Adds `count` pixels. `distribution` has a plane of them for each class. Pixels that are labelled or predicted void
 * are left out. */
void shw_reliability_add(struct shw_reliability *reliability, const uint16_t *labels, const uint16_t *predictions,
                         const uint16_t *distribution, uint32_t class_count, size_t count);

/* As fractions of 1; NaN without pixels. */
struct shw_reliability_summary {
    uint64_t pixels;
    double accuracy;          /* of the predicted classes */
    double confidence;        /* their mean probability */
    double calibration_error; /* expected calibration error: the mean over all pixels of the difference between the
                                 accuracy of the pixel's bin and its mean probability */
    double brier;             /* the mean of the squared differences, from 0 to 2 */
};
struct shw_reliability_summary shw_reliability_summarise(const struct shw_reliability *reliability);

#endif
