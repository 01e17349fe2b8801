/* Whole files in memory. */
#ifndef SHW_IMAGE_FILE_BYTES_H
#define SHW_IMAGE_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

struct shw_file_bytes {
    uint8_t *bytes; /* with a zero byte after the last */
    size_t size;
};

/* Errors: IO, LIMIT, MEMORY; freeing is then allowed, but not necessary. */
enum shw_result shw_file_bytes_read(const char *path, const struct shw_log *log, struct shw_file_bytes *file);

/* The text in memory without the byte-order mark that some editors write before UTF-8; *size becomes that of the rest.
 */
const char *shw_skip_byte_order_mark(const void *text, size_t *size);

void shw_file_bytes_free(struct shw_file_bytes *file);

#endif
