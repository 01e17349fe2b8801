/* The nodes of a tree as groups of lanes evaluate them (Spencer 2021, Procedures 4 and 5), in elements of four 32-bit
 * words. A lane evaluates the entries that it is assigned: what the paper calls the processor-node map is the order of
 * the entries, and its leaf paths are targets.
 *
 *   first                  x: how many entries, y: target at the beginning: entry 0, or leaf 0 of a tree that is a leaf
 *   entry                  x: attribute and flags, y: threshold, z: target on the left, w: on the right
 *   entry for ballots      x, y: the same; z, w: mask and value of the leaf with the entry's number, which is reached
 * if (sides & mask) == value, where bit i of `sides` is 1 if entry i goes right more of it             x, y: mask and
 * value for the next 32 sides; in the same order after all entries of the tree
 *
 * Targets are leaves, or entries of the tree after the one that leads to them. */
#ifndef SHW_SHARED_RECORD_LANES_H
#define SHW_SHARED_RECORD_LANES_H

#include "types.h"

/* Word x of an entry. */
#define SHW_LANES_ATTRIBUTE_MASK 0xffffu
#define SHW_LANES_FLAGS_SHIFT    16u /* bit 0: what is missing goes right, bit 1: zero is missing */
#define SHW_LANES_PLACE_SHIFT    18u /* in windows: its place there, in 10 bits; otherwise 0 */
#define SHW_LANES_PLACE_BITS     10u
#define SHW_LANES_SET            0x80000000u /* the test is of a set, and word y its first word */

/* Targets. */
#define SHW_LANES_LEAF       0x80000000u
#define SHW_LANES_INSIDE     0x40000000u /* an entry of the same window */
#define SHW_LANES_VALUE_MASK 0x03ffffffu /* the number of the entry or the leaf */

#define SHW_LANES_GROUPS_MAX 8u /* record groups of a work group, where they share memory */

#endif
