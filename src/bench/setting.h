/* Images and forests of any size, the same on every machine; the setting of a row, its names, and the work of the
 * stages. */
#ifndef SHW_BENCH_SETTING_H
#define SHW_BENCH_SETTING_H

#include <jansson.h>

#include <shadewood/forest.h>
#include <shadewood/image.h>
#include <shadewood/label.h>

#include "bench/data.h"

/* Trees whose levels 0 to f have splits only; below, every other node is a leaf, so that a tree of depth d has 2^f (1 +
 * d
 * - f) leaves. */
struct shw_bench_forest_params {
    uint32_t trees, depth;
    uint32_t full_depth; /* f above; larger than the depth means the depth */
    uint32_t classes;
    const char *channels;
    const struct shw_feature_type *feature;
    uint32_t offset_max; /* rectangles begin within this many pixels, each way */
    uint32_t size_max;   /* of their sides */
    uint32_t shapes;     /* of rectangles, which are squares of so many sizes; 0: any */
    enum shw_fill fill;  /* SIMPLE: the depth has holes */
    bool ferns;          /* all nodes of a level have one test */
    struct shw_smoothing smoothing;
    const struct shw_forest *below; /* what the channels posterior-N are of, borrowed; or NULL */
};

/* Such a forest above one with the same parameters but another radius of smoothing, which it reads: two levels. */
enum shw_result shw_bench_levels(const struct shw_bench_forest_params *params, uint32_t radius_below,
                                 const struct shw_log *log, struct shw_forest **forest);

/* A forest of random features, thresholds and distributions, such that pixels of shw_bench_image() reach most leaves.
 * Errors: MEMORY, LIMIT. */
enum shw_result shw_bench_forest(const struct shw_bench_forest_params *params, const struct shw_log *log,
                                 struct shw_forest **forest);

/* An 8-bit RGB image with soft shapes of all sizes, edges and noise. Free the pixels with free(). Errors: MEMORY, with
 * a message. */
enum shw_result shw_bench_image(uint32_t width, uint32_t height, const struct shw_log *log, struct shw_image *image);

/* Depths with soft shapes and edges, 1 to 4 m; with holes, a third is missing: single pixels, blocks and rows.
 * Likewise. */
enum shw_result shw_bench_depth(uint32_t width, uint32_t height, bool has_holes, const struct shw_log *log,
                                struct shw_image *image);

/* Plane `number` of a picture of many: 16 bits, with shapes of its own besides common ones. Likewise. */
enum shw_result shw_bench_plane(uint32_t width, uint32_t height, uint32_t number, const struct shw_log *log,
                                struct shw_image *image);

enum shw_bench_stage {
    SHW_BENCH_STAGE_CHANNELS,
    SHW_BENCH_STAGE_INTEGRATE,
    SHW_BENCH_STAGE_EVALUATE,
    SHW_BENCH_STAGE_WHOLE, /* all three in one recording, from an image on the device */
    SHW_BENCH_STAGE_LABEL, /* from pixels to labels in host memory: shw_labeller_run() */
    SHW_BENCH_STAGE_COUNT
};

extern const char *const shw_bench_stage_names[SHW_BENCH_STAGE_COUNT];

struct shw_bench_setting {
    uint32_t width, height;
    struct shw_bench_forest_params forest;
    uint32_t output; /* one of enum shw_output */
    /* Labelled instead of random content; size, trees and classes above are its own. NULL: none. Borrowed. */
    const struct shw_bench_trained_content *trained;
};

/* The setting that the suite pipeline varies: 640 x 480, 8 trees of 256 leaves, 23 classes, 16 channels, ArgMax. */
struct shw_bench_setting shw_bench_base(void);

/* The setting of trained content. */
struct shw_bench_setting shw_bench_trained_setting(const struct shw_bench_trained_content *content);
uint32_t shw_bench_setting_channels(const struct shw_bench_setting *setting);
uint64_t shw_bench_setting_leaves(const struct shw_bench_setting *setting); /* per tree, rounded */
uint32_t shw_bench_setting_planes(const struct shw_bench_setting *setting); /* of the output */

/* The part of a row's id between stage and technique. */
void shw_bench_setting_name(const struct shw_bench_setting *setting, enum shw_bench_stage stage, char *name,
                            size_t size);

/* A row's `setting`. NULL if memory is exhausted. */
json_t *shw_bench_setting_describe(const struct shw_bench_setting *setting, enum shw_bench_stage stage);

/* The minimum work of a run of a stage, and its unit: bytes moved, node visits, pixels. */
double shw_bench_setting_work(const struct shw_bench_setting *setting, enum shw_bench_stage stage, const char **unit);

#endif
