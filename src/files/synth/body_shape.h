/* What is around the bones: people as rounded cones that divide into body parts.
 *
 * The faces' quarters meet in the middle of the head, left and right of its plane of symmetry. Chest and hips meet a
 * third of the way from the waist up the back; the plane of symmetry divides both. Arms end towards the chest at the
 * shoulder joint, thighs towards the hips in the groin; elbows and knees are the ends of their bones. */
#ifndef SHW_FILES_SYNTH_BODY_SHAPE_H
#define SHW_FILES_SYNTH_BODY_SHAPE_H

#include "files/synth/skeleton.h"

/* Appends the person's bodies: SYNTH_FLESH_BODIES_MAX at most. */
void synth_body_shape_add(struct synth_scene *scene, const struct synth_build *build,
                          const struct synth_skeleton *skeleton);

#define SYNTH_FLESH_BODIES_MAX 80u

#endif
