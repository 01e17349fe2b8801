/* The tables of detections, which are written row by row and get their names when they are complete. */
#ifndef SHW_CLI_DETECT_TABLES_H
#define SHW_CLI_DETECT_TABLES_H

#include <stdbool.h>

#include <shadewood/detect.h>

#include "base/atomic_file.h"
#include "files/io/output_files.h"
#include "files/output/detection_text.h"

/* Zero-initialise it. */
struct cli_detect_table {
    struct shw_atomic_file file;
    char *path;
};

struct cli_detect_tables {
    struct cli_detect_table csv, coco, windows; /* those without a path are not wanted */
    struct shw_detection_columns columns;
    bool has_results; /* in the JSON list */
};

struct cli_detect_wanted {
    bool csv, coco, windows;
};

/* Names the tables that are wanted: `prefix` and detections.csv, detections.json, windows.csv; and adds them to the
 * files that are going to be written. Errors: MEMORY. */
enum shw_result cli_detect_tables_name(struct cli_detect_tables *tables, const char *prefix,
                                       struct cli_detect_wanted wanted, struct shw_output_files *files);

/* Begins them. Errors: IO, MEMORY. */
enum shw_result cli_detect_tables_open(struct cli_detect_tables *tables, const struct shw_detection_columns *columns,
                                       const struct shw_log *log);

/* Adds the detections of an image, and the windows that they are made of. `id`: the image's number for COCO;
 * `category`: that of the objects. */
void cli_detect_tables_add(struct cli_detect_tables *tables, const struct shw_detection_place *place, int64_t id,
                           int64_t category, const struct shw_detections *found, const struct shw_detections *windows);

/* Gives them their names, unless a file has appeared there. Errors: IO. */
enum shw_result cli_detect_tables_commit(struct cli_detect_tables *tables, const struct shw_output_files *files,
                                         const struct shw_log *log);

/* Forgets what is not committed. Accepts zero-initialised and freed ones. */
void cli_detect_tables_free(struct cli_detect_tables *tables);

#endif
