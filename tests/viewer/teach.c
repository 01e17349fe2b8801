/* Teaching in the program: what is painted is seen, and what is learned is what the project's strokes make. */
#include "teaching.h"

#include <stdio.h>
#include <string.h>

TESTING_CASE(strokes_lie_over_the_picture)
{
    struct testing_random random = {8};
    struct view view;
    uint32_t undone;

    begin(taught.folder);
    view = picture_view(0);
    script("overlay none\nteach off");
    for (uint32_t i = 0; i < 6; i++) {
        paint(&random, 0);
        if (i % 2 == 1)
            shoot(&view, 0, true);
    }
    script("undo\nundo");
    shw_project_undo(taught.project, &undone);
    shw_project_undo(taught.project, &undone);
    shoot(&view, 0, true);
    script("redo\nlock middle on");
    shw_project_redo(taught.project, &undone);
    shw_project_lock_class(taught.project, 1, true);
    paint(&random, 0);
    shoot(&view, 0, true);
    script("strokes off");
    shoot(&view, 0, false);
    script("strokes on\nstep forward");
    view = picture_view(1);
    shoot(&view, 1, false);
    paint(&random, 1);
    shoot(&view, 1, true);
    script("step back");
    view = picture_view(0);
    script("wipe 40");
    view.wipe = 40;
    shoot(&view, 0, true);
    script("wipe 0\ndelete-class right");
    view.wipe = 0;
    view.classes = 2;
    assert_int_equal(shw_project_delete_class(taught.project, 2), SHW_OK);
    shoot(&view, 0, true);
    run_and_compare();
    end();
}

/* Places of the canvas are those of the picture's pixels. */
TESTING_CASE(the_mouse_paints)
{
    struct view view = picture_view(0);
    int64_t zoom = view.zoom;

    begin(taught.folder);
    script("overlay none\nteach off\nkey Ctrl+1\nkey Q\nradius 2 picture");
    for (uint32_t i = 0; i < 3; i++) {
        const int32_t points[3][2] = {{5 + 3 * (int32_t)i, 4}, {20, 9 + 5 * (int32_t)i}, {44, 30}};
        for (uint32_t p = 0; p < 3; p++) {
            script("mouse move %d %d", (int)((points[p][0] * zoom + zoom / 2 + view.offset_x) / 256),
                   (int)((points[p][1] * zoom + zoom / 2 + view.offset_y) / 256));
            if (p == 0)
                script("mouse press %s", i == 1 ? "right" : "left");
            if (p == 0)
                assert_int_equal(shw_project_begin_stroke(taught.project, 0, i == 1 ? SHW_LABEL_VOID : 1, 2 + i,
                                                          (struct shw_point){points[p][0], points[p][1]}),
                                 SHW_OK);
            else
                assert_int_equal(
                    shw_project_extend_stroke(taught.project, (struct shw_point){points[p][0], points[p][1]}), SHW_OK);
            if (p == 1)
                script("wait 1"); /* a frame in the middle of a stroke */
        }
        script("mouse release %s\nradius +1", i == 1 ? "right" : "left");
        shw_project_end_stroke(taught.project);
        shoot(&view, 0, true);
    }
    run_and_compare();
    end();
}

/* By either way of training: the overlay is what the forest of the strokes gives. */
static void learn(const char *trainer)
{
    struct shw_labeller_params params = {
        .channels = SHW_TECHNIQUE_CPU, .integrate = SHW_TECHNIQUE_CPU, .evaluate = SHW_TECHNIQUE_CPU, .threads = 1};
    struct view view = picture_view(1);
    struct testing_labelling labels;
    struct shw_forest *forest;

    begin(taught.folder);
    script("trainer %s", trainer);
    paint_areas(0, 20);
    script("wait small\nstep forward");
    paint_areas(1, 50);
    script("wait trained\nexport forest %s", file("first.ktx2"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_true(load_hash(file("first.ktx2"), &forest) == testing_paint_train(taught.project));
    params.forest = forest;
    labels = testing_label(&params, view.image);
    end();

    /* painted in another order, the same */
    begin(taught.folder);
    script("trainer %s\nstep forward", trainer);
    paint_areas(1, 50);
    script("step back");
    paint_areas(0, 20);
    script("wait trained\nstep forward\noverlay argmax");
    view.mode = "argmax";
    view.labels = &labels;
    shoot(&view, 1, true);
    script("overlay entropy\nstrokes off");
    view.mode = "entropy";
    shoot(&view, 1, false);
    run_and_compare();
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
    end();
}

TESTING_CASE(the_overlay_follows)
{
    learn("cpu");
    learn("device");
}

/* Taught on both pictures; the second is shown with its labels under `lines`. */
static void show_smoothed(const char *lines, const struct testing_labelling *labels)
{
    struct view view = picture_view(1);

    script("%s\nwait labels\nshown-labels\nstrokes off\noverlay argmax\nopacity 50", lines);
    view.mode = "argmax";
    view.labels = labels;
    shoot(&view, 1, false);
}

TESTING_CASE(smoothing_is_switched)
{
    static const uint32_t radii[] = {SHW_PROJECT_SMOOTH, SHW_SMOOTHING_NONE, 40};
    struct shw_labeller_params params = {
        .channels = SHW_TECHNIQUE_CPU, .integrate = SHW_TECHNIQUE_CPU, .evaluate = SHW_TECHNIQUE_CPU, .threads = 1};
    struct testing_labelling labels[3];
    struct shw_project_training training;
    struct shw_project *read = NULL;
    struct shw_forest *forest;
    const char *found;
    char told[128];

    begin(taught.folder);
    paint_areas(0, 20);
    script("step forward");
    paint_areas(1, 50);
    script("wait trained\nexport forest %s", file("usual.ktx2"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_true(load_hash(file("usual.ktx2"), &forest) == testing_paint_train(taught.project));
    assert_int_equal(shw_forest_get_info(forest)->smoothing.radius, SHW_PROJECT_SMOOTH);
    params.forest = forest;
    for (uint32_t r = 0; r < 3; r++) {
        params.smoothing.radius = radii[r];
        labels[r] = testing_label(&params, picture_view(1).image);
    }
    assert_true(memcmp(labels[0].out.argmax, labels[1].out.argmax, WIDTH * HEIGHT * sizeof(uint16_t)) != 0);
    end();

    begin(taught.folder);
    paint_areas(0, 20);
    script("step forward");
    paint_areas(1, 50);
    script("wait trained\ninspect 20 10\ninspect print\ninspect off");
    show_smoothed("technique cpu", &labels[0]);
    show_smoothed("key U", &labels[1]);
    script("inspect 20 10\ninspect print\ninspect off\nsmoothing off");
    show_smoothed("technique compute", &labels[1]);
    show_smoothed("key U", &labels[0]);
    show_smoothed("teach off\nsmoothing 40\nwait trained", &labels[2]); /* without training */
    script("export forest %s\nsave %s", file("wide.ktx2"), file("wide.json"));
    show_smoothed("smoothing 0\nwait trained\ntechnique auto", &labels[1]);
    script("save %s", file("none.json"));
    show_smoothed("smoothing on\nwait trained", &labels[0]);
    show_smoothed("smoothing off", &labels[1]);
    script("forest %s", file("usual.ktx2"));
    show_smoothed("smoothing 40", &labels[2]);
    run_and_compare();
    end();
    for (uint32_t c = 0; c < CLASSES; c++) {
        snprintf(told, sizeof told, "\nsmoothed class %s: %u\n", names[c],
                 labels[0].out.distribution[c * WIDTH * HEIGHT + 10 * WIDTH + 20]);
        found = strstr(script_output(), told);
        assert_non_null(found);
        assert_null(strstr(found + 1, told)); /* nothing is told of smoothing that is off */
    }
    for (uint32_t r = 0; r < 3; r++)
        testing_labelling_free(&labels[r]);
    shw_forest_destroy(&forest);

    assert_non_null(strstr(script_output(), "smoothed with radius 16: "));
    assert_non_null(strstr(script_output(), ", smoothed with radius 40\n"));
    assert_non_null(strstr(script_output(), ", not smoothed\n"));
    load_hash(file("wide.ktx2"), &forest);
    assert_int_equal(shw_forest_get_info(forest)->smoothing.radius, 40);
    shw_forest_destroy(&forest);
    for (uint32_t r = 0; r < 2; r++) {
        assert_int_equal(shw_project_read(file(r == 0 ? "wide.json" : "none.json"), NULL, &read), SHW_OK);
        training = shw_project_get_training(read);
        assert_int_equal(training.smooth, r == 0 ? 40 : SHW_SMOOTHING_NONE);
        shw_project_destroy(&read);
    }
}

static struct shw_image_file read_shot(const char *name)
{
    struct shw_image_file shot;

    assert_int_equal(shw_image_file_read(testing_path(name), NULL, NULL, &shot), SHW_OK);
    return shot;
}

/* Left of the wipe's line are the labels before smoothing, right of it those after it. */
static void compare_smoothing(const char *technique)
{
    static const char *const shots[] = {"smoothed.png", "raw.png", "both.png", "again.png"};
    struct shw_image_file images[4];
    size_t differing = 0;

    begin(taught.folder);
    script("technique %s", technique);
    paint_areas(0, 20);
    script("strokes off\nwait trained\noverwrite on\nscreenshot %s", testing_path(shots[0]));
    script("smoothing off\nscreenshot %s", testing_path(shots[1]));
    script("smoothing on\nkey Ctrl+U\nscreenshot %s", testing_path(shots[2]));
    script("compare-smoothing off\nwipe 0\nscreenshot %s", testing_path(shots[3]));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    for (uint32_t i = 0; i < 4; i++)
        images[i] = read_shot(shots[i]);
    for (uint32_t y = 0; y < CANVAS_HEIGHT; y++)
        for (uint32_t x = 0; x < CANVAS_WIDTH; x++) {
            const size_t at = ((size_t)y * CANVAS_WIDTH + x) * 3;
            const uint8_t *both = (const uint8_t *)images[2].pixels + at;
            const uint8_t *smoothed = (const uint8_t *)images[0].pixels + at;
            const uint8_t *raw = (const uint8_t *)images[1].pixels + at;

            differing += memcmp(smoothed, raw, 3) != 0;
            if (x != CANVAS_WIDTH / 2)
                assert_memory_equal(both, x < CANVAS_WIDTH / 2 ? raw : smoothed, 3);
            assert_memory_equal((const uint8_t *)images[3].pixels + at, smoothed, 3);
        }
    assert_true(differing > 0);
    for (uint32_t i = 0; i < 4; i++)
        shw_image_file_free(&images[i]);
    end();
}

TESTING_CASE(labels_before_and_after_smoothing_are_compared)
{
    compare_smoothing("cpu");
    compare_smoothing("compute");
}

TESTING_CASE(forests_before_come_back)
{
    uint64_t first;

    begin(taught.folder);
    paint_areas(0, 20);
    first = testing_paint_train(taught.project);
    script("wait judged\naccuracy");
    paint_areas(0, 70);
    script("wait trained\nexport forest %s\nrestore\nwait 1\nexport forest %s\nrestore\nwait 1\nexport forest %s",
           file("new.ktx2"), file("old.ktx2"), file("again.ktx2"));
    script("wait 1\nlabels\nlatency\nlatency json");
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_true(load_hash(file("new.ktx2"), NULL) == testing_paint_train(taught.project));
    assert_true(load_hash(file("again.ktx2"), NULL) == testing_paint_train(taught.project));
    assert_true(load_hash(file("old.ktx2"), NULL) == first);
    assert_non_null(strstr(script_output(), "left: 1 stroke: paint another to measure it"));
    assert_non_null(strstr(script_output(), "paint a second stroke of each class"));
    assert_non_null(strstr(script_output(), "from the end of the stroke to its overlay: "));
    assert_non_null(strstr(script_output(), "\n{\"stroke_ms\":"));
    end();
}

/* Of squares of 9 x 9 pixels, painted ones and those outside being certain. */
static uint64_t sum_around(const struct testing_labelling *labels, const uint16_t *painted, int32_t x, int32_t y)
{
    uint64_t sum = 0;

    for (int32_t v = y - HEIGHT / 8; v <= y + HEIGHT / 8; v++)
        for (int32_t u = x - HEIGHT / 8; u <= x + HEIGHT / 8; u++) {
            uint64_t squares = 0;
            for (uint32_t c = 0; c < CLASSES && u >= 0 && v >= 0 && u < WIDTH && v < HEIGHT; c++) {
                uint64_t probability = labels->out.distribution[(int32_t)c * WIDTH * HEIGHT + v * WIDTH + u];
                squares += probability * probability;
            }
            if (squares == 0 || squares > 65535u * UINT64_C(65535) || painted[v * WIDTH + u] != SHW_LABEL_VOID)
                squares = 65535u * UINT64_C(65535);
            sum += squares;
        }
    return sum;
}

/* Found asynchronously, while the script waits. */
TESTING_CASE(the_least_certain_place_comes_into_the_middle)
{
    struct view view = picture_view(0);
    struct testing_labelling labels;
    struct shw_forest *forest;
    const uint16_t *painted;
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    int32_t margin;

    begin(taught.folder);
    paint_areas(0, 40);
    script("wait trained\nexport forest %s\nsave %s", file("uncertain.ktx2"), file("uncertain.json"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    load_hash(file("uncertain.ktx2"), &forest);
    margin = (int32_t)shw_forest_get_reach(forest);
    margin = margin < HEIGHT / 4 ? margin : HEIGHT / 4;
    labels = testing_label(&(struct shw_labeller_params){.forest = forest}, view.image);
    painted = testing_labels(taught.project, 0);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            uint64_t squares = sum_around(&labels, painted, x, y);
            if (x >= margin && y >= margin && x < WIDTH - margin && y < HEIGHT - margin &&
                painted[y * WIDTH + x] == SHW_LABEL_VOID && squares < least) {
                least = squares;
                best = (uint32_t)(y * WIDTH + x);
            }
        }
    script("open %s\noverlay none\nwait trained\nzoom 8\nuncertain", file("uncertain.json"));
    view.zoom = 8 * 256;
    view.offset_x = CANVAS_WIDTH * 128 - (2 * (int64_t)(best % WIDTH) + 1) * view.zoom / 2;
    view.offset_y = CANVAS_HEIGHT * 128 - (2 * (int64_t)(best / WIDTH) + 1) * view.zoom / 2;
    shoot(&view, 0, true);
    run_and_compare();
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
    end();
}

/* Everything by mouse and keys. */
TESTING_CASE(the_panel_teaches)
{
    struct shw_project *read = NULL;
    uint64_t counts[2];

    script("panels on\nopen %s\nwait 2\nclick New project\nwait 12", taught.paths[0]);
    for (int c = 0; c < 2; c++)
        script("type %s\nkey Enter\nwait 12", c == 0 ? "grass" : "sky");
    script("radius 24\nmouse move 500 300\nmouse press left\nmouse move 540 300\nmouse release left\nclick grass\nwait "
           "4\nradius 1\n"
           "mouse move 500 400\nmouse press left\nmouse move 540 400\nmouse release left\nwait trained\nkey Ctrl+S\n"
           "type %s\nkey Enter\nwait 4",
           file("clicked"));
    assert_int_equal(run_script(800, 700, NULL), 0);
    assert_int_equal(shw_project_read(file("clicked.json"), NULL, &read), SHW_OK);
    assert_int_equal(shw_project_get_class_count(read), 2);
    assert_string_equal(shw_project_get_class(read, 1)->name, "sky");
    assert_int_equal(shw_project_count_labels(read, 0, counts), SHW_OK);
    assert_true(counts[0] > 0 && counts[1] > counts[0]);
    shw_project_destroy(&read);

    /* opened again, it has learned its strokes, though none was painted here */
    script("project %s\nwait trained\npanels on\npanel overlay off\npanel sources off\nwait 4\nclick the project's "
           "strokes have been learned",
           file("clicked.json"));
    assert_int_equal(run_script(800, 700, NULL), 0);
}

TESTING_FIXTURE(open_taught, close_taught)
