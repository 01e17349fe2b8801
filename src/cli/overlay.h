/* Images of labellings. */
#ifndef SHW_CLI_OVERLAY_H
#define SHW_CLI_OVERLAY_H

#include <shadewood/forest.h>

/* The image overlaid with the class colour of each pixel, with `opacity` 0..100 percent. Result: width * height * 3
 * bytes to be freed with free(), or NULL if out of memory. 16-bit images show their upper 8 bits. */
uint8_t *cli_overlay(const struct shw_image *image, const uint16_t *classes, const struct shw_forest_info *info,
                     uint32_t opacity);

/* Writes the classes as an image: palette indices with the classes' colours, or 16-bit grey if there are more than 256.
 * Errors: IO, MEMORY. */
enum shw_result cli_write_classes(const char *path, const uint16_t *classes, uint32_t width, uint32_t height,
                                  const struct shw_forest_info *info, const struct shw_log *log);

#endif
