#include "testing/labelling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t triangle(uint32_t position, uint32_t period)
{
    uint32_t phase = position % period;

    return 65535u * (phase < period / 2 ? phase : period - phase) / (period / 2);
}

struct shw_image testing_image(struct testing_random *random, uint32_t width, uint32_t height,
                               enum shw_pixel_format format, size_t padding)
{
    bool wide = format >= SHW_PIXEL_GREY16;
    size_t pixel = shw_pixel_size(format), samples = wide ? pixel / 2 : pixel;
    struct shw_image image = {.width = width, .height = height, .stride = width * pixel + padding, .format = format};
    uint8_t *pixels = malloc(image.stride * height);

    if (pixels == NULL)
        abort();
    memset(pixels, 0xee, image.stride * height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (size_t s = 0; s < samples; s++) {
                uint32_t blob = (triangle(x + 7 * (uint32_t)s, 46) + triangle(y + 5 * (uint32_t)s, 34)) / 2;
                uint16_t value = (uint16_t)((3 * blob + testing_random_below(random, 65536)) / 4);
                uint8_t *to = pixels + y * image.stride + x * pixel + s * (wide ? 2 : 1);
                if (wide)
                    memcpy(to, &value, sizeof value);
                else
                    *to = (uint8_t)(value >> 8);
            }
    image.pixels = pixels;
    return image;
}

struct shw_image testing_depth(struct testing_random *random, uint32_t width, uint32_t height)
{
    uint16_t *depth = malloc((size_t)2 * width * height), value = 0;

    if (depth == NULL)
        abort();
    for (size_t i = 0; i < (size_t)width * height; i++) {
        if (testing_random_below(random, 3) == 0)
            value = (uint16_t)(testing_random_below(random, 5) == 0
                                   ? 0
                                   : 1 + (testing_random_below(random, 65535) >> testing_random_below(random, 9)));
        depth[i] = value;
    }
    return (struct shw_image){depth, width, height, 0, SHW_PIXEL_GREY16};
}

struct shw_image testing_floats(struct testing_random *random, uint32_t width, uint32_t height)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -0.0f, 1e-40f};
    struct shw_image smooth = testing_image(random, width, height, SHW_PIXEL_GREY16, 0);
    const uint16_t *samples = smooth.pixels;
    float *floats = malloc(sizeof *floats * width * height);

    if (floats == NULL)
        abort();
    for (size_t i = 0; i < (size_t)width * height; i++)
        floats[i] = testing_random_below(random, 50) == 0 ? odd[testing_random_below(random, 6)]
                                                          : (float)samples[i] / 32768.0f - 0.5f;
    free((void *)(uintptr_t)smooth.pixels);
    return (struct shw_image){floats, width, height, 0, SHW_PIXEL_GREY32_FLOAT};
}

static void *patterned(size_t size)
{
    void *memory = malloc(size);

    if (memory == NULL)
        abort();
    memset(memory, 0xc5, size);
    return memory;
}

struct testing_labelling testing_labelling(const struct shw_forest *forest, uint32_t width, uint32_t height)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    size_t pixels = (size_t)width * height;
    struct testing_labelling labelling = {
        .width = width, .height = height, .trees = info->tree_count, .classes = info->class_count};

    labelling.out.tree_leaf = patterned(pixels * sizeof(uint32_t));
    labelling.out.forest_leaves = patterned(pixels * info->tree_count * sizeof(uint32_t));
    labelling.out.distribution = patterned(pixels * info->class_count * sizeof(uint16_t));
    labelling.out.argmax = patterned(pixels * sizeof(uint16_t));
    return labelling;
}

void testing_labelling_free(struct testing_labelling *labelling)
{
    free(labelling->out.tree_leaf);
    free(labelling->out.forest_leaves);
    free(labelling->out.distribution);
    free(labelling->out.argmax);
    memset(labelling, 0, sizeof *labelling);
}

struct testing_labelling testing_label(const struct shw_labeller_params *given, const struct shw_image *image)
{
    struct shw_labeller_params params = *given;
    struct testing_labelling labelling = testing_labelling(params.forest, image->width, image->height);
    struct shw_labelling out = labelling.out;
    struct shw_labeller *labeller = NULL;
    struct testing_log memory;

    params.outputs = params.outputs != 0 ? params.outputs : TESTING_ALL_OUTPUTS;
    params.log = testing_log(&memory);
    if ((params.outputs & SHW_OUTPUT_TREE_LEAF) == 0)
        out.tree_leaf = NULL;
    if ((params.outputs & SHW_OUTPUT_FOREST_LEAVES) == 0)
        out.forest_leaves = NULL;
    if ((params.outputs & SHW_OUTPUT_DISTRIBUTION) == 0)
        out.distribution = NULL;
    if ((params.outputs & SHW_OUTPUT_ARGMAX) == 0)
        out.argmax = NULL;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(*image), &out), SHW_OK);
    shw_labeller_destroy(&labeller);
    assert_null(labeller);
    labelling.tiled = memory.count[SHW_LOG_TILING] > 0;
    return labelling;
}

static void same(const char *what, const char *output, const void *got, const void *expected, size_t count,
                 size_t element, const struct testing_labelling *size)
{
    size_t pixels = (size_t)size->width * size->height;

    if (testing_hash(got, count * element) == testing_hash(expected, count * element))
        return;
    for (size_t i = 0; i < count; i++) {
        uint32_t is = 0, should = 0;
        memcpy(&is, (const char *)got + i * element, element);
        memcpy(&should, (const char *)expected + i * element, element);
        if (is != should)
            fail_msg("%s: %s of %ux%u, plane %zu, pixel (%zu, %zu) is %u, not %u", what, output, size->width,
                     size->height, i / pixels, i % pixels % size->width, i % pixels / size->width, is, should);
    }
}

void testing_labelling_same(const char *what, uint32_t outputs, const struct testing_labelling *got,
                            const struct testing_labelling *expected)
{
    size_t pixels = (size_t)got->width * got->height;

    if ((outputs & SHW_OUTPUT_TREE_LEAF) != 0)
        same(what, "tree_leaf", got->out.tree_leaf, expected->out.tree_leaf, pixels, 4, got);
    if ((outputs & SHW_OUTPUT_FOREST_LEAVES) != 0)
        same(what, "forest_leaves", got->out.forest_leaves, expected->out.forest_leaves, pixels * got->trees, 4, got);
    if ((outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
        same(what, "distribution", got->out.distribution, expected->out.distribution, pixels * got->classes, 2, got);
    if ((outputs & SHW_OUTPUT_ARGMAX) != 0)
        same(what, "argmax", got->out.argmax, expected->out.argmax, pixels, 2, got);
}
