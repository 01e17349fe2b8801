#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "files/tables/number.h"

#define DIGITS_LEAST 6
#define DIGITS_MOST  9 /* from which every float32 comes back */

static bool comes_back(const char *text, float value)
{
    float read;

    return shw_number_read(text, &read) != NULL && read == value;
}

/* A whole number of `places` decimal places, without zeros at the end of those. Returns the length. */
static size_t write_fixed(uint64_t number, int places, char text[SHW_NUMBER_TEXT_SIZE])
{
    char digits[SHW_NUMBER_TEXT_SIZE];
    size_t count = 0, length = 0;

    for (; places > 0 && number % 10 == 0; places--)
        number /= 10;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || count <= (size_t)places);
    while (count > 0) {
        text[length++] = digits[--count];
        if (count == (size_t)places && places > 0)
            text[length++] = '.';
    }
    text[length] = '\0';
    return length;
}

/* Of a magnitude from 1e-4 to 1e9. False if no number of digits is found to do. */
static bool write_usual(float value, char text[SHW_NUMBER_TEXT_SIZE], size_t *length)
{
    static const double powers[] = {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    static const double scales[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
    int whole = -3; /* digits before the point */

    while ((double)value >= powers[whole + 3])
        whole++;
    for (int digits = whole > DIGITS_LEAST ? whole : DIGITS_LEAST; digits <= DIGITS_MOST; digits++) {
        const int places = digits - whole;
        *length = write_fixed((uint64_t)llrint((double)value * scales[places]), places, text);
        if (comes_back(text, value))
            return true;
    }
    return false;
}

static size_t write_any(float value, char text[SHW_NUMBER_TEXT_SIZE])
{
    int length = 0;

    for (int digits = DIGITS_LEAST; digits <= DIGITS_MOST; digits++) {
        length = snprintf(text, SHW_NUMBER_TEXT_SIZE, "%.*g", digits, (double)value);
        if (comes_back(text, value))
            break;
    }
    return (size_t)length;
}

size_t shw_number_write(float value, char text[SHW_NUMBER_TEXT_SIZE])
{
    const bool negative = signbit(value) != 0 && !isnan(value);
    size_t length;

    if (!isfinite(value))
        return (size_t)snprintf(text, SHW_NUMBER_TEXT_SIZE, "%s", isnan(value) ? "nan" : negative ? "-inf" : "inf");
    text[0] = '-';
    if (fabsf(value) < 1e-4f || fabsf(value) >= 1e9f || !write_usual(fabsf(value), text + negative, &length))
        length = write_any(fabsf(value), text + negative);
    return length + negative;
}
