#include "files/tables/csv_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "files/tables/number.h"

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

bool shw_csv_field_read(const char *at, char delimiter, struct shw_csv_field *field)
{
    *field = (struct shw_csv_field){.quoted = false};
    at = skip_blanks(at, delimiter);
    if (*at == '"')
        return read_quoted(at, delimiter, field);
    field->text = at;
    while (!is_end(at, delimiter))
        at++;
    field->end = at;
    while (at > field->text && is_blank(at[-1], delimiter))
        at--;
    field->length = (size_t)(at - field->text);
    return true;
}

static bool is_word(const struct shw_csv_field *field, const char *word)
{
    return strlen(word) == field->length && strncasecmp(field->text, word, field->length) == 0;
}

static bool is_missing(const struct shw_csv_field *field)
{
    return field->length == 0 || is_word(field, "?") || is_word(field, "NA") || is_word(field, "NaN") ||
           is_word(field, "null") || is_word(field, "N/A");
}

static bool is_infinite(const struct shw_csv_field *field, float *value)
{
    struct shw_csv_field rest = *field;
    const bool sign = field->length > 0 && (*field->text == '-' || *field->text == '+');

    rest.text += sign;
    rest.length -= sign;
    *value = sign && *field->text == '-' ? -INFINITY : INFINITY;
    return is_word(&rest, "inf") || is_word(&rest, "infinity");
}

enum shw_csv_field_kind shw_csv_field_number(const struct shw_csv_field *field, float *value)
{
    if (field->length > 0 && shw_number_read(field->text, value) == field->text + field->length)
        return SHW_CSV_NUMBER;
    if (is_infinite(field, value))
        return SHW_CSV_NUMBER;
    *value = NAN;
    return is_missing(field) ? SHW_CSV_MISSING : SHW_CSV_TEXT;
}

/* The text with single quotation marks for pairs. Returns its length: more than `most` if it is longer, and then it is
 * incomplete. */
static size_t copy_text(const struct shw_csv_field *field, size_t most, char *text)
{
    size_t length = 0;

    for (size_t i = 0; i < field->length; i++) {
        if (length == most)
            return most + 1;
        text[length++] = field->text[i];
        i += field->quoted && field->text[i] == '"';
    }
    text[length] = '\0';
    return length;
}

char *shw_csv_field_copy(const struct shw_csv_field *field)
{
    char *copy = malloc(field->length + 1);

    if (copy != NULL)
        copy_text(field, field->length, copy);
    return copy;
}

/* The digits of a whole number without point and exponent, but for zeros after a point: of "+007.0", "7". NULL if it is
 * none. */
static const char *whole_digits(const char *name, size_t *length)
{
    const char *from = name + (*name == '-' || *name == '+'), *end = from + strspn(from, "0123456789"), *rest = end;

    if (end == from)
        return NULL;
    if (*rest == '.')
        rest += 1 + strspn(rest + 1, "0");
    while (end - from > 1 && *from == '0')
        from++;
    *length = (size_t)(end - from);
    return *rest == '\0' ? from : NULL;
}

/* The name of a class that is a number, in place. Whole ones stay as exact as they are written. */
static size_t name_number(char name[SHW_CLASS_NAME_BYTES_MAX + 1])
{
    size_t length = 0;
    const char *digits = whole_digits(name, &length);
    const bool negative = *name == '-' && digits != NULL && *digits != '0';

    if (digits == NULL)
        return shw_class_name_of_number(strtod(name, NULL), name);
    memmove(name + negative, digits, length);
    name[negative + length] = '\0';
    return negative + length;
}

size_t shw_csv_field_class(const struct shw_csv_field *field, char name[SHW_CLASS_NAME_BYTES_MAX + 1])
{
    const size_t length = copy_text(field, SHW_CLASS_NAME_BYTES_MAX, name);
    float number;

    if (length > SHW_CLASS_NAME_BYTES_MAX || length == 0)
        return length;
    if (strcmp(name, "?") == 0 || strcasecmp(name, "nan") == 0)
        return 0;
    if (shw_number_read(name, &number) == name + length)
        return name_number(name);
    return length;
}
