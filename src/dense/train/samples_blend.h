/* The samples of the technique `blend`: groups that are counted together, and textures for their responses. */
#ifndef SHW_DENSE_TRAIN_SAMPLES_BLEND_H
#define SHW_DENSE_TRAIN_SAMPLES_BLEND_H

#include "dense/train/histogram_blend.h"

/* As begin_tree in struct shw_histogram_counter. */
enum shw_result shw_blend_samples_begin(struct shw_train_compute *training, const struct shw_samples *samples);

/* Destroys the textures. */
void shw_blend_samples_destroy(struct shw_device *device, struct shw_histogram_blend *blend);

#endif
