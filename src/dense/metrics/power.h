/* Calibration of probabilities: a pixel's are raised to a power and divided by their sum, in integers. */
#ifndef SHW_DENSE_METRICS_POWER_H
#define SHW_DENSE_METRICS_POWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/thread_pool.h"

/* Powers are multiples of 1 / 16. */
#define SHW_POWER_ONE 16u
#define SHW_POWER_MIN 4u
#define SHW_POWER_MAX 64u

struct shw_power {
    uint32_t values[65536]; /* 2^31 (p / 65535)^power, rounded down step by step (docs/calibration.md); 0 for 0 */
};

/* power: SHW_POWER_MIN to SHW_POWER_MAX. */
void shw_power_make(struct shw_power *power, uint32_t sixteenths);

/* Changes the probabilities of `count` pixels, of which `distribution` has a plane for each class. The class with the
 * greatest one stays the same. Those of void pixels stay 0. */
void shw_power_apply(const struct shw_power *power, uint16_t *distribution, uint32_t class_count, size_t count);

/* Labelled pixels, none of them void. */
struct shw_power_pixels {
    uint32_t count, class_count;
    const uint16_t *distributions; /* [pixel][class] */
    const uint16_t *labels;
};

/* The power by which the sum of squared differences to what is right is least (dense/metrics/reliability.h), the lowest
 * among equals; 0 if memory is exhausted. brier[0] and [1] become the Brier scores before and after. */
uint32_t shw_power_choose(const struct shw_power_pixels *pixels, struct shw_thread_pool *pool, double brier[2]);

#endif
