#define _GNU_SOURCE /* memrchr() */
#include "files/tables/csv_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define CAPACITY_FIRST ((size_t)1 << 16)
#define CAPACITY_USUAL ((size_t)1 << 23)
#define BYTES_AFTER    2u /* a newline and a zero byte */

static enum shw_result resize(struct shw_csv_buffer *buffer, size_t capacity)
{
    char *text = realloc(buffer->text, capacity + BYTES_AFTER);

    if (text == NULL)
        return shw_fail_memory(&buffer->source->log, buffer->source->name);
    buffer->text = text;
    buffer->capacity = capacity;
    return SHW_OK;
}

static enum shw_result read_more(struct shw_csv_buffer *buffer)
{
    const size_t size = buffer->capacity - buffer->end;
    size_t count;

    SHW_PROPAGATE(shw_byte_source_read(buffer->source, buffer->text + buffer->end, size, &count));
    buffer->end += count;
    buffer->at_end = count < size;
    if (buffer->at_end && buffer->end > buffer->begin && buffer->text[buffer->end - 1] != '\n')
        buffer->text[buffer->end++] = '\n';
    buffer->text[buffer->end] = '\0';
    return SHW_OK;
}

enum shw_result shw_csv_buffer_fill(struct shw_csv_buffer *buffer)
{
    const size_t left = buffer->end - buffer->begin;

    if (buffer->at_end)
        return SHW_OK;
    if (left > 0)
        memmove(buffer->text, buffer->text + buffer->begin, left);
    buffer->begin = 0;
    buffer->end = left;
    if (buffer->capacity == 0)
        SHW_PROPAGATE(resize(buffer, CAPACITY_FIRST));
    else if (buffer->capacity < CAPACITY_USUAL)
        SHW_PROPAGATE(resize(buffer, 2 * buffer->capacity));
    return read_more(buffer);
}

/* The line, from 1, of the record that does not end in the buffer. */
static uint64_t unfinished_line(const struct shw_csv_buffer *buffer)
{
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end, *next;
    uint64_t lines = buffer->lines;

    while ((next = shw_csv_record_end(buffer, at, end)) != NULL)
        for (; at < next; at++)
            lines += *at == '\n';
    return lines + 1;
}

enum shw_result shw_csv_buffer_grow(struct shw_csv_buffer *buffer)
{
    if (buffer->capacity >= SHW_CSV_RECORD_MAX)
        return shw_fail(&buffer->source->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                        "%s, line %llu: a record of more than %zu MiB", buffer->source->name,
                        (unsigned long long)unfinished_line(buffer), SHW_CSV_RECORD_MAX >> 20);
    SHW_PROPAGATE(resize(buffer, 2 * buffer->capacity));
    return read_more(buffer);
}

bool shw_csv_is_void(const struct shw_csv_buffer *buffer, const char *line)
{
    if (*line == buffer->marks[0] || (buffer->marks[1] != '\0' && *line == buffer->marks[1]))
        return true;
    while (*line == ' ' || *line == '\r')
        line++;
    return *line == '\n';
}

const char *shw_csv_find_record(const struct shw_csv_buffer *buffer, const char *from, uint64_t *lines)
{
    const char *end = buffer->text + buffer->end;

    while (from < end) {
        const char *newline = memchr(from, '\n', (size_t)(end - from));
        if (newline == NULL || !shw_csv_is_void(buffer, from))
            return newline == NULL && shw_csv_is_void(buffer, from) ? NULL : from;
        from = newline + 1;
        ++*lines;
    }
    return NULL;
}

/* The same for a record with quotation marks, of which those at the beginning of a field count. */
static const char *quoted_record_end(const struct shw_csv_buffer *buffer, const char *at, const char *end)
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
        field_begins = *at == buffer->delimiter || (field_begins && (*at == ' ' || *at == '\t'));
    }
    return NULL;
}

const char *shw_csv_record_end(const struct shw_csv_buffer *buffer, const char *record, const char *end)
{
    const char *newline = memchr(record, '\n', (size_t)(end - record));

    if (newline == NULL)
        return NULL;
    if (shw_csv_is_void(buffer, record) || memchr(record, '"', (size_t)(newline - record)) == NULL)
        return newline + 1;
    return quoted_record_end(buffer, record, end);
}

void shw_csv_buffer_divide(const struct shw_csv_buffer *buffer, uint32_t count, const char **ends)
{
    const char *begin = buffer->text + buffer->begin, *end = buffer->text + buffer->end, *at = begin, *next;
    const bool has_quotes = memchr(begin, '"', (size_t)(end - begin)) != NULL;

    for (uint32_t i = 0; i < count; i++) {
        const char *goal = begin + (size_t)(end - begin) / count * (i + 1);

        if (i + 1 == count)
            goal = end;
        if (!has_quotes) {
            next = goal > at ? memrchr(at, '\n', (size_t)(goal - at)) : NULL;
            at = next != NULL ? next + 1 : at;
        } else {
            while (at < goal && (next = shw_csv_record_end(buffer, at, end)) != NULL)
                at = next;
        }
        ends[i] = at;
    }
}

void shw_csv_buffer_free(struct shw_csv_buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct shw_csv_buffer){0};
}
