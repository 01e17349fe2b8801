/* Writing image files, atomically. All functions here may be called from any thread. Errors: IO, MEMORY, ARGUMENT. */
#ifndef SHW_IMAGE_IMAGE_WRITE_H
#define SHW_IMAGE_IMAGE_WRITE_H

#include <shadewood/dataset.h>

/* A PNG file with the image's own samples: grey, RGB or RGBA, of 8 or 16 bits. */
enum shw_result shw_png_write(const char *path, const struct shw_image *image, const struct shw_log *log);

/* A PNG file of 8-bit palette indices, width * height without padding, each below colour_count (1..256). */
enum shw_result shw_png_write_indexed(const char *path, const uint8_t *indices, uint32_t width, uint32_t height,
                                      const uint8_t (*colours)[3], uint32_t colour_count, const struct shw_log *log);

/* A PNG file of class numbers: palette indices with the classes' colours, or 16-bit grey if there are more than 256.
 * Numbers of no class become the last one's index. */
enum shw_result shw_png_write_labels(const char *path, const uint16_t *labels, uint32_t width, uint32_t height,
                                     const struct shw_class *classes, uint32_t class_count, const struct shw_log *log);

/* `count` consecutive planes of width * height 16-bit values: as PNG files PREFIX-000.png, PREFIX-001.png, ..., as a
 * TIFF file with a page per plane, and as a NumPy array of shape (count, height, width) and type uint16. */
enum shw_result shw_png_write_stack(const char *prefix, const uint16_t *planes, uint32_t count, uint32_t width,
                                    uint32_t height, const struct shw_log *log);
enum shw_result shw_tiff_write_pages(const char *path, const uint16_t *planes, uint32_t count, uint32_t width,
                                     uint32_t height, const struct shw_log *log);
enum shw_result shw_npy_write(const char *path, const uint16_t *planes, uint32_t count, uint32_t width, uint32_t height,
                              const struct shw_log *log);

/* The same array for 32-bit leaf numbers, type uint32. */
enum shw_result shw_npy_write_leaves(const char *path, const uint32_t *planes, uint32_t count, uint32_t width,
                                     uint32_t height, const struct shw_log *log);

#endif
