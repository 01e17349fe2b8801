/* Images of many planes: the same forests and labels by all techniques. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/device.h"
#include "testing/labelling.h"
#include "testing/training.h"

enum { PLANES = 27, IMAGES = 3, WIDTH = 40, HEIGHT = 30, CLASSES = 3 };

/* Images whose planes have 8 bits, 16 bits and floats by turns; the classes follow from planes 5 and 20. */
struct set {
    struct shw_dataset dataset;
    struct shw_image colours[IMAGES];
    struct shw_input planes[IMAGES][PLANES];
    uint16_t labels[IMAGES][WIDTH * HEIGHT];
    char names[PLANES][8];
};

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct set *set = user;

    *example = (struct shw_labelled_image){.name = "image",
                                           .image = set->colours[index],
                                           .labels = set->labels[index],
                                           .inputs = {PLANES, set->planes[index]}};
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

static struct shw_image make_plane(struct testing_random *random, uint32_t p)
{
    if (p % 3 == 2)
        return testing_floats(random, WIDTH, HEIGHT);
    return testing_image(random, WIDTH, HEIGHT, p % 3 == 0 ? SHW_PIXEL_GREY8 : SHW_PIXEL_GREY16, 0);
}

static void make_set(struct set *set)
{
    struct testing_random random = {27};

    *set = (struct set){
        .dataset = {
            .count = IMAGES, .class_count = CLASSES, .user = set, .read = read_example, .release = release_example}};
    for (uint32_t p = 0; p < PLANES; p++)
        snprintf(set->names[p], sizeof set->names[p], "b%u", p);
    for (uint32_t i = 0; i < IMAGES; i++) {
        const float *floats;
        const uint16_t *words;
        set->colours[i] = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0);
        for (uint32_t p = 0; p < PLANES; p++)
            set->planes[i][p] = (struct shw_input){.name = set->names[p], .image = make_plane(&random, p)};
        floats = set->planes[i][5].image.pixels;
        words = set->planes[i][22].image.pixels;
        for (uint32_t k = 0; k < WIDTH * HEIGHT; k++)
            set->labels[i][k] = (uint16_t)((floats[k] > 0.5f) + (words[k] > 30000));
    }
}

static void free_set(struct set *set)
{
    for (uint32_t i = 0; i < IMAGES; i++) {
        free((void *)(uintptr_t)set->colours[i].pixels);
        for (uint32_t p = 0; p < PLANES; p++)
            free((void *)(uintptr_t)set->planes[i][p].image.pixels);
    }
}

/* A channel of each plane and some more of some. */
static void write_channels(char text[SHW_CHANNEL_LIST_NAME_SIZE])
{
    static const char *const kinds[] = {"gauss:1", "log:2", "deviation:2", "abs-dx:1", "dy:4"};
    size_t length = 0;

    for (uint32_t p = 0; p < PLANES; p++)
        length += (size_t)snprintf(text + length, SHW_CHANNEL_LIST_NAME_SIZE - length, "plane:b%u,%s@b%u,", p,
                                   kinds[p % 5], p);
    length += (size_t)snprintf(text + length, SHW_CHANNEL_LIST_NAME_SIZE - length, "ndiff:b5,b4,hessian:1@b7,rgb");
    for (uint32_t p = 2; p < PLANES; p += 3)
        length += (size_t)snprintf(text + length, SHW_CHANNEL_LIST_NAME_SIZE - length, ",range:b%u=-0.5..1.5", p);
}

static struct shw_forest *train(const struct set *set, const char *channels, enum shw_technique technique)
{
    struct shw_trainer_params params = testing_training;
    struct testing_log memory;
    struct shw_forest *forest = NULL;

    params.log = testing_log(&memory);
    params.channels = channels;
    params.pixels_per_image = 300;
    params.technique = technique;
    params.device = technique == SHW_TECHNIQUE_CPU ? NULL : testing_device();
    if (shw_train(&params, &set->dataset, &forest) != SHW_OK)
        fail_msg("%s", memory.last);
    return forest;
}

static void check_labels(const struct shw_forest *forest, const struct set *set)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};
    struct shw_input inputs[1 + PLANES] = {{.image = set->colours[0]}};
    struct testing_labelling got[3];

    memcpy(inputs + 1, set->planes[0], sizeof set->planes[0]);
    for (int t = 0; t < 3; t++) {
        struct shw_labeller_params params = {.forest = forest,
                                             .device = testing_device(),
                                             .outputs = TESTING_ALL_OUTPUTS,
                                             .channels = techniques[t],
                                             .integrate = techniques[t],
                                             .evaluate = techniques[t]};
        struct shw_labeller *labeller;
        got[t] = testing_labelling(forest, WIDTH, HEIGHT);
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        assert_int_equal(shw_labeller_run(labeller, &(struct shw_inputs){1 + PLANES, inputs}, &got[t].out), SHW_OK);
        shw_labeller_destroy(&labeller);
        testing_labelling_same(shw_technique_name(techniques[t]), TESTING_ALL_OUTPUTS, &got[t], &got[0]);
    }
    for (int t = 0; t < 3; t++)
        testing_labelling_free(&got[t]);
}

TESTING_CASE(many_planes_are_the_same)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    static struct set set;
    char channels[SHW_CHANNEL_LIST_NAME_SIZE];
    uint64_t hashes[3];
    struct shw_forest *forest;

    make_set(&set);
    write_channels(channels);
    for (int t = 0; t < 3; t++) {
        forest = train(&set, channels, techniques[t]);
        hashes[t] = shw_forest_hash(forest);
        assert_int_equal(hashes[t], hashes[0]);
        if (t == 0) {
            assert_non_null(strstr(shw_forest_get_info(forest)->channels, ",range:b26=-0.5..1.5"));
            check_labels(forest, &set);
        }
        shw_forest_destroy(&forest);
    }
    free_set(&set);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
