#include "dense/channels/plane_range.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/depth_code.h"

#define NUMBER_SIZE  24
#define DIGITS_MAX   15
#define EXPONENT_MAX 22 /* up to here, powers of ten are doubles */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal exponent after 'e', in *end the rest of the text. */
static bool read_exponent(const char *text, const char *stop, const char **end, int *exponent)
{
    bool negative = text < stop && *text == '-';
    int value = 0, digits = 0;

    text += text < stop && (*text == '-' || *text == '+');
    for (; text < stop && is_digit(*text) && digits < 3; text++, digits++)
        value = 10 * value + (*text - '0');
    *end = text;
    *exponent += negative ? -value : value;
    return digits > 0;
}

/* A number, which is all of the text. Both steps are exact or rounded once, as IEEE 754 has it. */
static bool read_number(const char *text, const char *stop, float *number)
{
    bool negative = text < stop && *text == '-', has_point = false;
    uint64_t digits = 0;
    int count = 0, exponent = 0;
    double value, power = 1;

    for (text += negative; text < stop && (is_digit(*text) || (*text == '.' && !has_point)); text++) {
        if (*text == '.') {
            has_point = true;
            continue;
        }
        if (++count > DIGITS_MAX)
            return false;
        digits = 10 * digits + (uint64_t)(*text - '0');
        exponent -= has_point;
    }
    if (count == 0)
        return false;
    if (text < stop && *text == 'e' && !read_exponent(text + 1, stop, &text, &exponent))
        return false;
    if (text != stop || abs(exponent) > EXPONENT_MAX)
        return false;
    for (int i = 0; i < abs(exponent); i++)
        power *= 10;
    value = exponent < 0 ? (double)digits / power : (double)digits * power;
    *number = (float)(negative ? -value : value);
    return true;
}

bool shw_plane_range_read(const char *text, size_t length, struct shw_plane_range *range)
{
    const char *stop = text + length, *dots = text;

    while (dots + 1 < stop && (dots[0] != '.' || dots[1] != '.'))
        dots++;
    return dots + 1 < stop && read_number(text, dots, &range->low) && read_number(dots + 2, stop, &range->high) &&
           shw_plane_range_is_valid(range->low, range->high);
}

/* The digits of a number with so many of them, and the decimal point, whatever the locale has for it. */
static size_t print(float number, int digits, char text[NUMBER_SIZE])
{
    char local[NUMBER_SIZE];
    size_t length = 0;
    bool in_point = false;

    snprintf(local, sizeof local, "%.*g", digits, (double)number);
    for (const char *c = local; *c != '\0' && length < NUMBER_SIZE - 1; c++) {
        bool plain = is_digit(*c) || *c == '-' || *c == '+' || *c == 'e';
        if (plain || !in_point)
            text[length++] = plain ? *c : '.';
        in_point = !plain;
    }
    text[length] = '\0';
    return length;
}

/* Without an exponent if the number is of a usual size. */
static void write_number(float number, char text[NUMBER_SIZE])
{
    float again, magnitude = fabsf(number);
    bool is_usual = magnitude >= 1e-4f && magnitude < 1e8f;

    for (int digits = 1; digits <= 9; digits++) {
        size_t length = print(number, digits, text);
        if (is_usual && digits < 9 && strchr(text, 'e') != NULL)
            continue;
        if (read_number(text, text + length, &again) && !(again < number) && !(again > number))
            return;
    }
}

void shw_plane_range_write(const struct shw_plane_range *range, char text[SHW_RANGE_TEXT_SIZE])
{
    char low[NUMBER_SIZE], high[NUMBER_SIZE];

    write_number(range->low, low);
    write_number(range->high, high);
    snprintf(text, SHW_RANGE_TEXT_SIZE, "%s..%s", low, high);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* What both ends have in common: the greater exponent. */
static uint32_t exponent_of(float low, float high)
{
    uint32_t of_low = bits_of(low) >> 23 & 255, of_high = bits_of(high) >> 23 & 255;

    return of_low > of_high ? of_low : of_high;
}

bool shw_plane_range_is_valid(float low, float high)
{
    uint32_t exponent;

    if (!isfinite(low) || !isfinite(high) || !(low < high))
        return false;
    exponent = exponent_of(low, high);
    return exponent > 0 && shw_float_in_range(bits_of(low), exponent) < shw_float_in_range(bits_of(high), exponent);
}

shw_uint4 shw_plane_range_scale(float low, float high)
{
    uint32_t exponent = exponent_of(low, high);
    int32_t first = shw_float_in_range(bits_of(low), exponent), last = shw_float_in_range(bits_of(high), exponent);

    return (shw_uint4){SHW_SCALE_RANGE | exponent << 16, (uint32_t)first, (uint32_t)last - (uint32_t)first, 0};
}
