/* Where a picture is on the canvas, and which of its pixels are on the device: all of it at a step at which that is
 * not many, and of larger pictures also what is seen, at the step of the zoom. Pictures with few pixels are there as
 * they are. */
#ifndef VIEW_LABEL_PARTS_H
#define VIEW_LABEL_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/label.h>

#include "gpu/gpu.h"

/* A part of the canvas, in its pixels. */
struct view_area {
    int32_t x, y;
    uint32_t width, height;
};

/* Position of the picture on the canvas, in 1/256 of the canvas's pixels. */
struct view_place {
    int32_t offset_x, offset_y;
    uint32_t zoom; /* 4..16384: from 1/64 to 64 */
};
#define VIEW_ZOOM_MIN 4u
#define VIEW_ZOOM_MAX 16384u

/* Which pixels of a picture are on the device: all of it at a step at which that is not many, and of larger pictures
 * also what is seen, at the step of the zoom. Pictures with few pixels are there as they are. */

#define VIEW_OVERVIEW_PIXELS (1u << 21)

/* All of a picture, at the smallest step that leaves at most `most` pixels and sides of at most `longest`. */
struct shw_part view_part_overview(uint32_t width, uint32_t height, uint32_t most, uint32_t longest);

/* The part of a picture that is seen at `place` in `area`, and a margin around it, at the largest step that has a pixel
 * for every pixel of the canvas, or at a larger one if its sides would be longer than `longest`; both begin at
 * multiples of the step. False: an overview with steps of `coarse` has that, or nothing is seen. */
bool view_part_detail(uint32_t width, uint32_t height, uint32_t coarse, uint32_t longest,
                      const struct view_place *place, const struct view_area *area, struct shw_part *seen,
                      struct shw_part *detail);

/* Whether `part` has all pixels of `other`, at the same step. */
bool view_part_covers(const struct shw_part *part, const struct shw_part *other);

static inline bool view_part_equals(const struct shw_part *a, const struct shw_part *b)
{
    return a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height && a->step == b->step;
}

/* Where the middle of the area is in the picture. */
void view_part_middle(const struct view_place *place, const struct view_area *area, int64_t *x, int64_t *y);

/* The labels of a part of a picture, computed cell by cell, on the host and on the device. Cells that are not exact
 * show what was known before: labels by the previous forest, or coarser ones. Where nothing was known and all cells
 * take long, a sketch comes first: blocks that show the label of the pixel in their middle. For the main thread. */

struct view_part_labels {
    struct shw_part part;   /* width 0: none */
    uint32_t side;          /* of a cell, in labels; those at the end may be smaller */
    uint32_t columns, rows; /* of cells */
    uint8_t *exact;         /* [cell]: has the labels of the picture by the forest */
    uint32_t exact_count;
    bool known;                  /* there are some labels, of whatever kind */
    bool covered;                /* there are labels everywhere, of whatever kind */
    uint16_t *argmax;            /* as in `part`; VIEW_NO_LABEL where nothing is known */
    uint16_t *planes;            /* probabilities, class after class; or NULL */
    uint32_t classes;            /* of which there are planes; 0: none */
    uint32_t dirty, dirty_end;   /* rows that the device has not got yet */
    struct view_image images[2]; /* argmax and planes, at least as large as the part; they are made when needed */
    bool begun;                  /* the images have contents */
    struct view_buffer staging[VIEW_SLOTS];
};

#define VIEW_NO_LABEL UINT16_MAX

/* Frees everything. */
void view_part_labels_destroy(const struct view_gpu *gpu, struct view_part_labels *labels);

/* Makes room for another part, or for other probabilities (`classes`; 0: none), with cells of about `pixels` pixels of
 * the picture along a side. What two others know (NULL: none), which may be the same as `labels`, becomes what is shown
 * first. Errors: MEMORY; then there are none. */
enum shw_result view_part_labels_set(const struct view_gpu *gpu, const struct shw_part *part, uint32_t classes,
                                     uint32_t pixels, const struct view_part_labels *known,
                                     struct view_part_labels *labels);

/* No cell is exact any more; nothing is known any more. */
void view_part_labels_expire(struct view_part_labels *labels);
void view_part_labels_forget(struct view_part_labels *labels);

static inline uint32_t view_part_labels_cells(const struct view_part_labels *labels)
{
    return labels->columns * labels->rows;
}

static inline bool view_part_labels_are_exact(const struct view_part_labels *labels)
{
    return labels->part.width > 0 && labels->exact_count == view_part_labels_cells(labels);
}

/* Whether the cell of a label is exact. */
static inline bool view_part_labels_is_exact(const struct view_part_labels *labels, uint32_t x, uint32_t y)
{
    return labels->exact[(size_t)(y / labels->side) * labels->columns + x / labels->side];
}

/* Lists the cells that are not exact, those next to pixel (x, y) of the picture first, with their parts. Returns their
 * number. */
uint32_t view_part_labels_list(const struct view_part_labels *labels, int64_t x, int64_t y, uint32_t *cells,
                               struct shw_part *parts);

/* The side of the blocks, in labels, of which there are at most `most` > 0. */
uint32_t view_part_labels_block_side(const struct shw_part *part, uint32_t most);

/* Lists the blocks in which something is not known, those next to pixel (x, y) of the picture first: for each the part
 * that has nothing but the pixel in its middle. Returns their number. */
uint32_t view_part_labels_sketch(const struct view_part_labels *labels, uint32_t side, int64_t x, int64_t y,
                                 uint32_t *blocks, struct shw_part *parts);

/* Shows what is known about the pixel in the middle of a block, as below, in all of it that is not known otherwise. */
void view_part_labels_take_block(struct view_part_labels *labels, uint32_t side, uint32_t block,
                                 const uint16_t *results);

/* Takes the labels of a cell, which is exact then: the most likely classes, then planes. */
void view_part_labels_take(struct view_part_labels *labels, uint32_t cell, const uint16_t *results);

/* Makes images for what has changed. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_part_labels_fit(const struct view_gpu *gpu, bool larger, struct view_part_labels *labels);

/* Records the upload of changes, or as many as there is time for in a frame, after view_part_labels_fit(). The slot's
 * last frame must have finished. Returns whether there were any. */
bool view_part_labels_upload(struct view_part_labels *labels, VkCommandBuffer commands, uint32_t slot);

/* Whether the device has everything. */
static inline bool view_part_labels_are_uploaded(const struct view_part_labels *labels)
{
    return labels->dirty >= labels->dirty_end;
}

#endif
