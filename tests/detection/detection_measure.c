/* Detections and annotated objects: against counting pixels and matching again at every score. And what is drawn. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "detection/metrics/detections.h"
#include "files/image/draw.h"

#define GRID  24
#define ITEMS 12

/* Intersection over union; for an object to be ignored, over the detection. */
static double count_overlap(const struct shw_detection *a, const struct shw_true_object *b)
{
    unsigned both = 0, either = 0;

    for (int y = -4; y < GRID; y++)
        for (int x = -4; x < GRID; x++) {
            bool in_a = x >= a->x && y >= a->y && x < a->x + (int)a->width && y < a->y + (int)a->height;
            bool in_b = x >= b->x && y >= b->y && x < b->x + (int)b->width && y < b->y + (int)b->height;
            both += in_a && in_b;
            either += in_a || (in_b && !b->ignored);
        }
    return either > 0 ? (double)both / (double)either : 0.0;
}

static void draw_items(struct testing_random *random, struct shw_detection *found, uint32_t found_count,
                       struct shw_true_object *objects, uint32_t object_count)
{
    for (uint32_t i = 0; i < found_count; i++)
        found[i] = (struct shw_detection){.x = testing_random_range(random, -4, 8),
                                          .y = testing_random_range(random, -4, 8),
                                          .width = testing_random_below(random, 14),
                                          .height = 1 + testing_random_below(random, 14),
                                          .score = testing_random_range(random, -3, 3)};
    for (uint32_t k = 0; k < object_count; k++)
        objects[k] =
            (struct shw_true_object){testing_random_range(random, -4, 8), testing_random_range(random, -4, 8),
                                     1 + testing_random_below(random, 14), 1 + testing_random_below(random, 14),
                                     testing_random_below(random, 4) == 0};
}

/* The definition: again and again, the best detection that is left, if its score is at least `score`. */
static void match_plainly(const struct shw_detection *found, uint32_t found_count,
                          const struct shw_true_object *objects, uint32_t object_count, double overlap, int32_t score,
                          struct shw_match *matches, bool *done)
{
    bool taken[ITEMS] = {false};

    memset(done, 0, found_count * sizeof *done);
    for (;;) {
        uint32_t next = UINT32_MAX;

        for (uint32_t i = 0; i < found_count; i++)
            if (!done[i] && found[i].score >= score && (next == UINT32_MAX || found[i].score > found[next].score))
                next = i;
        if (next == UINT32_MAX)
            return;
        done[next] = true;
        matches[next] = (struct shw_match){.object = SHW_MATCH_NONE};
        for (uint32_t k = 0; k < object_count; k++)
            if (!objects[k].ignored)
                matches[next].overlap = fmax(matches[next].overlap, count_overlap(&found[next], &objects[k]));
        for (int ignored = 0; ignored < 2 && matches[next].object == SHW_MATCH_NONE; ignored++) {
            double best = 0.0;

            for (uint32_t k = 0; k < object_count; k++) {
                double here = count_overlap(&found[next], &objects[k]);
                if (objects[k].ignored == (ignored == 1) && !taken[k] && here >= overlap && here > best) {
                    best = here;
                    matches[next] = (struct shw_match){k, here, ignored == 1};
                }
            }
            if (matches[next].object != SHW_MATCH_NONE)
                taken[matches[next].object] = ignored == 0;
        }
    }
}

TESTING_CASE(matches_are_those_of_the_definition)
{
    struct testing_random random = {1};

    for (int round = 0; round < 400; round++) {
        struct shw_detection found[ITEMS];
        struct shw_true_object objects[ITEMS];
        struct shw_match matches[ITEMS], expected[ITEMS];
        bool done[ITEMS];
        const uint32_t found_count = testing_random_below(&random, ITEMS + 1);
        const uint32_t object_count = testing_random_below(&random, ITEMS + 1);
        const double overlap = (double)(1 + testing_random_below(&random, 10)) / 10.0;

        draw_items(&random, found, found_count, objects, object_count);
        match_plainly(found, found_count, objects, object_count, overlap, INT32_MIN, expected, done);
        assert_int_equal(shw_detections_match(found, found_count, objects, object_count, overlap, NULL, matches),
                         SHW_OK);
        for (uint32_t i = 0; i < found_count; i++) {
            assert_int_equal(matches[i].object, expected[i].object);
            assert_int_equal(matches[i].ignored, expected[i].ignored);
            assert_true(matches[i].overlap == expected[i].overlap);
        }
    }
}

#define IMAGES 5

struct images {
    struct shw_detection found[IMAGES][ITEMS];
    struct shw_true_object objects[IMAGES][ITEMS];
    uint32_t found_count[IMAGES], object_count[IMAGES];
};

/* True and false positives among the detections of at least that score. */
static struct shw_detection_point count_at(const struct images *images, double overlap, int32_t score)
{
    struct shw_detection_point point = {.score = score};

    for (int image = 0; image < IMAGES; image++) {
        struct shw_match matches[ITEMS];
        bool done[ITEMS];

        match_plainly(images->found[image], images->found_count[image], images->objects[image],
                      images->object_count[image], overlap, score, matches, done);
        for (uint32_t i = 0; i < images->found_count[image]; i++) {
            point.right += done[i] && matches[i].object != SHW_MATCH_NONE && !matches[i].ignored;
            point.wrong += done[i] && matches[i].object == SHW_MATCH_NONE;
        }
    }
    return point;
}

static struct shw_detection_curve make_curve(const struct images *images, double overlap)
{
    struct shw_detection_tally tally = {0};
    struct shw_detection_curve curve;

    for (int image = 0; image < IMAGES; image++) {
        struct shw_match matches[ITEMS];

        assert_int_equal(shw_detections_match(images->found[image], images->found_count[image], images->objects[image],
                                              images->object_count[image], overlap, NULL, matches),
                         SHW_OK);
        assert_int_equal(shw_detection_tally_add(&tally, images->found[image], matches, images->found_count[image],
                                                 images->objects[image], images->object_count[image], 1000, NULL),
                         SHW_OK);
    }
    assert_int_equal(shw_detection_curve_make(&tally, NULL, &curve), SHW_OK);
    shw_detection_tally_free(&tally);
    return curve;
}

/* The best precision at each number of objects found, or more. */
static double plain_average_precision(const struct shw_detection_curve *curve)
{
    double sum = 0.0;

    for (uint64_t right = 1; right <= curve->objects; right++) {
        double best = 0.0;
        for (uint32_t i = 0; i < curve->count; i++)
            if (curve->points[i].right >= right)
                best = fmax(best,
                            (double)curve->points[i].right / (double)(curve->points[i].right + curve->points[i].wrong));
        sum += best;
    }
    return sum / (double)curve->objects;
}

TESTING_CASE(curves_are_those_of_matching_at_each_score)
{
    struct testing_random random = {2};

    for (int round = 0; round < 100; round++) {
        struct images images = {0};
        struct shw_detection_curve curve;
        uint64_t objects = 0;
        uint32_t points = 0;

        for (int image = 0; image < IMAGES; image++) {
            images.found_count[image] = testing_random_below(&random, ITEMS + 1);
            images.object_count[image] = testing_random_below(&random, 5);
            draw_items(&random, images.found[image], images.found_count[image], images.objects[image],
                       images.object_count[image]);
            for (uint32_t k = 0; k < images.object_count[image]; k++)
                objects += !images.objects[image][k].ignored;
        }
        curve = make_curve(&images, 0.3);
        assert_int_equal(curve.objects, objects);
        for (int32_t score = 3; score >= -3; score--) {
            struct shw_detection_point at = count_at(&images, 0.3, score), before = count_at(&images, 0.3, score + 1);

            if (at.right + at.wrong == before.right + before.wrong)
                continue;
            assert_true(points < curve.count);
            assert_int_equal(curve.points[points].score, score);
            assert_int_equal(curve.points[points].right, at.right);
            assert_int_equal(curve.points[points].wrong, at.wrong);
            points++;
        }
        assert_int_equal(curve.count, points);
        if (objects > 0)
            assert_true(fabs(shw_detection_average_precision(&curve) - plain_average_precision(&curve)) < 1e-12);
        else
            assert_true(isnan(shw_detection_average_precision(&curve)));
        shw_detection_curve_free(&curve);
    }
}

/* Two objects, of which one is found twice and the other once, and something else. */
TESTING_CASE(a_small_set_has_the_known_rates)
{
    const struct shw_detection found[] = {{.width = 10, .height = 10, .score = 5},
                                          {.x = 1, .width = 10, .height = 10, .score = 9},
                                          {.x = 50, .width = 10, .height = 10, .score = 7},
                                          {.x = 30, .width = 10, .height = 9, .score = 1}};
    const struct shw_true_object objects[] = {{0, 0, 10, 10, false}, {30, 0, 10, 10, false}};
    struct shw_match matches[4];
    struct shw_detection_tally tally = {0};
    struct shw_detection_curve curve;
    struct shw_detection_rates rates;

    assert_int_equal(shw_detections_match(found, 4, objects, 2, 0.65, NULL, matches), SHW_OK);
    assert_int_equal(matches[0].object, SHW_MATCH_NONE); /* a second one of the same object */
    assert_true(matches[0].overlap == 1.0);
    assert_int_equal(matches[1].object, 0);
    assert_true(matches[1].overlap == 90.0 / 110.0);
    assert_int_equal(matches[3].object, 1);
    assert_true(matches[3].overlap == 0.9);
    assert_int_equal(shw_detection_tally_add(&tally, found, matches, 4, objects, 2, 50, NULL), SHW_OK);
    assert_int_equal(shw_detection_tally_add(&tally, NULL, NULL, 0, NULL, 0, 150, NULL), SHW_OK);
    assert_int_equal(shw_detection_curve_make(&tally, NULL, &curve), SHW_OK);
    assert_int_equal(curve.count, 4);
    rates = shw_detection_rates_at(&curve, &curve.points[1]);
    assert_true(rates.precision == 0.5 && rates.recall == 0.5 && rates.wrong_per_image == 0.5);
    rates = shw_detection_rates_at(&curve, &curve.points[3]);
    assert_true(rates.precision == 0.5 && rates.recall == 1.0 && rates.wrong_per_image == 1.0);
    assert_true(rates.wrong_per_window == 2.0 / 200.0);
    assert_true(shw_detection_average_precision(&curve) == 0.75);
    shw_detection_curve_free(&curve);
    shw_detection_tally_free(&tally);
    shw_detection_tally_free(&tally);
}

TESTING_CASE(nothing_at_all_has_no_rates)
{
    struct shw_detection_tally tally = {0};
    struct shw_detection_curve curve;
    struct shw_detection_point none = {0};
    struct shw_detection_rates rates;

    assert_int_equal(shw_detections_match(NULL, 0, NULL, 0, 0.5, NULL, NULL), SHW_OK);
    assert_int_equal(shw_detection_curve_make(&tally, NULL, &curve), SHW_OK);
    assert_int_equal(curve.count, 0);
    rates = shw_detection_rates_at(&curve, &none);
    assert_true(isnan(rates.precision) && isnan(rates.recall) && isnan(rates.wrong_per_image) &&
                isnan(rates.wrong_per_window) && isnan(shw_detection_average_precision(&curve)));
    shw_detection_curve_free(&curve);
}

#define SIDE 16

TESTING_CASE(rectangles_are_drawn_inside_their_border)
{
    static const uint8_t colour[3] = {1, 2, 3};
    struct testing_random random = {3};

    for (int round = 0; round < 300; round++) {
        uint8_t rgb[SIDE * SIDE * 3] = {0};
        const struct shw_canvas canvas = {rgb, SIDE, SIDE};
        const int x = testing_random_range(&random, -8, 20), y = testing_random_range(&random, -8, 20);
        const int width = testing_random_range(&random, 0, 24), height = testing_random_range(&random, 0, 24);
        const int thickness = testing_random_range(&random, 1, 4);

        shw_draw_rectangle(&canvas, x, y, width, height, (uint32_t)thickness, colour);
        for (int v = 0; v < SIDE; v++)
            for (int u = 0; u < SIDE; u++) {
                bool inside = u >= x && v >= y && u < x + width && v < y + height;
                bool deep =
                    u >= x + thickness && v >= y + thickness && u < x + width - thickness && v < y + height - thickness;
                assert_memory_equal(rgb + 3 * (v * SIDE + u), inside && !deep ? colour : (const uint8_t[3]){0}, 3);
            }
    }
}

TESTING_CASE(lines_join_their_ends)
{
    static const uint8_t colour[3] = {9, 9, 9};
    struct testing_random random = {4};

    for (int round = 0; round < 300; round++) {
        uint8_t rgb[SIDE * SIDE * 3] = {0};
        const struct shw_canvas canvas = {rgb, SIDE, SIDE};
        int at[4], drawn = 0, steps;

        for (int i = 0; i < 4; i++)
            at[i] = testing_random_range(&random, 0, SIDE - 1);
        shw_draw_line(&canvas, at[0], at[1], at[2], at[3], 1, colour);
        steps = abs(at[2] - at[0]) > abs(at[3] - at[1]) ? abs(at[2] - at[0]) : abs(at[3] - at[1]);
        for (int v = 0; v < SIDE; v++)
            for (int u = 0; u < SIDE; u++) {
                /* the distance from the line, times its length */
                int from = (at[2] - at[0]) * (v - at[1]) - (at[3] - at[1]) * (u - at[0]);
                if (rgb[3 * (v * SIDE + u)] == 0)
                    continue;
                drawn++;
                assert_true(2 * abs(from) <= steps);
            }
        assert_int_equal(drawn, steps + 1);
        assert_int_equal(rgb[3 * (at[1] * SIDE + at[0])], 9);
        assert_int_equal(rgb[3 * (at[3] * SIDE + at[2])], 9);
    }
}

TESTING_CASE(letters_differ_and_stay_in_their_cells)
{
    static const uint8_t colour[3] = {255, 255, 255};
    uint8_t cells[95][6 * 8 * 3];

    for (int i = 0; i < 95; i++) {
        const char text[] = {(char)(' ' + i), '\0'};
        const struct shw_canvas canvas = {cells[i], 6, 8};

        memset(cells[i], 0, sizeof cells[i]);
        shw_draw_text(&canvas, 0, 0, text, 1, colour);
        for (int y = 0; y < 8; y++)
            assert_int_equal(cells[i][3 * (6 * y + 5)], 0);
        for (int before = 0; before < i; before++)
            assert_memory_not_equal(cells[i], cells[before], sizeof cells[i]);
    }
    assert_int_equal(shw_text_width("ab", 2), 24);
    assert_int_equal(shw_text_height(2), 16);
}

static bool is_blue(const uint8_t *rgb, int64_t x, int64_t y)
{
    static const uint8_t blue[3] = {0, 114, 178};

    return memcmp(rgb + 3 * ((size_t)y * SHW_PLOT_WIDTH + (size_t)x), blue, 3) == 0;
}

/* The curve's leftmost and rightmost pixels, and its heights there: where the axes say. */
TESTING_CASE(plots_have_their_curve_between_the_axes)
{
    static const double points[][2] = {{-1.0, 0.0}, {0.5, 1.0}, {2.0, 0.5}};
    const struct shw_plot plot = {
        "title", {"x", 0.0, 1.0, false}, {"y", 0.0, 1.0, false}, points, sizeof points / sizeof *points};
    uint8_t *rgb = shw_plot_draw(&plot), *log_rgb;
    const struct shw_plot logarithmic = {
        "title", {"x", 1e-3, 1e1, true}, {"y", 0.0, 1.0, false}, (const double[][2]){{0.0, 1.0}, {0.1, 1.0}}, 2};

    assert_non_null(rgb);
    assert_true(is_blue(rgb, 90, 540) && is_blue(rgb, 430, 70) && is_blue(rgb, 770, 305));
    assert_false(is_blue(rgb, 88, 540) || is_blue(rgb, 772, 305) || is_blue(rgb, 430, 100));
    free(rgb);
    log_rgb = shw_plot_draw(&logarithmic);
    assert_non_null(log_rgb);
    assert_true(is_blue(log_rgb, 90, 70) && is_blue(log_rgb, 430, 70) && !is_blue(log_rgb, 435, 70));
    free(log_rgb);
}
