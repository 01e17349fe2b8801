#include "files/tables/csv_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "files/tables/number.h"

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

/* The digits of a whole number without an exponent, and with only zeros after a point: "7" for "+007.0". NULL if it is
 * not one. */
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

/* Normalises the name of a class that is a number, in place. Whole numbers keep all their digits. */
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
    const size_t length = shw_csv_field_text(field, SHW_CLASS_NAME_BYTES_MAX, name);
    float number;

    if (length > SHW_CLASS_NAME_BYTES_MAX || length == 0)
        return length;
    if (strcmp(name, "?") == 0 || strcasecmp(name, "nan") == 0)
        return 0;
    if (shw_number_read(name, &number) == name + length)
        return name_number(name);
    return length;
}
