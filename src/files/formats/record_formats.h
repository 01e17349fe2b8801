/* Record forests of other programs: the table of formats, and what their readers share. */
#ifndef SHW_FILES_FORMATS_RECORD_FORMATS_H
#define SHW_FILES_FORMATS_RECORD_FORMATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/record_forest.h>

#include "files/formats/import_format.h"

/* Reads our own file or another program's model, which may be packed with gzip or bzip2. The provenance names the
 * format. Errors: IO, FORMAT, VERSION, LIMIT, MEMORY, UNSUPPORTED (bzip2 in a build without its library). Any thread.
 */
enum shw_result shw_record_forest_open(const char *path, const struct shw_log *log, struct shw_record_forest **forest);

/* Reads a model of the format of that name, as in `shadewood import`; NULL: any, but not our own file. Errors as above.
 * Any thread. */
enum shw_result shw_record_model_read(const char *path, const char *format, const struct shw_log *log,
                                      struct shw_record_forest **forest);

/* The same from memory; a zero byte follows the last of `size` bytes. */
enum shw_result shw_record_model_parse(const void *bytes, size_t size, const char *name, const char *format,
                                       const struct shw_log *log, struct shw_record_forest **forest);

/* Whether a file is recognised as a model of one of the formats; false if it cannot be read. Any thread. */
bool shw_record_is_model(const char *path);

/* The formats by index from 0; NULL after the last. Any thread. */
const struct shw_import_format *shw_record_format(size_t index);

/* What a reader gets. */

struct shw_record_import {
    const char *name;     /* of the file, for messages */
    const uint8_t *bytes; /* of the file; a zero byte follows the last */
    size_t size;
    size_t packed; /* bytes of the file itself, which may be packed */
    const struct shw_log *log;
    json_t *training; /* the provenance, an object, to which a reader adds what is worth keeping */
};

/* Reads a model of one format, which is not trusted. Errors: FORMAT, LIMIT, MEMORY. */
typedef enum shw_result shw_record_read_function(const struct shw_record_import *import,
                                                 struct shw_record_forest **forest);

/* A format is a file with a reader, and an entry in the table in record_formats.c. */
extern shw_record_read_function shw_lightgbm_read, shw_onnx_read, shw_tree_arrays_read, shw_xgboost_read;

#endif
