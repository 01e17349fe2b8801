/* Where results go whose own place does not take them. */
#ifndef SHW_FILES_IO_RESCUE_H
#define SHW_FILES_IO_RESCUE_H

#include <stddef.h>

#include <shadewood/log.h>

/* The name with that number in the same folder: NAME-2.ENDING; NAME.ENDING for 1. NAME is cut where names of that
 * length are not possible. The caller frees it. NULL if memory is exhausted. Any thread. */
char *shw_name_beside(const char *path, unsigned number);

/* The first of these names, from 1 on, that no file has now. As above. */
char *shw_name_unused(const char *path);

/* Writes a file of the first name that is free, from `number` on. *place is then its path, which the caller frees, and
 * NULL on failure. Replaces nothing. Errors: IO, MEMORY; without a message. Any thread. */
enum shw_result shw_write_beside(const char *path, unsigned number, const void *bytes, size_t size, char **place);

/* The same in the first folder that takes a file: that of `refuge`, a path or NULL, the current one, $TMPDIR, /tmp. */
enum shw_result shw_write_elsewhere(const char *path, const char *refuge, const void *bytes, size_t size, char **place);

#endif
