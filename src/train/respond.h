/* Responses of samples to features, on the CPU. */
#ifndef SHW_TRAIN_RESPOND_H
#define SHW_TRAIN_RESPOND_H

#include "base/simd.h"
#include "train/candidates.h"
#include "train/sampling.h"

/* Samples made ready for responses: where each one is, and where its image's integral images lie. */
#define SHW_BLOCK 1024u
struct shw_block {
    uint32_t count;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK], width[SHW_BLOCK], height[SHW_BLOCK];
    int32_t stride[SHW_BLOCK], pitch[SHW_BLOCK]; /* of the integral images: from row to row, from channel to channel */
    size_t first[SHW_BLOCK];
    int32_t first32[SHW_BLOCK]; /* the same where all integral images have less than 2^31 values */
    uint16_t label[SHW_BLOCK];
};

/* The `count` (at most SHW_BLOCK) samples from `first` on, or those that `indices` names. */
void shw_block_fill(struct shw_block *block, const struct shw_train_images *images, const struct shw_samples *samples,
                    uint32_t first, const uint32_t *indices, uint32_t count);

/* Samples of one image. Vectors read and write whole groups of eight, so every run of samples begins with a group. */
#define SHW_LANES_UP(count) (((count) + 7u) & ~7u)
struct shw_image_block {
    size_t first; /* as in shw_train_image */
    int32_t width, height, stride, pitch;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK];
};
void shw_image_block_begin(struct shw_image_block *block, const struct shw_train_image *image);
void shw_image_block_add(struct shw_image_block *block, const struct shw_samples *samples, uint32_t first,
                         uint32_t count, uint32_t place);

/* Packed features side by side: words[0] holds `channels` of each, words[1..4] the rectangles. Seven more than are used
 * may be read. */
struct shw_feature_lanes {
    const uint32_t *words[5];
};

/* Responses, by vector instructions of that kind where they can; all give the same.
 * samples:  of a block's samples to one feature; `responses` has room for SHW_BLOCK.
 * side:     adds to `responses` what one rectangle contributes, for samples place..place+count-1, whole groups.
 * features: of one sample to `count` features; `responses` has room for whole groups. */
struct shw_respond {
    void (*samples)(const uint32_t *integrals, const struct shw_block *block, const struct shw_packed_feature *feature,
                    int32_t *responses);
    void (*side)(const uint32_t *integrals, const struct shw_image_block *block, uint32_t place, uint32_t count,
                 const struct shw_feature_side *side, int32_t *responses);
    void (*features)(const uint32_t *integrals, const struct shw_image_block *block, uint32_t sample,
                     const struct shw_feature_lanes *features, uint32_t count, int32_t *responses);
};
struct shw_respond shw_respond_choose(enum shw_feature_type feature, size_t integral_count, enum shw_simd simd);
struct shw_respond shw_respond_portable(enum shw_feature_type feature);

/* The portable ones. */
extern const struct shw_respond shw_respond_sum, shw_respond_mean;

#endif
