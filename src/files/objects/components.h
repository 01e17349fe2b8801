/* Connected components of label images. */
#ifndef SHW_FILES_OBJECTS_COMPONENTS_H
#define SHW_FILES_OBJECTS_COMPONENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers the components of equal labels from 1, by their first pixels, row by row; pixels without a label,
 * SHW_LABEL_VOID, get 0. Pixels are connected by their edges and, unless `four`, by their corners. Returns the number
 * of components. In one pass over runs of pixels and one over pixels, without other memory; width * height is below
 * 2^32. Any thread. */
uint32_t shw_find_components(const uint16_t *labels, uint32_t width, uint32_t height, bool four, uint32_t *numbers);

#endif
