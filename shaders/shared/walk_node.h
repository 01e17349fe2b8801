/* The nodes of a forest as the technique `compute` walks them, in texels of four 32-bit words: beside what the forest
 * texture has, what follows from a rectangle and from the layout of the integral images is worked out, for the pixels
 * where no rectangle is clipped.
 *
 *   texel t            tree t: x: the texel of its root, y: depth, z: number of its first leaf among all leaves
 *   node's texel       x: texel of the left child, which the right one follows, y: t0 (leaf: its number in the tree),
 *                      z: t1 (leaf: the least integer), w: channels and flags as in the forest texture
 *   its texel + 1      rectangles as in the forest texture
 *   its texel + 2, 3   rectangle 0, 1: x: words from the pixel's in plane 0 to the upper left corner, y: width and,
 *                      from bit 16 on, shift, z: words from its upper row to its lower, w: multiplier of
 *                      shw_mean_by(), or for sums a mask of ones; 0 for a second rectangle that does not count */
#ifndef SHW_SHARED_WALK_NODE_H
#define SHW_SHARED_WALK_NODE_H

#define SHW_WALK_TEXELS 4u /* of a node */
#define SHW_WALK_SHIFT  16u

#endif
