/* The image as planes R, G, B and luma Y in fixed point, with 4 fraction bits over an 8-bit sample: 0..SHW_BASE_MAX. */
#ifndef SHW_DENSE_CHANNELS_BASE_PLANES_H
#define SHW_DENSE_CHANNELS_BASE_PLANES_H

#include <shadewood/image.h>

#include "dense/channels/filter_bank.h"
#include "shared/types.h"

#define SHW_BASE_MAX 4080

/* Converts row `y` of the image to rows of its width. */
void shw_base_row(const struct shw_image *image, uint32_t y, int16_t *const base[SHW_BASE_COUNT]);

/* The values of row `y` of a grey image, modulo 2^16: as `scale` makes them (shw_depth_scale()). */
void shw_plane_row(const struct shw_image *image, shw_uint4 scale, uint32_t y, int16_t *values);

/* Repeats the first and the last of `width` values `radius` times before the row and after it. */
void shw_base_clamp(int16_t *row, uint32_t width, uint32_t radius);

#endif
