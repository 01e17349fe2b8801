/* Lines of text files, and their fields. */
#ifndef SHW_FILES_CONVERT_FIELDS_H
#define SHW_FILES_CONVERT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A part of a text. */
struct shw_field {
    const char *start;
    size_t length;
};

/* A text that is gone through by lines. */
struct shw_lines {
    const char *at, *end;
    unsigned number;       /* of the line, from 1 */
    struct shw_field line; /* without its end, also in the way of Windows */
};

/* Goes to the next line; false at the end. */
static inline bool shw_lines_next(struct shw_lines *lines)
{
    const char *newline;

    if (lines->at == lines->end)
        return false;
    newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    lines->line.start = lines->at;
    lines->line.length = (size_t)((newline != NULL ? newline : lines->end) - lines->at);
    lines->at = newline != NULL ? newline + 1 : lines->end;
    lines->number++;
    if (lines->line.length > 0 && lines->line.start[lines->line.length - 1] == '\r')
        lines->line.length--;
    return true;
}

/* Removes the next field, between any of the separators, from the beginning of the line. False if there is none. */
static inline bool shw_field_next(struct shw_field *line, const char *separators, struct shw_field *field)
{
    size_t length = 0;

    while (line->length > 0 && line->start[0] != '\0' && strchr(separators, line->start[0]) != NULL) {
        line->start++;
        line->length--;
    }
    while (length < line->length && (line->start[length] == '\0' || strchr(separators, line->start[length]) == NULL))
        length++;
    *field = (struct shw_field){line->start, length};
    line->start += length;
    line->length -= length;
    return length > 0;
}

static inline bool shw_field_is(const struct shw_field *field, const char *text)
{
    return field->length == strlen(text) && memcmp(field->start, text, field->length) == 0;
}

/* A whole number from 0 to `high`, in digits alone. */
static inline bool shw_field_number(const struct shw_field *field, uint64_t high, uint64_t *number)
{
    uint64_t value = 0;

    for (size_t i = 0; i < field->length; i++) {
        uint64_t digit = (uint64_t)(unsigned char)field->start[i] - '0';
        if (digit > 9 || digit > high || value > (high - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return field->length > 0;
}

/* The length to print with %.*s in a message. */
static inline int shw_field_shown(const struct shw_field *field)
{
    return field->length < 80 ? (int)field->length : 80;
}

/* A copy, to be freed with free(); NULL if memory is exhausted. */
static inline char *shw_field_copy(const struct shw_field *field)
{
    return strndup(field->start, field->length);
}

#endif
