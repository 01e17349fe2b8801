/* Pinhole cameras: pixel (x, y) of depth z shows the point ((x - centre[0]) z / focal[0], (y - centre[1]) z / focal[1],
 * z) of the camera's coordinates, with x to the right, y down and z away. */
#ifndef SHW_FILES_DEPTH_HEIGHT_H
#define SHW_FILES_DEPTH_HEIGHT_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

struct shw_camera {
    double focal[2], centre[2]; /* in pixels; the centre of the first pixel is at 0 */
};

/* What is assumed of images of this size: the focal length of Kinect's and similar sensors, 525 / 640 of the width, or
 * 365 for the 512 x 424 pixels of Kinect v2; the centre of the image. */
struct shw_camera shw_camera_assume(uint32_t width, uint32_t height);

/* Normals of the surfaces in a depth image. */

/* Normals of length 1 in the camera's coordinates, towards the camera, at the pixels of a grid with at most 160
 * columns; of those without depth, or with too little around them, there are none. Each is that of the plane that fits
 * the depth around the pixel, in a square of 1/40 of the image's width or 5 pixels, as far as it differs by at most a
 * tenth. (*normals) is to be freed with free(). Errors: MEMORY. Any thread. */
enum shw_result shw_find_normals(const uint16_t *depth, uint32_t width, uint32_t height,
                                 const struct shw_camera *camera, const struct shw_log *log, double (**normals)[3],
                                 size_t *count);

/* Height above ground (Mueller and Behnke, 2014; section 6.5 of the CURFIL paper): the direction
 * against gravity is found from the normals of the depth image, all points are projected on it, and the height of the
 * lowest is subtracted. */

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

/* Heights NAME_height.png beside depth that a command writes anew, but whose heights it does not. */

#define SHW_HEIGHTS_PATH 4096

struct shw_old_heights {
    uint32_t count;
    char first[SHW_HEIGHTS_PATH];
};

/* The path of the heights beside `depth`, FOLDER/NAME_depth.png. */
void shw_heights_beside(const char *depth, char path[SHW_HEIGHTS_PATH]);

void shw_old_heights_add(struct shw_old_heights *old, const char *path);

/* Warns if there are any; `remedy` makes the heights anew. */
void shw_old_heights_warn(const struct shw_old_heights *old, const char *remedy, const struct shw_log *log);

#endif
