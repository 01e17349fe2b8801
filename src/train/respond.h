/* Responses of samples to features, on the CPU. */
#ifndef SHW_TRAIN_RESPOND_H
#define SHW_TRAIN_RESPOND_H

#include "feature/feature_code.h"
#include "train/sampling.h"

/* Fills in `count` samples (at most SHW_BLOCK): those from `first` on, or those that `indices` lists. */
void shw_block_fill(struct shw_block *block, const struct shw_train_images *images, const struct shw_samples *samples,
                    uint32_t first, const uint32_t *indices, uint32_t count);

/* Begins a block for samples of one image. */
void shw_image_block_begin(struct shw_image_block *block, const struct shw_train_image *image);
void shw_image_block_add(struct shw_image_block *block, const struct shw_samples *samples, uint32_t first,
                         uint32_t count, uint32_t place);

/* With vector instructions if available; results are equal. */
const struct shw_respond *shw_respond_choose(const struct shw_feature_type *feature, size_t element_count,
                                             enum shw_simd simd);

#endif
