#ifndef SHW_DENSE_STAGE_REGION_H
#define SHW_DENSE_STAGE_REGION_H

#include <stdint.h>

/* The part of an image that is processed at once, in pixels. Only the channels x and y depend on its position: image
 * borders are those of the part. */
struct shw_region {
    uint32_t width, height;           /* of the part */
    uint32_t x, y;                    /* its first pixel in the whole image */
    uint32_t full_width, full_height; /* the whole image */
};

#endif
