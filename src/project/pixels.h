/* The pixels of a picture that was painted on, read once and shared by the project and by all trainings that use it. */
#ifndef SHW_PROJECT_PIXELS_H
#define SHW_PROJECT_PIXELS_H

#include <shadewood/image.h>
#include <shadewood/log.h>

struct shw_pixels;

/* Of an image file, which is read at the first need. `path` is copied. NULL when memory is short. */
struct shw_pixels *shw_pixels_from_file(const char *path);

/* A copy of an image that comes from elsewhere: a frame of a video, for instance. NULL when memory is short. */
struct shw_pixels *shw_pixels_from_image(const struct shw_image *image);

/* Any thread. */
struct shw_pixels *shw_pixels_share(struct shw_pixels *pixels);

/* Ends one share and sets *pixels to NULL; accepts NULL in it. Any thread. */
void shw_pixels_release(struct shw_pixels **pixels);

/* The image, valid as long as the share. A file that could not be read is tried again the next time. Errors: IO,
 * FORMAT, LIMIT, MEMORY. Any thread. */
enum shw_result shw_pixels_get(struct shw_pixels *pixels, const struct shw_log *log, struct shw_image *image);

#endif
