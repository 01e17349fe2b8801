/* The levels of the image pyramid on the host (Jurak 2015, 5.4), for PIXELS: docs/detection.md has the steps. */
#ifndef SHW_DETECTION_DETECT_LEVELS_H
#define SHW_DETECTION_DETECT_LEVELS_H

#include <shadewood/image.h>

#include "base/thread_pool.h"
#include "detection/detect/plan.h"

/* Grey values of the caller's images on the host. */

/* Writes the grey values of a checked image, which is not deep, without padding. */
void shw_grey_make(const struct shw_image *image, uint8_t *grey, struct shw_thread_pool *pool);

struct shw_levels;

/* The plan stays valid as long as the levels. Errors: MEMORY. */
enum shw_result shw_levels_create(const struct shw_cascade_planes *planes, const struct shw_detect_plan *plan,
                                  const struct shw_log *log, struct shw_levels **levels);

/* Accepts NULL and a pointer to NULL. */
void shw_levels_destroy(struct shw_levels **levels);

/* Makes all levels from grey pixels without padding. */
void shw_levels_make(struct shw_levels *levels, const uint8_t *grey, struct shw_thread_pool *pool);

/* The mipmap image, rows of the plan's mipmap_width. What belongs to no level is undefined. */
const uint16_t *shw_levels_get(const struct shw_levels *levels);

#endif
