/* What suites train on and label: the user's data set, or scenes. */
#ifndef SHW_BENCH_DATA_H
#define SHW_BENCH_DATA_H

#include <shadewood/dataset.h>
#include <shadewood/forest.h>

#include "bench/bench.h"

/* Opens the training set: the splits Train and Val of --data, read once so that reading from the disk is not timed, or
 * scenes in memory. Errors: MEMORY, those of shw_dataset_open(). Close it in any case. */
enum shw_result shw_bench_data_open(struct shw_bench *bench, struct shw_dataset *dataset);
void shw_bench_data_close(const struct shw_bench *bench, struct shw_dataset *dataset); /* accepts a zero one */

/* An image that is not in the training set: the first of the split Test of --data, or a scene of 320 x 240 pixels. Free
 * the pixels with free(). Errors: MEMORY, those of shw_dataset_open() and of reading. */
enum shw_result shw_bench_data_held_out(struct shw_bench *bench, struct shw_image *image);

/* Content of real use, beside the random content of content.h: a trained forest, and an image that it was not trained
 * on. Pixels that look alike take the same paths, and few paths are of full length. */
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
