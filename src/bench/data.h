/* What suites train on and label: the data set of the user, or synthetic scenes in memory. */
#ifndef SHW_BENCH_DATA_H
#define SHW_BENCH_DATA_H

#include <shadewood/dataset.h>
#include <shadewood/forest.h>

#include "bench/bench.h"

/* Renders `count` scenes with the threads of the bench. Errors: MEMORY. */
enum shw_result shw_bench_scenes_open(struct shw_bench *bench, uint32_t width, uint32_t height, uint32_t count,
                                      struct shw_dataset *dataset);

/* The scenes that suites train on: 100 of Sharp's size, or a few small ones if shw_bench_is_small(). Errors: MEMORY. */
enum shw_result shw_bench_scenes_open_usual(struct shw_bench *bench, struct shw_dataset *dataset);

/* Reduces the classes of the scenes: class c becomes c modulo `classes`. Call it before the data set is used. */
void shw_bench_scenes_merge(struct shw_dataset *dataset, uint32_t classes);

/* Adds classes up to that many, fewer than twice as many as there are: the right half of each image has class c + count
 * instead of c. Call it before the data set is used. */
void shw_bench_scenes_split(struct shw_dataset *dataset, uint32_t classes);

/* Accepts a zero one; leaves it zero. */
void shw_bench_scenes_close(struct shw_dataset *dataset);

/* Opens the training set: the splits Train and Val of --data, read once so that reading from the disk is not timed, or
 * scenes in memory. Errors: MEMORY, those of shw_dataset_open(). Close it in any case. */
enum shw_result shw_bench_data_open(struct shw_bench *bench, struct shw_dataset *dataset);
void shw_bench_data_close(const struct shw_bench *bench, struct shw_dataset *dataset); /* accepts a zero one */

/* Realistic content, besides the random content of setting.h: a trained forest, and an image that it was not trained
 * on. Similar pixels take the same paths, and few paths have full length. */
struct shw_bench_trained_content {
    struct shw_forest *forest;
    struct shw_image image;
    uint32_t depth;     /* tests on the longest path */
    uint64_t leaves;    /* of all trees */
    double path_length; /* tests on the path of a pixel through a tree: the mean over pixels and trees */
};

/* Trains a forest of `trees` trees of at most 256 leaves and makes the image. `classes`: the number to which scenes are
 * extended; a data set has its own. Destroy it in any case. Errors: MEMORY, those of training and of reading. */
enum shw_result shw_bench_trained_content_create(struct shw_bench *bench, uint32_t trees, uint32_t classes,
                                                 struct shw_bench_trained_content *content);
void shw_bench_trained_content_destroy(struct shw_bench_trained_content *content); /* accepts a zero one */

#endif
