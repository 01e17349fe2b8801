/* A webcam's view: a person who sits in front of the camera and moves, and lifelike figures that do not move. */
#include "files/synth/scene.h"

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
