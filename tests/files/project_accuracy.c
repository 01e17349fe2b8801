/* Accuracy of strokes that were held out: which they are, and that it is what training and labelling without them give.
 */
#include "testing/painting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/project/held_out.h"
#include "files/project/level_examples.h"
#include "testing/labelling.h"

enum { WIDTH = 48, HEIGHT = 36 };

static struct testing_log memory;

static struct shw_log quiet(void)
{
    struct shw_log log = testing_log(&memory);

    log.level = SHW_LOG_ERROR;
    return log;
}

static struct shw_project *make_project(void)
{
    struct shw_log log = quiet();

    return testing_paint_project(WIDTH, HEIGHT, &log);
}

static struct shw_training_tiles *make_tiles(struct shw_project *project)
{
    struct shw_training_set *set = NULL;
    struct shw_training_tiles *tiles = NULL;

    assert_int_equal(shw_training_set_make(project, NULL, &set), SHW_OK);
    assert_int_equal(shw_training_tiles_make(set, 95, NULL, NULL, &tiles), SHW_OK);
    shw_training_set_destroy(&set);
    return tiles;
}

/* Every class with two strokes of those that there are is in two folds. */
static void check_classes(const struct shw_training_set *set, const bool *chosen)
{
    enum shw_held_out_by by[3];
    uint8_t folds[64];

    assert_true(shw_stroke_folds(set, chosen, folds, by));
    for (uint16_t c = 0; c < 3; c++) {
        uint32_t strokes = 0, seen[SHW_FOLDS + 1] = {0}, used = 0;

        for (uint32_t s = 0; s < set->stroke_count; s++)
            if (chosen != NULL && !chosen[s])
                assert_int_equal(folds[s], SHW_FOLDS);
            else if (set->stroke_labels[s] == c) {
                strokes++;
                used += seen[folds[s]]++ == 0;
            }
        assert_int_equal(by[c] == SHW_HELD_OUT_NONE, strokes < 2);
        assert_true(strokes < 2 ? seen[SHW_FOLDS] == strokes : used >= 2 && seen[SHW_FOLDS] == 0);
    }
}

/* Strokes of a class are spread over the folds, whole pictures where there are several, and none leaves a class without
 * strokes to train on. */
TESTING_CASE(folds_leave_every_class_strokes)
{
    struct testing_random random = {21};

    for (uint32_t run = 0; run < 20; run++) {
        struct shw_project *project = testing_paint_project(60, 40, NULL);
        struct shw_training_set *set = NULL;
        enum shw_held_out_by by[3];
        uint8_t folds[64];
        bool some[64];
        uint32_t pictures = 1 + testing_random_below(&random, 8), picture;

        for (uint32_t p = 0; p < pictures; p++) {
            char name[16];

            snprintf(name, sizeof name, "p%u.png", p);
            assert_int_equal(shw_project_find_picture(project, name, 60, 40, &picture), SHW_OK);
            for (uint32_t c = 0; p == 0 && c < 2; c++) /* without a second class, nothing can be learned */
                testing_paint_area(project, picture, c, 20 + 50 * c);
            for (uint32_t s = testing_random_below(&random, 4); s > 0 || p == 0; s = s > 0 ? s - 1 : 0) {
                testing_paint_area(project, picture, testing_random_below(&random, 3),
                                   5 + testing_random_below(&random, 90));
                if (p == 0 && s == 0)
                    break;
            }
        }
        assert_int_equal(shw_training_set_make(project, NULL, &set), SHW_OK);
        assert_true(set->stroke_count <= 64);
        check_classes(set, NULL);
        for (uint32_t s = 0; s < set->stroke_count; s++)
            some[s] = testing_random_below(&random, 3) > 0;
        check_classes(set, some);
        assert_true(shw_stroke_folds(set, NULL, folds, by));
        for (uint32_t p = 0, s = 0; p < set->picture_count; p++)
            for (uint32_t i = 0; i < set->pictures[p].labels->stroke_count; i++, s++)
                if (set->stroke_labels[s] != SHW_LABEL_VOID && by[set->stroke_labels[s]] == SHW_HELD_OUT_PICTURES)
                    assert_int_equal(folds[s], p % SHW_FOLDS);
        shw_training_set_destroy(&set);
        shw_project_destroy(&project);
    }
}

static bool never(void *user)
{
    (void)user;
    return false;
}

/* A forest of the project's parameters, trained on these strokes as if there were no others. */
static struct shw_forest *train(const struct shw_training_tiles *tiles, const bool *strokes)
{
    struct shw_trainer_params params = shw_training_set_level_params(tiles->set);
    struct shw_training_choice choice;
    struct shw_level_examples levels;
    struct shw_forest *forest = NULL;

    params.technique = SHW_TECHNIQUE_CPU;
    if (params.levels > 1) {
        assert_int_equal(shw_level_examples_make(tiles, strokes, &params, &levels), SHW_OK);
        assert_int_equal(shw_train(&params, &levels.dataset, &forest), SHW_OK);
        shw_level_examples_free(&levels);
        return forest;
    }
    assert_int_equal(shw_training_choice_make(tiles, strokes, &choice), SHW_OK);
    assert_int_equal(shw_train(&params, &choice.dataset, &forest), SHW_OK);
    shw_training_choice_free(&choice);
    return forest;
}

/* The same by training and labelling whole pictures, fold by fold. Returns how many strokes are half right. */
static uint32_t check_by_hand(const struct shw_training_tiles *tiles, const struct shw_held_out *measured)
{
    const struct shw_training_set *set = tiles->set;
    struct shw_accuracy expected;
    enum shw_held_out_by by[3];
    uint8_t folds[64];
    uint32_t pixels[64] = {0}, right[64] = {0}, half_right = 0;

    assert_true(set->stroke_count <= 64 && shw_stroke_folds(set, NULL, folds, by));
    assert_int_equal(shw_accuracy_create(&expected, 3, NULL), SHW_OK);
    for (uint32_t f = 0; f < SHW_FOLDS; f++) {
        bool trained[64], any = false;
        struct shw_forest *forest;

        for (uint32_t s = 0; s < set->stroke_count; s++) {
            trained[s] = folds[s] != f;
            any = any || !trained[s];
        }
        if (!any)
            continue;
        forest = train(tiles, trained);
        for (uint32_t p = 0; p < set->picture_count; p++) {
            const struct shw_taught_picture *picture = &set->pictures[p];
            struct testing_labelling labels;
            struct shw_pixels_part *whole = NULL;

            assert_int_equal(shw_pixels_take(picture->pixels, NULL, &whole), SHW_OK);
            labels = testing_label(
                &(struct shw_labeller_params){.forest = forest, .smoothing = {.radius = SHW_SMOOTHING_NONE}},
                &whole->input[0].image);
            for (uint32_t i = 0; i < picture->width * picture->height; i++) {
                uint32_t x = i % picture->width, y = i / picture->width,
                         owner = shw_top_strokes_get(&picture->labels->top, x, y);

                uint32_t stroke = picture->first_stroke + owner - 1;
                uint16_t label = shw_picture_labels_get(picture->labels, x, y);

                if (owner == 0 || trained[stroke])
                    continue;
                expected.confusion[label * 3 + labels.out.argmax[i]]++;
                pixels[stroke]++;
                right[stroke] += labels.out.argmax[i] == label;
            }
            testing_labelling_free(&labels);
            shw_pixels_part_release(&whole);
        }
        shw_forest_destroy(&forest);
    }
    for (uint16_t c = 0; c < 3; c++) {
        uint32_t strokes = 0, strokes_right = 0;

        for (uint32_t s = 0; s < set->stroke_count; s++) {
            bool counts = set->stroke_labels[s] == c && pixels[s] > 0;
            strokes += counts;
            strokes_right += counts && 2 * right[s] >= pixels[s];
            half_right += counts && 2 * right[s] == pixels[s];
        }
        assert_int_equal(measured->classes[c].strokes, strokes);
        assert_int_equal(measured->classes[c].strokes_right, strokes_right);
    }
    assert_memory_equal(measured->matrix.confusion, expected.confusion, 9 * sizeof *expected.confusion);
    shw_accuracy_destroy(&expected);
    return half_right;
}

TESTING_CASE(accuracy_is_of_strokes_that_were_held_out)
{
    struct shw_held_out_params two = {.threads = 2}, one = {.threads = 1}, ends = {.go_on = never};
    struct shw_project *project = make_project();
    struct shw_training_tiles *tiles;
    struct shw_held_out held_out, again;
    struct shw_project_training training = shw_project_get_training(project);

    snprintf(training.channels, sizeof training.channels, "rgb,position");
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    testing_paint_areas(project, 3);
    assert_int_equal(shw_project_delete_class(project, 2), SHW_OK);
    assert_int_equal(shw_project_add_class(project, "one stroke", (uint8_t[]){1, 1, 1}), SHW_OK);
    testing_paint_area(project, 0, 2, 50);
    /* two pixels, one of them in the area of the other class: half of the stroke is right */
    assert_int_equal(shw_project_add_area(project, 1, 0, (struct shw_point[]){{3, 2}, {3, 2}, {24, 2}, {24, 2}}, 2),
                     SHW_OK);
    tiles = make_tiles(project);
    assert_int_equal(shw_held_out_measure(tiles, &two, &held_out), SHW_OK);
    assert_int_equal(shw_held_out_measure(tiles, &one, &again), SHW_OK);
    assert_memory_equal(held_out.classes, again.classes, 3 * sizeof *again.classes);
    shw_held_out_free(&again);
    assert_int_equal(held_out.folds, 2); /* as many as pictures */
    for (uint32_t c = 0; c < 2; c++) {
        const struct shw_held_out_class *class = &held_out.classes[c];

        assert_int_equal(class->by, SHW_HELD_OUT_PICTURES);
        assert_int_equal(class->strokes, c == 0 ? 7 : 6);
        assert_true(class->pixels > 100 && class->right * 10 > class->pixels * 8 && class->strokes_right >= 5);
    }
    assert_int_equal(held_out.classes[2].pixels, 0);
    assert_int_equal(held_out.classes[2].painted_strokes, 1);
    assert_true(check_by_hand(tiles, &held_out) > 0);
    assert_true(shw_held_out_copy(&held_out, &again));
    shw_held_out_free(&held_out);
    assert_true(again.classes[0].strokes == 7 && shw_held_out_mean(&again) > 0.8);
    shw_held_out_free(&again);
    assert_int_equal(shw_held_out_measure(tiles, &ends, &again), SHW_ERROR_CANCELLED);
    assert_null(again.classes);
    shw_training_tiles_release(&tiles);
    shw_project_destroy(&project);
}

/* What is measured of a project with several levels are forests with as many. */
TESTING_CASE(accuracy_of_levels_is_that_of_levels)
{
    struct shw_held_out_params params = {.threads = 2}, ends = {.go_on = never};
    struct shw_project *project = make_project();
    struct shw_project_training training = shw_project_get_training(project);
    struct shw_held_out one, two, ended;
    struct testing_random random = {5};

    testing_paint_areas(project, 3);
    for (uint32_t i = 0; i < 24; i++) /* of any class anywhere, or there would be no mistakes */
        testing_paint_stroke(project, i % 2, &random);
    training.tree_count = 5;
    training.offset = 15;
    for (uint32_t levels = 1; levels <= 2; levels++) {
        struct shw_training_tiles *tiles;

        training.levels = levels;
        assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
        tiles = make_tiles(project);
        assert_int_equal(shw_held_out_measure(tiles, &params, levels == 1 ? &one : &two), SHW_OK);
        check_by_hand(tiles, levels == 1 ? &one : &two);
        assert_int_equal(shw_held_out_measure(tiles, &ends, &ended), SHW_ERROR_CANCELLED);
        shw_training_tiles_release(&tiles);
    }
    assert_int_equal(two.folds, one.folds);
    assert_memory_not_equal(one.matrix.confusion, two.matrix.confusion, 9 * sizeof *one.matrix.confusion);
    shw_held_out_free(&one);
    shw_held_out_free(&two);
    /* also on pictures that are kept for testing */
    shw_project_keep_for_test(project, 0, true);
    for (uint32_t levels = 1; levels <= 2; levels++) {
        struct shw_training_tiles *tiles;

        training.levels = levels;
        assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
        tiles = make_tiles(project);
        assert_int_equal(shw_held_out_measure(tiles, &params, levels == 1 ? &one : &two), SHW_OK);
        shw_training_tiles_release(&tiles);
    }
    assert_int_equal(two.kept_pictures, 1);
    assert_true(two.classes[0].pixels == one.classes[0].pixels && two.classes[0].pixels > 0);
    assert_memory_not_equal(one.matrix.confusion, two.matrix.confusion, 9 * sizeof *one.matrix.confusion);
    shw_held_out_free(&one);
    shw_held_out_free(&two);
    shw_project_destroy(&project);
}

/* Pictures kept for testing are measured on, and change nothing else. */
TESTING_CASE(kept_pictures_measure)
{
    struct shw_held_out_params params = {.threads = 2};
    struct shw_project *project = make_project(), *other = make_project(), *read = NULL;
    struct shw_training_tiles *tiles;
    struct shw_held_out held_out;
    char *text;

    for (uint32_t c = 0; c < 3; c++) {
        testing_paint_area(project, 1, c, 30); /* a.png */
        testing_paint_area(other, 1, c, 30);
        if (c > 0)
            testing_paint_area(project, 0, c, 60);
    }
    assert_true(testing_paint_train(project) != testing_paint_train(other));
    shw_project_keep_for_test(project, 0, true);
    assert_true(testing_paint_train(project) == testing_paint_train(other));
    tiles = make_tiles(project);
    assert_int_equal(shw_held_out_measure(tiles, &params, &held_out), SHW_OK);
    assert_int_equal(held_out.kept_pictures, 1);
    assert_int_equal(held_out.folds, 1);
    assert_int_equal(held_out.classes[0].pixels, 0);
    for (uint32_t c = 1; c < 3; c++) {
        assert_int_equal(held_out.classes[c].by, SHW_HELD_OUT_KEPT);
        assert_int_equal(held_out.classes[c].strokes, 1);
        assert_true(held_out.classes[c].pixels > 30 && held_out.classes[c].right * 2 > held_out.classes[c].pixels);
    }
    shw_held_out_free(&held_out);
    shw_training_tiles_release(&tiles);
    /* in the file */
    text = shw_project_encode(project);
    assert_non_null(strstr(text, "\"version\": 3"));
    assert_int_equal(shw_project_decode(text, strlen(text), "p", NULL, &read), SHW_OK);
    assert_true(shw_project_get_picture(read, 0).kept && !shw_project_get_picture(read, 1).kept);
    free(text);
    shw_project_keep_for_test(read, 0, false);
    text = shw_project_encode(read);
    assert_non_null(strstr(text, "\"version\": 1"));
    free(text);
    shw_project_destroy(&read);
    shw_project_keep_for_test(project, 1, true);
    assert_int_equal(shw_training_set_make(project, NULL, &(struct shw_training_set *){NULL}), SHW_ERROR_FORMAT);
    shw_project_destroy(&project);
    shw_project_destroy(&other);
}
