/* Synthetic scenes kept in memory, so that timing training does not include rendering. */
#ifndef SHW_BENCH_SCENES_H
#define SHW_BENCH_SCENES_H

#include "bench/bench.h"

#include <shadewood/dataset.h>

/* Renders `count` scenes with the threads of the bench. Errors: MEMORY. */
enum shw_result shw_bench_scenes_open(struct shw_bench *bench, uint32_t width, uint32_t height, uint32_t count,
                                      struct shw_dataset *dataset);

/* Those that suites train on: 100 of Sharp's size, or few small ones where shw_bench_is_small(). Errors: MEMORY. */
enum shw_result shw_bench_scenes_open_usual(struct shw_bench *bench, struct shw_dataset *dataset);

/* Reduces the classes of the scenes: class c becomes c modulo `classes`. Call it before the data set is used. */
void shw_bench_scenes_merge(struct shw_dataset *dataset, uint32_t classes);

/* Adds classes up to that many, fewer than twice as many as there are: the right half of each image has class c + count
 * instead of c. Call it before the data set is used. */
void shw_bench_scenes_split(struct shw_dataset *dataset, uint32_t classes);

/* Accepts a zero one; leaves it zero. */
void shw_bench_scenes_close(struct shw_dataset *dataset);

#endif
