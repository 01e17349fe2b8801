/* Images that callers hand over. */
#ifndef SHW_BASE_IMAGE_H
#define SHW_BASE_IMAGE_H

#include <shadewood/image.h>
#include <shadewood/log.h>

/* Refuses what is no image, or would not be read rightly. Errors: ARGUMENT. */
enum shw_result shw_image_check(const struct shw_image *image, const struct shw_log *log);

#endif
