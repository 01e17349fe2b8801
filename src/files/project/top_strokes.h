/* The visible stroke at each pixel of a picture, in square blocks that exist only where something is painted, so that
 * memory and time depend on what is painted and hardly on the size of the picture.
 *
 * Copies of a map share its blocks, which are never changed while they are shared. */
#ifndef SHW_FILES_PROJECT_TOP_STROKES_H
#define SHW_FILES_PROJECT_TOP_STROKES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/rectangle.h"

#define SHW_OWNERS_SIDE 64u /* of a block, in pixels */

struct shw_top_strokes_block {
    atomic_uint shares;
    uint32_t count;                                     /* pixels with a stroke */
    uint32_t owners[SHW_OWNERS_SIDE * SHW_OWNERS_SIDE]; /* row by row: counted from 1, 0: no stroke */
};

struct shw_top_strokes {
    uint32_t width, height;                /* of the picture */
    uint32_t columns, rows;                /* of blocks */
    struct shw_top_strokes_block **blocks; /* row by row, NULL where there is none; NULL: there are none at all */
};

struct shw_top_strokes shw_top_strokes_make(uint32_t width, uint32_t height);
void shw_top_strokes_free(struct shw_top_strokes *owners);

/* A copy that shares all blocks. False: out of memory. */
bool shw_top_strokes_share(const struct shw_top_strokes *owners, struct shw_top_strokes *copy);

static inline const struct shw_top_strokes_block *shw_top_strokes_block(const struct shw_top_strokes *owners,
                                                                        uint32_t column, uint32_t row)
{
    return owners->blocks != NULL ? owners->blocks[(size_t)row * owners->columns + column] : NULL;
}

/* The stroke at a pixel of the picture. */
uint32_t shw_top_strokes_get(const struct shw_top_strokes *owners, uint32_t x, uint32_t y);

/* The block of a pixel, for changing it and its count; made if it is missing, copied if it is shared. NULL: out of
 * memory. */
struct shw_top_strokes_block *shw_top_strokes_change(struct shw_top_strokes *owners, uint32_t x, uint32_t y);

/* The picture's blocks that a rectangle touches, as a rectangle of pixels; empty if it is outside. */
struct shw_rect shw_top_strokes_cover(const struct shw_top_strokes *owners, struct shw_rect rect);

/* Removes the blocks in a rectangle from shw_top_strokes_cover(). */
void shw_top_strokes_clear(struct shw_top_strokes *owners, struct shw_rect rect);

/* Writes values[stroke] for the pixels (x + step * i, y + step * j), i < width, j < height, row by row; values[0] where
 * there is no stroke and outside the picture. */
void shw_top_strokes_copy(const struct shw_top_strokes *owners, int64_t x, int64_t y, uint32_t width, uint32_t height,
                          uint32_t step, const uint16_t *values, uint16_t *out);

#endif
