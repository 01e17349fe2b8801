/* Responses of training samples on the CPU. */
#ifndef SHW_FEATURE_RESPOND_H
#define SHW_FEATURE_RESPOND_H

#include <stddef.h>

#include <shadewood/feature.h>

/* Samples prepared for responses: the position of each, and where the planes of its image are (integral images or
 * channels, whichever the feature type reads). */
#define SHW_BLOCK 1024u
struct shw_block {
    uint32_t count;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK], width[SHW_BLOCK], height[SHW_BLOCK];
    int32_t stride[SHW_BLOCK], pitch[SHW_BLOCK]; /* from row to row, from channel to channel */
    size_t first[SHW_BLOCK];
    int32_t first32[SHW_BLOCK]; /* the same, if all planes have less than 2^31 values */
    uint16_t label[SHW_BLOCK];
};

/* One side of a feature whose response is a difference: the first is added to the response, the second subtracted. */
struct shw_feature_side {
    uint32_t channel, is_second, words[2];
};

/* Samples of one image. Vector code reads and writes groups of eight, so every run of samples begins at a multiple of
   eight. */
#define SHW_LANES_UP(count) (((count) + 7u) & ~7u)
struct shw_image_block {
    size_t first; /* as in shw_train_image */
    int32_t width, height, stride, pitch;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK];
};

/* Features as a structure of arrays: words[w] holds word w of each. Up to seven beyond the last may be read. */
struct shw_feature_lanes {
    const uint32_t *words[5];
};

/* Computes responses; undefined ones are SHW_UNDEFINED_RESPONSE.
 * samples: one feature for the samples of a block; `responses` has room for SHW_BLOCK.
 * features: `count` features for one sample; `responses` has room for whole groups of eight.
 * run: one feature for samples place..place+count-1 of one image.
 * sides, side: NULL unless responses are differences. sides lists the sides that count and returns their number; side
 * adds to `responses` what one contributes, for samples place..place+count-1, in whole groups. */
struct shw_respond {
    void (*samples)(const void *planes, const struct shw_block *block, const struct shw_feature *feature,
                    int32_t *responses);
    void (*features)(const void *planes, const struct shw_image_block *block, uint32_t sample,
                     const struct shw_feature_lanes *features, uint32_t count, int32_t *responses);
    void (*run)(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                const struct shw_feature *feature, int32_t *responses);
    uint32_t (*sides)(const struct shw_feature *feature, struct shw_feature_side sides[2]);
    void (*side)(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                 const struct shw_feature_side *side, int32_t *responses);
};

#endif
