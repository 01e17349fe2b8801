/* Calibrations as files in the user's cache folder, one a device and driver. */
#ifndef SHW_CLI_CALIBRATION_FILE_H
#define SHW_CLI_CALIBRATION_FILE_H

#include <shadewood/calibrate.h>

#include "cli/report.h"

#define CLI_DATE_SIZE 21u

struct cli_calibration {
    struct shw_calibration calibration;
    char date[CLI_DATE_SIZE]; /* when it was measured: 2026-11-21T14:00:00Z */
};

/* The device's file: below XDG_CACHE_HOME if that is an absolute path, else below .cache in HOME. False where there is neither, or where
 * the path does not fit. */
bool cli_calibration_path(const struct shw_device_description *device, char *path, size_t size);

/* Reads the device's file. False where there is none. A file that cannot be used is as good as none, too, but that is told. */
bool cli_calibration_load(struct cli_report *report, const struct shw_device_description *device, struct cli_calibration *stored);

/* Makes the folder if it is missing. Returns CLI_CONTINUE or, after having told why calibrations have no place, the exit code. */
int cli_calibration_make_folder(struct cli_report *report);

/* Writes the device's file, in a folder that is there, whole or not at all, with today's date, which it also puts into *stored. Returns CLI_CONTINUE or the exit code. */
int cli_calibration_store(struct cli_report *report, const struct shw_device_description *device, struct cli_calibration *stored);

/* A calibration as JSON, without what tells the device. */
json_t *cli_calibration_json(const struct cli_calibration *stored);

#endif
