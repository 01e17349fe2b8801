/* Millimetres from what depth images store. */
#ifndef SHW_DENSE_CHANNELS_DEPTH_CODES_H
#define SHW_DENSE_CHANNELS_DEPTH_CODES_H

#include <shadewood/input.h>

#include "shared/depth_code.h"

/* How shw_depth_code() scales what an input stores; `depth` has been checked (dense/input/inputs.c). */
shw_uint4 shw_depth_scale(const struct shw_depth *depth);

/* Of a pixel of a grey image of 16 bits or more. `scale.x` is not SHW_SCALE_STORED. */
uint32_t shw_pixel_depth(enum shw_pixel_format format, const void *pixel, shw_uint4 scale);

#endif
