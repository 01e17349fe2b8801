/* Explains a pixel's label, and reads its channels. Part of Shadewood; MIT licence, see LICENSE.
 *
 * Everything here runs on the host, needs no device, and gives the same numbers as labelling with every technique. The
 * cost of explaining a pixel depends on the areas that its tests read, not on the size of the image, so it can follow a
 * mouse. */
#ifndef SHADEWOOD_EXPLAIN_H
#define SHADEWOOD_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/channels.h>
#include <shadewood/forest.h>
#include <shadewood/input.h>
#include <shadewood/log.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pixels x0 <= x < x1, y0 <= y < y1 of an image. */
struct shw_image_rectangle {
    uint32_t x0, y0, x1, y1;
};

/* Parameters of shw_channel_reader_create(). Zero means the default at the field. */
struct shw_channel_reader_params {
    const struct shw_inputs
        *inputs;                    /* those that the channels read. Copied; pixels are borrowed, and must not change */
    const char *channels;           /* as text; NULL: SHW_CHANNELS_WINN16 */
    struct shw_channel_kinds kinds; /* custom ones for `channels`. Borrowed */
    enum shw_fill fill;             /* of missing depth: SIMPLE, or not at all */
    uint32_t threads;               /* for whole channels; 0 means one per processor */
    struct shw_log log;
    const struct shw_forest *below; /* the level below, for channels of the kind `posterior`; otherwise NULL. The reader
                                       keeps a reference, and labels its images by it, by the CPU */
};

/* Reads the channels of an image. They are computed on demand, and the most recent are kept: at most 64 MiB. */
struct shw_channel_reader;

/* Computes nothing yet. Errors: ARGUMENT, MEMORY. Any thread. */
SHW_API enum shw_result shw_channel_reader_create_abi(uint32_t abi, const struct shw_channel_reader_params *params,
                                                      struct shw_channel_reader **reader);
static inline enum shw_result shw_channel_reader_create(const struct shw_channel_reader_params *params,
                                                        struct shw_channel_reader **reader)
{
    return shw_channel_reader_create_abi(SHW_ABI, params, reader);
}

/* Destroys *reader and sets it to NULL; accepts NULL and a pointer to NULL. */
SHW_API void shw_channel_reader_destroy(struct shw_channel_reader **reader);

/* Switches to other inputs, or to changed pixels at the same address; threads and memory are kept. Errors: ARGUMENT,
 * MEMORY, those of the level below; the reader then keeps its previous inputs. One thread at a time per reader. */
SHW_API enum shw_result shw_channel_reader_set_inputs(struct shw_channel_reader *reader,
                                                      const struct shw_inputs *inputs);

/* The sum of a channel over a rectangle, modulo 2^32; over one pixel it is the channel's value. The rectangle must not
 * be empty and must lie in the image. Errors: ARGUMENT, MEMORY. One thread at a time per reader. */
SHW_API enum shw_result shw_channel_reader_sum(struct shw_channel_reader *reader, uint32_t channel,
                                               const struct shw_image_rectangle *rectangle, int32_t *sum);

/* A whole channel: `values` has space for width * height numbers, rows without padding. Errors: ARGUMENT, MEMORY. One
 * thread at a time per reader. */
SHW_API enum shw_result shw_channel_reader_get_channel(struct shw_channel_reader *reader, uint32_t channel,
                                                       int16_t *values);

/* One channel in a rectangle, row by row without padding. Errors: ARGUMENT (also for a rectangle without pixels, or
 * with some outside the image), MEMORY. One thread at a time per reader. */
SHW_API enum shw_result shw_channel_reader_get_part(struct shw_channel_reader *reader, uint32_t channel,
                                                    const struct shw_image_rectangle *rectangle, int16_t *values);

/* A whole integral image: `values` has space for (width + 1) * (height + 1) numbers, rows without padding; number (x,
 * y) is the sum of the channel over all pixels left of x and above y, modulo 2^32. Errors: ARGUMENT, MEMORY. One thread
 * at a time per reader. */
SHW_API enum shw_result shw_channel_reader_get_integral(struct shw_channel_reader *reader, uint32_t channel,
                                                        uint32_t *values);

/* A region that a test looks at, around the pixel. */
struct shw_explained_region {
    struct shw_feature_region region;
    struct shw_image_rectangle rectangle; /* in the image, clipped to it */
    int32_t sum;                          /* of the channel over the rectangle */
    int32_t value;                        /* the response of region.alone: its part of the test's response; or 0 */
    bool undefined;                       /* that response is undefined */
};

/* A test on the path of a pixel through a tree. */
struct shw_explained_test {
    uint32_t node;         /* its number in the tree */
    struct shw_node split; /* the node: shw_forest_get_node() */
    uint32_t region_count;
    struct shw_explained_region regions[SHW_FEATURE_REGIONS_MAX];
    int32_t response; /* 0 if it is undefined */
    bool undefined;   /* the path goes right */
    bool right;       /* undefined, or t0 <= response < t1: the path goes to split.left + 1, otherwise to split.left */
};

/* The path of a pixel through a tree. A void pixel (shw_feature_type.reads_depth) has none: no tests, the leaf
 * SHW_LEAF_NONE and a distribution of zeros. */
struct shw_explained_tree {
    const struct shw_explained_test *tests; /* from the root; test_count of them */
    uint32_t test_count;
    uint32_t node;                /* the end of the path: the leaf's number among the tree's nodes */
    uint32_t leaf;                /* among its leaves: the value of SHW_OUTPUT_FOREST_LEAVES */
    const uint16_t *distribution; /* the leaf's, class_count values that sum to 65535; the forest's own */
};

/* Why a pixel has its label: the paths through the trees. */
struct shw_explanation {
    uint32_t x, y;
    uint32_t tree_count, class_count;
    const struct shw_explained_tree *trees; /* tree_count */
    const uint32_t *sums;                   /* of the trees' distributions or votes (65535 each), class by class:
                                               together they are exactly 65535 tree_count, or 0 if the pixel is void */
    const uint16_t *distribution;           /* the value of SHW_OUTPUT_DISTRIBUTION, class by class, and of */
    uint32_t argmax;                        /* SHW_OUTPUT_ARGMAX, both before smoothing; SHW_LABEL_VOID: the pixel is
                                               void */
};

/* Explains pixel (x, y) of the reader's image for all trees of a forest, whose channel set, level below and filling
 * must be the reader's. What the level below says there is explained likewise, by a reader of its channels. Free the
 * explanation with shw_explanation_free(); it must not outlive the forest. Errors: ARGUMENT, MEMORY; *explanation is
 * then NULL. One thread at a time per reader. */
SHW_API enum shw_result shw_explain(const struct shw_forest *forest, struct shw_channel_reader *reader, uint32_t x,
                                    uint32_t y, struct shw_explanation **explanation);

/* Frees *explanation and sets it to NULL; accepts NULL and a pointer to NULL. Any thread. */
SHW_API void shw_explanation_free(struct shw_explanation **explanation);

#ifdef __cplusplus
}
#endif
#endif
