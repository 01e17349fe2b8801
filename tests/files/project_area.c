/* Areas that are labelled at once, among strokes. */
#include "testing/painting.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 90, HEIGHT = 70, RUNS = 30, STEPS = 120 };

static struct shw_project *make_project(uint32_t *picture)
{
    static const char *const names[] = {"sky", "grass", "road"};
    static struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_project *project = NULL;

    log.level = SHW_LOG_ERROR;
    assert_int_equal(shw_project_create(&log, &project), SHW_OK);
    for (uint8_t c = 0; c < 3; c++)
        assert_int_equal(shw_project_add_class(project, names[c], (uint8_t[]){c, c, c}), SHW_OK);
    assert_int_equal(shw_project_find_picture(project, "a.png", WIDTH, HEIGHT, picture), SHW_OK);
    return project;
}

static void add_area(struct shw_project *project, uint32_t picture, struct testing_random *random)
{
    struct shw_point runs[2 * RUNS];
    uint32_t count = 1 + testing_random_below(random, RUNS), number = testing_random_below(random, 4);

    for (uint32_t i = 0; i < count; i++) {
        int32_t y = testing_random_range(random, 0, HEIGHT - 1), left = testing_random_range(random, 0, WIDTH - 1);

        runs[2 * i] = (struct shw_point){left, y};
        runs[2 * i + 1] = (struct shw_point){testing_random_range(random, left, WIDTH - 1), y};
    }
    assert_int_equal(shw_project_add_area(project, picture, number < 3 ? number : SHW_LABEL_VOID, runs, count), SHW_OK);
}

static void step(struct shw_project *project, uint32_t picture, struct testing_random *random)
{
    shw_project_lock_class(project, testing_random_below(random, 3), testing_random_below(random, 4) == 0);
    if (testing_random_below(random, 2) == 0)
        add_area(project, picture, random);
    else
        testing_paint_stroke(project, picture, random);
}

TESTING_CASE(areas_label_their_runs_and_are_one_step_each)
{
    static uint64_t hashes[STEPS + 1];
    struct testing_random random = {4};
    uint32_t picture;
    struct shw_project *project = make_project(&picture);

    for (uint32_t s = 0; s <= STEPS; s++) {
        if (s > 0)
            step(project, picture, &random);
        if (s % 3 == 0)
            testing_check_labels(project, picture);
        hashes[s] = testing_hash(testing_labels(project, picture), WIDTH * HEIGHT * sizeof(uint16_t));
        assert_int_equal(shw_project_get_picture(project, picture).stroke_count, s);
        assert_false(shw_project_is_painting(project));
    }
    for (uint32_t s = STEPS; s > 0; s--) {
        assert_true(hashes[s] == testing_hash(testing_labels(project, picture), WIDTH * HEIGHT * sizeof(uint16_t)));
        assert_true(shw_project_undo(project, NULL));
    }
    for (uint32_t s = 1; s <= STEPS; s++) {
        assert_true(shw_project_redo(project, NULL));
        assert_true(hashes[s] == testing_hash(testing_labels(project, picture), WIDTH * HEIGHT * sizeof(uint16_t)));
    }
    shw_project_destroy(&project);
}

TESTING_CASE(areas_are_in_the_file)
{
    struct testing_random random = {6};
    uint32_t picture, copy;
    struct shw_project *project = make_project(&picture), *read = NULL;
    char *text;

    for (uint32_t s = 0; s < 20; s++)
        step(project, picture, &random);
    text = shw_project_encode(project);
    assert_non_null(text);
    assert_int_equal(shw_project_decode(text, strlen(text), "text", NULL, &read), SHW_OK);
    free(text);
    assert_int_equal(shw_project_find_picture(read, "a.png", WIDTH, HEIGHT, &copy), SHW_OK);
    testing_check_labels(read, copy);
    assert_memory_equal(testing_labels(project, picture), testing_labels(read, copy),
                        WIDTH * HEIGHT * sizeof(uint16_t));
    shw_project_destroy(&read);
    shw_project_destroy(&project);
}

TESTING_CASE(wrong_areas_are_refused)
{
    const struct shw_point run[2] = {{1, 1}, {5, 1}};
    uint32_t picture;
    struct shw_project *project = make_project(&picture);
    uint64_t revision = shw_project_get_revision(project);

    assert_int_equal(shw_project_add_area(project, picture + 1, 0, run, 1), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_area(project, picture, 3, run, 1), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_area(project, picture, 0, run, 0), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_area(project, picture, 0, run, SHW_STROKE_POINTS_MAX / 2 + 1), SHW_ERROR_LIMIT);
    assert_true(shw_project_get_revision(project) == revision);
    assert_int_equal(shw_project_get_picture(project, picture).stroke_count, 0);
    shw_project_destroy(&project);
}
