/* The order in which people count. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

/* All names in their order, each before all that follow. */
static void check_order(const char *const *names, size_t count, int (*compare)(const char *a, const char *b))
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const int expected = (i > j) - (i < j);
            if (sign(compare(names[i], names[j])) != expected)
                fail_msg("'%s' and '%s': %d, not %d", names[i], names[j], compare(names[i], names[j]), expected);
        }
}

TESTING_CASE(test_order)
{
    static const char *const names[] = {
        "",
        " f9",
        "-1",
        "-2",
        ".5",
        "0",
        "00",
        "0a",
        "01",
        "1",
        "1.5",
        "1.25",
        "01a",
        "1a",
        "2",
        "10",
        "99999999999999999999",
        "100000000000000000000",
        "00000000000000000000100000000000000000001",
        "100000000000000000001",
        "100000000000000000002",
        "F10",
        "f",
        "f/9",
        "f8",
        "f9",
        "f009x",
        "f9x",
        "f10",
        "f10.png",
        "f10a2",
        "f10a10",
        "f011",
        "f11",
        "f12b01c2",
        "f12b1c02",
        "f12b1c3",
        "fa",
        "g",
        "\x80"
        "2",
        "\xc3\xa9"
        "8",
        "\xc3\xa9"
        "10",
        "\xff",
        "\xff"
        "0",
    };

    check_order(names, sizeof names / sizeof *names, shw_natural_compare);
}

TESTING_CASE(test_order_without_case)
{
    static const char *const sorted[] = {"_", "A1", "a1", "A02", "a2", "A10", "B", "b", "c"};

    check_order(sorted, sizeof sorted / sizeof *sorted, shw_natural_compare_folded);
}

/* Zero only for what is equal, antisymmetric and transitive, for all texts of few letters. */
TESTING_CASE(test_order_is_total)
{
    static const char letters[] = {'0', '1', '9', 'a', 'A', '/', (char)0x80};
    enum {
        LETTERS = sizeof letters,
        LENGTH = 3,
        COUNT = 1 + LETTERS + LETTERS * LETTERS + LETTERS * LETTERS * LETTERS
    };
    static char texts[COUNT][LENGTH + 1];
    const char *sorted[COUNT];
    int count = 0;

    for (int length = 0, kinds = 1; length <= LENGTH; length++, kinds *= LETTERS)
        for (int k = 0; k < kinds; k++, count++)
            for (int i = 0, rest = k; i < length; i++, rest /= LETTERS)
                texts[count][i] = letters[rest % LETTERS];
    assert_int_equal(count, COUNT);
    for (int i = 0; i < COUNT; i++)
        sorted[i] = texts[(i * 17 + 5) % COUNT];
    qsort(sorted, COUNT, sizeof *sorted, shw_natural_compare_texts);
    check_order(sorted, COUNT, shw_natural_compare);
    for (int i = 0; i < COUNT; i++)
        sorted[i] = texts[(i * 17 + 5) % COUNT];
    for (int i = 0; i < COUNT; i++) /* by insertion */
        for (int j = i; j > 0 && shw_natural_compare_folded(sorted[j - 1], sorted[j]) > 0; j--) {
            const char *other = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = other;
        }
    check_order(sorted, COUNT, shw_natural_compare_folded);
}

/* Names with numbers of one length, as most are, keep the order that they had. */
TESTING_CASE(test_padded_names_are_in_bytewise_order)
{
    struct testing_random random = {7};
    char names[2][16];

    for (int i = 0; i < 10000; i++) {
        for (int n = 0; n < 2; n++)
            snprintf(names[n], sizeof names[n], "%c%06u_%c.png", "ab"[testing_random_below(&random, 2)],
                     testing_random_below(&random, 1000000), "LR"[testing_random_below(&random, 2)]);
        assert_int_equal(sign(shw_natural_compare(names[0], names[1])), sign(strcmp(names[0], names[1])));
    }
}
