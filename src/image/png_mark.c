#include "image/png_mark.h"

#include <inttypes.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

struct chunk {
    uint8_t head[8]; /* length, big-endian; type */
    uint32_t length;
};

static bool read_head(FILE *stream, struct chunk *chunk)
{
    if (fread(chunk->head, 1, sizeof chunk->head, stream) != sizeof chunk->head)
        return false;
    chunk->length = (uint32_t)chunk->head[0] << 24 | (uint32_t)chunk->head[1] << 16 | (uint32_t)chunk->head[2] << 8 |
                    chunk->head[3];
    return true;
}

static bool has_type(const struct chunk *chunk, const char *type)
{
    return memcmp(chunk->head + 4, type, 4) == 0;
}

/* Goes through the chunks, each of which has a checksum of its contents, up to a mark or the end of the stream. The
 * mark is "" if there is none. False: this is not a PNG file. */
static bool digest_chunks(FILE *stream, uint64_t *digest, char mark[SHW_PNG_MARK_SIZE])
{
    uint8_t start[sizeof signature], checksum[4];
    struct chunk chunk;

    *digest = 0;
    mark[0] = '\0';
    if (fread(start, 1, sizeof start, stream) != sizeof start || memcmp(start, signature, sizeof start) != 0)
        return false;
    while (read_head(stream, &chunk)) {
        if (has_type(&chunk, "tEXt") && chunk.length < SHW_PNG_MARK_SIZE) {
            memset(mark, 0, SHW_PNG_MARK_SIZE);
            if (fread(mark, 1, chunk.length, stream) != chunk.length)
                return false;
            if (memcmp(mark, SHW_PNG_MARK_KEY, sizeof SHW_PNG_MARK_KEY) == 0)
                return fread(checksum, 1, sizeof checksum, stream) == sizeof checksum;
            mark[0] = '\0';
        } else if (fseeko(stream, (off_t)chunk.length, SEEK_CUR) != 0) {
            return false;
        }
        if (fread(checksum, 1, sizeof checksum, stream) != sizeof checksum)
            return false;
        *digest = XXH64(chunk.head, sizeof chunk.head, *digest);
        *digest = XXH64(checksum, sizeof checksum, *digest);
    }
    return true;
}

static size_t format_mark(const char *kind, uint64_t digest, char mark[SHW_PNG_MARK_SIZE])
{
    return (size_t)snprintf(mark, SHW_PNG_MARK_SIZE, "%s%c%.32s %016" PRIx64, SHW_PNG_MARK_KEY, 0, kind, digest);
}

size_t shw_png_make_mark(FILE *stream, const char *kind, char mark[SHW_PNG_MARK_SIZE])
{
    uint64_t digest;

    if (fflush(stream) != 0 || fseeko(stream, 0, SEEK_SET) != 0 || !digest_chunks(stream, &digest, mark) ||
        fseeko(stream, 0, SEEK_END) != 0)
        return 0;
    return format_mark(kind, digest, mark);
}

bool shw_png_is_marked(const char *path, const char *kind)
{
    FILE *stream = fopen(path, "rbe");
    char mark[SHW_PNG_MARK_SIZE], expected[SHW_PNG_MARK_SIZE] = "";
    struct chunk last = {.length = 1};
    uint64_t digest;
    bool marked;

    if (stream == NULL)
        return false;
    marked = digest_chunks(stream, &digest, mark) && mark[0] != '\0' && read_head(stream, &last) &&
             has_type(&last, "IEND") && last.length == 0;
    if (marked) {
        size_t length = format_mark(kind, digest, expected);
        marked = memcmp(mark, expected, length) == 0 && mark[length] == '\0';
    }
    fclose(stream);
    return marked;
}
