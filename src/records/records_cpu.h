/* The technique `cpu`: what its files share. */
#ifndef SHW_RECORDS_RECORDS_CPU_H
#define SHW_RECORDS_RECORDS_CPU_H

#include "records/evaluator.h"

/* An attribute as tests with the same flags see it. Column 0 is that of no attribute, which is always missing. */
struct shw_record_column {
    uint32_t attribute;
    uint32_t missing_right, zero_missing; /* 0 or 1 */
};

/* A node for traversal without branches: a record goes right if its value in the column is greater than the limit. A
 * leaf's column is 0 and its left child is itself, so that every further test stays there. */
struct shw_record_walk_node {
    int32_t limit;         /* leaf: its number in the tree */
    uint32_t column, left; /* left: from the tree's first node on */
};

struct shw_record_tables {
    const struct shw_record_forest_info *info;
    struct shw_record_column *columns; /* those that the forest tests */
    uint32_t column_count;
    struct shw_record_walk_node *nodes; /* as many as the forest's, in the same order */
};

/* Errors: MEMORY. */
enum shw_result shw_record_tables_make(const struct shw_record_forest *forest, const struct shw_log *log,
                                       struct shw_record_tables *tables);
void shw_record_tables_free(struct shw_record_tables *tables);

/* The value of each column for one record. */
void shw_record_columns_read(const struct shw_record_tables *tables, const struct shw_records *records, uint64_t record,
                             int32_t *values);

/* The leaf of each of `count` records, one after the other column_count values each, in a tree. */
void shw_record_walk_records(const struct shw_record_tables *tables, uint32_t tree, const int32_t *values,
                             uint32_t count, uint32_t *leaves);

/* The leaf of one record in each of `count` trees. */
void shw_record_walk_trees(const struct shw_record_tables *tables, uint32_t first_tree, uint32_t count,
                           const int32_t *values, uint32_t *leaves);

#endif
