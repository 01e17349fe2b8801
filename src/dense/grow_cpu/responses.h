/* Responses of samples to features, on the CPU. */
#ifndef SHW_DENSE_GROW_CPU_RESPONSES_H
#define SHW_DENSE_GROW_CPU_RESPONSES_H

#include "dense/feature/feature_code.h"
#include "dense/samples/sampling.h"

/* Begins a block for samples of one image. */
void shw_image_block_begin(struct shw_image_block *block, const struct shw_train_image *image);

/* What follows is about samples of image `index`, which may be a mirror image with the planes of the block's image. */
void shw_image_block_turn(struct shw_image_block *block, const struct shw_train_images *images, uint32_t index);

void shw_image_block_add(struct shw_image_block *block, const struct shw_samples *samples, uint32_t first,
                         uint32_t count, uint32_t place);

/* With vector instructions if available; results are equal. `element_count`: of the planes of the largest image. */
const struct shw_respond *shw_respond_choose(const struct shw_feature_type *feature, size_t element_count,
                                             enum shw_simd simd);

/* The functions for a block: those chosen, unless they cannot read its planes. */
const struct shw_respond *shw_respond_for(const struct shw_respond *chosen, const struct shw_feature_type *feature,
                                          const struct shw_image_block *block);

#endif
