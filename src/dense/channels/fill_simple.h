/* Simple filling of missing depth: four sweeps over the image, each of which copies depth from a neighbour
 * (Waldvogel's thesis, 5.1). Integers alone, so that it is the same everywhere. */
#ifndef SHW_DENSE_CHANNELS_FILL_SIMPLE_H
#define SHW_DENSE_CHANNELS_FILL_SIMPLE_H

#include <stddef.h>

#include <shadewood/input.h>
#include <shadewood/log.h>

#include "shared/rectangle.h"

/* A missing pixel, 0, becomes the nearest depth to the right in its row, otherwise the nearest to the left. A row
 * without any becomes the nearest row above that has some, otherwise the nearest below. Nothing is missing afterwards
 * unless everything was.
 *
 * Makes the pixels of a rectangle of the image, which is whole and has any format and any struct shw_depth that depth
 * can have: millimetres, the rows of the rectangle `stride` elements apart. They may be the image's own pixels, if the
 * rectangle is all of it. Errors: MEMORY (without a message). Any thread. */
enum shw_result shw_fill_simple(const struct shw_input *depth, struct shw_rect rect, uint16_t *filled, size_t stride);

#endif
