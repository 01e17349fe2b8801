/* A scene as solid bodies. Lengths in metres; x to the right, y up, z away, the floor at y = 0. */
#ifndef SHW_FILES_SYNTH_SCENE_H
#define SHW_FILES_SYNTH_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "files/synth/part.h"
#include "files/synth/vector.h"

/* Consecutive random numbers, for one scene. At most one draw per expression or initialiser: the order of several is
 * unspecified in C. */
struct synth_stream {
    uint32_t key, next;
};
double synth_uniform(struct synth_stream *stream, double low, double high);
uint32_t synth_below(struct synth_stream *stream, uint32_t bound);

enum synth_class {
    SYNTH_FLOOR,
    SYNTH_WALL,
    SYNTH_CEILING,
    SYNTH_WINDOW,
    SYNTH_DOOR,
    SYNTH_PICTURE,
    SYNTH_TABLE,
    SYNTH_CHAIR,
    SYNTH_SOFA,
    SYNTH_BED,
    SYNTH_SHELF,
    SYNTH_LAMP,
    SYNTH_HEAD,
    SYNTH_TORSO,
    SYNTH_UPPER_ARM,
    SYNTH_FOREARM,
    SYNTH_HAND,
    SYNTH_THIGH,
    SYNTH_SHIN,
    SYNTH_FOOT,
    SYNTH_CLASS_COUNT
};

enum synth_pattern {
    SYNTH_PLAIN,
    SYNTH_STRIPES,
    SYNTH_CHECKS,
    SYNTH_WOOD,
    SYNTH_TILES,
    SYNTH_BRICKS,
    SYNTH_SPOTS,
    SYNTH_PATTERN_COUNT
};

struct synth_material {
    enum synth_pattern pattern;
    uint32_t key;         /* of its noise */
    double colours[2][3]; /* 0..1 */
    double scale;         /* metres per repetition */
    double grain;         /* strength of its noise */
    double glow;          /* emitted light */
};

enum synth_shape { SYNTH_BOX, SYNTH_CAPSULE, SYNTH_CONE };

/* A rounded cone: the hull of two balls, of which the `second` may be of another size, stretched along three directions
 * at right angles. With both ends at one point it is an ellipsoid. */
struct synth_cone {
    struct synth_vector first, second;
    double radii[2];
    struct synth_vector directions[3]; /* of unit length */
    double stretches[3];               /* above 0 */
};

struct synth_body {
    enum synth_shape shape;
    enum synth_class class_number;
    struct synth_material material;
    struct synth_vector centre; /* box: middle; capsule: middle of its axis */
    double radius;              /* of the bounding sphere */
    struct synth_vector half;   /* box: half sides */
    double sine, cosine;        /* box: turned around y */
    struct synth_vector axis;   /* capsule and cone: from its first end to its second */
    struct synth_vector first;
    double thickness;                     /* capsule: radius; cone: of the first end */
    double growth;                        /* cone: by which the second radius is larger */
    struct synth_vector spans[3], map[3]; /* cone: the directions times their stretches, and through them */
    bool has_parts;                       /* of a person's body */
    struct synth_parting parting;
};

#define SYNTH_BODIES_MAX      256u
#define SYNTH_ROOM_BODIES_MAX 160u /* of the scenes that have no people with parts */
#define SYNTH_LIGHTS_MAX      3u

/* A set of a scene's bodies by number: bit n % 64 of word n / 64. */
struct synth_set {
    uint64_t words[(SYNTH_BODIES_MAX + 63) / 64];
};

struct synth_scene {
    struct synth_vector room; /* inside: 0..room.x, 0..room.y, 0..room.z */
    struct synth_material walls[4], floor, ceiling;
    struct synth_body bodies[SYNTH_BODIES_MAX];
    uint32_t body_count, body_limit;
    struct {
        struct synth_vector position;
        double power[3];
    } lights[SYNTH_LIGHTS_MAX];
    uint32_t light_count;
    struct synth_vector kept_free[2]; /* places on the floor that furniture keeps away from */
    uint32_t kept_free_count;
    double ambient[3];
    struct synth_vector eye, forward, right, up;
    double field; /* tangent of half the horizontal field of view */
    double exposure, vignetting;
    uint32_t noise_key;
};

#define SYNTH_FRAME_SECONDS (1.0 / 15)

/* Scene number `seed` at `frame` of its motion: a room in which a person walks, or heads in front of a
 * camera that does not move. Heads that do not move have the class SYNTH_PICTURE, like their bodies. */
void synth_scene_make(uint64_t seed, uint32_t frame, bool empty, struct synth_scene *scene);
void synth_heads_make(uint64_t seed, uint32_t frame, bool empty, struct synth_scene *scene);

/* A depth camera's view of one or two people, whose bodies have parts, in motion. Everything of theirs, of the camera
 * and of the time comes from the seed. */
void synth_people_make(uint64_t seed, uint32_t frame, bool empty, struct synth_scene *scene);

/* Begin a scene: the empty room, its lights and the camera after `seconds` of motion. Returns the stream for the
 * positions of everything else. Furniture is added last. */
struct synth_stream synth_room_make(uint64_t seed, uint32_t frame, double seconds, struct synth_scene *scene);
void synth_furniture_add(struct synth_scene *scene, struct synth_stream *stream);

/* Appends the person; `phase` of the walk is in turns. */
void synth_person_add(struct synth_scene *scene, struct synth_stream *stream, struct synth_vector place, double heading,
                      double phase);

/* Clothes and skin of random colours. */
struct synth_material synth_cloth(struct synth_stream *stream);
struct synth_material synth_skin(struct synth_stream *stream);

/* Appends bodies; those beyond the scene's limit are dropped. `parting`: NULL where it is no part of a person. */
void synth_box_add(struct synth_scene *scene, enum synth_class class_number, const struct synth_material *material,
                   struct synth_vector centre, struct synth_vector half, double sine, double cosine);
void synth_capsule_add(struct synth_scene *scene, enum synth_class class_number, const struct synth_material *material,
                       struct synth_vector first, struct synth_vector second, double thickness);
void synth_cone_add(struct synth_scene *scene, enum synth_class class_number, const struct synth_material *material,
                    const struct synth_cone *cone, const struct synth_parting *parting);

#endif
