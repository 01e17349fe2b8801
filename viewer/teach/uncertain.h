/* How uncertain a forest is, and where most. */
#ifndef VIEW_TEACH_UNCERTAIN_H
#define VIEW_TEACH_UNCERTAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/label.h>

#include "files/project/picture_labels.h"

/* Class distributions (SHW_OUTPUT_DISTRIBUTION) of a part of a picture. `labels` are the picture's; NULL: nothing is
 * labelled. */
struct view_distributions {
    const uint16_t *planes;
    uint32_t class_count;
    struct shw_part part;
    const struct shw_picture_labels *labels;
};

/* Finds the most uncertain unlabelled place: the pixel of the part around which the sum of all squared probabilities,
 * over a square of 2 r + 1 pixels of the part, is smallest, in exact arithmetic; among equals the first, row by row. r
 * is 8 pixels of the picture, and at most an eighth of the part's smaller side. Labelled pixels, and those outside,
 * count as certain. Pixels within `margin` of the border, at most a quarter of the smaller side, are found only if all
 * others are labelled. *x and *y are in the picture. False: every pixel is labelled, or memory is short. Any thread. */
bool view_find_uncertain(const struct view_distributions *of, uint32_t margin, uint32_t *x, uint32_t *y);

/* The mean uncertainty of the unlabelled pixels: 0 where one class has all the probability, 1 where all have the same;
 * 0 if every pixel is labelled. Any thread. */
double view_mean_uncertainty(const struct view_distributions *of);

#endif
