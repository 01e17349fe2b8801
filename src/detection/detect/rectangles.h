/* What HAAR and LBP have in common on the host: OpenCV's scan, the integrals of the levels, and the walk. */
#ifndef SHW_DETECTION_DETECT_RECTANGLES_H
#define SHW_DETECTION_DETECT_RECTANGLES_H

#include "detection/detect/plan.h"

/* struct shw_detect_kind.make_plan. In the mipmap image a level has the place of its integrals, which are one larger
 * than it each way. */
enum shw_result shw_rectangles_plan(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                    const struct shw_log *log, struct shw_detect_plan *plan);

/* The integrals of all levels, at their places in the mipmap image. Sums are modulo 2^32. */
struct shw_rectangles {
    const struct shw_detect_plan *plan;
    uint32_t *sums;    /* [y][x]: of the pixels above and to the left of (x, y) */
    uint32_t *squares; /* the same of their squares, or NULL */
    uint32_t *tilted;  /* of the pixels (u, v) with v < y and |u - x + 1| <= y - v - 1, or NULL */
    const uint8_t *image;
    struct shw_rectangles_rows *rows; /* of each level */
    uint32_t row_count;
};

/* The plan stays valid as long as they do. Errors: MEMORY. */
enum shw_result shw_rectangles_create(const struct shw_detect_plan *plan, bool has_squares, bool has_tilted,
                                      const struct shw_log *log, struct shw_rectangles *rectangles);

/* Accepts zero-initialised ones. */
void shw_rectangles_free(struct shw_rectangles *rectangles);

/* Makes them from grey pixels without padding. */
void shw_rectangles_make(struct shw_rectangles *rectangles, const uint8_t *grey, struct shw_thread_pool *pool);

#define SHW_RECTANGLES_WINDOWS 2048u
#define SHW_RECTANGLES_LANES   8u /* windows after the last that can be read */

struct shw_rectangles_windows {
    uint32_t count;
    int32_t base[SHW_RECTANGLES_WINDOWS + SHW_RECTANGLES_LANES];    /* index of the window's first value */
    uint32_t number[SHW_RECTANGLES_WINDOWS + SHW_RECTANGLES_LANES]; /* row * columns + column in the band */
    uint32_t norm[SHW_RECTANGLES_WINDOWS + SHW_RECTANGLES_LANES];   /* of HAAR */
    int32_t score[SHW_RECTANGLES_WINDOWS + SHW_RECTANGLES_LANES];
};

struct shw_rectangles_walk {
    const struct shw_cascade_info *info;
    const void *walker;
    uint32_t step;       /* of the scan */
    size_t first, pitch; /* of the level in the integrals */
    /* Sets norms, 0 for windows that are rejected; NULL: there are none. */
    void (*set_norms)(const void *walker, struct shw_rectangles_windows *windows);
    /* Adds the values of the leaves that the windows reach in a tree. */
    void (*add_tree)(const void *walker, uint32_t tree, struct shw_rectangles_windows *windows);
};

/* What the walkers of both begin with. */
struct shw_rectangles_walker {
    const struct shw_cascade_info *info;
    uint32_t step;
    bool has_avx2;
    void *features; /* an element of each, in integrals of a known pitch */
    struct shw_rectangles rectangles;
};

/* Functions of struct shw_detect_kind, the first one for a walker and for features of these sizes. */
enum shw_result shw_rectangles_create_walker(size_t size, size_t feature_size, const struct shw_cascade *cascade,
                                             const struct shw_scan *scan, const struct shw_log *log, void **walker);
void shw_rectangles_destroy_walker(void *walker);
void shw_rectangles_prepare(void *walker, const uint8_t *grey, struct shw_thread_pool *pool);

#define SHW_RECTANGLES_KIND                                                                                            \
    {                                                                                                                  \
        .grouping = SHW_GROUP_MEAN, .devices = SHW_DETECT_COMPUTE, .make_plan = shw_rectangles_plan, .create = create, \
        .destroy = shw_rectangles_destroy_walker, .resize = resize, .prepare = shw_rectangles_prepare, .walk = walk    \
    }

/* The walk of a level, without its functions. */
struct shw_rectangles_walk shw_rectangles_begin_walk(const struct shw_rectangles_walker *walker,
                                                     const struct shw_detect_level *level);

/* Walks all windows of the band and adds those found. */
void shw_rectangles_walk_band(const struct shw_rectangles_walk *walk, const struct shw_detect_band *band,
                              struct shw_detect_tally *tally);

#endif
