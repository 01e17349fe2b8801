/* Grey values of the caller's images on the host. */
#ifndef SHW_DETECTION_DETECT_GREY_H
#define SHW_DETECTION_DETECT_GREY_H

#include <shadewood/image.h>

#include "base/thread_pool.h"

/* Writes the grey values of a checked image, which is not deep, without padding. */
void shw_grey_make(const struct shw_image *image, uint8_t *grey, struct shw_thread_pool *pool);

#endif
