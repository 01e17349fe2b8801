/* Splitters: the same histograms by every technique, and the built-in scores as clients. */
#include "testing/testing.h"

#include "testing/device.h"
#include "testing/examples.h"
#include "testing/splitter.h"
#include "testing/training.h"

/* What a technique hands over, and the forest that comes of it. */
struct seen {
    uint64_t histograms, forest;
    uint32_t calls, unusable;
};

static struct seen watch(struct shw_trainer_params params, struct testing_examples *examples,
                         enum shw_technique technique)
{
    struct testing_watcher watcher;
    struct shw_splitter inner;
    struct seen seen;

    assert_int_equal((params.score == SHW_SCORE_GAIN_RATIO ? shw_splitter_c45 : shw_splitter_id3)(NULL, &inner),
                     SHW_OK);
    testing_watch(&watcher, inner);
    params.score = SHW_SCORE_INFORMATION_GAIN;
    params.splitter = &watcher.splitter;
    seen.forest = testing_train(params, examples, technique);
    seen.histograms = watcher.hash;
    seen.calls = watcher.calls;
    seen.unusable = watcher.unusable;
    shw_splitter_free(&inner);
    return seen;
}

/* By all techniques, and the same forest as by the built-in score. */
static struct seen same(const char *what, uint32_t number, const struct shw_trainer_params *params,
                        struct testing_examples *examples, bool by_blend)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    struct seen cpu = watch(*params, examples, SHW_TECHNIQUE_CPU), other = cpu;

    if (cpu.forest != testing_train(*params, examples, SHW_TECHNIQUE_CPU))
        fail_msg("%s %u: the splitter does not choose what the score does", what, number);
    for (int t = 0; t < 1 + by_blend; t++) {
        other = watch(*params, examples, techniques[t]);
        if (other.histograms != cpu.histograms || other.unusable != cpu.unusable)
            fail_msg("%s %u: %s gives other histograms than cpu", what, number, shw_technique_name(techniques[t]));
        if (other.forest != cpu.forest)
            fail_msg("%s %u: %s gives another forest than cpu", what, number, shw_technique_name(techniques[t]));
        testing_device_check();
    }
    return by_blend ? cpu : other;
}

TESTING_CASE(every_variant_is_the_same)
{
    struct testing_examples_params params = {.seed = 31, .void_percent = 15};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    struct testing_examples examples;
    uint32_t count = testing_training_variants(list), unusable = 0;

    testing_examples_make(&params, &examples);
    for (uint32_t i = 0; i < count; i++)
        if ((i % 2 == 1 && list[i].score == SHW_SCORE_INFORMATION_GAIN && !list[i].ferns) ||
            list[i].score == SHW_SCORE_GAIN_RATIO)
            unusable += same("variant", i, &list[i], &examples, i % 4 == 1).unusable;
    assert_true(unusable > 0);
    testing_examples_free(&examples);
}

/* More than one call can take, on the CPU and, with little memory, on the device; in slices as small as can be. */
TESTING_CASE(many_calls_are_the_same)
{
    struct testing_examples_params examples_params = {.seed = 4, .classes = 700, .width = 60, .height = 50, .count = 2};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct seen by_device;

    testing_examples_make(&examples_params, &examples);
    params.tree_count = 1;
    params.depth = 2;
    params.bins = 256;
    params.candidates = 220;
    params.pixels_per_image = SHW_PIXELS_ALL;
    params.memory = (uint64_t)48 << 20;
    params.work_max = 50000;
    by_device = same("700 classes, depth", params.depth, &params, &examples, false);
    assert_true(by_device.calls > 10);
    testing_examples_free(&examples);
}

TESTING_CASE(every_number_of_bins_is_the_same)
{
    static const uint32_t bins[] = {2, 3, 5, 64};
    struct testing_examples_params examples_params = {.seed = 8, .classes = 7, .width = 40, .height = 31};
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    for (uint32_t i = 0; i < 8; i++) {
        struct shw_trainer_params params = testing_training;
        params.tree_count = 1;
        params.thresholds = (enum shw_threshold_scheme)(i % 2);
        params.bins = bins[i / 2];
        params.score = i % 3 == 0 ? SHW_SCORE_GAIN_RATIO : SHW_SCORE_INFORMATION_GAIN;
        params.weighting = i % 3 == 1 ? SHW_WEIGHTING_INVERSE : SHW_WEIGHTING_NONE;
        params.pixels_per_image = SHW_PIXELS_ALL;
        same("bins", params.bins, &params, &examples, i < 4);
    }
    testing_examples_free(&examples);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
