#include "formats/source.h"

#include <stdlib.h>
#include <string.h>

#if SHW_HAS_ZLIB
#include <zlib.h>
#endif
#if SHW_HAS_BZIP2
#include <bzlib.h>
#endif

#include "base/log.h"

#define PIECE (1u << 20) /* bytes unpacked at first; the room doubles */

struct unpacking {
    const uint8_t *bytes;
    size_t size;
    const char *name;
    size_t most;
    const struct shw_log *log;
    struct shw_file_bytes *out;
    size_t room;
};

#if SHW_HAS_ZLIB || SHW_HAS_BZIP2
static enum shw_result fail_packed(const struct unpacking *unpacking)
{
    return shw_fail(unpacking->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                    "%s: the compressed data is damaged or incomplete", unpacking->name);
}
#endif

static enum shw_result check_size(const struct unpacking *unpacking)
{
    return unpacking->out->size <= unpacking->most
               ? SHW_OK
               : shw_fail(unpacking->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                          "cannot read %s: it unpacks to more than %zu MiB", unpacking->name, unpacking->most >> 20);
}

#if SHW_HAS_ZLIB || SHW_HAS_BZIP2
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

#endif

#if SHW_HAS_ZLIB
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
#else
static enum shw_result read_gzip(struct unpacking *unpacking)
{
    return shw_fail(unpacking->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_FILE_READ,
                    "cannot read %s: this build has no zlib; unpack it with gunzip", unpacking->name);
}
#endif

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

static enum shw_result unpack(const struct shw_file_bytes *bytes, const char *name, size_t most,
                              const struct shw_log *log, struct shw_file_bytes *unpacked)
{
    struct unpacking unpacking = {
        .bytes = bytes->bytes, .size = bytes->size, .name = name, .most = most, .log = log, .out = unpacked};
    enum shw_result result;

    if (begins_with(&unpacking, "\x1f\x8b", 2))
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

const char *shw_source_name(const struct shw_import_source *source)
{
    return source->path != NULL ? source->path : source->name != NULL ? source->name : "model";
}

static enum shw_result copy_bytes(const struct shw_import_source *source, uint64_t most, const struct shw_log *log,
                                  struct shw_file_bytes *file)
{
    const char *name = shw_source_name(source);

    SHW_PROPAGATE(shw_file_check_size(name, source->size, most, log));
    file->bytes = malloc(source->size + 1);
    if (file->bytes == NULL)
        return shw_fail_memory(log, name);
    if (source->size > 0)
        memcpy(file->bytes, source->bytes, source->size);
    file->bytes[source->size] = 0;
    file->size = source->size;
    return SHW_OK;
}

enum shw_result shw_source_read(const struct shw_import_source *source, uint64_t most, const struct shw_log *log,
                                struct shw_file_bytes *file)
{
    *file = (struct shw_file_bytes){0};
    return source->path != NULL ? shw_file_bytes_read(source->path, most, log, file)
                                : copy_bytes(source, most, log, file);
}

enum shw_result shw_source_unpack(const struct shw_import_source *source, size_t most, const struct shw_log *log,
                                  struct shw_file_bytes *unpacked, size_t *packed)
{
    struct shw_file_bytes bytes = {0};
    enum shw_result result;

    *unpacked = (struct shw_file_bytes){0};
    SHW_PROPAGATE(shw_source_read(source, most, log, &bytes));
    if (packed != NULL)
        *packed = bytes.size;
    result = unpack(&bytes, shw_source_name(source), most, log, unpacked);
    shw_file_bytes_free(&bytes);
    return result;
}
