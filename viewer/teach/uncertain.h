/* Where a forest knows least. */
#ifndef VIEW_TEACH_UNCERTAIN_H
#define VIEW_TEACH_UNCERTAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the pixel without a label whose class distribution is the most uncertain: the sum of the squared probabilities
 * is least, in exact arithmetic; the first among equals, row by row. `distribution` has a plane for each class
 * (SHW_OUTPUT_DISTRIBUTION), `labels` a class number or SHW_LABEL_VOID for each pixel; NULL: nothing is labelled.
 * False: every pixel has a label. Any thread. */
bool view_find_uncertain(const uint16_t *distribution, uint32_t class_count, uint32_t width, uint32_t height,
                         const uint16_t *labels, uint32_t *x, uint32_t *y);

#endif
