/* The planes that features read, in a buffer at PLANES_BINDING: integral images, one word per element, or channels,
 * half a word per element; with HALVES they are loaded as such. Include after feature.h. */
layout(std430, set = 0, binding = PLANES_BINDING) readonly buffer Planes {
    uint planes[];
};

#ifdef WINDOWS
#include "windows.h"
#if SHW_WINDOWS != 8
#error "the windows below are 8"
#endif
/* The buffer is bound in windows: the first one above, the others at PLANES_MORE and after it. */
layout(constant_id = WINDOW_SHIFT_CONSTANT) const uint window_shift = 31u;
#define WINDOW(number)                                                                                          \
    layout(std430, set = 0, binding = PLANES_MORE + number - 1u) readonly buffer Planes##number { uint planes##number[]; }
WINDOW(1);
WINDOW(2);
WINDOW(3);
WINDOW(4);
WINDOW(5);
WINDOW(6);
WINDOW(7);

uint shw_planes_word(uint place)
{
    uint window = place >> window_shift, at = place & ((1u << window_shift) - 1u);

    if (window < 4u) {
        if (window == 0u)
            return planes[at];
        if (window == 1u)
            return planes1[at];
        if (window == 2u)
            return planes2[at];
        return planes3[at];
    }
    if (window == 4u)
        return planes4[at];
    if (window == 5u)
        return planes5[at];
    if (window == 6u)
        return planes6[at];
    return planes7[at];
}
#else
uint shw_planes_word(uint place)
{
    return planes[place];
}
#endif

uint shw_integral_at(uint place)
{
    return shw_planes_word(place);
}

#ifdef HALVES
layout(std430, set = 0, binding = PLANES_BINDING) readonly buffer Halves {
    int16_t halves[];
};

int shw_channel_at(uint place)
{
    return int(halves[place]);
}
#else
int shw_channel_at(uint place)
{
    return bitfieldExtract(int(shw_planes_word(place >> 1u)), int(place & 1u) << 4, 16);
}
#endif
