/* The technique `cpu`: what its files share. */
#ifndef SHW_RECORDS_EVALUATE_RECORDS_CPU_H
#define SHW_RECORDS_EVALUATE_RECORDS_CPU_H

#include "base/simd.h"
#include "records/evaluate/evaluator.h"
#include "records/evaluate/record_code.h"

/* An attribute as tests with the same flags see it; tests of sets see it without. Column 0 is that of no attribute,
 * which is always missing. */
struct shw_record_column {
    uint32_t attribute;
    uint32_t missing_right, zero_missing; /* 0 or 1 */
};

/* Those that a forest tests, in the order of attributes. */
struct shw_record_columns {
    struct shw_record_column *items;
    uint32_t count;
    uint32_t *numbers; /* shw_record_column_of() */
};

/* The column of a split; leaves have 0. */
uint32_t shw_record_column_of(const struct shw_record_columns *columns, const struct shw_record_node *node);

/* A node for traversal without branches: a record goes right if its value in the column is greater than the limit. A
 * leaf's column is 0 and its left child is itself, so that every further test stays there. */
struct shw_record_walk_node {
    int32_t limit;   /* leaf: its number in the tree; test of a set: the set's first word */
    uint32_t column; /* with the bits below */
    uint32_t left;   /* how much farther the left child is; the right one follows it */
};
#define SHW_RECORD_WALK_SET           0x80000000u /* the test is of a set */
#define SHW_RECORD_WALK_MISSING_RIGHT 0x40000000u /* and sends what is missing to the right */

/* Such a node for a split or a leaf, whose `left` and, of a leaf, limit are the caller's. */
struct shw_record_walk_node shw_record_walk_node_of(const struct shw_record_columns *columns,
                                                    const struct shw_record_node *node, int32_t limit, uint32_t left);

/* 1: right, 0: left; `value` is that of the node's column. `sets` is NULL where no test is of a set. */
static inline uint32_t shw_record_walk_side(const struct shw_record_walk_node *node, const uint32_t *sets,
                                            const int32_t *values, size_t stride)
{
    if (sets != NULL && (node->column & SHW_RECORD_WALK_SET) != 0)
        return shw_record_set_goes_right(
            sets + (uint32_t)node->limit,
            values[(node->column & ~(SHW_RECORD_WALK_SET | SHW_RECORD_WALK_MISSING_RIGHT)) * stride],
            (node->column & SHW_RECORD_WALK_MISSING_RIGHT) != 0);
    return values[node->column * stride] > node->limit;
}

struct shw_record_top;
struct shw_record_top_node;

#define SHW_RECORD_NEAR        16u /* thresholds, that a search compares at once in its end */
#define SHW_RECORD_PIVOT_STEPS 4u  /* that a search makes in its beginning, by comparison with as many thresholds */

/* What is written for vectors of a processor. */
struct shw_record_vectors {
    /* How many of 2^steps - 1 ascending thresholds are lower than each of the codes, `count` a multiple of 16. After
     * the thresholds SHW_RECORD_NEAR numbers are read that must be greater than all codes. */
    void (*find_ranks)(const int32_t *thresholds, uint32_t steps, const int32_t *codes, uint32_t count,
                       uint32_t *ranks);
    /* The place that each record of `count` groups reaches by the top of a tree. `stride`: bytes from group to group.
     * By the logarithm of enum shw_record_width. */
    void (*find_places[3])(const struct shw_record_top *top, const struct shw_record_top_node *nodes,
                           const uint8_t *lines, size_t stride, uint32_t count, uint32_t *places);
};
extern const struct shw_record_vectors shw_record_vectors_avx512, shw_record_vectors_avx2, shw_record_vectors_portable;

/* Records in groups, whose values of a column are one line of the cache. */
#define SHW_RECORD_LINE 64u /* bytes */

/* A column's value is a code less missing_right, or, if thresholds are few, a rank, which takes fewer bytes: how many
 * thresholds of the attribute are lower, counted from the type's lowest value on. What is missing has the lowest rank
 * or the highest. */
enum shw_record_width { SHW_RECORD_RANK_8 = 1, SHW_RECORD_RANK_16 = 2, SHW_RECORD_CODE_32 = 4 }; /* bytes */

/* Sets the bit of each rank among `count` ascending thresholds, some of which are those of the set, whose codes go
 * right; `ranks` has zeros. */
void shw_record_set_ranks(const uint32_t *set, bool missing_right, const int32_t *thresholds, uint32_t count,
                          uint32_t *ranks);

/* An attribute that a forest tests. */
struct shw_record_axis {
    uint32_t attribute;
    uint32_t first_column, column_count;
    uint32_t threshold_count; /* different ones */
    uint32_t steps;           /* of the search in 2^steps - 1 of them */
    size_t first_threshold;   /* in `thresholds`: in ascending order, then INT32_MAX as often as find_ranks() asks */
};

struct shw_record_axes {
    const struct shw_record_columns *columns;
    const struct shw_record_vectors *vectors;
    struct shw_record_axis *items;
    uint32_t count;
    int32_t *thresholds;
    enum shw_record_width width;
};

/* Errors: MEMORY. */
enum shw_result shw_record_axes_make(const struct shw_record_forest_info *info,
                                     const struct shw_record_columns *columns, const struct shw_record_vectors *vectors,
                                     const struct shw_log *log, struct shw_record_axes *axes);
void shw_record_axes_free(struct shw_record_axes *axes);

/* The axis of an attribute that the forest tests. */
const struct shw_record_axis *shw_record_axis_of(const struct shw_record_axes *axes, uint32_t attribute);

uint32_t shw_record_axes_group(const struct shw_record_axes *axes); /* records in a group */

/* The greatest value in the node's column that goes left. False if all go left. */
bool shw_record_axes_limit(const struct shw_record_axes *axes, const struct shw_record_node *node, int32_t *limit);

/* Writes the lines of successive groups: of each group one for each column. The last group may be incomplete. */
void shw_record_axes_read(const struct shw_record_axes *axes, const struct shw_records *records, uint64_t first,
                          uint32_t count, void *lines);

/* A test of the top of a tree. */
struct shw_record_top_node {
    uint32_t offset; /* of the column's line in the group, in bytes */
    uint32_t limit;  /* the least value that does not go left, as often as a word holds it */
};

#define SHW_RECORD_TOP_MAX 8u /* levels */

/* The bit of the i-th eight nodes of a level from 3 on. */
#define SHW_RECORD_EIGHT(level, i) ((1u << ((level)-3)) - 1 + (i))

/* A node below the top: as struct shw_record_walk_node, in 8 bytes if values are ranks. */
struct shw_record_rank_node {
    uint32_t left; /* how much farther the place of the left child is */
    uint16_t column;
    int16_t limit;
};

/* A tree whose upper levels are complete: all their tests are made, since that is faster for many records than to find
 * out which are needed. A record's results select its place among 2^levels; from there it walks on. */
struct shw_record_top {
    uint32_t levels;
    uint32_t steps;     /* that the longest path takes from its place on */
    uint32_t eights;    /* bits of eight successive nodes of a level of which at least one is a test */
    bool has_sets;      /* below the top; there are none in it */
    size_t first_node;  /* in `nodes`: 2^levels - 1 tests, level by level */
    size_t first_place; /* in arrays of places: 2^levels, and those of lower nodes if there are steps */
};

#define SHW_RECORD_PLACE_VALUES 4u
#define SHW_RECORD_NO_SET       0u

struct shw_record_tops {
    const struct shw_record_forest_info *info;
    const struct shw_record_axes *axes;
    struct shw_record_top *trees;
    struct shw_record_top_node *nodes;
    struct shw_record_rank_node *ranks; /* of places, if values are ranks */
    struct shw_record_walk_node *walks; /* of places, otherwise */
    uint32_t *sets; /* with ranks, of places: which of the words below are its test's, a bit for each rank that goes
                       right, or NO_SET; NULL without sets */
    uint32_t *set_words;
    uint32_t *leaves; /* of places: the leaf's number in the tree */
    int32_t *values;  /* of places: the leaf's, if these are few; otherwise NULL */
    size_t nowhere;   /* a place of no tree, whose values are 0, unless there are walks */
};

/* Errors: MEMORY. */
enum shw_result shw_record_tops_make(const struct shw_record_forest_info *info, const struct shw_record_axes *axes,
                                     const struct shw_log *log, struct shw_record_tops *tops);
void shw_record_tops_free(struct shw_record_tops *tops);

/* From these places to the leaves', all of which are whole groups. */
void shw_record_tops_descend(const struct shw_record_tops *tops, uint32_t tree, const uint8_t *lines, uint32_t groups,
                             uint32_t *places);

/* The same for one record, whose values are one of each column in the width of the axes, and `count` trees, a multiple
 * of 8, from places among those of all trees on. `steps` is the longest path's, `has_sets` whether a test is of a set.
 * Only where values are ranks. */
void shw_record_tops_descend_trees(const struct shw_record_tops *tops, const void *values, uint32_t count,
                                   uint32_t steps, bool has_sets, uint64_t *places);

#endif
