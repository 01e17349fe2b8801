/* The costs of combinations of techniques, from a calibration. */
#ifndef SHW_DENSE_PIPELINE_CHOICE_H
#define SHW_DENSE_PIPELINE_CHOICE_H

#include <shadewood/calibrate.h>

/* The work of a stage in its units, and the bytes of its planes. `work` without zeros. */
double shw_calibration_units(const struct shw_calibration_work *work, enum shw_stage stage);
double shw_calibration_bytes(const struct shw_calibration_work *work, enum shw_stage stage);

/* The uncorrected sum of the parts of a frame. */
double shw_calibration_sum(const struct shw_calibration *calibration, const struct shw_calibration_work *work,
                           const enum shw_technique techniques[SHW_STAGE_COUNT]);

#endif
