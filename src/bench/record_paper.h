/* What Spencer 2021, 4.1 evaluates: records of the UCI repository's image segmentation set, and a tree for them. */
#ifndef SHW_BENCH_RECORD_PAPER_H
#define SHW_BENCH_RECORD_PAPER_H

#include "bench/bench.h"

#include <shadewood/record_forest.h>

#define SHW_BENCH_PAPER_ATTRIBUTES 19u
#define SHW_BENCH_PAPER_RECORDS    16384u /* which he repeats four times */

struct shw_bench_paper {
    bool is_generated; /* a stand-in, since the set was not found */
    struct shw_record_forest *forest;
    float *values;   /* [SHW_BENCH_PAPER_RECORDS][SHW_BENCH_PAPER_ATTRIBUTES] */
    double accuracy; /* of the tree on the set that it was trained on, 0 to 1 */
};

/* Reads the set from the folder of --data or of the variable SHADEWOOD_DATA, or generates one; trains a tree and cuts
 * it back to his size, 31 nodes and a depth of 11; and shuffles the set as often as it takes. Free with
 * shw_bench_paper_free(), also on failure. Errors: FORMAT (naming file and line), MEMORY, those of training. */
enum shw_result shw_bench_paper_make(struct shw_bench *bench, struct shw_bench_paper *paper);
void shw_bench_paper_free(struct shw_bench_paper *paper);

#endif
