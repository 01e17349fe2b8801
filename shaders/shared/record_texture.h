/* The layout of the texture of a record forest, in texels of four 32-bit words (docs/record-format.md).
 *
 *   texel 0                x: trees, y: outputs, z: first texel of the leaf values, w: leaves of all trees
 *   texel 1                x: attributes, y: values per leaf, z: nodes of all trees, w: words of all sets
 *   texel 2 + 2 t          tree t: x: first texel, y: nodes, z: depth, w: number of its first leaf among all leaves
 *   texel 3 + 2 t          tree t: x: its output (0 if leaves have a value for each), y: its leaves, z, w: 0
 *   first(t) + n           node n: x: left child (leaf: itself), y: attribute and flags, z: threshold (test of a set:
 *                          the set's first word; leaf: its number in the tree), w: the original's number of it
 *   values + i / 4         component i % 4: value i of the leaves; leaf l of all leaves has the values from
 *                          l * values per leaf on
 *   sets + i / 4           component i % 4: word i of the sets (shared/record.h), which begin with the texel after the
 *                          last value
 *
 * The nodes of a tree are in breadth-first order (Spencer 2021, Procedure 1); the right child is next to the left one.
 * All trees have successive texels, tree 0 first, then the leaf values. */
#ifndef SHW_SHARED_RECORD_TEXTURE_H
#define SHW_SHARED_RECORD_TEXTURE_H

#include "types.h"

#define SHW_RECORD_TREES_AT    2u
#define SHW_RECORD_TREE_TEXELS 2u

/* Word y of a node. */
#define SHW_RECORD_ATTRIBUTE_MASK      0xffffffu
#define SHW_RECORD_SPLIT_SHIFT         24u /* 1: the node has children */
#define SHW_RECORD_MISSING_RIGHT_SHIFT 25u /* 1: what is missing goes right */
#define SHW_RECORD_ZERO_MISSING_SHIFT  26u /* 1: zero is missing, too */
#define SHW_RECORD_SET_SHIFT           27u /* 1: a test of a set */

#endif
