/* What the viewer draws, byte for byte: everything on its way, from labels to colours, is integer arithmetic. */
#include "viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "channels/channels.h"
#include "dataset/dataset.h"
#include "dataset/synth.h"
#include "image/image_file.h"
#include "image/image_write.h"
#include "testing/random_forest.h"

enum { CLASSES = 20, WIDTH = 48, HEIGHT = 40, CANVAS_WIDTH = 150, CANVAS_HEIGHT = 110, VIEWS_MAX = 24 };

/* A data set of two scenes, a forest for its classes, and what `cpu` makes of the first scene. */
static struct {
    char folder[512], forest_path[512];
    struct shw_dataset dataset;
    struct shw_labelled_image example;
    struct shw_forest *forest;
    struct testing_labelling labels;
    uint8_t colours[CLASSES][3];
} scene;

static struct shw_forest *make_forest(const char *path, uint32_t classes)
{
    struct random_forest_params params = {.seed = 7, .classes = classes, .trees = 3, .depth = 7, .split_percent = 90};
    struct shw_forest *forest = random_forest(&params);

    assert_int_equal(shw_forest_save(forest, path, NULL), SHW_OK);
    return forest;
}

static int open_scene(void **state)
{
    struct shw_dataset_params params = {.root = scene.folder, .layout = SHW_DATASET_CURFIL};
    struct shw_labeller_params labeller = {
        .channels = SHW_TECHNIQUE_CPU, .integrate = SHW_TECHNIQUE_CPU, .evaluate = SHW_TECHNIQUE_CPU, .threads = 1};
    char command[2048];

    (void)state;
    snprintf(scene.folder, sizeof scene.folder, "%s", testing_path("scenes"));
    snprintf(scene.forest_path, sizeof scene.forest_path, "%s", testing_path("forest.ktx2"));
    snprintf(command, sizeof command, "'%s' synth -q -o '%s' --count 2 --size %dx%d >/dev/null", getenv("SHADEWOOD_PROGRAM"),
             scene.folder, WIDTH, HEIGHT);
    assert_int_equal(system(command), 0);
    assert_int_equal(shw_dataset_open(&params, &scene.dataset), SHW_OK);
    assert_int_equal(scene.dataset.class_count, CLASSES);
    assert_int_equal(scene.dataset.read(scene.dataset.user, 0, &scene.example), SHW_OK);
    scene.forest = make_forest(scene.forest_path, CLASSES);
    for (uint32_t c = 0; c < CLASSES; c++)
        memcpy(scene.colours[c], shw_forest_get_info(scene.forest)->classes[c].colour, 3);
    labeller.forest = scene.forest;
    scene.labels = testing_label(&labeller, &scene.example.image);
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    testing_labelling_free(&scene.labels);
    shw_forest_destroy(&scene.forest);
    scene.dataset.release(scene.dataset.user, &scene.example);
    shw_dataset_close(&scene.dataset);
    return 0;
}

/* The first scene as it is shown at first. */
static struct view scene_view(void)
{
    struct view view = {.image = &scene.example.image,
                        .labels = &scene.labels,
                        .truth = scene.example.labels,
                        .classes = CLASSES,
                        .colours = scene.colours,
                        .mode = "argmax",
                        .opacity = 50,
                        .width = CANVAS_WIDTH,
                        .height = CANVAS_HEIGHT};

    view_fit(&view);
    return view;
}

/* The same, and the lines that lead there. */
static struct view first_view(void)
{
    script("forest %s\nopen dataset:%s", scene.forest_path, scene.folder);
    return scene_view();
}

/* Views to be compared once the script has run. */
static struct expectation {
    char path[512];
    struct view view;
} expectations[VIEWS_MAX];
static unsigned expectation_count;

static void shoot(const struct view *view)
{
    struct expectation *next = &expectations[expectation_count];
    char name[32];

    assert_true(expectation_count < VIEWS_MAX);
    snprintf(name, sizeof name, "shot-%u.png", expectation_count++);
    snprintf(next->path, sizeof next->path, "%s", testing_path(name));
    remove(next->path);
    next->view = *view;
    script("screenshot %s", next->path);
}

static void run_and_compare(void)
{
    unsigned count = expectation_count;

    expectation_count = 0;
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    for (unsigned i = 0; i < count; i++)
        assert_view(expectations[i].path, &expectations[i].view);
}

static void every_overlay_is_what_its_formula_says(void **state)
{
    static const char *const modes[] = {"none", "argmax", "blend", "entropy", "truth", "errors"};
    struct view view = first_view();

    (void)state;
    shoot(&view);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        view.mode = modes[m];
        view.opacity = 35 + 13 * (uint32_t)m;
        script("overlay %s\nopacity %u", view.mode, view.opacity);
        shoot(&view);
    }
    view.mode = "heat";
    for (view.chosen = 0; view.chosen < CLASSES; view.chosen += 9) {
        script("overlay heat\nclass %u", view.chosen);
        shoot(&view);
    }
    run_and_compare();
}

static void hidden_classes_leave_the_picture(void **state)
{
    struct view view = first_view();
    bool hidden[3][CLASSES] = {{false}};
    uint16_t common = scene.labels.out.argmax[WIDTH * HEIGHT / 2];

    (void)state;
    hidden[0][common] = true;
    view.hidden = hidden[0];
    script("visible %u off\ncontours on", common);
    view.contours = true;
    shoot(&view);
    view.mode = "blend";
    script("overlay blend");
    shoot(&view);
    for (uint32_t c = 0; c < CLASSES; c++)
        hidden[1][c] = c != common;
    view.hidden = hidden[1];
    script("visible %s alone", shw_forest_get_info(scene.forest)->classes[common].name);
    shoot(&view);
    view.hidden = hidden[2];
    script("visible all on\ncontours toggle\nwipe 30");
    view.contours = false;
    view.wipe = 30;
    shoot(&view);
    view.mode = "truth";
    script("overlay truth\nwipe +15\ncontours on");
    view.wipe = 45;
    view.contours = true;
    shoot(&view);
    run_and_compare();
}

static void zooming_and_panning_go_to_the_single_pixel(void **state)
{
    struct view view = first_view();

    (void)state;
    view.mode = "blend";
    script("overlay blend\nzoom 1");
    view_zoom(&view, 256);
    shoot(&view);
    script("pan -20 13");
    view.offset_x -= 20 * 256;
    view.offset_y += 13 * 256;
    shoot(&view);
    script("zoom in");
    view_zoom(&view, 512);
    shoot(&view);
    script("zoom 0.3");
    view_zoom(&view, 77);
    shoot(&view);
    script("zoom 64\ncentre 17 9");
    view.zoom = 64 * 256;
    view.offset_x = CANVAS_WIDTH / 2 * 256 - 17 * view.zoom - view.zoom / 2;
    view.offset_y = CANVAS_HEIGHT / 2 * 256 - 9 * view.zoom - view.zoom / 2;
    shoot(&view);
    script("zoom fit");
    view_fit(&view);
    shoot(&view);
    script("zoom 0.001");
    for (int i = 0; i < 60; i++) /* as far away as it goes; there it stays, however near it comes */
        script("pan -100000 -100000");
    script("pan %d %d\nzoom 0.25", CANVAS_WIDTH / 2, CANVAS_HEIGHT / 2);
    view.offset_x = view.offset_y = -INT32_MAX;
    shoot(&view);
    run_and_compare();
}

static void techniques_give_the_same_picture(void **state)
{
    struct view view = first_view();

    (void)state;
    view.mode = "blend";
    script("overlay blend\ntechnique fragment");
    shoot(&view);
    script("technique compute\ntechnique integrate fragment\nwait 3");
    shoot(&view);
    script("technique auto");
    shoot(&view);
    run_and_compare();
}

/* Values as doubles between black and white, from whole channels. Integral images count their last row and column. */
static double *make_plane(const struct shw_image *image, enum shw_channel_set set, uint32_t channel, bool integral, double low,
                          double high)
{
    size_t pixels = (size_t)image->width * image->height;
    int16_t *channels = malloc(shw_channel_set_get(set)->channel_count * pixels * sizeof *channels), *values;
    double *plane = malloc(pixels * sizeof *plane), largest = 1.0;
    bool negative = false;

    assert_non_null(channels);
    assert_non_null(plane);
    assert_int_equal(shw_channels_cpu(set, image, NULL, channels, NULL), SHW_OK);
    values = channels + channel * pixels;
    for (size_t i = 0; i < pixels; i++) {
        size_t x = i % image->width, y = i / image->width;
        plane[i] = values[i];
        for (size_t v = 0, sum = 0; integral && v <= y; v++) {
            for (size_t u = 0; u <= x; u++)
                sum += (size_t)values[v * image->width + u];
            plane[i] = (double)(ptrdiff_t)sum;
        }
        negative = negative || values[i] < 0;
        largest = fmax(largest, fabs(plane[i]));
    }
    if (high > 0.0)
        largest = high;
    for (size_t i = 0; i < pixels; i++)
        plane[i] = low != 0.0 ? (plane[i] - low) / (high - low)
                   : negative ? (plane[i] + largest) / (2.0 * largest)
                              : plane[i] / largest;
    free(channels);
    return plane;
}

/* Probabilities are made only for overlays that show them: those before and after need none. */
static void probabilities_are_there_when_they_are_looked_at(void **state)
{
    static const char *const modes[] = {"argmax", "entropy", "argmax", "errors", "heat", "blend", "truth", "blend"};
    struct view view = scene_view();

    (void)state;
    script("open dataset:%s\nforest %s\ntechnique compute\nclass 2", scene.folder, scene.forest_path);
    view.chosen = 2;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        script("overlay %s", modes[i]);
        view.mode = modes[i];
        shoot(&view);
    }
    run_and_compare();
}

/* A channel of the forest's set, or without a forest of the widest; opaque, and no contours. */
static void channels_are_what_forests_see(void **state)
{
    const enum shw_channel_set set = shw_forest_get_info(scene.forest)->channels;
    const struct shw_image *image = &scene.example.image;
    double *planes[] = {make_plane(image, SHW_CHANNELS_WIDE, 0, false, 0, 0),
                        make_plane(image, SHW_CHANNELS_WIDE, 26, false, 0, 0),
                        make_plane(image, set, 12, false, 0, 0),
                        make_plane(image, set, 12, false, 0, 4080),
                        make_plane(image, set, 12, true, 0, 0),
                        make_plane(image, set, 1, true, 0, 0),
                        make_plane(image, set, 1, false, 500, 3000)};
    struct view view = scene_view();

    (void)state;
    script("open dataset:%s\noverlay channel", scene.folder);
    view.mode = "channel";
    view.plane = planes[0];
    shoot(&view);
    script("contours on\nopacity 10\nchannel -1\nwipe 40");
    view.plane = planes[1];
    view.wipe = 40;
    shoot(&view);
    script("channel dx-2\nforest %s\nwipe 0", scene.forest_path);
    view.wipe = 0;
    view.plane = planes[2];
    shoot(&view);
    script("levels full");
    view.plane = planes[3];
    shoot(&view);
    script("overlay integral");
    view.mode = "integral";
    view.plane = planes[4];
    shoot(&view);
    script("channel +5\nlevels auto");
    view.plane = planes[5];
    shoot(&view);
    script("overlay channel\nlevels 500 3000");
    view.mode = "channel";
    view.plane = planes[6];
    shoot(&view);
    script("overlay argmax\ncontours off\nopacity 50");
    view.mode = "argmax";
    shoot(&view);
    run_and_compare();
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
        free(planes[i]);
}

/* In grey from 0 on, or between given distances. */
static double *depth_plane(double low, double high)
{
    double *plane = malloc(WIDTH * HEIGHT * sizeof *plane), largest = 0.0;

    assert_non_null(plane);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        largest = fmax(largest, scene.example.depth_mm[i]);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        plane[i] = fmin(fmax((scene.example.depth_mm[i] - low) / ((high > 0.0 ? high : largest) - low), 0.0), 1.0);
    return plane;
}

static void depth_images_are_shown(void **state)
{
    double *planes[] = {depth_plane(0, 0), depth_plane(0, 65535), depth_plane(1500, 3200)};
    const char *const levels[] = {"auto", "full", "1500 3200"};
    struct view view = scene_view();

    (void)state;
    assert_non_null(scene.example.depth_mm);
    script("open dataset:%s\noverlay depth", scene.folder);
    view.mode = "depth";
    for (int i = 0; i < 3; i++) {
        script("levels %s", levels[i]);
        view.plane = planes[i];
        shoot(&view);
    }
    run_and_compare();
    for (int i = 0; i < 3; i++)
        free(planes[i]);
}

/* Pictures of other sizes and kinds, one after the other; no ground truth, which leaves the picture alone. */
static void pictures_of_all_kinds_take_turns(void **state)
{
    static const struct {
        uint32_t width, height;
        enum shw_pixel_format format;
        uint32_t low, high;
    } kinds[] = {{37, 21, SHW_PIXEL_RGB8, 0, 65535},   {1, 1, SHW_PIXEL_GREY8, 0, 65535},
                 {31, 45, SHW_PIXEL_GREY16, 0, 65535}, {31, 45, SHW_PIXEL_RGB16, 3000, 50001},
                 {200, 3, SHW_PIXEL_RGBA8, 0, 65535},  {31, 45, SHW_PIXEL_RGBA16, 1000, 1001}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    struct testing_random random = {5};
    struct shw_image images[KINDS];
    double *planes[KINDS];
    struct testing_labelling labels[KINDS];
    struct shw_labeller_params labeller = {.forest = scene.forest,
                                           .channels = SHW_TECHNIQUE_CPU,
                                           .integrate = SHW_TECHNIQUE_CPU,
                                           .evaluate = SHW_TECHNIQUE_CPU,
                                           .threads = 1};
    struct view view = first_view();

    (void)state;
    script("overlay argmax");
    for (int i = 0; i < KINDS; i++) {
        char name[32], path[512];
        images[i] = testing_image(&random, kinds[i].width, kinds[i].height, kinds[i].format, 0);
        labels[i] = testing_label(&labeller, &images[i]);
        snprintf(name, sizeof name, "kind-%d.png", i);
        snprintf(path, sizeof path, "%s", testing_path(name));
        assert_int_equal(shw_png_write(path, &images[i], NULL), SHW_OK);
        script("open %s\nrange %u %u", path, kinds[i].low, kinds[i].high);
        view.image = &images[i];
        view.labels = &labels[i];
        view.truth = NULL;
        view.low = kinds[i].low;
        view.high = kinds[i].high;
        view_fit(&view);
        script("overlay argmax");
        view.mode = "argmax";
        shoot(&view);
        script("overlay errors");
        view.mode = "none";
        shoot(&view);
        planes[i] = make_plane(&images[i], shw_forest_get_info(scene.forest)->channels, 9, false, 0, 0);
        script("channel 9");
        view.mode = "channel";
        view.plane = planes[i];
        shoot(&view);
        view.plane = NULL;
    }
    run_and_compare();
    for (int i = 0; i < KINDS; i++) {
        free(planes[i]);
        testing_labelling_free(&labels[i]);
        free((void *)(uintptr_t)images[i].pixels);
    }
}

/* The second scene, and back; `seek` to a second is to a picture of a data set. */
static void stepping_goes_from_picture_to_picture(void **state)
{
    struct shw_labeller_params labeller = {.forest = scene.forest,
                                           .channels = SHW_TECHNIQUE_CPU,
                                           .integrate = SHW_TECHNIQUE_CPU,
                                           .evaluate = SHW_TECHNIQUE_CPU,
                                           .threads = 1};
    struct shw_labelled_image second;
    struct testing_labelling labels;
    struct view first = first_view(), view = first;

    (void)state;
    assert_int_equal(scene.dataset.read(scene.dataset.user, 1, &second), SHW_OK);
    labels = testing_label(&labeller, &second.image);
    view.image = &second.image;
    view.labels = &labels;
    view.truth = second.labels;
    view.mode = first.mode = "errors";
    script("overlay errors\nstep forward");
    shoot(&view);
    script("step back");
    shoot(&first);
    script("seek 1");
    shoot(&view);
    run_and_compare();
    testing_labelling_free(&labels);
    scene.dataset.release(scene.dataset.user, &second);
}

/* Without a forest, the colours are the data set's. */
static void ground_truth_needs_no_forest(void **state)
{
    struct view view = scene_view();
    uint8_t colours[CLASSES][3];

    (void)state;
    for (uint32_t c = 0; c < CLASSES; c++)
        memcpy(colours[c], scene.dataset.classes[c].colour, 3);
    view.mode = "none";
    script("open dataset:%s", scene.folder);
    shoot(&view);
    script("overlay truth\ncontours on");
    view.mode = "truth";
    view.contours = true;
    view.colours = colours;
    shoot(&view);
    run_and_compare();
}

static void a_forest_of_one_class_is_never_uncertain(void **state)
{
    char path[512];
    struct shw_forest *forest;
    struct shw_labeller_params labeller = {
        .channels = SHW_TECHNIQUE_CPU, .integrate = SHW_TECHNIQUE_CPU, .evaluate = SHW_TECHNIQUE_CPU, .threads = 1};
    struct testing_labelling labels;
    struct view view = first_view();
    uint8_t black[1][3];

    (void)state;
    snprintf(path, sizeof path, "%s", testing_path("one.ktx2"));
    forest = make_forest(path, 1);
    labeller.forest = forest;
    labels = testing_label(&labeller, &scene.example.image);
    memcpy(black[0], shw_forest_get_info(forest)->classes[0].colour, 3);
    script("forest %s\noverlay heat\nclass 0", path);
    view.labels = &labels;
    view.classes = 1;
    view.colours = black;
    view.mode = "heat";
    shoot(&view);
    script("forest %s", scene.forest_path);
    view.labels = &scene.labels;
    view.classes = CLASSES;
    view.colours = scene.colours;
    shoot(&view);
    run_and_compare();
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
}

/* More than any device has layers of an image: no probabilities, and the likeliest class all the same. */
static void a_multitude_of_classes_has_an_argmax(void **state)
{
    enum { MANY = 20000 };
    struct random_forest_params params = {.seed = 8, .classes = MANY, .depth = 5, .split_percent = 90};
    struct shw_labeller_params labeller = {.channels = SHW_TECHNIQUE_CPU,
                                           .integrate = SHW_TECHNIQUE_CPU,
                                           .evaluate = SHW_TECHNIQUE_CPU,
                                           .outputs = SHW_OUTPUT_ARGMAX,
                                           .threads = 1};
    struct shw_forest *forest = random_forest(&params);
    struct testing_labelling labels;
    struct view view = first_view();

    (void)state;
    assert_int_equal(shw_forest_save(forest, testing_path("many.ktx2"), NULL), SHW_OK);
    labeller.forest = forest;
    labels = testing_label(&labeller, &scene.example.image);
    view.labels = &labels;
    view.classes = MANY;
    view.colours = malloc(MANY * sizeof *view.colours);
    assert_non_null(view.colours);
    for (uint32_t c = 0; c < MANY; c++)
        memcpy(view.colours[c], shw_forest_get_info(forest)->classes[c].colour, 3);
    script("forest %s", testing_path("many.ktx2"));
    shoot(&view);
    view.mode = "none";
    script("overlay blend");
    shoot(&view);
    run_and_compare();
    free(view.colours);
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_overlay_is_what_its_formula_says),
                                       cmocka_unit_test(hidden_classes_leave_the_picture),
                                       cmocka_unit_test(zooming_and_panning_go_to_the_single_pixel),
                                       cmocka_unit_test(techniques_give_the_same_picture),
                                       cmocka_unit_test(probabilities_are_there_when_they_are_looked_at),
                                       cmocka_unit_test(channels_are_what_forests_see),
                                       cmocka_unit_test(depth_images_are_shown),
                                       cmocka_unit_test(pictures_of_all_kinds_take_turns),
                                       cmocka_unit_test(stepping_goes_from_picture_to_picture),
                                       cmocka_unit_test(ground_truth_needs_no_forest),
                                       cmocka_unit_test(a_forest_of_one_class_is_never_uncertain),
                                       cmocka_unit_test(a_multitude_of_classes_has_an_argmax)};

    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
