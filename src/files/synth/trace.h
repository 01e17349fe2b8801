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

/* Acceleration of rays: the bodies that rays from a point may hit, by direction. All rays of a scene start at its eye
 * or end at one of its lights, and few bodies are near any of them. */

#define SYNTH_SIGHT_CELLS 24u /* across and up a window */

/* A pyramid of directions: those from -wide to wide along `right` and from -tall to tall along `up` for 1 along
 * `forward`, in cells. The vectors are right-handed: right x up is about forward. */
struct synth_window {
    struct synth_vector from, forward, right, up;
    double wide, tall;
    struct synth_set cells[SYNTH_SIGHT_CELLS][SYNTH_SIGHT_CELLS]; /* [up][right] */
};

struct synth_sight {
    struct synth_window eye;
    struct synth_window lights[SYNTH_LIGHTS_MAX]
                              [6]; /* -x, x, -y, y, -z, z; without bodies that glow, which cast no shadow */
};

/* For images of `aspect`, height over width. */
void synth_sight_make(const struct synth_scene *scene, double aspect, struct synth_sight *sight);

/* The bodies that rays through pixel (x, y), or between light `light` and a point elsewhere, may meet. */
const struct synth_set *synth_sight_of_pixel(const struct synth_sight *sight, uint32_t x, uint32_t y, uint32_t width,
                                             uint32_t height);
const struct synth_set *synth_sight_of_light(const struct synth_sight *sight, uint32_t light,
                                             struct synth_vector point);

#endif
