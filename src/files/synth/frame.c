#include "files/synth/frame.h"

static struct synth_vector mix(struct synth_vector a, double of_a, struct synth_vector b, double of_b)
{
    return synth_add(synth_scale(a, of_a), synth_scale(b, of_b));
}

/* Turns `a` towards `b` and `b` away from `a`. */
static void turn(struct synth_vector *a, struct synth_vector *b, double turns)
{
    struct synth_vector kept = *a;
    double sine, cosine;

    synth_sine_cosine(turns, &sine, &cosine);
    *a = mix(*a, cosine, *b, sine);
    *b = mix(*b, cosine, kept, -sine);
}

struct synth_frame synth_frame_upright(double heading)
{
    return synth_frame_turn((struct synth_frame){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, heading);
}

struct synth_frame synth_frame_bend(struct synth_frame frame, double turns)
{
    turn(&frame.up, &frame.forward, turns);
    return frame;
}

struct synth_frame synth_frame_lean(struct synth_frame frame, double turns)
{
    turn(&frame.up, &frame.right, turns);
    return frame;
}

struct synth_frame synth_frame_turn(struct synth_frame frame, double turns)
{
    turn(&frame.forward, &frame.right, turns);
    return frame;
}

struct synth_vector synth_frame_direction(const struct synth_frame *frame, double x, double y, double z)
{
    return synth_add(mix(frame->right, x, frame->up, y), synth_scale(frame->forward, z));
}

struct synth_vector synth_frame_point(const struct synth_frame *frame, struct synth_vector from, double x, double y,
                                      double z)
{
    return synth_add(from, synth_frame_direction(frame, x, y, z));
}

struct synth_vector synth_frame_inside(const struct synth_frame *frame, struct synth_vector from,
                                       struct synth_vector point)
{
    struct synth_vector to = synth_subtract(point, from);

    return synth_vector(synth_dot(to, frame->right), synth_dot(to, frame->up), synth_dot(to, frame->forward));
}

struct synth_frame synth_frame_along(struct synth_vector up, struct synth_vector forward)
{
    struct synth_vector front;
    double square;

    up = synth_normalise(up);
    front = mix(forward, 1, up, -synth_dot(forward, up));
    square = synth_dot(front, front);
    if (square < 1e-12 * synth_dot(forward, forward) || square == 0) {
        front = up.x * up.x < 0.5 ? synth_vector(1, 0, 0) : synth_vector(0, 0, 1);
        front = mix(front, 1, up, -synth_dot(front, up));
    }
    front = synth_normalise(front);
    /* up x forward is right, with x to the right, y up and z away */
    return (struct synth_frame){synth_cross(up, front), up, front};
}
