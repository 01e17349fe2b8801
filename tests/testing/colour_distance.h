/* How different colours look. */
#ifndef SHW_TESTING_COLOUR_DISTANCE_H
#define SHW_TESTING_COLOUR_DISTANCE_H

#include <stdint.h>

/* The kinds of colour vision: all cones, or one kind of them missing. */
enum testing_vision {
    TESTING_NORMAL,
    TESTING_PROTANOPIA,
    TESTING_DEUTERANOPIA,
    TESTING_TRITANOPIA,
    TESTING_VISION_COUNT
};

/* CIEDE2000, as in Sharma, Wu and Dalal (2005), between two colours in CIELAB. */
double testing_ciede2000(const double one[3], const double other[3]);

/* CIELAB of an sRGB colour (D65), as seen according to Machado, Oliveira and Fernandes (2009), severity 1.0. */
void testing_lab(const uint8_t colour[3], enum testing_vision vision, double lab[3]);

/* The distance of two sRGB colours. */
double testing_colour_distance(const uint8_t one[3], const uint8_t other[3], enum testing_vision vision);

#endif
