/* Pictures mirrored and turned by quarters: more backgrounds, of few pictures. */
#ifndef SHW_DETECTION_LEARN_TURNED_H
#define SHW_DETECTION_LEARN_TURNED_H

#include <stdint.h>

#include <shadewood/image.h>

#include "detection/metrics/detections.h"

#define SHW_TURNS 8u /* 2 * quarters to the right + whether it is mirrored afterwards; 0: as it is */

/* A copy; free its pixels. NULL pixels: no memory. */
struct shw_image shw_turned_image(const struct shw_image *image, uint32_t turn);

/* Where an object of the picture lies in the copy. */
struct shw_true_object shw_turned_object(const struct shw_image *image, uint32_t turn,
                                         const struct shw_true_object *object);

#endif
