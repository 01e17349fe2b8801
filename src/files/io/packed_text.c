#include "files/io/packed_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/file_bytes.h"
#include "base/log.h"

#define UNIX      3 /* in gzip's header */
#define MARK_SIZE 64u
#define START     512u /* bytes that hold gzip's header, if it is ours */

static void make_mark(const char *kind, char mark[MARK_SIZE])
{
    snprintf(mark, MARK_SIZE, "Shadewood %s", kind);
}

enum shw_result shw_packed_text_make(const char *text, const char *kind, const struct shw_log *log, void **packed,
                                     size_t *size)
{
    size_t length = strlen(text);
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)length};
    char mark[MARK_SIZE];
    gz_header header = {.comment = (Bytef *)mark, .os = UNIX};
    uLong bound;

    make_mark(kind, mark);
    if (length > UINT32_MAX / 2)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_WRITE, "a text of more than %u MiB", UINT32_MAX / 2 >> 20);
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return shw_fail_memory(log, "a compressed text");
    (void)deflateSetHeader(&stream, &header); /* fails for other formats only */
    bound = deflateBound(&stream, (uLong)length);
    *packed = malloc(bound);
    if (*packed == NULL) {
        deflateEnd(&stream);
        return shw_fail_memory(log, "a compressed text");
    }
    stream.next_out = *packed;
    stream.avail_out = (uInt)bound;
    (void)deflate(&stream, Z_FINISH); /* there is room for all of it */
    *size = bound - stream.avail_out;
    deflateEnd(&stream);
    return SHW_OK;
}

/* The comment of gzip's header; empty if there is none. */
static void read_comment(struct shw_file_bytes *start, char comment[MARK_SIZE])
{
    Bytef none;
    z_stream stream = {.next_in = start->bytes, .avail_in = (uInt)start->size, .next_out = &none, .avail_out = 1};
    gz_header header = {.comment = (Bytef *)comment, .comm_max = MARK_SIZE - 1};

    if (inflateInit2(&stream, 15 + 16) != Z_OK)
        return;
    if (inflateGetHeader(&stream, &header) == Z_OK)
        (void)inflate(&stream, Z_BLOCK); /* what is damaged has no comment */
    if (header.done != 1)
        comment[0] = '\0';
    inflateEnd(&stream);
}

bool shw_packed_file_is_marked(const char *path, const char *kind)
{
    struct shw_file_bytes start = {0};
    char mark[MARK_SIZE], comment[MARK_SIZE] = "";

    make_mark(kind, mark);
    if (shw_file_bytes_read_start(path, START, NULL, &start) == SHW_OK)
        read_comment(&start, comment);
    shw_file_bytes_free(&start);
    return strcmp(comment, mark) == 0;
}
