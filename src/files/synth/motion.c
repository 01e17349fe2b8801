/* Poses one after the other: each segment of time has one, into which its first part leads from the previous one. */
#include <math.h>

#include "files/synth/pose.h"
#include "shared/random.h"

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
