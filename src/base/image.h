/* Callers' images. */
#ifndef SHW_BASE_IMAGE_H
#define SHW_BASE_IMAGE_H

#include <shadewood/image.h>
#include <shadewood/log.h>

/* Refuses invalid images and misaligned ones. Errors: ARGUMENT. */
enum shw_result shw_image_check(const struct shw_image *image, const struct shw_log *log);

#endif
