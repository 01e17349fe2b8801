/* Scale bars in images. Any thread. */
#ifndef SHW_FILES_OBJECTS_SCALE_BAR_H
#define SHW_FILES_OBJECTS_SCALE_BAR_H

#include "files/image/draw.h"

/* Draws one into the lower right corner: 1, 2 or 5 times a power of ten of a unit, at most a quarter of the width, with
 * its length above. `side`: of a pixel, in micrometres. Nothing if the image is too small. */
void shw_draw_scale_bar(const struct shw_canvas *canvas, double side);

#endif
