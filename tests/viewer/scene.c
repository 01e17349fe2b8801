#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "testing/random_forest.h"

#define VIEWS_MAX 24

struct scene scene;

struct shw_forest *scene_make_forest(const char *path, uint32_t classes)
{
    struct random_forest_params params = {.seed = 7, .classes = classes, .trees = 3, .depth = 7, .split_percent = 90};
    struct shw_forest *forest = random_forest(&params);

    assert_int_equal(shw_forest_save(forest, path, NULL), SHW_OK);
    return forest;
}

struct testing_labelling scene_label(const struct shw_forest *forest, const struct shw_image *image)
{
    const struct shw_labeller_params params = {.forest = forest,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU,
                                               .threads = 1};

    return testing_label(&params, image);
}

int scene_open(void **state)
{
    struct shw_dataset_params params = {.root = scene.folder, .layout = SHW_DATASET_CURFIL};
    char command[2048];

    (void)state;
    snprintf(scene.folder, sizeof scene.folder, "%s", testing_path("scenes"));
    snprintf(scene.forest_path, sizeof scene.forest_path, "%s", testing_path("forest.ktx2"));
    snprintf(command, sizeof command, "'%s' synth -q -o '%s' --count 2 --size %dx%d >/dev/null",
             getenv("SHADEWOOD_PROGRAM"), scene.folder, SCENE_WIDTH, SCENE_HEIGHT);
    assert_int_equal(system(command), 0);
    assert_int_equal(shw_dataset_open(&params, &scene.dataset), SHW_OK);
    assert_int_equal(scene.dataset.class_count, SCENE_CLASSES);
    assert_int_equal(scene.dataset.read(scene.dataset.user, 0, &scene.example), SHW_OK);
    scene.forest = scene_make_forest(scene.forest_path, SCENE_CLASSES);
    for (uint32_t c = 0; c < SCENE_CLASSES; c++)
        memcpy(scene.colours[c], shw_forest_get_info(scene.forest)->classes[c].colour, 3);
    scene.labels = scene_label(scene.forest, &scene.example.image);
    return 0;
}

int scene_close(void **state)
{
    (void)state;
    testing_labelling_free(&scene.labels);
    shw_forest_destroy(&scene.forest);
    scene.dataset.release(scene.dataset.user, &scene.example);
    shw_dataset_close(&scene.dataset);
    return 0;
}

struct view scene_view(void)
{
    struct view view = {.image = &scene.example.image,
                        .labels = &scene.labels,
                        .truth = scene.example.labels,
                        .classes = SCENE_CLASSES,
                        .colours = scene.colours,
                        .mode = "argmax",
                        .opacity = 50,
                        .width = SCENE_CANVAS_WIDTH,
                        .height = SCENE_CANVAS_HEIGHT};

    view_fit(&view);
    return view;
}

struct view scene_first_view(void)
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

void scene_shoot(const struct view *view)
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

void scene_compare(void)
{
    unsigned count = expectation_count;

    expectation_count = 0;
    assert_int_equal(run_script(SCENE_CANVAS_WIDTH, SCENE_CANVAS_HEIGHT, NULL), 0);
    for (unsigned i = 0; i < count; i++)
        assert_view(expectations[i].path, &expectations[i].view);
}

double *scene_plane(const struct shw_image *image, const char *set, uint32_t channel, bool integral, double low,
                    double high)
{
    size_t pixels = (size_t)image->width * image->height;
    int16_t *channels = malloc(testing_channels(set)->channel_count * pixels * sizeof *channels), *values;
    double *plane = malloc(pixels * sizeof *plane), largest = 1.0;
    bool negative = false;

    assert_non_null(channels);
    assert_non_null(plane);
    assert_int_equal(
        shw_channels_cpu(testing_channels(set), &(struct shw_channel_images){.of = {image}}, NULL, channels, NULL),
        SHW_OK);
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
