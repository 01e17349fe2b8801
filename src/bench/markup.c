#include "bench/markup.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void shw_markup_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: putc(*text, out); break;
        }
}

const char *shw_text_format(char *text, size_t size, const char *format, ...)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length >= size) {
        size_t end = size - sizeof ellipsis;
        while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
            end--;
        memcpy(text + end, ellipsis, sizeof ellipsis);
    }
    return text;
}

size_t shw_text_length(const char *text)
{
    size_t length = 0;

    for (; *text != '\0'; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80;
    return length;
}

const char *shw_number(char text[SHW_NUMBER_SIZE], double value)
{
    double size = fabs(value);
    int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : size >= 0.09995 ? 3 : 4;

    if (size >= 1e9 || (size > 0 && size < 0.001))
        snprintf(text, SHW_NUMBER_SIZE, "%.2e", value);
    else
        snprintf(text, SHW_NUMBER_SIZE, "%.*f", decimals, value);
    return text;
}

const char *shw_number_short(char text[SHW_NUMBER_SIZE], double value)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    char digits[SHW_NUMBER_SIZE];
    int unit = 0;

    while (unit < 5 && fabs(value) >= 999.5) {
        value /= 1000;
        unit++;
    }
    if (value == floor(value) && fabs(value) < 1000)
        snprintf(digits, sizeof digits, "%.0f", value);
    else
        shw_number(digits, value);
    snprintf(text, SHW_NUMBER_SIZE, "%.24s%s", digits, units[unit]);
    return text;
}

const char *shw_text_member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

double shw_number_member(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

const json_t *shw_row_timing(const json_t *row)
{
    const json_t *timing = json_object_get(row, "device_ms");

    if (!(shw_number_member(timing, "median") > 0))
        timing = json_object_get(row, "wall_ms");
    return shw_number_member(timing, "median") > 0 ? timing : NULL;
}

double shw_row_ms(const json_t *row)
{
    return shw_number_member(shw_row_timing(row), "median");
}
