/* clang-format off */
/* The nodes of a forest as the technique `compute` walks them, in texels of four 32-bit words: in addition to the
 * forest texture's contents, values that follow from a rectangle and from the layout of the integral images are
 * precomputed for pixels where no rectangle is clipped.
 *
 *   texel t            tree t: x: the texel of its root, y: depth, z: number of its first leaf among all leaves
 *   node's texel       x: texel of the left child, which the right one follows, y: t0 (leaf: its number in the tree),
 *                      z: t1 (leaf: the least integer), w: head as in the forest texture
 *   its texel + 1      the rest of the feature as in the forest texture
 *   its texel + 2, 3   what the feature type has prepared; they are not there if it prepares nothing, nor if it reads
 *                      integral images
 *
 * Types whose prepared form is the places of two values (SHW_FEATURE_HAS_PLACES) have these nodes instead, of which
 * pixels around which nothing is clipped read one texel:
 *
 *   node's texel       x: texel of the left child, bit 31 set unless the test has a single side,
 *                      y: t0 (leaf: its number in the tree plus one; bit 31 of x is set),
 *                      z, w: elements from the pixel's in plane 0 to those of the sides (leaf: 0, so that
 *                      the response is 0)
 *   its texel + 1      x: t1, y: head as in the forest texture,
 *                      z, w: where the sides begin, x0 | y0 << 16
 *
 * Of ferns (src/dense/traverse/forest_table.h), each level has its test in the place of a node, and a table the leaves:
 *
 *   texel t            x: the texel of the first test, y: levels, z as above, w: the first word of the table
 *   test's texels      as a node's, without a child, and always with what the feature type has prepared
 *   the table's words  2^levels numbers of leaves in the tree, by the results of the tests, the first in the highest
 * bit
 */
/* clang-format on */
#ifndef SHW_SHARED_WALK_NODE_H
#define SHW_SHARED_WALK_NODE_H

/* Of a node or test, and of one without what is prepared.
 *
 * Rectangles could be prepared for trees as well: their corners are then found with fewer instructions, but each pixel
 * loads half a node more, and work groups of both kinds run side by side. This was slower on an H200
 * (docs/performance.md). The pixels of a work group read all tests of a fern together. */
#define SHW_WALK_TEXELS       4u
#define SHW_WALK_TEXELS_PLAIN 2u

#define SHW_WALK_PAIR 0x80000000u /* in x of nodes of places */

#endif
