/* Targets in the caller's memory: parts, bands, places and what is refused. That every format has the bits that
 * docs/library.md#targets says is tested in embed/targets.c. */
#include <stdlib.h>
#include <string.h>

#include "testing/labelling.h"

#include <shadewood/shadewood.h>

#include "testing/random_forest.h"

enum { WIDTH = 61, HEIGHT = 43, TREES = 3, CLASSES = 6, PIXELS = WIDTH * HEIGHT };

static struct shw_forest *forest;
static struct shw_image image;
static struct testing_labelling expected; /* the whole image */

static int open_all(void **state)
{
    struct random_forest_params params = {.seed = 19,
                                          .classes = CLASSES,
                                          .trees = TREES,
                                          .depth = 6,
                                          .split_percent = 90,
                                          .offset_max = 5,
                                          .size_max = 4};
    struct testing_random random = {4};

    (void)state;
    forest = random_forest(&params);
    image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 5);
    expected = testing_label(&(struct shw_labeller_params){.forest = forest}, &image);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    testing_labelling_free(&expected);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
    return 0;
}

static struct shw_labeller *make_labeller(uint32_t outputs, uint64_t memory, struct testing_log *log)
{
    const struct shw_labeller_params params = {
        .forest = forest, .outputs = outputs, .threads = 2, .memory = memory, .log = testing_log(log)};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    return labeller;
}

/* Where a pixel of a part is in the whole image. */
static uint32_t pixel_of(const struct shw_part *part, uint32_t x, uint32_t y)
{
    return (part->y + y * part->step) * WIDTH + part->x + x * part->step;
}

static uint8_t share_of(uint32_t class, uint32_t pixel)
{
    return (uint8_t)((255 * expected.out.distribution[class * PIXELS + pixel] + 32767) / 65535);
}

/* Of the colour image under the forest's colours, with the usual 60 percent. */
static uint8_t mixed(uint32_t pixel, uint32_t component)
{
    const uint8_t *row = (const uint8_t *)image.pixels + pixel / WIDTH * image.stride;
    const uint32_t class = expected.out.argmax[pixel], picture = row[3 * (pixel % WIDTH) + component];

    if (class == SHW_LABEL_VOID)
        return (uint8_t)picture;
    return (uint8_t)((40 * picture + 60 * shw_forest_get_info(forest)->classes[class].colour[component] + 50) / 100);
}

/* A part in several formats, by a labeller with so much memory. */
static void check_part(const struct shw_part *part, uint64_t memory)
{
    const uint32_t width = part->width, height = part->height, count = width * height;
    uint8_t *labels = malloc(count), *shares = malloc(8 * (size_t)count), *overlay = malloc(4 * (size_t)count);
    uint16_t *leaves = malloc(2 * TREES * (size_t)count), *distribution = malloc(2 * CLASSES * (size_t)count);
    uint32_t *leaf = malloc(4 * (size_t)count);
    struct shw_memory_targets targets = {.tree_leaf = {.elements = leaf},
                                         .forest_leaves = {leaves, VK_FORMAT_R16_UINT, 0, 0},
                                         .distribution = {.elements = distribution},
                                         .argmax = {labels, VK_FORMAT_R8_UNORM, 0, 0},
                                         .probabilities = {shares, VK_FORMAT_R8G8B8A8_UNORM, 0, 0},
                                         .overlay = {overlay, VK_FORMAT_B8G8R8A8_SRGB, 0, 0},
                                         .part = *part};
    struct testing_log log;
    struct shw_labeller *labeller = make_labeller(TESTING_ALL_OUTPUTS, memory, &log);

    if (width == WIDTH && height == HEIGHT)
        targets.part = (struct shw_part){0}; /* the whole image */
    assert_int_equal(shw_labeller_run_targets(labeller, SHW_COLOUR_IMAGE(image), &targets), SHW_OK);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t pixel = pixel_of(part, i % width, i / width);
        assert_int_equal(leaf[i], expected.out.tree_leaf[pixel]);
        for (uint32_t t = 0; t < TREES; t++)
            assert_int_equal(leaves[t * count + i], expected.out.forest_leaves[t * PIXELS + pixel]);
        for (uint32_t c = 0; c < CLASSES; c++)
            assert_int_equal(distribution[c * count + i], expected.out.distribution[c * PIXELS + pixel]);
        for (uint32_t c = 0; c < 8; c++)
            assert_int_equal(shares[(c / 4 * count + i) * 4 + c % 4], c < CLASSES ? share_of(c, pixel) : 0);
        assert_int_equal(labels[i], expected.out.argmax[pixel]);
        for (uint32_t c = 0; c < 3; c++)
            assert_int_equal(overlay[4 * i + 2 - c], mixed(pixel, c));
        assert_int_equal(overlay[4 * i + 3], 255);
    }
    shw_labeller_destroy(&labeller);
    free(labels);
    free(shares);
    free(overlay);
    free(leaves);
    free(distribution);
    free(leaf);
}

/* Little memory: results of a few rows at a time. */
TESTING_CASE(parts_and_bands_have_the_results_of_the_whole)
{
    static const struct shw_part parts[] = {{0, 0, WIDTH, HEIGHT, 1}, {7, 9, 30, 21, 1}, {1, 2, 20, 14, 3},
                                            {60, 42, 1, 1, 9},        {0, 40, 61, 3, 1}, {3, 0, 1, 43, 1}};

    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (uint64_t memory = 0; memory < 200000; memory = 20 * memory + 9000)
            check_part(&parts[p], memory);
}

/* Only what is wanted is asked for: a labeller of labels alone has all targets of labels. */
TESTING_CASE(a_labeller_of_labels_has_all_of_their_formats)
{
    static const VkFormat formats[] = {VK_FORMAT_UNDEFINED, VK_FORMAT_R8_UINT,   VK_FORMAT_R8_UNORM,
                                       VK_FORMAT_R16_UINT,  VK_FORMAT_R16_UNORM, VK_FORMAT_R32_UINT};
    static const uint32_t bytes[] = {2, 1, 1, 2, 2, 4};
    struct testing_log log;
    struct shw_labeller *labeller = make_labeller(SHW_OUTPUT_ARGMAX, 0, &log);
    uint32_t words[PIXELS];

    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        const struct shw_memory_targets targets = {.argmax = {words, formats[f], 0, 0}};
        memset(words, 0xee, sizeof words);
        assert_int_equal(shw_labeller_run_targets(labeller, SHW_COLOUR_IMAGE(image), &targets), SHW_OK);
        for (uint32_t p = 0; p < PIXELS; p++) {
            uint32_t code = 0;
            memcpy(&code, (const char *)words + bytes[f] * p, bytes[f]);
            assert_int_equal(code, expected.out.argmax[p]);
        }
    }
    shw_labeller_destroy(&labeller);
}

static void refuses(struct shw_labeller *labeller, const struct testing_log *log,
                    const struct shw_memory_targets *targets, const char *why)
{
    assert_int_equal(shw_labeller_run_targets(labeller, SHW_COLOUR_IMAGE(image), targets), SHW_ERROR_ARGUMENT);
    assert_int_equal(log->last_item, SHW_LOG_ARGUMENT);
    if (strstr(log->last, why) == NULL)
        fail_msg("'%s' does not say '%s'", log->last, why);
}

#define REFUSES(why, ...) refuses(labeller, &log, &(const struct shw_memory_targets){__VA_ARGS__}, why)

TESTING_CASE(what_is_wrong_is_refused)
{
    static char memory[16 * PIXELS];
    const struct shw_class_paint paints[CLASSES] = {[CLASSES - 1] = {.opacity = 101}};
    char *input = (char *)(uintptr_t)image.pixels;
    struct testing_log log;
    struct shw_labeller *labeller = make_labeller(SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION, 0, &log);

    memset(memory, 0x33, sizeof memory);
    REFUSES("no target is wanted", .argmax = {.format = VK_FORMAT_R8_UINT});
    REFUSES("tree_leaf is given, but", .tree_leaf = {.elements = memory});
    REFUSES("argmax cannot have VK_FORMAT_R8_SINT: it has R8_UINT, ", .argmax = {memory, VK_FORMAT_R8_SINT, 0, 0});
    REFUSES("overlay cannot have VK_FORMAT_UNDEFINED", .overlay = {.elements = memory});
    REFUSES("argmax: the strides are too small for 61 x 43 elements of 2 bytes",
            .argmax = {memory, VK_FORMAT_R16_UINT, 2 * WIDTH - 1, 0});
    REFUSES("distribution: the strides are too small",
            .distribution = {memory, VK_FORMAT_R8_UINT, 0, WIDTH * HEIGHT - 1});
    REFUSES("argmax: 43 rows that are", .argmax = {memory, VK_FORMAT_R8_UINT, SIZE_MAX / 8, 0});
    REFUSES("distribution: 6 planes that are", .distribution = {memory, VK_FORMAT_R8_UINT, 0, SIZE_MAX / 8});
    REFUSES("distribution and argmax share bytes", .distribution = {memory, VK_FORMAT_R8_UINT, 0, 0},
            .argmax = {memory + CLASSES * PIXELS - 1, VK_FORMAT_R8_UINT, 0, 0});
    REFUSES("at most 100 percent", .overlay = {memory, VK_FORMAT_R8G8B8A8_UNORM, 0, 0}, .opacity = 101);
    REFUSES("at most 100 percent", .overlay = {memory, VK_FORMAT_R8G8B8A8_UNORM, 0, 0}, .paints = paints);
    REFUSES("the step of a part is 0", .argmax = {.elements = memory}, .part = {0, 0, 1, 1, 0});
    REFUSES("not a part of an image", .argmax = {.elements = memory}, .part = {1, 0, WIDTH, 1, 1});
    REFUSES("overlay and colour share bytes", .overlay = {input, VK_FORMAT_R8G8B8A8_UNORM, 0, 0},
            .part = {0, 0, 30, 21, 1});
    REFUSES("argmax and colour share bytes", .argmax = {input + image.stride * (HEIGHT - 1), VK_FORMAT_R8_UINT, 0, 0});
    for (size_t b = 0; b < sizeof memory; b++)
        assert_int_equal(memory[b], 0x33);
    assert_int_equal(shw_labeller_run_targets(
                         labeller, SHW_COLOUR_IMAGE(image),
                         &(struct shw_memory_targets){.distribution = {memory, VK_FORMAT_R8_UINT, 0, 0},
                                                      .argmax = {memory + CLASSES * PIXELS, VK_FORMAT_R8_UINT, 0, 0}}),
                     SHW_OK); /* they touch */
    assert_int_equal(
        shw_labeller_run_targets(labeller, SHW_COLOUR_IMAGE(image),
                                 &(struct shw_memory_targets){.argmax = {memory, VK_FORMAT_R8_UINT, 0, 1}}),
        SHW_OK); /* there is no second plane */
    shw_labeller_destroy(&labeller);

    labeller = make_labeller(SHW_OUTPUT_ARGMAX, 0, &log);
    REFUSES("needs SHW_OUTPUT_DISTRIBUTION", .overlay = {memory, VK_FORMAT_R8G8B8A8_UNORM, 0, 0},
            .by_probability = true);
    shw_labeller_interrupt(labeller);
    assert_int_equal(shw_labeller_run_targets(labeller, SHW_COLOUR_IMAGE(image),
                                              &(struct shw_memory_targets){.argmax = {.elements = memory}}),
                     SHW_ERROR_CANCELLED);
    shw_labeller_destroy(&labeller);
}

/* A picture of several, one of them the image: targets whose rows lie between the rows of others share no bytes with
 * them; one byte more, and they do. */
TESTING_CASE(targets_may_lie_side_by_side)
{
    enum { STRIDE = (3 + 4 + 1 + 2) * WIDTH, COLOUR = 0, OVERLAY = 3 * WIDTH, LABELS = 7 * WIDTH, SHARES = 8 * WIDTH };
    static uint8_t picture[STRIDE * HEIGHT * (CLASSES + 1)];
    const struct shw_image left = {picture + COLOUR, WIDTH, HEIGHT, STRIDE, SHW_PIXEL_RGB8};
    struct shw_memory_targets targets = {
        .distribution = {picture + SHARES, VK_FORMAT_R16_UINT, STRIDE, (size_t)STRIDE * HEIGHT},
        .argmax = {picture + LABELS, VK_FORMAT_R8_UINT, STRIDE, 0},
        .overlay = {picture + OVERLAY, VK_FORMAT_R8G8B8A8_UNORM, STRIDE, 0}};
    struct testing_log log;
    struct shw_labeller *labeller = make_labeller(SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION, 9000, &log);

    for (uint32_t y = 0; y < HEIGHT; y++)
        memcpy(picture + COLOUR + y * STRIDE, (const uint8_t *)image.pixels + y * image.stride, 3 * WIDTH);
    assert_int_equal(shw_labeller_run_targets(labeller, SHW_COLOUR_IMAGE(left), &targets), SHW_OK);
    for (uint32_t p = 0; p < PIXELS; p++) {
        const uint8_t *row = picture + p / WIDTH * STRIDE;
        assert_int_equal(row[LABELS + p % WIDTH], expected.out.argmax[p]);
        for (uint32_t c = 0; c < 3; c++) {
            assert_int_equal(row[COLOUR + 3 * (p % WIDTH) + c],
                             ((const uint8_t *)image.pixels)[p / WIDTH * image.stride + 3 * (p % WIDTH) + c]);
            assert_int_equal(row[OVERLAY + 4 * (p % WIDTH) + c], mixed(p, c));
        }
    }
    for (uint32_t i = 0; i < CLASSES * PIXELS; i++)
        assert_memory_equal(picture + i / WIDTH * STRIDE + SHARES + 2 * (i % WIDTH), &expected.out.distribution[i], 2);
    for (int32_t by = -1; by <= 1; by += 2) {
        targets.overlay.elements = picture + OVERLAY + by;
        assert_int_equal(shw_labeller_run_targets(labeller, SHW_COLOUR_IMAGE(left), &targets), SHW_ERROR_ARGUMENT);
        assert_non_null(strstr(log.last, by < 0 ? "overlay and colour share" : "argmax and overlay share"));
    }
    targets.overlay.elements = NULL;
    targets.distribution.elements = picture + SHARES + STRIDE * (HEIGHT - 1) + 1; /* the last row of a plane */
    targets.argmax.elements = picture + LABELS + 2;
    assert_int_equal(shw_labeller_run_targets(labeller, SHW_COLOUR_IMAGE(left), &targets), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(log.last, "distribution and argmax share"));
    shw_labeller_destroy(&labeller);
}

TESTING_FIXTURE(open_all, close_all)
