/* The calibration that a forest's provenance has: a power of its probabilities (dense/metrics/power.h). */
#ifndef SHW_FILES_OUTPUT_CALIBRATED_H
#define SHW_FILES_OUTPUT_CALIBRATED_H

#include <jansson.h>

#include <shadewood/forest.h>

#include "dense/metrics/power.h"

/* In sixteenths; 0: it was not calibrated. */
uint32_t shw_forest_power(const struct shw_forest_info *info);

/* The smoothing of the probabilities for which the power was found: smoothing comes first, then the power. */
struct shw_smoothing shw_forest_power_smoothing(const struct shw_forest_info *info);

/* The member of the provenance. `smoothing` is that of the probabilities, written if it is not the forest's own. NULL
 * if out of memory. */
json_t *shw_calibration_pack(const struct shw_forest_info *info, uint32_t images, uint32_t pixels, uint32_t power,
                             const struct shw_smoothing *smoothing);

/* Makes the power of a forest for probabilities that are smoothed as `given` says, to be freed with free(). Errors:
 * ARGUMENT if the forest, of that name, was not calibrated, or for probabilities smoothed otherwise; MEMORY. */
enum shw_result shw_forest_power_make(const struct shw_forest_info *info, const struct shw_smoothing *given,
                                      const char *name, const struct shw_log *log, struct shw_power **power);

#endif
