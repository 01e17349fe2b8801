/* The layout of the forest texture, in texels of four 32-bit words (docs/forest-format.md).
 *
 *   texel 0               x: trees, y: classes, z: first texel of the distributions, w: leaves of all trees
 *   texel 1 + t           tree t: x: first texel, y: nodes, z: depth, w: number of its first leaf among all leaves
 *   first(t) + 2 n        node n: x: left child, y: head, z: t0 (leaf: its number in the tree), w: t1
 *   first(t) + 2 n + 1    the rest of the node's feature
 *   distributions + l k   leaf l of all leaves: 16-bit values, eight a texel, k = SHW_DISTRIBUTION_TEXELS(classes) */
#ifndef SHW_SHARED_FOREST_TEXTURE_H
#define SHW_SHARED_FOREST_TEXTURE_H

#include "types.h"

#define SHW_TEXTURE_SIZE_MAX             4096u
#define SHW_NODE_TEXELS                  2u
#define SHW_CLASSES_PER_TEXEL            8u
#define SHW_DISTRIBUTION_TEXELS(classes) (((classes) + SHW_CLASSES_PER_TEXEL - 1u) / SHW_CLASSES_PER_TEXEL)

/* In leaf images: the pixel is void, and reaches no leaf. */
#define SHW_LEAF_NONE 0xffffffffu

/* Word `y` of a node, its head, belongs to the feature type except for bit 24. Types of differences have channel 0 in
 * bits 0-11 and channel 1 in bits 12-23. */
#define SHW_NODE_CHANNEL_BITS 12u
#define SHW_NODE_CHANNEL_MASK 0xfffu
#define SHW_NODE_SPLIT_SHIFT  24u /* 1: the node has children */
#define SHW_NODE_SECOND_SHIFT 25u /* 1: channel 1 counts */
/* In types whose channels may have missing values: side 0 is a mean over the pixels that its count counts; the bit
 * after it: side 1 is. */
#define SHW_NODE_COUNTED_SHIFT 26u

/* Channel `number`, 0 or 1. */
SHW_INLINE shw_uint shw_node_channel(shw_uint head, shw_uint number)
{
    return head >> (SHW_NODE_CHANNEL_BITS * number) & SHW_NODE_CHANNEL_MASK;
}

SHW_INLINE shw_uint shw_node_is_counted(shw_uint head, shw_uint side)
{
    return head >> (SHW_NODE_COUNTED_SHIFT + side) & 1u;
}

#endif
