/* Finds where a forest is most uncertain. */
#ifndef VIEW_TEACH_UNCERTAIN_H
#define VIEW_TEACH_UNCERTAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "project/picture_labels.h"

/* Finds the unlabelled pixel with the most uncertain class distribution: the smallest sum of squared probabilities, in
 * exact arithmetic; among equals the first, row by row. `distribution` has a plane for each class
 * (SHW_OUTPUT_DISTRIBUTION). `labels`: NULL: nothing is labelled. False: every pixel is labelled. Any thread. */
bool view_find_uncertain(const uint16_t *distribution, uint32_t class_count, uint32_t width, uint32_t height,
                         const struct shw_picture_labels *labels, uint32_t *x, uint32_t *y);

#endif
