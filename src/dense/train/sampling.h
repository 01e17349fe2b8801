/* The samples of a tree. */
#ifndef SHW_DENSE_TRAIN_SAMPLING_H
#define SHW_DENSE_TRAIN_SAMPLING_H

#include "dense/train/draws.h"
#include "dense/train/images.h"

/* The samples of one tree as parallel arrays, in the order of open nodes and, within a node, of picture and pixel. */
struct shw_samples {
    uint32_t count;
    uint32_t *image;
    uint16_t *x, *y, *label;
};

/* Draws a tree's samples. Errors: FORMAT, LIMIT, MEMORY, those of read. On failure *samples is zero. */
enum shw_result shw_samples_draw(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                 struct shw_thread_pool *pool, const struct shw_train_images *images, uint32_t tree,
                                 struct shw_samples *samples);

/* The most samples that a tree can have. `images` have been measured. */
uint64_t shw_samples_most(const struct shw_trainer_params *params, const struct shw_train_images *images);

/* Makes room for `count` samples. False if out of memory; the caller must still free *samples. */
bool shw_samples_allocate(struct shw_samples *samples, size_t count);
void shw_samples_free(struct shw_samples *samples);

/* Moves each sample s to place to[s], which are all different. `scratch` has room for `count` numbers. */
void shw_samples_move(struct shw_samples *samples, struct shw_thread_pool *pool, const uint32_t *to, uint32_t *scratch);

/* Counts the samples of each class. Errors: MEMORY. */
enum shw_result shw_samples_count(const struct shw_log *log, struct shw_thread_pool *pool,
                                  const struct shw_samples *samples, uint32_t classes, uint64_t *counts);

#endif
