/* The plan of a scan over images of one size: the levels of the pyramid and where each lies in the mipmap image, and
 * the windows on them. Made on the host once per size of images; all techniques follow it. */
#ifndef SHW_DETECTION_DETECT_PLAN_H
#define SHW_DETECTION_DETECT_PLAN_H

#include <shadewood/detect.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "detection/cascade/cascade.h"

/* Angles of windows, in 1/32 of a full turn counter-clockwise. The arithmetic of SCALED is pico's. */

#define SHW_DETECT_ANGLES 32u

/* 256 cos(2 pi angle / 32) and 256 sin(2 pi angle / 32), rounded towards zero. Any angle. */
int32_t shw_detect_cosine(uint32_t angle);
int32_t shw_detect_sine(uint32_t angle);

/* PIXELS: pixel `x`, `y` of a window of `size` pixels turned about the window's centre, from the top left pixel of the
 * window before. */
struct shw_detect_point {
    int32_t x, y;
};
struct shw_detect_point shw_detect_turn_point(uint32_t angle, uint32_t size, int32_t x, int32_t y);

/* How far the points of a window at any angle reach at most beyond the window on each side: the greatest overshoot,
 * that of an eighth of a turn. */
uint32_t shw_detect_turn_margin(uint32_t size);

/* Windows are at every combination of a row's and a column's position. */
struct shw_detect_position {
    int32_t at;    /* PIXELS, HAAR, LBP: the window's first pixel on its level. SCALED: its centre in the image */
    int32_t image; /* x or y of the rectangle in the image */
};

/* A level, or for SCALED a size of windows. */
struct shw_detect_level {
    uint32_t number;                      /* shw_detection.level: those that min_size or max_size leave out count */
    uint32_t octave;                      /* halvings of the image from which it is resampled; 0: none */
    uint32_t scaled_width, scaled_height; /* resampled, before shrinking. SCALED: of the image */
    uint32_t width, height;               /* of the level in the mipmap image. SCALED: of the image */
    uint32_t x, y;                        /* its first pixel in the mipmap image. SCALED: 0 */
    uint32_t size;                        /* SCALED: of windows; otherwise 0 */
    uint32_t step;                        /* between windows, in positions' `at`; SCALED: 0 */
    uint32_t first_column, columns;       /* in the plan's positions */
    uint32_t first_row, rows;
    uint32_t turned_column, turned_columns; /* those of them, counted from the first, where windows at angles other */
    uint32_t turned_row, turned_rows;       /* than 0 fit; none for kinds that have no angles */
    uint32_t out_width, out_height;         /* of the rectangles in the image */
};

struct shw_detect_plan {
    uint32_t width, height;               /* of the image */
    uint32_t mipmap_width, mipmap_height; /* holds all levels, which do not overlap; SCALED: the image */
    uint32_t octave_count;                /* how often the image is halved */
    uint32_t level_count, position_count;
    struct shw_detect_level *levels;
    struct shw_detect_position *positions;
    uint32_t level_capacity, position_capacity;
    uint64_t window_count;        /* upright */
    uint64_t turned_window_count; /* at any other angle */
};

/* Accepts a zero plan, or one made before, whose memory it uses again: for an image that is smaller in both directions
 * nothing is allocated. For images of `width` by `height` and a checked scan with nothing left zero
 * (shw_scan_resolve()). An image smaller than the window has no levels. Errors: MEMORY, LIMIT (2^31 windows or pixels
 * of the mipmap image or more; for PIXELS, an image of more than 46340 pixels a side); *plan is zero then. */
enum shw_result shw_detect_plan_make(const struct shw_cascade *cascade, const struct shw_scan *scan, uint32_t width,
                                     uint32_t height, const struct shw_log *log, struct shw_detect_plan *plan);

/* Accepts a zero plan; it is zero afterwards. */
void shw_detect_plan_free(struct shw_detect_plan *plan);

/* Replaces zeros by the defaults of the cascade; max_size becomes UINT32_MAX, no angles the angle 0, and
 * HAAR's and LBP's `step` stays zero. Errors: ARGUMENT (the message names the member). The angles are borrowed. */
enum shw_result shw_scan_resolve(const struct shw_cascade *cascade, const struct shw_log *log, struct shw_scan *scan);

struct shw_detect_range {
    uint32_t first, count; /* from the level's first row or column on */
};

/* For the kinds, which make their levels: appends one with its columns and rows of positions, which the caller fills
 * in. Levels without windows are left out. Errors: MEMORY, LIMIT. */
enum shw_result shw_detect_plan_add(struct shw_detect_plan *plan, const struct shw_detect_level *level,
                                    const struct shw_log *log, struct shw_detect_position **columns,
                                    struct shw_detect_position **rows);

/* Sets where windows at angles other than 0 fit on the level that was added last. */
void shw_detect_plan_turn(struct shw_detect_plan *plan, struct shw_detect_range columns, struct shw_detect_range rows);

/* Gives the levels, which have sizes, their places in the mipmap image. Errors: LIMIT. */
enum shw_result shw_detect_plan_pack(struct shw_detect_plan *plan, const struct shw_log *log);

/* The columns and rows of a level at an angle. */
struct shw_detect_range shw_detect_level_columns(const struct shw_detect_level *level, uint32_t angle);
struct shw_detect_range shw_detect_level_rows(const struct shw_detect_level *level, uint32_t angle);

/* The kinds of cascades as detection sees them: which windows there are, and on the host, what planes their tests read
 * and how their windows are walked. A kind is one file, a line in plan.c and an entry in
 * detection/cascade/cascade.c. */

/* Rows of windows of one level at one angle. */
struct shw_detect_band {
    const struct shw_detect_level *level;
    uint32_t angle;
    uint32_t first_row, rows; /* from the level's first row on, inside its range at the angle */
};

/* What one thread finds. */
struct shw_detect_tally {
    const struct shw_detect_plan *plan;
    int32_t score_base;
    uint64_t *survivors; /* [0]: windows tested, [s + 1]: left after stage s */
    struct shw_detection *items;
    uint32_t count, capacity;
    bool failed; /* out of memory: found windows are missing */
};

/* Adds the window at a row and a column of the level, whose score is not yet reduced by score_base. */
void shw_detect_tally_add(struct shw_detect_tally *tally, const struct shw_detect_band *band, uint32_t column,
                          uint32_t row, int32_t score);

/* The techniques on devices that evaluate a kind. */
enum shw_detect_devices { SHW_DETECT_NO_DEVICE, SHW_DETECT_COMPUTE, SHW_DETECT_COMPUTE_AND_FRAGMENT };

/* A walker is what a kind keeps on the host for a cascade and a size of images. */
struct shw_detect_kind {
    enum shw_group_method grouping; /* by default */
    enum shw_detect_devices devices;

    /* Adds the levels to a plan that has a size, and places them. Errors: MEMORY, LIMIT. */
    enum shw_result (*make_plan)(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                 const struct shw_log *log, struct shw_detect_plan *plan);

    /* The cascade and the scan, which is resolved, outlive the walker. Errors: MEMORY, LIMIT. */
    enum shw_result (*create)(const struct shw_cascade *cascade, const struct shw_scan *scan, const struct shw_log *log,
                              void **walker);
    void (*destroy)(void *walker); /* accepts NULL */
    /* Allocates the planes; the plan stays valid until the next call has returned. Errors: MEMORY. */
    enum shw_result (*resize)(void *walker, const struct shw_detect_plan *plan, const struct shw_log *log);
    /* Makes the planes from grey pixels without padding. */
    void (*prepare)(void *walker, const uint8_t *grey, struct shw_thread_pool *pool);
    /* Any thread, each with a tally of its own. */
    void (*walk)(const void *walker, const struct shw_detect_band *band, struct shw_detect_tally *tally);
};

/* For files of kinds, whose functions have the names of the members, so that none can be left out. */
#define SHW_DETECT_KIND(grouping_, devices_, make_plan_)                                                               \
    {                                                                                                                  \
        .grouping = SHW_GROUP_##grouping_, .devices = SHW_DETECT_##devices_, .make_plan = make_plan_,                  \
        .create = create, .destroy = destroy, .resize = resize, .prepare = prepare, .walk = walk                       \
    }

/* For kinds that exist. */
const struct shw_detect_kind *shw_detect_kind_get(enum shw_cascade_kind kind);

#endif
