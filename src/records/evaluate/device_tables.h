/* A forest for the device: the order of its trees, the columns of attributes that it uses, and the tables of
 * shared/record_push.h. */
#ifndef SHW_RECORDS_EVALUATE_DEVICE_TABLES_H
#define SHW_RECORDS_EVALUATE_DEVICE_TABLES_H

#include <shadewood/record_forest.h>

/* Trees in the order of their outputs, so that a sum is complete before the next one begins, and what the forest makes
 * use of. */
struct shw_record_order {
    uint32_t *trees;     /* their numbers in the forest */
    uint32_t *columns;   /* the attributes that tests read, in order */
    uint32_t *column_of; /* of each attribute that is read: its column */
    uint32_t column_count, depth;
    uint64_t depths; /* of all trees together */
    bool missing_right, zero_missing;
    bool narrow; /* sums of leaf values, without the base, fit 32 bits */
};

enum shw_result shw_record_order_make(const struct shw_record_forest_info *info, const struct shw_log *log,
                                      struct shw_record_order *order);
void shw_record_order_free(struct shw_record_order *order);

/* How a walker has arranged the trees, each array in their order. */
struct shw_record_layout {
    const uint32_t *first_node;    /* of each tree, and the end: elements of whatever its nodes consist of */
    const uint32_t *first_place;   /* of each tree, and the end; NULL: the places of a tree are its leaves */
    const uint32_t *leaf_of_place; /* the number of the leaf in its tree */
};

/* In memory, as they are uploaded. */
struct shw_device_forest {
    uint32_t *words; /* texels of four */
    uint64_t texels;
    uint32_t chunk_count, trees_at, base_at, columns_at;
    uint32_t classes_at; /* 0: the forest is not of one tree for classes */
    uint32_t sets_at;    /* 0: no test is of a set */
    int32_t *values;
    uint64_t value_count;
};

/* `chunk_trees`, `chunk_depths`: at most, of a chunk's trees and of the sum of their depths and their number; a single
 * tree may have more. Errors: MEMORY, LIMIT. */
enum shw_result shw_device_forest_make(const struct shw_record_forest_info *info, const struct shw_record_order *order,
                                       const struct shw_record_layout *layout, uint32_t chunk_trees,
                                       uint64_t chunk_depths, const struct shw_log *log,
                                       struct shw_device_forest *tables);
void shw_device_forest_free(struct shw_device_forest *tables);

#endif
