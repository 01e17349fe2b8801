/* Whole files in memory, and digests of contents. */
#ifndef SHW_BASE_FILE_BYTES_H
#define SHW_BASE_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <shadewood/log.h>

struct shw_file_bytes {
    uint8_t *bytes; /* with a zero byte after the last */
    size_t size;
};

/* More than any list, palette, project, script or settings that people write or programs keep. */
#define SHW_TEXT_FILE_MAX (UINT64_C(64) << 20)

/* Reads a regular file of at most `size_max` bytes. Nothing is allocated for a larger one, so that a sparse file cannot
 * exhaust memory. Errors: IO, LIMIT, MEMORY; freeing is then allowed, but not necessary. */
enum shw_result shw_file_bytes_read(const char *path, uint64_t size_max, const struct shw_log *log,
                                    struct shw_file_bytes *file);

/* Reads the first bytes of a regular file, at most `size`. Errors: IO, MEMORY. */
enum shw_result shw_file_bytes_read_start(const char *path, size_t size, const struct shw_log *log,
                                          struct shw_file_bytes *file);

/* The text in memory without the byte-order mark that some editors write before UTF-8; *size becomes that of the rest.
 */
const char *shw_skip_byte_order_mark(const void *text, size_t *size);

/* Refuses a file of more than `most` bytes. Errors: LIMIT. */
enum shw_result shw_file_check_size(const char *path, uint64_t size, uint64_t most, const struct shw_log *log);

void shw_file_bytes_free(struct shw_file_bytes *file);

/* Digests by which contents are known again: XXH3 of 128 bits, as 32 hexadecimal digits. */

struct shw_digest {
    char text[33];
};

/* Collects what a digest is of. */
struct shw_digester;

/* NULL if memory is exhausted. */
struct shw_digester *shw_digester_create(void);
void shw_digester_add(struct shw_digester *digester, const void *bytes, size_t size);
/* The text with its end, so that texts in a row cannot be others. */
void shw_digester_add_text(struct shw_digester *digester, const char *text);
/* The contents of a regular file, and its size. False if it cannot be read. */
bool shw_digester_add_file(struct shw_digester *digester, const char *path);
/* The digest of everything that was added; destroys the digester. Accepts a pointer to NULL, for which there is none:
 * the text is then empty. */
struct shw_digest shw_digester_end(struct shw_digester **digester);

/* The digest of a regular file; of a stream from its beginning, whose position is then at its end. False: it cannot be
 * read. */
bool shw_digest_file(const char *path, struct shw_digest *digest);
bool shw_digest_stream(FILE *stream, struct shw_digest *digest);

#endif
