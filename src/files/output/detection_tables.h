/* The tables of detections: detections.csv, detections.json and windows.csv. */
#ifndef SHW_FILES_OUTPUT_DETECTION_TABLES_H
#define SHW_FILES_OUTPUT_DETECTION_TABLES_H

#include <jansson.h>

#include "base/atomic_file.h"
#include "files/io/output_files.h"
#include "files/output/detection_text.h"
#include "files/output/result_tables.h"

/* Zero-initialise it. */
struct shw_detection_table {
    struct shw_atomic_file file;
    char *path;
};

struct shw_detection_tables {
    struct shw_detection_table csv, coco, windows; /* those without a path are not wanted */
    struct shw_detection_columns columns;
    bool has_results; /* in the JSON list */
};

struct shw_detection_wanted {
    bool csv, coco, windows;
};

/* Names the tables that are wanted: `prefix` and detections.csv, detections.json, windows.csv; and adds them to the
 * files that are going to be written. Errors: MEMORY. */
enum shw_result shw_detection_tables_name(struct shw_detection_tables *tables, const char *prefix,
                                          struct shw_detection_wanted wanted, struct shw_output_files *files);

/* Begins them. Errors: IO, MEMORY. */
enum shw_result shw_detection_tables_open(struct shw_detection_tables *tables,
                                          const struct shw_detection_columns *columns, const struct shw_log *log);

/* Adds the detections of an image, and the windows that they are made of. `id`: the image's number for COCO;
 * `category`: that of the objects. */
void shw_detection_tables_add(struct shw_detection_tables *tables, const struct shw_detection_place *place, int64_t id,
                              int64_t category, const struct shw_detections *found,
                              const struct shw_detections *windows);

/* Gives them their names, unless a file has appeared there. Errors: IO. */
enum shw_result shw_detection_tables_commit(struct shw_detection_tables *tables, const struct shw_output_files *files,
                                            const struct shw_log *log);

/* Discards what is not committed. Accepts zero-initialised and freed ones. */
void shw_detection_tables_free(struct shw_detection_tables *tables);

/* With a journal: the entry of an image, and whether there can be such a one, which may be NULL; what the tables need
 * besides rows. NULL if memory is exhausted. */
json_t *shw_detection_rows_pack(const struct shw_detections *found, const struct shw_detections *windows);
bool shw_detection_rows_are_sound(const json_t *entry);
json_t *shw_detection_columns_pack(struct shw_detection_wanted wanted, uint32_t fraction_bits);

extern const struct shw_result_tables_kind shw_tables_of_detect;

#endif
