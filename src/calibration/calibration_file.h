/* Calibrations as files in the user's cache folder, one a device and driver: written by the program, read by the
 * viewer, too. */
#ifndef SHW_CALIBRATION_CALIBRATION_FILE_H
#define SHW_CALIBRATION_CALIBRATION_FILE_H

#include <stddef.h>

#include <jansson.h>

#include <shadewood/calibrate.h>

#define SHW_DATE_SIZE 21u

struct shw_stored_calibration {
    struct shw_calibration calibration;
    char date[SHW_DATE_SIZE]; /* when it was measured: 2026-11-21T14:00:00Z */
};

/* Their folder: below XDG_CACHE_HOME if that is an absolute path, else below .cache in HOME. False where there is
 * neither, or where the path does not fit. */
bool shw_calibration_file_folder(char *folder, size_t size);

/* The device's file in it. False as above. */
bool shw_calibration_file_path(const struct shw_device_description *device, char *path, size_t size);

/* Reads the device's file. False where there is none. A file that cannot be used is as good as none, too, but that is
 * told, as a warning. */
bool shw_calibration_file_load(const struct shw_device_description *device, const struct shw_log *log,
                               struct shw_stored_calibration *stored);

/* Writes the device's file, in a folder that is there, whole or not at all, with today's date, which it also puts into
 * *stored. Errors: IO, MEMORY. */
enum shw_result shw_calibration_file_store(const struct shw_device_description *device, const struct shw_log *log,
                                           struct shw_stored_calibration *stored);

/* A calibration as JSON, without what tells the device. */
json_t *shw_calibration_file_json(const struct shw_stored_calibration *stored);

#endif
