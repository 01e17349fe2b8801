/* Hashes of channels and integral images of one picture: a change of arithmetic, which would make forests mean
 * something else, fails. */
#include "testing/testing.h"

#include <stdlib.h>

#include "dense/channels/channels.h"
#include "dense/integrate/integral.h"

enum { WIDTH = 57, HEIGHT = 40 };

static void fill(uint8_t *pixels)
{
    struct testing_random random = {41};

    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        pixels[i] = (uint8_t)(testing_random_below(&random, 64) + (uint32_t)(i / 3 % WIDTH * 3));
}

TESTING_CASE(hashes_are_as_ever)
{
    static const struct {
        const char *set;
        uint64_t channels, integrals;
    } golden[] = {
        {SHW_CHANNELS_WINN16, 0x890f325cd6a0a320, 0xb078ce75723dc54c},
        {SHW_CHANNELS_WINN17, 0x8a8e9e29411a0ad6, 0x2c9dd160a7e83392},
        {SHW_CHANNELS_WIDE, 0xa417e0978742f8f3, 0xf9f8dfbeab5ad961},
        {SHW_CHANNELS_RGB, 0xeb2537194995deeb, 0xd09a252beb0cb1ff},
        {SHW_CHANNELS_LAB, 0x38e2566533980d23, 0x106fd690b8d94ea0},
    };
    static uint8_t pixels[WIDTH * HEIGHT * 3];
    struct shw_image image = {pixels, WIDTH, HEIGHT, 0, SHW_PIXEL_RGB8};
    int16_t *channels = malloc(SHW_CHANNELS_MAX * WIDTH * HEIGHT * sizeof *channels);
    uint32_t *integrals = malloc(SHW_CHANNELS_MAX * shw_integral_size(WIDTH, HEIGHT) * sizeof *integrals);

    assert_non_null(channels);
    assert_non_null(integrals);
    fill(pixels);
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        uint32_t count = testing_channels(golden[i].set)->channel_count;
        assert_int_equal(shw_channels_cpu(testing_channels(golden[i].set), &(struct shw_channel_images){.of = {&image}},
                                          NULL, channels, NULL),
                         SHW_OK);
        shw_integrate_cpu(channels, WIDTH, HEIGHT, count, integrals, NULL);
        assert_int_equal(testing_hash(channels, count * WIDTH * HEIGHT * sizeof *channels), golden[i].channels);
        assert_int_equal(testing_hash(integrals, count * shw_integral_size(WIDTH, HEIGHT) * sizeof *integrals),
                         golden[i].integrals);
    }
    free(integrals);
    free(channels);
}
