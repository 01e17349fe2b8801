/* Hashes of forests, their files and what they say about an image: any change of format or arithmetic is seen here. */
#include "testing/testing.h"

#include <stdlib.h>

#include "testing/random_forest.h"

enum { WIDTH = 61, HEIGHT = 43 };

static const struct {
    struct random_forest_params forest;
    uint64_t forest_hash, file_hash, leaves, distribution, argmax;
} golden[] = {
    {{.seed = 11, .classes = 21, .trees = 5, .depth = 9, .split_percent = 80, .single_percent = 20},
     0xb7c527858cdbf6cd,
     0x688c9310700ecb24,
     0xf6383df53a226d81,
     0xff0e9fbae088d8e7,
     0xe3f4bf14d6214c6f},
    {{.seed = 12,
      .channels = SHW_CHANNELS_WIDE,
      .feature = &shw_feature_sum_difference,
      .classes = 300,
      .trees = 3,
      .depth = 12,
      .split_percent = 70,
      .extreme = true},
     0xf895655611e5db44,
     0xa68b49e3a417f996,
     0xc91759f1860ee8f7,
     0x061e1e42075c4bfd,
     0xd2ca6e5cab1a8161},
    {{.seed = 13, .channels = SHW_CHANNELS_LAB, .classes = 4, .trees = 2, .depth = 20, .split_percent = 60},
     0xee26372fe9e7a630,
     0x7d77534f6d672ba2,
     0x31192eb5738d3976,
     0x1cb0c525a395eae8,
     0xfaef37455ed7260e},
};

static const uint8_t *image_pixels(void)
{
    static uint8_t pixels[3 * WIDTH * HEIGHT];
    struct testing_random random = {2008};

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)((i / 3 % WIDTH / 8 * 37 + i / 3 / WIDTH / 6 * 91 + i % 3 * 50) % 192 +
                              testing_random_below(&random, 64));
    return pixels;
}

static void check_hash(const char *what, size_t number, const void *bytes, size_t size, uint64_t expected)
{
    uint64_t hash = testing_hash(bytes, size);

    if (hash != expected)
        fail_msg("%s %zu is 0x%016llx", what, number, (unsigned long long)hash);
}

TESTING_CASE(forests_are_the_same_bytes)
{
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct shw_forest *forest = random_forest(&golden[i].forest);
        void *bytes;
        size_t size;
        if (shw_forest_hash(forest) != golden[i].forest_hash)
            fail_msg("forest %zu is 0x%016llx", i, (unsigned long long)shw_forest_hash(forest));
        assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
        check_hash("file", i, bytes, size, golden[i].file_hash);
        free(bytes);
        shw_forest_destroy(&forest);
    }
}

TESTING_CASE(labels_are_the_same_bits)
{
    static uint32_t leaves[5 * WIDTH * HEIGHT];
    static uint16_t distribution[300 * WIDTH * HEIGHT], argmax[WIDTH * HEIGHT];
    const struct shw_image image = {
        .pixels = image_pixels(), .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};
    const struct shw_labelling labelling = {.forest_leaves = leaves, .distribution = distribution, .argmax = argmax};

    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct shw_forest *forest = random_forest(&golden[i].forest);
        struct shw_labeller_params params = {
            .forest = forest, .outputs = SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX};
        struct shw_labeller *labeller;
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &labelling), SHW_OK);
        check_hash("leaves", i, leaves, sizeof(uint32_t) * golden[i].forest.trees * WIDTH * HEIGHT, golden[i].leaves);
        check_hash("distribution", i, distribution, sizeof(uint16_t) * golden[i].forest.classes * WIDTH * HEIGHT,
                   golden[i].distribution);
        check_hash("argmax", i, argmax, sizeof argmax, golden[i].argmax);
        shw_labeller_destroy(&labeller);
        shw_forest_destroy(&forest);
    }
}
