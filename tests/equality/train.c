/* Training on the device against the CPU: the same forest, bit for bit. */
#include "testing/testing.h"

#include <stdio.h>
#include <string.h>

#include "dense/grow/trainer.h"
#include "dense/grow_device/round.h"
#include "testing/device.h"
#include "testing/examples.h"
#include "testing/sanitizers.h"
#include "testing/training.h"

static void same(const char *what, uint32_t number, const struct shw_trainer_params *params,
                 struct testing_examples *examples, bool by_blend)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    struct shw_trainer_params by_cpu = *params;
    uint64_t cpu;

    by_cpu.memory = 0; /* is the device's */
    cpu = testing_train(by_cpu, examples, SHW_TECHNIQUE_CPU);

    for (int t = 0; t < 1 + by_blend; t++) {
        uint64_t hash = testing_train(*params, examples, techniques[t]);
        if (cpu != hash)
            fail_msg("%s %u: cpu gives the forest %016llx, %s %016llx", what, number, (unsigned long long)cpu,
                     shw_technique_name(techniques[t]), (unsigned long long)hash);
        testing_device_check();
    }
}

TESTING_CASE(every_variant_is_the_same)
{
    struct testing_examples_params params = {.seed = 31, .void_percent = 15};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    struct testing_examples examples;
    uint32_t count = testing_training_variants(list);

    testing_examples_make(&params, &examples);
    for (uint32_t i = 0; i < count; i += testing_is_slow() ? 1 : 2) /* equality_workers has others */
        same("variant", i, &list[i], &examples, i % 2 == 0 || testing_is_slow());
    testing_examples_free(&examples);
}

/* Every score by every threshold scheme, weighted or not, from a few bins to many, with all pixels. */
TESTING_CASE(scores_and_thresholds_are_the_same)
{
    static const uint32_t bins[] = {2, 3, 64, 65, 256};
    struct testing_examples_params examples_params = {.seed = 8, .classes = 7, .width = 24, .height = 17};
    struct testing_examples examples;
    uint32_t number = 0;

    testing_examples_make(&examples_params, &examples);
    for (int score = 0; score <= (int)SHW_SCORE_GAIN_RATIO; score++)
        for (int scheme = 0; scheme < 2; scheme++)
            for (uint32_t b = 0; b < 5; b++) {
                struct shw_trainer_params params = testing_training;
                if (scheme == 1 && bins[b] == 256)
                    continue;
                if (score >= (int)SHW_SCORE_NORMALISED_GAIN &&
                    b % 2 == 0) /* numbers of bins are the same to all scores */
                    continue;
                if (TESTING_ADDRESS_SANITIZED && score > 0 && b != 1) /* so are the memory accesses */
                    continue;
                params.tree_count = 1;
                params.depth = 3;
                params.candidates = 6;
                params.score = (enum shw_score)score;
                params.thresholds = (enum shw_threshold_scheme)scheme;
                params.bins = bins[b];
                params.pixels_per_image = SHW_PIXELS_ALL;
                params.weighting = b % 4 == 1 ? SHW_WEIGHTING_INVERSE : SHW_WEIGHTING_NONE;
                params.seed = number;
                same("combination", number++, &params, &examples,
                     score == 0); /* histograms are the same to all scores */
            }
    testing_examples_free(&examples);
}

/* Channels of the frame before, which every third image has not; pixels are kept on the device, or read again. */
TESTING_CASE(motion_is_the_same)
{
    struct testing_examples_params examples_params = {.seed = 12, .count = 7};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    params.channels = "dt-gradient,gauss:1,dt";
    params.tree_count = 1;
    params.depth = 4;
    params.pixels_per_image = SHW_PIXELS_ALL;
    for (uint32_t i = 0; i < 4; i++) {
        params.mirror = i == 3 ? SHW_MIRROR_PAIRED : i == 1 ? SHW_MIRROR_IMAGES : SHW_MIRROR_NONE;
        params.memory = i < 2 ? 0 : 2500000;
        same("motion", i, &params, &examples, true);
    }
    testing_examples_free(&examples);
}

/* Histograms that no work group holds, and counts of classes that none does. */
TESTING_CASE(many_classes_are_the_same)
{
    struct testing_examples_params examples_params = {.seed = 4, .classes = 700, .width = 60, .height = 50, .count = 2};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    params.bins = 40;
    params.pixels_per_image = SHW_PIXELS_ALL;
    params.tree_count = 1;
    same("700 classes, depth", params.depth, &params, &examples, true);
    testing_examples_free(&examples);
}

/* From a data set in memory, the samples of the next tree are drawn while the device is busy. */
TESTING_CASE(trees_drawn_ahead_are_the_same)
{
    struct testing_examples_params examples_params = {.seed = 5, .count = 6, .void_percent = 20};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    struct testing_examples examples;
    uint32_t count = testing_training_variants(list);

    testing_examples_make(&examples_params, &examples);
    for (uint32_t i = 0; i < count; i += testing_is_slow() ? 1 : 9) {
        uint64_t expected;
        list[i].tree_count = 4;
        list[i].depth = 3;
        list[i].threads = 1 + i % 3;
        examples.dataset.in_memory = false;
        examples.dataset.single_threaded = i % 2 == 1;
        expected = testing_train(list[i], &examples, SHW_TECHNIQUE_CPU);
        examples.dataset.in_memory = true;
        if (testing_train(list[i], &examples, SHW_TECHNIQUE_COMPUTE) != expected)
            fail_msg("variant %u", i);
        assert_int_equal(examples.held, 0);
    }
    testing_examples_free(&examples);
}

/* Computes two rounds, and draws what the device may have left no time for. */
static void step(struct shw_trainer *trainer)
{
    bool finished;

    for (uint32_t r = 0; r < 2; r++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    while (shw_tree_samples_draw_ahead(trainer))
        continue;
    assert_non_null(trainer->samples.ahead);
}

/* Whatever happens to samples that were drawn ahead, the trees are the same: an image could not be read meanwhile, a
 * checkpoint is loaded, or the training is dropped for another one. */
TESTING_CASE(samples_drawn_ahead_may_be_lost)
{
    struct testing_examples_params examples_params = {.seed = 6, .count = 6, .void_percent = 20};
    struct shw_trainer_params params = testing_training;
    const char *path = testing_path("ahead.ktx2");
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;
    struct testing_log log;
    uint64_t expected;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    params.tree_count = 3;
    params.depth = 4;
    expected = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    examples.dataset.in_memory = true;
    params.technique = SHW_TECHNIQUE_COMPUTE;
    params.device = testing_device();
    params.log = testing_log(&log);
    params.log.level = SHW_LOG_ERROR;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    step(trainer);
    shw_tree_samples_free(&trainer->samples);
    examples.fail_at = 2;
    examples.fail_with = SHW_ERROR_IO;
    while (shw_tree_samples_draw_ahead(trainer))
        continue;
    assert_non_null(trainer->samples.ahead);
    examples.fail_with = SHW_OK;
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    assert_true(testing_grow(trainer) == expected);
    assert_string_equal(log.last, "");

    assert_int_equal(shw_trainer_renew(trainer, &params, &examples.dataset), SHW_OK);
    step(trainer);
    assert_int_equal(shw_trainer_renew(trainer, &params, &examples.dataset), SHW_OK);
    assert_null(trainer->samples.ahead);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    assert_true(testing_grow(trainer) == expected);

    assert_int_equal(shw_trainer_renew(trainer, &params, &examples.dataset), SHW_OK);
    step(trainer);
    params.seed++;
    assert_int_equal(shw_trainer_renew(trainer, &params, &examples.dataset), SHW_OK);
    params.seed--;
    step(trainer);
    assert_int_equal(shw_trainer_renew(trainer, &params, &examples.dataset), SHW_OK);
    assert_true(testing_finish(trainer) == expected);
    assert_int_equal(examples.held, 0);
    testing_examples_free(&examples);
}

/* Samples that the device gets in two pieces, prepared while it was busy or not. */
TESTING_CASE(large_trees_drawn_ahead_are_the_same)
{
    struct testing_examples_params examples_params = {.seed = 7, .count = 5, .width = 180, .height = 150};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;
    uint64_t expected;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    params.tree_count = 2;
    params.depth = 2;
    params.candidates = 2;
    params.images_percent = 60; /* each tree has others */
    params.pixels_per_image = SHW_PIXELS_ALL;
    expected = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    examples.dataset.in_memory = true;
    params.technique = SHW_TECHNIQUE_COMPUTE;
    params.device = testing_device();
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    for (uint32_t blocks = 0; blocks <= 2; blocks += 2) {
        bool finished;
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        while (shw_compute_of(trainer)->packed < blocks && shw_tree_samples_draw_ahead(trainer))
            continue;
        assert_true(shw_compute_of(trainer)->packed >= blocks);
        assert_true(testing_grow(trainer) == expected);
        assert_int_equal(shw_trainer_renew(trainer, &params, &examples.dataset), SHW_OK);
    }
    shw_trainer_destroy(&trainer);
    assert_int_equal(examples.held, 0);
    testing_examples_free(&examples);
}

/* Of all pixels, every tree has the same samples, which are drawn once: not where they were drawn again for a
 * checkpoint, and not for another training. */
TESTING_CASE(samples_of_all_pixels_are_drawn_once)
{
    struct testing_examples_params examples_params = {.seed = 8, .count = 4, .void_percent = 20};
    struct shw_trainer_params params = testing_training;
    const char *path = testing_path("repeated.ktx2");
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    examples.dataset.in_memory = true;
    params.tree_count = 3;
    params.depth = 3;
    for (uint32_t i = 0; i < 12; i++) {
        const bool is_planned = i == 8, repeats = i % 6 < 3 && !is_planned;
        struct shw_trainer_params own;
        uint64_t expected;
        bool finished;
        params.pixels_per_image = i % 6 == 1 ? 70 : SHW_PIXELS_ALL;
        params.same_samples = i % 6 == 1;
        params.images_percent = i % 6 == 3 ? 60 : 100;
        params.replacement = i % 6 == 4;
        params.folds = i % 6 == 5 ? 2 : 0;
        params.sampling = is_planned   ? SHW_SAMPLING_CLASS_UNIFORM
                          : i % 6 == 2 ? SHW_SAMPLING_BALANCED
                                       : SHW_SAMPLING_UNIFORM;
        params.mirror = i % 4 == 0 ? SHW_MIRROR_IMAGES : i % 4 == 1 ? SHW_MIRROR_PAIRED : SHW_MIRROR_NONE;
        expected = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
        examples.dataset.user = &examples;
        own = params;
        own.technique = i == 7 ? SHW_TECHNIQUE_BLEND : SHW_TECHNIQUE_COMPUTE;
        own.device = testing_device();
        if (trainer == NULL)
            assert_int_equal(shw_trainer_create(&own, &examples.dataset, &trainer), SHW_OK);
        else
            assert_int_equal(shw_trainer_renew(trainer, &own, &examples.dataset), SHW_OK);
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        while (trainer->tree_count < 1)
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_true(trainer->samples.repeats == repeats);
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_true((trainer->builder.origin == SHW_SAMPLES_REPEATED) == repeats);
        assert_true(testing_grow(trainer) == expected);
        assert_int_equal(shw_trainer_renew(trainer, &own, &examples.dataset), SHW_OK);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(trainer->builder.origin, SHW_SAMPLES_REDRAWN);
        assert_true(testing_grow(trainer) == expected);
    }
    shw_trainer_destroy(&trainer);
    assert_int_equal(examples.held, 0);
    testing_examples_free(&examples);
    testing_device_check();
}

/* Where channels are exactly those of the mirror image, every pixel and its twin are what the mirror image adds: with
 * all pixels, paired flipping must give the forest of doubled images. Few of them have labels, so that tests look far
 * beyond them. */
TESTING_CASE(pairs_are_like_mirror_images)
{
    static const char *const lists[] = {"rgb", "gauss:1,log:2,dy:2,abs-log:1,abs-dy:4,position", "lab,dt,position"};
    struct testing_examples_params examples_params = {.seed = 71, .void_percent = 60};
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    for (uint32_t number = 0; shw_feature_type_get(number) != NULL; number++)
        for (uint32_t i = 0; i < 3; i++) {
            struct shw_trainer_params params = testing_training;
            char channels[80];
            uint64_t doubled, alone;
            params.feature = shw_feature_type_get(number);
            snprintf(channels, sizeof channels, "%s%s", params.feature->reads_depth ? "depth,height," : "", lists[i]);
            params.channels = channels;
            params.pixels_per_image = SHW_PIXELS_ALL;
            params.thresholds = i == 0 ? SHW_THRESHOLDS_RANDOM : SHW_THRESHOLDS_BEST;
            params.single_percent = 20;
            params.weighting = i == 1 ? SHW_WEIGHTING_INVERSE : SHW_WEIGHTING_NONE;
            params.offset_max = 40;
            params.ferns = i == 2;
            alone = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
            params.mirror = SHW_MIRROR_IMAGES;
            doubled = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
            assert_true(doubled != alone);
            params.mirror = SHW_MIRROR_PAIRED;
            if (testing_train(params, &examples, SHW_TECHNIQUE_CPU) != doubled)
                fail_msg("%s with %s: paired flipping gives another forest than doubled images", params.feature->name,
                         channels);
            if (i > 0)
                continue;
            params.channels = params.feature->reads_depth ? "depth,dx:2,dt-gradient,position" : "dx:2,position,rgb";
            same("pairs", number, &params, &examples, number % 3 == 1 && testing_is_slow());
        }
    testing_examples_free(&examples);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
