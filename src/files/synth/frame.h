/* Directions that turn with a part of a body. Angles are in turns. */
#ifndef SHW_FILES_SYNTH_FRAME_H
#define SHW_FILES_SYNTH_FRAME_H

#include "files/synth/vector.h"

/* At right angles, of unit length. */
struct synth_frame {
    struct synth_vector right, up, forward;
};

/* Of somebody who stands upright; at heading 0 she looks along z, at a quarter along x. */
struct synth_frame synth_frame_upright(double heading);

/* Bends forward; leans to the right; turns to the right. */
struct synth_frame synth_frame_bend(struct synth_frame frame, double turns);
struct synth_frame synth_frame_lean(struct synth_frame frame, double turns);
struct synth_frame synth_frame_turn(struct synth_frame frame, double turns);

/* right * x + up * y + forward * z */
struct synth_vector synth_frame_direction(const struct synth_frame *frame, double x, double y, double z);
struct synth_vector synth_frame_point(const struct synth_frame *frame, struct synth_vector from, double x, double y,
                                      double z);

/* What synth_frame_point() puts at `point`: its x, y and z. */
struct synth_vector synth_frame_inside(const struct synth_frame *frame, struct synth_vector from,
                                       struct synth_vector point);

/* A frame whose `up` is a direction and whose `forward` is as near to another as can be; where both are parallel, any.
 * Vectors need not have unit length. */
struct synth_frame synth_frame_along(struct synth_vector up, struct synth_vector forward);

#endif
