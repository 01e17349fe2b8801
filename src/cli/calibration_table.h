/* Calibrations as text. */
#ifndef SHW_CLI_CALIBRATION_TABLE_H
#define SHW_CLI_CALIBRATION_TABLE_H

#include "files/output/calibration_file.h"

/* Prints two lines: when it was measured, and what `auto` chooses for images of the default size and a forest like the
 * one measured. */
void cli_calibration_print_choice(const struct shw_stored_calibration *stored,
                                  const struct shw_device_description *device);

/* A table of stages and techniques, with the choice marked. */
void cli_calibration_print_table(const struct shw_stored_calibration *stored,
                                 const struct shw_device_description *device);

/* The choice as JSON. */
json_t *cli_calibration_choice_json(const struct shw_stored_calibration *stored,
                                    const struct shw_device_description *device);

#endif
