/* Rays against bodies, and the patterns of surfaces. */
#ifndef SHW_FILES_SYNTH_TRACE_H
#define SHW_FILES_SYNTH_TRACE_H

#include "files/synth/scene.h"

/* The first hit of a ray. */
struct synth_hit {
    double distance; /* in multiples of the direction's length */
    struct synth_vector point, normal;
    double u, v; /* of the material's pattern, metres */
    enum synth_class class_number;
    const struct synth_material *material;
    const struct synth_body *body; /* NULL: the room */
};

/* The nearest hit among a set of bodies and the room; a ray from inside the room always has one. */
struct synth_hit synth_trace(const struct synth_scene *scene, const struct synth_set *among, struct synth_vector origin,
                             struct synth_vector direction);

/* Whether a body of a set is between two points. Bodies that glow do not count. */
bool synth_blocked(const struct synth_scene *scene, const struct synth_set *among, struct synth_vector from,
                   struct synth_vector to);

/* The material's colour at (u, v). */
void synth_colour(const struct synth_material *material, double u, double v, double colour[3]);

#endif
