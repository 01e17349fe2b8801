/* Responses of training samples on the CPU. */
#ifndef SHW_DENSE_FEATURE_RESPOND_H
#define SHW_DENSE_FEATURE_RESPOND_H

#include <stddef.h>

#include <shadewood/feature.h>

#include "dense/feature/mirror.h"

/* Most samples that are prepared together. */
#define SHW_BLOCK 1024u

/* One side of a feature whose response is a difference: the first is added to the response, the second subtracted. */
struct shw_feature_side {
    uint32_t channel, is_second, words[2];
};

/* Samples of one image, and the size of its planes. If `mirror` is not NULL, the samples are in the mirror image, and
   the planes are those of the image, from which they are read as shared/mirror.h says. Vector code reads and writes
   groups of eight, so every run of samples begins at a multiple of eight. */
#define SHW_LANES_UP(count) (((count) + 7u) & ~7u)
struct shw_image_block {
    int32_t width, height;
    int32_t stride, pitch; /* from row to row, from channel to channel */
    const struct shw_mirror *mirror;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK];
    /* What shw_respond.prepare() keeps of the samples' depths, as in struct shw_centre. */
    uint32_t depth[SHW_BLOCK], factor[SHW_BLOCK], shift[SHW_BLOCK], is_complete;
};

/* Features as a structure of arrays: words[w] holds word w of each. Up to seven beyond the last may be read. */
struct shw_feature_lanes {
    const uint32_t *words[5];
};

/* Computes responses; undefined ones are SHW_UNDEFINED_RESPONSE. `planes` are those of the image: integral images or
 * channels, whichever the feature type reads.
 * prepare: NULL, or called before the others, for samples place..place+count-1 in whole groups of eight.
 * features: `count` features for one sample; `responses` has room for whole groups of eight.
 * run: one feature for samples place..place+count-1 of one image; may write whole groups.
 * sides, side: NULL unless responses are differences. sides lists the sides that count and returns their number; side
 * adds to `responses` what one contributes, for samples place..place+count-1, in whole groups.
 * mirrors: blocks may have a `mirror`; if not, the portable functions compute those. */
struct shw_respond {
    void (*prepare)(const void *planes, struct shw_image_block *block, uint32_t place, uint32_t count);
    void (*features)(const void *planes, const struct shw_image_block *block, uint32_t sample,
                     const struct shw_feature_lanes *features, uint32_t count, int32_t *responses);
    void (*run)(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                const struct shw_feature *feature, int32_t *responses);
    uint32_t (*sides)(const struct shw_feature *feature, struct shw_feature_side sides[2]);
    void (*side)(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                 const struct shw_feature_side *side, int32_t *responses);
    bool mirrors;
};

#endif
