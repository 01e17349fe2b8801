/* The layout of the cascade texture, in texels of four 32-bit words (docs/cascade-format.md); S stages, T trees, N
 * nodes of k texels each.
 *
 *   texel 0                  x: stages, y: trees, z: nodes, w: features
 *   texel 1                  x: the window's width, and its height shifted by 16, y: fraction bits, and 1 shifted by 8
 * if the score restarts in each stage, z: score base texel 2 + s              stage s: x: first tree, y: trees, z:
 * threshold, w: first texel of its first tree texel 2 + S + t          tree t: x: first texel, y: nodes, z: depth
 *   first(t) + k n           node n: x: points or feature, y: threshold, z: left child, w: value
 *   first(t) + k n + 1, + 2  LBP: the subset
 *   2 + S + T + k N + 2 f    feature f: x: rectangle 0, y: its weight, z: rectangle 1, w: its weight
 *   2 + S + T + k N + 2 f + 1   x: rectangle 2, y: its weight, z: rectangles, w: 1 if tilted
 *
 * A leaf is its own left child. In PIXELS and SCALED its points and its threshold are zero, so that its response is
 * zero and not greater: a walk of a fixed number of tests stays there. */
#ifndef SHW_SHARED_CASCADE_TEXTURE_H
#define SHW_SHARED_CASCADE_TEXTURE_H

#include "types.h"

#define SHW_CASCADE_STAGES_AT      2u
#define SHW_CASCADE_RESTARTS_SHIFT 8u
#define SHW_CASCADE_FEATURE_TEXELS 2u

/* Texels of a node. */
#define SHW_CASCADE_NODE_TEXELS     1u
#define SHW_CASCADE_LBP_NODE_TEXELS 3u

/* Byte `number`, 0..3, of a word: x1, y1, x2, y2 of a node of PIXELS, or x, y, width, height of a rectangle. */
SHW_INLINE shw_uint shw_cascade_byte(shw_uint word, shw_uint number)
{
    return word >> (8u * number) & 0xffu;
}

/* The same as a two's complement number: x1, y1, x2, y2 of SCALED. */
SHW_INLINE shw_int shw_cascade_signed_byte(shw_uint word, shw_uint number)
{
    return SHW_AS_INT((word >> (8u * number) & 0xffu) ^ 0x80u) - 0x80;
}

#endif
