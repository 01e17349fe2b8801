/* Samples of all labelled pixels, and pictures that are not what they were when they were measured. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/samples/sampling.h"
#include "dense/train/params.h"

enum { SIDE_MAX = 40 };

struct picture {
    uint32_t width, height;
    uint8_t pixels[3 * SIDE_MAX * SIDE_MAX];
    uint16_t labels[SIDE_MAX * SIDE_MAX];
    unsigned held;
};

static enum shw_result read_picture(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct picture *picture = user;

    (void)index;
    picture->held++;
    *example =
        (struct shw_labelled_image){.name = "picture",
                                    .image = {picture->pixels, picture->width, picture->height, 0, SHW_PIXEL_RGB8},
                                    .labels = picture->labels};
    return SHW_OK;
}

static void release_picture(void *user, struct shw_labelled_image *example)
{
    (void)example;
    ((struct picture *)user)->held--;
}

/* Runs of labels, some of which go on in the next row, and of void. */
static void paint(struct picture *picture, struct testing_random *random)
{
    const uint32_t count = picture->width * picture->height, longest = 1 + testing_random_below(random, 30);

    for (uint32_t i = 0; i < count;) {
        const uint32_t kind = testing_random_below(random, 4), run = 1 + testing_random_below(random, longest);
        for (uint32_t end = i + run; i < end && i < count; i++)
            picture->labels[i] = kind == 3 ? SHW_LABEL_VOID : (uint16_t)kind;
    }
    picture->labels[0] = 0;
}

struct measured {
    struct shw_trainer_params params;
    struct shw_dataset dataset;
    struct shw_channel_list channels;
    struct shw_train_images images;
    struct testing_log log;
};

static void measure(struct picture *picture, const struct shw_trainer_params *params, struct measured *measured)
{
    const struct shw_train_backend *backend;

    *measured = (struct measured){
        .params = *params,
        .dataset = {.count = 1, .class_count = 3, .user = picture, .read = read_picture, .release = release_picture}};
    assert_int_equal(shw_trainer_params_complete(&measured->params, &measured->dataset, &measured->channels, &backend),
                     SHW_OK);
    measured->params.log = testing_log(&measured->log);
    measured->params.log.level = SHW_LOG_ERROR;
    assert_int_equal(shw_train_images_measure(&measured->params, &measured->dataset, NULL, &measured->images), SHW_OK);
}

static enum shw_result draw(const struct measured *measured, struct shw_samples *samples)
{
    return shw_samples_draw(&measured->params, &measured->dataset, NULL, &measured->images,
                            shw_image_part_all(measured->images.base_count), 0, samples);
}

/* Of the picture and of its mirror image, in the order of pixels. */
static void check(const struct picture *picture, const struct shw_samples *samples, uint32_t copies)
{
    uint32_t s = 0;

    for (uint32_t copy = 0; copy < copies; copy++)
        for (uint32_t y = 0; y < picture->height; y++)
            for (uint32_t x = 0; x < picture->width; x++) {
                const uint32_t at = copy == 0 ? x : picture->width - 1 - x;
                const uint16_t label = picture->labels[y * picture->width + at];
                if (label == SHW_LABEL_VOID)
                    continue;
                assert_true(s < samples->count);
                assert_int_equal(samples->image[s], copy);
                assert_int_equal(samples->x[s], x);
                assert_int_equal(samples->y[s], y);
                assert_int_equal(samples->label[s++], label);
            }
    assert_int_equal(s, samples->count);
}

TESTING_CASE(all_labelled_pixels_in_order)
{
    struct picture *picture = calloc(1, sizeof *picture);
    struct testing_random random = {5};

    for (uint32_t i = 0; i < 300; i++) {
        const struct shw_trainer_params params = {.pixels_per_image = i % 3 == 0 ? 10000 : SHW_PIXELS_ALL,
                                                  .sampling = i % 5 == 1 ? SHW_SAMPLING_BALANCED : SHW_SAMPLING_UNIFORM,
                                                  .mirror = i % 2 == 1 ? SHW_MIRROR_IMAGES : SHW_MIRROR_NONE};
        struct measured measured;
        struct shw_samples samples;

        picture->width = 1 + i % (i < 200 ? 9 : SIDE_MAX);
        picture->height = 1 + testing_random_below(&random, 12);
        paint(picture, &random);
        measure(picture, &params, &measured);
        assert_int_equal(draw(&measured, &samples), SHW_OK);
        check(picture, &samples, 1 + i % 2);
        shw_samples_free(&samples);
        shw_train_images_free(&measured.images);
    }
    assert_int_equal(picture->held, 0);
    free(picture);
}

/* Labels that are more or fewer than before, or of another size, are refused, whichever pixels are drawn. */
TESTING_CASE(pictures_that_change_are_refused)
{
    struct picture *picture = calloc(1, sizeof *picture);
    struct testing_random random = {6};

    for (uint32_t i = 0; i < 4 * 9; i++) {
        const struct shw_trainer_params params = {.pixels_per_image = i / 4 % 3 == 0 ? 7 : SHW_PIXELS_ALL,
                                                  .sampling = (enum shw_pixel_sampling)(i / 12),
                                                  .mirror = i / 4 % 3 == 2 ? SHW_MIRROR_IMAGES : SHW_MIRROR_NONE};
        struct measured measured;
        struct shw_samples samples;

        picture->width = 20;
        picture->height = 20;
        paint(picture, &random);
        picture->labels[7] = SHW_LABEL_VOID;
        measure(picture, &params, &measured);
        switch (i % 4) {
        case 0: memset(picture->labels, 0, sizeof picture->labels); break;
        case 1: picture->labels[7] = 1; break;
        case 2: picture->labels[0] = SHW_LABEL_VOID; break;
        default:
            picture->width = i % 8 == 3 ? 40 : 10;
            picture->height = i % 8 == 3 ? 10 : 40; /* as many pixels, with the same labels */
        }
        assert_int_equal(draw(&measured, &samples), SHW_ERROR_FORMAT);
        assert_non_null(strstr(measured.log.last, "picture changed while it was read"));
        assert_null(samples.image);
        shw_train_images_free(&measured.images);
    }
    assert_int_equal(picture->held, 0);
    free(picture);
}
