/* How old a camera's picture is when it can be seen with its labels: from its capture, by the camera's timestamp, until
 * the first frame that shows its overlay has finished on the device. For the main thread. */
#ifndef VIEW_LABEL_CAMERA_DELAY_H
#define VIEW_LABEL_CAMERA_DELAY_H

#include "label/scene.h"

struct view_camera_delay {
    uint64_t measured; /* number of the last picture that has been measured, as of the scene */
    double captured;   /* of the picture in the frame that has not been seen to finish; 0: there is none */
    uint64_t frame;    /* that frame's number */
};

/* After each frame: notes whether it is the first one with the overlay of a camera's picture. Of the pictures of frames
 * in flight, one is measured. */
void view_camera_delay_note(struct view_camera_delay *delay, const struct view_scene *scene);

/* Adds the delay to the times (VIEW_TIME_CAMERA) once that frame has finished, without waiting for it: exact as far as
 * this is called often. */
void view_camera_delay_check(struct view_camera_delay *delay, const struct view_labelling_params *params);

#endif
