/* Forests that are trained by `shadewood serve` are those that are trained here, byte for byte. */
#include "serving.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/painting.h"

enum { WIDTH = 48, HEIGHT = 36 };

static void paint(struct shw_project *project, uint32_t picture, uint32_t place)
{
    for (uint32_t c = 0; c < 3; c++)
        testing_paint_area(project, picture, c, place);
}

/* Strokes one after another, undone, over each other, of a class that is deleted; a picture that is kept for testing,
 * and no longer; other settings. One connection for all. */
TESTING_CASE(strokes_one_after_another)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct shw_remote *remote = connect_to(serve_command(""));
    struct testing_random random = {3};
    struct shw_project_training training;

    paint(project, 1, 20);
    assert_same_forests(remote, project, true);
    for (uint32_t i = 0; i < 6; i++) {
        testing_paint_stroke(project, i % 2, &random);
        assert_same_forests(remote, project, i == 3);
    }
    assert_true(shw_project_undo(project, NULL));
    assert_true(shw_project_undo(project, NULL));
    assert_same_forests(remote, project, false);
    paint(project, 0, 60);
    shw_project_keep_for_test(project, 0, true);
    assert_same_forests(remote, project, true);
    shw_project_keep_for_test(project, 0, false);
    training = shw_project_get_training(project);
    training.tree_count = 5;
    training.smooth = 3;
    training.seed = UINT64_MAX;
    training.offset = 9;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_same_forests(remote, project, false);
    training.levels = 2;
    training.offset = 0;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_same_forests(remote, project, true);
    assert_int_equal(shw_project_delete_class(project, 1), SHW_OK);
    training.levels = 0;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_same_forests(remote, project, true);
    shw_project_destroy(&project);
    project = testing_paint_project(WIDTH, HEIGHT, NULL); /* another one, whose pictures have the same names */
    paint(project, 0, 30);
    assert_same_forests(remote, project, true);
    assert_int_equal(heard.errors, 0);
    shw_remote_destroy(&remote, 5);
    shw_project_destroy(&project);
}

/* Pictures that are no files, with depth and the frame before. */
TESTING_CASE(frames_with_depth_and_motion)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct shw_remote *remote = connect_to(serve_command(""));
    struct shw_project_training training = shw_project_get_training(project);

    give_frame(project, "video.mkv#12", WIDTH, HEIGHT, 5, true);
    give_frame(project, "video.mkv#40", WIDTH, HEIGHT, 6, true);
    paint(project, 2, 20);
    paint(project, 3, 70);
    assert_same_forests(remote, project, true);
    strcpy(training.channels, "rgb,depth,dt,dt-gradient");
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_same_forests(remote, project, true);
    assert_int_equal(heard.errors, 0);
    shw_remote_destroy(&remote, 5);
    shw_project_destroy(&project);
}

/* Only what surrounds the strokes is sent of a large picture, each square once, and of equal pictures only one. */
TESTING_CASE(pixels_are_sent_once)
{
    enum { LARGE_WIDTH = 1300, LARGE_HEIGHT = 900 };
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct shw_remote *remote = connect_to(serve_command(""));
    const uint64_t all = (uint64_t)LARGE_WIDTH * LARGE_HEIGHT * 3;
    uint64_t before, more;

    give_frame(project, "large", LARGE_WIDTH, LARGE_HEIGHT, 5, false);
    for (uint32_t c = 0; c < 3; c++) {
        const struct shw_point point = {(int32_t)(70 + c * 500), 80};
        assert_int_equal(shw_project_begin_stroke(project, 2, c, 3, point), SHW_OK);
        shw_project_end_stroke(project);
    }
    assert_same_forests(remote, project, true);
    before = sent_bytes(remote);
    assert_true(before < all / 4);
    assert_int_equal(shw_project_begin_stroke(project, 2, 1, 2, (struct shw_point){80, 84}), SHW_OK);
    assert_int_equal(shw_project_extend_stroke(project, (struct shw_point){90, 84}), SHW_OK);
    shw_project_end_stroke(project);
    assert_same_forests(remote, project, false);
    more = sent_bytes(remote) - before;
    assert_true(more < 2000); /* the stroke, and no pixels */
    give_frame(project, "the same again", LARGE_WIDTH, LARGE_HEIGHT, 5, false);
    assert_int_equal(shw_project_begin_stroke(project, 3, 1, 2, (struct shw_point){80, 84}), SHW_OK);
    shw_project_end_stroke(project);
    before = sent_bytes(remote);
    assert_same_forests(remote, project, false);
    assert_true(sent_bytes(remote) - before < 4000);
    shw_remote_destroy(&remote, 5);
    shw_project_destroy(&project);
}

/* What cannot be trained is refused as it is here, and the connection goes on. */
TESTING_CASE(failures_end_with_the_request)
{
    const struct shw_teacher_watch watch = {NULL};
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct shw_remote *remote = connect_to(serve_command(""));
    const struct shw_teacher teacher = shw_remote_teacher(remote);
    struct shw_project_training training = shw_project_get_training(project), other = training;
    struct shw_training_set *set;
    struct shw_forest *forest = NULL;

    paint(project, 1, 20);
    strcpy(other.channels, "depth");
    assert_int_equal(shw_project_set_training(project, &other), SHW_OK);
    set = set_of(project);
    assert_int_not_equal(shw_teacher_grow(&teacher, set, SHW_LESSON_FULL, &watch, &forest, NULL), SHW_OK);
    assert_null(forest);
    shw_training_set_destroy(&set);
    assert_true(shw_remote_is_connected(remote));
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_same_forests(remote, project, false);
    remove(testing_path("b.png"));
    paint(project, 0, 20);
    set = set_of(project);
    assert_int_equal(shw_teacher_grow(&teacher, set, SHW_LESSON_FULL, &watch, &forest, NULL), SHW_ERROR_IO);
    assert_non_null(strstr(heard.last, "b.png"));
    assert_true(shw_remote_is_connected(remote));
    shw_training_set_destroy(&set);
    shw_remote_destroy(&remote, 5);
    shw_project_destroy(&project);
}

struct countdown {
    unsigned left;
};

static bool count_down(void *user)
{
    struct countdown *countdown = user;

    return countdown->left > 0 && countdown->left-- > 0;
}

/* A training that is given up at any moment leaves nothing behind that the next one would stumble over. */
TESTING_CASE(cancelled_at_any_moment)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct shw_remote *remote = connect_to(serve_command(""));
    const struct shw_teacher teacher = shw_remote_teacher(remote);
    struct shw_project_training training = shw_project_get_training(project);
    const uint32_t runs = testing_is_slow() ? 200 : 20;
    struct testing_random random = {8};

    training.tree_count = 9;
    training.candidates = 100;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    paint(project, 1, 20);
    for (uint32_t run = 0; run < runs; run++) {
        struct countdown countdown = {run < 12 ? run : testing_random_below(&random, 20)};
        const struct shw_teacher_watch watch = {.go_on = count_down, .user = &countdown};
        struct shw_training_set *set;
        struct shw_forest *forest = NULL;
        enum shw_result result;

        testing_paint_stroke(project, run % 2, &random);
        set = set_of(project);
        result = shw_teacher_grow(&teacher, set, SHW_LESSON_FULL, &watch, &forest, NULL);
        assert_true(result == SHW_OK || result == SHW_ERROR_CANCELLED);
        assert_true((forest != NULL) == (result == SHW_OK));
        shw_forest_destroy(&forest);
        shw_training_set_destroy(&set);
    }
    assert_true(shw_remote_is_connected(remote));
    training.tree_count = 3;
    training.candidates = 20;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_same_forests(remote, project, true);
    shw_remote_destroy(&remote, 5);
    shw_project_destroy(&project);
}
