/* A field of a record in text. */
#ifndef SHW_FILES_TABLES_CSV_FIELD_H
#define SHW_FILES_TABLES_CSV_FIELD_H

#include <stddef.h>

#include "files/io/csv_read.h"
#include "files/tables/name_set.h"

enum shw_csv_field_kind {
    SHW_CSV_NUMBER,
    SHW_CSV_MISSING, /* empty, ?, NA, N/A, NaN or null, in upper or lower case */
    SHW_CSV_TEXT
};

/* Classifies a field. *value becomes the nearest float32 of NUMBER, and NaN for MISSING. */
enum shw_csv_field_kind shw_csv_field_number(const struct shw_csv_field *field, float *value);

/* The name of a class; a number has one name, however it is written (shw_class_name_of_number()). Returns its length: 0
 * for a record without class (an empty field, ? or NaN), more than SHW_CLASS_NAME_BYTES_MAX if it is too long. */
size_t shw_csv_field_class(const struct shw_csv_field *field, char name[SHW_CLASS_NAME_BYTES_MAX + 1]);

#endif
