/* The scenes with people's bodies: their geometry and labels against oracles, their poses, and what the options do. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/synth/pose.h"
#include "files/synth/scene.h"
#include "files/synth/synth.h"

enum { WIDTH = 40, HEIGHT = 30, PIXELS = WIDTH * HEIGHT };

struct picture {
    uint8_t rgb[3 * PIXELS];
    uint16_t labels[PIXELS], depth[PIXELS];
};

static struct shw_synth_params bodies(uint64_t seed)
{
    return (struct shw_synth_params){.scene = SHW_SYNTH_BODIES, .width = WIDTH, .height = HEIGHT, .seed = seed};
}

static void render(const struct shw_synth_params *params, uint32_t index, struct picture *picture)
{
    assert_int_equal(shw_synth_render(params, index, picture->rgb, picture->labels, picture->depth), SHW_OK);
}

/* How far a point is from a cone's surface in the space where its ends are balls, negative inside: the least distance
 * to the balls between its ends, which has one minimum. */
static double outside_cone(const struct synth_body *body, struct synth_vector point)
{
    double low = 0, high = 1, values[2];

    point = synth_subtract(point, body->first);
    for (int i = 0; i < 60; i++) {
        for (int j = 0; j < 2; j++) {
            double at = low + (high - low) * (1 + j) / 3;
            struct synth_vector to = synth_subtract(point, synth_scale(body->axis, at));
            to = synth_vector(synth_dot(to, body->map[0]), synth_dot(to, body->map[1]), synth_dot(to, body->map[2]));
            values[j] = sqrt(synth_dot(to, to)) - (body->thickness + at * body->growth);
        }
        if (values[0] < values[1])
            high = low + (high - low) * 2 / 3;
        else
            low += (high - low) / 3;
    }
    return values[0];
}

static struct synth_vector ray_of(const struct synth_scene *scene, uint32_t x, uint32_t y)
{
    double across = (x + 0.5 - WIDTH / 2.0) / (WIDTH / 2.0), up = (HEIGHT / 2.0 - y - 0.5) / (WIDTH / 2.0);

    return synth_add(scene->forward, synth_add(synth_scale(scene->right, across * scene->field),
                                               synth_scale(scene->up, up * scene->field)));
}

/* The part of a body at a point on it, by its two planes. */
static uint32_t part_of(const struct synth_body *body, struct synth_vector point)
{
    bool first = synth_dot(body->parting.planes[0].normal, point) > body->parting.planes[0].at;
    bool second = synth_dot(body->parting.planes[1].normal, point) > body->parting.planes[1].at;

    return body->parting.parts[first][second];
}

/* Walks along a pixel's ray to the first cone, in steps of 2 mm: it has the pixel's depth and label. False where the
 * walk missed what the pixel shows. */
static bool check_pixel(const struct synth_scene *scene, const struct picture *picture, uint32_t x, uint32_t y)
{
    uint16_t label = picture->labels[y * WIDTH + x], depth = picture->depth[y * WIDTH + x];
    struct synth_vector ray = ray_of(scene, x, y), point;
    double nearest = 1e9, metres = depth / 1000.0;
    uint32_t seen = SHW_LABEL_VOID;

    for (uint32_t i = 0; i < scene->body_count; i++) {
        const struct synth_body *body = &scene->bodies[i];
        struct synth_vector to = synth_subtract(body->centre, scene->eye);
        double middle = synth_dot(to, ray) / synth_dot(ray, ray), half = 1.01 * body->radius;
        to = synth_subtract(synth_scale(ray, middle), to);
        if (body->shape != SYNTH_CONE || synth_dot(to, to) > half * half)
            continue;
        for (double at = middle - half; at < middle + half && at < nearest; at += 0.002) {
            double high = at, low = at - 0.002;
            if (outside_cone(body, synth_add(scene->eye, synth_scale(ray, at))) >= 0)
                continue;
            for (int j = 0; j < 40; j++) {
                double mean = 0.5 * (low + high);
                *(outside_cone(body, synth_add(scene->eye, synth_scale(ray, mean))) < 0 ? &high : &low) = mean;
            }
            point = synth_add(scene->eye, synth_scale(ray, high));
            nearest = high;
            seen = part_of(body, point);
            break;
        }
    }
    if (label == SHW_LABEL_VOID) {
        assert_true(nearest > metres - 0.0006);
        return true;
    }
    if (nearest > metres + 0.0006) /* a thin slice between two steps */
        return false;
    assert_true(nearest > metres - 0.0006);
    assert_int_equal(label, seen);
    return true;
}

TESTING_CASE(geometry_and_labels_are_true)
{
    struct synth_scene *scene = malloc(sizeof *scene);
    struct picture picture;
    uint32_t missed = 0, people = 0;

    assert_non_null(scene);
    for (uint64_t seed = 40; seed < 46; seed++) {
        struct shw_synth_params params = bodies(seed);
        render(&params, 0, &picture);
        synth_people_make(seed, 0, false, scene);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                people += picture.labels[y * WIDTH + x] != SHW_LABEL_VOID;
                missed += !check_pixel(scene, &picture, x, y);
            }
    }
    assert_true(people > 300 && missed * 50 < people);
    free(scene);
}

/* A room with one person three metres before the camera, who stands at x = 2. */
static struct synth_skeleton pose_alone(struct synth_scene *scene, const struct synth_build *build,
                                        const struct synth_pose *pose, double x_of_facing)
{
    struct synth_stance stance = {*pose, {2, 0, 3.5}, synth_normalise(synth_vector(x_of_facing, 0, -1))};
    struct synth_skeleton skeleton = synth_skeleton_make(build, &stance);

    *scene = (struct synth_scene){.room = {4, 3, 6},
                                  .body_limit = SYNTH_BODIES_MAX,
                                  .eye = {2, 1, 0.5},
                                  .forward = {0, 0, 1},
                                  .right = {1, 0, 0},
                                  .up = {0, 1, 0},
                                  .field = 0.5};
    synth_body_shape_add(scene, build, &skeleton);
    return skeleton;
}

static struct synth_hit hit_of(const struct synth_scene *scene, uint32_t x, uint32_t y)
{
    struct synth_set all;

    memset(&all, 0xff, sizeof all);
    return synth_trace(scene, &all, scene->eye, ray_of(scene, x, y));
}

static uint32_t label_of(const struct synth_hit *hit)
{
    return hit->body != NULL ? synth_part_at(&hit->body->parting, hit->point) : SYNTH_PART_COUNT;
}

static struct synth_build any_build(uint32_t number)
{
    struct synth_stream stream = {number, 0};

    return synth_build_make(&stream);
}

static struct synth_pose any_pose(const struct synth_build *build, uint32_t number)
{
    struct synth_stream stream = {number + 1000, 0};

    if (number % 5 == 0)
        return synth_pose_sitting(build, &stream, build->shin, 0.3);
    return number % 7 == 0 ? synth_pose_walking(build, &stream, 0.01 * number)
                           : synth_pose_make(&stream, 0.02 * number);
}

TESTING_CASE(mirrored_poses_have_mirrored_labels)
{
    struct synth_scene *scenes = malloc(2 * sizeof *scenes);
    uint32_t people = 0, different = 0, sides = 0;

    assert_non_null(scenes);
    for (uint32_t number = 0; number < 60; number++) {
        struct synth_build build = any_build(number);
        struct synth_pose pose = any_pose(&build, number), mirrored = synth_pose_mirrored(&pose);
        double facing = 0.3 * (number % 9) - 1.2;
        pose_alone(&scenes[0], &build, &pose, facing);
        pose_alone(&scenes[1], &build, &mirrored, -facing);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                struct synth_hit a = hit_of(&scenes[0], x, y), b = hit_of(&scenes[1], WIDTH - 1 - x, y);
                uint32_t one = label_of(&a), other = label_of(&b);
                people += one < SYNTH_PART_COUNT;
                sides += one < SYNTH_PART_COUNT && one != other;
                if (one < SYNTH_PART_COUNT)
                    one = synth_part_mirrored((enum synth_part)one);
                different += one != other;
            }
    }
    assert_true(people > 2000 && sides > people * 9 / 10 && different * 500 < people);
    free(scenes);
}

static double away_from_bone(struct synth_vector point, struct synth_vector from, struct synth_vector to)
{
    struct synth_vector bone = synth_subtract(to, from), off = synth_subtract(point, from);
    double along = fmin(fmax(synth_dot(off, bone) / synth_dot(bone, bone), 0), 1);

    off = synth_subtract(off, synth_scale(bone, along));
    return sqrt(synth_dot(off, off));
}

/* Labels agree with the nearest bone, less what is thick there. */
TESTING_CASE(parts_are_where_their_bones_are)
{
    static const enum synth_part parts_of[2][5][3] = {{{SYNTH_LEFT_THIGH, SYNTH_LEFT_KNEE, SYNTH_LEFT_HIPS},
                                                       {SYNTH_LEFT_LEG, SYNTH_LEFT_KNEE, SYNTH_LEFT_FOOT},
                                                       {SYNTH_LEFT_ARM, SYNTH_LEFT_ELBOW, SYNTH_LEFT_CHEST},
                                                       {SYNTH_LEFT_FOREARM, SYNTH_LEFT_ELBOW, SYNTH_LEFT_HAND},
                                                       {SYNTH_LEFT_HAND, SYNTH_LEFT_HAND, SYNTH_LEFT_FOREARM}},
                                                      {{SYNTH_RIGHT_THIGH, SYNTH_RIGHT_KNEE, SYNTH_RIGHT_HIPS},
                                                       {SYNTH_RIGHT_LEG, SYNTH_RIGHT_KNEE, SYNTH_RIGHT_FOOT},
                                                       {SYNTH_RIGHT_ARM, SYNTH_RIGHT_ELBOW, SYNTH_RIGHT_CHEST},
                                                       {SYNTH_RIGHT_FOREARM, SYNTH_RIGHT_ELBOW, SYNTH_RIGHT_HAND},
                                                       {SYNTH_RIGHT_HAND, SYNTH_RIGHT_HAND, SYNTH_RIGHT_FOREARM}}};
    struct synth_scene *scene = malloc(sizeof *scene);
    uint32_t at_bones = 0, right = 0;

    assert_non_null(scene);
    for (uint32_t number = 0; number < 60; number++) {
        struct synth_build build = any_build(number);
        struct synth_pose pose = any_pose(&build, number);
        struct synth_skeleton bones = pose_alone(scene, &build, &pose, 0.3 * (number % 9) - 1.2);
        for (uint32_t i = 0; i < PIXELS; i++) {
            struct synth_hit hit = hit_of(scene, i % WIDTH, i / WIDTH);
            uint32_t label = label_of(&hit), near = 0;
            bool agrees = false;
            for (int side = 0; label < SYNTH_PART_COUNT && side < 2; side++) {
                const struct synth_limb_joints *leg = &bones.legs[side], *arm = &bones.arms[side];
                const double away[5] = {
                    away_from_bone(hit.point, leg->root, leg->middle) / build.knee_radius,
                    away_from_bone(hit.point, leg->middle, leg->end) / build.knee_radius,
                    away_from_bone(hit.point, arm->root, arm->middle) / build.elbow_radius,
                    away_from_bone(hit.point, arm->middle, arm->end) / build.elbow_radius,
                    away_from_bone(hit.point, arm->end,
                                   synth_add(arm->end, synth_scale(arm->tip.up, 1.8 * build.palm))) /
                        build.elbow_radius};
                for (int bone = 0; bone < 5; bone++)
                    for (int i_part = 0; away[bone] < 1.02 && i_part < 3; i_part++) {
                        near = 1;
                        agrees = agrees || parts_of[side][bone][i_part] == (enum synth_part)label;
                    }
            }
            at_bones += near;
            right += near != 0 && agrees;
        }
    }
    assert_true(at_bones > 700 && right * 100 > at_bones * 97);
    free(scene);
}

TESTING_CASE(every_part_is_seen)
{
    uint32_t seen[SYNTH_PART_COUNT] = {0}, people = 0, frames = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        struct shw_synth_params params = bodies(seed);
        struct picture picture;
        uint32_t here = 0;
        render(&params, 0, &picture);
        for (uint32_t p = 0; p < PIXELS; p++)
            if (picture.labels[p] != SHW_LABEL_VOID) {
                assert_true(picture.labels[p] < SYNTH_PART_COUNT);
                seen[picture.labels[p]]++;
                here++;
            }
        people += here;
        frames += here > PIXELS / 200;
    }
    for (uint32_t part = 0; part < SYNTH_PART_COUNT; part++)
        assert_true(seen[part] * 400 > people);
    assert_true(frames > 54);
}

TESTING_CASE(backgrounds_and_cuts_are_as_asked)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct shw_synth_params params = bodies(seed);
        struct picture plain, other;
        params.holes = seed % 2 == 1;
        render(&params, 0, &plain);
        params.cut = params.background = true;
        render(&params, 0, &other);
        assert_memory_equal(plain.rgb, other.rgb, sizeof plain.rgb);
        for (uint32_t p = 0; p < PIXELS; p++) {
            bool person = plain.labels[p] != SHW_LABEL_VOID;
            assert_int_equal(other.labels[p], person ? plain.labels[p] : SYNTH_PART_COUNT);
            assert_int_equal(other.depth[p], person ? plain.depth[p] : 0);
        }
        params.empty = true;
        render(&params, 0, &plain);
        for (uint32_t p = 0; p < PIXELS; p++)
            assert_true(plain.labels[p] == SYNTH_PART_COUNT && plain.depth[p] == 0);
    }
}

/* A cut leaves the people of the other scenes, too. */
TESTING_CASE(cuts_leave_people)
{
    for (int scene = SHW_SYNTH_ROOMS; scene <= SHW_SYNTH_HEADS; scene++) {
        struct shw_synth_params params = bodies(4);
        struct picture plain, other;
        uint32_t people = 0;
        params.scene = (enum shw_synth_scene)scene;
        render(&params, 0, &plain);
        params.cut = true;
        render(&params, 0, &other);
        for (uint32_t p = 0; p < PIXELS; p++) {
            bool person = plain.labels[p] >= (scene == SHW_SYNTH_ROOMS ? SYNTH_HEAD : 1);
            people += person;
            assert_int_equal(other.depth[p], person ? plain.depth[p] : 0);
        }
        assert_true(people > 10 && people < PIXELS);
    }
}

static void check_limb(const struct synth_limb_joints *limb, double upper, double lower)
{
    struct synth_vector a = synth_subtract(limb->middle, limb->root), b = synth_subtract(limb->end, limb->middle);

    assert_true(fabs(sqrt(synth_dot(a, a)) - upper) < 1e-6);
    assert_true(fabs(sqrt(synth_dot(b, b)) - lower) < 1e-6);
    assert_true(synth_dot(a, b) > -0.86 * upper * lower); /* bent by 150 degrees at most */
}

TESTING_CASE(poses_are_possible)
{
    uint32_t inside = 0, wrists = 0;

    for (uint32_t number = 0; number < 600; number++) {
        struct synth_build build = any_build(number);
        struct synth_pose pose = any_pose(&build, number);
        struct synth_stance stance = {pose, {0, 0, 0}, {0, 0, 1}};
        struct synth_skeleton bones = synth_skeleton_make(&build, &stance);
        assert_true(build.height > 1.09 && build.height < 2.06);
        assert_true(bones.head.y + build.head < 1.03 * build.height);
        for (int side = 0; side < 2; side++) {
            const struct synth_limb_joints *arm = &bones.arms[side], *leg = &bones.legs[side];
            struct synth_vector shin = synth_subtract(leg->end, leg->middle),
                                thigh = synth_subtract(leg->middle, leg->root),
                                wrist = synth_frame_inside(&bones.trunk, bones.chest, arm->end);
            check_limb(arm, build.upper_arm, build.forearm);
            check_limb(leg, build.thigh, build.shin);
            assert_true(leg->end.y > build.ankle - 0.005 && leg->middle.y > 0);
            /* knees bend forwards */
            assert_true(synth_dot(synth_cross(bones.pelvis.right, thigh), shin) > -1e-3 ||
                        synth_dot(thigh, shin) > 0.9 * build.thigh * build.shin);
            wrists++;
            inside += fabs(wrist.y) < 0.5 * build.chest && fabs(wrist.x) < 0.9 * build.chest_size.wide &&
                      fabs(wrist.z) < 0.9 * build.chest_size.deep &&
                      wrist.x * wrist.x / (build.chest_size.wide * build.chest_size.wide) +
                              wrist.z * wrist.z / (build.chest_size.deep * build.chest_size.deep) <
                          0.9;
        }
    }
    assert_true(inside * 200 < wrists);
}

TESTING_CASE(motion_is_smooth)
{
    for (uint32_t number = 0; number < 12; number++) {
        struct synth_build build = any_build(number);
        struct synth_motion motion = {
            .key = number, .facing = {0, 0, -1}, .seat = number % 4 == 0 ? build.shin : 0, .room = 0.6};
        struct synth_skeleton before = {0};
        double moved = 0;
        for (uint32_t frame = 0; frame < 300; frame++) {
            struct synth_stance stance = synth_motion_at(&motion, &build, frame / 30.0);
            struct synth_skeleton bones = synth_skeleton_make(&build, &stance);
            for (int side = 0; frame > 0 && side < 2; side++) {
                struct synth_vector hand = synth_subtract(bones.arms[side].end, before.arms[side].end),
                                    foot = synth_subtract(bones.legs[side].end, before.legs[side].end);
                moved += sqrt(synth_dot(hand, hand));
                assert_true(synth_dot(hand, hand) < 0.4 * 0.4 && synth_dot(foot, foot) < 0.2 * 0.2);
            }
            before = bones;
        }
        assert_true(moved > 3);
    }
}

TESTING_CASE(seeds_give_other_people)
{
    struct synth_scene *scenes = malloc(2 * sizeof *scenes);
    uint32_t two = 0;

    assert_non_null(scenes);
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct synth_scene *scene = &scenes[seed % 2];
        uint32_t cones = 0;
        synth_people_make(seed, 0, false, scene);
        assert_true(scene->body_count < SYNTH_BODIES_MAX);
        for (uint32_t i = 0; i < scene->body_count; i++)
            cones += scene->bodies[i].has_parts;
        assert_true(cones > 40 && cones <= 2 * SYNTH_SHAPE_BODIES_MAX);
        two += cones > SYNTH_SHAPE_BODIES_MAX;
        assert_true(memcmp(&scenes[0].bodies[20].first, &scenes[1].bodies[20].first, sizeof(struct synth_vector)) != 0);
    }
    assert_true(two > 60 && two < 150);
    free(scenes);
}
