/* Training in somebody else's frames, on a device that is not ours. */
#include "../embed/engine.h"

#include "teach/train_worker.h"
#include "testing/painting.h"

#include <time.h>

static struct shw_device *import(struct engine *engine)
{
    struct shw_device_import_params params = {.instance = engine->instance,
                                              .physical_device = engine->physical,
                                              .device = engine->handle,
                                              .queue_family = engine->family,
                                              .api_version = ENGINE_VERSION,
                                              .instance_extensions = engine->extensions,
                                              .instance_extension_count = engine->extension_count,
                                              .get_instance_proc_addr = engine->get};
    struct shw_device *device = NULL;

    assert_int_equal(shw_device_import(&params, &device), SHW_OK);
    return device;
}

static void paint(struct shw_project *project, uint32_t place)
{
    for (uint32_t c = 0; c < 3; c++)
        testing_paint_area(project, 1, c, place);
}

/* One frame: a slice of training, if there is one. */
static bool render(struct engine *engine, struct view_train_worker *worker)
{
    struct engine_frame frame;
    bool recorded;

    engine_begin(engine, &frame);
    view_train_worker_record(worker, frame.commands, &recorded);
    engine_submit(engine, &frame);
    engine_wait(engine, &frame);
    if (recorded)
        view_train_worker_complete(worker);
    else
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return recorded;
}

/* Renders until the training worker is done. Returns the slices. */
static uint32_t follow(struct engine *engine, struct view_train_worker *worker, struct shw_project *project)
{
    struct view_train_status status = {0};
    uint32_t slices = 0;

    for (uint32_t frame = 0; frame < 400000 && status.state != VIEW_TRAIN_DONE; frame++) {
        assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
        slices += render(engine, worker);
        view_train_worker_get_status(worker, &status);
        assert_true(status.state != VIEW_TRAIN_FAILED);
    }
    assert_int_equal(status.state, VIEW_TRAIN_DONE);
    return slices;
}

static void check_forest(struct view_train_worker *worker, struct shw_project *project)
{
    struct view_shared_forest *forest = view_train_worker_share_forest(worker);

    assert_non_null(forest);
    assert_true(forest->full);
    assert_int_equal(forest->revision, shw_project_get_revision(project));
    assert_true(shw_forest_hash(forest->forest) == testing_paint_train(project));
    view_shared_forest_release(&forest);
}

static struct view_train_worker *make_worker(struct shw_device *device, uint64_t work_max)
{
    struct view_train_worker_params params = {.device = device, .recorded = true, .work_max = work_max, .threads = 2};
    struct view_train_worker *worker = NULL;

    assert_int_equal(view_train_worker_create(&params, &worker), SHW_OK);
    return worker;
}

TESTING_CASE(slices_in_frames_give_the_same_forest)
{
    struct engine engine;
    struct shw_device *device;
    struct shw_project *project = testing_paint_project(48, 36, NULL);
    uint32_t few;

    engine_open(&engine);
    device = import(&engine);
    paint(project, 20);
    paint(project, 60);
    for (int small = 0; small < 2; small++) {
        struct view_train_worker *worker = make_worker(device, small ? 5000 : 0);
        uint32_t slices = follow(&engine, worker, project);

        check_forest(worker, project);
        if (small)
            assert_true(slices > few);
        few = slices;
        testing_paint_area(project, 1, 2, 80 + (uint32_t)small * 10);
        assert_true(follow(&engine, worker, project) > 4);
        check_forest(worker, project);
        view_train_worker_destroy(&worker);
    }
    shw_device_destroy(&device);
    engine_close(&engine);
    shw_project_destroy(&project);
}

/* Strokes, stops and the end come between recording and the end of what was recorded. */
TESTING_CASE(anything_may_come_in_between)
{
    struct engine engine;
    struct shw_device *device;
    struct testing_random random = {3};

    engine_open(&engine);
    device = import(&engine);
    for (uint32_t run = 0; run < 6; run++) {
        struct shw_project *project = testing_paint_project(48, 36, NULL);
        struct view_train_worker *worker = make_worker(device, 20000);

        paint(project, 20);
        for (uint32_t i = 0; i < 30; i++) {
            struct engine_frame frame;
            bool recorded;

            assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
            engine_begin(&engine, &frame);
            view_train_worker_record(worker, frame.commands, &recorded);
            engine_submit(&engine, &frame);
            switch (testing_random_below(&random, 8)) {
            case 0: testing_paint_area(project, 1, 1, 30 + i); break;
            case 1: view_train_worker_stop(worker, true); break;
            case 2: view_train_worker_stop(worker, false); break;
            case 3: view_train_worker_restore(worker); break;
            default: break;
            }
            assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
            engine_wait(&engine, &frame);
            if (recorded)
                view_train_worker_complete(worker);
            else
                nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
        view_train_worker_stop(worker, false);
        if (run % 2 == 0) {
            testing_paint_area(project, 1, 0, 90);
            follow(&engine, worker, project);
            check_forest(worker, project);
        }
        view_train_worker_destroy(&worker);
        shw_project_destroy(&project);
    }
    shw_device_destroy(&device);
    engine_close(&engine);
}

/* What was taken in the middle of a stroke gives way when the stroke ends, but not to the beginning of the next
 * stroke. */
TESTING_CASE(the_end_of_a_stroke_is_not_waited_for)
{
    struct engine engine;
    struct shw_device *device;
    struct shw_project *project = testing_paint_project(48, 36, NULL);
    struct view_train_status status = {0};
    struct view_shared_forest *forest;
    struct view_train_worker *worker;
    uint64_t ended;

    engine_open(&engine);
    device = import(&engine);
    worker = make_worker(device, 5000);
    paint(project, 20);
    assert_int_equal(shw_project_begin_stroke(project, 1, 1, 2, (struct shw_point){2, 2}), SHW_OK);
    assert_true(shw_project_is_painting(project));
    assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
    while (!render(&engine, worker))
        ;
    assert_int_equal(shw_project_extend_stroke(project, (struct shw_point){9, 7}), SHW_OK);
    shw_project_end_stroke(project);
    assert_false(shw_project_is_painting(project));
    ended = shw_project_get_revision(project);
    assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
    for (bool begun = false; status.number == 0;) {
        view_train_worker_get_status(worker, &status);
        if (render(&engine, worker) && !begun && status.state == VIEW_TRAIN_SMALL) {
            begun = true;
            assert_int_equal(shw_project_begin_stroke(project, 1, 2, 2, (struct shw_point){30, 2}), SHW_OK);
        }
        assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
    }
    forest = view_train_worker_share_forest(worker);
    assert_false(forest->full);
    assert_int_equal(forest->revision, ended);
    assert_true(status.times.wanted <= status.times.begun && status.times.begun <= status.times.prepared &&
                status.times.prepared <= status.times.grown);
    view_shared_forest_release(&forest);
    shw_project_end_stroke(project);
    follow(&engine, worker, project);
    check_forest(worker, project);
    view_train_worker_destroy(&worker);
    shw_device_destroy(&device);
    engine_close(&engine);
    shw_project_destroy(&project);
}

TESTING_CASE(frames_need_a_device)
{
    struct view_train_worker_params params = {.recorded = true};
    struct view_train_worker *worker = NULL;

    assert_int_equal(view_train_worker_create(&params, &worker), SHW_ERROR_ARGUMENT);
    assert_null(worker);
    view_train_worker_destroy(&worker);
}
