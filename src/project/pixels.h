/* The pixels of a painted picture, read once and shared by the project and all trainings that use it. */
#ifndef SHW_PROJECT_PIXELS_H
#define SHW_PROJECT_PIXELS_H

#include <shadewood/image.h>
#include <shadewood/log.h>

struct shw_pixels;

/* Of an image file, which is read when first needed. `path` is copied. NULL if memory is exhausted. */
struct shw_pixels *shw_pixels_from_file(const char *path);

/* A copy of an image that is not a file, such as a frame of a video. NULL if memory is exhausted. */
struct shw_pixels *shw_pixels_from_image(const struct shw_image *image);

/* Any thread. */
struct shw_pixels *shw_pixels_share(struct shw_pixels *pixels);

/* Releases a share and sets *pixels to NULL; accepts NULL in it. Any thread. */
void shw_pixels_release(struct shw_pixels **pixels);

/* The image, valid as long as the share. If reading the file fails, the next call tries again. Errors: IO,
 * FORMAT, LIMIT, MEMORY. Any thread. */
enum shw_result shw_pixels_get(struct shw_pixels *pixels, const struct shw_log *log, struct shw_image *image);

#endif
