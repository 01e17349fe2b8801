/* Responses of training samples on the CPU. */
#ifndef SHW_FEATURE_RESPOND_H
#define SHW_FEATURE_RESPOND_H

#include <stddef.h>

#include <shadewood/feature.h>

/* Samples made ready for responses: where each one is, and where its image's planes lie: integral images or
 * channels, as the feature type reads. */
#define SHW_BLOCK 1024u
struct shw_block {
    uint32_t count;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK], width[SHW_BLOCK], height[SHW_BLOCK];
    int32_t stride[SHW_BLOCK], pitch[SHW_BLOCK]; /* from row to row, from channel to channel */
    size_t first[SHW_BLOCK];
    int32_t first32[SHW_BLOCK]; /* the same where all planes have less than 2^31 values */
    uint16_t label[SHW_BLOCK];
};

/* One side of a feature whose response is the difference of two: added to the response or, the second, subtracted. */
struct shw_feature_side {
    uint32_t channel, is_second, words[2];
};

/* Samples of one image. Vectors read and write whole groups of eight, so every run of samples begins with a group. */
#define SHW_LANES_UP(count) (((count) + 7u) & ~7u)
struct shw_image_block {
    size_t first; /* as in shw_train_image */
    int32_t width, height, stride, pitch;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK];
};

/* Features side by side: words[w] holds word w of each. Seven more than are used may be read. */
struct shw_feature_lanes {
    const uint32_t *words[5];
};

/* Responses; undefined ones are SHW_UNDEFINED_RESPONSE.
 * samples:  of a block's samples to one feature; `responses` has room for SHW_BLOCK.
 * features: of one sample to `count` features; `responses` has room for whole groups.
 * run:      of samples place..place+count-1 of one image to one feature.
 * sides:    the sides that count; returns how many. side: adds to `responses` what one contributes, for samples
 *           place..place+count-1, whole groups. Both NULL where a response is no difference of two sides. */
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
