/* Where a picture is on the canvas, and which of its pixels are on the device: all of it at a step at which that is
 * not many, and of larger pictures also what is seen, at the step of the zoom. Pictures with few pixels are there as
 * they are. */
#ifndef VIEW_LABEL_PARTS_H
#define VIEW_LABEL_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/label.h>

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

#endif
