/* The text of a table, a part of it at a time: whole records of a file of any length. */
#ifndef SHW_FILES_TABLES_CSV_BUFFER_H
#define SHW_FILES_TABLES_CSV_BUFFER_H

#include "files/tables/byte_source.h"

#define SHW_CSV_RECORD_MAX ((size_t)1 << 26) /* bytes */

struct shw_csv_buffer {
    struct shw_byte_source *source;
    char *text; /* the bytes from `begin` to `end` are not taken yet; a zero byte follows */
    size_t begin, end, capacity;
    uint64_t lines; /* before `begin` */
    bool at_end;    /* nothing follows; the last line ends with a newline, if need be one that was added */

    char delimiter;    /* known by then */
    const char *marks; /* that begin comment lines: "#;" or "#" */
};

/* Reads until the buffer is full, or up to the end. The buffer grows with what is read, up to some megabytes. Errors:
 * IO, MEMORY. */
enum shw_result shw_csv_buffer_fill(struct shw_csv_buffer *buffer);

/* Makes room for a record that does not fit. Errors: LIMIT, MEMORY. */
enum shw_result shw_csv_buffer_grow(struct shw_csv_buffer *buffer);

/* Whether the line is no record: it is empty or begins with a mark. */
bool shw_csv_is_void(const struct shw_csv_buffer *buffer, const char *line);

/* The line from there on that is a record; NULL if none begins in the buffer. *lines: those passed over are added. */
const char *shw_csv_find_record(const struct shw_csv_buffer *buffer, const char *from, uint64_t *lines);

/* The byte after the record that begins there, whose fields may have newlines in quotation marks; NULL if it does not
 * end before `end`. */
const char *shw_csv_record_end(const struct shw_csv_buffer *buffer, const char *record, const char *end);

/* Divides the whole records of the buffer into `count` parts of about the same size. ends[i]: where part i ends. */
void shw_csv_buffer_divide(const struct shw_csv_buffer *buffer, uint32_t count, const char **ends);

/* Accepts a zero-initialised one. */
void shw_csv_buffer_free(struct shw_csv_buffer *buffer);

#endif
