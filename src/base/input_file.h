/* Opening files to read them: the one rule for what may be given as a file. */
#ifndef SHW_BASE_INPUT_FILE_H
#define SHW_BASE_INPUT_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <shadewood/log.h>

enum shw_input_kind {
    SHW_INPUT_IS_FILE,     /* a regular file */
    SHW_INPUT_MAY_BE_PIPE, /* also a pipe that a shell has opened: /dev/stdin, <(command) */
};

/* Opens a path for reading, without waiting for anything: folders, devices, sockets and named pipes are refused, as
 * nobody may ever write to one. Errors: IO. */
enum shw_result shw_input_open(const char *path, enum shw_input_kind kind, const struct shw_log *log, int *descriptor,
                               struct stat *status);

/* Opens a regular file, whose size *size becomes. Errors: IO, MEMORY. */
enum shw_result shw_file_open(const char *path, const struct shw_log *log, FILE **stream, uint64_t *size);

#endif
