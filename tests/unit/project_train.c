/* Training by strokes: the same strokes give the same forest, and accuracy is told by strokes that were not seen. */
#include "testing/painting.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "project/out_of_bag.h"

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

static void paint_all(struct shw_project *project, uint32_t rows)
{
    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t row = 0; row < rows; row++)
                testing_paint_area(project, p, c, 15 + row * 70 / rows);
}

/* A plain data set of two pictures. */
struct plain {
    struct shw_labelled_image examples[2];
};

static enum shw_result read_plain(void *user, uint32_t index, struct shw_labelled_image *example)
{
    *example = ((struct plain *)user)->examples[index];
    return SHW_OK;
}

static void release_plain(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

static void a_project_trains_as_its_label_images_do(void **state)
{
    static const struct shw_class classes[3] = {{"left", {0, 0, 0}}, {"middle", {1, 1, 1}}, {"right", {2, 2, 2}}};
    struct shw_project *project = make_project();
    uint8_t *pixels[2] = {testing_paint_scene(NULL, WIDTH, HEIGHT, 1), testing_paint_scene(NULL, WIDTH, HEIGHT, 2)};
    struct plain plain = {0};
    struct shw_dataset dataset = {2, 3, classes, false, &plain, read_plain, release_plain};
    struct shw_trainer_params params = {.channels = SHW_CHANNELS_RGB,
                                        .tree_count = 3,
                                        .depth = 5,
                                        .candidates = 20,
                                        .seed = 11,
                                        .pixels_per_image = SHW_PIXELS_ALL,
                                        .weighting = SHW_WEIGHTING_INVERSE,
                                        .technique = SHW_TECHNIQUE_CPU};
    struct shw_forest *forest = NULL;

    (void)state;
    paint_all(project, 3);
    for (uint32_t i = 0; i < 2; i++) { /* a.png is the project's second */
        plain.examples[i].name = i == 0 ? "a" : "b";
        plain.examples[i].image = (struct shw_image){pixels[i], WIDTH, HEIGHT, 0, SHW_PIXEL_RGB8};
        plain.examples[i].labels = testing_labels(project, 1 - i);
    }
    assert_int_equal(shw_train(&params, &dataset, &forest), SHW_OK);
    assert_true(shw_forest_hash(forest) == testing_paint_train(project));
    shw_forest_destroy(&forest);
    shw_project_destroy(&project);
    free(pixels[0]);
    free(pixels[1]);
}

/* The same strokes in the end: by another order of pictures, by detours, from a file, with pixels from memory. */
static void the_way_does_not_matter(void **state)
{
    struct shw_project *project = make_project(), *other = make_project(), *read = NULL;
    struct testing_random random = {8};
    struct shw_log log = quiet();
    uint64_t hash;

    (void)state;
    paint_all(project, 2);
    hash = testing_paint_train(project);
    for (uint32_t p = 2; p-- > 0;)
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t row = 0; row < 2; row++) {
                testing_paint_stroke(other, testing_random_below(&random, 2), &random);
                assert_true(shw_project_undo(other, NULL));
                testing_paint_area(other, p, c, 15 + row * 35);
                assert_int_equal(shw_project_add_class(other, "extra", (uint8_t[]){1, 1, 1}), SHW_OK);
                testing_paint_stroke(other, p, &random);
                assert_true(shw_project_undo(other, NULL));
                assert_true(shw_project_undo(other, NULL));
                assert_true(shw_project_undo(other, NULL));
                assert_true(shw_project_redo(other, NULL));
            }
    assert_true(testing_paint_train(other) == hash);
    assert_int_equal(shw_project_write(other, testing_path("way.json")), SHW_OK);
    assert_int_equal(shw_project_read(testing_path("way.json"), &log, &read), SHW_OK);
    assert_true(testing_paint_train(read) == hash);
    for (uint32_t p = 0; p < 2; p++) {
        uint8_t *pixels = testing_paint_scene(NULL, WIDTH, HEIGHT, 2 - p);
        struct shw_image image = {pixels, WIDTH, HEIGHT, 0, SHW_PIXEL_RGB8};

        assert_int_equal(shw_project_set_pixels(project, p, SHW_COLOUR_IMAGE(image)), SHW_OK);
        free(pixels);
    }
    assert_int_equal(shw_project_set_folder(project, "/nowhere"), SHW_OK);
    assert_true(testing_paint_train(project) == hash);
    testing_paint_area(project, 0, 1, 95); /* and what is painted does */
    assert_true(testing_paint_train(project) != hash);
    shw_project_destroy(&project);
    shw_project_destroy(&other);
    shw_project_destroy(&read);
}

static void a_snapshot_does_not_change(void **state)
{
    struct shw_project *project = make_project();
    struct shw_training_set *set = NULL;
    uint64_t before;

    (void)state;
    paint_all(project, 2);
    assert_int_equal(shw_training_set_make(project, NULL, &set), SHW_OK);
    assert_int_equal(set->picture_count, 2);
    assert_string_equal(set->pictures[0].name, "a.png");
    before = testing_hash(set->pictures[0].labels, WIDTH * HEIGHT * 2);
    assert_int_equal(shw_project_begin_stroke(project, 1, 0, 50, (struct shw_point){10, 10}), SHW_OK);
    assert_true(testing_hash(set->pictures[0].labels, WIDTH * HEIGHT * 2) == before);
    shw_project_destroy(&project);
    assert_true(testing_hash(set->pictures[0].labels, WIDTH * HEIGHT * 2) == before);
    shw_training_set_destroy(&set);
}

static void failures_are_told(void **state)
{
    struct shw_project *project = make_project();
    struct shw_log log = quiet();
    struct shw_training_set *set = NULL;
    struct shw_labelled_image example;

    (void)state;
    assert_int_equal(shw_training_set_make(project, &log, &set), SHW_ERROR_FORMAT);
    assert_int_equal(memory.last_item, SHW_LOG_PROJECT);
    assert_null(set);
    paint_all(project, 1);
    assert_int_equal(unlink(testing_path("a.png")), 0);
    assert_int_equal(shw_training_set_make(project, &log, &set), SHW_OK);
    assert_int_equal(set->dataset.read(set->dataset.user, 0, &example), SHW_ERROR_IO);
    free(testing_paint_scene(testing_path("a.png"), WIDTH + 1, HEIGHT, 1));
    assert_int_equal(set->dataset.read(set->dataset.user, 0, &example), SHW_ERROR_FORMAT);
    assert_int_equal(memory.last_item, SHW_LOG_DATASET);
    shw_training_set_destroy(&set);
    shw_project_destroy(&project);
}

static void bags_have_strokes_of_every_class(void **state)
{
    struct shw_project *project = make_project();
    struct shw_training_set *set = NULL;
    bool bag[64], again[64];
    uint32_t out = 0, differ = 0;

    (void)state;
    paint_all(project, 5);
    assert_int_equal(shw_training_set_make(project, NULL, &set), SHW_OK);
    assert_int_equal(set->stroke_count, 30);
    for (uint32_t tree = 0; tree < 200; tree++) {
        bool has[3] = {false};

        assert_true(shw_out_of_bag_draw(set, tree, bag));
        for (uint32_t s = 0; s < set->stroke_count; s++) {
            assert_true(set->stroke_labels[s] < 3);
            has[set->stroke_labels[s]] |= bag[s];
            out += !bag[s];
        }
        assert_true(has[0] && has[1] && has[2]);
        assert_true(shw_out_of_bag_draw(set, tree + 1, again));
        differ += memcmp(bag, again, 30 * sizeof *bag) != 0;
    }
    assert_int_equal(differ, 200);
    /* (1 - 1/10)^10 of them, give or take three standard deviations */
    assert_in_range(out, 200 * 30 * 33 / 100, 200 * 30 * 37 / 100);
    shw_training_set_destroy(&set);
    shw_project_destroy(&project);
}

static bool never(void *user)
{
    (void)user;
    return false;
}

static void accuracy_is_of_strokes_that_were_not_seen(void **state)
{
    struct shw_project *project = make_project();
    struct shw_training_set *set = NULL;
    struct shw_out_of_bag classes[3], again[3];
    uint64_t expected[3] = {0};
    bool bags[3][64];

    (void)state;
    paint_all(project, 3);
    assert_int_equal(shw_project_delete_class(project, 2), SHW_OK);
    assert_int_equal(shw_project_add_class(project, "one stroke", (uint8_t[]){1, 1, 1}), SHW_OK);
    testing_paint_area(project, 0, 2, 50);
    assert_int_equal(shw_training_set_make(project, NULL, &set), SHW_OK);
    for (uint32_t tree = 0; tree < 3; tree++)
        assert_true(shw_out_of_bag_draw(set, tree, bags[tree]));
    for (uint32_t i = 0; i < set->picture_count; i++)
        for (size_t p = 0; p < WIDTH * HEIGHT; p++) {
            uint32_t owner = set->pictures[i].owners[p];

            assert_int_equal(owner > 0, set->pictures[i].labels[p] != SHW_LABEL_VOID);
            if (owner > 0 && !(bags[0][owner - 1] && bags[1][owner - 1] && bags[2][owner - 1]))
                expected[set->pictures[i].labels[p]]++;
        }
    assert_int_equal(shw_out_of_bag_measure(set, 2, NULL, NULL, classes), SHW_OK);
    assert_int_equal(shw_out_of_bag_measure(set, 1, NULL, NULL, again), SHW_OK);
    assert_memory_equal(classes, again, sizeof classes);
    for (uint32_t c = 0; c < 3; c++) {
        assert_int_equal(classes[c].labelled, expected[c]);
        assert_true(classes[c].right <= classes[c].labelled);
    }
    assert_true(expected[0] > 100 && expected[1] > 100);
    assert_int_equal(expected[2], 0);
    assert_true(classes[0].right * 10 > classes[0].labelled * 8 && classes[1].right * 10 > classes[1].labelled * 8);
    assert_int_equal(shw_out_of_bag_measure(set, 1, never, NULL, again), SHW_ERROR_CANCELLED);
    shw_training_set_destroy(&set);
    shw_project_destroy(&project);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_project_trains_as_its_label_images_do),
        cmocka_unit_test(the_way_does_not_matter),
        cmocka_unit_test(a_snapshot_does_not_change),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(bags_have_strokes_of_every_class),
        cmocka_unit_test(accuracy_is_of_strokes_that_were_not_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
