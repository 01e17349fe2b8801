/* The bytes of a file, a pipe or standard input, in order, and a buffer for those that are text. */
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
    bool is_file;                        /* regular, so parts may be read in any order */
    uint64_t origin;                     /* of a file: where it begins, which for standard input need not be 0 */
    uint64_t size;                       /* of a file: the bytes after origin */
    uint8_t start[SHW_BYTE_SOURCE_PEEK]; /* the first bytes */
    size_t start_size, start_taken;      /* how many there are, and how many shw_byte_source_read() has returned */
    uint64_t taken;                      /* bytes that were read */
    struct shw_log log;
};

/* Opens a path, which must outlive the source; "-" is standard input. Errors: IO. On failure there is nothing to close.
 */
enum shw_result shw_byte_source_open(struct shw_byte_source *source, const char *path, const struct shw_log *log);

/* Reads the next bytes: fewer than `size` only at the end. Errors: IO. */
enum shw_result shw_byte_source_read(struct shw_byte_source *source, void *to, size_t size, size_t *count);

/* Reads bytes of a regular file, from `offset` on after its beginning; fewer only at the end. Errors: IO. */
enum shw_result shw_byte_source_read_at(struct shw_byte_source *source, uint64_t offset, void *to, size_t size,
                                        size_t *count);

/* Accepts a zero-initialised one that was never opened. */
void shw_byte_source_close(struct shw_byte_source *source);

/* Text that is read a part at a time. Zero-initialise it, and set the source. */
struct shw_text_buffer {
    struct shw_byte_source *source;
    char *text; /* the bytes from `begin` to `end` are not taken yet; a zero byte follows */
    size_t begin, end, capacity;
    uint64_t lines; /* before `begin` */
    bool at_end;    /* nothing follows; the last line ends with a newline, which may have been added */

    char delimiter;    /* of CSV, once known */
    const char *marks; /* of CSV: what begins comment lines, "#;" or "#" */
};

/* Moves what is left to the beginning, and fills the buffer with what follows. It grows with what is read, up to some
 * megabytes, and whenever it is full. Errors: IO, MEMORY. */
enum shw_result shw_text_buffer_fill(struct shw_text_buffer *buffer);

/* Accepts a zero-initialised one. */
void shw_text_buffer_free(struct shw_text_buffer *buffer);

#endif
