/* Detection: the arithmetic from pixels to the values that tests read, and from the image to windows. docs/detection.md
 * says what it is for. */
#ifndef SHW_SHARED_DETECT_H
#define SHW_SHARED_DETECT_H

#include "types.h"

/* The value 1.0 of a level of the pyramid; grey levels are 8-bit codes times 256 there. */
#define SHW_DETECT_ONE 65280u

/* Weights of the colours in the grey value (BT.601), times 65536. */
#define SHW_DETECT_RED   19595u
#define SHW_DETECT_GREEN 38470u
#define SHW_DETECT_BLUE  7471u

/* The grey value, 0..255, of 8-bit codes, rounded. Where R = G = B it is that code. */
SHW_INLINE shw_uint shw_detect_grey(shw_uint r, shw_uint g, shw_uint b)
{
    return (SHW_DETECT_RED * r + SHW_DETECT_GREEN * g + SHW_DETECT_BLUE * b + 32768u) >> 16u;
}

/* [1 2 1]. */
SHW_INLINE shw_uint shw_detect_blur3(shw_uint a, shw_uint b, shw_uint c)
{
    return a + 2u * b + c;
}

/* A sixteenth of a sum, rounded: the last step of a blur in both directions. */
SHW_INLINE shw_uint shw_detect_blurred(shw_uint sum)
{
    return (sum + 8u) >> 4u;
}

/* A pixel of an image halved in both directions, from the sum of four. */
SHW_INLINE shw_uint shw_detect_halved(shw_uint sum)
{
    return (sum + 2u) >> 2u;
}

/* Where pixel `at` of a line of `size` pixels lies on a line of `full` >= size pixels, centres aligned:
 * x: the pixel at or before it, y: 0..256, 256ths of the way to the next one, rounded, halves to the even number.
 * (2 at + 1) full < 2^32, size < 2^22. */
SHW_INLINE SHW_UINT2 shw_detect_sample(shw_uint at, shw_uint size, shw_uint full)
{
    SHW_UINT2 place;
    shw_uint position = (2u * at + 1u) * full - size;
    shw_uint part;

    place.x = position / (2u * size);
    part = (position - place.x * (2u * size)) * 256u + size;
    place.y = part / (2u * size);
    place.y -= SHW_AS_UINT(part == place.y * (2u * size)) & place.y & 1u;
    return place;
}

/* Between two pixels of a row of at most 15 bits, times 256; the weight, in 256ths, is that of the right one. */
SHW_INLINE shw_uint shw_detect_between_columns(shw_uint left, shw_uint right, shw_uint weight)
{
    return left * (256u - weight) + right * weight;
}

/* Between two such numbers, one above the other, in pixels. */
SHW_INLINE shw_uint shw_detect_between_rows(shw_uint upper, shw_uint lower, shw_uint weight)
{
    return (upper * (256u - weight) + lower * weight + 32768u) >> 16u;
}

/* Between four pixels of at most 15 bits; weights in 256ths of the right and of the lower ones. */
SHW_INLINE shw_uint shw_detect_between(shw_uint p00, shw_uint p10, shw_uint p01, shw_uint p11, SHW_UINT2 weights)
{
    return shw_detect_between_rows(shw_detect_between_columns(p00, p10, weights.x),
                                   shw_detect_between_columns(p01, p11, weights.x), weights.y);
}

/* A pixel of a level from the sum of shrink * shrink values of 12 bits: 0..65280. */
SHW_INLINE shw_uint shw_detect_shrunk(shw_uint sum, shw_uint shrink)
{
    shw_uint area = shrink * shrink;

    return (16u * sum + (area >> 1u)) / area;
}

/* SCALED: a coordinate of a point, in 1/256 of a window of `size` pixels around `centre`. The sum is never negative
 * where the window is inside the image. */
SHW_INLINE shw_int shw_detect_scaled(shw_int centre, shw_int point, shw_int size)
{
    return SHW_AS_INT(SHW_AS_UINT(256 * centre + point * size) >> 8u);
}

/* SCALED, at an angle: a coordinate of a point that lies `offset` 2^-16 pixels from `centre`. Windows whose circle is
 * inside the image up to less than a pixel are tested, so the sum is at least -1. */
SHW_INLINE shw_int shw_detect_turned(shw_int centre, shw_int offset)
{
    return shw_max(centre + SHW_AS_INT((SHW_AS_UINT(offset) + 0x80000000u) >> 16u) - 32768, 0);
}

/* PIXELS, at an angle: a coordinate, from the window's first pixel, of a point that lies `offset` 512ths of a pixel
 * from the centre of `size` pixels: the nearest pixel, halves up. |offset| < 2^29. */
SHW_INLINE shw_int shw_detect_turned_pixel(shw_int offset, shw_int size)
{
    return SHW_AS_INT((SHW_AS_UINT(256 * size + offset) + 0x80000000u) >> 9u) - 4194304;
}

#endif
