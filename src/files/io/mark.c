#include "files/io/mark.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/hash.h"
#include "base/input_file.h"
#include "base/log.h"

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

#define CHUNK_FRAME 12u /* bytes of a chunk besides its contents */
#define TEXT_BYTES  ((uint32_t)1 << 16)

struct chunk {
    uint8_t head[8]; /* length, big-endian; type */
    uint32_t length;
    uint32_t check; /* of the type and what was read of the contents */
};

static uint32_t word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The cyclic redundancy check of the PNG specification, section 5.5, four bits at a time; begins with all bits set, and
 * is stored inverted. */
static uint32_t update_check(uint32_t check, const uint8_t *bytes, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

    for (size_t i = 0; i < size; i++) {
        check ^= bytes[i];
        check = check >> 4 ^ table[check & 15];
        check = check >> 4 ^ table[check & 15];
    }
    return check;
}

static bool read_head(FILE *stream, struct chunk *chunk)
{
    if (fread(chunk->head, 1, sizeof chunk->head, stream) != sizeof chunk->head)
        return false;
    chunk->length = word(chunk->head);
    chunk->check = update_check(UINT32_MAX, chunk->head + 4, 4);
    return true;
}

static bool read_contents(FILE *stream, struct chunk *chunk, void *bytes, size_t size)
{
    if (fread(bytes, 1, size, stream) != size)
        return false;
    chunk->check = update_check(chunk->check, bytes, size);
    return true;
}

static bool skip_contents(FILE *stream, struct chunk *chunk)
{
    uint8_t bytes[4096];

    for (uint32_t left = chunk->length; left > 0;) {
        size_t some = left < sizeof bytes ? left : sizeof bytes;

        if (!read_contents(stream, chunk, bytes, some))
            return false;
        left -= (uint32_t)some;
    }
    return true;
}

/* Reads the checksum after the contents. False if it is not theirs. */
static bool read_checksum(FILE *stream, const struct chunk *chunk, uint8_t checksum[4])
{
    return fread(checksum, 1, 4, stream) == 4 && word(checksum) == ~chunk->check;
}

static bool has_type(const struct chunk *chunk, const char *type)
{
    return memcmp(chunk->head + 4, type, 4) == 0;
}

/* Goes through the chunks up to a mark or the end of the stream. Their checksums, which must be right, stand for their
 * contents. The mark is "" if there is none. False: this is not a PNG file, or it is damaged. */
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
            if (!read_contents(stream, &chunk, mark, chunk.length))
                return false;
            if (memcmp(mark, SHW_PNG_MARK_KEY, sizeof SHW_PNG_MARK_KEY) == 0)
                return read_checksum(stream, &chunk, checksum);
            mark[0] = '\0';
        } else if (!skip_contents(stream, &chunk)) {
            return false;
        }
        if (!read_checksum(stream, &chunk, checksum))
            return false;
        *digest = XXH64(chunk.head, sizeof chunk.head, *digest);
        *digest = XXH64(checksum, sizeof checksum, *digest);
    }
    return true;
}

static size_t format_mark(const char *kind, uint64_t digest, char mark[SHW_PNG_MARK_SIZE])
{
    return (size_t)snprintf(mark, SHW_PNG_MARK_SIZE, "%s%c%.*s %016" PRIx64, SHW_PNG_MARK_KEY, 0,
                            (int)SHW_PNG_KIND_SIZE - 1, kind, digest);
}

size_t shw_png_make_mark(FILE *stream, const char *kind, char mark[SHW_PNG_MARK_SIZE])
{
    uint64_t digest;

    if (fflush(stream) != 0 || fseeko(stream, 0, SEEK_SET) != 0 || !digest_chunks(stream, &digest, mark) ||
        fseeko(stream, 0, SEEK_END) != 0)
        return 0;
    return format_mark(kind, digest, mark);
}

/* Whether a mark can be right: it stands at the end, before the last chunk, which is empty. Spares reading the whole of
 * a file that has none. The stream is at its beginning before and after. */
static bool may_be_marked(FILE *stream)
{
    uint8_t tail[SHW_PNG_MARK_SIZE + 2 * CHUNK_FRAME];
    const size_t length = sizeof SHW_PNG_MARK_KEY;
    size_t size;
    bool found = false;

    if (fseeko(stream, -(off_t)sizeof tail, SEEK_END) != 0 && fseeko(stream, 0, SEEK_SET) != 0)
        return false;
    size = fread(tail, 1, sizeof tail, stream);
    for (size_t i = 0; i + length <= size && !found; i++)
        found = memcmp(tail + i, SHW_PNG_MARK_KEY, length) == 0;
    return found && fseeko(stream, 0, SEEK_SET) == 0;
}

/* The kind in a mark, if the mark is that of the digest. */
static bool take_kind(const char mark[SHW_PNG_MARK_SIZE], uint64_t digest, char kind[SHW_PNG_KIND_SIZE])
{
    const char *text = mark + sizeof SHW_PNG_MARK_KEY, *space = strrchr(text, ' ');
    char expected[SHW_PNG_MARK_SIZE] = "";
    size_t length = space != NULL ? (size_t)(space - text) : 0;

    if (length == 0 || length >= SHW_PNG_KIND_SIZE)
        return false;
    memcpy(kind, text, length);
    kind[length] = '\0';
    length = format_mark(kind, digest, expected);
    return memcmp(mark, expected, length) == 0 && mark[length] == '\0';
}

bool shw_png_read_mark(const char *path, char kind[SHW_PNG_KIND_SIZE])
{
    FILE *stream;
    char mark[SHW_PNG_MARK_SIZE] = "";
    struct chunk last = {.length = 1};
    uint8_t checksum[4];
    uint64_t digest, size;
    bool marked;

    kind[0] = '\0';
    if (shw_file_open(path, NULL, &stream, &size) != SHW_OK)
        return false;
    marked = may_be_marked(stream) && digest_chunks(stream, &digest, mark) && mark[0] != '\0' &&
             read_head(stream, &last) && has_type(&last, "IEND") && last.length == 0 &&
             read_checksum(stream, &last, checksum) && fgetc(stream) == EOF && take_kind(mark, digest, kind);
    if (!marked)
        kind[0] = '\0';
    fclose(stream);
    return marked;
}

bool shw_png_is_marked(const char *path, const char *kind)
{
    char marked[SHW_PNG_KIND_SIZE];

    return shw_png_read_mark(path, marked) && strcmp(marked, kind) == 0;
}

/* The text in the contents of a chunk iTXt, which end with a zero here: the key, two bytes about its compression, which
 * there must not be, its language, the key in that, and the text. NULL: it has another key. */
static const char *find_text(const char *contents, uint32_t length, const char *key)
{
    const char *end = contents + length, *at = contents + strlen(contents) + 1;

    if (strcmp(contents, key) != 0 || end - at < 2 || *at != 0)
        return NULL;
    at += 2;
    for (int skipped = 0; skipped < 2; skipped++) {
        if (at >= end)
            return NULL;
        at += strlen(at) + 1;
    }
    return at <= end ? at : NULL;
}

/* The text of the next chunk, if it has that key. *more: others follow before the pixels. */
static char *read_text_chunk(FILE *stream, const char *key, bool *more)
{
    struct chunk chunk;
    uint8_t checksum[4];
    char *contents, *text = NULL;
    const char *found;

    *more = read_head(stream, &chunk) && !has_type(&chunk, "IDAT");
    if (!*more)
        return NULL;
    if (!has_type(&chunk, "iTXt") || chunk.length >= TEXT_BYTES) {
        *more = skip_contents(stream, &chunk) && read_checksum(stream, &chunk, checksum);
        return NULL;
    }
    contents = calloc(1, (size_t)chunk.length + 1);
    *more = contents != NULL && read_contents(stream, &chunk, contents, chunk.length) &&
            read_checksum(stream, &chunk, checksum);
    found = *more ? find_text(contents, chunk.length, key) : NULL;
    if (found != NULL)
        text = strdup(found);
    free(contents);
    return text;
}

char *shw_png_read_text(const char *path, const char *key)
{
    uint8_t start[sizeof signature];
    FILE *stream;
    uint64_t size;
    char *text = NULL;
    bool more;

    if (shw_file_open(path, NULL, &stream, &size) != SHW_OK)
        return NULL;
    more = fread(start, 1, sizeof start, stream) == sizeof start && memcmp(start, signature, sizeof start) == 0;
    while (more && text == NULL)
        text = read_text_chunk(stream, key, &more);
    fclose(stream);
    return text;
}

#define MEMBER "shadewood"
#define DIGITS 16u

/* The value of the member for a document without it. NULL if memory is exhausted. */
static json_t *make_member(const json_t *document, const char *kind)
{
    char *text = json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS), value[SHW_MARK_TEXT_SIZE];

    if (text == NULL)
        return NULL;
    snprintf(value, sizeof value, "%s %016" PRIx64, kind, (uint64_t)XXH64(text, strlen(text), 0));
    free(text);
    return json_string(value);
}

bool shw_mark_json(json_t *document, const char *kind)
{
    json_object_del(document, MEMBER);
    return json_object_set_new(document, MEMBER, make_member(document, kind)) == 0;
}

bool shw_json_is_marked(json_t *document, const char *kind)
{
    json_t *member = json_incref(json_object_get(document, MEMBER)), *expected;
    bool marked;

    if (member == NULL)
        return false;
    json_object_del(document, MEMBER);
    expected = make_member(document, kind);
    marked = expected != NULL && json_equal(member, expected) != 0;
    json_object_set_new(document, MEMBER, member);
    json_decref(expected);
    return marked;
}

void shw_make_text_mark(const char *kind, const void *rest, size_t size, char line[SHW_MARK_TEXT_SIZE])
{
    snprintf(line, SHW_MARK_TEXT_SIZE, "# Shadewood: %s %016" PRIx64 "\n", kind, (uint64_t)XXH64(rest, size, 0));
}

enum shw_result shw_marked_text_write(const char *path, const char *kind, const void *rest, size_t size,
                                      const struct shw_log *log)
{
    char line[SHW_MARK_TEXT_SIZE];
    struct shw_atomic_file file;

    shw_make_text_mark(kind, rest, size, line);
    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    fputs(line, file.stream);
    fwrite(rest, 1, size, file.stream);
    return shw_atomic_file_commit(&file, log);
}

bool shw_text_is_marked(const void *text, size_t size, const char *kind)
{
    char line[SHW_MARK_TEXT_SIZE];
    const char *end = memchr(text, '\n', size);
    size_t length = end != NULL ? (size_t)(end + 1 - (const char *)text) : size;

    shw_make_text_mark(kind, (const char *)text + length, size - length, line);
    return length == strlen(line) && memcmp(text, line, length) == 0;
}

/* The digest of everything from the position on, as 16 digits. False if it cannot be read. */
static bool digest_rest(FILE *stream, char digits[DIGITS + 1])
{
    XXH64_state_t state;
    char bytes[4096];
    size_t size;

    XXH64_reset(&state, 0);
    while ((size = fread(bytes, 1, sizeof bytes, stream)) > 0)
        XXH64_update(&state, bytes, size);
    snprintf(digits, DIGITS + 1, "%016" PRIx64, (uint64_t)XXH64_digest(&state));
    return ferror(stream) == 0;
}

static bool skip_line(FILE *stream)
{
    int byte;

    do
        byte = getc(stream);
    while (byte != '\n' && byte != EOF);
    return byte == '\n';
}

/* Writes the digits; the position of the stream is then at its end. False if it cannot be read back. */
static bool write_digits(FILE *stream, long at)
{
    char digits[DIGITS + 1];

    return fflush(stream) == 0 && fseek(stream, 0, SEEK_SET) == 0 && skip_line(stream) && digest_rest(stream, digits) &&
           fseek(stream, at, SEEK_SET) == 0 && fwrite(digits, 1, DIGITS, stream) == DIGITS &&
           fseek(stream, 0, SEEK_END) == 0;
}

enum shw_result shw_mark_set_digits(struct shw_atomic_file *file, const char *path, long at, enum shw_result result,
                                    const struct shw_log *log)
{
    int error;

    if (result == SHW_OK && !write_digits(file->stream, at) &&
        !shw_atomic_file_failed(file, &error)) /* commit reports it */
        result = shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                          "cannot write %s: what was written cannot be read back", path);
    if (result != SHW_OK)
        shw_atomic_file_abandon(file);
    return result;
}

enum shw_result shw_mark_first_line(struct shw_atomic_file *file, const char *path, long at, enum shw_result result,
                                    const struct shw_log *log)
{
    SHW_PROPAGATE(shw_mark_set_digits(file, path, at, result, log));
    return shw_atomic_file_commit(file, log);
}

/* Whether the stream goes on with the text. */
static bool read_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++)
        if (getc(stream) != (unsigned char)*text)
            return false;
    return true;
}

bool shw_first_line_is_marked(const char *path, const char *before, const char *after)
{
    FILE *stream;
    char digits[DIGITS], expected[DIGITS + 1];
    uint64_t size;
    bool marked;

    if (shw_file_open(path, NULL, &stream, &size) != SHW_OK)
        return false;
    marked = read_text(stream, before) && fread(digits, 1, DIGITS, stream) == DIGITS && read_text(stream, after) &&
             getc(stream) == '\n' && digest_rest(stream, expected) && memcmp(digits, expected, DIGITS) == 0;
    fclose(stream);
    return marked;
}
