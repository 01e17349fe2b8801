/* Labels that take longer than a frame: what is seen is always one picture with its labels, first the ones before, then
 * the new ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "files/image/image_write.h"
#include "open_app.h"
#include "shell/app.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

enum { WIDTH = 60, HEIGHT = 40, FRAMES_MAX = 1000000 };

static const VkExtent2D canvas = {80, 60};

static struct view_picture *make_picture(uint64_t seed, uint32_t width, uint32_t height)
{
    struct testing_random random = {seed};
    struct view_picture *picture = calloc(1, sizeof *picture);

    assert_non_null(picture);
    picture->image = testing_image(&random, width, height, SHW_PIXEL_RGB8, 0);
    return picture;
}

static struct view_shared_forest *make_forest(uint64_t seed, uint32_t classes, uint32_t trees)
{
    struct random_forest_params params = {
        .seed = seed, .classes = classes, .trees = trees, .depth = 5, .split_percent = 80};
    struct view_shared_forest *forest = view_shared_forest_create(random_forest(&params), true, 0);

    assert_non_null(forest);
    return forest;
}

static void open_app(bool complete, struct view_app *app)
{
    open_app_with((struct view_app_params){.canvas = canvas, .every_picture = true, .complete = complete}, app);
    app->scene.settings.mode = VIEW_MODE_BLEND;
}

static void close_app(struct view_app *app)
{
    assert_int_equal(view_app_destroy(app), 0);
}

/* A frame, and what is seen then. */
static uint64_t see(struct view_app *app)
{
    struct view_frame extra = {.read = true};

    assert_int_equal(view_app_poll(app, 0.0), SHW_OK);
    assert_int_equal(view_app_frame(app, &extra), SHW_OK);
    assert_int_equal(view_frames_wait(&app->gpu, &app->frames), SHW_OK);
    return testing_hash(app->canvas.back.mapped,
                        (size_t)app->canvas.image.extent.width * app->canvas.image.extent.height * 4);
}

static void technique(struct view_app *app, enum shw_technique channels, enum shw_technique integrate,
                      enum shw_technique evaluate)
{
    app->scene.labelling.techniques[SHW_STAGE_CHANNELS] = channels;
    app->scene.labelling.techniques[SHW_STAGE_INTEGRATE] = integrate;
    app->scene.labelling.techniques[SHW_STAGE_EVALUATE] = evaluate;
    app->scene.labelling.new_techniques = app->scene.labelling.wanted = true;
}

/* What is seen where every frame is complete: a picture and a forest. */
enum { FIRST, SECOND, OTHER_FOREST, THIRD, OTHER_SIZE, MORE_CLASSES, VIEWS };
static uint64_t views[VIEWS];

static int see_complete_views(void **state)
{
    static const struct {
        uint32_t picture, width, height, forest, classes, trees;
    } seen[VIEWS] = {[FIRST] = {1, WIDTH, HEIGHT, 1, 4, 3},        [SECOND] = {2, WIDTH, HEIGHT, 1, 4, 3},
                     [OTHER_FOREST] = {2, WIDTH, HEIGHT, 2, 4, 2}, [THIRD] = {3, WIDTH, HEIGHT, 2, 4, 2},
                     [OTHER_SIZE] = {5, 33, 50, 1, 4, 3},          [MORE_CLASSES] = {5, 33, 50, 6, 9, 12}};
    struct view_app app;
    uint32_t devices;

    (void)state;
    setenv("XDG_CACHE_HOME", testing_path(""), 1); /* where nothing is yet */
    if (shw_device_list(NULL, NULL, 0, &devices) != SHW_OK)
        return 0; /* tests will be skipped */
    open_app(true, &app);
    technique(&app, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
    for (uint32_t v = 0; v < VIEWS; v++) {
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(seen[v].forest, seen[v].classes, seen[v].trees)),
                         SHW_OK);
        assert_int_equal(view_app_show(&app, make_picture(seen[v].picture, seen[v].width, seen[v].height)), SHW_OK);
        views[v] = see(&app);
    }
    close_app(&app);
    return 0;
}

/* Frames until `next` is seen; until then it is `before`. Returns how many those were. */
static uint32_t see_change(struct view_app *app, uint64_t before, uint64_t next)
{
    const struct timespec moment = {.tv_nsec = 200000};

    assert_true(before != next);
    for (uint32_t frame = 0; frame < FRAMES_MAX; frame++) {
        uint64_t seen = see(app);
        if (seen == next) {
            assert_true(view_scene_is_current(&app->scene));
            return frame;
        }
        assert_true(seen == before);
        assert_false(view_scene_is_current(&app->scene));
        nanosleep(&moment, NULL);
    }
    fail_msg("labels do not come");
    return 0;
}

static void check_changes(enum shw_technique channels, enum shw_technique integrate, enum shw_technique evaluate)
{
    bool async = channels == SHW_TECHNIQUE_CPU || integrate == SHW_TECHNIQUE_CPU || evaluate == SHW_TECHNIQUE_CPU;
    struct view_app app;
    uint32_t frames;
    bool slow; /* pieces of 0.2 ms are many */

    open_app(false, &app);
    slow = !async && app.gpu.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    technique(&app, channels, integrate, evaluate);
    app.scene.labelling.budget = 0.2;
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
    for (frames = 0; see(&app) != views[FIRST]; frames++) /* the picture alone */
        assert_true(frames < FRAMES_MAX);
    assert_true(!slow || frames > 3);
    assert_int_equal(view_app_show(&app, make_picture(2, WIDTH, HEIGHT)), SHW_OK); /* another picture */
    frames = see_change(&app, views[FIRST], views[SECOND]);
    assert_true(!slow || frames > 10);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(2, 4, 2)), SHW_OK); /* another forest */
    see_change(&app, views[SECOND], views[OTHER_FOREST]);
    assert_int_equal(view_app_show(&app, make_picture(9, WIDTH, HEIGHT)), SHW_OK); /* one that is passed over */
    assert_int_equal(view_app_show(&app, make_picture(3, WIDTH, HEIGHT)), SHW_OK);
    see_change(&app, views[OTHER_FOREST], views[THIRD]);
    close_app(&app);
}

TESTING_CASE(by_compute)
{
    check_changes(SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
}

TESTING_CASE(by_fragment)
{
    check_changes(SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT);
}

TESTING_CASE(by_the_worker)
{
    check_changes(SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU);
}

TESTING_CASE(by_mixtures)
{
    if (testing_is_slow())
        check_changes(SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT);
    check_changes(SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_AUTO);
}

/* Complete frames have the same labels by every technique, also where it changes, and where nobody has chosen. */
TESTING_CASE(complete_frames_are_the_same)
{
    static const enum shw_technique known[] = {SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT,
                                               SHW_TECHNIQUE_COMPUTE};
    struct testing_random random = {3};
    struct view_app app;

    open_app(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
    assert_true(see(&app) == views[FIRST]);
    for (uint32_t turn = 0; turn < 12; turn++) {
        if (turn % 3 != 0)
            technique(&app, known[testing_random_below(&random, 4)], known[testing_random_below(&random, 4)],
                      known[testing_random_below(&random, 4)]);
        assert_int_equal(view_app_show(&app, make_picture(1 + turn % 2, WIDTH, HEIGHT)), SHW_OK);
        assert_true(see(&app) == views[turn % 2 == 0 ? FIRST : SECOND]);
    }
    close_app(&app);
}

/* A picture of another size is shown at once; labels of the one before never lie over it. More classes mean other
 * images for them. */
TESTING_CASE(sizes_and_classes_change_at_once)
{
    static const enum shw_technique known[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CPU};
    struct view_app app;
    uint64_t bare;

    for (uint32_t t = 0; t < 2; t++) {
        open_app(false, &app);
        technique(&app, known[t], known[t], known[t]);
        assert_int_equal(view_app_show(&app, make_picture(5, 33, 50)), SHW_OK);
        bare = see(&app);
        assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
        see(&app);
        app.scene.labelling.budget = 0.2;
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
        for (uint32_t frames = 0; see(&app) != views[FIRST]; frames++)
            assert_true(frames < FRAMES_MAX);
        assert_int_equal(view_app_show(&app, make_picture(2, WIDTH, HEIGHT)), SHW_OK);
        /* the next picture waits, but not on devices that have labels for it within the frame */
        assert_true(see(&app) == views[FIRST] || app.gpu.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU);
        assert_int_equal(view_app_show(&app, make_picture(5, 33, 50)), SHW_OK);
        see_change(&app, bare, views[OTHER_SIZE]);
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(6, 9, 12)), SHW_OK);
        for (uint32_t frames = 0; see(&app) != views[MORE_CLASSES]; frames++)
            assert_true(frames < FRAMES_MAX);
        assert_int_equal(view_scene_set_forest(&app.scene, NULL), SHW_OK);
        assert_true(see(&app) == bare);
        close_app(&app);
    }
}

/* Without a forest, a picture does not wait for labels that will not come; and the program may end with anything under
 * way. */
TESTING_CASE(what_is_under_way_can_be_given_up)
{
    static const enum shw_technique known[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT};
    struct view_app app;

    for (uint32_t turn = 0; turn < 6; turn++) {
        open_app(false, &app);
        technique(&app, known[turn % 3], known[turn % 3], known[turn % 3]);
        app.scene.labelling.budget = 0.2;
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
        assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
        while (!view_scene_is_current(&app.scene))
            see(&app);
        assert_int_equal(view_app_show(&app, make_picture(2, WIDTH, HEIGHT)), SHW_OK);
        see(&app);
        assert_int_equal(view_app_show(&app, make_picture(3, WIDTH, HEIGHT)), SHW_OK);
        if (turn >= 3) {
            uint64_t seen;
            assert_int_equal(view_scene_set_forest(&app.scene, NULL), SHW_OK);
            seen = see(&app);
            assert_int_equal(view_app_show(&app, make_picture(3, WIDTH, HEIGHT)), SHW_OK);
            assert_true(see(&app) == seen);
        }
        close_app(&app);
    }
}

/* Who looks at pictures alone waits for nothing, and has the labels again soon after. */
TESTING_CASE(pictures_alone_do_not_wait)
{
    struct view_app app;
    uint64_t first, second;

    open_app(false, &app);
    app.scene.settings.mode = VIEW_MODE_NONE;
    assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
    first = see(&app);
    assert_int_equal(view_app_show(&app, make_picture(2, WIDTH, HEIGHT)), SHW_OK);
    second = see(&app);
    assert_true(first != second);
    technique(&app, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
    app.scene.labelling.budget = 0.2;
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
    for (uint32_t turn = 0; turn < 6; turn++) {
        assert_int_equal(view_app_show(&app, make_picture(1 + turn % 2, WIDTH, HEIGHT)), SHW_OK);
        assert_true(see(&app) == (turn % 2 == 0 ? first : second));
    }
    app.scene.settings.mode = VIEW_MODE_BLEND;
    for (uint32_t frames = 0; see(&app) != views[SECOND]; frames++)
        assert_true(frames < FRAMES_MAX);
    close_app(&app);
}

TESTING_CASE(times_are_told)
{
    struct view_app app;
    const struct view_ring *rings = app.frames.times.rings;

    open_app(false, &app);
    technique(&app, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
    app.scene.labelling.budget = 0.2;
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
    while (!view_scene_is_current(&app.scene))
        see(&app);
    see(&app); /* times of frames are those between two */
    assert_int_equal(rings[VIEW_TIME_LABELS].count, 1);
    assert_true(rings[VIEW_TIME_LABELS].values[0] > 0.0f);
    assert_int_equal(rings[VIEW_TIME_WORKER].count, 0);
    assert_true(rings[VIEW_TIME_FRAME].count > 0);
    if (app.gpu.timestamp_bits > 0) {
        for (uint32_t kind = VIEW_TIME_CHANNELS; kind <= VIEW_TIME_EVALUATE; kind++)
            assert_int_equal(rings[kind].count, 1);
        assert_true(rings[VIEW_TIME_DRAW].count > 0 && rings[VIEW_TIME_COMPOSE].count > 0);
    }
    technique(&app, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU);
    while (!view_scene_is_current(&app.scene))
        see(&app);
    assert_int_equal(rings[VIEW_TIME_LABELS].count, 2);
    assert_int_equal(rings[VIEW_TIME_WORKER].count, 1);
    close_app(&app);
}

/* On a GPU, `auto` goes by the calibration that is stored for the device; without one by `compute` alone. */
TESTING_CASE(automatic_goes_by_the_calibration)
{
    static const enum shw_technique fastest[SHW_STAGE_COUNT] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE,
                                                                SHW_TECHNIQUE_FRAGMENT};
    const struct shw_log none = {0};
    enum shw_technique used[SHW_STAGE_COUNT];
    char folder[4096];

    assert_true(shw_calibration_file_folder(folder, sizeof folder));
    for (int calibrated = 0; calibrated < 2; calibrated++) {
        struct view_app app;
        open_app(true, &app);
        app.gpu.properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU; /* as far as this program looks */
        assert_int_equal(app.calibrated, calibrated);
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
        assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
        assert_true(see(&app) == views[FIRST]);
        view_labelling_techniques(&app.scene.labelling, used);
        for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
            assert_int_equal(used[s], calibrated ? fastest[s] : SHW_TECHNIQUE_COMPUTE);
        if (!calibrated) {
            struct shw_stored_calibration stored = {.calibration = {.version = SHW_CALIBRATION_VERSION, .threads = 1}};
            struct shw_device_description device;
            shw_device_describe(app.gpu.shadewood, &device);
            stored.calibration.vendor_id = device.vendor_id;
            stored.calibration.device_id = device.device_id;
            stored.calibration.driver_version = device.driver_version;
            memcpy(stored.calibration.pipeline_cache_uuid, device.pipeline_cache_uuid,
                   sizeof device.pipeline_cache_uuid);
            for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
                for (uint32_t t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++)
                    stored.calibration.stages[s][t] = (struct shw_cost){true, t == fastest[s] ? 1.0 : 9.0, 0.0};
            for (uint32_t h = 0; h < SHW_HAND_OVER_COUNT; h++)
                stored.calibration.hand_overs[h].measured = true;
            assert_int_equal(mkdir(folder, 0700), 0);
            assert_int_equal(shw_calibration_file_store(&device, &none, &stored), SHW_OK);
        }
        close_app(&app);
    }
}

/* Pictures of data sets that describe no classes: as many as the ground truth has numbers for. */
TESTING_CASE(ground_truth_tells_how_many_classes_there_are)
{
    static const uint16_t numbers[][2] = {{SHW_LABEL_VOID, 6}, {2, 0}, {SHW_LABEL_VOID, SHW_LABEL_VOID}};
    static const uint32_t counts[] = {7, 3, 0};
    struct view_app app;

    open_app(true, &app);
    assert_int_equal(view_scene_classes(&app.scene).count, 0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct view_picture *picture = make_picture(i, 2, 1);
        picture->labels = malloc(sizeof numbers[i]);
        assert_non_null(picture->labels);
        memcpy(picture->labels, numbers[i], sizeof numbers[i]);
        view_picture_count_classes(picture);
        assert_int_equal(view_app_show(&app, picture), SHW_OK);
        assert_int_equal(view_scene_classes(&app.scene).count, counts[i]);
        assert_null(view_scene_classes(&app.scene).list);
    }
    assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
    assert_int_equal(view_scene_classes(&app.scene).count, 0);
    close_app(&app);
}

/* Labels that cannot be made are reported once; who asks for their shares then is informed, too, and does not wait for
 * ever. */
TESTING_CASE(without_labels_there_are_no_shares)
{
    struct view_app app;

    open_app(true, &app);
    technique(&app, SHW_TECHNIQUE_BLEND, SHW_TECHNIQUE_BLEND, SHW_TECHNIQUE_BLEND);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
    assert_int_equal(view_app_frame(&app, NULL), SHW_ERROR_ARGUMENT);
    assert_int_equal(view_app_frame(&app, NULL), SHW_OK);
    assert_int_equal(view_app_run(&app, "shares"), SHW_ERROR_ARGUMENT);
    technique(&app, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
    assert_int_equal(view_app_run(&app, "shares"), SHW_OK);
    close_app(&app);
}

static void see_current(struct view_app *app, int64_t ticks)
{
    for (uint32_t frames = 0;
         app->scene.picture == NULL || app->scene.picture->ticks != ticks || !view_scene_is_current(&app->scene);
         frames++) {
        assert_true(frames < FRAMES_MAX);
        see(app);
    }
}

/* A picture that plays and waits for its labels is given up when the one before it is painted on, from which the source
 * then continues. */
TESTING_CASE(what_is_painted_on_is_where_the_source_is)
{
    static const char *const next[] = {"step forward", "play on", "step back"};
    struct view_app app;
    double now = 1.0;

    assert_int_equal(mkdir(testing_path("played"), 0777), 0);
    for (uint64_t i = 0; i < 6; i++) {
        struct view_picture *picture = make_picture(i, WIDTH, HEIGHT);
        char name[32];

        snprintf(name, sizeof name, "played/%d.png", (int)i);
        assert_int_equal(shw_png_write(testing_path(name), &picture->image, NULL), SHW_OK);
        view_picture_free(picture);
    }
    open_app(false, &app);
    technique(&app, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU);
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    assert_int_equal(view_app_run(&app, "add-class a"), SHW_OK);
    for (uint32_t i = 0; i < 3; i++) {
        char line[4096];
        int64_t painted;

        snprintf(line, sizeof line, "open %s", testing_path("played"));
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
        see_current(&app, 0);
        assert_int_equal(view_app_run(&app, "step forward"), SHW_OK);
        see_current(&app, 1);
        assert_int_equal(view_app_run(&app, "play on"), SHW_OK);
        for (uint32_t frames = 0; app.scene.labelling.coming == NULL; frames++) {
            assert_true(frames < FRAMES_MAX);
            assert_int_equal(view_app_poll(&app, now += 0.2), SHW_OK);
        }
        painted = app.scene.picture->ticks;
        assert_true(view_player_info(&app.player).index > painted);
        assert_int_equal(view_app_run(&app, "stroke a 3 5 5 20 5"), SHW_OK);
        assert_int_equal(app.scene.picture->ticks, painted);
        assert_false(view_player_info(&app.player).playing);
        assert_int_equal(view_player_info(&app.player).index, painted);
        assert_true(view_player_info(&app.player).seconds == (double)painted);
        assert_int_equal(view_app_run(&app, next[i]), SHW_OK);
        for (uint32_t frames = 0; view_player_info(&app.player).index == painted; frames++) {
            assert_true(frames < FRAMES_MAX);
            assert_int_equal(view_app_poll(&app, now += 0.2), SHW_OK);
        }
        assert_int_equal(view_player_info(&app.player).index, painted + (i == 2 ? -1 : 1));
        assert_int_equal(view_app_run(&app, "play off"), SHW_OK);
        see_current(&app, painted + (i == 2 ? -1 : 1));
    }
    close_app(&app);
}

/* What has been measured in the background is drawn without anybody moving the mouse. */
TESTING_CASE(a_measurement_asks_for_a_frame)
{
    static const char *const lines[] = {"project new",          "trainer cpu",           "add-class a",
                                        "add-class b",          "stroke a 3 5 5 20 5",   "stroke a 3 5 30 20 30",
                                        "stroke b 3 40 5 55 5", "stroke b 3 40 30 55 30"};
    const struct timespec moment = {.tv_nsec = 2000000};
    struct view_train_status status = {.state = VIEW_TRAIN_IDLE};
    struct view_app app;
    uint64_t asked = 0;

    open_app(false, &app);
    assert_int_equal(view_app_show(&app, make_picture(1, WIDTH, HEIGHT)), SHW_OK);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(view_app_run(&app, lines[i]), SHW_OK);
    assert_int_equal(view_teaching_frame(&app.teaching),
                     SHW_OK); /* hands the strokes over; nothing is drawn after it */
    for (int more = 1; more >= 0; more -= status.state == VIEW_TRAIN_DONE) {
        app.scene.redraw = false;
        assert_int_equal(view_teaching_poll(&app.teaching), SHW_OK);
        if (app.scene.redraw)
            asked = app.teaching.announced;
        view_train_worker_get_status(app.teaching.worker, &status);
        assert_true(status.state != VIEW_TRAIN_FAILED);
        nanosleep(&moment, NULL);
    }
    assert_true(asked == status.measurements);
    close_app(&app);
}

static uint64_t see_until_still(struct view_app *app)
{
    uint64_t seen;

    do {
        app->scene.redraw = false;
        seen = see(app);
    } while (view_app_needs_frame(app) || !view_objects_are_current(&app->objects));
    return seen;
}

/* A panel that has appeared is drawn until its tables have their columns, and a message until it has its place and all
 * of its lines are seen, though nothing else happens. */
TESTING_CASE(what_appears_is_drawn_until_it_stays)
{
    struct view_picture *picture = make_picture(1, WIDTH, HEIGHT);
    struct view_app app;
    uint64_t seen;

    picture->name = strdup("picture.png");
    open_app(true, &app);
    assert_int_equal(view_app_resize(&app, (VkExtent2D){900, 600}), SHW_OK);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1, 4, 3)), SHW_OK);
    assert_int_equal(view_app_show(&app, picture), SHW_OK);
    assert_int_equal(view_app_run(&app, "panels on"), SHW_OK);
    assert_int_equal(view_app_run(&app, "objects on"), SHW_OK);
    see_until_still(&app);
    assert_int_equal(view_app_run(&app, "panel objects on"), SHW_OK);
    seen = see_until_still(&app);
    for (int frame = 0; frame < 4; frame++)
        assert_int_equal(see(&app), seen);
    for (int message = 0; message < 3; message++) {
        view_toasts_tell(&app.toasts, message == 1 ? "a message that is so long that it needs several lines, however "
                                                     "wide its window is in the end"
                                                   : "a message");
        seen = see_until_still(&app);
        for (int frame = 0; frame < 4; frame++)
            assert_int_equal(see(&app), seen);
    }
    close_app(&app);
}

TESTING_FIXTURE(see_complete_views, NULL)
