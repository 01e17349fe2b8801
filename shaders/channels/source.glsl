/* From the source image to base planes (MAKES_BASE), or straight to the channels of the sets rgb (MAKES_RGB) and lab
 * (MAKES_LAB). SOURCE_IS_UINT: the view has 16-bit unsigned integers, otherwise 8-bit normalised ones. */
#extension GL_EXT_samplerless_texture_functions : require
#include "base_planes.h"

layout(push_constant) uniform Push {
    ivec2 origin;      /* of the region in the source */
    ivec2 size;        /* of the region */
    uint is_grey;      /* the first component is all there is */
    uint row_words;    /* of an output plane in a buffer */
    uint plane_words;
} push;

#ifdef SOURCE_IS_UINT
layout(set = 0, binding = 0) uniform utexture2D source;
#else
layout(set = 0, binding = 0) uniform texture2D source;
#endif

#ifdef MAKES_LAB
layout(set = 0, binding = 1) readonly buffer LabTable {
    uint lab_table[];
};
uint shw_lab_table(uint index)
{
    return lab_table[index];
}
#define SHW_LAB_PARAMETER
#define SHW_LAB_ARGUMENT
#include "lab.h"
#endif

ivec4 source_planes(ivec2 pixel)
{
    uvec3 rgb;
#ifdef SOURCE_IS_UINT
    uvec3 stored = texelFetch(source, push.origin + pixel, 0).rgb;
    rgb = uvec3(shw_base_from_16(stored.r), shw_base_from_16(stored.g), shw_base_from_16(stored.b));
#else
    uvec3 stored = uvec3(texelFetch(source, push.origin + pixel, 0).rgb * 255.0 + 0.5);
    rgb = uvec3(shw_base_from_8(stored.r), shw_base_from_8(stored.g), shw_base_from_8(stored.b));
#endif
    if (push.is_grey != 0u)
        rgb = rgb.rrr;
#if defined(MAKES_LAB)
    shw_lab_colour colour = shw_lab(rgb.r, rgb.g, rgb.b);
    return ivec4(colour.l, colour.a, colour.b, 0);
#elif defined(MAKES_RGB)
    return ivec4(rgb, 0);
#else
    return ivec4(rgb, shw_base_luma(rgb.r, rgb.g, rgb.b));
#endif
}
