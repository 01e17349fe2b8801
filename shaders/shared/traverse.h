/* Descent to a leaf: the one definition for every technique.
 *
 * The including file defines, before, what response.h asks for, and
 *   shw_uint4 shw_forest_texel(SHW_CONTEXT_PARAMETER shw_uint index) */
#ifndef SHW_SHARED_TRAVERSE_H
#define SHW_SHARED_TRAVERSE_H

#include "response.h"

/* The leaf that pixel (x, y) reaches in the tree that begins at texel `first`, after `depth` steps: the index of its
 * first texel. */
SHW_INLINE shw_uint shw_traverse(SHW_CONTEXT_PARAMETER shw_uint first, shw_uint depth, shw_int x, shw_int y,
                                 SHW_RECT image)
{
    shw_uint texel = first;
    for (shw_uint level = 0u; level < depth; ++level) {
        shw_uint4 node = shw_forest_texel(SHW_CONTEXT texel);
        shw_uint4 rects = shw_forest_texel(SHW_CONTEXT texel + 1u);
        shw_int response = shw_response(SHW_CONTEXT node.y, rects, x, y, image);
        shw_uint above = SHW_AS_UINT(SHW_AS_INT(node.z) <= response);
        shw_uint below = SHW_AS_UINT(response < SHW_AS_INT(node.w));
        shw_uint right = (node.y >> SHW_NODE_SPLIT_SHIFT) & above & below & 1u;
        texel = first + SHW_NODE_TEXELS * (node.x + right);
    }
    return texel;
}

#endif
