/* How people are built, how they hold themselves, and how that changes with time. Angles are in turns. */
#ifndef SHW_FILES_SYNTH_POSE_H
#define SHW_FILES_SYNTH_POSE_H

#include <stdbool.h>
#include <stdint.h>

#include "files/synth/scene.h"

/* Directions that turn with a part of a body: at right angles, of unit length. */
struct synth_frame {
    struct synth_vector right, up, forward;
};

/* Of somebody who stands upright; at heading 0 she looks along z, at a quarter along x. */
struct synth_frame synth_frame_upright(double heading);

/* Bends forward; leans to the right; turns to the right. */
struct synth_frame synth_frame_bend(struct synth_frame frame, double turns);
struct synth_frame synth_frame_lean(struct synth_frame frame, double turns);
struct synth_frame synth_frame_turn(struct synth_frame frame, double turns);

struct synth_vector synth_frame_point(const struct synth_frame *frame, struct synth_vector from, double x, double y,
                                      double z);

/* What synth_frame_point() puts at `point`: its x, y and z. */
struct synth_vector synth_frame_inside(const struct synth_frame *frame, struct synth_vector from,
                                       struct synth_vector point);

/* A frame whose `up` is a direction and whose `forward` is as near to another as can be; where both are parallel, any.
 * Vectors need not have unit length. */
struct synth_frame synth_frame_along(struct synth_vector up, struct synth_vector forward);

/* The measures of a person's body, in metres. */

enum synth_hair { SYNTH_BALD, SYNTH_SHORT_HAIR, SYNTH_BOB, SYNTH_LONG_HAIR, SYNTH_BUN, SYNTH_TAIL, SYNTH_CAP };
#define SYNTH_HAIR_COUNT 7u

struct synth_build {
    double height;
    double ankle, shin, thigh;       /* the ankle above the sole; lengths */
    double hips, shoulders;          /* half the distances of their joints */
    double belly, back, chest;       /* along the spine: hip joints to waist, to the middle of the chest, to the neck */
    double neck, head;               /* the pivot of the head above the base of the neck; half the head's height */
    double upper_arm, forearm, palm; /* lengths; the palm without fingers, which are nearly as long */
    double foot;
    struct {
        double wide, deep; /* half axes of cross sections */
    } hip_size, waist_size, chest_size, head_size;
    double neck_radius, shoulder_radius, elbow_radius, wrist_radius, thigh_radius, knee_radius, calf_radius,
        ankle_radius;
    double paunch, bust, seat; /* how far these protrude */
    double blouse;             /* by which a loose shirt is wider than what it covers; below 0: none */
    double sleeve, trousers;   /* by which clothes widen the ends of arms and legs */
    double skirt;              /* its length in thighs; 0: none */
    bool bare_arms, bare_legs;
    enum synth_hair hair;
    double hair_depth;
    struct synth_material shirt, cloth, shoe, skin, hair_colour;
};

/* A random person from 1.1 m, a child, to 2.05 m. */
struct synth_build synth_build_make(struct synth_stream *stream);

/* From the hip joint to the sole of a straight leg, and from the shoulder to the wrist of a straight arm. */
double synth_build_leg(const struct synth_build *build);

/* Positions are out (to the right for the right limb, to the left for the left one), up and forward. */
struct synth_arm_pose {
    double hand[3];  /* the wrist, from the shoulder, with the chest, in lengths of the arm */
    double elbow[3]; /* the direction to which the elbow points, with the chest */
    double wrist;    /* turns by which the hand bends to the palm */
    double fingers;  /* turns by which the fingers do */
    double twist;    /* turns by which the palm turns around the forearm */
};

struct synth_leg_pose {
    double foot[3]; /* the ankle, from the place and its height above the sole, in lengths of the leg */
    double toes;    /* turns outwards */
    double heel;    /* turns upwards */
    double knee;    /* how far the knee points outwards for one forward */
};

enum synth_side { SYNTH_LEFT, SYNTH_RIGHT };

/* Only numbers, so that poses can be mixed. Angles are in turns; turns and leans are to the right. */
struct synth_pose {
    double right, up, forward; /* of the middle between the hip joints, above the place, in lengths of the leg; `up`
                                  only as far as legs reach */
    double bend, lean, turn;   /* of the pelvis */
    double spine_bend, spine_lean, spine_turn;
    double nod, tilt, look;
    struct synth_arm_pose arms[2];
    struct synth_leg_pose legs[2];
};

/* The pose with left and right exchanged. */
struct synth_pose synth_pose_mirrored(const struct synth_pose *pose);

/* A random pose, at `seconds` into it, for those with movement. */
struct synth_pose synth_pose_make(struct synth_stream *stream, double seconds);
/* On a seat of a height in metres that stands at the place, or in front of it. */
struct synth_pose synth_pose_sitting(const struct synth_build *build, struct synth_stream *stream, double seat,
                                     double seconds);
/* A walk, after a distance in metres. */
struct synth_pose synth_pose_walking(const struct synth_build *build, struct synth_stream *stream, double metres);

/* What somebody does: a pose every other second or so, and walks between spots around a place. */
struct synth_motion {
    uint32_t key; /* of random numbers */
    struct synth_vector place, facing;
    double seat; /* its height; 0: none */
    double room; /* for walks: how far spots may be from the place */
};

struct synth_stance {
    struct synth_pose pose;
    struct synth_vector place, facing; /* on the floor; a horizontal direction of unit length */
};

struct synth_stance synth_motion_at(const struct synth_motion *motion, const struct synth_build *build, double seconds);

#define SYNTH_POSE_SECONDS 1.7

/* The joints of a person in a pose. */

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
