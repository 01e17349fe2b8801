/* Record forests of any shape and records for them, the same on every machine. */
#ifndef SHW_BENCH_RECORDS_H
#define SHW_BENCH_RECORDS_H

#include <shadewood/record_forest.h>

/* Trees whose first `full_levels` levels have splits only; below, every node of the last of them begins a chain, of
 * which each split has a leaf. So 0 is a chain, and `depth` a balanced tree. */
struct shw_bench_record_trees {
    uint32_t trees, depth; /* depth at least 1 */
    uint32_t full_levels;  /* up to the depth */
    uint32_t attributes;
};

/* Splits of a tree. */
uint64_t shw_bench_record_splits(const struct shw_bench_record_trees *params);

/* A forest with one output of two classes, such that records of shw_bench_record_values() halve at each full level, and
 * end at every test of a chain equally often. Errors: MEMORY, LIMIT. */
enum shw_result shw_bench_record_forest(const struct shw_bench_record_trees *params, const struct shw_log *log,
                                        struct shw_record_forest **forest);

/* Records whose attributes are independent and uniform from 0 to 1; to be freed with free(). NULL if out of memory. */
float *shw_bench_record_values(uint64_t count, uint32_t attributes);

#endif
