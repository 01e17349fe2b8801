/* The smoothing of label images. */
#ifndef SHW_FILES_OBJECTS_SMOOTH_H
#define SHW_FILES_OBJECTS_SMOOTH_H

#include "files/objects/objects.h"

/* The labels of the picture smoothed with a radius (objects.h), into `smoothed`. Errors: MEMORY. */
enum shw_result shw_smooth_labels(const struct shw_object_picture *picture, uint32_t radius, const struct shw_log *log,
                                  uint16_t *smoothed);

#endif
