/* Images and forests of any size, the same on every machine. */
#ifndef SHW_BENCH_CONTENT_H
#define SHW_BENCH_CONTENT_H

#include <shadewood/forest.h>
#include <shadewood/image.h>

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
    enum shw_fill fill;  /* SIMPLE: the depth has holes */
    bool ferns;          /* all nodes of a level have one test */
};

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

#endif
