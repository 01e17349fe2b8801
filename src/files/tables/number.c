#include "files/tables/number.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX   19 /* that a 64-bit integer holds */
#define POWER_MAX    60 /* of ten; beyond, strtof() reads the number */
#define EXPONENT_MAX 99999

/* The nearest doubles. */
static const double powers[POWER_MAX + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31,
    1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44, 1e45, 1e46, 1e47,
    1e48, 1e49, 1e50, 1e51, 1e52, 1e53, 1e54, 1e55, 1e56, 1e57, 1e58, 1e59, 1e60};

struct decimal {
    uint64_t digits; /* the first DIGITS_MAX of them */
    int count;       /* of these, without leading zeros */
    int power;       /* of ten: the number is digits * 10^power, but for digits that are left out */
    bool negative;
};

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline void take_digit(struct decimal *decimal, char digit, bool fraction)
{
    if (decimal->count < DIGITS_MAX) {
        decimal->digits = 10 * decimal->digits + (uint64_t)(digit - '0');
        decimal->count += decimal->digits != 0;
        decimal->power -= fraction;
    } else {
        decimal->power += !fraction;
    }
}

static const char *take_exponent(const char *at, struct decimal *decimal)
{
    const char *from = at + 1;
    bool negative = *from == '-';
    int exponent = 0;

    from += *from == '-' || *from == '+';
    if (!is_digit(*from))
        return at;
    for (; is_digit(*from); from++)
        exponent = exponent > EXPONENT_MAX ? exponent : 10 * exponent + (*from - '0');
    decimal->power += negative ? -exponent : exponent;
    return from;
}

/* NULL if there are no digits. */
static inline const char *take_decimal(const char *at, struct decimal *decimal)
{
    const char *first;
    ptrdiff_t digits;

    decimal->negative = *at == '-';
    at += *at == '-' || *at == '+';
    first = at;
    for (; is_digit(*at); at++)
        take_digit(decimal, *at, false);
    digits = at - first;
    if (*at == '.') {
        first = ++at;
        for (; is_digit(*at); at++)
            take_digit(decimal, *at, true);
        digits += at - first;
    }
    if (digits == 0)
        return NULL;
    return (*at | 0x20) == 'e' ? take_exponent(at, decimal) : at;
}

/* The number in double precision, which is off by less than 3 units in the last place: one for digits dropped or
 * rounded, a half for the power, a half for the operation. False if that could cross the midpoint between two float32,
 * or if these are not normal. */
static inline bool round_twice(const struct decimal *decimal, float *value)
{
    const double digits = (double)decimal->digits;
    double number;
    uint64_t bits;
    uint32_t rest;

    if (decimal->power < -POWER_MAX || decimal->power > POWER_MAX)
        return false;
    number = decimal->power < 0 ? digits / powers[-decimal->power] : digits * powers[decimal->power];
    memcpy(&bits, &number, sizeof bits);
    rest = (uint32_t)bits & 0x1fffffffu; /* the bits that a float32 does not have */
    if (rest - (0x10000000u - 8u) <= 16u)
        return false;
    *value = decimal->negative ? -(float)number : (float)number;
    return number >= 0x1p-126 && number < 0x1.fffffep127;
}

const char *shw_number_read(const char *text, float *value)
{
    struct decimal decimal = {0};
    const char *end = take_decimal(text, &decimal);

    if (end == NULL)
        return NULL;
    if (decimal.digits == 0)
        *value = decimal.negative ? -0.0f : 0.0f;
    else if (!round_twice(&decimal, value))
        *value = strtof(text, NULL); /* in the locale "C", which the programs never leave */
    return end;
}

#define DIGITS_LEAST 6
#define DIGITS_MOST  9 /* from which every float32 comes back */

static bool comes_back(const char *text, float value)
{
    float read;

    return shw_number_read(text, &read) != NULL && read == value;
}

/* Prints `digits` with `places` decimal places, without trailing zeros. Returns the length. */
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

/* For magnitudes from 1e-4 to 1e9. False if no number of digits suffices. */
static bool write_usual(float value, char text[SHW_NUMBER_TEXT_SIZE], size_t *length)
{
    static const double tens[] = {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    static const double scales[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
    int whole = -3; /* digits before the point */

    while ((double)value >= tens[whole + 3])
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
