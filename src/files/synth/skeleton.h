/* The joints of a person in a pose. */
#ifndef SHW_FILES_SYNTH_SKELETON_H
#define SHW_FILES_SYNTH_SKELETON_H

#include "files/synth/pose.h"

/* A frame's origin is the point before it. `up` of hands points from the wrist to the fingers and `forward` out of the
 * palm; `up` of feet from the sole to the ankle and `forward` to the toes. */
struct synth_skeleton {
    struct synth_vector hips, waist, chest, neck, head; /* between the hip joints; ...; the neck's base; the head's
                                                           middle */
    struct synth_frame pelvis, back, trunk, nape, skull;
    struct synth_limb_joints {
        struct synth_vector root, middle, end; /* shoulder, elbow, wrist; hip, knee, ankle */
        struct synth_frame tip;                /* the hand or the foot */
    } arms[2], legs[2];                        /* enum synth_side */
};

/* Bones keep their lengths, joints bend as they can, and wrists and elbows stay outside the trunk and the head. */
struct synth_skeleton synth_skeleton_make(const struct synth_build *build, const struct synth_stance *stance);

/* What is around the bones: people as rounded cones that divide into body parts.
 *
 * The faces' quarters meet in the middle of the head, left and right of its plane of symmetry. Chest and hips meet a
 * third of the way from the waist up the back; the plane of symmetry divides both. Arms end towards the chest at the
 * shoulder joint, thighs towards the hips in the groin; elbows and knees are the ends of their bones. */

/* Appends the person's bodies: SYNTH_SHAPE_BODIES_MAX at most. */
void synth_body_shape_add(struct synth_scene *scene, const struct synth_build *build,
                          const struct synth_skeleton *skeleton);

#define SYNTH_SHAPE_BODIES_MAX 80u

#endif
