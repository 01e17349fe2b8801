/* The colours for colour-blind people: how far apart they look to whom. */
#include "label/classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/class.h"
#include "testing/colour_distance.h"
#include "testing/testing.h"

static void shown(uint32_t number, uint8_t colour[3])
{
    uint8_t usual[3];

    shw_class_colour(number, usual);
    view_shown_colour(true, usual, colour);
}

static double least_distance(uint32_t count, enum testing_vision vision)
{
    double least = 1e9;
    uint8_t one[3], other[3];

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++) {
            shown(i, one);
            shown(k, other);
            least = fmin(least, testing_colour_distance(one, other, vision));
        }
    return least;
}

TESTING_CASE(everybody_sees_different_colours)
{
    static const char *const names[] = {"normal vision", "protanopia", "deuteranopia", "tritanopia"};

    for (int vision = 0; vision < TESTING_VISION_COUNT; vision++) {
        double twelve = least_distance(12, (enum testing_vision)vision),
               all = least_distance(24, (enum testing_vision)vision);
        printf("%s: %.2f between the first 12, %.2f between 24\n", names[vision], twelve, all);
        assert_true(twelve >= 15.3 && all >= 8.4);
    }
}

TESTING_CASE(other_colours_stay)
{
    struct testing_random random = {3};
    uint8_t colour[3], result[3], usual[3];

    for (uint32_t number = 0; number < 100; number++) {
        bool replaced = number < 24;
        shw_class_colour(number, colour);
        view_shown_colour(false, colour, result);
        assert_memory_equal(result, colour, 3);
        view_shown_colour(true, colour, result);
        assert_int_equal(memcmp(result, colour, 3) != 0, replaced);
    }
    for (int i = 0; i < 1000; i++) {
        bool is_default = false;
        for (int k = 0; k < 3; k++)
            colour[k] = (uint8_t)testing_random_below(&random, 256);
        for (uint32_t number = 0; number < 24; number++) {
            shw_class_colour(number, usual);
            is_default = is_default || memcmp(usual, colour, 3) == 0;
        }
        view_shown_colour(true, colour, result);
        assert_true(is_default || memcmp(result, colour, 3) == 0);
    }
}
