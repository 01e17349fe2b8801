/* Files that may be packed by gzip or bzip2. */
#ifndef SHW_EXCHANGE_PACKED_FILE_H
#define SHW_EXCHANGE_PACKED_FILE_H

#include "image/file_bytes.h"

/* Unpacks bytes that begin as gzip's or bzip2's do, and copies others; a zero byte follows the last. `name` appears in
 * messages. Errors: FORMAT, LIMIT for more than `most` unpacked bytes, UNSUPPORTED in a build without bzip2, MEMORY. */
enum shw_result shw_packed_bytes_read(const void *bytes, size_t size, const char *name, size_t most,
                                      const struct shw_log *log, struct shw_file_bytes *unpacked);

/* The same for a file, which has at most `most` bytes itself. Errors: IO, too. */
enum shw_result shw_packed_file_read(const char *path, size_t most, const struct shw_log *log,
                                     struct shw_file_bytes *unpacked);

/* Packs a text by gzip, always to the same bytes; *packed is to be freed with free(). Errors: LIMIT, MEMORY. */
enum shw_result shw_packed_text_make(const char *text, const struct shw_log *log, void **packed, size_t *size);

#endif
