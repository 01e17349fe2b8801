/* The colour of a class in a palette or forest to which nobody gave one. */
#ifndef SHW_BASE_CLASS_COLOUR_H
#define SHW_BASE_CLASS_COLOUR_H

#include <stdint.h>
#include <string.h>

/* The first eight are those of Okabe and Ito (https://jfly.uni-koeln.de/color/, 2008), which people with any kind of
 * colour blindness can tell apart, with grey in the place of black. From then on, the bits of number + 1 are dealt out
 * to red, green and blue, the highest levels first. All numbers that 16 bits hold have different colours, none of them
 * black: the bits never give one of the eight. */
static inline void shw_class_colour(uint32_t number, uint8_t colour[3])
{
    static const uint8_t safe[8][3] = {{230, 159, 0}, {86, 180, 233}, {0, 158, 115},   {240, 228, 66},
                                       {0, 114, 178}, {213, 94, 0},   {204, 121, 167}, {153, 153, 153}};

    memset(colour, 0, 3);
    if (number < 8)
        memcpy(colour, safe[number], 3);
    else
        for (uint32_t bit = 0; bit < 16; bit++)
            colour[bit % 3] = (uint8_t)(colour[bit % 3] | ((number + 1) >> bit & 1u) << (7 - bit / 3));
}

#endif
