/* The default colour of a class. */
#ifndef SHW_BASE_CLASS_COLOUR_H
#define SHW_BASE_CLASS_COLOUR_H

#include <stdint.h>
#include <string.h>

/* The first eight are the palette of Okabe and Ito (https://jfly.uni-koeln.de/color/, 2008), which people with any kind
 * of colour blindness can distinguish, with grey instead of black. After those, the bits of number + 1 are distributed
 * over red, green and blue, from the most significant bit. All 16-bit numbers have different colours, none of them
 * black; the bits never produce one of the eight. */
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
