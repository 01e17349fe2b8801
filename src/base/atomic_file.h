/* Files that are written atomically: complete or not at all.
 *
 * While a file is written it has no name, so that nothing stays of a writer that is killed. Where the file system has
 * no files without names, it is .NAME.N.shadewood in the same folder, locked by its writer; the next writer of NAME
 * removes those that nobody holds. */
#ifndef SHW_BASE_ATOMIC_FILE_H
#define SHW_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include <shadewood/log.h>

/* A file being written. */
struct shw_atomic_file {
    FILE *stream; /* for writing and for reading back; binary; without a descriptor that fileno() knows */
    char *path;
    struct shw_unnamed_file *unnamed;
};

/* Refuses a name that something else than a file has, which is not to be replaced: a folder, a device, a pipe, a link
 * to nothing. Any thread. Errors: IO. */
enum shw_result shw_atomic_file_check_kind(const char *path, const struct shw_log *log);

/* Opens the file, unless its name is refused by that. Any thread. Errors: IO, MEMORY. On failure there is nothing to
 * close. */
enum shw_result shw_atomic_file_open(struct shw_atomic_file *file, const char *path, const struct shw_log *log);

/* Flushes to the disk, so that only the name is missing: writers of files that belong together complete all of them
 * before the first gets its name. Closes the file only if that fails. Errors: IO. */
enum shw_result shw_atomic_file_complete(struct shw_atomic_file *file, const struct shw_log *log);

/* Flushes to the disk and gives the file its name, or fails with IO, naming the first error of any write, and leaves
 * the previous file. Closes it in either case. */
enum shw_result shw_atomic_file_commit(struct shw_atomic_file *file, const struct shw_log *log);

/* The same, but never replaces a file: if the name is taken by now, *taken is true, nothing was written, and the result
 * is OK. */
enum shw_result shw_atomic_file_commit_new(struct shw_atomic_file *file, const struct shw_log *log, bool *taken);

/* Closes the file and forgets what was written. Accepts a file that is zero-initialised, committed or abandoned. */
void shw_atomic_file_abandon(struct shw_atomic_file *file);

/* Whether a write has failed, with its errno in *error; for messages of writers that notice it before the commit. */
bool shw_atomic_file_failed(const struct shw_atomic_file *file, int *error);

/* Writes a file from memory. Errors: IO, MEMORY. */
enum shw_result shw_atomic_file_write(const char *path, const void *bytes, size_t size, const struct shw_log *log);

#endif
