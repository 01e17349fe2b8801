/* Normals of the surfaces in a depth image. */
#ifndef SHW_FILES_DEPTH_NORMALS_H
#define SHW_FILES_DEPTH_NORMALS_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/depth/camera.h"

/* Normals of length 1 in the camera's coordinates, towards the camera, at the pixels of a grid with at most 160
 * columns; of those without depth, or with too little around them, there are none. Each is that of the plane that fits
 * the depth around the pixel, in a square of 1/40 of the image's width or 5 pixels, as far as it differs by at most a
 * tenth. (*normals) is to be freed with free(). Errors: MEMORY. Any thread. */
enum shw_result shw_find_normals(const uint16_t *depth, uint32_t width, uint32_t height,
                                 const struct shw_camera *camera, const struct shw_log *log, double (**normals)[3],
                                 size_t *count);

#endif
