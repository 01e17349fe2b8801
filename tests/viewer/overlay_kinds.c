/* Pictures, data sets and forests of all kinds, one after the other, byte for byte. */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "testing/random_forest.h"

/* Pictures of other sizes and kinds, one after the other; no ground truth, which leaves the picture alone. */
TESTING_CASE(pictures_of_all_kinds_take_turns)
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
    struct view view = scene_first_view();

    script("overlay argmax");
    for (int i = 0; i < KINDS; i++) {
        char name[32], path[512];
        images[i] = testing_image(&random, kinds[i].width, kinds[i].height, kinds[i].format, 0);
        labels[i] = scene_label(scene.forest, &images[i]);
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
        scene_shoot(&view);
        script("overlay errors");
        view.mode = "none";
        scene_shoot(&view);
        planes[i] = scene_plane(&images[i], shw_forest_get_info(scene.forest)->channels, 9, false, 0, 0);
        script("channel 9");
        view.mode = "channel";
        view.plane = planes[i];
        scene_shoot(&view);
        view.plane = NULL;
    }
    scene_compare();
    for (int i = 0; i < KINDS; i++) {
        free(planes[i]);
        testing_labelling_free(&labels[i]);
        free((void *)(uintptr_t)images[i].pixels);
    }
}

/* The second scene, and back; `seek` to a second is to a picture of a data set. */
TESTING_CASE(stepping_goes_from_picture_to_picture)
{
    struct shw_labelled_image second;
    struct testing_labelling labels;
    struct view first = scene_first_view(), view = first;

    assert_int_equal(scene.dataset.read(scene.dataset.user, 1, &second), SHW_OK);
    labels = scene_label(scene.forest, &second.image);
    view.image = &second.image;
    view.labels = &labels;
    view.truth = second.labels;
    view.mode = first.mode = "errors";
    script("overlay errors\nstep forward");
    scene_shoot(&view);
    script("step back");
    scene_shoot(&first);
    script("seek 1");
    scene_shoot(&view);
    scene_compare();
    testing_labelling_free(&labels);
    scene.dataset.release(scene.dataset.user, &second);
}

/* Without a forest, the colours are the data set's. */
TESTING_CASE(ground_truth_needs_no_forest)
{
    struct view view = scene_view();
    uint8_t colours[SCENE_CLASSES][3];

    for (uint32_t c = 0; c < SCENE_CLASSES; c++)
        memcpy(colours[c], scene.dataset.classes[c].colour, 3);
    view.mode = "none";
    script("open dataset:%s", scene.folder);
    scene_shoot(&view);
    script("overlay truth\ncontours on");
    view.mode = "truth";
    view.contours = true;
    view.colours = colours;
    scene_shoot(&view);
    scene_compare();
}

TESTING_CASE(a_forest_of_one_class_is_never_uncertain)
{
    char path[512];
    struct shw_forest *forest;
    struct testing_labelling labels;
    struct view view = scene_first_view();
    uint8_t black[1][3];

    snprintf(path, sizeof path, "%s", testing_path("one.ktx2"));
    forest = scene_make_forest(path, 1);
    labels = scene_label(forest, &scene.example.image);
    memcpy(black[0], shw_forest_get_info(forest)->classes[0].colour, 3);
    script("forest %s\noverlay heat\nclass 0", path);
    view.labels = &labels;
    view.classes = 1;
    view.colours = black;
    view.mode = "heat";
    scene_shoot(&view);
    script("forest %s", scene.forest_path);
    view.labels = &scene.labels;
    view.classes = SCENE_CLASSES;
    view.colours = scene.colours;
    scene_shoot(&view);
    scene_compare();
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
}

/* More than any device has layers of an image: no probabilities, and the likeliest class all the same. */
TESTING_CASE(a_multitude_of_classes_has_an_argmax)
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
    struct view view = scene_first_view();

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
    scene_shoot(&view);
    view.mode = "none";
    script("overlay blend");
    scene_shoot(&view);
    scene_compare();
    free(view.colours);
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
}

TESTING_FIXTURE(scene_open, scene_close)
