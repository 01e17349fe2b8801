/* Training as a whole: what every parameter does, and that threads change nothing. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/grow/tree_builder.h"
#include "testing/examples.h"
#include "testing/training.h"

static struct shw_forest *train(const struct shw_trainer_params *params, const struct testing_examples *examples)
{
    struct testing_log memory;
    struct shw_trainer_params with_log = *params;
    struct shw_forest *forest = NULL;

    with_log.log = testing_log(&memory);
    assert_int_equal(shw_train(&with_log, &examples->dataset, &forest), SHW_OK);
    assert_int_equal(memory.errors, 0);
    assert_non_null(forest);
    assert_int_equal(examples->held, 0);
    return forest;
}

static uint64_t hash_of(const struct shw_trainer_params *params, const struct testing_examples *examples)
{
    struct shw_forest *forest = train(params, examples);
    uint64_t hash = shw_forest_hash(forest);

    shw_forest_destroy(&forest);
    return hash;
}

static struct testing_examples some_examples(void)
{
    struct testing_examples_params params = {.seed = 31, .void_percent = 15};
    static struct testing_examples examples;

    testing_examples_make(&params, &examples);
    return examples;
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, every_parameter_changes_the_forest)
{
    struct testing_examples examples = some_examples();
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    uint64_t hashes[TESTING_VARIANTS_MAX];
    uint32_t count = testing_training_variants(list);

    examples.dataset.user = &examples;
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = hash_of(&list[i], &examples);
        for (uint32_t j = 0; j < i; j++)
            if (hashes[i] == hashes[j])
                fail_msg("variants %u and %u give the same forest", j, i);
    }
    testing_examples_free(&examples);
}

TESTING_CASE(threads_change_nothing)
{
    struct testing_examples examples = some_examples();
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    uint32_t count = testing_training_variants(list);

    examples.dataset.user = &examples;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash;
        list[i].threads = 1;
        hash = hash_of(&list[i], &examples);
        list[i].threads = 4 + i % 5;
        assert_true(hash == hash_of(&list[i], &examples));
    }
    examples.dataset.single_threaded = true;
    list[0].threads = 3;
    assert_true(hash_of(&testing_training, &examples) == hash_of(&list[0], &examples));
    testing_examples_free(&examples);
}

/* Nodes large enough to be binned while they are read (8192 samples; with sanitizers, the root alone), and more
 * candidates than are taken at a time (384). */
TESTING_CASE(large_nodes_and_many_candidates)
{
    struct testing_examples_params of_examples = {
        .seed = 32, .count = 3, .width = TESTING_SANITIZED ? 40 : 90, .height = 70};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    uint64_t hash;

    testing_examples_make(&of_examples, &examples);
    params.tree_count = 1;
    params.depth = TESTING_SANITIZED ? 2 : 3;
    params.candidates = 400;
    params.pixels_per_image = SHW_PIXELS_ALL;
    for (int scheme = 0; scheme < 2; scheme++) {
        params.thresholds = (enum shw_threshold_scheme)scheme;
        params.threads = 1;
        hash = hash_of(&params, &examples);
        params.threads = 5;
        assert_true(hash == hash_of(&params, &examples));
    }
    testing_examples_free(&examples);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, defaults_are_complete)
{
    struct testing_examples examples = some_examples();
    struct shw_trainer_params params = {0};
    struct shw_forest *forest;

    examples.dataset.user = &examples;
    forest = train(&params, &examples);
    assert_string_equal(shw_forest_get_info(forest)->channels, SHW_CHANNELS_WINN16);
    assert_ptr_equal(shw_forest_get_info(forest)->feature, &shw_feature_mean_difference);
    assert_int_equal(shw_forest_get_info(forest)->tree_count, 8);
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);
}

/* The class counts of all labelled pixels that reach each leaf of the first tree, by labelling the training images. */
static uint64_t *count_leaves(const struct shw_forest *forest, const struct testing_examples *examples)
{
    uint32_t classes = examples->dataset.class_count;
    uint64_t *counts = calloc((size_t)shw_forest_get_tree(forest, 0).leaf_count * classes, sizeof *counts);
    struct shw_labeller_params params = {.forest = forest,
                                         .outputs = SHW_OUTPUT_TREE_LEAF,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .threads = 1};
    struct shw_labeller *labeller;

    assert_non_null(counts);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    for (uint32_t i = 0; i < examples->dataset.count; i++) {
        const struct testing_example *example = &examples->examples[i];
        struct shw_image image = {example->pixels, example->width, example->height, 0, SHW_PIXEL_RGB8};
        uint32_t *leaves = malloc((size_t)example->width * example->height * sizeof *leaves);
        struct shw_labelling labelling = {.tree_leaf = leaves};
        assert_non_null(leaves);
        assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &labelling), SHW_OK);
        for (uint32_t p = 0; p < example->width * example->height; p++)
            if (example->labels[p] != SHW_LABEL_VOID)
                counts[(size_t)leaves[p] * classes + example->labels[p]]++;
        free(leaves);
    }
    shw_labeller_destroy(&labeller);
    return counts;
}

/* Evaluation brings the training samples to the leaves that training put them in: distributions are those of the
 * samples. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, leaves_hold_their_samples)
{
    struct testing_examples examples = some_examples();
    uint32_t classes = examples.dataset.class_count;

    examples.dataset.user = &examples;
    for (uint32_t round = 0; round < 6; round++) {
        struct shw_trainer_params params = testing_training;
        struct shw_forest *forest;
        uint64_t *counts;
        params.channels = round % 2 == 0 ? SHW_CHANNELS_WIDE : SHW_CHANNELS_LAB;
        params.feature = round % 3 == 0 ? &shw_feature_sum_difference : &shw_feature_mean_difference;
        params.thresholds = round < 3 ? SHW_THRESHOLDS_BEST : SHW_THRESHOLDS_RANDOM;
        params.pixels_per_image = SHW_PIXELS_ALL;
        params.samples_min = 3 + 4 * round;
        params.tree_count = 1;
        params.single_percent = 25;
        forest = train(&params, &examples);
        assert_true(shw_forest_get_tree(forest, 0).leaf_count > 8);
        counts = count_leaves(forest, &examples);
        for (uint32_t leaf = 0; leaf < shw_forest_get_tree(forest, 0).leaf_count; leaf++) {
            const uint16_t *distribution = shw_forest_get_distribution(forest, 0, leaf);
            uint64_t all = 0;
            for (uint32_t c = 0; c < classes; c++)
                all += counts[leaf * classes + c];
            assert_true(all >= params.samples_min);
            for (uint32_t c = 0; c < classes; c++) {
                uint64_t floor = counts[leaf * classes + c] * 65535 / all;
                assert_true(distribution[c] == floor || distribution[c] == floor + 1);
            }
        }
        free(counts);
        shw_forest_destroy(&forest);
    }
    testing_examples_free(&examples);
}

/* With weights, a root that is not split shows them. */
TESTING_CASE(weights_scale_counts)
{
    struct testing_examples_params of_examples = {.seed = 33, .count = 1, .equal = true};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    const double given[] = {1, 2.5, 10};
    double counts[3] = {0};

    testing_examples_make(&of_examples, &examples);
    for (uint32_t p = 0; p < 24 * 20; p++)
        counts[examples.examples[0].labels[p]]++;
    params.pixels_per_image = SHW_PIXELS_ALL;
    params.samples_min = 24 * 20;
    for (int w = 0; w < 4; w++) {
        struct shw_forest *forest;
        const uint16_t *distribution;
        double weighted[3], sum = 0;
        params.weighting = (enum shw_class_weighting)w;
        params.class_weights = w == SHW_WEIGHTING_GIVEN ? given : NULL;
        forest = train(&params, &examples);
        assert_int_equal(shw_forest_get_tree(forest, 0).node_count, 1);
        distribution = shw_forest_get_distribution(forest, 0, 0);
        for (int c = 0; c < 3; c++) {
            weighted[c] = w == SHW_WEIGHTING_NONE           ? counts[c]
                          : w == SHW_WEIGHTING_INVERSE_ROOT ? sqrt(counts[c])
                          : w == SHW_WEIGHTING_INVERSE      ? 1
                                                            : counts[c] * given[c];
            sum += weighted[c];
        }
        for (int c = 0; c < 3; c++)
            assert_true(fabs(distribution[c] / 65535.0 - weighted[c] / sum) < 0.003);
        shw_forest_destroy(&forest);
    }
    testing_examples_free(&examples);
}

/* Whatever sampling and weights prefer, a root that is not split shows the classes as frequent as they are in the
 * data. */
TESTING_CASE(the_prior_of_the_data_is_that_of_its_pixels)
{
    struct testing_examples examples = some_examples();
    struct shw_trainer_params params = testing_training;
    uint64_t counts[3] = {0}, all = 0;

    examples.dataset.user = &examples;
    for (uint32_t i = 0; i < examples.dataset.count; i++)
        for (uint32_t p = 0; p < examples.examples[i].width * examples.examples[i].height; p++)
            if (examples.examples[i].labels[p] != SHW_LABEL_VOID) {
                counts[examples.examples[i].labels[p]]++;
                all++;
            }
    params.samples_min = 1u << 20;
    params.prior = SHW_PRIOR_DATA;
    for (uint32_t kind = 0; kind < 12; kind++) {
        struct shw_forest *forest;
        params.sampling = (enum shw_pixel_sampling)(kind % 3);
        params.weighting = kind % 2 == 0 ? SHW_WEIGHTING_NONE : SHW_WEIGHTING_INVERSE;
        params.mirror = kind >= 6;
        params.replacement = kind % 4 == 3;
        forest = train(&params, &examples);
        for (uint32_t c = 0; c < 3; c++)
            assert_in_range(shw_forest_get_distribution(forest, 0, 0)[c], counts[c] * 65535 / all,
                            counts[c] * 65535 / all + 1);
        shw_forest_destroy(&forest);
    }
    testing_examples_free(&examples);
}

/* The shares of a leaf in floating point. */
static void share_plainly(const struct shw_trainer_params *params, uint32_t classes, const uint32_t *counts,
                          const uint32_t *weights, const uint64_t *pixels, const uint64_t *samples, long double *shares)
{
    long double all = 0, sum = 0;

    for (uint32_t c = 0; c < classes; c++)
        all += counts[c];
    for (int bias = (int)params->bias_percent; sum == 0; bias = 0) /* without bias if nothing remains */
        for (uint32_t c = 0; c < classes; c++) {
            long double left = counts[c] - all * bias / 100;
            shares[c] = left <= 1e-9L                        ? 0
                        : params->prior == SHW_PRIOR_SAMPLES ? left * weights[c]
                                                             : left * pixels[c] / samples[c];
            sum += shares[c];
        }
    for (uint32_t c = 0; c < classes; c++)
        shares[c] *= 65535 / sum;
}

TESTING_CASE(leaves_follow_prior_and_bias)
{
    enum { CLASSES = 7 };
    struct testing_random random = {81};
    uint32_t nothing_left = 0, dropped = 0;

    for (uint32_t round = 0; round < 20000; round++) {
        struct shw_trainer_params params = {.prior = (enum shw_leaf_prior)testing_random_below(&random, 2),
                                            .bias_percent = testing_random_below(&random, 4) * 17};
        uint32_t classes = 1 + testing_random_below(&random, CLASSES), counts[CLASSES], weights[CLASSES], sum = 0;
        uint64_t pixels[CLASSES], samples[CLASSES];
        uint16_t distribution[CLASSES];
        long double shares[CLASSES];
        struct shw_leaf_rule rule;

        for (uint32_t c = 0; c < classes; c++) {
            counts[c] = testing_random_below(&random, 3) == 0 ? 0 : testing_random_below(&random, 1u << round % 24);
            samples[c] = counts[c] + testing_random_below(&random, 1000);
            pixels[c] = samples[c] + ((uint64_t)testing_random_below(&random, 1u << round % 31) << 20);
            weights[c] = 1 + testing_random_below(&random, 100);
        }
        counts[0] += 1;
        samples[0] += 1;
        assert_true(shw_leaf_rule_make(&params, classes, weights, pixels, samples, &rule));
        shw_leaf_distribute(&rule, counts, distribution);
        shw_leaf_rule_free(&rule);
        share_plainly(&params, classes, counts, weights, pixels, samples, shares);
        for (uint32_t c = 0; c < classes; c++) {
            assert_true(fabsl(distribution[c] - shares[c]) < 1.001L);
            assert_true(shares[c] > 0 || distribution[c] == 0);
            dropped += shares[c] == 0 && counts[c] > 0;
            sum += distribution[c];
        }
        assert_int_equal(sum, 65535);
        if (params.bias_percent > 0) {
            uint64_t all = 0, most = 0;
            for (uint32_t c = 0; c < classes; c++) {
                all += counts[c];
                most = counts[c] > most ? counts[c] : most;
            }
            nothing_left += 100 * most <= all * params.bias_percent;
        }
    }
    assert_true(nothing_left > 100 && dropped > 100);
}

TESTING_CASE(limits_hold)
{
    struct testing_examples examples = some_examples();
    struct shw_trainer_params params = testing_training;

    examples.dataset.user = &examples;
    params.samples_min = 1;
    for (uint32_t depth = 1; depth < 12; depth += 3) {
        uint32_t unlimited[2] = {0};
        for (uint32_t leaf_max = 0; leaf_max < 40; leaf_max += 13) {
            struct shw_forest *forest;
            params.depth = depth;
            params.leaf_max = leaf_max;
            forest = train(&params, &examples);
            for (uint32_t t = 0; t < 2; t++) {
                struct shw_tree_info tree = shw_forest_get_tree(forest, t);
                assert_true(tree.depth <= depth);
                if (leaf_max == 0)
                    unlimited[t] = tree.leaf_count;
                assert_int_equal(tree.leaf_count, leaf_max == 0 || unlimited[t] < leaf_max ? unlimited[t] : leaf_max);
            }
            shw_forest_destroy(&forest);
        }
    }
    testing_examples_free(&examples);
}

TESTING_CASE(tiny_sets_make_single_leaves)
{
    struct shw_trainer_params params = testing_training;
    uint8_t pixel[3] = {1, 2, 3};
    uint16_t label = 2;
    struct testing_examples_params of_examples = {.seed = 34, .count = 2, .classes = 1};
    struct testing_examples examples;
    struct shw_forest *forest;

    testing_examples_make(&of_examples, &examples); /* one class only */
    forest = train(&params, &examples);
    assert_int_equal(shw_forest_get_tree(forest, 1).node_count, 1);
    assert_int_equal(shw_forest_get_distribution(forest, 1, 0)[0], 65535);
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);

    of_examples.count = 1;
    testing_examples_make(&of_examples, &examples); /* one pixel */
    examples.dataset.class_count = 3;
    free(examples.examples[0].pixels);
    free(examples.examples[0].labels);
    free(examples.examples[0].depths);
    examples.examples[0] = (struct testing_example){.width = 1, .height = 1, .pixels = pixel, .labels = &label};
    params.mirror = true;
    forest = train(&params, &examples);
    assert_int_equal(shw_forest_get_tree(forest, 0).node_count, 1);
    assert_int_equal(shw_forest_get_distribution(forest, 0, 0)[2], 65535);
    shw_forest_destroy(&forest);
    examples.dataset.count = 0;
    testing_examples_free(&examples);
}

struct stopping {
    uint32_t calls, stop_after;
    double fraction, seconds;
    uint64_t responses;
};

static bool watch(void *user, const struct shw_train_progress *progress)
{
    struct stopping *stopping = user;

    assert_true(progress->fraction > stopping->fraction && progress->fraction <= 1);
    assert_true(progress->seconds >= stopping->seconds && progress->responses > stopping->responses);
    assert_true(progress->splits <= progress->open_nodes && progress->samples > 0);
    assert_true(progress->round_samples <= progress->samples && progress->round_seconds <= progress->seconds);
    assert_true(progress->depth > 0 || progress->round_samples == progress->samples);
    assert_true(progress->pass_count == 0); /* on the CPU */
    assert_true((progress->fraction == 1) == (progress->seconds_left == 0));
    assert_true(progress->tree < progress->tree_count && progress->tree_count == 2);
    stopping->fraction = progress->fraction;
    stopping->seconds = progress->seconds;
    stopping->responses = progress->responses;
    return ++stopping->calls != stopping->stop_after;
}

TESTING_CASE(progress_is_told_and_can_stop)
{
    struct testing_examples examples = some_examples();
    struct stopping stopping = {0};
    struct shw_trainer_params params = testing_training;
    struct shw_forest *forest = NULL;
    uint32_t calls;

    examples.dataset.user = &examples;
    params.progress = watch;
    params.progress_user = &stopping;
    assert_int_equal(shw_train(&params, &examples.dataset, &forest), SHW_OK);
    assert_true(stopping.fraction == 1);
    calls = stopping.calls;
    assert_true(calls > 4);
    shw_forest_destroy(&forest);
    for (uint32_t stop = 1; stop < calls; stop += 3) {
        stopping = (struct stopping){.stop_after = stop};
        assert_int_equal(shw_train(&params, &examples.dataset, &forest), SHW_ERROR_CANCELLED);
        assert_null(forest);
        assert_int_equal(stopping.calls, stop);
        assert_int_equal(examples.held, 0);
    }
    testing_examples_free(&examples);
}

TESTING_CASE(stepping_gives_the_same_forest)
{
    struct testing_examples examples = some_examples();
    struct testing_log memory;
    struct shw_trainer_params params = testing_training;
    struct shw_trainer *trainer = NULL;
    struct shw_forest *forest = NULL;
    bool finished = false;
    uint32_t steps = 0;

    examples.dataset.user = &examples;
    params.log = testing_log(&memory);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_ERROR_ARGUMENT);
    for (; !finished; steps++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(memory.count[SHW_LOG_TRAIN_ROUND], steps);
    assert_int_equal(memory.count[SHW_LOG_TRAIN_TREE], 2);
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
    shw_trainer_destroy(&trainer);
    assert_null(trainer);
    shw_trainer_destroy(&trainer);
    shw_trainer_destroy(NULL);
    assert_true(shw_forest_hash(forest) == hash_of(&testing_training, &examples));
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);
}

TESTING_CASE(record_tells_how)
{
    struct testing_examples examples = some_examples();
    struct shw_trainer_params params = testing_training;
    struct shw_forest *forest;
    const char *training;

    examples.dataset.user = &examples;
    params.notes = "{\"by\":\"a test\"}";
    params.seed = 0xfedcba9876543210;
    forest = train(&params, &examples);
    training = shw_forest_get_info(forest)->training;
    for (const char *const *member =
             (const char *const[]){"\"by\":\"a test\"", "\"trees\":2", "\"depth\":6", "\"bins\":8",
                                   "\"seed\":\"18364758544493064720\"", "\"images\":4", "\"samples_min\":2",
                                   "\"score\":\"information-gain\"", "\"thresholds\":\"best\"", NULL};
         *member != NULL; member++)
        if (strstr(training, *member) == NULL)
            fail_msg("no %s in %s", *member, training);
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);
}
