#include "files/formats/packed_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#if SHW_HAS_BZIP2
#include <bzlib.h>
#endif

#include "base/log.h"

#define PIECE     (1u << 20) /* bytes unpacked at first; the room doubles */
#define UNIX      3          /* in gzip's header */
#define MARK_SIZE 64u
#define START     512u /* bytes that hold gzip's header, if it is ours */

struct unpacking {
    const uint8_t *bytes;
    size_t size;
    const char *name;
    size_t most;
    const struct shw_log *log;
    struct shw_file_bytes *out;
    size_t room;
};

static enum shw_result fail_packed(const struct unpacking *unpacking)
{
    return shw_fail(unpacking->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                    "%s: the compressed data is damaged or incomplete", unpacking->name);
}

static enum shw_result check_size(const struct unpacking *unpacking)
{
    return unpacking->out->size <= unpacking->most
               ? SHW_OK
               : shw_fail(unpacking->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                          "cannot read %s: it unpacks to more than %zu MiB", unpacking->name, unpacking->most >> 20);
}

/* Makes room for more, up to one byte over `most`, which shows that there is too much. One byte is reserved for the
 * zero. */
static enum shw_result make_room(struct unpacking *unpacking)
{
    size_t larger = unpacking->room == 0 ? PIECE : 2 * unpacking->room;
    uint8_t *bytes;

    SHW_PROPAGATE(check_size(unpacking));
    if (larger > unpacking->most + 2)
        larger = unpacking->most + 2;
    bytes = realloc(unpacking->out->bytes, larger);
    if (bytes == NULL)
        return shw_fail_memory(unpacking->log, unpacking->name);
    unpacking->out->bytes = bytes;
    unpacking->room = larger;
    return SHW_OK;
}

static uint32_t room_left(const struct unpacking *unpacking)
{
    size_t left = unpacking->room - 1 - unpacking->out->size;

    return left < PIECE ? (uint32_t)left : PIECE;
}

/* Files may have several members, one after the other. */
static enum shw_result inflate_all(struct unpacking *unpacking, z_stream *stream)
{
    int state = Z_OK;

    while (state != Z_STREAM_END || stream->avail_in > 0) {
        uint32_t room;
        if (state == Z_STREAM_END && inflateReset(stream) != Z_OK)
            return fail_packed(unpacking);
        if (unpacking->out->size + 1 >= unpacking->room)
            SHW_PROPAGATE(make_room(unpacking));
        room = room_left(unpacking);
        stream->next_out = unpacking->out->bytes + unpacking->out->size;
        stream->avail_out = room;
        state = inflate(stream, Z_NO_FLUSH);
        if (state == Z_MEM_ERROR)
            return shw_fail_memory(unpacking->log, unpacking->name);
        if (state != Z_OK && state != Z_STREAM_END)
            return fail_packed(unpacking);
        unpacking->out->size += room - stream->avail_out;
    }
    return SHW_OK;
}

static enum shw_result read_gzip(struct unpacking *unpacking)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)unpacking->bytes, .avail_in = (uInt)unpacking->size};
    enum shw_result result;

    if (inflateInit2(&stream, 15 + 16) != Z_OK) /* with gzip's header */
        return shw_fail_memory(unpacking->log, unpacking->name);
    result = inflate_all(unpacking, &stream);
    inflateEnd(&stream);
    return result;
}

#if SHW_HAS_BZIP2
static enum shw_result decompress_all(struct unpacking *unpacking, bz_stream *stream)
{
    int state = BZ_OK;

    while (state != BZ_STREAM_END || stream->avail_in > 0) {
        uint32_t room, before = stream->avail_in;
        if (state == BZ_STREAM_END) {
            BZ2_bzDecompressEnd(stream);
            if (BZ2_bzDecompressInit(stream, 0, 0) != BZ_OK)
                return shw_fail_memory(unpacking->log, unpacking->name);
        }
        if (unpacking->out->size + 1 >= unpacking->room)
            SHW_PROPAGATE(make_room(unpacking));
        room = room_left(unpacking);
        stream->next_out = (char *)unpacking->out->bytes + unpacking->out->size;
        stream->avail_out = room;
        state = BZ2_bzDecompress(stream);
        if (state == BZ_MEM_ERROR)
            return shw_fail_memory(unpacking->log, unpacking->name);
        if (state != BZ_OK && state != BZ_STREAM_END)
            return fail_packed(unpacking);
        unpacking->out->size += room - stream->avail_out;
        if (state == BZ_OK && stream->avail_in == before && stream->avail_out == room)
            return fail_packed(unpacking); /* it waits for more bytes */
    }
    return SHW_OK;
}

static enum shw_result read_bzip2(struct unpacking *unpacking)
{
    bz_stream stream = {0};
    enum shw_result result;

    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK)
        return shw_fail_memory(unpacking->log, unpacking->name);
    stream.next_in = (char *)(uintptr_t)unpacking->bytes;
    stream.avail_in = (unsigned)unpacking->size;
    result = decompress_all(unpacking, &stream);
    BZ2_bzDecompressEnd(&stream);
    return result;
}
#else
static enum shw_result read_bzip2(struct unpacking *unpacking)
{
    return shw_fail(unpacking->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_FILE_READ,
                    "cannot read %s: this build has no libbz2; unpack it with bunzip2", unpacking->name);
}
#endif

static enum shw_result copy(struct unpacking *unpacking)
{
    unpacking->out->bytes = malloc(unpacking->size + 1);
    if (unpacking->out->bytes == NULL)
        return shw_fail_memory(unpacking->log, unpacking->name);
    memcpy(unpacking->out->bytes, unpacking->bytes, unpacking->size);
    unpacking->out->size = unpacking->size;
    return SHW_OK;
}

static bool begins_with(const struct unpacking *unpacking, const char *start, size_t length)
{
    return unpacking->size >= length && memcmp(unpacking->bytes, start, length) == 0;
}

enum shw_result shw_packed_bytes_read(const void *bytes, size_t size, const char *name, size_t most,
                                      const struct shw_log *log, struct shw_file_bytes *unpacked)
{
    struct unpacking unpacking = {
        .bytes = bytes, .size = size, .name = name, .most = most, .log = log, .out = unpacked};
    enum shw_result result;

    *unpacked = (struct shw_file_bytes){0};
    if (size > most || size > UINT32_MAX)
        result = shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "cannot read %s: it is larger than %zu MiB", name,
                          most >> 20);
    else if (begins_with(&unpacking, "\x1f\x8b", 2))
        result = read_gzip(&unpacking);
    else if (begins_with(&unpacking, "BZh", 3))
        result = read_bzip2(&unpacking);
    else
        result = copy(&unpacking);
    if (result == SHW_OK)
        result = check_size(&unpacking);
    if (result == SHW_OK)
        unpacked->bytes[unpacked->size] = 0;
    else
        shw_file_bytes_free(unpacked);
    return result;
}

enum shw_result shw_packed_file_read_sized(const char *path, size_t most, const struct shw_log *log,
                                           struct shw_file_bytes *unpacked, size_t *packed)
{
    struct shw_file_bytes bytes = {0};
    enum shw_result result;

    *unpacked = (struct shw_file_bytes){0};
    SHW_PROPAGATE(shw_file_bytes_read(path, most, log, &bytes));
    *packed = bytes.size;
    result = shw_packed_bytes_read(bytes.bytes, bytes.size, path, most, log, unpacked);
    shw_file_bytes_free(&bytes);
    return result;
}

enum shw_result shw_packed_file_read(const char *path, size_t most, const struct shw_log *log,
                                     struct shw_file_bytes *unpacked)
{
    size_t packed;

    return shw_packed_file_read_sized(path, most, log, unpacked, &packed);
}

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
