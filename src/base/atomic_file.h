/* Files that appear whole or not at all. */
#ifndef SHW_BASE_ATOMIC_FILE_H
#define SHW_BASE_ATOMIC_FILE_H

#include <stdio.h>

#include <shadewood/log.h>

/* A file under construction: written beside its place under a temporary name, then renamed into it. */
struct shw_atomic_file {
    FILE *stream; /* to write to, and to read back what was written; binary */
    char *path, *temporary;
};

/* Opens. Errors: IO, MEMORY. On failure there is nothing to close. */
enum shw_result shw_atomic_file_open(struct shw_atomic_file *file, const char *path, const struct shw_log *log);

/* Flushes to the disk and renames into place, or fails with IO and leaves whatever stood there before. Ends the file
 * either way. */
enum shw_result shw_atomic_file_commit(struct shw_atomic_file *file, const struct shw_log *log);

/* Ends the file and removes what was written. Accepts a file that was zero-initialised, committed or abandoned
 * before. */
void shw_atomic_file_abandon(struct shw_atomic_file *file);

/* All of it for bytes that are in memory. Errors: IO, MEMORY. */
enum shw_result shw_atomic_file_write(const char *path, const void *bytes, size_t size, const struct shw_log *log);

/* Removes the temporary files of all that are open now. Async-signal-safe, for the handler that ends a program. */
void shw_atomic_file_remove_all(void);

#endif
