#include "files/synth/body_shape.h"

/* What is being added: the cones of one limb, say. */
struct flesh {
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
static void add_flat(const struct flesh *flesh, const struct synth_frame *frame, struct knot first, struct knot second,
                     double right, double up, double forward)
{
    const struct synth_cone cone = {first.place,
                                    second.place,
                                    {first.radius, second.radius},
                                    {frame->right, frame->up, frame->forward},
                                    {right, up, forward}};

    synth_cone_add(flesh->scene, flesh->class_number, flesh->material, &cone, &flesh->parting);
}

static void add(const struct flesh *flesh, struct knot first, struct knot second)
{
    static const struct synth_frame axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    add_flat(flesh, &axes, first, second, 1, 1, 1);
}

static void add_ellipsoid(const struct flesh *flesh, const struct synth_frame *frame, struct synth_vector centre,
                          double right, double up, double forward)
{
    add_flat(flesh, frame, (struct knot){centre, 1}, (struct knot){centre, 1}, right, up, forward);
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
static void add_blouse(struct flesh *flesh, struct knot rib)
{
    const struct synth_build *build = flesh->build;
    const struct synth_skeleton *bones = flesh->bones;
    double wide = build->waist_size.wide > build->hip_size.wide ? build->waist_size.wide : build->hip_size.wide;
    double deep = build->waist_size.deep + 0.5 * build->paunch;
    struct knot hem = {synth_frame_point(&bones->pelvis, bones->hips, 0, 0.25 * build->belly, 0),
                       (deep > build->hip_size.deep ? deep : build->hip_size.deep) + build->blouse};

    rib.radius += 0.5 * build->bust + 0.3 * build->blouse;
    add_flat(flesh, &bones->back, rib, hem,
             0.5 * ((wide + build->blouse) / hem.radius + build->chest_size.wide / build->chest_size.deep), 0.6, 1);
}

static void add_trunk(struct flesh *flesh)
{
    static const enum synth_part parts[4] = {SYNTH_LEFT_HIPS, SYNTH_LEFT_CHEST, SYNTH_RIGHT_HIPS, SYNTH_RIGHT_CHEST};
    const struct synth_build *build = flesh->build;
    const struct synth_skeleton *bones = flesh->bones;
    struct synth_vector middle = between(bones->waist, bones->chest, 1 / 3.0);
    double h = build->height, hips = build->hip_size.wide / build->hip_size.deep,
           waist = build->waist_size.wide / build->waist_size.deep,
           chest = build->chest_size.wide / build->chest_size.deep;
    struct knot low = {synth_frame_point(&bones->pelvis, bones->hips, 0, 0.012 * h, 0), build->hip_size.deep},
                belt = {bones->waist, build->waist_size.deep}, rib = {bones->chest, build->chest_size.deep},
                top = {between(bones->chest, bones->neck, 0.45), 0.82 * build->chest_size.deep};

    flesh->class_number = SYNTH_TORSO;
    flesh->parting = synth_parting_quarters(parts, middle, bones->back.right, bones->back.up);
    flesh->material = &build->cloth;
    add_flat(flesh, &bones->pelvis, low, belt, 0.5 * (hips + waist), 0.8, 1);
    for (int side = 0; side < 2; side++)
        add_ellipsoid(flesh, &bones->pelvis,
                      synth_frame_point(&bones->pelvis, bones->hips, 0.43 * sign_of(side) * build->hip_size.wide,
                                        -0.005 * h, -build->hip_size.deep - build->seat + 0.06 * h),
                      0.046 * h, 0.06 * h, 0.06 * h);
    flesh->material = &build->shirt;
    add_flat(flesh, &bones->back, belt, rib, 0.5 * (waist + chest), 0.9, 1);
    add_flat(flesh, &bones->trunk, rib, top, chest, 0.85, 1);
    for (int side = 0; side < 2; side++)
        add_ellipsoid(flesh, &bones->trunk,
                      synth_frame_point(&bones->trunk, bones->chest, 0.42 * sign_of(side) * build->chest_size.wide,
                                        0.1 * build->chest, rib.radius + build->bust - 0.045 * h),
                      0.05 * h, 0.046 * h, 0.045 * h);
    if (build->paunch > 0)
        add_ellipsoid(flesh, &bones->back,
                      synth_frame_point(&bones->back, bones->waist, 0, -0.1 * build->belly, 0.3 * belt.radius),
                      0.88 * build->waist_size.wide, 0.9 * build->belly, 0.7 * belt.radius + build->paunch);
    if (build->blouse >= 0)
        add_blouse(flesh, rib);
}

/* From the neck and the ribs to the shoulder, and the arm: divided by a plane through the shoulder joint. */
static void add_shoulder(struct flesh *flesh, int side)
{
    const struct synth_build *build = flesh->build;
    const struct synth_skeleton *bones = flesh->bones;
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

    flesh->class_number = SYNTH_TORSO;
    flesh->material = &build->shirt;
    add(flesh, neck, end);
    add(flesh, rib, joint);
}

static void add_fingers(struct flesh *flesh, int side)
{
    const struct synth_build *build = flesh->build;
    const struct synth_limb_joints *arm = &flesh->bones->arms[side];
    const struct synth_frame *hand = &arm->tip;
    double palm = build->palm, thick = 0.11 * palm, curl = 0.5, towards = sign_of(side);

    /* with the fingers up and the palm forward, the thumb of the right hand is at the left */
    for (int i = 0; i < 4; i++) {
        double across = palm * (0.36 - 0.24 * i) * -towards, length = palm * (i == 1 ? 0.92 : i == 3 ? 0.68 : 0.84);
        struct knot root = {synth_frame_point(hand, arm->end, across, 0.95 * palm, 0), thick},
                    middle = {synth_frame_point(hand, root.place, 0.06 * across, 0.55 * length, 0.2 * curl * length),
                              0.95 * thick},
                    tip = {synth_frame_point(hand, middle.place, 0, 0.38 * length, 0.5 * curl * length), 0.8 * thick};
        add(flesh, root, middle);
        add(flesh, middle, tip);
    }
    {
        struct knot root = {synth_frame_point(hand, arm->end, -towards * 0.25 * palm, 0.25 * palm, 0.05 * palm),
                            1.4 * thick},
                    tip = {synth_frame_point(hand, arm->end, -towards * 0.75 * palm, 0.85 * palm, 0.2 * palm), thick};
        add(flesh, root, tip);
    }
}

static void add_hand(struct flesh *flesh, int side)
{
    const struct synth_build *build = flesh->build;
    const struct synth_limb_joints *arm = &flesh->bones->arms[side];
    double palm = build->palm, wide = 0.2 * palm;
    struct knot wrist = {synth_frame_point(&arm->tip, arm->end, 0, 0.15 * palm, 0), 0.9 * wide},
                knuckles = {synth_frame_point(&arm->tip, arm->end, 0, 0.85 * palm, 0), wide};

    flesh->class_number = SYNTH_HAND;
    flesh->material = &build->skin;
    flesh->parting = synth_parting_whole(side == SYNTH_LEFT ? SYNTH_LEFT_HAND : SYNTH_RIGHT_HAND);
    add_flat(flesh, &arm->tip, wrist, knuckles, 2.3, 1, 0.85);
    add_fingers(flesh, side);
}

static void add_arm(struct flesh *flesh, int side)
{
    static const enum synth_part uppers[2][4] = {
        {SYNTH_LEFT_CHEST, SYNTH_LEFT_ARM, SYNTH_LEFT_ELBOW, SYNTH_LEFT_ELBOW},
        {SYNTH_RIGHT_CHEST, SYNTH_RIGHT_ARM, SYNTH_RIGHT_ELBOW, SYNTH_RIGHT_ELBOW}};
    static const enum synth_part lowers[2][4] = {
        {SYNTH_LEFT_ELBOW, SYNTH_LEFT_FOREARM, SYNTH_LEFT_HAND, SYNTH_LEFT_HAND},
        {SYNTH_RIGHT_ELBOW, SYNTH_RIGHT_FOREARM, SYNTH_RIGHT_HAND, SYNTH_RIGHT_HAND}};
    const struct synth_build *build = flesh->build;
    const struct synth_limb_joints *arm = &flesh->bones->arms[side];
    double sign = sign_of(side), wrist = build->wrist_radius + build->sleeve;
    struct synth_vector upper = synth_normalise(synth_subtract(arm->middle, arm->root)),
                        lower = synth_normalise(synth_subtract(arm->end, arm->middle)),
                        out = synth_add(synth_scale(flesh->bones->trunk.right, sign), synth_scale(upper, 0.5)),
                        armpit = synth_frame_point(&flesh->bones->trunk, arm->root,
                                                   -0.4 * sign * build->shoulder_radius, 0, 0);
    struct knot shoulder = {arm->root, build->shoulder_radius},
                biceps = {between(arm->root, arm->middle, 0.45),
                          0.3 * build->shoulder_radius + 0.68 * build->elbow_radius + 0.6 * build->sleeve},
                elbow = {arm->middle, build->elbow_radius + build->sleeve},
                muscle = {between(arm->middle, arm->end, 0.28), 1.04 * build->elbow_radius + build->sleeve},
                end = {arm->end, wrist};

    flesh->parting = synth_parting_corner(uppers[side], between(arm->root, arm->middle, 0.78), upper, armpit, out);
    add_shoulder(flesh, side);
    flesh->class_number = SYNTH_UPPER_ARM;
    add(flesh, shoulder, biceps);
    flesh->material = build->bare_arms ? &build->skin : &build->shirt;
    add(flesh, biceps, elbow);
    flesh->class_number = SYNTH_FOREARM;
    flesh->parting = synth_parting_corner(lowers[side], between(arm->middle, arm->end, 0.96), lower,
                                          between(arm->middle, arm->end, 0.22), lower);
    add(flesh, elbow, muscle);
    add(flesh, muscle, end);
    add_hand(flesh, side);
}

static void add_foot(struct flesh *flesh, int side)
{
    const struct synth_build *build = flesh->build;
    const struct synth_limb_joints *leg = &flesh->bones->legs[side];
    const struct synth_frame *foot = &leg->tip;
    double length = build->foot, low = -build->ankle, heel = 0.13 * length, sign = sign_of(side);
    struct knot back = {synth_frame_point(foot, leg->end, 0, low + heel, -0.16 * length), heel},
                ball = {synth_frame_point(foot, leg->end, 0.02 * sign * length, low + heel, 0.5 * length), 0.98 * heel},
                toes = {synth_frame_point(foot, leg->end, -0.01 * sign * length, low + 0.8 * heel, 0.68 * length),
                        0.8 * heel},
                ankle = {leg->end, 1.15 * build->ankle_radius},
                instep = {synth_frame_point(foot, leg->end, 0, low + 1.1 * heel, 0.42 * length), 0.85 * heel};

    flesh->class_number = SYNTH_FOOT;
    flesh->material = &build->shoe;
    flesh->parting = synth_parting_whole(side == SYNTH_LEFT ? SYNTH_LEFT_FOOT : SYNTH_RIGHT_FOOT);
    add_flat(flesh, foot, back, ball, 1.15, 1, 1);
    add_flat(flesh, foot, ball, toes, 1.35, 1, 1);
    add(flesh, ankle, instep);
    add(flesh, ankle, back);
}

static void add_leg(struct flesh *flesh, int side)
{
    static const enum synth_part uppers[2][4] = {
        {SYNTH_LEFT_HIPS, SYNTH_LEFT_THIGH, SYNTH_LEFT_KNEE, SYNTH_LEFT_KNEE},
        {SYNTH_RIGHT_HIPS, SYNTH_RIGHT_THIGH, SYNTH_RIGHT_KNEE, SYNTH_RIGHT_KNEE}};
    static const enum synth_part lowers[2][4] = {
        {SYNTH_LEFT_KNEE, SYNTH_LEFT_LEG, SYNTH_LEFT_FOOT, SYNTH_LEFT_FOOT},
        {SYNTH_RIGHT_KNEE, SYNTH_RIGHT_LEG, SYNTH_RIGHT_FOOT, SYNTH_RIGHT_FOOT}};
    const struct synth_build *build = flesh->build;
    const struct synth_limb_joints *leg = &flesh->bones->legs[side];
    struct synth_vector upper = synth_normalise(synth_subtract(leg->middle, leg->root)),
                        lower = synth_normalise(synth_subtract(leg->end, leg->middle)),
                        groin = synth_subtract(upper, flesh->bones->pelvis.up),
                        back = synth_frame_along(lower, synth_subtract(leg->root, leg->end)).forward;
    double inset = 0.25 * build->thigh_radius * sign_of(side), loose = build->trousers;
    struct knot hip = {synth_frame_point(&flesh->bones->pelvis, leg->root, inset, 0, 0), build->thigh_radius},
                thigh = {between(leg->root, leg->middle, 0.4),
                         0.56 * build->thigh_radius + 0.5 * build->knee_radius + 0.3 * loose},
                knee = {leg->middle, build->knee_radius + 0.4 * loose},
                calf = {synth_add(between(leg->middle, leg->end, 0.3), synth_scale(back, 0.25 * build->calf_radius)),
                        build->calf_radius + 0.6 * loose},
                ankle = {between(leg->middle, leg->end, 0.96), build->ankle_radius + loose};

    flesh->class_number = SYNTH_THIGH;
    flesh->material = &build->cloth;
    flesh->parting = synth_parting_corner(uppers[side], between(leg->root, leg->middle, 0.8), upper,
                                          synth_add(leg->root, synth_scale(upper, 0.5 * build->thigh_radius)), groin);
    add(flesh, hip, thigh);
    add(flesh, thigh, knee);
    flesh->class_number = SYNTH_SHIN;
    flesh->material = build->bare_legs || build->skirt > 0 ? &build->skin : &build->cloth;
    flesh->parting = synth_parting_corner(lowers[side], between(leg->middle, leg->end, 0.95), lower,
                                          between(leg->middle, leg->end, 0.2), lower);
    add(flesh, knee, calf);
    add(flesh, calf, ankle);
    add_foot(flesh, side);
}

/* A skirt hangs from the hips around both thighs. */
static void add_skirt(struct flesh *flesh)
{
    static const enum synth_part parts[4] = {SYNTH_LEFT_HIPS, SYNTH_LEFT_THIGH, SYNTH_RIGHT_HIPS, SYNTH_RIGHT_THIGH};
    const struct synth_build *build = flesh->build;
    const struct synth_skeleton *bones = flesh->bones;
    struct knot waist = {bones->hips, 1.02 * build->hip_size.deep}, hems[2], middle;
    struct synth_vector down;

    for (int side = 0; side < 2; side++)
        hems[side] = (struct knot){between(bones->legs[side].root, bones->legs[side].middle, build->skirt),
                                   1.5 * build->knee_radius + 0.02 * build->height};
    middle = (struct knot){between(hems[0].place, hems[1].place, 0.5), 0.95 * hems[0].radius};
    down = synth_normalise(synth_subtract(middle.place, waist.place));
    flesh->class_number = SYNTH_THIGH;
    flesh->material = &build->cloth;
    flesh->parting = synth_parting_quarters(parts, synth_add(waist.place, synth_scale(down, 0.8 * build->thigh_radius)),
                                            bones->pelvis.right, down);
    for (int side = 0; side < 2; side++) {
        struct knot hip = {
            synth_frame_point(&bones->pelvis, bones->legs[side].root, 0.2 * sign_of(side) * build->hips, 0, 0),
            1.15 * build->thigh_radius};
        add(flesh, hip, hems[side]);
    }
    add_flat(flesh, &bones->pelvis, waist, middle, 1.15, 0.7, 1);
}

static void add_hair(struct flesh *flesh)
{
    const struct synth_build *build = flesh->build;
    const struct synth_frame *skull = &flesh->bones->skull;
    struct synth_vector head = flesh->bones->head;
    double size = build->head, wide = build->head_size.wide + build->hair_depth,
           deep = build->head_size.deep + build->hair_depth, depth = build->hair_depth;

    if (build->hair == SYNTH_BALD)
        return;
    flesh->material = &build->hair_colour;
    add_ellipsoid(flesh, skull, synth_frame_point(skull, head, 0, 0.24 * size, -0.16 * deep), wide, 0.76 * size + depth,
                  0.9 * deep);
    if (build->hair == SYNTH_BOB || build->hair == SYNTH_LONG_HAIR)
        add_ellipsoid(flesh, skull, synth_frame_point(skull, head, 0, -0.2 * size, -0.3 * deep), 1.04 * wide,
                      0.85 * size, 0.72 * deep);
    if (build->hair == SYNTH_LONG_HAIR) {
        struct knot back = {synth_frame_point(skull, head, 0, -0.3 * size, -0.45 * deep), 0.5 * deep},
                    end = {synth_frame_point(&flesh->bones->trunk, flesh->bones->neck, 0, -0.25 * size,
                                             -0.85 * build->chest_size.deep),
                           0.3 * deep};
        add_flat(flesh, skull, back, end, 1.4, 1, 1);
    } else if (build->hair == SYNTH_BUN) {
        add_ellipsoid(flesh, skull, synth_frame_point(skull, head, 0, 0.5 * size, -1.05 * deep), 0.36 * size,
                      0.36 * size, 0.36 * size);
    } else if (build->hair == SYNTH_TAIL) {
        struct knot root = {synth_frame_point(skull, head, 0, 0.35 * size, -0.95 * deep), 0.2 * size},
                    end = {synth_frame_point(skull, head, 0, -1.3 * size, -1.25 * deep), 0.13 * size};
        add(flesh, root, end);
    } else if (build->hair == SYNTH_CAP) {
        add_ellipsoid(flesh, skull, synth_frame_point(skull, head, 0, 0.42 * size, 0.8 * deep), 0.8 * wide, 0.08 * size,
                      0.75 * deep);
    }
}

static void add_head(struct flesh *flesh)
{
    static const enum synth_part parts[4] = {SYNTH_FACE_LEFT_BOTTOM, SYNTH_FACE_LEFT_TOP, SYNTH_FACE_RIGHT_BOTTOM,
                                             SYNTH_FACE_RIGHT_TOP};
    const struct synth_build *build = flesh->build;
    const struct synth_skeleton *bones = flesh->bones;
    const struct synth_frame *skull = &bones->skull;
    struct synth_vector head = bones->head;
    double size = build->head, wide = build->head_size.wide, deep = build->head_size.deep;
    struct knot neck = {bones->neck, build->neck_radius},
                nape = {synth_frame_point(skull, head, 0, -0.45 * size, -0.25 * deep), 0.9 * build->neck_radius},
                cheek = {synth_frame_point(skull, head, 0, -0.12 * size, 0.25 * deep), 0.86 * wide},
                chin = {synth_frame_point(skull, head, 0, -0.72 * size, 0.52 * deep), 0.38 * wide},
                brow = {synth_frame_point(skull, head, 0, 0.06 * size, 0.92 * deep), 0.1 * wide},
                nose = {synth_frame_point(skull, head, 0, -0.22 * size, 1.06 * deep), 0.17 * wide};

    flesh->class_number = SYNTH_HEAD;
    flesh->material = &build->skin;
    flesh->parting = synth_parting_whole(SYNTH_NECK);
    add(flesh, neck, nape);
    flesh->parting = synth_parting_quarters(parts, head, skull->right, skull->up);
    add_ellipsoid(flesh, skull, synth_frame_point(skull, head, 0, 0.18 * size, -0.06 * deep), wide, 0.82 * size,
                  0.94 * deep);
    add(flesh, cheek, chin);
    add(flesh, brow, nose);
    for (int side = 0; side < 2; side++)
        add_ellipsoid(flesh, skull, synth_frame_point(skull, head, 1.02 * sign_of(side) * wide, -0.05 * size, 0),
                      0.14 * wide, 0.26 * size, 0.2 * deep);
    add_hair(flesh);
}

void synth_body_shape_add(struct synth_scene *scene, const struct synth_build *build,
                          const struct synth_skeleton *skeleton)
{
    struct flesh flesh = {.scene = scene, .build = build, .bones = skeleton};

    add_trunk(&flesh);
    for (int side = 0; side < 2; side++) {
        add_leg(&flesh, side);
        add_arm(&flesh, side);
    }
    if (build->skirt > 0)
        add_skirt(&flesh);
    add_head(&flesh);
}
