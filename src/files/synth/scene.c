/* Rooms with their furniture, lights and cameras; people who walk in them, and heads in front of a webcam. */
#include "files/synth/scene.h"

#include <math.h>

#include "shared/random.h"

/* A person's axes: right, up, forward. */
struct frame {
    struct synth_vector right, up, forward;
};

/* A direction that swings from straight down by `turns` to the front and leans `out` to the side. */
static struct synth_vector limb(const struct frame *frame, double turns, double out)
{
    double sine, cosine;

    synth_sine_cosine(turns, &sine, &cosine);
    return synth_normalise(synth_add(synth_add(synth_scale(frame->up, -cosine), synth_scale(frame->forward, sine)),
                                     synth_scale(frame->right, out)));
}

static struct synth_vector at(struct synth_vector from, struct synth_vector direction, double length)
{
    return synth_add(from, synth_scale(direction, length));
}

struct synth_material synth_cloth(struct synth_stream *stream)
{
    struct synth_material material = {.pattern = SYNTH_PLAIN};

    if (synth_below(stream, 3) == 0)
        material.pattern = synth_below(stream, SYNTH_PATTERN_COUNT);
    material.key = synth_below(stream, 1u << 30);
    material.scale = synth_uniform(stream, 0.04, 0.14);
    material.grain = synth_uniform(stream, 0.05, 0.3);
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++)
            material.colours[i][c] = synth_uniform(stream, 0.05, 0.85);
    return material;
}

struct synth_material synth_skin(struct synth_stream *stream)
{
    double light = synth_uniform(stream, 0.35, 0.95);
    struct synth_material material = {
        .pattern = SYNTH_PLAIN, .key = synth_below(stream, 1u << 30), .scale = 1, .grain = 0.08};

    material.colours[0][0] = light;
    material.colours[0][1] = light * synth_uniform(stream, 0.68, 0.78);
    material.colours[0][2] = light * synth_uniform(stream, 0.52, 0.66);
    return material;
}

/* The arm on one side: `side` is -1 or 1, `swing` the turns to the front. */
static void add_arm(struct synth_scene *scene, const struct frame *frame, struct synth_vector shoulder, double side,
                    double swing, double bend, double out, const struct synth_material *sleeve,
                    const struct synth_material *bare)
{
    struct synth_vector elbow = at(shoulder, limb(frame, swing, side * out), 0.29);
    struct synth_vector wrist = at(elbow, limb(frame, swing + bend, side * (out - 0.1)), 0.25);

    synth_capsule_add(scene, SYNTH_UPPER_ARM, sleeve, shoulder, elbow, 0.055);
    synth_capsule_add(scene, SYNTH_FOREARM, sleeve, elbow, wrist, 0.044);
    synth_capsule_add(scene, SYNTH_HAND, bare, wrist, at(wrist, limb(frame, swing + bend, side * (out - 0.1)), 0.1),
                      0.045);
}

static void add_leg(struct synth_scene *scene, const struct frame *frame, struct synth_vector hip, double swing,
                    double bend, const struct synth_material *trousers, const struct synth_material *shoe)
{
    struct synth_vector knee = at(hip, limb(frame, swing, 0), 0.43);
    struct synth_vector ankle = at(knee, limb(frame, swing - bend, 0), 0.41);

    synth_capsule_add(scene, SYNTH_THIGH, trousers, hip, knee, 0.085);
    synth_capsule_add(scene, SYNTH_SHIN, trousers, knee, ankle, 0.06);
    synth_capsule_add(scene, SYNTH_FOOT, shoe, ankle, at(ankle, limb(frame, swing - bend + 0.25, 0), 0.17), 0.05);
}
/* Appends the person; `phase` of the walk is in turns. */
static void synth_person_add(struct synth_scene *scene, struct synth_stream *stream, struct synth_vector place,
                             double heading, double phase)
{
    struct frame frame = {.up = {0, 1, 0}};
    struct synth_material shirt = synth_cloth(stream), trousers = synth_cloth(stream), bare = synth_skin(stream),
                          shoe = synth_cloth(stream), hair = shoe, sleeve;
    double sine, cosine, swing, stride = synth_uniform(stream, 0.05, 0.1), raised = synth_uniform(stream, 0, 1);
    double lift = raised > 0.75 ? synth_uniform(stream, 0.15, 0.45) : 0, out = synth_uniform(stream, 0.12, 0.45);
    struct synth_vector hip, neck;

    synth_sine_cosine(heading, &sine, &cosine);
    frame.forward = synth_vector(sine, 0, cosine);
    frame.right = synth_vector(cosine, 0, -sine);
    for (int c = 0; c < 3; c++) {
        shoe.colours[0][c] *= 0.3;
        hair.colours[0][c] = 0.25 * bare.colours[0][c] + 0.05;
    }
    hair.pattern = SYNTH_PLAIN;
    sleeve = synth_uniform(stream, 0, 1) < 0.3 ? bare : shirt;
    synth_sine_cosine(phase, &swing, &cosine);
    swing *= stride;

    hip = synth_add(place, synth_vector(0, 0.9 - 0.6 * swing * swing, 0));
    neck = synth_add(hip, synth_vector(0, 0.5, 0));
    for (int side = -1; side <= 1; side += 2) {
        struct synth_vector joint = at(hip, frame.right, 0.09 * side);
        double lifted = -side * cosine;
        add_leg(scene, &frame, joint, -side * swing, lifted > 0 ? 0.09 * lifted : 0.02, &trousers, &shoe);
        synth_capsule_add(scene, SYNTH_TORSO, &shirt, at(joint, frame.up, 0.08),
                          at(at(neck, frame.right, 0.11 * side), frame.up, -0.1), 0.12);
        add_arm(scene, &frame, at(at(neck, frame.right, 0.21 * side), frame.up, -0.04), side,
                side * swing + (side > 0 ? lift : 0), 0.04 + 0.1 * raised, out, &sleeve, &bare);
    }
    synth_capsule_add(scene, SYNTH_HEAD, &bare, neck, at(neck, frame.up, 0.1), 0.05);
    synth_capsule_add(scene, SYNTH_HEAD, &bare, at(neck, frame.up, 0.13), at(neck, frame.up, 0.19), 0.095);
    synth_capsule_add(scene, SYNTH_HEAD, &hair, at(at(neck, frame.up, 0.2), frame.forward, -0.02),
                      at(at(neck, frame.up, 0.15), frame.forward, -0.035), 0.094);
}

#define KEPT_FREE 0.5 /* metres around places that are to be free */

/* A surface of about a given colour; `spread` 0..1: how far it may deviate. */
static struct synth_material surface(struct synth_stream *stream, enum synth_pattern pattern, double red, double green,
                                     double blue, double spread)
{
    const double typical[3] = {red, green, blue};
    double light = synth_uniform(stream, 1 - spread, 1 + spread);
    struct synth_material material = {.pattern = pattern};

    material.key = synth_below(stream, 1u << 30);
    material.scale = synth_uniform(stream, 0.12, 0.5);
    material.grain = synth_uniform(stream, 0.03, 0.25);
    for (int c = 0; c < 3; c++) {
        double value = typical[c] * light + spread * synth_uniform(stream, -0.25, 0.25);
        material.colours[0][c] = value < 0.02 ? 0.02 : value > 0.98 ? 0.98 : value;
        material.colours[1][c] = material.colours[0][c] * synth_uniform(stream, 0.55, 0.9);
    }
    return material;
}

static struct synth_material wood(struct synth_stream *stream)
{
    double light = synth_uniform(stream, 0.35, 1.1);

    return surface(stream, SYNTH_WOOD, 0.62 * light, 0.42 * light, 0.26 * light, 0.2);
}

static struct synth_material fabric(struct synth_stream *stream)
{
    static const enum synth_pattern patterns[] = {SYNTH_PLAIN, SYNTH_PLAIN, SYNTH_STRIPES, SYNTH_CHECKS, SYNTH_SPOTS};

    double blue = synth_uniform(stream, 0.1, 0.8), green = synth_uniform(stream, 0.1, 0.8),
           red = synth_uniform(stream, 0.1, 0.8);
    enum synth_pattern pattern = patterns[synth_below(stream, 5)];

    return surface(stream, pattern, red, green, blue, 0.3);
}

/* A piece of furniture under construction: boxes relative to its position, rotated with it. */
struct builder {
    struct synth_scene *scene;
    struct synth_vector place; /* on the floor */
    double sine, cosine;
    enum synth_class class_number;
};

static void part(const struct builder *builder, const struct synth_material *material, double x, double y, double z,
                 double width, double height, double depth)
{
    struct synth_vector centre = {builder->place.x + builder->cosine * x + builder->sine * z,
                                  builder->place.y + y + height / 2,
                                  builder->place.z + builder->cosine * z - builder->sine * x};

    synth_box_add(builder->scene, builder->class_number, material, centre,
                  synth_vector(width / 2, height / 2, depth / 2), builder->sine, builder->cosine);
}

static void legs(const struct builder *builder, const struct synth_material *material, double width, double depth,
                 double height, double side)
{
    for (int i = 0; i < 4; i++)
        part(builder, material, (i & 1 ? 0.5 : -0.5) * (width - side), 0, (i & 2 ? 0.5 : -0.5) * (depth - side), side,
             height, side);
}

static void add_table(struct builder *builder, struct synth_stream *stream)
{
    struct synth_material material = wood(stream);
    double width = synth_uniform(stream, 0.8, 1.6), depth = synth_uniform(stream, 0.6, 0.9),
           height = synth_uniform(stream, 0.45, 0.76);

    builder->class_number = SYNTH_TABLE;
    legs(builder, &material, width, depth, height, 0.06);
    part(builder, &material, 0, height, 0, width, 0.04, depth);
}

static void add_chair(struct builder *builder, struct synth_stream *stream)
{
    struct synth_material frame = wood(stream), seat = synth_below(stream, 2) ? fabric(stream) : frame;

    builder->class_number = SYNTH_CHAIR;
    legs(builder, &frame, 0.44, 0.44, 0.44, 0.045);
    part(builder, &seat, 0, 0.44, 0, 0.46, 0.05, 0.46);
    part(builder, &seat, 0, 0.62, -0.21, 0.44, synth_uniform(stream, 0.25, 0.4), 0.04);
    part(builder, &frame, -0.2, 0.49, -0.21, 0.04, 0.2, 0.04);
    part(builder, &frame, 0.2, 0.49, -0.21, 0.04, 0.2, 0.04);
}

static void add_sofa(struct builder *builder, struct synth_stream *stream)
{
    struct synth_material material = fabric(stream);
    double width = synth_uniform(stream, 1.3, 2.1);

    builder->class_number = SYNTH_SOFA;
    part(builder, &material, 0, 0.05, 0.05, width, 0.38, 0.75);
    part(builder, &material, 0, 0.05, -0.4, width, synth_uniform(stream, 0.7, 0.9), 0.18);
    part(builder, &material, -width / 2 - 0.08, 0.05, 0, 0.18, 0.58, 0.9);
    part(builder, &material, width / 2 + 0.08, 0.05, 0, 0.18, 0.58, 0.9);
}

static void add_bed(struct builder *builder, struct synth_stream *stream)
{
    struct synth_material frame = wood(stream), cover = fabric(stream),
                          pillow = surface(stream, SYNTH_PLAIN, 0.85, 0.85, 0.82, 0.1);
    double width = synth_uniform(stream, 0.9, 1.6);

    builder->class_number = SYNTH_BED;
    part(builder, &frame, 0, 0.08, 0, width, 0.22, 1.9);
    part(builder, &cover, 0, 0.3, 0.05, width - 0.04, 0.2, 1.8);
    part(builder, &pillow, 0, 0.5, -0.65, width * 0.7, 0.1, 0.4);
    part(builder, &frame, 0, 0.08, -0.98, width, synth_uniform(stream, 0.6, 0.95), 0.06);
}

static void add_shelf(struct builder *builder, struct synth_stream *stream)
{
    struct synth_material frame = wood(stream);
    double width = synth_uniform(stream, 0.6, 1.2), height = synth_uniform(stream, 1.0, 2.0), depth = 0.32;
    uint32_t boards = 3 + synth_below(stream, 3);

    builder->class_number = SYNTH_SHELF;
    part(builder, &frame, -width / 2, 0, 0, 0.03, height, depth);
    part(builder, &frame, width / 2, 0, 0, 0.03, height, depth);
    part(builder, &frame, 0, 0, -depth / 2, width, height, 0.02);
    for (uint32_t b = 0; b <= boards; b++)
        part(builder, &frame, 0, b * (height - 0.03) / boards, 0, width, 0.03, depth);
    for (uint32_t b = 0; b < boards; b++)
        for (double x = -width / 2 + 0.08; x < width / 2 - 0.1 && synth_below(stream, 8) != 0;) {
            struct synth_material book = fabric(stream);
            double thickness = synth_uniform(stream, 0.08, 0.2);
            part(builder, &book, x + thickness / 2, b * (height - 0.03) / boards + 0.03, 0, thickness,
                 0.7 * height / boards, 0.22);
            x += thickness + 0.01;
        }
}

static void add_lamp(struct builder *builder, struct synth_stream *stream)
{
    struct synth_material pole = surface(stream, SYNTH_PLAIN, 0.3, 0.3, 0.32, 0.3),
                          shade = surface(stream, SYNTH_PLAIN, 0.9, 0.8, 0.55, 0.15);
    struct synth_vector top = synth_add(builder->place, synth_vector(0, synth_uniform(stream, 1.3, 1.7), 0));

    shade.glow = 0.5;
    synth_capsule_add(builder->scene, SYNTH_LAMP, &pole, builder->place, top, 0.02);
    synth_capsule_add(builder->scene, SYNTH_LAMP, &shade, top, synth_add(top, synth_vector(0, 0.14, 0)), 0.16);
}

/* Furniture stands with its back to a wall: at `along` (0..1) of wall 0..3, `out` from it. */
static struct builder stand(struct synth_scene *scene, uint32_t wall, double along, double out)
{
    static const double sines[] = {-1, 1, 0, 0}, cosines[] = {0, 0, -1, 1}; /* facing -x, +x, -z, +z */
    struct synth_vector room = scene->room;
    struct builder builder = {.scene = scene, .sine = sines[wall], .cosine = cosines[wall]};

    if (wall < 2)
        builder.place = synth_vector(wall == 0 ? room.x - out : out, 0, along * room.z);
    else
        builder.place = synth_vector(along * room.x, 0, wall == 2 ? room.z - out : out);
    return builder;
}

/* Whether a box is less than half a metre from a place that is to be free. */
static bool crowds(const struct synth_scene *scene, const struct synth_body *body)
{
    for (uint32_t i = 0; i < scene->kept_free_count; i++) {
        struct synth_vector to = synth_subtract(scene->kept_free[i], body->centre);
        double across = body->cosine * to.x - body->sine * to.z, along = body->sine * to.x + body->cosine * to.z;
        if (across < body->half.x + KEPT_FREE && across > -body->half.x - KEPT_FREE &&
            along < body->half.z + KEPT_FREE && along > -body->half.z - KEPT_FREE)
            return true;
    }
    return false;
}

/* Removes the bodies from number `first` if one of them is where none may be. */
static void keep_free(struct synth_scene *scene, uint32_t first)
{
    for (uint32_t i = first; i < scene->body_count; i++)
        if (crowds(scene, &scene->bodies[i]))
            scene->body_count = first;
}

void synth_furniture_add(struct synth_scene *scene, struct synth_stream *stream)
{
    static void (*const kinds[])(struct builder *, struct synth_stream *) = {add_sofa,  add_bed,  add_shelf,
                                                                             add_table, add_lamp, add_chair};
    static const double outs[] = {0.55, 1.05, 0.2, 0.55, 0.35, 0.5};
    uint32_t slots;

    stream->next = 4096; /* it does not depend on whether there is a person */
    slots = 5 + synth_below(stream, 3);
    for (uint32_t i = 0; i < slots; i++) {
        uint32_t kind = synth_below(stream, 6), wall = i % 3; /* the camera stands at wall 3 */
        double along = synth_uniform(stream, 0.1, 0.3) + (i / 3 % 3) * 0.3;
        struct builder builder = stand(scene, wall, along, outs[kind]);
        uint32_t before = scene->body_count;
        kinds[kind](&builder, stream);
        keep_free(scene, before);
    }
    for (uint32_t i = synth_below(stream, 3); i > 0; i--) { /* in the middle */
        struct builder builder = {.scene = scene};
        uint32_t before = scene->body_count;
        synth_sine_cosine(synth_uniform(stream, 0, 1), &builder.sine, &builder.cosine);
        builder.place.z = scene->room.z * synth_uniform(stream, 0.55, 0.8);
        builder.place.x = scene->room.x * synth_uniform(stream, 0.25, 0.75);
        (synth_below(stream, 2) ? add_chair : add_table)(&builder, stream);
        keep_free(scene, before);
    }
}

/* Flat things on walls: `low` and `high` are the range of the height of their centre. */
static void hang(struct synth_scene *scene, enum synth_class class_number, const struct synth_material *material,
                 uint32_t wall, double along, double height, double width, double tall)
{
    struct builder builder = stand(scene, wall, along, 0);

    builder.class_number = class_number;
    part(&builder, material, 0, height - tall / 2, 0, width, tall, 0.05);
}

static void add_openings(struct synth_scene *scene, struct synth_stream *stream)
{
    struct synth_material door = wood(stream), frame = surface(stream, SYNTH_PLAIN, 0.9, 0.9, 0.88, 0.1);
    uint32_t window_wall = synth_below(stream, 3), door_wall = (window_wall + 1 + synth_below(stream, 2)) % 3;
    double along = synth_uniform(stream, 0.3, 0.7), width = synth_uniform(stream, 0.9, 1.6);
    struct synth_material sky = surface(stream, SYNTH_PLAIN, 0.75, 0.85, 0.98, 0.15);

    sky.glow = synth_uniform(stream, 0.5, 1.0);
    hang(scene, SYNTH_WINDOW, &sky, window_wall, along, 1.5, width, 1.1);
    for (int i = -1; i <= 1; i++) {
        struct builder builder = stand(scene, window_wall, along, 0);
        builder.class_number = SYNTH_WINDOW;
        part(&builder, &frame, i * width / 2, 0.95, 0, 0.06, 1.1, 0.09);
    }
    hang(scene, SYNTH_DOOR, &door, door_wall, synth_uniform(stream, 0.2, 0.8), 1.02, 0.9, 2.04);
    for (uint32_t i = 1 + synth_below(stream, 3); i > 0; i--) {
        struct synth_material picture = fabric(stream);
        double tall = synth_uniform(stream, 0.3, 0.7), wide = synth_uniform(stream, 0.3, 0.9);
        double height = synth_uniform(stream, 1.4, 1.8), place = synth_uniform(stream, 0.15, 0.85);
        hang(scene, SYNTH_PICTURE, &picture, synth_below(stream, 3), place, height, wide, tall);
    }
}

static void make_room(struct synth_scene *scene, struct synth_stream *stream)
{
    static const enum synth_pattern floors[] = {SYNTH_WOOD, SYNTH_WOOD, SYNTH_TILES, SYNTH_CHECKS, SYNTH_PLAIN};
    static const enum synth_pattern papers[] = {SYNTH_PLAIN,   SYNTH_PLAIN,  SYNTH_PLAIN,
                                                SYNTH_STRIPES, SYNTH_BRICKS, SYNTH_SPOTS};
    double light = synth_uniform(stream, 0.5, 0.95), blue = light * synth_uniform(stream, 0.75, 1.05),
           green = light * synth_uniform(stream, 0.85, 1.05);
    struct synth_material wall = surface(stream, papers[synth_below(stream, 6)], light, green, blue, 0.15);

    scene->room.z = synth_uniform(stream, 4.2, 6.2);
    scene->room.y = synth_uniform(stream, 2.4, 2.9);
    scene->room.x = synth_uniform(stream, 3.4, 5.6);
    scene->floor = surface(stream, floors[synth_below(stream, 5)], 0.5, 0.4, 0.3, 0.45);
    scene->ceiling = surface(stream, SYNTH_PLAIN, 0.9, 0.9, 0.88, 0.08);
    for (int c = 0; c < 3; c++) /* wallpapers have subtle patterns */
        wall.colours[1][c] = 0.6 * wall.colours[0][c] + 0.4 * wall.colours[1][c];
    for (int i = 0; i < 4; i++)
        scene->walls[i] = wall;
    if (synth_below(stream, 3) == 0) {
        blue = synth_uniform(stream, 0.3, 0.9);
        green = synth_uniform(stream, 0.3, 0.9);
        scene->walls[2] = surface(stream, SYNTH_PLAIN, synth_uniform(stream, 0.3, 0.9), green, blue, 0.2);
    }
}

static void make_lights(struct synth_scene *scene, struct synth_stream *stream)
{
    double warm = synth_uniform(stream, 0.75, 1.05), power = synth_uniform(stream, 1.6, 3.4);

    scene->light_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        struct synth_vector *position = &scene->lights[i].position;
        position->z = scene->room.z * (i == 0 ? synth_uniform(stream, 0.3, 0.7) : synth_uniform(stream, 0.1, 0.9));
        position->y = i == 0 ? scene->room.y - 0.15 : synth_uniform(stream, 1.2, 2.2);
        position->x = scene->room.x * (i == 0 ? synth_uniform(stream, 0.3, 0.7) : synth_uniform(stream, 0.05, 0.95));
        scene->lights[i].power[0] = power;
        scene->lights[i].power[1] = power * (0.6 + 0.4 * warm);
        scene->lights[i].power[2] = power * (0.2 + 0.8 * warm);
        power *= synth_uniform(stream, 0.15, 0.5);
    }
    for (int c = 0; c < 3; c++)
        scene->ambient[c] = synth_uniform(stream, 0.16, 0.3);
}

static void make_camera(struct synth_scene *scene, struct synth_stream *stream, double seconds)
{
    double drift = synth_uniform(stream, -0.02, 0.02), sine, cosine, yaw, pitch;
    struct synth_vector flat;

    scene->eye.z = 0.35;
    scene->eye.y = synth_uniform(stream, 1.2, 1.75);
    scene->eye.x = scene->room.x * synth_uniform(stream, 0.35, 0.65) + 3 * drift * seconds;
    if (scene->eye.x < 0.25 * scene->room.x) /* where no furniture is as high as the eye */
        scene->eye.x = 0.25 * scene->room.x;
    if (scene->eye.x > 0.75 * scene->room.x)
        scene->eye.x = 0.75 * scene->room.x;
    yaw = synth_uniform(stream, -0.05, 0.05) + drift * seconds;
    pitch = synth_uniform(stream, 0.0, 0.04);
    synth_sine_cosine(yaw, &sine, &cosine);
    flat = synth_vector(sine, 0, cosine);
    scene->right = synth_vector(cosine, 0, -sine);
    synth_sine_cosine(pitch, &sine, &cosine);
    scene->forward = synth_add(synth_scale(flat, cosine), synth_vector(0, -sine, 0));
    scene->up = synth_add(synth_scale(flat, sine), synth_vector(0, cosine, 0));
    scene->field = synth_uniform(stream, 0.55, 0.75);
    scene->exposure = synth_uniform(stream, 0.8, 1.25);
    scene->vignetting = synth_uniform(stream, 0.0, 0.3);
}

struct synth_stream synth_room_make(uint64_t seed, uint32_t frame, double seconds, struct synth_scene *scene)
{
    struct synth_stream stream = {shw_random((uint32_t)seed, (uint32_t)(seed >> 32), 1), 0};

    *scene = (struct synth_scene){.noise_key = shw_random((uint32_t)seed, (uint32_t)(seed >> 32), 2 + frame),
                                  .body_limit = SYNTH_ROOM_BODIES_MAX};
    make_room(scene, &stream);
    make_lights(scene, &stream);
    make_camera(scene, &stream, seconds);
    add_openings(scene, &stream);
    return stream;
}

void synth_scene_make(uint64_t seed, uint32_t frame, bool empty, struct synth_scene *scene)
{
    double seconds = frame * SYNTH_FRAME_SECONDS, heading, sine, cosine, phase;
    struct synth_stream stream = synth_room_make(seed, frame, seconds, scene);
    struct synth_vector place;

    heading = synth_uniform(&stream, 0, 1);
    phase = synth_uniform(&stream, 0, 1);
    place = synth_add(scene->eye, synth_scale(scene->forward, synth_uniform(&stream, 1.9, 3.2)));
    place = synth_add(place, synth_scale(scene->right, synth_uniform(&stream, -0.7, 0.7)));
    synth_sine_cosine(heading, &sine, &cosine);
    place.x += sine * seconds * 1.1;
    place.y = 0;
    place.z += cosine * seconds * 1.1;
    if (!empty)
        synth_person_add(scene, &stream, place, heading, phase + seconds * 0.9);
    synth_furniture_add(scene, &stream);
}

/* The person rests for a fifth of the time. */
#define CYCLE_SECONDS  2.5
#define MOVING_SECONDS 2.0

/* The seconds of motion before time `seconds`. */
static double moving_time(double seconds)
{
    double cycles = (uint32_t)(seconds / CYCLE_SECONDS), within = seconds - cycles * CYCLE_SECONDS;

    return cycles * MOVING_SECONDS + (within < MOVING_SECONDS ? within : MOVING_SECONDS);
}

static double swing(struct synth_stream *stream, double reach, double time)
{
    double speed = synth_uniform(stream, 0.3, 0.7), sine, cosine;

    reach *= synth_uniform(stream, 0.6, 1.2);
    synth_sine_cosine(synth_uniform(stream, 0, 1) + speed * time, &sine, &cosine);
    return reach * sine;
}

/* Appends the person or a figure, both drawn from the same distribution; `across` is the position in half image widths.
 */
static void sit(struct synth_scene *scene, struct synth_stream *stream, double across, bool figure, double time)
{
    double distance = synth_uniform(stream, 1.0, 1.9), heading = synth_uniform(stream, 0.38, 0.62);
    double height = synth_uniform(stream, -1.65, -1.5), sway = swing(stream, 0.1, time);
    struct synth_vector place = synth_add(scene->eye, synth_scale(scene->forward, distance)), nod;
    uint32_t first = scene->body_count;

    place = synth_add(place, synth_scale(scene->right, across * scene->field * distance + sway));
    place = synth_add(place, synth_scale(scene->forward, swing(stream, 0.06, time)));
    place.y += height;
    heading += swing(stream, 0.04, time);
    nod = synth_scale(scene->right, swing(stream, 0.04, time));
    nod = synth_add(nod, synth_scale(scene->forward, swing(stream, 0.03, time)));
    synth_person_add(scene, stream, place, heading, synth_uniform(stream, 0, 1) + 0.4 * time);
    for (struct synth_body *body = &scene->bodies[first]; body < &scene->bodies[scene->body_count]; body++) {
        if (body->class_number == SYNTH_HEAD) {
            body->first = synth_add(body->first, nod);
            body->centre = synth_add(body->centre, nod);
        }
        body->class_number = figure ? SYNTH_PICTURE : body->class_number;
    }
}

void synth_heads_make(uint64_t seed, uint32_t frame, bool empty, struct synth_scene *scene)
{
    double seconds = frame * SYNTH_FRAME_SECONDS, lamp;
    struct synth_stream stream = synth_room_make(seed, frame, 0, scene);
    double time = moving_time(seconds + synth_uniform(&stream, 0, CYCLE_SECONDS));
    uint32_t seat = synth_below(&stream, 3);

    for (uint32_t i = 0; i < 3; i++) {
        bool figure = i != seat;
        stream.next = 256 * (i + 1);
        if (figure ? synth_below(&stream, 4) != 0 : !empty)
            sit(scene, &stream, (i - 1.0) * 0.65, figure, figure ? 0 : time);
    }
    stream.next = 2048;
    scene->exposure *= 1 + swing(&stream, 0.08, seconds);
    lamp = 1 + swing(&stream, 0.4, seconds);
    for (int c = 0; c < 3; c++)
        scene->lights[1].power[c] *= lamp;
    synth_furniture_add(scene, &stream);
}
