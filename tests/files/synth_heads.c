/* The scenes with heads: what moves, what never does, and what only motion can tell apart. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "files/synth/scene.h"
#include "files/synth/synth.h"

enum { WIDTH = 64, HEIGHT = 48, PIXELS = WIDTH * HEIGHT, FRAMES = 40, BACKGROUND = 0, HEAD = 1, BODY = 2 };

struct picture {
    uint8_t rgb[3 * PIXELS];
    uint16_t labels[PIXELS], depth[PIXELS];
};

static struct shw_synth_params heads(uint64_t seed)
{
    return (struct shw_synth_params){
        .scene = SHW_SYNTH_HEADS, .width = WIDTH, .height = HEIGHT, .frames = FRAMES, .seed = seed};
}

static void render(const struct shw_synth_params *params, uint32_t index, struct picture *picture)
{
    assert_int_equal(shw_synth_render(params, index, picture->rgb, picture->labels, picture->depth), SHW_OK);
}

TESTING_CASE(every_scene_shows_every_class)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct shw_synth_params params = heads(seed);
        uint32_t seen[3] = {0};
        struct picture picture;

        render(&params, 0, &picture);
        for (uint32_t p = 0; p < PIXELS; p++) {
            assert_in_range(picture.labels[p], BACKGROUND, BODY);
            seen[picture.labels[p]]++;
        }
        assert_true(seen[BACKGROUND] > PIXELS / 2);
        assert_true(seen[HEAD] > 15 && seen[BODY] > 30); /* from 3 pixels of radius, and half behind a figure */
    }
}

/* The camera and all but the person stand still: whatever is background in two frames is as far away in both. */
TESTING_CASE(only_the_person_moves)
{
    uint32_t moving = 0, resting = 0;

    for (uint64_t seed = 0; seed < 10; seed++) {
        struct shw_synth_params params = heads(seed);
        struct picture before, now;

        render(&params, 0, &before);
        for (uint32_t frame = 1; frame < FRAMES; frame++) {
            uint32_t changed = 0;

            render(&params, frame, &now);
            for (uint32_t p = 0; p < PIXELS; p++) {
                if (before.labels[p] == BACKGROUND && now.labels[p] == BACKGROUND)
                    assert_int_equal(before.depth[p], now.depth[p]);
                changed += before.depth[p] != now.depth[p];
            }
            assert_true(changed < PIXELS * 6 / 10);
            *(changed > 0 ? &moving : &resting) += 1;
            before = now;
        }
    }
    assert_true(resting > moving / 10 && resting < moving / 2);
}

/* The light changes while they do, so that brightness differs where nothing moves. */
TESTING_CASE(the_light_changes)
{
    uint32_t different = 0;

    for (uint64_t seed = 0; seed < 10; seed++) {
        struct shw_synth_params params = heads(seed);
        struct picture first, later;

        params.empty = true;
        render(&params, 0, &first);
        render(&params, 10, &later);
        assert_memory_equal(first.depth, later.depth, sizeof first.depth);
        different += memcmp(first.rgb, later.rgb, sizeof first.rgb) != 0;
    }
    assert_int_equal(different, 10);
}

static bool is_capsule(const struct synth_body *body, enum synth_class class_number)
{
    return body->shape == SYNTH_CAPSULE && body->class_number == class_number;
}

/* As many bodies as the person has; one or two figures in most scenes; and without the person they are where they
 * were, and background. */
TESTING_CASE(figures_are_made_as_the_person_is)
{
    struct synth_scene *scene = malloc(sizeof *scene);
    uint32_t scenes_with[3] = {0};

    assert_non_null(scene);
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct shw_synth_params params = heads(seed);
        uint32_t person = 0, figures = 0;
        struct picture picture;

        synth_heads_make(seed, 3, false, scene);
        for (uint32_t i = 0; i < scene->body_count; i++) {
            enum synth_class number = scene->bodies[i].class_number;
            person += number >= SYNTH_HEAD;
            figures += is_capsule(&scene->bodies[i], SYNTH_PICTURE);
        }
        assert_true(person > 10 && figures % person == 0 && figures / person < 3);
        scenes_with[figures / person]++;
        synth_heads_make(seed, 3, true, scene);
        for (uint32_t i = 0; i < scene->body_count; i++)
            figures -= is_capsule(&scene->bodies[i], SYNTH_PICTURE);
        assert_int_equal(figures, 0);
        params.empty = true;
        render(&params, 3, &picture);
        for (uint32_t p = 0; p < PIXELS; p++)
            assert_int_equal(picture.labels[p], BACKGROUND);
    }
    assert_true(scenes_with[0] > 0 && scenes_with[1] > 20 && scenes_with[2] > 40);
    free(scene);
}

TESTING_CASE(data_sets_have_three_classes)
{
    static const char *const names[] = {"background", "head", "body"};
    struct shw_synth_params params = heads(8);
    struct shw_labelled_image read;
    struct shw_dataset set = {0};
    struct picture direct, second;

    params.count = 2 * FRAMES;
    assert_int_equal(shw_synth_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 2 * FRAMES);
    assert_int_equal(set.class_count, 3);
    for (uint32_t c = 0; c < 3; c++)
        assert_string_equal(set.classes[c].name, names[c]);
    render(&params, FRAMES + 1, &direct);
    assert_int_equal(set.read(set.user, FRAMES + 1, &read), SHW_OK);
    assert_memory_equal(read.image.pixels, direct.rgb, sizeof direct.rgb);
    assert_memory_equal(read.labels, direct.labels, sizeof direct.labels);
    set.release(set.user, &read);
    shw_synth_close(&set);
    params = heads(9);
    render(&params, 1, &second);
    assert_memory_equal(&second, &direct, sizeof direct);
}
