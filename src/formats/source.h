/* Where a model of another program is read from: a file, or bytes in memory. */
#ifndef SHW_FORMATS_SOURCE_H
#define SHW_FORMATS_SOURCE_H

#include <shadewood/import.h>

#include "base/file_bytes.h"

/* What messages call it: the path, or the name of bytes in memory. */
const char *shw_source_name(const struct shw_import_source *source);

/* Copies at most `most` bytes; a zero byte follows the last. Errors: IO, LIMIT, MEMORY. */
enum shw_result shw_source_read(const struct shw_import_source *source, uint64_t most, const struct shw_log *log,
                                struct shw_file_bytes *file);

/* The same of what gzip or bzip2 may have packed. `packed`, unless it is NULL, becomes the size that the source has
 * itself. Errors: FORMAT and UNSUPPORTED (a build without the library), too. */
enum shw_result shw_source_unpack(const struct shw_import_source *source, size_t most, const struct shw_log *log,
                                  struct shw_file_bytes *unpacked, size_t *packed);

#endif
