/* The windows that tell which bodies a ray may meet: they may hold too many bodies, never too few. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/synth/pose.h"
#include "files/synth/scene.h"

enum { SIDE = 5 * SYNTH_SIGHT_CELLS }; /* of a picture in pixels */

struct state {
    struct testing_random random;
    struct synth_scene scene;
    struct synth_sight sight;
};

static double even(struct testing_random *random, double low, double high)
{
    return low + (high - low) * ((double)testing_random_below(random, 1u << 30) / (1u << 30));
}

static struct synth_vector any(struct testing_random *random, struct synth_vector low, struct synth_vector high)
{
    struct synth_vector point = {even(random, low.x, high.x), 0, 0};

    point.y = even(random, low.y, high.y);
    point.z = even(random, low.z, high.z);
    return point;
}

static struct synth_vector in_room(struct state *state)
{
    return any(&state->random, synth_vector(0, 0, 0), state->scene.room);
}

static void add_cone(struct state *state, struct synth_vector place, double size, const struct synth_material *material)
{
    struct testing_random *random = &state->random;
    struct synth_frame frame = synth_frame_turn(synth_frame_upright(even(random, 0, 1)), even(random, 0, 1));
    struct synth_cone cone = {.first = place, .second = place};

    frame = synth_frame_bend(synth_frame_lean(frame, even(random, 0, 1)), even(random, 0, 1));
    if (testing_random_below(random, 4) != 0)
        cone.second = synth_add(place, any(random, synth_vector(-size, -size, -size), synth_vector(size, size, size)));
    for (int i = 0; i < 3; i++)
        cone.stretches[i] = even(random, 0.2, 2);
    for (int i = 0; i < 2; i++)
        cone.radii[i] = 0.001 + 0.3 * size * even(random, 0, 1);
    memcpy(cone.directions, &frame, sizeof cone.directions);
    synth_cone_add(&state->scene, SYNTH_TABLE, material, &cone, NULL);
}

/* A scene; every other one with its furniture replaced by bodies of all kinds anywhere, around the eye and the lights
 * too. */
static void make(struct state *state, uint32_t number)
{
    struct synth_scene *scene = &state->scene;
    struct testing_random *random = &state->random;
    struct synth_material material = {.scale = 1};

    synth_scene_make(number, 0, false, scene);
    if (number % 2 == 1) {
        scene->body_count = 0;
        scene->body_limit = SYNTH_BODIES_MAX;
        for (uint32_t i = 0; i < SYNTH_BODIES_MAX; i++) {
            struct synth_vector place = in_room(state);
            double size = even(random, 0, 1), sine, cosine;
            material.glow = testing_random_below(random, 8) == 0 ? 1 : 0;
            size *= size * size;
            synth_sine_cosine(even(random, 0, 1), &sine, &cosine);
            if (i % 3 == 0)
                add_cone(state, place, size, &material);
            else if (testing_random_below(random, 2))
                synth_box_add(scene, SYNTH_TABLE, &material, place,
                              any(random, synth_vector(0.001, 0.001, 0.001), synth_vector(size, size, size)), sine,
                              cosine);
            else
                synth_capsule_add(
                    scene, SYNTH_LAMP, &material, place,
                    synth_add(place, any(random, synth_vector(-size, -size, -size), synth_vector(size, size, 1))),
                    0.001 + 0.3 * size);
        }
    }
    synth_sight_make(scene, 1, &state->sight);
}

static bool holds(const struct synth_set *set, uint32_t number)
{
    return (set->words[number / 64] >> number % 64 & 1) != 0;
}

static struct synth_vector in_body(struct testing_random *random, const struct synth_body *body)
{
    struct synth_vector point, half = body->half, off;
    double along;

    if (body->shape == SYNTH_BOX) { /* often on an edge or at a corner */
        off = any(random, synth_scale(half, -1.5), synth_scale(half, 1.5));
        off = synth_vector(fmin(fmax(off.x, -half.x), half.x), fmin(fmax(off.y, -half.y), half.y),
                           fmin(fmax(off.z, -half.z), half.z));
        return synth_add(body->centre, synth_vector(off.x * body->cosine + off.z * body->sine, off.y,
                                                    off.z * body->cosine - off.x * body->sine));
    }
    along = fmin(fmax(even(random, -0.5, 1.5), 0), 1);
    point = synth_add(body->first, synth_scale(body->axis, along));
    off = any(random, synth_vector(-1, -1, -1), synth_vector(1, 1, 1));
    if (body->shape == SYNTH_CONE) {
        off = synth_scale(synth_normalise(off), body->thickness + along * body->growth);
        off = synth_add(synth_add(synth_scale(body->spans[0], off.x), synth_scale(body->spans[1], off.y)),
                        synth_scale(body->spans[2], off.z));
        return synth_add(point, off);
    }
    return synth_add(point, synth_scale(synth_normalise(off), body->thickness));
}

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct state));
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

/* A point of a body is in the set of the direction in which it lies. */
TESTING_CASE_WITH(bodies_are_where_they_lie, setup, teardown)
{
    struct state *seen = *state;
    const struct synth_scene *scene = &seen->scene;
    uint32_t in_picture = 0;

    seen->random.state = 51;
    for (uint32_t number = 0; number < 20; number++) {
        make(seen, number);
        for (uint32_t i = 0; i < 20 * scene->body_count; i++) {
            const struct synth_body *body = &scene->bodies[i / 20];
            struct synth_vector point = in_body(&seen->random, body), to = synth_subtract(point, scene->eye);
            double depth = synth_dot(to, scene->forward), x, y;
            if (depth > 1e-3) {
                x = SIDE / 2.0 * (1 + synth_dot(to, scene->right) / depth / scene->field);
                y = SIDE / 2.0 * (1 - synth_dot(to, scene->up) / depth / scene->field);
                /* the camera's directions are not quite at right angles */
                if (x > 0 && x < SIDE && y > 0 && y < SIDE && fabs(x - floor(x) - 0.5) < 0.49 &&
                    fabs(y - floor(y) - 0.5) < 0.49) {
                    assert_true(
                        holds(synth_sight_of_pixel(&seen->sight, (uint32_t)x, (uint32_t)y, SIDE, SIDE), i / 20));
                    in_picture++;
                }
            }
            for (uint32_t light = 0; light < scene->light_count; light++)
                assert_int_equal(
                    holds(synth_sight_of_light(&seen->sight, light, point), i / 20) || body->material.glow > 0, true);
        }
    }
    assert_true(in_picture > 10000);
}

static bool same_hit(const struct synth_hit *a, const struct synth_hit *b)
{
    return a->distance == b->distance && a->material == b->material && a->class_number == b->class_number &&
           a->u == b->u && a->v == b->v && memcmp(&a->normal, &b->normal, sizeof a->normal) == 0;
}

/* Rays meet the same among the bodies of their window as among all. */
TESTING_CASE_WITH(rays_miss_nothing, setup, teardown)
{
    static const uint32_t sizes[][2] = {{320, 240}, {1, 1}, {3, 500}, {500, 3}, {31, 17}, {4096, 4096}};
    struct state *seen = *state;
    struct synth_scene *scene = &seen->scene;
    uint32_t met = 0, blocked_ones = 0, tried = 0;

    seen->random.state = 52;
    for (uint32_t number = 0; number < 24; number++) {
        const uint32_t *size = sizes[number / 2 % 6];
        struct synth_set all = {{0}};
        make(seen, number);
        synth_sight_make(scene, (double)size[1] / size[0], &seen->sight);
        for (uint32_t i = 0; i < scene->body_count; i++)
            all.words[i / 64] |= 1ull << i % 64;
        for (int i = 0; i < 3000; i++) {
            uint32_t x = testing_random_below(&seen->random, size[0]), y = testing_random_below(&seen->random, size[1]);
            double across = (2.0 * x + 1 - size[0]) / size[0], up = (size[1] - 2.0 * y - 1) / size[0];
            struct synth_vector direction =
                synth_add(scene->forward, synth_add(synth_scale(scene->right, across * scene->field),
                                                    synth_scale(scene->up, up * scene->field)));
            struct synth_vector point = in_room(seen);
            uint32_t light = testing_random_below(&seen->random, scene->light_count);
            struct synth_hit among_all = synth_trace(scene, &all, scene->eye, direction);
            struct synth_hit among_few =
                synth_trace(scene, synth_sight_of_pixel(&seen->sight, x, y, size[0], size[1]), scene->eye, direction);
            bool blocked = synth_blocked(scene, &all, point, scene->lights[light].position);
            assert_true(same_hit(&among_all, &among_few));
            assert_int_equal(blocked, synth_blocked(scene, synth_sight_of_light(&seen->sight, light, point), point,
                                                    scene->lights[light].position));
            met += among_all.class_number > SYNTH_CEILING;
            blocked_ones += blocked;
            tried++;
        }
    }
    assert_true(met > tried / 5 && blocked_ones > tried / 5 && blocked_ones < tried);
}

/* Without this the windows could hold all bodies and nothing would be gained. */
TESTING_CASE_WITH(sets_are_small, setup, teardown)
{
    struct state *here = *state;
    uint32_t all = 0, seen = 0, shadows = 0;

    here->random.state = 53;
    for (uint32_t number = 0; number < 40; number += 2) {
        make(here, number);
        for (uint32_t i = 0; i < 200; i++) {
            const struct synth_set *pixel =
                synth_sight_of_pixel(&here->sight, testing_random_below(&here->random, SIDE),
                                     testing_random_below(&here->random, SIDE), SIDE, SIDE);
            const struct synth_set *light = synth_sight_of_light(&here->sight, 0, in_room(here));
            for (uint32_t b = 0; b < here->scene.body_count; b++) {
                all++;
                seen += holds(pixel, b);
                shadows += holds(light, b);
            }
        }
    }
    assert_true(seen < all / 8);
    assert_true(shadows < all / 8);
}
