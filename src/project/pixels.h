/* The pixels of a painted picture and of its other inputs, read once and shared by the project and all trainings that
 * use it. */
#ifndef SHW_PROJECT_PIXELS_H
#define SHW_PROJECT_PIXELS_H

#include <shadewood/input.h>
#include <shadewood/log.h>

#include "image/image_choice.h"

struct shw_pixels;

/* Of an image file, which is read when first needed, by the choice. `path` is copied. NULL if memory is exhausted. */
struct shw_pixels *shw_pixels_from_file(const char *path, const struct shw_image_choice *choice);

/* A copy of an image that is not a file, such as a frame of a video, and of its other inputs: colour first. Names are
 * borrowed. NULL if memory is exhausted. */
struct shw_pixels *shw_pixels_copy(const struct shw_inputs *inputs);

/* Any thread. */
struct shw_pixels *shw_pixels_share(struct shw_pixels *pixels);

/* Releases a share and sets *pixels to NULL; accepts NULL in it. Any thread. */
void shw_pixels_release(struct shw_pixels **pixels);

/* The image and its other inputs, valid as long as the share. If reading a file fails, the next call tries again.
 * Errors: IO, FORMAT, LIMIT, MEMORY. Any thread. */
enum shw_result shw_pixels_get(struct shw_pixels *pixels, const struct shw_log *log, struct shw_inputs *inputs);

#endif
