#include "files/synth/pose.h"

#include <math.h>
#include <stddef.h>

#include "shared/random.h"

#define NUMBERS (sizeof(struct synth_pose) / sizeof(double))

/* Low and high ends. */
struct range {
    double low, high;
};

static double draw(struct synth_stream *stream, struct range range)
{
    return synth_uniform(stream, range.low, range.high);
}

/* Where arms are in the poses that people strike. */
enum arm { HANGING, FORWARD, UP, SIDEWAYS, CROSSED, AT_HEAD, AT_CHIN, AT_HIP, BEHIND, ON_THIGH, WAVING, ANYWHERE };

static const struct {
    struct range hand[3];
    double elbow[3];
    struct range wrist, fingers;
} arms[] = {
    [HANGING] = {{{0.06, 0.28}, {-1, -0.9}, {-0.08, 0.2}}, {0.45, 0, -1}, {0, 0.04}, {0.02, 0.1}},
    [FORWARD] = {{{-0.3, 0.3}, {-0.3, 0.45}, {0.6, 1}}, {0.6, -1, -0.2}, {-0.08, 0.06}, {0, 0.12}},
    [UP] = {{{-0.1, 0.35}, {0.65, 1}, {-0.05, 0.4}}, {1, -0.2, 0.1}, {-0.06, 0.06}, {0, 0.12}},
    [SIDEWAYS] = {{{0.65, 1}, {-0.35, 0.45}, {-0.1, 0.5}}, {0.1, -0.7, -0.6}, {-0.06, 0.06}, {0, 0.1}},
    [CROSSED] = {{{-0.52, -0.36}, {-0.5, -0.36}, {0.28, 0.4}}, {0.8, -1, -0.1}, {0, 0.03}, {0.02, 0.12}},
    [AT_HEAD] = {{{-0.16, 0.04}, {0.28, 0.5}, {-0.06, 0.26}}, {1, -0.15, 0.2}, {0, 0.1}, {0.02, 0.08}},
    [AT_CHIN] = {{{-0.22, -0.08}, {0, 0.16}, {0.24, 0.4}}, {0.6, -1, -0.1}, {-0.02, 0.08}, {0.04, 0.18}},
    [AT_HIP] = {{{-0.06, 0.06}, {-0.72, -0.58}, {0.04, 0.2}}, {1, 0, -0.5}, {0, 0.1}, {0.02, 0.1}},
    [BEHIND] = {{{-0.25, -0.05}, {-0.82, -0.66}, {-0.4, -0.25}}, {0.8, 0, -1}, {0, 0.05}, {0.02, 0.1}},
    [ON_THIGH] = {{{-0.12, 0.12}, {-0.76, -0.5}, {0.5, 0.72}}, {0.7, -0.3, -0.5}, {0, 0.06}, {0, 0.08}},
    [WAVING] = {{{0.2, 0.5}, {0.25, 0.6}, {0.15, 0.4}}, {0.6, -1, -0.2}, {-0.04, 0.02}, {-0.02, 0.02}},
    [ANYWHERE] = {{{-0.4, 1}, {-0.95, 0.95}, {0, 0.95}}, {0.7, -0.7, -0.4}, {-0.08, 0.1}, {0, 0.2}},
};

static void hold_arm(struct synth_pose *pose, enum synth_side side, enum arm kind, struct synth_stream *stream,
                     double seconds)
{
    struct synth_arm_pose *arm = &pose->arms[side];
    double speed = synth_uniform(stream, 0.7, 1.4), sine, cosine, size = 0;

    for (int i = 0; i < 3; i++) {
        arm->hand[i] = draw(stream, arms[kind].hand[i]);
        arm->elbow[i] = arms[kind].elbow[i] + synth_uniform(stream, -0.15, 0.15);
        size += arm->hand[i] * arm->hand[i];
    }
    arm->wrist = draw(stream, arms[kind].wrist);
    arm->fingers = draw(stream, arms[kind].fingers);
    arm->twist = synth_uniform(stream, -0.12, 0.12);
    if (kind == ANYWHERE && size < 0.2)
        arm->hand[2] += 0.45;
    if (kind == WAVING) {
        synth_sine_cosine(synth_uniform(stream, 0, 1) + speed * seconds, &sine, &cosine);
        arm->hand[0] += 0.22 * sine;
        arm->twist = 0.25;
    }
}

/* The arms of somebody who stands or sits upright. */
static void hold_arms(struct synth_pose *pose, struct synth_stream *stream, bool sits, double seconds)
{
    static const enum arm standing[] = {HANGING, HANGING, HANGING, FORWARD, FORWARD, UP,     SIDEWAYS, SIDEWAYS,
                                        AT_HEAD, AT_CHIN, AT_HIP,  AT_HIP,  BEHIND,  WAVING, ANYWHERE, ANYWHERE};
    static const enum arm sitting[] = {ON_THIGH, ON_THIGH, ON_THIGH, ON_THIGH, FORWARD, UP,
                                       SIDEWAYS, AT_HEAD,  AT_CHIN,  WAVING,   FORWARD, ANYWHERE};
    bool same = synth_below(stream, 3) == 0;
    enum arm kind = ANYWHERE;

    if (synth_below(stream, 9) == 0) {
        for (int side = 0; side < 2; side++)
            hold_arm(pose, (enum synth_side)side, CROSSED, stream, seconds);
        pose->arms[synth_below(stream, 2)].hand[2] -= 0.12;
        return;
    }
    for (int side = 0; side < 2; side++) {
        enum arm other = sits ? sitting[synth_below(stream, sizeof sitting / sizeof *sitting)]
                              : standing[synth_below(stream, sizeof standing / sizeof *standing)];
        kind = side == 1 && same ? kind : other;
        hold_arm(pose, (enum synth_side)side, kind, stream, seconds);
    }
}

/* How people stand. */
enum standing { UPRIGHT, LEGS_APART, STEPPING, LEG_LIFTED, BENT, CROUCHING, STANDING_COUNT };

static const struct {
    struct range up, forward, bend, spine_bend, out, ahead; /* of the hips; of the feet, one ahead and one behind */
    double knee;
} stands[STANDING_COUNT] = {
    [UPRIGHT] = {{1, 1}, {-0.01, 0.02}, {-0.01, 0.015}, {-0.015, 0.04}, {0.07, 0.16}, {-0.03, 0.06}, 0.15},
    [LEGS_APART] = {{0.9, 1}, {-0.04, 0.02}, {0, 0.04}, {-0.02, 0.06}, {0.18, 0.38}, {-0.06, 0.1}, 0.4},
    [STEPPING] = {{0.8, 1}, {-0.05, 0.1}, {0, 0.04}, {-0.02, 0.06}, {0.06, 0.16}, {0.15, 0.42}, 0.1},
    [LEG_LIFTED] = {{1, 1}, {-0.02, 0.02}, {-0.02, 0.04}, {-0.01, 0.06}, {0.05, 0.12}, {-0.02, 0.04}, 0.15},
    [BENT] = {{0.85, 1}, {-0.2, -0.1}, {0.08, 0.21}, {0.04, 0.13}, {0.07, 0.2}, {-0.04, 0.1}, 0.15},
    [CROUCHING] = {{0.36, 0.7}, {-0.22, -0.05}, {0.05, 0.13}, {0, 0.07}, {0.1, 0.24}, {-0.02, 0.15}, 0.4},
};

/* How people turn and bend their spine and head: more or less. */
static void sway(struct synth_pose *pose, struct synth_stream *stream)
{
    pose->lean = synth_uniform(stream, -0.012, 0.012);
    pose->turn = synth_uniform(stream, -0.03, 0.03);
    pose->spine_lean = synth_uniform(stream, -0.035, 0.035);
    pose->spine_turn = synth_uniform(stream, -0.06, 0.06);
    pose->nod = synth_uniform(stream, -0.05, 0.07);
    pose->tilt = synth_uniform(stream, -0.04, 0.04);
    pose->look = synth_uniform(stream, -0.13, 0.13);
}

static void lift_leg(struct synth_leg_pose *leg, struct synth_stream *stream)
{
    leg->foot[1] = synth_uniform(stream, 0.08, 0.5);
    leg->foot[2] = synth_uniform(stream, -0.3, 0.5);
    leg->heel = leg->foot[2] < 0 ? synth_uniform(stream, 0.02, 0.15) : synth_uniform(stream, -0.03, 0.06);
}

struct synth_pose synth_pose_make(struct synth_stream *stream, double seconds)
{
    static const enum standing kinds[] = {UPRIGHT,  UPRIGHT,  UPRIGHT,    UPRIGHT, LEGS_APART,
                                          STEPPING, STEPPING, LEG_LIFTED, BENT,    CROUCHING};
    static const enum arm low[] = {FORWARD, FORWARD, ON_THIGH, ON_THIGH, ANYWHERE, AT_HEAD, AT_CHIN, SIDEWAYS};
    enum standing kind = kinds[synth_below(stream, sizeof kinds / sizeof *kinds)];
    uint32_t front = synth_below(stream, 2);
    struct synth_pose pose = {0};

    pose.up = draw(stream, stands[kind].up);
    pose.forward = draw(stream, stands[kind].forward);
    pose.bend = draw(stream, stands[kind].bend);
    pose.spine_bend = draw(stream, stands[kind].spine_bend);
    sway(&pose, stream);
    for (uint32_t side = 0; side < 2; side++) {
        struct synth_leg_pose *leg = &pose.legs[side];
        leg->foot[0] = draw(stream, stands[kind].out);
        leg->foot[2] = (side == front ? 1 : -1) * draw(stream, stands[kind].ahead);
        leg->toes = synth_uniform(stream, 0, 0.06);
        leg->knee = stands[kind].knee * synth_uniform(stream, 0.3, 1.3);
        if (kind == STEPPING && side != front)
            leg->heel = synth_uniform(stream, 0, 0.09);
        if (kind == CROUCHING)
            leg->heel = synth_uniform(stream, 0, 0.1) * (1 - pose.up);
    }
    if (kind == LEG_LIFTED) {
        lift_leg(&pose.legs[front], stream);
        pose.right = (front == SYNTH_LEFT ? 1 : -1) * pose.legs[1 - front].foot[0];
    } else if (kind == UPRIGHT) {
        pose.right = synth_uniform(stream, -0.05, 0.05);
    }
    if (kind != BENT && kind != CROUCHING) {
        hold_arms(&pose, stream, false, seconds);
        return pose;
    }
    for (int side = 0; side < 2; side++)
        hold_arm(&pose, (enum synth_side)side, low[synth_below(stream, sizeof low / sizeof *low)], stream, seconds);
    return pose;
}

struct synth_pose synth_pose_sitting(const struct synth_build *build, struct synth_stream *stream, double seat,
                                     double seconds)
{
    double leg = synth_build_leg(build);
    struct synth_pose pose;

    if (synth_below(stream, 6) == 0) { /* stands up */
        pose = synth_pose_make(stream, seconds);
        pose.forward += 0.42 / leg;
        for (int side = 0; side < 2; side++)
            pose.legs[side].foot[2] += 0.42 / leg;
        return pose;
    }
    pose = (struct synth_pose){.up = (seat + 0.85 * build->thigh_radius + build->seat) / leg};
    pose.bend = synth_uniform(stream, -0.05, 0.03);
    pose.forward = synth_uniform(stream, -0.04, 0.06) / leg;
    pose.spine_bend = synth_uniform(stream, -0.02, 0.09);
    sway(&pose, stream);
    for (int side = 0; side < 2; side++) {
        pose.legs[side].foot[0] = synth_uniform(stream, 0.06, 0.26);
        pose.legs[side].foot[2] = (build->thigh + synth_uniform(stream, -0.06, 0.25)) / leg;
        pose.legs[side].toes = synth_uniform(stream, -0.02, 0.08);
        pose.legs[side].knee = synth_uniform(stream, 0, 0.5);
    }
    hold_arms(&pose, stream, true, seconds);
    return pose;
}

/* The foot's way in one cycle: on the ground for 6 tenths, then through the air. Returns 1 where it is `behind` by half
 * a step and -1 where it is ahead. */
static double step(double cycle, double *lift)
{
    double share;

    cycle -= (double)(int64_t)cycle;
    *lift = 0;
    if (cycle < 0.6)
        return cycle / 0.3 - 1;
    share = (cycle - 0.6) / 0.4;
    *lift = 4 * share * (1 - share);
    return 1 - 2 * share * share * (3 - 2 * share);
}

struct synth_pose synth_pose_walking(const struct synth_build *build, struct synth_stream *stream, double metres)
{
    double leg = synth_build_leg(build), half = synth_uniform(stream, 0.24, 0.36), lift, behind;
    double cycle = 8 + metres / (2 * half * leg / 0.6), swings = synth_uniform(stream, 0.3, 1.1);
    struct synth_pose pose = {.up = 1, .bend = 0.01, .spine_bend = 0.01};

    sway(&pose, stream);
    pose.look *= 0.6;
    hold_arms(&pose, stream, false, 0);
    for (int side = 0; side < 2; side++) {
        struct synth_leg_pose *foot = &pose.legs[side];
        behind = step(cycle + 0.5 * side, &lift);
        foot->foot[0] = synth_uniform(stream, 0.05, 0.1);
        foot->foot[1] = 0.09 * lift;
        foot->foot[2] = -half * behind;
        foot->heel = behind > 0 ? 0.1 * behind : 0.03 * behind;
        foot->toes = 0.015;
        if (swings > 0.5 && pose.arms[side].hand[1] < -0.85) { /* hanging arms go with the other leg */
            pose.arms[side].hand[2] += 0.5 * swings * half * behind / 0.3;
            pose.arms[side].hand[1] += 0.06;
        }
    }
    return pose;
}

struct synth_pose synth_pose_mirrored(const struct synth_pose *pose)
{
    struct synth_pose mirrored = *pose;

    mirrored.right = -pose->right;
    mirrored.lean = -pose->lean;
    mirrored.turn = -pose->turn;
    mirrored.spine_lean = -pose->spine_lean;
    mirrored.spine_turn = -pose->spine_turn;
    mirrored.tilt = -pose->tilt;
    mirrored.look = -pose->look;
    for (int side = 0; side < 2; side++) {
        mirrored.arms[side] = pose->arms[1 - side];
        mirrored.legs[side] = pose->legs[1 - side];
    }
    return mirrored;
}
/* Part `share` of the way from one pose to another. */
static struct synth_pose synth_pose_between(const struct synth_pose *from, const struct synth_pose *to, double share)
{
    struct synth_pose mixed;
    const double *a = (const double *)from, *b = (const double *)to;
    double *result = (double *)&mixed;

    for (size_t i = 0; i < NUMBERS; i++)
        result[i] = a[i] + share * (b[i] - a[i]);
    return mixed;
}

/* Poses one after the other: each segment of time has one, into which its first part leads from the previous one. */

#define CHANGE_SECONDS 1.1

/* Random numbers of a segment; `what` tells apart what they are for. */
enum { KIND, POSE, SPOT, FACING };

static struct synth_stream stream_of(const struct synth_motion *motion, uint32_t segment, uint32_t what)
{
    return (struct synth_stream){shw_random(motion->key, segment, 16 + what), 0};
}

static bool walks(const struct synth_motion *motion, uint32_t segment)
{
    struct synth_stream stream = stream_of(motion, segment, KIND);

    return motion->seat == 0 && motion->room > 0 && synth_below(&stream, 5) == 0;
}

/* The end of a walk in a segment. */
static struct synth_vector draw_spot(const struct synth_motion *motion, uint32_t segment)
{
    struct synth_stream stream = stream_of(motion, segment, SPOT);
    double x = synth_uniform(&stream, -motion->room, motion->room);

    return synth_add(motion->place, synth_vector(x, 0, synth_uniform(&stream, -motion->room, motion->room)));
}

/* Where the segment begins. */
static struct synth_vector spot_before(const struct synth_motion *motion, uint32_t segment)
{
    while (segment > 0)
        if (walks(motion, --segment))
            return draw_spot(motion, segment);
    return motion->place;
}

static struct synth_stance in_segment(const struct synth_motion *motion, const struct synth_build *build,
                                      uint32_t segment, double share)
{
    struct synth_stream stream = stream_of(motion, segment, POSE), facing = stream_of(motion, segment, FACING);
    struct synth_stance stance = {.place = spot_before(motion, segment), .facing = motion->facing};
    double seconds = share * SYNTH_POSE_SECONDS;

    if (walks(motion, segment)) {
        struct synth_vector way = synth_subtract(draw_spot(motion, segment), stance.place);
        double metres = sqrt(synth_dot(way, way));
        stance.facing = metres > 1e-6 ? synth_scale(way, 1 / metres) : motion->facing;
        stance.place = synth_add(stance.place, synth_scale(way, share));
        stance.pose = synth_pose_walking(build, &stream, share * metres);
    } else if (motion->seat > 0) {
        stance.pose = synth_pose_sitting(build, &stream, motion->seat, seconds);
    } else {
        double any = synth_uniform(&facing, -0.5, 0.5), turns = synth_below(&facing, 2) == 0 ? any : 0.25 * any;
        struct synth_frame frame = synth_frame_turn(synth_frame_along(synth_vector(0, 1, 0), motion->facing), turns);
        stance.facing = frame.forward;
        stance.pose = synth_pose_make(&stream, seconds);
    }
    return stance;
}

/* Directions mix by way of a side where they are opposite. */
static struct synth_vector facing_between(struct synth_vector from, struct synth_vector to, double share)
{
    struct synth_vector side = synth_vector(from.z, 0, -from.x);
    double bulge = 1.2 * share * (1 - share) * (synth_dot(side, to) < 0 ? -1 : 1);

    return synth_normalise(synth_add(synth_add(synth_scale(from, 1 - share), synth_scale(to, share)),
                                     synth_scale(side, synth_dot(from, to) < 0 ? bulge : 0)));
}

struct synth_stance synth_motion_at(const struct synth_motion *motion, const struct synth_build *build, double seconds)
{
    double segments = seconds / SYNTH_POSE_SECONDS, share;
    uint32_t segment = (uint32_t)segments;
    struct synth_stance stance, before;

    share = segments - segment;
    stance = in_segment(motion, build, segment, share);
    if (segment == 0 || share * SYNTH_POSE_SECONDS >= CHANGE_SECONDS)
        return stance;
    share *= SYNTH_POSE_SECONDS / CHANGE_SECONDS;
    share = share * share * (3 - 2 * share);
    before = in_segment(motion, build, segment - 1, 1);
    stance.pose = synth_pose_between(&before.pose, &stance.pose, share);
    stance.facing = facing_between(before.facing, stance.facing, share);
    return stance;
}
