/* Tables of records: text with delimiters (CSV), sparse text (libsvm) and arrays of NumPy (NPY), read in blocks of
 * bounded memory, however many records there are, but for libsvm's when a forest is trained, which is kept whole.
 * docs/records-command.md says what is accepted. */
#ifndef SHW_FILES_TABLES_TABLE_H
#define SHW_FILES_TABLES_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>
#include <shadewood/record_forest.h>

#include "files/tables/name_set.h"

#define SHW_TABLE_CLASSES_MAX SHW_RECORD_OUTPUTS_MAX

enum shw_table_header { SHW_TABLE_HEADER_AUTO, SHW_TABLE_HEADER_YES, SHW_TABLE_HEADER_NO };

/* What a record is labelled with. */
enum shw_table_truth {
    SHW_TABLE_CLASSES, /* names of classes: texts or numbers */
    SHW_TABLE_TARGETS  /* numbers (regression) */
};

/* Zero-initialise it; everything is borrowed for the call, `classes` for as long as the table is open. */
struct shw_table_params {
    char delimiter; /* ',', ';' or '\t'; 0: recognised */
    enum shw_table_header header;
    enum shw_table_truth truth;
    const char *class_column;   /* of classes or targets: a name, or a number from 1; "none"; NULL: recognised */
    const char *usual_column;   /* if it is NULL: the name by which it is recognised before all others; NULL: none */
    bool class_required;        /* a table without such a column is refused */
    const char *labels;         /* path of another table, of one column, that has the classes or targets; NULL: none */
    const char *const *ignored; /* columns that are left out: names, or numbers from 1 */
    uint32_t ignored_count;
    bool first_index_is_0; /* of libsvm's attributes, which otherwise begin with 1 */
    bool
        first_is_unused; /* no test of the forest reads the first attribute, as when it was trained with an index 0 that
                          * its tables did not have: a table of libsvm that lacks the last attribute is warned about */
    /* What the attributes must be, in this order: matched by name if both have names, otherwise by position. Count 0:
     * all columns of the table; a new forest gets their names, so that each must be different from the others and
     * valid (base/class.h), as must be those of new classes. */
    const char *const *attribute_names; /* NULL: none are known */
    uint32_t attribute_count;
    bool by_position;  /* not by name, and without a warning that only one of both has names */
    bool is_continued; /* the attributes are those of a table before, of which this one is a part: both have names, or
                        * neither, unless `by_position` */
    /* CLASSES: the names that numbers of classes refer to; new ones are added unless it is closed. */
    struct shw_name_set *classes;
    bool has_matching; /* messages name --class-names, which the command has */
    bool doubles;      /* attributes are read in double precision */
    uint32_t threads;  /* that read text; 0: one per processor */
    struct shw_log log;
};

struct shw_table_info {
    uint32_t attribute_count;
    const char *const *attribute_names; /* NULL: the table has none */
    bool has_truth;                     /* classes or targets, as asked for */
    const char *class_column;           /* its name; NULL: it has none */
    uint32_t class_number;              /* its number from 1; 0: there is no such column */
    bool class_is_guess;                /* it is that for its place or its text alone */
    const char *truth_path;             /* of the table that has them, for messages; lives as long as its path */
    uint64_t doubtful_line; /* there, of the first record, if that may be a header nevertheless; 0: it is none */
};

/* Successive records; valid until the next call. */
struct shw_table_block {
    uint64_t first;          /* number of the first record in the table, from 0 */
    uint32_t count;          /* 0: the end */
    const float *values;     /* [count][attribute_count]; NaN is missing */
    const double *doubles;   /* likewise, as read; NULL unless they were asked for */
    const uint32_t *classes; /* [count], SHW_NO_CLASS where a record has none; NULL: the table has none */
    const float *targets;    /* [count], NaN where a record has none; NULL: the table has none */
};

struct shw_table;

/* Opens a table, whose format its content says; `path` may be "-", standard input. The file is not trusted. Errors: IO,
 * FORMAT (naming file, line, column and text), LIMIT, MEMORY. */
enum shw_result shw_table_open(const char *path, const struct shw_table_params *params, struct shw_table **table);

/* Valid as long as the table. */
const struct shw_table_info *shw_table_get_info(const struct shw_table *table);

/* Reads the next records. Errors as above; after one, the table can only be closed. */
enum shw_result shw_table_read(struct shw_table *table, struct shw_table_block *block);

/* How much of the file was read, from 0 to 1; 0 if nobody knows how long it is. */
double shw_table_get_fraction(const struct shw_table *table);

/* Closes *table and sets it to NULL; accepts NULL and a pointer to NULL. */
void shw_table_close(struct shw_table **table);

/* All records of one or several tables with the same attributes. */
struct shw_table_records {
    uint64_t count;
    uint32_t attribute_count;
    char **attribute_names; /* NULL: none are known */
    float *values;          /* [count][attribute_count] */
    uint32_t *classes;      /* [count]; NULL: the tables have none */
    float *targets;         /* likewise */
    /* Of the first table, as of struct shw_table_info; the name may be NULL. */
    char *class_column;
    uint32_t class_number;
    bool class_is_guess;
};

/* Reads whole tables. New classes get numbers in the order of their names (shw_name_set_sort()), so that the order
 * of records does not matter. Later tables have the attributes of the first, and names if it has some. Errors as
 * above. */
enum shw_result shw_table_records_read(const char *const *paths, uint32_t path_count,
                                       const struct shw_table_params *params, struct shw_table_records *records);

/* Accepts zero-initialised and freed ones. */
void shw_table_records_free(struct shw_table_records *records);

#endif
