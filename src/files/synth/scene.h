/* Scenes: vectors, the parts of bodies, and rooms as solids. Lengths in metres; x to the right, y up, z away, the floor
 * at y = 0. */
#ifndef SHW_FILES_SYNTH_SCENE_H
#define SHW_FILES_SYNTH_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/dataset.h>

struct synth_vector {
    double x, y, z;
};

static inline struct synth_vector synth_vector(double x, double y, double z)
{
    return (struct synth_vector){x, y, z};
}

static inline struct synth_vector synth_add(struct synth_vector a, struct synth_vector b)
{
    return synth_vector(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct synth_vector synth_subtract(struct synth_vector a, struct synth_vector b)
{
    return synth_vector(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline struct synth_vector synth_scale(struct synth_vector a, double factor)
{
    return synth_vector(a.x * factor, a.y * factor, a.z * factor);
}

static inline double synth_dot(struct synth_vector a, struct synth_vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct synth_vector synth_cross(struct synth_vector a, struct synth_vector b)
{
    return synth_vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

struct synth_vector synth_normalise(struct synth_vector a);

/* Sine and cosine of an angle in turns (1 is a full circle), by polynomials: at most 1e-6 off. */
void synth_sine_cosine(double turns, double *sine, double *cosine);

/* The parts of people's bodies: the 25 of the Kinect trees that the Point Cloud Library publishes, with their numbers,
 * so that their forests and ours can be compared. Left and right are the person's own. */

enum synth_part {
    SYNTH_LEFT_FOOT,
    SYNTH_LEFT_LEG,
    SYNTH_LEFT_KNEE,
    SYNTH_LEFT_THIGH,
    SYNTH_RIGHT_FOOT,
    SYNTH_RIGHT_LEG,
    SYNTH_RIGHT_KNEE,
    SYNTH_RIGHT_THIGH,
    SYNTH_RIGHT_HIPS,
    SYNTH_LEFT_HIPS,
    SYNTH_NECK,
    SYNTH_RIGHT_ARM,
    SYNTH_RIGHT_ELBOW,
    SYNTH_RIGHT_FOREARM,
    SYNTH_RIGHT_HAND,
    SYNTH_LEFT_ARM,
    SYNTH_LEFT_ELBOW,
    SYNTH_LEFT_FOREARM,
    SYNTH_LEFT_HAND,
    SYNTH_FACE_LEFT_BOTTOM,
    SYNTH_FACE_RIGHT_BOTTOM,
    SYNTH_FACE_LEFT_TOP,
    SYNTH_FACE_RIGHT_TOP,
    SYNTH_RIGHT_CHEST,
    SYNTH_LEFT_CHEST,
    SYNTH_PART_COUNT
};

/* Names and colours of the parts in the order of their numbers, then of what is no person. */
extern const struct shw_class synth_part_classes[SYNTH_PART_COUNT + 1];

/* The part on the other side of the body; the neck's is itself. */
enum synth_part synth_part_mirrored(enum synth_part part);

/* How planes divide a solid into parts: parts[i][j], where i and j say whether a point is beyond the first and the
 * second plane, dot(normal, point) > at. */
struct synth_parting {
    struct {
        struct synth_vector normal;
        double at;
    } planes[2];
    uint8_t parts[2][2];
};

enum synth_part synth_part_at(const struct synth_parting *parting, struct synth_vector point);

struct synth_parting synth_parting_whole(enum synth_part part);

/* `parts`: parts[0][0], parts[0][1], parts[1][0], parts[1][1]. */
struct synth_parting synth_parting_corner(const enum synth_part parts[4], struct synth_vector first,
                                          struct synth_vector first_normal, struct synth_vector second,
                                          struct synth_vector second_normal);
/* Both planes through one point; left below, left above, right below, right above. */
struct synth_parting synth_parting_quarters(const enum synth_part parts[4], struct synth_vector point,
                                            struct synth_vector right, struct synth_vector up);

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

/* A rounded cone: the hull of two balls, the `second` of which may have another size, stretched along three directions
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

/* Rays against bodies, and the patterns of surfaces. */

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
