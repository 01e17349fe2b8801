/* Calibrations as files in the user's cache folder, one per device and driver: written by the program, also read by the
 * viewer. */
#ifndef SHW_FILES_OUTPUT_CALIBRATION_FILE_H
#define SHW_FILES_OUTPUT_CALIBRATION_FILE_H

#include <stddef.h>

#include <jansson.h>

#include <shadewood/calibrate.h>

#define SHW_DATE_SIZE 21u

struct shw_stored_calibration {
    struct shw_calibration calibration;
    char date[SHW_DATE_SIZE]; /* when it was measured: 2026-11-21T14:00:00Z */
};

/* Their folder: below XDG_CACHE_HOME if that is an absolute path, otherwise below .cache in HOME. False if there is
 * neither, or if the path is too long. */
bool shw_calibration_file_folder(char *folder, size_t size);

/* The device's file in it. False as above. */
bool shw_calibration_file_path(const struct shw_device_description *device, char *path, size_t size);

/* Reads the device's file. False if there is none, or if it is unusable, which is reported as a warning. */
bool shw_calibration_file_load(const struct shw_device_description *device, const struct shw_log *log,
                               struct shw_stored_calibration *stored);

/* Writes the device's file atomically, in an existing folder, with today's date, which is also stored in *stored.
 * Errors: IO, MEMORY. */
enum shw_result shw_calibration_file_store(const struct shw_device_description *device, const struct shw_log *log,
                                           struct shw_stored_calibration *stored);

/* A calibration as JSON, without the device. */
json_t *shw_calibration_file_json(const struct shw_stored_calibration *stored);

#endif
