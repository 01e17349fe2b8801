/* Height above ground (Mueller and Behnke, 2014; section 6.5 of the CURFIL paper): the direction
 * against gravity is found from the normals of the depth image, all points are projected on it, and the height of the
 * lowest is subtracted. */
#ifndef SHW_FILES_DEPTH_HEIGHT_H
#define SHW_FILES_DEPTH_HEIGHT_H

#include <stdint.h>

#include <shadewood/log.h>

#include "files/depth/camera.h"

struct shw_ground {
    double up[3];  /* in the camera's coordinates, of length 1 */
    double lowest; /* along it, from the camera, in millimetres: at most a hundredth of the pixels is lower */
};

/* Finds the ground by measured depth (width * height, millimetres, 0 where missing). Without any depth the lowest is 0.
 * Errors: MEMORY. Any thread. */
enum shw_result shw_find_ground(const uint16_t *depth, uint32_t width, uint32_t height, const struct shw_camera *camera,
                                const struct shw_log *log, struct shw_ground *ground);

/* Heights of depth, which may have been filled: the nearest millimetre and 1 more, from 1 (the ground and below) to
 * 65535; 0 where depth is missing. Any thread. */
void shw_make_heights(const uint16_t *depth, uint32_t width, uint32_t height, const struct shw_camera *camera,
                      const struct shw_ground *ground, uint16_t *heights);

#endif
