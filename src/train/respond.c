#include "train/respond.h"

void shw_block_fill(struct shw_block *block, const struct shw_train_images *images, const struct shw_samples *samples,
                    uint32_t first, const uint32_t *indices, uint32_t count)
{
    block->count = count;
    for (uint32_t i = 0; i < ((count + 7) & ~7u); i++) { /* vector lanes past the end repeat the last sample */
        uint32_t last = i < count ? i : count - 1;
        uint32_t s = indices != NULL ? indices[last] : first + last;
        const struct shw_train_image *image = &images->images[samples->image[s]];
        block->x[i] = samples->x[s];
        block->y[i] = samples->y[s];
        block->width[i] = (int32_t)image->width;
        block->height[i] = (int32_t)image->height;
        block->stride[i] = (int32_t)(image->width + image->more);
        block->pitch[i] = (int32_t)((image->width + image->more) * (image->height + image->more));
        block->first[i] = image->planes;
        block->first32[i] = (int32_t)(image->planes & 0x7fffffff);
        block->label[i] = samples->label[s];
    }
}

void shw_image_block_begin(struct shw_image_block *block, const struct shw_train_image *image)
{
    block->first = image->planes;
    block->width = (int32_t)image->width;
    block->height = (int32_t)image->height;
    block->stride = (int32_t)(image->width + image->more);
    block->pitch = (int32_t)((image->width + image->more) * (image->height + image->more));
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
