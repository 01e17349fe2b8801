/* Hashes of rendered scenes: their pixels are promised to be the same on every machine, with every compiler, and for
 * ever. */
#include "testing/testing.h"

#include <stdlib.h>

#include "files/synth/synth.h"

static const struct golden {
    uint32_t width, height, index, frames;
    uint64_t seed;
    uint32_t noise;
    bool holes, empty;
    uint64_t rgb, labels, depth;
} golden[] = {
    {320, 240, 0, 1, 0, 0, false, false, 0x315356ac0757195a, 0x0820fd93162bc345, 0xff7f0f631cd95d85},
    {160, 120, 7, 1, 5, 0, false, false, 0xaeabfca8fa0e5438, 0x0d91c0f65b05b8f8, 0xf09e840ab8ee2d83},
    {160, 120, 7, 1, 5, 20, true, false, 0x618ead2952d19ed8, 0x0d91c0f65b05b8f8, 0x443dcc9f10cad98c},
    {120, 160, 0, 1, 100000, 15, false, false, 0xf44ab2394796f88e, 0xebba5eb89f8e7674, 0x6db9ee54fe85f38b},
    {97, 61, 0, 1, 1ull << 40 | 3, 0, true, true, 0xdaaa17502f4f8357, 0x57ca9e402d94f69e, 0xbda67eeab747f918},
    {64, 48, 31, 30, 9, 0, false, false, 0x7529d5f0d74238f7, 0x36b29f2d3d6bc300, 0x9f1eecace7d6bb26},
    {200, 3, 0, 1, 77, 1, true, false, 0x8295e85308d856d6, 0x10271fae1bb2c01d, 0x73e65c82c37f3c3b},
    {1, 1, 0, 1, 1, 1000, true, false, 0xa7b159284504b702, 0xa0ee36de26dafbaf, 0x565b9450afcfefda},
    {3, 90, 0, 1, UINT64_MAX, 0, false, false, 0x8b7225b92b4321d3, 0x1120b3ba19084c1d, 0xdc644c4d0071e651},
};

/* Many scenes in one hash: a slip that shows in few of them. */
static const uint64_t golden_many = 0xc9b8f6f9b19d957e, golden_heads = 0x531693d2afb63a9b,
                      golden_bodies = 0x2a3b60387808da6c;

TESTING_CASE(hashes_are_as_ever)
{
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const struct golden *g = &golden[i];
        struct shw_synth_params params = {.width = g->width,
                                          .height = g->height,
                                          .frames = g->frames,
                                          .seed = g->seed,
                                          .noise = g->noise,
                                          .holes = g->holes,
                                          .empty = g->empty};
        size_t pixels = (size_t)g->width * g->height;
        uint8_t *rgb = malloc(3 * pixels);
        uint16_t *labels = malloc(pixels * sizeof *labels), *depth = malloc(pixels * sizeof *depth);

        assert_true(rgb != NULL && labels != NULL && depth != NULL);
        assert_int_equal(shw_synth_render(&params, g->index, rgb, labels, depth), SHW_OK);
        assert_int_equal(testing_hash(rgb, 3 * pixels), g->rgb);
        assert_int_equal(testing_hash(labels, pixels * sizeof *labels), g->labels);
        assert_int_equal(testing_hash(depth, pixels * sizeof *depth), g->depth);
        free(depth);
        free(labels);
        free(rgb);
    }
}

static uint64_t hash_of_many(const struct shw_synth_params *params)
{
    enum { WIDTH = 40, HEIGHT = 30, SCENES = 200 };
    struct {
        uint8_t rgb[3 * WIDTH * HEIGHT];
        uint16_t labels[WIDTH * HEIGHT], depth[WIDTH * HEIGHT];
        uint64_t before;
    } scene = {.before = 0};
    struct shw_synth_params small = *params;

    small.width = WIDTH;
    small.height = HEIGHT;
    for (uint32_t i = 0; i < SCENES; i++) {
        assert_int_equal(shw_synth_render(&small, i, scene.rgb, scene.labels, scene.depth), SHW_OK);
        scene.before = testing_hash(&scene, sizeof scene);
    }
    return scene.before;
}

TESTING_CASE(many_scenes_are_as_ever)
{
    assert_int_equal(hash_of_many(&(struct shw_synth_params){.frames = 2, .seed = 4000}), golden_many);
}

TESTING_CASE(many_heads_are_as_ever)
{
    const struct shw_synth_params params = {.scene = SHW_SYNTH_HEADS, .frames = 8, .seed = 6000, .noise = 10};

    assert_int_equal(hash_of_many(&params), golden_heads);
}

TESTING_CASE(many_bodies_are_as_ever)
{
    const struct shw_synth_params params = {
        .scene = SHW_SYNTH_BODIES, .frames = 3, .seed = 7000, .noise = 10, .holes = true};

    assert_int_equal(hash_of_many(&params), golden_bodies);
}
