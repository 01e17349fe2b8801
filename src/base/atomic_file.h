/* Files that are written atomically: complete or not at all. */
#ifndef SHW_BASE_ATOMIC_FILE_H
#define SHW_BASE_ATOMIC_FILE_H

#include <stdio.h>

#include <shadewood/log.h>

/* A file being written: under a temporary name in the folder of its path, renamed on commit. */
struct shw_atomic_file {
    FILE *stream; /* for writing and for reading back; binary */
    char *path, *temporary;
};

/* Opens the file. Errors: IO, MEMORY. On failure there is nothing to close. */
enum shw_result shw_atomic_file_open(struct shw_atomic_file *file, const char *path, const struct shw_log *log);

/* Flushes to the disk and renames the file, or fails with IO and leaves the previous file. Closes it in either case. */
enum shw_result shw_atomic_file_commit(struct shw_atomic_file *file, const struct shw_log *log);

/* Closes the file and removes what was written. Accepts a file that is zero-initialised, committed or abandoned. */
void shw_atomic_file_abandon(struct shw_atomic_file *file);

/* Writes a file from memory. Errors: IO, MEMORY. */
enum shw_result shw_atomic_file_write(const char *path, const void *bytes, size_t size, const struct shw_log *log);

/* Removes the temporary files of all open files. Async-signal-safe: for a handler that terminates the program. */
void shw_atomic_file_remove_all(void);

#endif
