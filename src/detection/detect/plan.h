/* The plan of a scan over images of one size: the levels of the pyramid and where each lies in the mipmap image, and
 * the windows on them. Made on the host once per size of images; all techniques follow it. */
#ifndef SHW_DETECTION_DETECT_PLAN_H
#define SHW_DETECTION_DETECT_PLAN_H

#include <shadewood/detect.h>

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

/* Puts the usual values of the cascade in the place of zeros; max_size becomes UINT32_MAX, no angles the angle 0, and
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

#endif
