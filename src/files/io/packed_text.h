/* Texts packed with gzip, in files that are known again. */
#ifndef SHW_FILES_IO_PACKED_TEXT_H
#define SHW_FILES_IO_PACKED_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <shadewood/log.h>

/* Packs a text with gzip, always to the same bytes; *packed is to be freed with free(). The comment in gzip's header is
 * the mark "Shadewood KIND", which is lost when another program repacks the text. Errors: LIMIT, MEMORY. */
enum shw_result shw_packed_text_make(const char *text, const char *kind, const struct shw_log *log, void **packed,
                                     size_t *size);

/* Whether it is a file that begins with the mark. Any thread. */
bool shw_packed_file_is_marked(const char *path, const char *kind);

#endif
