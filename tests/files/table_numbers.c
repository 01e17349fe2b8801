#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/tables/number.h"

/* The nearest float32 by the C library, for numbers near the middle between two of them, too. */
TESTING_CASE(test_numbers_are_rounded_once)
{
    struct testing_random random = {7};

    for (uint32_t i = 0; i < 400000; i++) {
        uint32_t bits = (uint32_t)testing_random_next(&random);
        char text[128];
        float value, read, expected;
        double number;

        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        number = (double)value;
        switch (i % 8) {
        case 0: snprintf(text, sizeof text, "%.9g", number); break;
        case 1: snprintf(text, sizeof text, "%.17g", number * (1 + ldexp(1, -24))); break; /* about the middle */
        case 2:                                                                            /* the middle, exactly */
            bits &= 0x7fffffffu;
            memcpy(&value, &bits, sizeof value);
            number = ((double)value + (double)nextafterf(value, INFINITY)) / 2;
            snprintf(text, sizeof text, fabs(number) < 1e30 && fabs(number) > 1e-10 ? "%.90f" : "%.100e", number);
            break;
        case 3: snprintf(text, sizeof text, "%.3f", ldexp(number, -(int)(bits >> 23 & 255) + 130)); break;
        case 4: snprintf(text, sizeof text, "%u.%09u", bits >> 20, bits % 1000000000u); break;
        case 5: snprintf(text, sizeof text, "%ue%d", bits, (int)(testing_random_below(&random, 120)) - 75); break;
        case 6: snprintf(text, sizeof text, "0.%030u%u", bits >> 28, bits); break;
        default: snprintf(text, sizeof text, "%u%u%u.%u", bits, bits, bits, bits); break;
        }
        expected = strtof(text, NULL);
        if (shw_number_read(text, &read) != text + strlen(text) || memcmp(&read, &expected, sizeof read) != 0)
            fail_msg("%s is %.9g instead of %.9g", text, (double)read, (double)expected);
    }
}

TESTING_CASE(test_written_numbers_come_back)
{
    static const struct {
        float value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0f, "-0"},
                 {0.1f, "0.1"},
                 {1, "1"},
                 {-12.5f, "-12.5"},
                 {123456792, "123456792"},
                 {0.333333343f, "0.33333334"},
                 {1e20f, "1e+20"},
                 {0.001f, "0.001"},
                 {1e-45f, "1.4013e-45"},
                 {NAN, "nan"},
                 {-INFINITY, "-inf"},
                 {16777216, "16777216"},
                 {1e9f, "1e+09"}};
    struct testing_random random = {3};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SHW_NUMBER_TEXT_SIZE];

        assert_int_equal(shw_number_write(cases[i].value, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    for (uint32_t i = 0; i < 300000; i++) {
        uint32_t bits = (uint32_t)testing_random_next(&random);
        char text[SHW_NUMBER_TEXT_SIZE];
        float value, read;

        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0)
            value = (float)(bits >> 8) * 0x1p-24f;
        if (isnan(value) || isinf(value))
            continue;
        assert_true(shw_number_write(value, text) < SHW_NUMBER_TEXT_SIZE);
        if (shw_number_read(text, &read) != text + strlen(text) || memcmp(&read, &value, sizeof read) != 0)
            fail_msg("%.9g is written as %s", (double)value, text);
    }
}
