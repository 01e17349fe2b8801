/* Images of labellings. */
#ifndef SHW_FILES_IMAGE_OVERLAY_H
#define SHW_FILES_IMAGE_OVERLAY_H

#include <shadewood/dataset.h>

/* The image overlaid with the class colour of each pixel, with `opacity` 0..100 percent; void pixels stay as
 * they are, and all do if `labels` is NULL. Result: width * height * 3
 * bytes to be freed with free(), or NULL if out of memory. 16-bit images show their upper 8 bits. Any thread. */
uint8_t *shw_overlay_image(const struct shw_image *image, const uint16_t *labels, const struct shw_class *classes,
                           uint32_t opacity);

#endif
