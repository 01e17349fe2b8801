/* A field of a record in text. */
#ifndef SHW_FILES_TABLES_CSV_FIELD_H
#define SHW_FILES_TABLES_CSV_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/tables/name_set.h"

struct shw_csv_field {
    const char *text; /* without blanks around it and quotation marks; the byte after it belongs to no number */
    size_t length;
    bool quoted;     /* pairs of quotation marks in it stand for one */
    uint32_t lines;  /* newlines in it */
    const char *end; /* the delimiter or the newline after it */
};

enum shw_csv_field_kind {
    SHW_CSV_NUMBER,
    SHW_CSV_MISSING, /* nothing, ?, NA, N/A, NaN or null, in capital letters or not */
    SHW_CSV_TEXT
};

/* Reads the field at `at`, of a record that ends before the end of the text. False if something follows closing
 * quotation marks; `end` is then where. */
bool shw_csv_field_read(const char *at, char delimiter, struct shw_csv_field *field);

/* What it is; for NUMBER with the nearest float32, and for MISSING with NaN, in *value. */
enum shw_csv_field_kind shw_csv_field_number(const struct shw_csv_field *field, float *value);

/* The text, with single quotation marks for pairs, to be freed; NULL if memory is exhausted. */
char *shw_csv_field_copy(const struct shw_csv_field *field);

/* The name of a class, of which numbers have one each (shw_class_name_of_number()). Returns its length: 0 for a record
 * without class, which is an empty field, ? or NaN; more than SHW_CLASS_NAME_BYTES_MAX if it is too long, and then
 * there is no name. */
size_t shw_csv_field_class(const struct shw_csv_field *field, char name[SHW_CLASS_NAME_BYTES_MAX + 1]);

#endif
