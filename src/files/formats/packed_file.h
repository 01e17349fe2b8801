/* Files that may be packed with gzip or bzip2. */
#ifndef SHW_FILES_FORMATS_PACKED_FILE_H
#define SHW_FILES_FORMATS_PACKED_FILE_H

#include <stdbool.h>

#include "files/io/file_bytes.h"

/* Unpacks bytes that begin like gzip's or bzip2's, and copies others; a zero byte follows the last. `name` appears in
 * messages. Errors: FORMAT, LIMIT for more than `most` unpacked bytes, UNSUPPORTED in a build without bzip2, MEMORY. */
enum shw_result shw_packed_bytes_read(const void *bytes, size_t size, const char *name, size_t most,
                                      const struct shw_log *log, struct shw_file_bytes *unpacked);

/* The same for a file, which has at most `most` bytes itself. Errors: IO, too. */
enum shw_result shw_packed_file_read(const char *path, size_t most, const struct shw_log *log,
                                     struct shw_file_bytes *unpacked);

/* The same, and *packed becomes the file's own size. */
enum shw_result shw_packed_file_read_sized(const char *path, size_t most, const struct shw_log *log,
                                           struct shw_file_bytes *unpacked, size_t *packed);

/* Packs a text with gzip, always to the same bytes; *packed is to be freed with free(). The comment in gzip's header is
 * the mark "Shadewood KIND", which is lost when another program repacks the text. Errors: LIMIT, MEMORY. */
enum shw_result shw_packed_text_make(const char *text, const char *kind, const struct shw_log *log, void **packed,
                                     size_t *size);

/* Whether it is a file that begins with the mark. Any thread. */
bool shw_packed_file_is_marked(const char *path, const char *kind);

#endif
