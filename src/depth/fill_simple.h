/* Simple filling of missing depth: four sweeps over the image, each of which copies depth from a neighbour
 * (Waldvogel's thesis, 5.1). Integers alone, so that it is the same everywhere; it needs nothing else of the tools. */
#ifndef SHW_DEPTH_FILL_SIMPLE_H
#define SHW_DEPTH_FILL_SIMPLE_H

#include <stdint.h>

/* A missing pixel, 0, becomes the nearest depth to the right in its row, otherwise the nearest to the left. A row
 * without any becomes the nearest row above that has some, otherwise the nearest below. Nothing is missing afterwards
 * unless everything was. `depth`: width * height. Any thread. */
void shw_fill_simple(uint16_t *depth, uint32_t width, uint32_t height);

#endif
