
#include <math.h>

#include "files/synth/pose.h"

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

/* right * x + up * y + forward * z */
static struct synth_vector frame_direction(const struct synth_frame *frame, double x, double y, double z)
{
    return synth_add(mix(frame->right, x, frame->up, y), synth_scale(frame->forward, z));
}

struct synth_vector synth_frame_point(const struct synth_frame *frame, struct synth_vector from, double x, double y,
                                      double z)
{
    return synth_add(from, frame_direction(frame, x, y, z));
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

/* Lengths of bones as shares of the body's height are those of anthropometric tables (Winter, "Biomechanics and motor
 * control of human movement", 1990). */
static void make_bones(struct synth_build *build, struct synth_stream *stream, double child, double female)
{
    double h = build->height, legs = synth_uniform(stream, 0.95, 1.04) * (1 - 0.06 * child), trunk;

    build->ankle = 0.043 * h;
    build->shin = 0.243 * h * legs * synth_uniform(stream, 0.97, 1.03);
    build->thigh = 0.243 * h * legs * synth_uniform(stream, 0.97, 1.03);
    build->head = (0.5 * 0.155 + 0.021 * h) * synth_uniform(stream, 0.96, 1.05);
    build->neck = 0.037 * h * synth_uniform(stream, 0.85, 1.2);
    trunk = h - build->ankle - build->shin - build->thigh - build->neck - 1.86 * build->head;
    build->belly = 0.32 * trunk;
    build->back = 0.36 * trunk;
    build->chest = 0.32 * trunk;
    build->hips = 0.052 * h * (1 + 0.06 * female) * synth_uniform(stream, 0.95, 1.06);
    build->shoulders = 0.108 * h * (1 - 0.09 * female - 0.05 * child) * synth_uniform(stream, 0.95, 1.06);
    build->upper_arm = 0.176 * h * synth_uniform(stream, 0.95, 1.05);
    build->forearm = 0.146 * h * synth_uniform(stream, 0.95, 1.05);
    build->palm = 0.056 * h * synth_uniform(stream, 0.93, 1.08);
    build->foot = 0.15 * h * synth_uniform(stream, 0.94, 1.06);
}

/* Half axes grow with the height, and with `stout` from -1 to 1.3. */
static void make_trunk(struct synth_build *build, struct synth_stream *stream, double female, double stout)
{
    double h = build->height, fat = stout > 0 ? stout : 0, jacket = 0;

    if (synth_below(stream, 3) == 0)
        jacket = synth_uniform(stream, 0.005, 0.022);
    build->hip_size.wide = h * (0.093 + 0.006 * female + 0.012 * stout) + jacket;
    build->hip_size.deep = h * (0.062 + 0.007 * stout + 0.008 * fat) + jacket;
    build->waist_size.wide = h * (0.079 - 0.008 * female + 0.013 * stout + 0.014 * fat) + jacket;
    build->waist_size.deep = h * (0.054 + 0.009 * stout + 0.016 * fat) + jacket;
    build->chest_size.wide = h * (0.092 - 0.005 * female + 0.009 * stout) + jacket;
    build->chest_size.deep = h * (0.063 - 0.003 * female + 0.009 * stout) + jacket;
    build->paunch = h * fat * synth_uniform(stream, 0.004, 0.03);
    build->bust = h * (female > 0.5 ? synth_uniform(stream, 0.004, 0.014) : 0.002 + 0.004 * fat);
    build->seat = h * (0.005 + 0.004 * female + 0.004 * stout) * synth_uniform(stream, 0.7, 1.3);
    build->blouse = synth_below(stream, 2) == 0 ? synth_uniform(stream, 0.0, 0.025) : -1;
}

static void make_limbs(struct synth_build *build, struct synth_stream *stream, double female, double stout)
{
    double h = build->height, arms = h * (1 + 0.16 * stout - 0.08 * female) * synth_uniform(stream, 0.92, 1.08),
           legs = h * (1 + 0.15 * stout) * synth_uniform(stream, 0.93, 1.08);

    build->neck_radius = h * (0.033 - 0.004 * female + 0.003 * stout);
    build->head_size.wide = build->head * synth_uniform(stream, 0.66, 0.72);
    build->head_size.deep = build->head * synth_uniform(stream, 0.82, 0.88);
    build->shoulder_radius = 0.032 * arms;
    build->elbow_radius = 0.0235 * arms;
    build->wrist_radius = 0.0165 * arms;
    build->thigh_radius = 0.05 * legs;
    build->knee_radius = 0.0335 * legs;
    build->calf_radius = 0.0335 * legs;
    build->ankle_radius = 0.021 * legs;
}

static void make_clothes(struct synth_build *build, struct synth_stream *stream, double female)
{
    build->shirt = synth_cloth(stream);
    build->cloth = synth_cloth(stream);
    build->shoe = synth_cloth(stream);
    build->skin = synth_skin(stream);
    build->hair_colour = build->skin;
    build->bare_arms = synth_below(stream, 3) == 0;
    build->bare_legs = synth_below(stream, 6) == 0;
    build->sleeve = build->bare_arms ? 0 : synth_uniform(stream, 0.002, 0.014);
    build->trousers = build->bare_legs ? 0 : synth_uniform(stream, 0, 0.03);
    build->skirt = female > 0.5 && synth_below(stream, 4) == 0 ? synth_uniform(stream, 0.55, 1.1) : 0;
    build->hair = (enum synth_hair)synth_below(stream, SYNTH_HAIR_COUNT);
    if (female > 0.5 && (build->hair == SYNTH_BALD || build->hair == SYNTH_SHORT_HAIR))
        build->hair = SYNTH_LONG_HAIR;
    else if (female <= 0.5 && build->hair >= SYNTH_BOB && build->hair <= SYNTH_TAIL && synth_below(stream, 8) != 0)
        build->hair = SYNTH_SHORT_HAIR;
    build->hair_depth = synth_uniform(stream, 0.06, 0.24) * build->head;
    for (int c = 0; c < 3; c++) {
        build->shoe.colours[0][c] *= 0.4;
        build->hair_colour.colours[0][c] = build->skin.colours[0][c] * synth_uniform(stream, 0.1, 0.8);
    }
    if (build->hair == SYNTH_CAP)
        build->hair_colour = build->shoe;
}

struct synth_build synth_build_make(struct synth_stream *stream)
{
    bool is_child = synth_below(stream, 5) == 0;
    struct synth_build build = {.height = is_child ? synth_uniform(stream, 1.1, 1.5) : 0};
    double female = synth_uniform(stream, 0, 1), stout = synth_uniform(stream, -1, 1), child;

    if (!is_child) {
        build.height = 1.8 - 0.12 * female + synth_uniform(stream, -0.13, 0.13);
        build.height += synth_uniform(stream, -0.12, 0.12);
    }
    child = build.height < 1.5 ? (1.5 - build.height) / 0.4 : 0;
    if (is_child)
        female *= 0.5;
    stout = stout > 0 ? 1.3 * stout * stout : 0.9 * stout;
    make_bones(&build, stream, child, female);
    make_trunk(&build, stream, female, stout);
    make_limbs(&build, stream, female, stout);
    make_clothes(&build, stream, female);
    return build;
}

double synth_build_leg(const struct synth_build *build)
{
    return build->ankle + build->shin + build->thigh;
}

static double build_arm(const struct synth_build *build)
{
    return build->upper_arm + build->forearm;
}

/* The least distance between the ends of bent limbs, in their lengths. */
#define ARM_SHORTEST 0.34
#define LEG_SHORTEST 0.36

static double sign_of(int side)
{
    return side == SYNTH_RIGHT ? 1 : -1;
}

/* Puts the middle and the end of a limb: the end as near to `target` as it can be, and at least `least` of the limb's
 * length from the root, the middle joint towards `pole`. */
static void reach(struct synth_limb_joints *limb, double upper, double lower, struct synth_vector target,
                  struct synth_vector pole, double least)
{
    struct synth_vector to = synth_subtract(target, limb->root);
    double distance = sqrt(synth_dot(to, to)), length = upper + lower, along, out;
    struct synth_frame frame;

    if (distance < 1e-6)
        to = synth_vector(0, -1, 0);
    distance = distance < least * length ? least * length : distance > 0.998 * length ? 0.998 * length : distance;
    frame = synth_frame_along(to, pole);
    along = (upper * upper - lower * lower + distance * distance) / (2 * distance);
    out = upper * upper - along * along;
    limb->middle = synth_frame_point(&frame, limb->root, 0, along, out > 0 ? sqrt(out) : 0);
    limb->end = synth_add(limb->root, synth_scale(frame.up, distance));
}

/* Moves a point sideways out of an ellipse around a frame's axis. */
static struct synth_vector out_of_ellipse(const struct synth_frame *frame, struct synth_vector centre, double wide,
                                          double deep, struct synth_vector point)
{
    struct synth_vector at = synth_frame_inside(frame, centre, point);
    double x = at.x / wide, z = at.z / deep, size = sqrt(x * x + z * z);

    if (size >= 1 || size < 1e-3)
        return point;
    return synth_frame_point(frame, centre, at.x / size, at.y, at.z / size);
}

/* Moves a point out of trunk and head, so that something of a radius has room there. */
static struct synth_vector out_of_trunk(const struct synth_build *build, const struct synth_skeleton *skeleton,
                                        struct synth_vector point, double radius)
{
    struct synth_vector chest = synth_frame_inside(&skeleton->trunk, skeleton->chest, point),
                        pelvis = synth_frame_inside(&skeleton->pelvis, skeleton->hips, point),
                        head = synth_frame_inside(&skeleton->skull, skeleton->head, point);
    double room = radius + 1.05 * build->head_size.deep, away = sqrt(synth_dot(head, head));

    if (away < room && away > 1e-3)
        return synth_add(skeleton->head, synth_scale(synth_subtract(point, skeleton->head), room / away));
    if (chest.y > -0.6 * build->back && chest.y < 0.8 * build->chest)
        return out_of_ellipse(&skeleton->trunk, skeleton->chest, build->chest_size.wide + radius,
                              build->chest_size.deep + build->bust + radius, point);
    if (pelvis.y > -0.4 * build->belly && pelvis.y < build->belly + 0.5 * build->back)
        return out_of_ellipse(
            &skeleton->pelvis, skeleton->hips,
            (build->waist_size.wide > build->hip_size.wide ? build->waist_size.wide : build->hip_size.wide) + radius,
            build->waist_size.deep + build->paunch + radius, point);
    return point;
}

/* The ankle above the ground: a raised heel stands on the toes. */
static double ankle_height(const struct synth_build *build, const struct synth_leg_pose *pose)
{
    double sine, cosine;

    synth_sine_cosine(pose->heel, &sine, &cosine);
    return build->ankle + synth_build_leg(build) * pose->foot[1] + 0.6 * build->foot * (sine > 0 ? sine : 0);
}

/* How high the hip joints are so that legs reach the feet: about `up`. */
static double hip_height(const struct synth_build *build, const struct synth_pose *pose, double up)
{
    double leg = synth_build_leg(build), longest = 0.997 * (build->thigh + build->shin),
           shortest = LEG_SHORTEST * (build->thigh + build->shin);
    double heights[2], squares[2];

    for (int side = 0; side < 2; side++) {
        const double *foot = pose->legs[side].foot;
        double x = leg * (foot[0] - sign_of(side) * pose->right) - build->hips, z = leg * (foot[2] - pose->forward);
        double rest;
        squares[side] = x * x + z * z;
        heights[side] = ankle_height(build, &pose->legs[side]);
        rest = longest * longest - squares[side];
        rest = heights[side] + (rest > 0 ? sqrt(rest) : 0);
        up = up > rest ? rest : up;
    }
    for (int side = 0; side < 2; side++) {
        double rest = shortest * shortest - squares[side];
        rest = rest > 0 ? heights[side] + sqrt(rest) : 0;
        up = up < rest ? rest : up;
    }
    return up;
}

/* The spine bends at the waist and in the middle of the back. */
static struct synth_frame half_of_spine(struct synth_frame frame, const struct synth_pose *pose)
{
    frame = synth_frame_bend(synth_frame_turn(frame, 0.5 * pose->spine_turn), 0.5 * pose->spine_bend);
    return synth_frame_lean(frame, 0.5 * pose->spine_lean);
}

static void set_spine(struct synth_skeleton *skeleton, const struct synth_build *build, const struct synth_pose *pose,
                      const struct synth_frame *ground, struct synth_vector place)
{
    double leg = synth_build_leg(build);

    skeleton->hips = synth_frame_point(ground, place, leg * pose->right, hip_height(build, pose, leg * pose->up),
                                       leg * pose->forward);
    skeleton->pelvis = synth_frame_turn(*ground, pose->turn);
    skeleton->pelvis = synth_frame_lean(synth_frame_bend(skeleton->pelvis, pose->bend), pose->lean);
    skeleton->back = half_of_spine(skeleton->pelvis, pose);
    skeleton->trunk = half_of_spine(skeleton->back, pose);
    skeleton->waist = synth_frame_point(&skeleton->pelvis, skeleton->hips, 0, build->belly, 0);
    skeleton->chest = synth_frame_point(&skeleton->back, skeleton->waist, 0, build->back, 0);
    skeleton->neck = synth_frame_point(&skeleton->trunk, skeleton->chest, 0, build->chest, 0);
    skeleton->nape = synth_frame_turn(skeleton->trunk, 0.5 * pose->look);
    skeleton->nape = synth_frame_bend(skeleton->nape, 0.5 * pose->nod + 0.02);
    skeleton->nape = synth_frame_lean(skeleton->nape, 0.5 * pose->tilt);
    skeleton->skull = synth_frame_turn(skeleton->nape, 0.5 * pose->look);
    skeleton->skull = synth_frame_bend(skeleton->skull, 0.5 * pose->nod - 0.02);
    skeleton->skull = synth_frame_lean(skeleton->skull, 0.5 * pose->tilt);
    skeleton->head = synth_frame_point(&skeleton->nape, skeleton->neck, 0, build->neck, 0);
    skeleton->head = synth_frame_point(&skeleton->skull, skeleton->head, 0, 0.86 * build->head, 0.14 * build->head);
}

static void set_hand(struct synth_limb_joints *arm, const struct synth_build *build,
                     const struct synth_skeleton *skeleton, const struct synth_arm_pose *pose,
                     struct synth_vector elbow, double sign)
{
    struct synth_vector along = synth_subtract(arm->end, arm->middle), tip;
    struct synth_frame frame = synth_frame_along(along, elbow); /* towards the outside of the elbow */
    double length = 1.9 * build->palm;

    /* the palm of a hanging arm faces the thigh */
    frame = synth_frame_turn(frame, sign * (-0.25 + pose->twist));
    frame = synth_frame_bend(frame, pose->wrist);
    tip = synth_add(arm->end, synth_scale(frame.up, length));
    tip = out_of_trunk(build, skeleton, tip, 0.25 * build->palm);
    arm->tip = synth_frame_along(synth_subtract(tip, arm->end), frame.forward);
}

static void set_arm(struct synth_skeleton *skeleton, const struct synth_build *build, const struct synth_arm_pose *pose,
                    int side)
{
    struct synth_limb_joints *arm = &skeleton->arms[side];
    const struct synth_frame *trunk = &skeleton->trunk;
    double length = build_arm(build), sign = sign_of(side), raised = pose->hand[1] > 0 ? pose->hand[1] : 0;
    double ahead = pose->hand[2] > 0.4 ? pose->hand[2] - 0.4 : 0;
    struct synth_vector elbow = frame_direction(trunk, sign * pose->elbow[0], pose->elbow[1], pose->elbow[2]), hand,
                        from;

    from = synth_frame_point(trunk, skeleton->chest, sign * build->shoulders, 0.72 * build->chest, 0);
    hand =
        synth_frame_point(trunk, from, sign * length * pose->hand[0], length * pose->hand[1], length * pose->hand[2]);
    /* shoulders follow arms that are raised or stretched out */
    arm->root = synth_frame_point(trunk, from, -0.012 * sign * raised * build->height, 0.028 * raised * build->height,
                                  0.03 * ahead * build->height);
    hand = out_of_trunk(build, skeleton, hand, 1.3 * build->elbow_radius + build->sleeve);
    reach(arm, build->upper_arm, build->forearm, hand, elbow, ARM_SHORTEST);
    for (int i = 0; i < 3; i++) {
        struct synth_vector free = out_of_trunk(build, skeleton, arm->middle, 0.9 * build->elbow_radius);
        elbow = synth_add(elbow, synth_scale(synth_subtract(free, arm->middle), 8));
        reach(arm, build->upper_arm, build->forearm, hand, elbow, ARM_SHORTEST);
    }
    set_hand(arm, build, skeleton, pose, elbow, sign);
}

static void set_leg(struct synth_skeleton *skeleton, const struct synth_build *build, const struct synth_leg_pose *pose,
                    const struct synth_frame *ground, struct synth_vector place, int side)
{
    struct synth_limb_joints *leg = &skeleton->legs[side];
    double length = synth_build_leg(build), sign = sign_of(side);
    struct synth_frame ahead = synth_frame_turn(*ground, sign * pose->toes);
    struct synth_vector ankle, knee;

    ankle = synth_frame_point(ground, place, sign * length * pose->foot[0], ankle_height(build, pose),
                              length * pose->foot[2]);
    knee = frame_direction(&ahead, 0.5 * sign * pose->knee, 0.3, 1);
    leg->root = synth_frame_point(&skeleton->pelvis, skeleton->hips, sign * build->hips, 0, 0);
    reach(leg, build->thigh, build->shin, ankle, knee, LEG_SHORTEST);
    leg->tip = synth_frame_bend(ahead, pose->heel);
}

struct synth_skeleton synth_skeleton_make(const struct synth_build *build, const struct synth_stance *stance)
{
    struct synth_frame ground = synth_frame_along(synth_vector(0, 1, 0), stance->facing);
    struct synth_skeleton skeleton = {0};

    set_spine(&skeleton, build, &stance->pose, &ground, stance->place);
    for (int side = 0; side < 2; side++) {
        set_leg(&skeleton, build, &stance->pose.legs[side], &ground, stance->place, side);
        set_arm(&skeleton, build, &stance->pose.arms[side], side);
    }
    return skeleton;
}
