/* A file of results: a table or an array, or standard output. */
#ifndef SHW_FILES_TABLES_RESULTS_FILE_H
#define SHW_FILES_TABLES_RESULTS_FILE_H

#include "base/atomic_file.h"
#include "files/io/output_files.h"

/* Zero-initialise it, and set the path, which becomes its own; NULL: there is none. */
struct shw_results_file {
    char *path;
    FILE *stream;
    struct shw_atomic_file file; /* unless it is standard output */
};

enum shw_result shw_results_file_open(struct shw_results_file *file, const struct shw_log *log);

/* Leaves room for the header of an array; writes it when the shape is known. */
void shw_results_file_begin_array(struct shw_results_file *file);
void shw_results_file_end_array(struct shw_results_file *file, const char *type, uint32_t dimensions,
                                const uint64_t *shape);

/* Whether all writes so far have succeeded. Errors: IO, without a message for standard output. */
enum shw_result shw_results_file_check(const struct shw_results_file *file, const struct shw_log *log);

/* Errors: IO, also if a file has appeared there. */
enum shw_result shw_results_file_commit(struct shw_results_file *file, const struct shw_output_files *files,
                                        const struct shw_log *log);

/* Forgets what was not committed. */
void shw_results_file_abandon(struct shw_results_file *file);

#endif
