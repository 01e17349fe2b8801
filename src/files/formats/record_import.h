/* What the readers of other programs' models, which become record forests, have in common. */
#ifndef SHW_FILES_FORMATS_RECORD_IMPORT_H
#define SHW_FILES_FORMATS_RECORD_IMPORT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/record_forest.h>

struct shw_record_import {
    const char *name;     /* of the file, for messages */
    const uint8_t *bytes; /* of the file; a zero byte follows the last */
    size_t size;
    size_t packed; /* bytes of the file itself, which may be packed */
    const struct shw_log *log;
    json_t *training; /* an object, the training record, to which a reader adds what is worth keeping */
};

/* Reads a model of one format, which is not trusted. Errors: FORMAT, LIMIT, MEMORY. */
typedef enum shw_result shw_record_read_function(const struct shw_record_import *import,
                                                 struct shw_record_forest **forest);

/* A format is a file and a line in record_open.c. */
extern shw_record_read_function shw_lightgbm_read, shw_onnx_read, shw_tree_arrays_read, shw_xgboost_read;

#endif
