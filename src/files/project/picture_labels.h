/* The visible stroke at each pixel of a picture, in square blocks that exist only where something is painted, so that
 * memory and time depend on what is painted, hardly on the size of the picture.
 *
 * Copies of a map share its blocks, which are never changed while they are shared. */
#ifndef SHW_FILES_PROJECT_PICTURE_LABELS_H
#define SHW_FILES_PROJECT_PICTURE_LABELS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/project/stroke.h"
#include "shared/rectangle.h"

#define SHW_TOP_STROKES_SIDE 64u /* of a block, in pixels */

struct shw_top_strokes_block {
    atomic_uint shares;
    uint32_t count;                                                /* pixels with a stroke */
    uint32_t strokes[SHW_TOP_STROKES_SIDE * SHW_TOP_STROKES_SIDE]; /* row by row: counted from 1, 0: no stroke */
};

struct shw_top_strokes {
    uint32_t width, height;                /* of the picture */
    uint32_t columns, rows;                /* of blocks */
    struct shw_top_strokes_block **blocks; /* row by row, NULL where there is none; NULL: there are none at all */
};

struct shw_top_strokes shw_top_strokes_make(uint32_t width, uint32_t height);
void shw_top_strokes_free(struct shw_top_strokes *top);

/* A copy that shares all blocks. False: out of memory. */
bool shw_top_strokes_share(const struct shw_top_strokes *top, struct shw_top_strokes *copy);

static inline const struct shw_top_strokes_block *shw_top_strokes_block(const struct shw_top_strokes *top,
                                                                        uint32_t column, uint32_t row)
{
    return top->blocks != NULL ? top->blocks[(size_t)row * top->columns + column] : NULL;
}

/* The stroke at a pixel of the picture. */
uint32_t shw_top_strokes_get(const struct shw_top_strokes *top, uint32_t x, uint32_t y);

/* The block of a pixel, for changing it and its count; made if it is missing, copied if it is shared. NULL: out of
 * memory. */
struct shw_top_strokes_block *shw_top_strokes_change(struct shw_top_strokes *top, uint32_t x, uint32_t y);

/* The picture's blocks that a rectangle touches, as a rectangle of pixels; empty if it is outside. */
struct shw_rect shw_top_strokes_cover(const struct shw_top_strokes *top, struct shw_rect rect);

/* Removes the blocks in a rectangle from shw_top_strokes_cover(). */
void shw_top_strokes_clear(struct shw_top_strokes *top, struct shw_rect rect);

/* Label images as runs of pixels, which is how projects store them (stroke.h). */

struct shw_label_runs {
    uint32_t width, height;
    uint32_t class_count;
    struct shw_stroke *areas;   /* [class]: its runs; without points, it does not occur */
    struct shw_top_strokes top; /* of the classes that occur, in order, counted from 1: for a picture without strokes */
    uint64_t *pixels;           /* [class] */
};

/* Finds the runs of width * height class numbers, row by row; pixels with SHW_LABEL_VOID are in none. `name` is for
 * messages. Errors: ARGUMENT (a number that is not below class_count), LIMIT (a class with more than
 * SHW_STROKE_POINTS_MAX / 2 runs), MEMORY. Any thread. */
enum shw_result shw_label_runs_find(const uint16_t *labels, uint32_t width, uint32_t height, uint32_t class_count,
                                    const char *name, const struct shw_log *log, struct shw_label_runs *runs);
/* Accepts zero-initialised and freed ones. */
void shw_label_runs_free(struct shw_label_runs *runs);

/* The labels of a picture at one moment: a snapshot that shares what is painted with the project, so that making one
 * costs next to nothing, and painting can continue. */

/* Made by shw_project_share_labels(), and immutable; any number of threads may use it. */
struct shw_picture_labels {
    atomic_uint shares;
    uint32_t width, height;
    uint64_t count;             /* labelled pixels */
    struct shw_top_strokes top; /* the visible stroke at each pixel */
    uint32_t stroke_count;
    uint16_t *values;  /* [stroke, counted from 1]: the number of its class; SHW_LABEL_VOID for 0 and for strokes of
                          deleted classes */
    uint64_t *visible; /* [stroke, counted from 0]: pixels of it that no other stroke covers */
};

/* The same of top strokes and the classes of `stroke_count` strokes (SHW_LABEL_VOID: none any more) that have come from
 * elsewhere, which are shared and copied. Errors, not logged: FORMAT (a pixel has a stroke that there is not, or is
 * outside the picture), MEMORY. */
enum shw_result shw_picture_labels_make(const struct shw_top_strokes *top, const uint16_t *classes,
                                        uint32_t stroke_count, struct shw_picture_labels **labels);

/* Another share of it. Any thread. */
struct shw_picture_labels *shw_picture_labels_share(struct shw_picture_labels *labels);

/* Releases a share and sets *labels to NULL; accepts NULL in it. Any thread. */
void shw_picture_labels_release(struct shw_picture_labels **labels);

/* The class number of a pixel of the picture, or SHW_LABEL_VOID. */
static inline uint16_t shw_picture_labels_get(const struct shw_picture_labels *labels, uint32_t x, uint32_t y)
{
    return labels->values[shw_top_strokes_get(&labels->top, x, y)];
}

/* Writes the labels of the pixels (x + step * i, y + step * j), i < width, j < height, row by row; SHW_LABEL_VOID
 * outside the picture. `step` is at least 1. */
void shw_picture_labels_copy(const struct shw_picture_labels *labels, int64_t x, int64_t y, uint32_t width,
                             uint32_t height, uint32_t step, uint16_t *out);

#endif
