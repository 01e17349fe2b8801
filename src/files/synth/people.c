/* A depth camera's view of one or two people in a room: bodies of many shapes in many poses. */
#include <math.h>

#include "files/synth/body_shape.h"
#include "files/synth/pose.h"
#include "files/synth/scene.h"
#include "shared/random.h"

#define PEOPLE_MAX 2u

/* Numbers for streams of their own, beyond those of the noise of frames. */
enum { CAMERA = 0x7fffff00, PERSON };

struct person {
    struct synth_build build;
    struct synth_motion motion;
    bool has_back; /* the seat */
};

static struct synth_stream stream_of(uint64_t seed, uint32_t what)
{
    return (struct synth_stream){shw_random((uint32_t)seed, (uint32_t)(seed >> 32), what), 0};
}

static double limited(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* A point on the floor so far from the camera; `across` is in half image widths. */
static struct synth_vector spot(const struct synth_scene *scene, double distance, double across)
{
    struct synth_vector place = {scene->eye.x + across * scene->field * distance, 0, scene->eye.z + distance};

    place.x = limited(place.x, 0.45, scene->room.x - 0.45);
    place.z = limited(place.z, scene->eye.z + 1.15, scene->room.z - 0.5);
    return place;
}

static struct person make_person(uint64_t seed, uint32_t number, const struct synth_scene *scene,
                                 struct synth_vector place, bool is_alone)
{
    struct synth_stream stream = stream_of(seed, PERSON + number);
    struct person person = {.build = synth_build_make(&stream), .motion = {.key = stream.key, .place = place}};
    double any = synth_uniform(&stream, -0.5, 0.5), turns = synth_below(&stream, 3) == 0 ? any : 0.3 * any;
    struct synth_vector to_eye = synth_subtract(scene->eye, place);
    struct synth_frame frame;

    to_eye.y = 0;
    frame = synth_frame_turn(synth_frame_along(synth_vector(0, 1, 0), to_eye), turns);
    person.motion.facing = frame.forward;
    if (synth_below(&stream, 4) == 0)
        person.motion.seat = person.build.shin * synth_uniform(&stream, 0.85, 1.2);
    person.motion.room = is_alone ? synth_uniform(&stream, 0.2, 0.7) : 0.15;
    person.has_back = synth_below(&stream, 2) == 0;
    return person;
}

/* Places of one or two people: the second one often behind or before the first. */
static uint32_t place_people(const struct synth_scene *scene, struct synth_stream *stream,
                             struct synth_vector places[PEOPLE_MAX])
{
    double far = scene->room.z - scene->eye.z - 0.5, distance, across, other, beside;

    far = far > 4.5 ? 4.5 : far;
    distance = synth_uniform(stream, 1.25, far);
    across = synth_uniform(stream, -0.55, 0.55);
    if (synth_below(stream, 6) == 0) /* at the border of the image */
        across += across < 0 ? -0.45 : 0.45;
    places[0] = spot(scene, distance, across);
    other = distance + (distance < 0.5 * far + 0.6 ? 1 : -1) * synth_uniform(stream, 0.75, 1.6);
    beside = synth_uniform(stream, -0.3, 0.3);
    if (synth_below(stream, 3) == 0)
        beside *= 3;
    places[1] = spot(scene, limited(other, 1.25, far), limited(across + beside, -0.9, 0.9));
    return synth_below(stream, 3) == 0 ? 2 : 1;
}

/* Turns the camera to a point. */
static void look_at(struct synth_scene *scene, struct synth_vector point)
{
    struct synth_vector to = synth_subtract(point, scene->eye);
    struct synth_frame frame = synth_frame_along(to, synth_vector(0, 1, 0));

    scene->forward = frame.up;
    scene->up = frame.forward;
    scene->right = synth_cross(scene->up, scene->forward);
}

/* A seat is a stool or a chair with a back. */
static void add_seat(struct synth_scene *scene, const struct person *person, const struct synth_material *material)
{
    const struct synth_motion *motion = &person->motion;
    double half = 0.17, sine = motion->facing.x, cosine = motion->facing.z, high = motion->seat;
    struct synth_frame frame = synth_frame_along(synth_vector(0, 1, 0), motion->facing);

    synth_box_add(scene, SYNTH_CHAIR, material, synth_frame_point(&frame, motion->place, 0, high - 0.025, 0.03),
                  synth_vector(half + 0.03, 0.025, half), sine, cosine);
    for (int i = 0; i < 4; i++)
        synth_box_add(scene, SYNTH_CHAIR, material,
                      synth_frame_point(&frame, motion->place, (i & 1 ? 1 : -1) * (half - 0.02), 0.5 * high,
                                        0.03 + (i & 2 ? 1 : -1) * (half - 0.02)),
                      synth_vector(0.02, 0.5 * high, 0.02), sine, cosine);
    if (person->has_back)
        synth_box_add(scene, SYNTH_CHAIR, material, synth_frame_point(&frame, motion->place, 0, high + 0.25, -0.24),
                      synth_vector(half, 0.25, 0.02), sine, cosine);
}

void synth_people_make(uint64_t seed, uint32_t frame, bool empty, struct synth_scene *scene)
{
    struct synth_stream camera = stream_of(seed, CAMERA);
    double seconds = frame * SYNTH_FRAME_SECONDS + synth_uniform(&camera, 0, 8 * SYNTH_POSE_SECONDS), aim, slope;
    struct synth_vector places[PEOPLE_MAX], point;
    uint32_t count;

    synth_room_make(seed, frame, 0, scene);
    scene->body_limit = SYNTH_BODIES_MAX;
    scene->field = synth_uniform(&camera, 0.5, 0.6);
    scene->eye.y = synth_uniform(&camera, 0.5, 2.2);
    count = place_people(scene, &camera, places);
    aim = synth_uniform(&camera, 0.5, 1.25);
    slope = limited((aim - scene->eye.y) / (places[0].z - scene->eye.z), -0.5, 0.35);
    point = synth_add(scene->eye, synth_vector(synth_uniform(&camera, -0.12, 0.12), slope, 1));
    look_at(scene, point);
    for (uint32_t i = 0; i < count && !empty; i++) {
        struct person person = make_person(seed, i, scene, places[i], count == 1);
        struct synth_stance stance = synth_motion_at(&person.motion, &person.build, seconds);
        struct synth_skeleton skeleton = synth_skeleton_make(&person.build, &stance);
        synth_body_shape_add(scene, &person.build, &skeleton);
        if (person.motion.seat > 0)
            add_seat(scene, &person, &person.build.shoe);
        scene->kept_free[scene->kept_free_count++] = places[i];
    }
    synth_furniture_add(scene, &camera);
}
