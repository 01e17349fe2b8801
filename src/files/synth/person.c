/* A walking person made of capsules. */
#include "files/synth/scene.h"

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

void synth_person_add(struct synth_scene *scene, struct synth_stream *stream, struct synth_vector place, double heading,
                      double phase)
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
