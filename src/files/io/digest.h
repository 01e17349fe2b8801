/* Digests by which contents are known again: XXH3 of 128 bits, as 32 hexadecimal digits. */
#ifndef SHW_FILES_IO_DIGEST_H
#define SHW_FILES_IO_DIGEST_H

#include <stdbool.h>
#include <stdio.h>

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
