/* Record forests of other programs: the table of formats, and what their readers share. */
#ifndef SHW_FORMATS_RECORD_FORMATS_H
#define SHW_FORMATS_RECORD_FORMATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/import.h>

/* Reads a model of the format of that name; NULL: any, but not our own file. Errors: those of
 * shw_record_forest_import(). */
enum shw_result shw_record_model_read(const struct shw_import_source *source, const char *format,
                                      const struct shw_log *log, struct shw_record_forest **forest);

/* The name of the format that a source is recognised as; NULL if it is none or unreadable. Any thread. */
const char *shw_record_recognise(const struct shw_import_source *source);

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
