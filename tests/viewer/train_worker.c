/* Teaching while painting goes on. */
#include "testing/testing.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "teach/train_worker.h"
#include "testing/painting.h"

enum { WIDTH = 48, HEIGHT = 36, FRAMES_MAX = 400000 }; /* of a millisecond and more each */

static void paint(struct shw_project *project, uint32_t place)
{
    for (uint32_t c = 0; c < 3; c++)
        testing_paint_area(project, 1, c, place);
}

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Calls update as a frame loop does until the training worker has done with the project, and counts how many full and
 * small forests appeared. */
static enum view_train_state follow(struct view_train_worker *worker, struct shw_project *project, uint32_t *small,
                                    uint32_t *full)
{
    struct view_train_status status = {0};
    uint64_t seen = 0;

    *small = *full = 0;
    view_train_worker_get_status(worker, &status);
    seen = status.number;
    for (uint32_t frame = 0; frame < FRAMES_MAX; frame++) {
        struct view_shared_forest *forest;

        assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
        view_train_worker_get_status(worker, &status);
        assert_true(status.fraction >= 0 && status.fraction <= 1);
        if (status.number > seen) {
            forest = view_train_worker_share_forest(worker);
            *(forest->full ? full : small) += 1;
            seen = status.number;
            view_shared_forest_release(&forest);
        }
        if (status.state >= VIEW_TRAIN_DONE || status.state == VIEW_TRAIN_IDLE)
            return status.state;
        pause_a_little();
    }
    return status.state;
}

static uint64_t shown_hash(struct view_train_worker *worker, bool full)
{
    struct view_shared_forest *forest = view_train_worker_share_forest(worker);
    uint64_t hash;

    assert_non_null(forest);
    assert_int_equal(forest->full, full);
    hash = shw_forest_hash(forest->forest);
    view_shared_forest_release(&forest);
    return hash;
}

static struct view_train_worker *make_worker(bool judges)
{
    struct view_train_worker_params params = {.judges = judges, .threads = 2};
    struct view_train_worker *worker = NULL;

    assert_int_equal(view_train_worker_create(&params, &worker), SHW_OK);
    return worker;
}

TESTING_CASE(strokes_become_the_forest_of_the_project)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct view_train_worker *worker = make_worker(true);
    struct shw_held_out accuracy;
    uint32_t small, full;
    uint64_t first, revision;

    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_IDLE);
    assert_null(view_train_worker_share_forest(worker));
    paint(project, 20);
    paint(project, 50);
    paint(project, 80);
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
    assert_int_equal(full, 1);
    first = testing_paint_train(project);
    assert_true(shown_hash(worker, true) == first);
    assert_true(view_train_worker_get_accuracy(worker, &accuracy, &revision));
    assert_true(revision == shw_project_get_revision(project));
    assert_int_equal(accuracy.class_count, 3);
    assert_true(accuracy.classes[0].pixels > 0 && accuracy.classes[0].right * 2 > accuracy.classes[0].pixels);
    shw_held_out_free(&accuracy);
    assert_false(view_train_worker_restore(worker));

    /* another stroke, the forest before, and again */
    testing_paint_area(project, 1, 0, 65);
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
    assert_true(shown_hash(worker, true) == testing_paint_train(project));
    assert_true(shown_hash(worker, true) != first);
    assert_true(view_train_worker_restore(worker));
    assert_true(shown_hash(worker, true) == first);
    assert_false(view_train_worker_get_accuracy(worker, &accuracy, &revision));
    assert_true(view_train_worker_restore(worker));
    assert_true(shown_hash(worker, true) == testing_paint_train(project));
    assert_true(shw_project_undo(project, NULL));
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
    assert_true(shown_hash(worker, true) == first);
    view_train_worker_destroy(&worker);
    shw_project_destroy(&project);
}

/* Forests get another smoothing without being trained again: the one that is there, the one before, and one that was
 * in training when it was changed. */
TESTING_CASE(smoothing_trains_nothing)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct view_train_worker *worker = make_worker(false);
    struct shw_project_training training = shw_project_get_training(project);
    uint32_t small, full;
    uint64_t taught, first;

    paint(project, 20);
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
    paint(project, 50);
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
    first = shown_hash(worker, true);
    taught = shw_project_get_taught(project);
    for (uint32_t radius = 40; radius <= 41; radius++) {
        training.smooth = radius == 41 ? SHW_SMOOTHING_NONE : radius;
        assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
        assert_true(shw_project_get_taught(project) == taught);
        assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
        assert_int_equal(small, 0);
        assert_true(shown_hash(worker, true) != first);
        assert_true(shown_hash(worker, true) == testing_paint_train(project));
    }
    assert_true(view_train_worker_restore(worker));
    training.smooth = 0;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
    assert_true(view_train_worker_restore(worker));
    assert_true(shown_hash(worker, true) == first);

    testing_paint_area(project, 1, 0, 65);
    assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
    training.smooth = 5;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
    assert_true(small <= 1); /* it may have come before */
    assert_true(shown_hash(worker, true) == testing_paint_train(project));
    view_train_worker_destroy(&worker);
    shw_project_destroy(&project);
}

TESTING_CASE(a_brush_that_never_rests_gets_small_forests)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct view_train_worker *worker = make_worker(false);
    struct shw_project_training training = shw_project_get_training(project);
    struct view_train_status status = {0};
    struct testing_random random = {4};
    uint32_t small, full;

    training.tree_count = 40; /* so that full forests never come before the next point */
    training.candidates = 2000;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    paint(project, 20);
    assert_int_equal(shw_project_begin_stroke(project, 1, 0, 1, (struct shw_point){2, 2}), SHW_OK);
    for (uint32_t frame = 0; frame < FRAMES_MAX && status.number < 4; frame++) {
        struct shw_point point = {testing_random_range(&random, 0, 14), testing_random_range(&random, 0, HEIGHT)};

        assert_int_equal(shw_project_extend_stroke(project, point), SHW_OK);
        assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
        view_train_worker_get_status(worker, &status);
        pause_a_little();
    }
    assert_true(status.number >= 4);
    training.tree_count = 2;
    training.candidates = 10;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
    assert_true(shown_hash(worker, true) == testing_paint_train(project));
    view_train_worker_destroy(&worker);
    shw_project_destroy(&project);
}

TESTING_CASE(it_stops_and_goes_on)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct view_train_worker *worker = make_worker(true);
    struct view_train_status status;
    uint32_t small, full;

    view_train_worker_stop(worker, true);
    paint(project, 20);
    for (uint32_t frame = 0; frame < 30; frame++) {
        assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
        pause_a_little();
    }
    view_train_worker_get_status(worker, &status);
    assert_true(status.stopped);
    assert_int_equal(status.number, 0);
    view_train_worker_stop(worker, false);
    assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
    pause_a_little();
    view_train_worker_stop(worker, true); /* somewhere in between */
    paint(project, 60);
    assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
    pause_a_little();
    view_train_worker_stop(worker, false);
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
    assert_true(shown_hash(worker, true) == testing_paint_train(project));
    view_train_worker_destroy(&worker);
    shw_project_destroy(&project);
}

TESTING_CASE(it_ends_at_any_time)
{
    struct testing_random random = {6};

    for (uint32_t run = 0; run < 40; run++) {
        struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
        struct view_train_worker *worker = make_worker(true);

        paint(project, 20);
        paint(project, 50);
        assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
        for (uint32_t i = testing_random_below(&random, 6); i > 0; i--) {
            pause_a_little();
            if (testing_random_below(&random, 3) == 0)
                testing_paint_area(project, 1, 1, 70);
            else if (testing_random_below(&random, 3) == 0)
                view_train_worker_stop(worker, testing_random_below(&random, 2) == 0);
            assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
        }
        if (run % 2 == 0)
            shw_project_destroy(&project);
        view_train_worker_destroy(&worker);
        shw_project_destroy(&project);
    }
}

TESTING_CASE(failures_end_with_the_next_change)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct view_train_worker *worker = make_worker(false);
    uint32_t small, full;

    paint(project, 20);
    assert_int_equal(unlink(testing_path("a.png")), 0);
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_FAILED);
    free(testing_paint_scene(testing_path("a.png"), WIDTH, HEIGHT, 1));
    paint(project, 60);
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_DONE);
    assert_true(shown_hash(worker, true) == testing_paint_train(project));
    while (shw_project_undo(project, NULL))
        ;
    assert_int_equal(follow(worker, project, &small, &full), VIEW_TRAIN_IDLE);
    view_train_worker_destroy(&worker);
    shw_project_destroy(&project);
}
