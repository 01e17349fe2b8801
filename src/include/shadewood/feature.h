/* Feature types: how a test looks at a pixel's surroundings. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A forest has one feature type. The library has those below; a program can bring its own, which it compiles from one
 * header by shadewood_feature() (docs/extending.md). */
#ifndef SHADEWOOD_FEATURE_H
#define SHADEWOOD_FEATURE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/channels.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A feature: what a type makes of five words. Bit 24 of the first is always zero. */
struct shw_feature {
    uint32_t words[5];
};

/* Pixels (px + x0 .. px + x1 - 1) x (py + y0 .. py + y1 - 1) around the pixel (px, py) that is classified.
 * x0 < x1 and y0 < y1. Evaluated, it is clipped to the image so that at least the nearest border pixel remains. */
struct shw_rectangle {
    int16_t x0, y0, x1, y1;
};

/* One of the regions that a feature looks at, for people. */
struct shw_feature_region {
    uint32_t channel;
    struct shw_rectangle rectangle;
    bool subtracted;          /* what it gives is subtracted from the response, not added */
    struct shw_feature alone; /* the feature whose response is what this region gives */
};
#define SHW_FEATURE_REGIONS_MAX 4u

/* How far a feature looks: it depends on no pixel outside (px + x0 .. px + x1 - 1) x (py + y0 .. py + y1 - 1) of the
 * image. x0, y0 <= 0 <= x1, y1. */
struct shw_reach {
    int32_t x0, y0, x1, y1;
};
#define SHW_REACH_ALL 0x10000 /* of -x0, -y0, x1 and y1: the whole image, which is then not cut into tiles */

/* What planes a type reads: integral images, or single pixels of channels. Integral images are made only for forests
 * whose type reads them. */
enum shw_feature_reads { SHW_FEATURE_READS_INTEGRALS = 1, SHW_FEATURE_READS_CHANNELS = 2 };

#define SHW_WHY_SIZE 256

#define SHW_FEATURE_TYPE_VERSION 1u

struct shw_feature_code;
struct shw_feature_vectors;

/* A feature type. Immutable, and there for as long as anything that uses it: forests and trainers keep a pointer. All
 * functions may be called from any thread. */
struct shw_feature_type {
    uint32_t version;  /* SHW_FEATURE_TYPE_VERSION */
    const char *name;  /* in files, options and messages */
    const char *label; /* for people: "mean difference" */
    enum shw_feature_reads reads;
    bool may_be_undefined; /* responses can be undefined: such pixels go right */
    /* Whether the words are a feature of this type over these channels; if not, says why. */
    bool (*check)(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);
    /* The magnitude that no sum over a region exceeds. It must be less than 2^30. */
    uint64_t (*get_bound)(const struct shw_feature *feature, const struct shw_channel_list *channels);
    struct shw_reach (*get_reach)(const struct shw_feature *feature);
    /* Fills the regions in and returns how many there are. */
    uint32_t (*get_regions)(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX]);
    const struct shw_feature_code *code;    /* shw_feature_code_NAME, compiled from the type's header */
    const struct shw_feature_vectors *fast; /* of the library's own types; NULL: there is nothing faster */
};

/* mean(R0, c0) - mean(R1, c1), clipped areas, each mean rounded towards zero on its magnitude. */
SHW_API extern const struct shw_feature_type shw_feature_mean_difference;
/* sum(R0, c0) - sum(R1, c1) (Sharp 2008, 2.1). */
SHW_API extern const struct shw_feature_type shw_feature_sum_difference;
/* A channel at one pixel minus a channel at another (Sharp 2008, 2.5): as the difference of sums over rectangles of one
 * pixel, but no integral image is made. */
SHW_API extern const struct shw_feature_type shw_feature_pixel_difference;

/* Type `index` of the library, from 0; NULL after the last one. The first is the default. Any thread. */
SHW_API const struct shw_feature_type *shw_feature_type_get(uint32_t index);

/* The library's type with that name, or NULL. Any thread. */
SHW_API const struct shw_feature_type *shw_feature_type_by_name(const char *name);

/* A feature of the types above; of pixel differences both rectangles have one pixel. */
struct shw_rectangle_difference {
    struct shw_rectangle rectangle[2];
    uint16_t channel[2]; /* less than 4096 */
    bool single;         /* rectangle 1 is left out (its fields must still be valid) */
};

/* From and to the words. Any thread. */
SHW_API struct shw_feature shw_rectangle_difference_pack(const struct shw_rectangle_difference *difference);
SHW_API struct shw_rectangle_difference shw_rectangle_difference_unpack(const struct shw_feature *feature);

#ifdef __cplusplus
}
#endif
#endif
