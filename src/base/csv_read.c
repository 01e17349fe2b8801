#include "base/csv_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file_bytes.h"
#include "base/log.h"

static bool is_blank(char c, char delimiter)
{
    return c == ' ' || (c == '\t' && delimiter != '\t');
}

static bool is_end(const char *at, char delimiter)
{
    return *at == delimiter || *at == '\n' || (*at == '\r' && at[1] == '\n');
}

static const char *skip_blanks(const char *at, char delimiter)
{
    while (is_blank(*at, delimiter))
        at++;
    return at;
}

static bool read_quoted(const char *at, char delimiter, struct shw_csv_field *field)
{
    field->quoted = true;
    field->text = ++at;
    for (; *at != '"' || at[1] == '"'; at++) {
        at += *at == '"';
        field->lines += *at == '\n';
    }
    field->length = (size_t)(at - field->text);
    field->end = skip_blanks(at + 1, delimiter);
    return is_end(field->end, delimiter);
}

static void read_bare(const char *at, char delimiter, struct shw_csv_field *field)
{
    field->text = at;
    while (!is_end(at, delimiter))
        at++;
    field->end = at;
    while (at > field->text && is_blank(at[-1], delimiter))
        at--;
    field->length = (size_t)(at - field->text);
}

bool shw_csv_field_read(const char *at, char delimiter, struct shw_csv_field *field)
{
    *field = (struct shw_csv_field){.quoted = false};
    at = skip_blanks(at, delimiter);
    if (*at == '"')
        return read_quoted(at, delimiter, field);
    read_bare(at, delimiter, field);
    return true;
}

size_t shw_csv_field_text(const struct shw_csv_field *field, size_t most, char *text)
{
    size_t length = 0;

    for (size_t i = 0; i < field->length; i++) {
        const char c = field->text[i];

        if (length == most)
            return most + 1;
        i += field->quoted && c == '"';
        text[length++] = c;
    }
    text[length] = '\0';
    return length;
}

char *shw_csv_field_copy(const struct shw_csv_field *field)
{
    char *copy = malloc(field->length + 1);

    if (copy != NULL)
        shw_csv_field_text(field, field->length, copy);
    return copy;
}

/* Of a record with quotation marks, of which those at the beginning of a field count. */
static const char *quoted_record_end(const char *at, const char *end, char delimiter)
{
    bool field_begins = true;

    for (; at < end; at++) {
        if (*at == '"' && field_begins) {
            do {
                at = memchr(at + 1, '"', (size_t)(end - at - 1));
                if (at == NULL || at + 1 == end)
                    return NULL;
            } while (at[1] == '"' && ++at);
        }
        if (*at == '\n')
            return at + 1;
        field_begins = *at == delimiter || (field_begins && (*at == ' ' || *at == '\t'));
    }
    return NULL;
}

const char *shw_csv_record_end(const char *record, const char *end, char delimiter)
{
    const char *newline = memchr(record, '\n', (size_t)(end - record));

    if (newline == NULL || memchr(record, '"', (size_t)(newline - record)) == NULL)
        return newline != NULL ? newline + 1 : NULL;
    return quoted_record_end(record, end, delimiter);
}

static enum shw_result refuse(const struct shw_csv_reader *reader, const char *why)
{
    return shw_fail(reader->log, SHW_ERROR_FORMAT, reader->item, "%s, line %u: %s", reader->name, reader->line, why);
}

enum shw_result shw_csv_begin(struct shw_csv_reader *reader, const void *bytes, size_t size)
{
    const char *text = shw_skip_byte_order_mark(bytes, &size);

    reader->text = malloc(size + 2);
    if (reader->text == NULL)
        return shw_fail_memory(reader->log, reader->name);
    memcpy(reader->text, text, size);
    if (size > 0 && text[size - 1] != '\n')
        reader->text[size++] = '\n';
    reader->text[size] = '\0';
    reader->at = reader->text;
    reader->end = reader->text + size;
    reader->next_line = 1;
    return SHW_OK;
}

static bool is_void(const struct shw_csv_reader *reader, const char *line)
{
    const char *start = line + strspn(line, " \t\r");

    return *start == '\n' ||
           strncmp(reader->keeps_blanks ? line : start, reader->comment, strlen(reader->comment)) == 0;
}

/* Adds the text of a field, which begins at `at` or after it, to the record, and ends it there. */
static bool add_field(struct shw_csv_reader *reader, char *at, struct shw_csv_field *field)
{
    if (!SHW_RESERVE(reader->fields, reader->capacity, (size_t)reader->count + 1))
        return false;
    if (reader->keeps_blanks && !field->quoted) {
        field->text = at;
        field->length = (size_t)(field->end - at);
    }
    shw_csv_field_text(field, field->length, at);
    reader->fields[reader->count++] = at;
    return true;
}

static enum shw_result divide(struct shw_csv_reader *reader, char *at)
{
    for (;;) {
        const bool is_rest = reader->count == reader->fields_max;
        struct shw_csv_field field = {.quoted = false};
        bool is_last;

        if (is_rest || reader->is_plain)
            read_bare(at, is_rest ? '\n' : ',', &field);
        else if (!shw_csv_field_read(at, ',', &field))
            return refuse(reader, "text after a closing quotation mark");
        is_last = *field.end != ',';
        if (!add_field(reader, at, &field))
            return shw_fail_memory(reader->log, reader->name);
        if (is_last || is_rest)
            return SHW_OK;
        at += field.end - at + 1;
    }
}

enum shw_result shw_csv_next(struct shw_csv_reader *reader)
{
    reader->count = 0;
    while (reader->at < reader->end) {
        char *record = reader->at;
        const bool skips = is_void(reader, record);
        const char *end = skips || reader->is_plain
                              ? (const char *)memchr(record, '\n', (size_t)(reader->end - record)) + 1
                              : shw_csv_record_end(record, reader->end, ',');

        reader->line = reader->next_line;
        if (end == NULL)
            return refuse(reader, "a quotation mark is not closed");
        if (memchr(record, '\0', (size_t)(end - record)) != NULL)
            return refuse(reader, "this is not a text");
        for (; reader->at < end; reader->at++)
            reader->next_line += *reader->at == '\n';
        if (!skips)
            return divide(reader, record);
    }
    return SHW_OK;
}

void shw_csv_end(struct shw_csv_reader *reader)
{
    free(reader->text);
    free(reader->fields);
    reader->text = NULL;
    reader->fields = NULL;
}
