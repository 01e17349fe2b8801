#include "dense/train/respond.h"

void shw_image_block_begin(struct shw_image_block *block, const struct shw_train_image *image)
{
    block->width = (int32_t)image->width;
    block->height = (int32_t)image->height;
    block->stride = (int32_t)(image->width + image->more);
    block->pitch = (int32_t)((image->width + image->more) * (image->height + image->more));
    block->mirror = NULL;
}

void shw_image_block_turn(struct shw_image_block *block, const struct shw_train_images *images, uint32_t index)
{
    block->mirror = shw_train_image_of_planes(images, index) != index ? &images->mirror : NULL;
}

void shw_image_block_add(struct shw_image_block *block, const struct shw_samples *samples, uint32_t first,
                         uint32_t count, uint32_t place)
{
    for (uint32_t i = 0; i < SHW_LANES_UP(count); i++) { /* lanes past the end repeat the last sample */
        uint32_t s = first + (i < count ? i : count - 1);
        block->x[place + i] = samples->x[s];
        block->y[place + i] = samples->y[s];
    }
}

const struct shw_respond *shw_respond_choose(const struct shw_feature_type *feature, size_t element_count,
                                             enum shw_simd simd)
{
    bool fast = feature->fast != NULL && feature->fast->respond != NULL && simd >= SHW_SIMD_AVX2;

    return fast && element_count < (size_t)1 << 31 ? feature->fast->respond : &feature->code->respond;
}

const struct shw_respond *shw_respond_for(const struct shw_respond *chosen, const struct shw_feature_type *feature,
                                          const struct shw_image_block *block)
{
    return block->mirror == NULL || chosen->mirrors ? chosen : &feature->code->respond;
}
