/* The test of a node and the descent to a leaf, defined once for all techniques.
 *
 * The including file must include the header of the feature type first. For shw_traverse() it defines
 *   shw_uint4 shw_forest_texel(SHW_CONTEXT_PARAMETER shw_uint index) */
#ifndef SHW_SHARED_TRAVERSE_H
#define SHW_SHARED_TRAVERSE_H

#include "centre.h"
#include "feature.h"
#include "rectangle.h"

#if !defined SHW_FEATURE_READS || !defined SHW_FEATURE_MAY_BE_UNDEFINED
#error "the header of a feature type must define SHW_FEATURE_READS and SHW_FEATURE_MAY_BE_UNDEFINED"
#endif

#ifndef SHW_FEATURE_READS_PIXELS
#define SHW_FEATURE_READS_PIXELS 0
#endif
/* 1: responses can be read from mean planes (dense/means/means.h), too. */
#ifndef SHW_FEATURE_HAS_MEANS
#define SHW_FEATURE_HAS_MEANS 0
#endif
#ifndef SHW_FEATURE_READS_DEPTH
#define SHW_FEATURE_READS_DEPTH 0
#endif

/* 1: pixels without depth are not void. */
#ifndef SHW_FEATURE_LABELS_ALL
#define SHW_FEATURE_LABELS_ALL 0
#endif

#ifdef SHW_GLSL
uvec4 shw_forest_texel(uint index);
#endif

#if SHW_FEATURE_READS_DEPTH && SHW_FEATURE_READS == SHW_READS_INTEGRALS
SHW_INLINE shw_uint shw_centre_sum(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)
{
    return shw_integral(SHW_CONTEXT channel, rect.x1, rect.y1) - shw_integral(SHW_CONTEXT channel, rect.x0, rect.y1) -
           shw_integral(SHW_CONTEXT channel, rect.x1, rect.y0) + shw_integral(SHW_CONTEXT channel, rect.x0, rect.y0);
}
#endif

/* Pixel (x, y) as the centre of what tests see. `held` is the part of the image whose planes can be read, which of a
 * tile is not the whole image. */
SHW_INLINE SHW_CENTRE shw_centre_at(SHW_CONTEXT_PARAMETER shw_int x, shw_int y, SHW_RECT held)
{
#if !SHW_FEATURE_READS_DEPTH || SHW_FEATURE_LABELS_ALL
    SHW_UNUSED(held);
    return shw_centre_without_depth(x, y);
#elif SHW_FEATURE_READS == SHW_READS_CHANNELS
    SHW_UNUSED(held);
    return shw_centre_with_depth(x, y, SHW_AS_UINT(shw_channel(SHW_CONTEXT 0u, x, y)));
#else
    SHW_RECT pixel;
    SHW_CENTRE centre;

    pixel.x0 = x;
    pixel.y0 = y;
    pixel.x1 = x + 1;
    pixel.y1 = y + 1;
    centre = shw_centre_with_depth(x, y, shw_centre_sum(SHW_CONTEXT 0u, pixel));
    centre.is_complete = SHW_AS_UINT(shw_centre_sum(SHW_CONTEXT 1u, held) == shw_rect_area(held));
    return centre;
#endif
}

/* The number of a pixel's leaf, or SHW_LEAF_NONE if the pixel is void. */
SHW_INLINE shw_uint shw_leaf_or_none(shw_uint leaf, SHW_CENTRE centre)
{
#if SHW_FEATURE_READS_DEPTH
    return leaf | (0u - centre.is_void);
#else
    SHW_UNUSED(centre);
    return leaf;
#endif
}

SHW_INLINE SHW_RESPONSE shw_respond(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, SHW_CENTRE centre, SHW_RECT image)
{
#if SHW_FEATURE_READS_DEPTH
    return shw_feature_respond_at(SHW_CONTEXT feature, centre, image);
#else
    return shw_feature_respond(SHW_CONTEXT feature, centre.x, centre.y, image);
#endif
}

/* 1: right, 0: left. Undefined goes right. */
SHW_INLINE shw_uint shw_goes_right(SHW_RESPONSE response, shw_int t0, shw_int t1)
{
    shw_uint right = SHW_AS_UINT(t0 <= response.value) & SHW_AS_UINT(response.value < t1);
#if SHW_FEATURE_MAY_BE_UNDEFINED
    right |= response.undefined;
#endif
    return right;
}

/* A response as training stores it. */
SHW_INLINE shw_int shw_stored(SHW_RESPONSE response)
{
#if SHW_FEATURE_MAY_BE_UNDEFINED
    shw_uint undefined = 0u - response.undefined;
    return SHW_AS_INT((SHW_AS_UINT(response.value) & ~undefined) | (0x80000000u & undefined));
#else
    return response.value;
#endif
}

/* The leaf that a pixel reaches after `depth` steps in the tree that begins at texel `first`: the index of its first
 * texel. */
SHW_INLINE shw_uint shw_traverse(SHW_CONTEXT_PARAMETER shw_uint first, shw_uint depth, SHW_CENTRE centre,
                                 SHW_RECT image)
{
    shw_uint texel = first;
    for (shw_uint level = 0u; level < depth; ++level) {
        shw_uint4 node = shw_forest_texel(SHW_CONTEXT texel);
        SHW_FEATURE feature = shw_feature_of(node.y, shw_forest_texel(SHW_CONTEXT texel + 1u));
        SHW_RESPONSE response = shw_respond(SHW_CONTEXT feature, centre, image);
        shw_uint right = shw_goes_right(response, SHW_AS_INT(node.z), SHW_AS_INT(node.w));
        texel = first + SHW_NODE_TEXELS * (node.x + (right & (node.y >> SHW_NODE_SPLIT_SHIFT) & 1u));
    }
    return texel;
}

#endif
