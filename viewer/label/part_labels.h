/* The labels of a part of a picture, computed cell by cell, on the host and on the device. Cells that are not exact
 * show what was known before: labels by the previous forest, or coarser ones. Where nothing was known and all cells
 * take long, a sketch comes first: blocks that show the label of the pixel in their middle. For the main thread. */
#ifndef VIEW_LABEL_PART_LABELS_H
#define VIEW_LABEL_PART_LABELS_H

#include "gpu/gpu_memory.h"

#include <shadewood/label.h>

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
