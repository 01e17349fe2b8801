/* CIE L*, a*, b* of sRGB with white point D65, in integers; docs/channels.md derives the numbers.
 *
 * The including file defines, before:
 *   SHW_LAB_PARAMETER, SHW_LAB_ARGUMENT  a leading parameter, with its comma (empty in GLSL)
 *   shw_uint shw_lab_table(SHW_LAB_PARAMETER shw_uint index)   an entry of the table of lab_table.h */
#ifndef SHW_SHARED_LAB_H
#define SHW_SHARED_LAB_H

#include "lab_table.h"
#include "types.h"

#ifdef SHW_GLSL
#define SHW_LAB_COLOUR shw_lab_colour
#else
#define SHW_LAB_COLOUR struct shw_lab_colour
#endif

struct shw_lab_colour {
    shw_int l, a, b; /* 5 fraction bits */
};

/* f of a component relative to white: 14 fraction bits of the weights and 17 of linear light become 20, of which 12
 * choose the table's interval and 8 lie within. */
SHW_INLINE shw_int shw_lab_curve(SHW_LAB_PARAMETER shw_uint weighted)
{
    shw_uint value = (weighted + 1024u) >> 11u;
    shw_uint index = SHW_LAB_ROOT + (value >> 8u);
    shw_uint low = shw_lab_table(SHW_LAB_ARGUMENT index);
    shw_uint high = shw_lab_table(SHW_LAB_ARGUMENT index + 1u);
    return SHW_AS_INT(low + (((high - low) * (value & 255u) + 128u) >> 8u));
}

/* Of linear light with 17 fraction bits. */
SHW_INLINE SHW_LAB_COLOUR shw_lab_of_light(SHW_LAB_PARAMETER shw_uint r, shw_uint g, shw_uint b)
{
    shw_int x = shw_lab_curve(SHW_LAB_ARGUMENT 7110u * r + 6164u * g + 3110u * b);
    shw_int y = shw_lab_curve(SHW_LAB_ARGUMENT 3484u * r + 11717u * g + 1183u * b);
    shw_int z = shw_lab_curve(SHW_LAB_ARGUMENT 291u * r + 1794u * g + 14299u * b);
    SHW_LAB_COLOUR colour;
    colour.l = shw_round_shift(116 * 32 * y - 16 * 32 * 131072, 17u);
    colour.a = shw_round_shift(500 * 32 * (x - y), 17u);
    colour.b = shw_round_shift(200 * 32 * (y - z), 17u);
    return colour;
}

SHW_INLINE SHW_LAB_COLOUR shw_lab(SHW_LAB_PARAMETER shw_uint red, shw_uint green, shw_uint blue)
{
    return shw_lab_of_light(SHW_LAB_ARGUMENT shw_lab_table(SHW_LAB_ARGUMENT red), shw_lab_table(SHW_LAB_ARGUMENT green),
                            shw_lab_table(SHW_LAB_ARGUMENT blue));
}

#endif
