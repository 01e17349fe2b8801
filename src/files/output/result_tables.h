/* Tables of results, being made from the entries of journals: by a call that has all images, or by the merging of
 * shards. A kind of them belongs to each command. */
#ifndef SHW_FILES_OUTPUT_RESULT_TABLES_H
#define SHW_FILES_OUTPUT_RESULT_TABLES_H

#include <jansson.h>

#include <shadewood/log.h>

#include "files/io/output_files.h"
#include "files/output/result_journal.h"

enum { SHW_RESULT_TABLES_MAX = 3 };

struct shw_result_tables;

struct shw_result_tables_kind {
    const char *command; /* "label" */

    /* The names of the tables in the folder, by what the command says of their columns. Returns their number. */
    uint32_t (*list)(const json_t *columns, const char *names[SHW_RESULT_TABLES_MAX]);

    /* Begins them, with tables->paths; adds the rows of an image, in the order of the table; completes the files, which
     * then get their names; and discards what is not completed. Errors: IO, MEMORY. */
    enum shw_result (*begin)(struct shw_result_tables *tables, const json_t *columns);
    enum shw_result (*add)(struct shw_result_tables *tables, const char *path, const char *place, const json_t *entry);
    enum shw_result (*commit)(struct shw_result_tables *tables);
    void (*free)(struct shw_result_tables *tables);
};

/* Set the first members; begin, add images, commit, and free in either case. */
struct shw_result_tables {
    const struct shw_result_tables_kind *kind;
    const struct shw_log *log;
    const struct shw_output_files *outputs; /* checked, with the tables */
    struct shw_result_journal *journal;     /* notes what is written */

    char *paths[SHW_RESULT_TABLES_MAX]; /* in the order in which the kind lists them */
    uint32_t count;
    void *state; /* the kind's */
};

/* Errors: IO, MEMORY. */
enum shw_result shw_result_tables_begin(struct shw_result_tables *tables, const char *folder, const json_t *columns);
enum shw_result shw_result_tables_add(struct shw_result_tables *tables, const char *path, const char *place,
                                      const json_t *entry);
enum shw_result shw_result_tables_commit(struct shw_result_tables *tables);
void shw_result_tables_free(struct shw_result_tables *tables);

/* For kinds, before a table gets its name: notes its digest, so that it is known as ours, and checks whether its place
 * is still free. Errors: IO, MEMORY. */
enum shw_result shw_result_table_announce(const struct shw_result_tables *tables, const char *path, FILE *stream);

/* Adds the tables to files that are going to be written. `owns`: whether journals know a table that is there. Errors:
 * MEMORY. */
enum shw_result shw_result_tables_list(const struct shw_result_tables_kind *kind, const json_t *columns,
                                       const char *folder, bool (*owns)(const void *user, const char *path),
                                       const void *user, struct shw_output_files *outputs);

#endif
