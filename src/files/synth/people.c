/* A depth camera's view of one or two people in a room: bodies of many shapes in many poses. */
#include <math.h>

#include "files/synth/pose.h"
#include "files/synth/scene.h"
#include "shared/random.h"

/* What is being added: the cones of one limb, say. */
struct shape {
    struct synth_scene *scene;
    const struct synth_build *build;
    const struct synth_skeleton *bones;
    const struct synth_material *material;
    enum synth_class class_number;
    struct synth_parting parting;
};

/* The thickness of something at a place. */
struct knot {
    struct synth_vector place;
    double radius;
};

/* A cone whose cross sections are stretched in a frame. */
static void add_flat(const struct shape *shape, const struct synth_frame *frame, struct knot first, struct knot second,
                     double right, double up, double forward)
{
    const struct synth_cone cone = {first.place,
                                    second.place,
                                    {first.radius, second.radius},
                                    {frame->right, frame->up, frame->forward},
                                    {right, up, forward}};

    synth_cone_add(shape->scene, shape->class_number, shape->material, &cone, &shape->parting);
}

static void add(const struct shape *shape, struct knot first, struct knot second)
{
    static const struct synth_frame axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    add_flat(shape, &axes, first, second, 1, 1, 1);
}

static void add_ellipsoid(const struct shape *shape, const struct synth_frame *frame, struct synth_vector centre,
                          double right, double up, double forward)
{
    add_flat(shape, frame, (struct knot){centre, 1}, (struct knot){centre, 1}, right, up, forward);
}

static struct synth_vector between(struct synth_vector a, struct synth_vector b, double share)
{
    return synth_add(a, synth_scale(synth_subtract(b, a), share));
}

static double sign_of(int side)
{
    return side == SYNTH_RIGHT ? 1 : -1;
}

/* A shirt that falls straight from the chest over the hips. */
static void add_blouse(struct shape *shape, struct knot rib)
{
    const struct synth_build *build = shape->build;
    const struct synth_skeleton *bones = shape->bones;
    double wide = build->waist_size.wide > build->hip_size.wide ? build->waist_size.wide : build->hip_size.wide;
    double deep = build->waist_size.deep + 0.5 * build->paunch;
    struct knot hem = {synth_frame_point(&bones->pelvis, bones->hips, 0, 0.25 * build->belly, 0),
                       (deep > build->hip_size.deep ? deep : build->hip_size.deep) + build->blouse};

    rib.radius += 0.5 * build->bust + 0.3 * build->blouse;
    add_flat(shape, &bones->back, rib, hem,
             0.5 * ((wide + build->blouse) / hem.radius + build->chest_size.wide / build->chest_size.deep), 0.6, 1);
}

static void add_trunk(struct shape *shape)
{
    static const enum synth_part parts[4] = {SYNTH_LEFT_HIPS, SYNTH_LEFT_CHEST, SYNTH_RIGHT_HIPS, SYNTH_RIGHT_CHEST};
    const struct synth_build *build = shape->build;
    const struct synth_skeleton *bones = shape->bones;
    struct synth_vector middle = between(bones->waist, bones->chest, 1 / 3.0);
    double h = build->height, hips = build->hip_size.wide / build->hip_size.deep,
           waist = build->waist_size.wide / build->waist_size.deep,
           chest = build->chest_size.wide / build->chest_size.deep;
    struct knot low = {synth_frame_point(&bones->pelvis, bones->hips, 0, 0.012 * h, 0), build->hip_size.deep},
                belt = {bones->waist, build->waist_size.deep}, rib = {bones->chest, build->chest_size.deep},
                top = {between(bones->chest, bones->neck, 0.45), 0.82 * build->chest_size.deep};

    shape->class_number = SYNTH_TORSO;
    shape->parting = synth_parting_quarters(parts, middle, bones->back.right, bones->back.up);
    shape->material = &build->cloth;
    add_flat(shape, &bones->pelvis, low, belt, 0.5 * (hips + waist), 0.8, 1);
    for (int side = 0; side < 2; side++)
        add_ellipsoid(shape, &bones->pelvis,
                      synth_frame_point(&bones->pelvis, bones->hips, 0.43 * sign_of(side) * build->hip_size.wide,
                                        -0.005 * h, -build->hip_size.deep - build->seat + 0.06 * h),
                      0.046 * h, 0.06 * h, 0.06 * h);
    shape->material = &build->shirt;
    add_flat(shape, &bones->back, belt, rib, 0.5 * (waist + chest), 0.9, 1);
    add_flat(shape, &bones->trunk, rib, top, chest, 0.85, 1);
    for (int side = 0; side < 2; side++)
        add_ellipsoid(shape, &bones->trunk,
                      synth_frame_point(&bones->trunk, bones->chest, 0.42 * sign_of(side) * build->chest_size.wide,
                                        0.1 * build->chest, rib.radius + build->bust - 0.045 * h),
                      0.05 * h, 0.046 * h, 0.045 * h);
    if (build->paunch > 0)
        add_ellipsoid(shape, &bones->back,
                      synth_frame_point(&bones->back, bones->waist, 0, -0.1 * build->belly, 0.3 * belt.radius),
                      0.88 * build->waist_size.wide, 0.9 * build->belly, 0.7 * belt.radius + build->paunch);
    if (build->blouse >= 0)
        add_blouse(shape, rib);
}

/* From the neck and the ribs to the shoulder, and the arm: divided by a plane through the shoulder joint. */
static void add_shoulder(struct shape *shape, int side)
{
    const struct synth_build *build = shape->build;
    const struct synth_skeleton *bones = shape->bones;
    const struct synth_frame *trunk = &bones->trunk;
    struct synth_vector root = bones->arms[side].root;
    double sign = sign_of(side), wide = build->chest_size.wide;
    struct knot neck = {synth_frame_point(trunk, bones->neck, 0.35 * sign * build->neck_radius,
                                          -0.3 * build->neck_radius, -0.1 * build->neck_radius),
                        0.95 * build->neck_radius},
                end = {synth_frame_point(trunk, root, -0.12 * sign * build->shoulders, 0.1 * build->shoulder_radius, 0),
                       0.85 * build->shoulder_radius},
                rib = {synth_frame_point(trunk, bones->chest, 0.5 * sign * wide, 0.15 * build->chest,
                                         0.05 * build->chest_size.deep),
                       0.78 * build->chest_size.deep},
                joint = {root, build->shoulder_radius};

    shape->class_number = SYNTH_TORSO;
    shape->material = &build->shirt;
    add(shape, neck, end);
    add(shape, rib, joint);
}

static void add_fingers(struct shape *shape, int side)
{
    const struct synth_build *build = shape->build;
    const struct synth_limb_joints *arm = &shape->bones->arms[side];
    const struct synth_frame *hand = &arm->tip;
    double palm = build->palm, thick = 0.11 * palm, curl = 0.5, towards = sign_of(side);

    /* with the fingers up and the palm forward, the thumb of the right hand is at the left */
    for (int i = 0; i < 4; i++) {
        double across = palm * (0.36 - 0.24 * i) * -towards, length = palm * (i == 1 ? 0.92 : i == 3 ? 0.68 : 0.84);
        struct knot root = {synth_frame_point(hand, arm->end, across, 0.95 * palm, 0), thick},
                    middle = {synth_frame_point(hand, root.place, 0.06 * across, 0.55 * length, 0.2 * curl * length),
                              0.95 * thick},
                    tip = {synth_frame_point(hand, middle.place, 0, 0.38 * length, 0.5 * curl * length), 0.8 * thick};
        add(shape, root, middle);
        add(shape, middle, tip);
    }
    {
        struct knot root = {synth_frame_point(hand, arm->end, -towards * 0.25 * palm, 0.25 * palm, 0.05 * palm),
                            1.4 * thick},
                    tip = {synth_frame_point(hand, arm->end, -towards * 0.75 * palm, 0.85 * palm, 0.2 * palm), thick};
        add(shape, root, tip);
    }
}

static void add_hand(struct shape *shape, int side)
{
    const struct synth_build *build = shape->build;
    const struct synth_limb_joints *arm = &shape->bones->arms[side];
    double palm = build->palm, wide = 0.2 * palm;
    struct knot wrist = {synth_frame_point(&arm->tip, arm->end, 0, 0.15 * palm, 0), 0.9 * wide},
                knuckles = {synth_frame_point(&arm->tip, arm->end, 0, 0.85 * palm, 0), wide};

    shape->class_number = SYNTH_HAND;
    shape->material = &build->skin;
    shape->parting = synth_parting_whole(side == SYNTH_LEFT ? SYNTH_LEFT_HAND : SYNTH_RIGHT_HAND);
    add_flat(shape, &arm->tip, wrist, knuckles, 2.3, 1, 0.85);
    add_fingers(shape, side);
}

static void add_arm(struct shape *shape, int side)
{
    static const enum synth_part uppers[2][4] = {
        {SYNTH_LEFT_CHEST, SYNTH_LEFT_ARM, SYNTH_LEFT_ELBOW, SYNTH_LEFT_ELBOW},
        {SYNTH_RIGHT_CHEST, SYNTH_RIGHT_ARM, SYNTH_RIGHT_ELBOW, SYNTH_RIGHT_ELBOW}};
    static const enum synth_part lowers[2][4] = {
        {SYNTH_LEFT_ELBOW, SYNTH_LEFT_FOREARM, SYNTH_LEFT_HAND, SYNTH_LEFT_HAND},
        {SYNTH_RIGHT_ELBOW, SYNTH_RIGHT_FOREARM, SYNTH_RIGHT_HAND, SYNTH_RIGHT_HAND}};
    const struct synth_build *build = shape->build;
    const struct synth_limb_joints *arm = &shape->bones->arms[side];
    double sign = sign_of(side), wrist = build->wrist_radius + build->sleeve;
    struct synth_vector upper = synth_normalise(synth_subtract(arm->middle, arm->root)),
                        lower = synth_normalise(synth_subtract(arm->end, arm->middle)),
                        out = synth_add(synth_scale(shape->bones->trunk.right, sign), synth_scale(upper, 0.5)),
                        armpit = synth_frame_point(&shape->bones->trunk, arm->root,
                                                   -0.4 * sign * build->shoulder_radius, 0, 0);
    struct knot shoulder = {arm->root, build->shoulder_radius},
                biceps = {between(arm->root, arm->middle, 0.45),
                          0.3 * build->shoulder_radius + 0.68 * build->elbow_radius + 0.6 * build->sleeve},
                elbow = {arm->middle, build->elbow_radius + build->sleeve},
                muscle = {between(arm->middle, arm->end, 0.28), 1.04 * build->elbow_radius + build->sleeve},
                end = {arm->end, wrist};

    shape->parting = synth_parting_corner(uppers[side], between(arm->root, arm->middle, 0.78), upper, armpit, out);
    add_shoulder(shape, side);
    shape->class_number = SYNTH_UPPER_ARM;
    add(shape, shoulder, biceps);
    shape->material = build->bare_arms ? &build->skin : &build->shirt;
    add(shape, biceps, elbow);
    shape->class_number = SYNTH_FOREARM;
    shape->parting = synth_parting_corner(lowers[side], between(arm->middle, arm->end, 0.96), lower,
                                          between(arm->middle, arm->end, 0.22), lower);
    add(shape, elbow, muscle);
    add(shape, muscle, end);
    add_hand(shape, side);
}

static void add_foot(struct shape *shape, int side)
{
    const struct synth_build *build = shape->build;
    const struct synth_limb_joints *leg = &shape->bones->legs[side];
    const struct synth_frame *foot = &leg->tip;
    double length = build->foot, low = -build->ankle, heel = 0.13 * length, sign = sign_of(side);
    struct knot back = {synth_frame_point(foot, leg->end, 0, low + heel, -0.16 * length), heel},
                ball = {synth_frame_point(foot, leg->end, 0.02 * sign * length, low + heel, 0.5 * length), 0.98 * heel},
                toes = {synth_frame_point(foot, leg->end, -0.01 * sign * length, low + 0.8 * heel, 0.68 * length),
                        0.8 * heel},
                ankle = {leg->end, 1.15 * build->ankle_radius},
                instep = {synth_frame_point(foot, leg->end, 0, low + 1.1 * heel, 0.42 * length), 0.85 * heel};

    shape->class_number = SYNTH_FOOT;
    shape->material = &build->shoe;
    shape->parting = synth_parting_whole(side == SYNTH_LEFT ? SYNTH_LEFT_FOOT : SYNTH_RIGHT_FOOT);
    add_flat(shape, foot, back, ball, 1.15, 1, 1);
    add_flat(shape, foot, ball, toes, 1.35, 1, 1);
    add(shape, ankle, instep);
    add(shape, ankle, back);
}

static void add_leg(struct shape *shape, int side)
{
    static const enum synth_part uppers[2][4] = {
        {SYNTH_LEFT_HIPS, SYNTH_LEFT_THIGH, SYNTH_LEFT_KNEE, SYNTH_LEFT_KNEE},
        {SYNTH_RIGHT_HIPS, SYNTH_RIGHT_THIGH, SYNTH_RIGHT_KNEE, SYNTH_RIGHT_KNEE}};
    static const enum synth_part lowers[2][4] = {
        {SYNTH_LEFT_KNEE, SYNTH_LEFT_LEG, SYNTH_LEFT_FOOT, SYNTH_LEFT_FOOT},
        {SYNTH_RIGHT_KNEE, SYNTH_RIGHT_LEG, SYNTH_RIGHT_FOOT, SYNTH_RIGHT_FOOT}};
    const struct synth_build *build = shape->build;
    const struct synth_limb_joints *leg = &shape->bones->legs[side];
    struct synth_vector upper = synth_normalise(synth_subtract(leg->middle, leg->root)),
                        lower = synth_normalise(synth_subtract(leg->end, leg->middle)),
                        groin = synth_subtract(upper, shape->bones->pelvis.up),
                        back = synth_frame_along(lower, synth_subtract(leg->root, leg->end)).forward;
    double inset = 0.25 * build->thigh_radius * sign_of(side), loose = build->trousers;
    struct knot hip = {synth_frame_point(&shape->bones->pelvis, leg->root, inset, 0, 0), build->thigh_radius},
                thigh = {between(leg->root, leg->middle, 0.4),
                         0.56 * build->thigh_radius + 0.5 * build->knee_radius + 0.3 * loose},
                knee = {leg->middle, build->knee_radius + 0.4 * loose},
                calf = {synth_add(between(leg->middle, leg->end, 0.3), synth_scale(back, 0.25 * build->calf_radius)),
                        build->calf_radius + 0.6 * loose},
                ankle = {between(leg->middle, leg->end, 0.96), build->ankle_radius + loose};

    shape->class_number = SYNTH_THIGH;
    shape->material = &build->cloth;
    shape->parting = synth_parting_corner(uppers[side], between(leg->root, leg->middle, 0.8), upper,
                                          synth_add(leg->root, synth_scale(upper, 0.5 * build->thigh_radius)), groin);
    add(shape, hip, thigh);
    add(shape, thigh, knee);
    shape->class_number = SYNTH_SHIN;
    shape->material = build->bare_legs || build->skirt > 0 ? &build->skin : &build->cloth;
    shape->parting = synth_parting_corner(lowers[side], between(leg->middle, leg->end, 0.95), lower,
                                          between(leg->middle, leg->end, 0.2), lower);
    add(shape, knee, calf);
    add(shape, calf, ankle);
    add_foot(shape, side);
}

/* A skirt hangs from the hips around both thighs. */
static void add_skirt(struct shape *shape)
{
    static const enum synth_part parts[4] = {SYNTH_LEFT_HIPS, SYNTH_LEFT_THIGH, SYNTH_RIGHT_HIPS, SYNTH_RIGHT_THIGH};
    const struct synth_build *build = shape->build;
    const struct synth_skeleton *bones = shape->bones;
    struct knot waist = {bones->hips, 1.02 * build->hip_size.deep}, hems[2], middle;
    struct synth_vector down;

    for (int side = 0; side < 2; side++)
        hems[side] = (struct knot){between(bones->legs[side].root, bones->legs[side].middle, build->skirt),
                                   1.5 * build->knee_radius + 0.02 * build->height};
    middle = (struct knot){between(hems[0].place, hems[1].place, 0.5), 0.95 * hems[0].radius};
    down = synth_normalise(synth_subtract(middle.place, waist.place));
    shape->class_number = SYNTH_THIGH;
    shape->material = &build->cloth;
    shape->parting = synth_parting_quarters(parts, synth_add(waist.place, synth_scale(down, 0.8 * build->thigh_radius)),
                                            bones->pelvis.right, down);
    for (int side = 0; side < 2; side++) {
        struct knot hip = {
            synth_frame_point(&bones->pelvis, bones->legs[side].root, 0.2 * sign_of(side) * build->hips, 0, 0),
            1.15 * build->thigh_radius};
        add(shape, hip, hems[side]);
    }
    add_flat(shape, &bones->pelvis, waist, middle, 1.15, 0.7, 1);
}

static void add_hair(struct shape *shape)
{
    const struct synth_build *build = shape->build;
    const struct synth_frame *skull = &shape->bones->skull;
    struct synth_vector head = shape->bones->head;
    double size = build->head, wide = build->head_size.wide + build->hair_depth,
           deep = build->head_size.deep + build->hair_depth, depth = build->hair_depth;

    if (build->hair == SYNTH_BALD)
        return;
    shape->material = &build->hair_colour;
    add_ellipsoid(shape, skull, synth_frame_point(skull, head, 0, 0.24 * size, -0.16 * deep), wide, 0.76 * size + depth,
                  0.9 * deep);
    if (build->hair == SYNTH_BOB || build->hair == SYNTH_LONG_HAIR)
        add_ellipsoid(shape, skull, synth_frame_point(skull, head, 0, -0.2 * size, -0.3 * deep), 1.04 * wide,
                      0.85 * size, 0.72 * deep);
    if (build->hair == SYNTH_LONG_HAIR) {
        struct knot back = {synth_frame_point(skull, head, 0, -0.3 * size, -0.45 * deep), 0.5 * deep},
                    end = {synth_frame_point(&shape->bones->trunk, shape->bones->neck, 0, -0.25 * size,
                                             -0.85 * build->chest_size.deep),
                           0.3 * deep};
        add_flat(shape, skull, back, end, 1.4, 1, 1);
    } else if (build->hair == SYNTH_BUN) {
        add_ellipsoid(shape, skull, synth_frame_point(skull, head, 0, 0.5 * size, -1.05 * deep), 0.36 * size,
                      0.36 * size, 0.36 * size);
    } else if (build->hair == SYNTH_TAIL) {
        struct knot root = {synth_frame_point(skull, head, 0, 0.35 * size, -0.95 * deep), 0.2 * size},
                    end = {synth_frame_point(skull, head, 0, -1.3 * size, -1.25 * deep), 0.13 * size};
        add(shape, root, end);
    } else if (build->hair == SYNTH_CAP) {
        add_ellipsoid(shape, skull, synth_frame_point(skull, head, 0, 0.42 * size, 0.8 * deep), 0.8 * wide, 0.08 * size,
                      0.75 * deep);
    }
}

static void add_head(struct shape *shape)
{
    static const enum synth_part parts[4] = {SYNTH_FACE_LEFT_BOTTOM, SYNTH_FACE_LEFT_TOP, SYNTH_FACE_RIGHT_BOTTOM,
                                             SYNTH_FACE_RIGHT_TOP};
    const struct synth_build *build = shape->build;
    const struct synth_skeleton *bones = shape->bones;
    const struct synth_frame *skull = &bones->skull;
    struct synth_vector head = bones->head;
    double size = build->head, wide = build->head_size.wide, deep = build->head_size.deep;
    struct knot neck = {bones->neck, build->neck_radius},
                nape = {synth_frame_point(skull, head, 0, -0.45 * size, -0.25 * deep), 0.9 * build->neck_radius},
                cheek = {synth_frame_point(skull, head, 0, -0.12 * size, 0.25 * deep), 0.86 * wide},
                chin = {synth_frame_point(skull, head, 0, -0.72 * size, 0.52 * deep), 0.38 * wide},
                brow = {synth_frame_point(skull, head, 0, 0.06 * size, 0.92 * deep), 0.1 * wide},
                nose = {synth_frame_point(skull, head, 0, -0.22 * size, 1.06 * deep), 0.17 * wide};

    shape->class_number = SYNTH_HEAD;
    shape->material = &build->skin;
    shape->parting = synth_parting_whole(SYNTH_NECK);
    add(shape, neck, nape);
    shape->parting = synth_parting_quarters(parts, head, skull->right, skull->up);
    add_ellipsoid(shape, skull, synth_frame_point(skull, head, 0, 0.18 * size, -0.06 * deep), wide, 0.82 * size,
                  0.94 * deep);
    add(shape, cheek, chin);
    add(shape, brow, nose);
    for (int side = 0; side < 2; side++)
        add_ellipsoid(shape, skull, synth_frame_point(skull, head, 1.02 * sign_of(side) * wide, -0.05 * size, 0),
                      0.14 * wide, 0.26 * size, 0.2 * deep);
    add_hair(shape);
}

void synth_body_shape_add(struct synth_scene *scene, const struct synth_build *build,
                          const struct synth_skeleton *skeleton)
{
    struct shape shape = {.scene = scene, .build = build, .bones = skeleton};

    add_trunk(&shape);
    for (int side = 0; side < 2; side++) {
        add_leg(&shape, side);
        add_arm(&shape, side);
    }
    if (build->skirt > 0)
        add_skirt(&shape);
    add_head(&shape);
}

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
