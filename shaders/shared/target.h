/* What targets of labelling store, from results to codes, for C and GLSL (docs/library.md#targets): labels and leaves
 * in other widths, probabilities of several classes per texel, and classes over the colour image. */
#ifndef SHW_SHARED_TARGET_H
#define SHW_SHARED_TARGET_H

#include "source_code.h"

/* How a component is stored. */
#define SHW_CODES_8    0u /* 8 bits */
#define SHW_CODES_16   1u /* 16 bits */
#define SHW_CODES_HALF 2u /* a half float */
#define SHW_CODES_32   3u /* 32 bits */

/* A component of a texel from a code of 16 bits. */
SHW_INLINE shw_uint shw_share_code(shw_uint code, shw_uint form)
{
    if (form == SHW_CODES_8)
        return shw_code8_of_16(code);
    return form == SHW_CODES_HALF ? shw_half_of_16(code) : code;
}

/* A label or a leaf, of which `none` stands for void, with as many bits as the form: void is all ones. */
SHW_INLINE shw_uint shw_number_code(shw_uint number, shw_uint none, shw_uint form)
{
    shw_uint most = form == SHW_CODES_8 ? 255u : form == SHW_CODES_16 ? 65535u : 0xffffffffu;

    return number == none ? most : number;
}

/* Overlays: the colour of a class over the image. Weights are in 25600ths, 256 per percent. */
#define SHW_OVERLAY_WHOLE 25600u

/* The weight of a class of an opacity of 0 to 100 percent and of that probability; 65535: it counts in full. */
SHW_INLINE shw_uint shw_overlay_weight(shw_uint opacity, shw_uint probability)
{
    return (256u * opacity * probability + 32767u) / 65535u;
}

/* A component of the overlay, from those of the image and of the colour, both of 8 or of 16 bits. Without probability,
 * this is ((100 - opacity) * image + opacity * colour + 50) / 100, rounded down. */
SHW_INLINE shw_uint shw_overlay_mix(shw_uint image, shw_uint colour, shw_uint weight)
{
    return ((SHW_OVERLAY_WHOLE - weight) * image + weight * colour + SHW_OVERLAY_WHOLE / 2u) / SHW_OVERLAY_WHOLE;
}

/* A component of the image, of 8 or 16 bits, as one of 8 or 16 bits. */
SHW_INLINE shw_uint shw_overlay_picture(shw_uint code, shw_uint is_wide, shw_uint wants_wide)
{
    if (is_wide != 0u)
        return wants_wide != 0u ? code : code >> 8u;
    return wants_wide != 0u ? 257u * code : code;
}

/* The passes that make targets. */
#define SHW_MAKE_RESULTS       0
#define SHW_MAKE_PROBABILITIES 1 /* of overlays */
#define SHW_MAKE_COLOURS       2 /* of overlays: a word per class: red, green, blue, opacity from the lowest byte up */
#define SHW_MAKE_SOURCE        3 /* of overlays */
#define SHW_MAKE_TEXELS        4 /* of compute */

#define SHW_TARGET_COLUMNS 4u /* pixels of an invocation of compute */

/* What a texel is made from. */
#define SHW_MAKE_NUMBERS 0u /* a label or a leaf */
#define SHW_MAKE_SHARE   1u /* a probability */
#define SHW_MAKE_SHARES  2u /* those of SHW_TARGET_CLASSES classes */
#define SHW_MAKE_OVERLAY 3u /* an overlay */

#define SHW_TARGET_CLASSES 4u

struct shw_target_push {
    shw_int width, height;      /* results of the tile */
    shw_int x, y;               /* where it is in the results */
    shw_int source_x, source_y; /* where it is in the colour image */
    shw_uint step;              /* there, from the pixel of a result to that of the next */
    shw_uint made_from, form;
    shw_uint is_swapped; /* blue is first */
    shw_uint count;      /* planes of results */
    shw_uint none;       /* the number that stands for void */
    shw_uint layer;      /* of what a fragment makes */
    shw_uint source;     /* SHW_SOURCE_UNORM8 and so on, and 128 if there is only one component */
    shw_uint by_probability;
    /* Of buffers: bits of a result, and words from row to row and from plane to plane. */
    shw_uint bits, row, plane, probability_row, probability_plane;
    shw_uint texel_bytes, made_row, made_plane;
};

#endif
