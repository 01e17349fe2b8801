/* The formats of tables. A format is a file, a line here and a line in table.c. */
#ifndef SHW_FILES_TABLES_FORMAT_H
#define SHW_FILES_TABLES_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/tables/table.h"

/* The bytes of a file, a pipe or standard input, in order, and a buffer for those that are text. */

#define SHW_BYTE_SOURCE_PEEK 4096u

struct shw_byte_source {
    const char *name; /* for messages */
    int descriptor;
    bool is_file;                        /* regular, so parts may be read in any order */
    uint64_t origin;                     /* of a file: where it begins, which for standard input need not be 0 */
    uint64_t size;                       /* of a file: the bytes after origin */
    uint8_t start[SHW_BYTE_SOURCE_PEEK]; /* the first bytes */
    size_t start_size, start_taken;      /* how many there are, and how many shw_byte_source_read() has returned */
    uint64_t taken;                      /* bytes that were read */
    struct shw_log log;
};

/* Reads the next bytes: fewer than `size` only at the end. Errors: IO. */
enum shw_result shw_byte_source_read(struct shw_byte_source *source, void *to, size_t size, size_t *count);

/* Reads bytes of a regular file, from `offset` on after its beginning; fewer only at the end. Errors: IO. */
enum shw_result shw_byte_source_read_at(struct shw_byte_source *source, uint64_t offset, void *to, size_t size,
                                        size_t *count);

/* Text that is read a part at a time. Zero-initialise it, and set the source. */
struct shw_text_buffer {
    struct shw_byte_source *source;
    char *text; /* the bytes from `begin` to `end` are not taken yet; a zero byte follows */
    size_t begin, end, capacity;
    uint64_t lines; /* before `begin` */
    bool at_end;    /* nothing follows; the last line ends with a newline, which may have been added */

    char delimiter;    /* of CSV, once known */
    const char *marks; /* of CSV: what begins comment lines, "#;" or "#" */
};

/* Moves what is left to the beginning, and fills the buffer with what follows. It grows with what is read, up to some
 * megabytes, and whenever it is full. Errors: IO, MEMORY. */
enum shw_result shw_text_buffer_fill(struct shw_text_buffer *buffer);

/* Accepts a zero-initialised one. */
void shw_text_buffer_free(struct shw_text_buffer *buffer);

struct shw_table_format {
    /* Whether the first bytes are of this format. */
    bool (*recognise)(const struct shw_byte_source *source);
    /* Reads what precedes the records; on failure there is nothing to close. `source` and `params` outlive the state.
     * Errors as of shw_table_open(). */
    enum shw_result (*open)(struct shw_byte_source *source, const struct shw_table_params *params, void **state);
    const struct shw_table_columns *(*get_columns)(const void *state);
    enum shw_result (*read)(void *state, struct shw_table_block *block);
    void (*close)(void *state);
    bool has_layout;  /* params->delimiter and params->header apply */
    bool has_indices; /* attributes have indices, and params->first_index_is_0 says where they begin */
};

extern const struct shw_table_format shw_table_csv, shw_table_libsvm, shw_table_npy;

/* What the columns of a table are: attributes, classes or targets, or nothing. */

#define SHW_COLUMNS_MAX   (1u << 17)
#define SHW_PLACE_TRUTH   (-1)
#define SHW_PLACE_IGNORED (-2)
#define SHW_COLUMN_NONE   UINT32_MAX

struct shw_table_columns {
    /* Set by the reader. */
    uint32_t count;
    char **names;           /* NULL: none; "": this one has none */
    uint64_t line;          /* of the file, from 1, that has them */
    uint64_t doubtful_line; /* of the first record, if that may be a header nevertheless; 0: it may not */
    bool *is_text;          /* in the first record; NULL: no column is */
    bool last_has_fraction; /* in the first record: the last column is a number that is not whole */
    bool last_is_known;     /* in the first record: the last column names a wanted class */

    /* Set by shw_table_columns_choose(). */
    int32_t *places;     /* the attribute that a column is, or one of the above */
    uint32_t truth;      /* the column of classes or targets, or SHW_COLUMN_NONE */
    bool truth_is_guess; /* by its place or its text alone */
    uint32_t attribute_count;
    const char **attribute_names; /* NULL: none */
};

/* Whether it is one of the usual names of a column of classes or targets: class, label, target. */
bool shw_is_truth_name(const char *name);

/* Chooses by the rules of docs/records-command.md. `name`: of the table, for messages. Errors: FORMAT, LIMIT, MEMORY.
 */
enum shw_result shw_table_columns_choose(struct shw_table_columns *columns, const char *name,
                                         const struct shw_table_params *params);

/* The name of a column for messages, in parentheses after its number: " (HUE)", or nothing. */
struct shw_column_text {
    char text[80];
};
struct shw_column_text shw_column_text(const struct shw_table_columns *columns, uint32_t column);

/* What options call a column: its number, or the quoted name if that number is the name of a column. */
struct shw_column_text shw_column_key(const struct shw_table_columns *columns, uint32_t column);

/* Accepts a zero-initialised one. */
void shw_table_columns_free(struct shw_table_columns *columns);

#endif
