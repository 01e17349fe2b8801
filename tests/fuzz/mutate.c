#include "fuzz/mutate.h"

#include <ctype.h>
#include <string.h>

/* A file being damaged. */
struct mutant {
    struct testing_random *random;
    uint8_t *bytes;
    size_t size, room;
    const uint8_t *other;
    size_t other_size;
};

static size_t below(const struct mutant *mutant, size_t bound)
{
    return bound > 0 ? testing_random_below(mutant->random, (uint32_t)(bound < UINT32_MAX ? bound : UINT32_MAX)) : 0;
}

/* Replaces bytes `at` to `at + removed` by others, as far as there is room. */
static void replace(struct mutant *mutant, size_t at, size_t removed, const void *by, size_t added)
{
    size_t rest = mutant->size - at - removed;

    if (added > mutant->room - at)
        added = mutant->room - at;
    if (rest > mutant->room - at - added)
        rest = mutant->room - at - added;
    memmove(mutant->bytes + at + added, mutant->bytes + at + removed, rest);
    memcpy(mutant->bytes + at, by, added);
    mutant->size = at + added + rest;
}

static size_t random_length(const struct mutant *mutant, size_t most)
{
    return below(mutant, (most < 32 || below(mutant, 8) == 0 ? most : 32) + 1);
}

static void flip_bit(struct mutant *mutant)
{
    mutant->bytes[below(mutant, mutant->size)] ^= (uint8_t)(1u << below(mutant, 8));
}

static void change_byte(struct mutant *mutant)
{
    mutant->bytes[below(mutant, mutant->size)] = (uint8_t)below(mutant, 256);
}

static void fill_run(struct mutant *mutant)
{
    size_t at = below(mutant, mutant->size);

    memset(mutant->bytes + at, below(mutant, 2) == 0 ? 0 : 0xff, random_length(mutant, mutant->size - at));
}

static void truncate_end(struct mutant *mutant)
{
    mutant->size = below(mutant, 2) == 0 ? below(mutant, mutant->size) : mutant->size - 1 - below(mutant, 16);
    if (mutant->size > mutant->room)
        mutant->size = 0;
}

static void remove_piece(struct mutant *mutant)
{
    size_t at = below(mutant, mutant->size);

    replace(mutant, at, random_length(mutant, mutant->size - at), "", 0);
}

static void move_piece(struct mutant *mutant)
{
    size_t at = below(mutant, mutant->size), length = random_length(mutant, mutant->size - at);

    memmove(mutant->bytes + at, mutant->bytes + below(mutant, mutant->size - length + 1), length);
}

static void double_piece(struct mutant *mutant)
{
    uint8_t piece[512];
    size_t at = below(mutant, mutant->size), length = random_length(mutant, mutant->size - at);

    length = length < sizeof piece ? length : sizeof piece;
    memcpy(piece, mutant->bytes + at, length);
    replace(mutant, at, 0, piece, length);
}

static void splice(struct mutant *mutant)
{
    size_t from = below(mutant, mutant->other_size), at = below(mutant, mutant->size);
    size_t length = random_length(mutant, mutant->other_size - from);

    switch (below(mutant, 3)) {
    case 0: replace(mutant, at, mutant->size - at, mutant->other + from, mutant->other_size - from); break;
    case 1: replace(mutant, at, 0, mutant->other + from, length); break;
    default: replace(mutant, at, length < mutant->size - at ? length : mutant->size - at, mutant->other + from, length);
    }
}

/* An integer of 1, 2, 4 or 8 bytes at one of its extremes, near another value, or a little off. */
static void change_integer(struct mutant *mutant)
{
    static const uint64_t extremes[] = {0,          1,          2,          0x7f,       0x80,       0xff,
                                        0x100,      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
                                        0x80000000, 0xffffffff, 0xfffffffe, 0x40000000, 0x20000000, UINT64_MAX,
                                        1ull << 63, INT64_MAX,  1ull << 32};
    size_t bytes = (size_t)1 << below(mutant, 4), at;
    uint64_t value = extremes[below(mutant, sizeof extremes / sizeof *extremes)];
    bool big = below(mutant, 2) == 0, near = below(mutant, 3) == 0;

    if (bytes > mutant->size)
        return;
    at = below(mutant, mutant->size - bytes + 1);
    at -= below(mutant, 4) > 0 ? at % bytes : 0; /* mostly aligned */
    if (near) {
        value = 0;
        for (size_t b = 0; b < bytes; b++)
            value |= (uint64_t)mutant->bytes[at + (big ? bytes - 1 - b : b)] << (8 * b);
        value += below(mutant, 9) - 4u;
    }
    for (size_t b = 0; b < bytes; b++)
        mutant->bytes[at + (big ? bytes - 1 - b : b)] = (uint8_t)(value >> (8 * b));
}

/* The next number of a text after a place, or false. */
static bool find_number(const struct mutant *mutant, size_t *at, size_t *length)
{
    size_t end;

    while (*at < mutant->size && !isdigit(mutant->bytes[*at]))
        ++*at;
    for (end = *at; end < mutant->size && (isdigit(mutant->bytes[end]) || mutant->bytes[end] == '.'); end++)
        continue;
    *length = end - *at;
    return *length > 0;
}

static void change_number(struct mutant *mutant)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "255",
                                          "256",
                                          "65535",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "99999999999999999999999",
                                          "-9223372036854775808",
                                          "1e308",
                                          "1e999",
                                          "-0.0",
                                          "0.5",
                                          "1e-400",
                                          "null",
                                          "true",
                                          "\"\"",
                                          "[]",
                                          "{}",
                                          "nan"};
    const char *by = numbers[below(mutant, sizeof numbers / sizeof *numbers)];
    size_t at = below(mutant, mutant->size), length;

    if (find_number(mutant, &at, &length))
        replace(mutant, at, length, by, strlen(by));
}

/* What a text may have in the wrong place. */
static void insert_text(struct mutant *mutant)
{
    static const char *const texts[] = {"\"",      "\\u0000",     "\\ud800", "\xff",     "\xc0\x80", "\xef\xbb\xbf",
                                        "\n",      "\r\n",        "\t",      "{",        "}",        "[",
                                        "]",       ",",           ":",       "/",        "../",      "[[[[[[",
                                        "\"\":0,", "%s%n",        "---\n",   "\x1b[31m", " ",        "#",
                                        "\\",      "\xe2\x80\xae"};
    const char *by = texts[below(mutant, sizeof texts / sizeof *texts)];

    replace(mutant, below(mutant, mutant->size), below(mutant, 2), by, strlen(by));
}

size_t fuzz_mutate(struct testing_random *random, uint8_t *bytes, size_t size, size_t room, const uint8_t *other,
                   size_t other_size)
{
    static void (*const mutations[])(struct mutant *) = {
        flip_bit,     change_byte, change_byte,    fill_run,       truncate_end,  remove_piece, move_piece,
        double_piece, splice,      change_integer, change_integer, change_number, insert_text};
    struct mutant mutant = {random, bytes, size, room, other, other_size};

    for (size_t n = 1 + below(&mutant, 1 + below(&mutant, 4)); n > 0 && mutant.size > 0; n--)
        mutations[below(&mutant, sizeof mutations / sizeof *mutations)](&mutant);
    return mutant.size;
}
