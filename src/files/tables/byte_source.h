/* The bytes of a file, a pipe or standard input, in order. */
#ifndef SHW_FILES_TABLES_BYTE_SOURCE_H
#define SHW_FILES_TABLES_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#define SHW_BYTE_SOURCE_PEEK 4096u

struct shw_byte_source {
    const char *name; /* for messages */
    int descriptor;
    bool is_file;                        /* a regular one, of which parts may be read in any order */
    uint64_t origin;                     /* of such a one: where it begins, which for standard input need not be 0 */
    uint64_t size;                       /* of such a one: of what follows */
    uint8_t start[SHW_BYTE_SOURCE_PEEK]; /* the first bytes */
    size_t start_size, start_taken;      /* of these, there are; were read by shw_byte_source_read() */
    uint64_t taken;                      /* bytes that were read */
    struct shw_log log;
};

/* Opens a path, which must stay; "-" is standard input. Errors: IO. On failure there is nothing to close. */
enum shw_result shw_byte_source_open(struct shw_byte_source *source, const char *path, const struct shw_log *log);

/* Reads the next bytes: fewer than `size` only at the end. Errors: IO. */
enum shw_result shw_byte_source_read(struct shw_byte_source *source, void *to, size_t size, size_t *count);

/* Reads bytes of a regular file, from `offset` on after its beginning; fewer only at the end. Errors: IO. */
enum shw_result shw_byte_source_read_at(struct shw_byte_source *source, uint64_t offset, void *to, size_t size,
                                        size_t *count);

/* Accepts a zero-initialised one that was never opened. */
void shw_byte_source_close(struct shw_byte_source *source);

#endif
