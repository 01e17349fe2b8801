/* Bindings, push constants and tables of the shaders that evaluate record forests, for C and GLSL.
 *
 * The tables begin with the chunks, successive trees that are walked together, two texels each:
 *   x: first tree, y: one after the last, z: first node, w: one after the last
 *   x: first output, y: flags, z, w: 0
 * Trees follow, a texel each, in the order of their outputs:
 *   x: first node, y: value of its first place, z: its number in the forest, w: its first place
 * then, in words, the base of each output (two, the lower one first), the attribute of each column, of a forest of one
 * tree for classes the class of each place, and the sets that tests have.
 *
 * A place is where a walk ends. Leaves have one or several, each with its values. */
#ifndef SHW_SHARED_RECORD_PUSH_H
#define SHW_SHARED_RECORD_PUSH_H

#include "types.h"

/* With dynamic offsets. */
#define SHW_RECORD_RECORDS     0
#define SHW_RECORD_CLASSES_OUT 1
#define SHW_RECORD_SUMS_OUT    2
#define SHW_RECORD_LEAVES_OUT  3
#define SHW_RECORD_DYNAMIC     4
/* Without. */
#define SHW_RECORD_NODES        4 /* the technique's own */
#define SHW_RECORD_TABLES       5
#define SHW_RECORD_LEAF_VALUES  6
#define SHW_RECORD_LEAF_NUMBERS 7 /* of each place, unless that is the leaf's number */
#define SHW_RECORD_PLACES       8 /* by pass: of each tree of a slice and each record */
#define SHW_RECORD_PASS_SUMS    9 /* by pass: sums that the caller does not want */
#define SHW_RECORD_BINDINGS     10

#define SHW_RECORD_CHUNK_TEXELS 2u
#define SHW_RECORD_CHUNK_BEGINS 1u /* the first one of its outputs */
#define SHW_RECORD_CHUNK_ENDS   2u /* the last one */

/* What a recording wants, and how records lie. */
#define SHW_RECORD_WANTS_CLASSES 1u
#define SHW_RECORD_WANTS_SUMS    2u
#define SHW_RECORD_WANTS_LEAVES  4u
#define SHW_RECORD_WANTS_VALUES  3u /* either of the first two */
#define SHW_RECORD_HAS_FOURS     8u /* rows of attributes one after the other that begin at multiples of four */

/* Of nodes of complete trees: column, and whether the test is of a set, zero is missing and what is missing goes right.
 */
#define SHW_RECORD_COMPLETE_COLUMN      0x1fffffffu
#define SHW_RECORD_COMPLETE_SET_SHIFT   29u
#define SHW_RECORD_COMPLETE_ZERO_SHIFT  30u
#define SHW_RECORD_COMPLETE_RIGHT_SHIFT 31u

struct shw_record_push {
    shw_uint count; /* records of the piece */
    shw_uint record_stride, attribute_stride;
    shw_int missing; /* a code that is missing, too */
    shw_uint wanted;
    shw_uint first_chunk, end_chunk;        /* of the slice; all of them unless in passes */
    shw_uint first_tree, end_tree;          /* of the slice */
    shw_uint trees_at, base_at, columns_at; /* in the tables: texel, word, word */
    shw_uint pitch;                         /* of the places: records */
    shw_uint own;                           /* the walker's */
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_record_push) == 14 * 4, "push constants are 14 words in GLSL");
#endif

#endif
