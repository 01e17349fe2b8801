/* A detector from few rectangles: discs on noise, which are found in pictures that it has not seen; a place of the
 * curve; and what is refused. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "detection/learn/learn.h"
#include "detection/learn/ranks.h"
#include "detection/learn/turned.h"

#define SIDE     96
#define PICTURES 24

struct scene {
    uint8_t pixels[SIDE * SIDE];
    struct shw_true_object objects[2];
};

static bool is_inside(int x, int y, bool round, int middle_x, int middle_y, int radius)
{
    const int across = abs(x - middle_x), down = abs(y - middle_y);

    return round ? across * across + down * down <= radius * radius : across <= radius && down <= radius;
}

static void fill(struct scene *scene, bool round, int x, int y, int radius, int grey)
{
    for (int row = y - radius; row <= y + radius; row++)
        for (int column = x - radius; column <= x + radius; column++)
            if (row >= 0 && column >= 0 && row < SIDE && column < SIDE && is_inside(column, row, round, x, y, radius))
                scene->pixels[row * SIDE + column] = (uint8_t)grey;
}

/* A bright disc with a dark middle, on other shapes: discs and squares of one grey, and dark ones with a bright middle.
 */
static void draw(struct testing_random *random, struct scene *scene)
{
    const int x = testing_random_range(random, 14, SIDE - 15), y = testing_random_range(random, 14, SIDE - 15);

    for (int p = 0; p < SIDE * SIDE; p++)
        scene->pixels[p] = (uint8_t)(80 + testing_random_below(random, 80));
    for (int shape = 0; shape < 12; shape++) {
        const bool round = testing_random_below(random, 2) == 0;
        const int grey = testing_random_range(random, 0, 255), radius = testing_random_range(random, 5, 12);
        const int column = testing_random_range(random, 0, SIDE - 1), row = testing_random_range(random, 0, SIDE - 1);

        fill(scene, round, column, row, radius, grey);
        if (grey < 128)
            fill(scene, round, column, row, radius / 2, 230);
    }
    fill(scene, true, x, y, 10, 220);
    fill(scene, true, x, y, 4, 20);
    scene->objects[0] = (struct shw_true_object){x - 10, y - 10, 21, 21, false};
}

struct made {
    struct scene scenes[PICTURES];
    struct shw_learn_picture pictures[PICTURES];
};

static void make(uint32_t seed, struct made *made)
{
    struct testing_random random = {seed};

    for (uint32_t p = 0; p < PICTURES; p++) {
        draw(&random, &made->scenes[p]);
        made->pictures[p] =
            (struct shw_learn_picture){.image = {made->scenes[p].pixels, SIDE, SIDE, 0, SHW_PIXEL_GREY8},
                                       .objects = made->scenes[p].objects,
                                       .object_count = 1,
                                       .is_complete = true};
    }
}

struct seen {
    uint32_t parts, calls, stop_after;
    double done;
    void (*interrupt)(void *subject);
    void *subject;
};

static void report(void *user, const struct shw_learn_progress *progress)
{
    struct seen *seen = user;

    assert_true(progress->part < progress->part_count && progress->done >= seen->done && progress->done <= 1.0);
    seen->done = progress->done;
    seen->parts = progress->part + 1;
    if (++seen->calls == seen->stop_after && seen->interrupt != NULL)
        seen->interrupt(seen->subject);
}

static bool may_interrupt(void *user, void (*interrupt)(void *subject), void *subject)
{
    struct seen *seen = user;

    seen->interrupt = interrupt;
    seen->subject = subject;
    return true;
}

TESTING_CASE(few_rectangles_make_a_detector)
{
    static struct made made, other;
    struct seen seen = {0};
    const struct shw_learn_params params = {.name = "disc",
                                            .folds = 2,
                                            .stages = 32,
                                            .threads = 2,
                                            .user = &seen,
                                            .report = report,
                                            .may_interrupt = may_interrupt};
    struct shw_learned learned, again;
    struct shw_detector *detector = NULL;
    struct shw_detector_params detect = {.technique = SHW_TECHNIQUE_CPU};
    const struct shw_cascade_info *info;
    uint32_t found = 0, wrong = 0;

    make(1, &made);
    assert_int_equal(shw_learn(&params, made.pictures, PICTURES, &learned), SHW_OK);
    assert_int_equal(seen.parts, 3);
    assert_null(seen.interrupt);
    assert_int_equal(learned.objects, PICTURES);
    assert_int_equal(learned.folds, 2);
    assert_int_equal(learned.curve.images, PICTURES);
    assert_int_equal(learned.curve.objects, PICTURES);
    info = shw_cascade_get_info(learned.cascade);
    assert_string_equal(info->name, "disc");
    assert_true(info->has_min_score && info->min_score == learned.min_score);
    assert_true(shw_learn_point_at(&learned.curve, learned.min_score) != UINT32_MAX);

    make(2, &other);
    detect.cascade = learned.cascade;
    assert_int_equal(shw_detector_create(&detect, &detector), SHW_OK);
    for (uint32_t p = 0; p < PICTURES; p++) {
        const struct shw_group_params group = {.has_min_score = true, .min_score = learned.min_score};
        struct shw_detections items = {0};

        assert_int_equal(shw_detector_run(detector, &other.pictures[p].image, &items), SHW_OK);
        assert_int_equal(shw_detections_group(&items, info->kind, &group, NULL), SHW_OK);
        for (uint32_t i = 0; i < items.count; i++)
            if (shw_detection_overlap(&items.items[i], other.scenes[p].objects) >= 0.4)
                found++;
            else
                wrong++;
        free(items.items);
    }
    shw_detector_destroy(&detector);
    assert_true(found >= PICTURES - 6 && wrong <= 2);

    seen = (struct seen){0};
    assert_int_equal(shw_learn(&(struct shw_learn_params){.name = "disc", .folds = 2, .stages = 32, .threads = 1},
                               made.pictures, PICTURES, &again),
                     SHW_OK);
    assert_true(shw_cascade_hash(again.cascade) == shw_cascade_hash(learned.cascade));
    assert_int_equal(again.min_score, learned.min_score);
    shw_learned_free(&again);
    shw_learned_free(&learned);
}

/* In pictures that are not complete, only false alarms are backgrounds. */
TESTING_CASE(false_alarms_are_learned_from)
{
    static struct made made;
    const struct shw_true_object wrong = {10, 70, 21, 21, false};
    const struct shw_learn_params params = {.folds = 1, .stages = 12, .threads = 2};
    struct shw_learned without, with;

    make(3, &made);
    made.pictures[PICTURES - 1].object_count = 0;
    made.pictures[PICTURES - 1].is_complete = false;
    assert_int_equal(shw_learn(&params, made.pictures, PICTURES, &without), SHW_OK);
    made.pictures[PICTURES - 1].wrong = &wrong;
    made.pictures[PICTURES - 1].wrong_count = 1;
    assert_int_equal(shw_learn(&params, made.pictures, PICTURES, &with), SHW_OK);
    assert_int_equal(without.objects, PICTURES - 1);
    assert_int_equal(with.objects, PICTURES - 1);
    assert_int_equal(with.wrong, 1);
    assert_int_equal(with.folds, 1);
    assert_int_equal(with.curve.count, 0);
    assert_true(shw_cascade_hash(with.cascade) != shw_cascade_hash(without.cascade));
    shw_learned_free(&without);
    shw_learned_free(&with);
}

TESTING_CASE(learning_can_be_stopped_and_needs_enough)
{
    static struct made made;
    struct seen seen = {.stop_after = 3};
    struct shw_learn_params params = {.stages = 32, .user = &seen, .report = report, .may_interrupt = may_interrupt};
    struct shw_learned learned;

    make(4, &made);
    assert_int_equal(shw_learn(&params, made.pictures, PICTURES, &learned), SHW_ERROR_CANCELLED);
    assert_null(learned.cascade);
    params = (struct shw_learn_params){.stages = 32};
    assert_int_equal(shw_learn(&params, made.pictures, 3, &learned), SHW_ERROR_FORMAT); /* too few objects */
    assert_int_equal(shw_learn(&params, made.pictures, 0, &learned), SHW_ERROR_FORMAT);
    for (uint32_t p = 0; p < PICTURES; p++)
        made.pictures[p].is_complete = false;
    assert_int_equal(shw_learn(&params, made.pictures, PICTURES, &learned), SHW_ERROR_FORMAT); /* no backgrounds */
}

TESTING_CASE(places_of_curves_are_chosen)
{
    struct shw_detection_point points[] = {{90, 3, 0}, {80, 5, 1}, {70, 5, 2}, {60, 8, 2}, {50, 9, 7}};
    const struct shw_detection_curve curve = {.count = 5, .points = points, .objects = 10, .images = 20};
    const uint32_t widths[] = {20, 22, 24, 26}, heights[] = {40, 44, 48, 52};
    uint32_t width, height;

    assert_int_equal(shw_learn_choose(&curve, 0.1), 3);
    assert_int_equal(shw_learn_choose(&curve, 0.05), 1);
    assert_int_equal(shw_learn_choose(&curve, 0.0), 0);
    assert_int_equal(shw_learn_choose(&curve, 1.0), 4);
    assert_int_equal(shw_learn_point_at(&curve, 90), 0);
    assert_int_equal(shw_learn_point_at(&curve, 61), 2);
    assert_int_equal(shw_learn_point_at(&curve, 0), 4);
    assert_int_equal(shw_learn_point_at(&curve, 91), UINT32_MAX);
    shw_learn_window(widths, heights, 4, &width, &height);
    assert_true(height >= 2 * width - 1 && height <= 2 * width + 1);
    assert_true(width * height > 360 && width * height < 440);
    shw_learn_window(widths, widths, 1, &width, &height);
    assert_int_equal(width, height);
    shw_learn_window(widths, widths, 0, &width, &height);
    assert_true(width == 16 && height == 16);
}

/* A marked rectangle is where its copy says, in all turns, which all differ. */
TESTING_CASE(pictures_are_turned_with_their_objects)
{
    uint8_t pixels[7 * 9] = {0};
    const struct shw_image image = {pixels, 7, 9, 0, SHW_PIXEL_GREY8};
    const struct shw_true_object object = {1, 2, 3, 4, false};
    uint32_t seen[SHW_TURNS];

    for (int32_t y = 0; y < 4; y++)
        for (int32_t x = 0; x < 3; x++)
            pixels[(2 + y) * 7 + 1 + x] = (uint8_t)(1 + 3 * y + x);
    for (uint32_t turn = 0; turn < SHW_TURNS; turn++) {
        const struct shw_image turned = shw_turned_image(&image, turn);
        const struct shw_true_object place = shw_turned_object(&image, turn, &object);
        const uint8_t *at = turned.pixels;
        uint32_t marked = 0;

        assert_non_null(at);
        assert_int_equal(turned.width, turn / 2 % 2 == 0 ? 7 : 9);
        assert_int_equal(turned.height, turn / 2 % 2 == 0 ? 9 : 7);
        at += (uint32_t)place.y * turned.width + (uint32_t)place.x;
        seen[turn] = (uint32_t)at[0] << 8 | at[1];
        for (uint32_t y = 0; y < place.height; y++)
            for (uint32_t x = 0; x < place.width; x++)
                marked += at[y * turned.width + x] != 0;
        assert_int_equal(marked, 12);
        for (uint32_t other = 0; other < turn; other++)
            assert_true(seen[other] != seen[turn]);
        free((void *)(uintptr_t)turned.pixels);
    }
    assert_int_equal(seen[0], 1 << 8 | 2);
    assert_int_equal(seen[2], 10 << 8 | 7); /* a quarter to the right: the left column, from below, comes on top */
}

TESTING_CASE(scores_are_compared_by_rank)
{
    struct shw_ranks from = {0}, to = {0}, none = {0};
    const int32_t scores[] = {20, 40, 10, 30};

    for (uint32_t i = 0; i < 4; i++)
        assert_true(shw_ranks_add(&from, scores[i]) && shw_ranks_add(&to, 3 * scores[i] + 5));
    shw_ranks_sort(&from);
    shw_ranks_sort(&to);
    assert_int_equal(shw_ranks_map(&from, &to, 2.0, 40), 125);
    assert_int_equal(shw_ranks_map(&from, &to, 2.0, 20), 65);
    assert_int_equal(shw_ranks_map(&from, &to, 2.0, 25), 80);
    assert_int_equal(shw_ranks_map(&from, &to, 2.0, 80), 250); /* above all: as the best ones */
    assert_int_equal(shw_ranks_map(&from, &to, 2.0, 5), 25);   /* below all: by the ratio */
    assert_int_equal(shw_ranks_map(&from, &none, 2.0, 5), 10);
    free(from.scores);
    free(to.scores);
}
