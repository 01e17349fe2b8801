/* The joints of a person in a pose. */
#ifndef SHW_FILES_SYNTH_SKELETON_H
#define SHW_FILES_SYNTH_SKELETON_H

#include "files/synth/build.h"
#include "files/synth/frame.h"
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

#endif
