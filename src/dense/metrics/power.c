#include "dense/metrics/power.h"

#include <stdbool.h>
#include <stdlib.h>

#include "shared/score.h"

#define ONE           65535u
#define FRACTION_BITS 24u /* of logarithms (shared/score.h) */
#define UNIT_BITS     31u
#define CHOICES       (SHW_POWER_MAX - SHW_POWER_MIN + 1u)

/* floor(sqrt(n)). */
static uint64_t square_root(uint64_t n)
{
    uint64_t root = 0;

    for (uint64_t bit = (uint64_t)1 << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return root;
}

/* 2^-x in units of 2^-31, where x has FRACTION_BITS. roots[i] is 2^(-1 / 2^(i + 1)) with 32 fraction bits. */
static uint32_t power_of_two(const uint64_t roots[FRACTION_BITS], uint64_t x)
{
    uint64_t value = (uint64_t)1 << UNIT_BITS, whole = x >> FRACTION_BITS;

    if (whole > UNIT_BITS)
        return 0;
    for (uint32_t i = 0; i < FRACTION_BITS; i++)
        if ((x >> (FRACTION_BITS - 1 - i) & 1) != 0)
            value = value * roots[i] >> 32;
    return (uint32_t)(value >> whole);
}

void shw_power_make(struct shw_power *power, uint32_t sixteenths)
{
    uint64_t roots[FRACTION_BITS], root = (uint64_t)1 << 31;
    const uint64_t high = shw_log2(ONE);

    for (uint32_t i = 0; i < FRACTION_BITS; i++)
        roots[i] = root = square_root(root << 32);
    power->values[0] = 0;
    for (uint32_t p = 1; p <= ONE; p++)
        power->values[p] = power_of_two(roots, (high - shw_log2(p)) * sixteenths / SHW_POWER_ONE);
}

/* The share of a value in their sum, which is not 0, of 65535: rounded to nearest, halves up. */
static uint32_t share_of(uint64_t value, uint64_t sum)
{
    return (uint32_t)((2 * ONE * value + sum) / (2 * sum));
}

void shw_power_apply(const struct shw_power *power, uint16_t *distribution, uint32_t class_count, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = 0;

        for (uint32_t c = 0; c < class_count; c++)
            sum += power->values[distribution[c * count + i]];
        for (uint32_t c = 0; c < class_count && sum > 0; c++)
            distribution[c * count + i] = (uint16_t)share_of(power->values[distribution[c * count + i]], sum);
    }
}

struct choice {
    const struct shw_power_pixels *pixels;
    unsigned __int128 squares[CHOICES];
    bool failed[CHOICES];
};

static void try_power(void *user, uint32_t index, uint32_t thread)
{
    struct choice *choice = user;
    const struct shw_power_pixels *pixels = choice->pixels;
    struct shw_power *power = malloc(sizeof *power);
    unsigned __int128 squares = 0;

    (void)thread;
    choice->failed[index] = power == NULL;
    if (power == NULL)
        return;
    shw_power_make(power, SHW_POWER_MIN + index);
    for (uint32_t i = 0; i < pixels->count; i++) {
        const uint16_t *values = pixels->distributions + (size_t)i * pixels->class_count;
        uint64_t sum = 0;

        for (uint32_t c = 0; c < pixels->class_count; c++)
            sum += power->values[values[c]];
        for (uint32_t c = 0; c < pixels->class_count && sum > 0; c++) {
            int64_t difference = (int64_t)share_of(power->values[values[c]], sum) - (c == pixels->labels[i] ? ONE : 0);

            squares += (uint64_t)(difference * difference);
        }
    }
    choice->squares[index] = squares;
    free(power);
}

uint32_t shw_power_choose(const struct shw_power_pixels *pixels, struct shw_thread_pool *pool, double brier[2])
{
    struct choice choice = {.pixels = pixels};
    const double unit = (double)ONE * ONE * pixels->count;
    uint32_t best = 0;

    shw_thread_pool_run(pool, CHOICES, try_power, &choice);
    for (uint32_t i = 0; i < CHOICES; i++) {
        if (choice.failed[i])
            return 0;
        if (choice.squares[i] < choice.squares[best])
            best = i;
    }
    brier[0] = (double)choice.squares[SHW_POWER_ONE - SHW_POWER_MIN] / unit;
    brier[1] = (double)choice.squares[best] / unit;
    return SHW_POWER_MIN + best;
}
