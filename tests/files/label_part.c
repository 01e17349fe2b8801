/* Parts of images: what is refused, how much memory tiles take, and custom techniques on the host. That their labels
 * are those of the whole image is tested in differential/label.c. */
#include "testing/labelling.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

#include "files/project/held_out.h"
#include "testing/random_forest.h"

enum { WIDTH = 60, HEIGHT = 41 };

static struct shw_forest *forest;
static struct shw_image image;

static int open_all(void **state)
{
    struct random_forest_params params = {
        .seed = 9, .classes = 5, .trees = 3, .depth = 5, .split_percent = 90, .offset_max = 4, .size_max = 4};
    struct testing_random random = {2};

    (void)state;
    forest = random_forest(&params);
    image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 3);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
    return 0;
}

static struct shw_labeller *make_labeller(uint64_t memory, struct testing_log *log)
{
    struct shw_labeller_params params = {
        .forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .threads = 2, .memory = memory, .log = testing_log(log)};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    return labeller;
}

static void refuses(struct shw_labeller *labeller, const struct testing_log *log, struct shw_part part)
{
    uint16_t argmax[WIDTH * HEIGHT];

    assert_int_equal(
        shw_labeller_run_part(labeller, SHW_COLOUR_IMAGE(image), &part, &(struct shw_labelling){.argmax = argmax}),
        SHW_ERROR_ARGUMENT);
    assert_int_equal(log->last_item, SHW_LOG_ARGUMENT);
}

TESTING_CASE(parts_beyond_the_image_are_refused)
{
    struct testing_log log;
    struct shw_labeller *labeller = make_labeller(0, &log);
    uint16_t last;
    struct shw_labelling out = {.argmax = &last};

    refuses(labeller, &log, (struct shw_part){0, 0, 1, 1, 0});
    refuses(labeller, &log, (struct shw_part){0, 0, 0, 1, 1});
    refuses(labeller, &log, (struct shw_part){0, 0, 1, 0, 1});
    refuses(labeller, &log, (struct shw_part){WIDTH, 0, 1, 1, 1});
    refuses(labeller, &log, (struct shw_part){0, HEIGHT, 1, 1, 1});
    refuses(labeller, &log, (struct shw_part){1, 0, WIDTH, 1, 1});
    refuses(labeller, &log, (struct shw_part){0, 1, 1, HEIGHT, 1});
    refuses(labeller, &log, (struct shw_part){0, 0, WIDTH / 3 + 1, 1, 3});
    refuses(labeller, &log, (struct shw_part){0, 0, 1, 3, HEIGHT / 2 + 1});
    refuses(labeller, &log, (struct shw_part){0, 0, 2, 1, UINT32_MAX});
    refuses(labeller, &log, (struct shw_part){0, 0, UINT32_MAX, 1, UINT32_MAX});
    assert_int_equal(shw_labeller_run_part(labeller, SHW_COLOUR_IMAGE(image),
                                           &(struct shw_part){WIDTH - 1, HEIGHT - 1, 1, 1, UINT32_MAX}, &out),
                     SHW_OK);
    shw_labeller_destroy(&labeller);
}

/* Tiles become smaller with the limit, down to a single pixel with its margins; labels stay the same. */
TESTING_CASE(memory_limits_tiles)
{
    const struct shw_part whole = {0, 0, WIDTH, HEIGHT, 1};
    uint16_t expected[WIDTH * HEIGHT], argmax[WIDTH * HEIGHT];
    struct shw_labelling out = {.argmax = expected};
    struct testing_log log;
    struct shw_labeller *labeller = make_labeller(0, &log);

    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &out), SHW_OK);
    assert_int_equal(log.count[SHW_LOG_TILING], 0);
    shw_labeller_destroy(&labeller);
    out.argmax = argmax;
    for (uint64_t memory = 1; memory < 200000; memory = 50 * memory + 999) {
        labeller = make_labeller(memory, &log);
        memset(argmax, 0xee, sizeof argmax);
        assert_int_equal(shw_labeller_run_part(labeller, SHW_COLOUR_IMAGE(image), &whole, &out), SHW_OK);
        assert_memory_equal(argmax, expected, sizeof expected);
        assert_int_equal(log.count[SHW_LOG_TILING], 1);
        shw_labeller_destroy(&labeller);
    }
}

/* A technique of others: the sum of a pixel's coordinates in the image. */
static enum shw_result add_coordinates(void *user, const struct shw_stage_host_frame *frame)
{
    const struct shw_stage_frame *at = &frame->frame;

    (void)user;
    for (uint32_t y = 0, j = frame->out_y; y < at->tile_height; y += frame->step, j++)
        for (uint32_t x = 0, i = frame->out_x; x < at->tile_width; x += frame->step, i++)
            frame->out.argmax[j * frame->out_width + i] = (uint16_t)(at->x + at->tile_x + x + at->y + at->tile_y + y);
    return SHW_OK;
}

TESTING_CASE(custom_techniques_are_told_where_results_go)
{
    static const struct shw_stage_technique custom = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                      .name = "coordinates",
                                                      .stage = SHW_STAGE_EVALUATE,
                                                      .form = SHW_PLANES_HOST,
                                                      .run = add_coordinates};
    struct shw_labeller_params params = {.forest = forest,
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .evaluate = SHW_TECHNIQUE_CUSTOM,
                                         .custom[SHW_STAGE_EVALUATE] = &custom,
                                         .memory = 1};
    const struct shw_part part = {7, 5, 11, 9, 4};
    uint16_t argmax[11 * 9] = {0};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(
        shw_labeller_run_part(labeller, SHW_COLOUR_IMAGE(image), &part, &(struct shw_labelling){.argmax = argmax}),
        SHW_OK);
    for (uint32_t j = 0; j < part.height; j++)
        for (uint32_t i = 0; i < part.width; i++)
            assert_int_equal(argmax[j * part.width + i], part.x + part.y + 4 * (i + j));
    shw_labeller_destroy(&labeller);
}

/* Measuring accuracy labels rectangles of pictures: with what is around them. */
TESTING_CASE(rectangles_are_labelled_as_in_the_picture)
{
    const struct shw_labelled_image example = {.name = "picture", .image = image};
    struct testing_labelling whole = testing_label(&(struct shw_labeller_params){.forest = forest}, &image);
    struct testing_random random = {6};
    uint16_t classes[WIDTH * HEIGHT];

    for (int i = 0; i < 40; i++) {
        int32_t x = testing_random_range(&random, 0, WIDTH - 1), y = testing_random_range(&random, 0, HEIGHT - 1);
        const struct shw_rect rect = {x, y, testing_random_range(&random, x + 1, WIDTH),
                                      testing_random_range(&random, y + 1, HEIGHT)};
        const uint16_t *at = classes;

        assert_int_equal(shw_label_part(forest, &example, rect, NULL, NULL, classes), SHW_OK);
        for (y = rect.y0; y < rect.y1; y++)
            for (x = rect.x0; x < rect.x1; x++)
                assert_int_equal(*at++, whole.out.argmax[y * WIDTH + x]);
    }
    testing_labelling_free(&whole);
}

TESTING_FIXTURE(open_all, close_all)
