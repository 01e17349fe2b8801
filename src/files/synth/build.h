/* The measures of a person's body, in metres. */
#ifndef SHW_FILES_SYNTH_BUILD_H
#define SHW_FILES_SYNTH_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "files/synth/scene.h"

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
double synth_build_arm(const struct synth_build *build);

#endif
