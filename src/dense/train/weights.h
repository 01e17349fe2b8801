/* Weights of classes. */
#ifndef SHW_DENSE_TRAIN_WEIGHTS_H
#define SHW_DENSE_TRAIN_WEIGHTS_H

#include <stdint.h>

/* The names of enum shw_class_weighting in options and training records, and NULL after the last one: before GIVEN,
 * which is no option. */
extern const char *const shw_weighting_names[];

/* Integer weights from relative ones, in units of 1/256, all halved until samples of these counts, less than
 * SHW_MASS_MAX in total, weigh less than SHW_MASS_MAX; at least 1. Without relative weights (NULL) all are 1. */
void shw_weights_scale(const double *relative, const uint64_t *counts, uint32_t classes, uint32_t *weights);

#endif
