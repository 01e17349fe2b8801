#include "files/image/tiff_layout.h"

#include <math.h>
#include <string.h>

bool shw_tiff_is_plain(const struct shw_tiff_layout *layout)
{
    return layout->bits <= 8 || (layout->bits == 16 && layout->kind != SHW_SAMPLES_FLOAT);
}

bool shw_tiff_wants_range(const struct shw_tiff_layout *layout)
{
    return layout->bits > 16 || layout->kind == SHW_SAMPLES_FLOAT;
}

struct shw_intensity_range shw_tiff_type_range(const struct shw_tiff_layout *layout)
{
    double count = ldexp(1.0, layout->bits);

    if (layout->kind == SHW_SAMPLES_SIGNED)
        return (struct shw_intensity_range){-count / 2, count / 2 - 1};
    return (struct shw_intensity_range){0.0, count - 1};
}

/* Samples of fewer than 8 or of 9 to 15 bits are packed from the highest bit down. */
static uint32_t packed_at(const uint8_t *row, size_t index, unsigned bits)
{
    uint32_t value = 0;

    for (size_t bit = index * bits; bit < (index + 1) * bits; bit++)
        value = value << 1 | ((uint32_t)row[bit / 8] >> (7 - bit % 8) & 1u);
    return value;
}

uint32_t shw_tiff_integer_at(const struct shw_tiff_layout *layout, const uint8_t *row, size_t index)
{
    uint16_t wide;

    switch (layout->bits) {
    case 8: return row[index] ^ (layout->kind == SHW_SAMPLES_SIGNED ? 0x80u : 0u);
    case 16:
        memcpy(&wide, row + 2 * index, sizeof wide); /* in native byte order */
        return wide ^ (layout->kind == SHW_SAMPLES_SIGNED ? 0x8000u : 0u);
    default: return packed_at(row, index, layout->bits);
    }
}

/* The value of a half float. */
static double half_of(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(1024 + fraction, exponent - 25);

    return bits >> 15 != 0 ? -value : value;
}

static double float_at(unsigned bits, const uint8_t *row, size_t index)
{
    uint16_t half;
    float single;
    double number;

    switch (bits) {
    case 16: memcpy(&half, row + 2 * index, sizeof half); return half_of(half);
    case 32: memcpy(&single, row + 4 * index, sizeof single); return (double)single;
    default: memcpy(&number, row + 8 * index, sizeof number); return number;
    }
}

double shw_tiff_number_at(const struct shw_tiff_layout *layout, const uint8_t *row, size_t index)
{
    bool is_signed = layout->kind == SHW_SAMPLES_SIGNED;
    uint32_t word;
    uint64_t large;

    if (layout->kind == SHW_SAMPLES_FLOAT)
        return float_at(layout->bits, row, index);
    switch (layout->bits) {
    case 32: memcpy(&word, row + 4 * index, sizeof word); return is_signed ? (double)(int32_t)word : (double)word;
    case 64: memcpy(&large, row + 8 * index, sizeof large); return is_signed ? (double)(int64_t)large : (double)large;
    default: return (double)shw_tiff_integer_at(layout, row, index) - (is_signed ? ldexp(1.0, layout->bits - 1) : 0.0);
    }
}
