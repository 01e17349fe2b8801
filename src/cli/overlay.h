/* Images of labellings. */
#ifndef SHW_CLI_OVERLAY_H
#define SHW_CLI_OVERLAY_H

#include <shadewood/forest.h>

/* The image overlaid with the class colour of each pixel, with `opacity` 0..100 percent. Result: width * height * 3
 * bytes to be freed with free(), or NULL if out of memory. 16-bit images show their upper 8 bits. */
uint8_t *cli_overlay(const struct shw_image *image, const uint16_t *classes, const struct shw_forest_info *info,
                     uint32_t opacity);

#endif
