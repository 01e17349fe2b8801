/* The planes that features read, in a buffer at PLANES_BINDING: integral images, one word per element, or channels,
 * half a word per element. Include after feature.h. */
layout(std430, set = 0, binding = PLANES_BINDING) readonly buffer Planes {
    uint planes[];
};

uint shw_integral_at(uint place)
{
    return planes[place];
}

int shw_channel_at(uint place)
{
    return bitfieldExtract(int(planes[place >> 1u]), int(place & 1u) << 4, 16);
}
