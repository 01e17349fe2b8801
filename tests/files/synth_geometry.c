/* The geometry of synthetic scenes, against an oracle that walks along rays; and their cameras. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>

#include "files/synth/scene.h"
#include "files/synth/synth.h"

enum { WIDTH = 40, HEIGHT = 30, PIXELS = WIDTH * HEIGHT };

struct picture {
    uint8_t rgb[3 * PIXELS];
    uint16_t labels[PIXELS], depth[PIXELS];
};

/* How far a point is from a body's surface, negative inside. */
static double distance_to_body(const struct synth_body *body, struct synth_vector point)
{
    struct synth_vector to = synth_subtract(point, body->centre);
    double beyond[3], outside = 0, inside = -1e9, along;

    if (body->shape == SYNTH_CAPSULE) {
        to = synth_subtract(point, body->first);
        along = synth_dot(to, body->axis) / synth_dot(body->axis, body->axis);
        to = synth_subtract(to, synth_scale(body->axis, fmin(fmax(along, 0), 1)));
        return sqrt(synth_dot(to, to)) - body->thickness;
    }
    beyond[0] = fabs(to.x * body->cosine - to.z * body->sine) - body->half.x;
    beyond[1] = fabs(to.y) - body->half.y;
    beyond[2] = fabs(to.x * body->sine + to.z * body->cosine) - body->half.z;
    for (int i = 0; i < 3; i++) {
        outside += beyond[i] > 0 ? beyond[i] * beyond[i] : 0;
        inside = fmax(inside, beyond[i]);
    }
    return outside > 0 ? sqrt(outside) : inside;
}

/* The distances to everything at a point: the room's sides by class, then the bodies. */
static double distances(const struct synth_scene *scene, struct synth_vector point,
                        double to[SYNTH_CEILING + 1 + SYNTH_BODIES_MAX])
{
    double nearest;

    to[SYNTH_FLOOR] = point.y;
    to[SYNTH_CEILING] = scene->room.y - point.y;
    to[SYNTH_WALL] = fmin(fmin(point.x, scene->room.x - point.x), fmin(point.z, scene->room.z - point.z));
    nearest = fmin(fmin(to[SYNTH_FLOOR], to[SYNTH_CEILING]), to[SYNTH_WALL]);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        to[SYNTH_CEILING + 1 + i] = distance_to_body(&scene->bodies[i], point);
        nearest = fmin(nearest, to[SYNTH_CEILING + 1 + i]);
    }
    return nearest;
}

/* Walks along a pixel's ray, each step as long as nothing can be nearer, and checks what it runs into. */
static void check_pixel(const struct synth_scene *scene, const struct picture *picture, uint32_t x, uint32_t y)
{
    double to[SYNTH_CEILING + 1 + SYNTH_BODIES_MAX], travelled = 0, across = ((x + 0.5) - WIDTH / 2.0) / (WIDTH / 2.0),
                                                     up = (HEIGHT / 2.0 - (y + 0.5)) / (WIDTH / 2.0), length, nearest;
    uint16_t label = picture->labels[y * WIDTH + x], depth = picture->depth[y * WIDTH + x];
    struct synth_vector ray = synth_add(scene->forward, synth_add(synth_scale(scene->right, across * scene->field),
                                                                  synth_scale(scene->up, up * scene->field)));
    bool found = false;

    length = sqrt(synth_dot(ray, ray));
    do {
        nearest = distances(scene, synth_add(scene->eye, synth_scale(ray, travelled / length)), to);
        travelled += nearest;
    } while (nearest > 1e-7);
    for (uint32_t i = 0; i < SYNTH_CEILING + 1 + scene->body_count; i++)
        if (to[i] < 1e-5 && label == (i <= SYNTH_CEILING ? i : scene->bodies[i - SYNTH_CEILING - 1].class_number))
            found = true;
    if (!found)
        fail_msg("pixel (%u, %u) is no %s", x, y, shw_synth_classes[label].name);
    if (fabs(1000 * travelled / length - depth) > 0.51)
        fail_msg("depth of pixel (%u, %u) is %u and not %.2f", x, y, depth, 1000 * travelled / length);
}

TESTING_CASE(geometry_is_true)
{
    struct synth_scene *scene = malloc(sizeof *scene);
    struct picture picture;

    assert_non_null(scene);
    for (uint64_t seed = 100; seed < 110; seed++) {
        struct shw_synth_params params = {.width = WIDTH, .height = HEIGHT, .seed = seed, .frames = 3};
        uint32_t frame = (uint32_t)(seed % 3);
        synth_scene_make(seed, frame, false, scene);
        assert_int_equal(shw_synth_render(&params, frame, picture.rgb, picture.labels, picture.depth), SHW_OK);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                check_pixel(scene, &picture, x, y);
    }
    free(scene);
}

TESTING_CASE(cameras_look_straight)
{
    struct synth_scene *scene = malloc(sizeof *scene);

    assert_non_null(scene);
    for (uint64_t seed = 0; seed < 100; seed++) {
        synth_scene_make(seed, 5, false, scene);
        assert_true(fabs(synth_dot(scene->forward, scene->forward) - 1) < 1e-5);
        assert_true(fabs(synth_dot(scene->right, scene->right) - 1) < 1e-5);
        assert_true(fabs(synth_dot(scene->up, scene->up) - 1) < 1e-5);
        assert_true(fabs(synth_dot(scene->forward, scene->right)) < 1e-5);
        assert_true(fabs(synth_dot(scene->forward, scene->up)) < 1e-5);
        assert_true(fabs(synth_dot(scene->right, scene->up)) < 1e-5);
        assert_true(scene->forward.z > 0.9 && scene->up.y > 0.9);
        assert_true(scene->eye.x > 0 && scene->eye.x < scene->room.x && scene->eye.y > 0 &&
                    scene->eye.y < scene->room.y);
        for (uint32_t i = 0; i < scene->body_count; i++)
            assert_true(distance_to_body(&scene->bodies[i], scene->eye) > 0);
    }
    free(scene);
}

TESTING_CASE(cameras_stay_in_the_room)
{
    struct synth_scene *scene = malloc(sizeof *scene);

    assert_non_null(scene);
    for (uint64_t seed = 0; seed < 20; seed++)
        for (uint32_t frame = 1; frame < 1000000; frame = frame * 3 + 1) {
            synth_scene_make(seed, frame, true, scene);
            assert_true(scene->eye.x > 0.8 && scene->eye.x < scene->room.x - 0.8);
            for (uint32_t i = 0; i < scene->body_count; i++)
                assert_true(distance_to_body(&scene->bodies[i], scene->eye) > 0);
        }
    free(scene);
}
