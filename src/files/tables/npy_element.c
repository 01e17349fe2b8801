#include "files/tables/npy_element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/tables/name_set.h"

bool shw_npy_type_read(const char *text, struct shw_npy_type *type)
{
    static const char *const numbers[] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
    const char other = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<';
    const char order = strchr("<>=|", *text) != NULL ? *text : '=';

    text += strchr("<>=|", *text) != NULL && *text != '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(text, numbers[i]) == 0) {
            *type =
                (struct shw_npy_type){.kind = text[0], .size = (uint32_t)(text[1] - '0'), .swapped = order == other};
            type->may_overflow = type->kind == 'f' && type->size == 8;
            return true;
        }
    return false;
}

static uint64_t load(const struct shw_npy_type *type, const uint8_t *bytes)
{
    uint64_t word = 0;

    for (uint32_t i = 0; i < type->size; i++)
        word |= (uint64_t)bytes[i] << 8 * ((__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != type->swapped
                                               ? i
                                               : type->size - 1 - i);
    return word;
}

static double half(uint32_t bits)
{
    const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value;

    if (exponent == 31)
        value = mantissa != 0 ? NAN : INFINITY;
    else
        value = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, (int)exponent - 25);
    return bits >> 15 != 0 ? -value : value;
}

static int64_t sign_extended(uint64_t word, uint32_t size)
{
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);

    return (int64_t)((word ^ sign) - sign);
}

static float as_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static double as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

double shw_npy_element(const struct shw_npy_type *type, const uint8_t *bytes)
{
    const uint64_t word = load(type, bytes);

    if (type->kind == 'f')
        return type->size == 8   ? as_double(word)
               : type->size == 4 ? (double)as_float((uint32_t)word)
                                 : half((uint32_t)word);
    if (type->kind == 'b')
        return word != 0;
    return type->kind == 'i' ? (double)sign_extended(word, type->size) : (double)word;
}

size_t shw_npy_class_name(const struct shw_npy_type *type, const uint8_t *bytes, char name[32])
{
    const uint64_t word = load(type, bytes);
    const double value = shw_npy_element(type, bytes);

    if (type->kind == 'i')
        return (size_t)snprintf(name, 32, "%" PRId64, sign_extended(word, type->size));
    if (type->kind == 'u')
        return (size_t)snprintf(name, 32, "%" PRIu64, word);
    return isnan(value) ? 0 : shw_class_name_of_number(value, name);
}

void shw_npy_elements(const struct shw_npy_type *type, const uint8_t *bytes, size_t stride, uint32_t count,
                      float *values)
{
    if (type->kind == 'f' && type->size == 4 && !type->swapped) {
        for (uint32_t i = 0; i < count; i++)
            memcpy(&values[i], bytes + i * stride, sizeof *values);
    } else if (type->kind == 'f' || type->kind == 'b') {
        for (uint32_t i = 0; i < count; i++)
            values[i] = (float)shw_npy_element(type, bytes + i * stride);
    } else { /* from 64 bits at once, since a double in between would round twice */
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t word = load(type, bytes + i * stride);
            values[i] = type->kind == 'i' ? (float)sign_extended(word, type->size) : (float)word;
        }
    }
}
