/* The calibration that a forest's provenance has: a power of its probabilities (dense/metrics/power.h). */
#ifndef SHW_FILES_OUTPUT_CALIBRATED_H
#define SHW_FILES_OUTPUT_CALIBRATED_H

#include <jansson.h>

#include <shadewood/forest.h>

#include "dense/metrics/power.h"

#define SHW_CALIBRATION_MEMBER "calibration" /* of the provenance */

/* In sixteenths; 0: it was not calibrated. */
uint32_t shw_forest_power(const struct shw_forest_info *info);

/* Makes the power of a forest, to be freed with free(). Errors: ARGUMENT if the forest, of that name, was not
 * calibrated; MEMORY. */
enum shw_result shw_forest_power_make(const struct shw_forest_info *info, const char *name, const struct shw_log *log,
                                      struct shw_power **power);

#endif
