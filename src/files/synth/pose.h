/* How people hold themselves, and how that changes with time. */
#ifndef SHW_FILES_SYNTH_POSE_H
#define SHW_FILES_SYNTH_POSE_H

#include "files/synth/build.h"
#include "files/synth/frame.h"

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

/* Part `share` of the way from one pose to another. */
struct synth_pose synth_pose_between(const struct synth_pose *from, const struct synth_pose *to, double share);

/* A random pose, at `seconds` into it, for those with movement. */
struct synth_pose synth_pose_make(struct synth_stream *stream, double seconds);
/* On a seat of a height in metres that stands at the place, or in front of it. */
struct synth_pose synth_pose_sitting(const struct synth_build *build, struct synth_stream *stream, double seat,
                                     double seconds);
/* A walk, after so many metres. */
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

#endif
