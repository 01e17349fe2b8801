/* Training on the device with rectangles of few shapes, whose values are made once: the forest of the CPU. */
#include "testing/testing.h"

#include <string.h>

#include "dense/grow/trainer.h"
#include "dense/grow_device/round.h"
#include "testing/device.h"
#include "testing/examples.h"
#include "testing/training.h"

static struct testing_log memory;

static struct shw_trainer_params on_device(struct shw_trainer_params params)
{
    params.log = testing_log(&memory);
    params.log.level = SHW_LOG_ERROR;
    params.technique = SHW_TECHNIQUE_COMPUTE;
    params.device = testing_device();
    return params;
}

/* Trains on the device; planes of `shapes` shapes must be used, or of no shape if it is 0. */
static void same(const char *what, uint32_t number, struct shw_trainer_params params, struct testing_examples *examples,
                 uint32_t shapes)
{
    struct shw_trainer_params by_cpu = params;
    struct shw_trainer *trainer = NULL;
    uint64_t expected, got;
    uint32_t used;
    bool finished;

    by_cpu.memory = 0; /* is the device's */
    expected = testing_train(by_cpu, examples, SHW_TECHNIQUE_CPU);
    params = on_device(params);
    assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    used = shw_compute_of(trainer)->shapes.count;
    got = testing_finish(trainer);
    if (used != shapes)
        fail_msg("%s %u: %u shapes have planes, not %u", what, number, used, shapes);
    if (got != expected)
        fail_msg("%s %u: another forest than by cpu", what, number);
    testing_device_check();
}

/* Squares, and all shapes of small rectangles: sides longer than an image, rectangles that its border clips or that are
 * beyond it, images of several sizes, mirror images of their own or by the planes of the image, with channels that are
 * signed, negated, exchanged or the same in the mirror image. */
TESTING_CASE(every_shape_is_the_same)
{
    static const struct {
        const char *channels;
        uint32_t shapes, size_max, offset_max, single_percent, expected;
    } settings[] = {
        {SHW_CHANNELS_RGB, 0, 1, 12, 0, 1},
        {"dx:2,dy:1,position", 0, 2, 30, 40, 4},
        {SHW_CHANNELS_LAB, 0, 3, 8, 0, 9},
        {SHW_CHANNELS_LAB, 0, 4, 8, 0, 0},
        {"position,orient:2,log:2", 1, 60, 40, 20, 1},
        {SHW_CHANNELS_WINN16, 2, 60, 30, 0, 2},
        {"orient:2,dx:1", 5, 19, 9, 30, 5},
        {SHW_CHANNELS_RGB, 9, 60, 32, 0, 9},
        {SHW_CHANNELS_RGB, 30, 10, 20, 0, 0},
        {SHW_CHANNELS_RGB, 30, 9, 20, 10, 9},
        {SHW_CHANNELS_RGB, 2, 250, 130, 0, 0}, /* sides of 181 */
    };
    const enum shw_mirroring mirrors[] = {SHW_MIRROR_NONE, SHW_MIRROR_IMAGES, SHW_MIRROR_PAIRED};
    struct testing_examples examples;

    for (uint32_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        const struct testing_examples_params params = {
            .seed = 100 + s, .count = 5, .width = 3 + s * 7, .height = 30 - s * 2, .void_percent = 20};
        testing_examples_make(&params, &examples);
        for (uint32_t m = 0; m < 3; m++) {
            struct shw_trainer_params training = testing_training;
            training.channels = settings[s].channels;
            training.shapes = settings[s].shapes;
            training.size_max = settings[s].size_max;
            training.offset_max = settings[s].offset_max;
            training.single_percent = settings[s].single_percent;
            training.mirror = mirrors[m];
            training.depth = 4;
            training.tree_count = 1;
            training.thresholds = s % 2 == 0 ? SHW_THRESHOLDS_BEST : SHW_THRESHOLDS_RANDOM;
            training.ferns = (s + m) % 4 == 3;
            training.offset_min = (s + m) % 3 == 2 ? 2 : 0;
            training.pool = (s + m) % 5 == 0 ? SHW_POOL_ROUND : SHW_POOL_NODE;
            same("setting", 10 * s + m, training, &examples, settings[s].expected);
        }
        testing_examples_free(&examples);
    }
}

/* Sums have planes where they fit 16 bits. */
TESTING_CASE(sums_are_the_same)
{
    const struct testing_examples_params params = {.seed = 61, .count = 4};
    struct testing_examples examples;

    testing_examples_make(&params, &examples);
    for (uint32_t size = 1; size <= 3; size++) {
        struct shw_trainer_params training = testing_training;
        training.feature = &shw_feature_sum_difference;
        training.channels = size == 1 ? "dx:2,dy:1" : SHW_CHANNELS_RGB;
        training.size_max = size;
        training.mirror = size == 1 ? SHW_MIRROR_PAIRED : SHW_MIRROR_NONE;
        same("sums of size", size, training, &examples, size < 3 ? size * size : 0); /* 9 * 4080 does not fit */
    }
    testing_examples_free(&examples);
}

/* Planes are for samples, not for all pixels, not for other feature types, and not for candidates of others. */
TESTING_CASE(others_have_no_planes)
{
    const struct testing_examples_params params = {.seed = 62};
    struct shw_trainer_params training = testing_training;
    struct testing_examples examples;

    testing_examples_make(&params, &examples);
    training.shapes = 2;
    training.depth = 2;
    training.feature = &shw_feature_pixel_difference;
    same("pixels", 0, training, &examples, 0);
    training.feature = &shw_feature_mean_difference;
    training.pixels_per_image = SHW_PIXELS_ALL;
    same("all pixels", 0, training, &examples, 0);
    training.pixels_per_image = 50;
    same("samples", 0, training, &examples, 2);
    testing_examples_free(&examples);
}

/* With little memory there are integral images, with more of it planes, or from the beginning if these need no more.
 * The forest is the same on both sides of the limit, also in small slices and continued from a checkpoint of the other.
 */
TESTING_CASE(memory_chooses)
{
    const struct testing_examples_params examples_params = {.seed = 63, .count = 6, .width = 60, .height = 50};
    const char *path = testing_path("shapes.ktx2");
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    uint32_t with[2] = {0}, without[2] = {0}, in_chunks = 0;

    testing_examples_make(&examples_params, &examples);
    for (uint32_t few = 0; few < 2; few++)
        for (uint32_t i = 0; i < 6; i++) {
            struct shw_trainer *trainer = NULL;
            struct shw_trainer_params own = params;
            const struct shw_train_compute *training;
            uint64_t expected;
            bool finished;
            own.channels = SHW_CHANNELS_WINN16;
            own.shapes = few == 1 ? 1 : 5;
            own.size_max = 20;
            own.depth = 3;
            expected = testing_train(own, &examples, SHW_TECHNIQUE_CPU);
            examples.dataset.user = &examples;
            own = on_device(own);
            own.memory = (uint64_t)2000000 << i;
            own.work_max = i % 2 == 0 ? 2000 : 0;
            if (shw_trainer_create(&own, &examples.dataset, &trainer) != SHW_OK)
                fail_msg("%s", memory.last);
            if (i > 0)
                assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
            if (shw_trainer_step(trainer, &finished) != SHW_OK)
                fail_msg("%s", memory.last);
            training = shw_compute_of(trainer);
            *(training->shapes.count > 0 ? &with[few] : &without[few]) += 1;
            in_chunks +=
                training->shapes.count > 0 && training->integrals.place_count < training->integrals.chunk_count;
            assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
            assert_true(testing_finish(trainer) == expected);
        }
    assert_true(with[0] > 0 && without[0] > 0);
    assert_true(with[1] == 6 && without[1] == 0 && in_chunks > 0);
    testing_examples_free(&examples);
    testing_device_check();
}

/* One trainer for one training after the other, whose shapes change, also with the same images. */
TESTING_CASE(shapes_change)
{
    static const uint32_t turns[][2] = {{2, 9}, {2, 9}, {3, 9}, {0, 3}, {0, 2}, {0, 9}, {2, 20}, {2, 9}};
    const struct testing_examples_params examples_params = {.seed = 64};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;

    testing_examples_make(&examples_params, &examples);
    params.depth = 3;
    for (uint32_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        struct shw_trainer_params own;
        uint64_t expected;
        params.shapes = turns[i][0];
        params.size_max = turns[i][1];
        expected = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
        own = on_device(params);
        if (trainer == NULL)
            assert_int_equal(shw_trainer_create(&own, &examples.dataset, &trainer), SHW_OK);
        else
            assert_int_equal(shw_trainer_renew(trainer, &own, &examples.dataset), SHW_OK);
        assert_true(testing_grow(trainer) == expected);
        assert_int_equal(shw_compute_of(trainer)->shapes.count, turns[i][0] > 0 ? turns[i][0]
                                                                : i == 5        ? 0
                                                                                : turns[i][1] * turns[i][1]);
    }
    shw_trainer_destroy(&trainer);
    testing_examples_free(&examples);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
