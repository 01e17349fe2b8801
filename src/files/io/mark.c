#include "files/io/mark.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/log.h"
#include "files/io/file_bytes.h"

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

bool shw_mark_first_line(FILE *stream, long at)
{
    char digits[DIGITS + 1];

    return fflush(stream) == 0 && fseek(stream, 0, SEEK_SET) == 0 && skip_line(stream) && digest_rest(stream, digits) &&
           fseek(stream, at, SEEK_SET) == 0 && fwrite(digits, 1, DIGITS, stream) == DIGITS &&
           fseek(stream, 0, SEEK_END) == 0;
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
