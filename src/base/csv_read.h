/* Reading CSV (RFC 4180; base/text.h writes it): the fields of a record, which tables are read by in parts, and a
 * reader of texts that are in memory. */
#ifndef SHW_BASE_CSV_READ_H
#define SHW_BASE_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

struct shw_csv_field {
    const char *text; /* without blanks around it and quotation marks; the byte after it belongs to no number */
    size_t length;
    bool quoted;     /* pairs of quotation marks in it stand for one */
    uint32_t lines;  /* newlines in it */
    const char *end; /* the delimiter or the newline after it */
};

/* Reads the field at `at` of a record that ends, as shw_csv_record_end() says. False if something follows closing
 * quotation marks; `end` is then where. */
bool shw_csv_field_read(const char *at, char delimiter, struct shw_csv_field *field);

/* Copies the text with one quotation mark for each pair; it may be copied to a place at or before its own. Returns its
 * length, or most + 1 if it has more than `most` bytes, of which `text` then has the first; a zero byte follows
 * otherwise. */
size_t shw_csv_field_text(const struct shw_csv_field *field, size_t most, char *text);

/* The same in new memory; NULL if it is exhausted. */
char *shw_csv_field_copy(const struct shw_csv_field *field);

/* The byte after the record that begins there, whose quoted fields may have newlines; NULL if it does not end before
 * `end`. */
const char *shw_csv_record_end(const char *record, const char *end, char delimiter);

/* Reads a text record by record. Set the first members and zero the rest. */
struct shw_csv_reader {
    const char *name; /* begins messages: "NAME, line 3: ..." */
    const struct shw_log *log;
    enum shw_log_item item;
    const char *comment; /* what begins lines to skip, as do empty lines and blanks */
    uint32_t fields_max; /* one more is what follows these fields, undivided */
    bool keeps_blanks;   /* at the ends of fields without quotation marks, and before comments */
    bool is_plain;       /* quotation marks are characters like others */

    char **fields; /* of the last record; valid until the next call */
    uint32_t count;
    uint32_t line; /* that the record begins in, from 1 */

    char *text, *at, *end; /* a copy */
    uint32_t next_line, capacity;
};

/* Copies a text, which is not trusted, without its byte order mark. Errors: MEMORY. */
enum shw_result shw_csv_begin(struct shw_csv_reader *reader, const void *bytes, size_t size);

/* Reads the next record, of at least one field; count is 0 after the last. Errors: FORMAT (a zero byte, quotation marks
 * that are not closed or that text follows), MEMORY. */
enum shw_result shw_csv_next(struct shw_csv_reader *reader);

/* Accepts one that has not begun. */
void shw_csv_end(struct shw_csv_reader *reader);

#endif
