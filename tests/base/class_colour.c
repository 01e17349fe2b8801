/* Default colours of classes: how far apart they look. */
#include "base/class.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "testing/colour_distance.h"
#include "testing/testing.h"

/* Table 1 of Sharma, Wu and Dalal (2005). */
TESTING_CASE(the_distance_is_the_published_one)
{
    static const double pairs[][7] = {
        {50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425},
        {50, 3.1571, -77.2803, 50, 0, -82.7485, 2.8615},
        {50, 2.8361, -74.0200, 50, 0, -82.7485, 3.4412},
        {50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000},
        {50, -1.1848, -84.8006, 50, 0, -82.7485, 1.0000},
        {50, -0.9009, -85.5211, 50, 0, -82.7485, 1.0000},
        {50, 0, 0, 50, -1, 2, 2.3669},
        {50, -1, 2, 50, 0, 0, 2.3669},
        {50, 2.4900, -0.0010, 50, -2.4900, 0.0009, 7.1792},
        {50, 2.4900, -0.0010, 50, -2.4900, 0.0010, 7.1792},
        {50, 2.4900, -0.0010, 50, -2.4900, 0.0011, 7.2195},
        {50, 2.4900, -0.0010, 50, -2.4900, 0.0012, 7.2195},
        {50, -0.0010, 2.4900, 50, 0.0009, -2.4900, 4.8045},
        {50, -0.0010, 2.4900, 50, 0.0010, -2.4900, 4.8045},
        {50, -0.0010, 2.4900, 50, 0.0011, -2.4900, 4.7461},
        {50, 2.5, 0, 50, 0, -2.5, 4.3065},
        {50, 2.5, 0, 73, 25, -18, 27.1492},
        {50, 2.5, 0, 61, -5, 29, 22.8977},
        {50, 2.5, 0, 56, -27, -3, 31.9030},
        {50, 2.5, 0, 58, 24, 15, 19.4535},
        {50, 2.5, 0, 50, 3.1736, 0.5854, 1.0000},
        {50, 2.5, 0, 50, 3.2972, 0, 1.0000},
        {50, 2.5, 0, 50, 1.8634, 0.5757, 1.0000},
        {50, 2.5, 0, 50, 3.2592, 0.3350, 1.0000},
        {60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644},
        {63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630},
        {61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731},
        {35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645},
        {22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373},
        {36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146},
        {90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441},
        {90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381},
        {6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377},
        {2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double there = testing_ciede2000(pairs[i], pairs[i] + 3), back = testing_ciede2000(pairs[i] + 3, pairs[i]);
        if (fabs(there - pairs[i][6]) > 5e-5 || fabs(back - pairs[i][6]) > 5e-5)
            fail_msg("pair %zu: %.5f and %.5f, not %.4f", i + 1, there, back, pairs[i][6]);
    }
}

/* Against all before it, black and white. */
static double nearest(uint32_t number)
{
    static const uint8_t extremes[2][3] = {{0, 0, 0}, {255, 255, 255}};
    uint8_t colour[3], other[3];
    double least = 1e9;

    shw_class_colour(number, colour);
    for (uint32_t i = 0; i < number; i++) {
        shw_class_colour(i, other);
        least = fmin(least, testing_colour_distance(colour, other, TESTING_NORMAL));
    }
    for (uint32_t i = 0; i < 2; i++)
        least = fmin(least, testing_colour_distance(colour, extremes[i], TESTING_NORMAL));
    return least;
}

TESTING_CASE(colours_look_different)
{
    double least = 1e9;

    for (uint32_t number = 0; number < 64; number++) {
        least = fmin(least, nearest(number));
        if (least < (number < 24 ? 20.8 : 13.0))
            fail_msg("colour %u is only %.2f away from another", number, least);
        if (number == 7 || number == 23 || number == 63)
            printf("the least distance of the first %u: %.2f\n", number + 1, least);
    }
}

/* Projects, palettes and forests have stored them. */
TESTING_CASE(the_first_eight_stay)
{
    static const uint8_t okabe_ito[8][3] = {{230, 159, 0}, {86, 180, 233}, {0, 158, 115},   {240, 228, 66},
                                            {0, 114, 178}, {213, 94, 0},   {204, 121, 167}, {153, 153, 153}};
    uint8_t colour[3];

    for (uint32_t number = 0; number < 8; number++) {
        shw_class_colour(number, colour);
        assert_memory_equal(colour, okabe_ito[number], 3);
    }
}

/* What came from the ninth on, before. */
TESTING_CASE(earlier_colours_are_known)
{
    static const struct {
        uint32_t number;
        uint8_t then[3];
    } earlier[] = {{8, {192, 0, 0}}, {9, {64, 128, 0}}, {10, {192, 128, 0}}, {63, {32, 0, 0}}};
    uint8_t now[3];

    for (size_t i = 0; i < sizeof earlier / sizeof *earlier; i++) {
        shw_class_colour(earlier[i].number, now);
        assert_memory_not_equal(now, earlier[i].then, 3);
        assert_true(shw_class_colour_was(earlier[i].then, now));
        assert_false(shw_class_colour_was(now, earlier[i].then));
        assert_false(shw_class_colour_was(now, now));
        shw_class_colour(earlier[i].number - 1, now);
        assert_false(shw_class_colour_was(earlier[i].then, now));
    }
}
