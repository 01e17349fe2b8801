/* Pinhole cameras: pixel (x, y) of depth z shows the point ((x - centre[0]) z / focal[0], (y - centre[1]) z / focal[1],
 * z) of the camera's coordinates, with x to the right, y down and z away. */
#ifndef SHW_FILES_DEPTH_CAMERA_H
#define SHW_FILES_DEPTH_CAMERA_H

#include <stdint.h>

struct shw_camera {
    double focal[2], centre[2]; /* in pixels; the centre of the first pixel is at 0 */
};

/* What is assumed of images of this size: the focal length of Kinect's and similar sensors, 525 / 640 of the width, or
 * 365 for the 512 x 424 pixels of Kinect v2; the centre of the image. */
struct shw_camera shw_camera_assume(uint32_t width, uint32_t height);

#endif
