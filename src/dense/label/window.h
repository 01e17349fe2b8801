/* Labelling images of which only a window is in memory. */
#ifndef SHW_DENSE_LABEL_WINDOW_H
#define SHW_DENSE_LABEL_WINDOW_H

#include <shadewood/label.h>

#include "dense/stage/tiles.h"

/* The distance in pixels within which other pixels influence one, with smoothing and the levels below; SHW_REACH_ALL:
 * the whole image does. */
uint32_t shw_labeller_reach(const struct shw_labeller *labeller);

/* Bytes that the planes of a tile take per pixel, on the host and on the device together. */
uint64_t shw_labeller_pixel_bytes(const struct shw_labeller *labeller);

/* Labels a part of an image: the images of the inputs are the window of it, in which everything within
 * shw_labeller_reach() of the part must be as far as it is in the image. The sides of the image are at most
 * SHW_LARGE_SIDE_MAX (base/image.h). The results are those of shw_labeller_run_part() with the whole image. Errors:
 * those of shw_labeller_run_part(). */
enum shw_result shw_labeller_run_window(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                        const struct shw_region *window, const struct shw_part *part,
                                        const struct shw_labelling *out);

#endif
