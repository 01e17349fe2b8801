/* Training on random images by random settings: every technique makes the same forest, whatever memory, work and
 * threads it has, and also where one goes on from another's checkpoint. */
#include "testing/testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "random_set.h"
#include "testing/device.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "train/histogram_blend.h"
#include "vulkan/device.h"

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};

/* What does not influence the forest. */
struct way {
    enum shw_technique technique;
    uint32_t threads;
    uint64_t memory, work_max;
    uint32_t range; /* the largest storage buffer; 0: the device's own */
    struct shw_blend_limits limits;
};

/* What training comes to. */
struct outcome {
    enum shw_result result;
    uint64_t hash;
    char message[256];
};

static void remember(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct outcome *outcome = user;

    (void)level, (void)item;
    snprintf(outcome->message, sizeof outcome->message, "%s", text);
}

static void random_settings(struct testing_random *random, uint32_t classes, struct shw_trainer_params *params,
                            double *weights)
{
    static const char *const lists[] = {"dt,rgb",           "dx:8,dt-gradient,gauss:1,dt", "winn17", "wide", "lab",
                                        SHW_CHANNELS_WINN16};
    bool few_bins = random_chance(random, 40);

    *params = (struct shw_trainer_params){
        .channels = random_chance(random, 60) ? SHW_CHANNELS_RGB
                                              : lists[testing_random_below(random, sizeof lists / sizeof *lists)],
        .feature = random_feature_type(random),
        .tree_count = 1 + testing_random_below(random, 2),
        .depth = 1 + testing_random_below(random, 6),
        .leaf_max = random_chance(random, 30) ? random_size(random, 20) : 0,
        .candidates = random_size(random, 60),
        .pool = (enum shw_candidate_pool)testing_random_below(random, 2),
        .thresholds = few_bins ? SHW_THRESHOLDS_RANDOM : SHW_THRESHOLDS_BEST,
        .bins = 1 + random_size(random, few_bins ? 20 : 255),
        .score = (enum shw_score)testing_random_below(random, 5),
        .offset_max = random_size(random, 40),
        .single_percent = random_chance(random, 50) ? testing_random_below(random, 101) : 0,
        .pixels_per_image = random_chance(random, 30) ? SHW_PIXELS_ALL : random_size(random, 400),
        .sampling = (enum shw_pixel_sampling)testing_random_below(random, 2),
        .images_percent = random_chance(random, 50) ? 1 + testing_random_below(random, 100) : 100,
        .replacement = random_chance(random, 30),
        .samples_min = random_size(random, 12),
        .weighting = (enum shw_class_weighting)testing_random_below(random, 4),
        .mirror = random_chance(random, 30),
        .seed = testing_random_next(random)};
    params->size_max = random_size(random, params->offset_max < 15 ? 2 * params->offset_max + 1 : 31);
    for (uint32_t c = 0; c < classes; c++)
        weights[c] = 0.25 * random_size(random, 4000);
    if (params->weighting == SHW_WEIGHTING_GIVEN)
        params->class_weights = weights;
    cases_describe(
        " channels %s, feature %s, %u trees, depth %u, leaf_max %u, %u candidates, pool %d, thresholds %d, %u bins, "
        "score %d, offset_max %u, size_max %u, %u %% single, pixels %u, sampling %d, %u %% images, replacement %d, "
        "samples_min %u, weighting %d, mirror %d, seed %" PRIu64 ";",
        params->channels, params->feature->name, params->tree_count, params->depth, params->leaf_max,
        params->candidates, (int)params->pool, (int)params->thresholds, params->bins, (int)params->score,
        params->offset_max, params->size_max, params->single_percent, params->pixels_per_image, (int)params->sampling,
        params->images_percent, params->replacement, params->samples_min, (int)params->weighting, params->mirror,
        params->seed);
}

static struct way random_way(struct testing_random *random, enum shw_technique technique)
{
    static const uint64_t work[] = {1, 500, 20000, 300000, 0};
    struct way way = {.technique = technique,
                      .threads = 1 + testing_random_below(random, 3),
                      .work_max = work[testing_random_below(random, 5)],
                      .limits = {SHW_BLEND_POINTS, UINT32_MAX, SHW_BLEND_BYTES, false}};

    if (random_chance(random, 80))
        way.memory = (uint64_t)(100000 + testing_random_below(random, 100000)) << testing_random_below(random, 5);
    if (random_chance(random, 30))
        way.range = 32768 + testing_random_below(random, 200000);
    if (random_chance(random, 40))
        way.limits = (struct shw_blend_limits){50 + random_size(random, 5000), 64u << testing_random_below(random, 3),
                                               4096 + testing_random_below(random, 200000), false};
    return way;
}

static struct shw_trainer *begin(const struct shw_trainer_params *settings, const struct way *way,
                                 const struct random_set *set, struct outcome *outcome)
{
    struct shw_trainer_params params = *settings;
    struct shw_trainer *trainer = NULL;

    params.technique = way->technique;
    params.device = way->technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    params.threads = way->threads;
    params.memory = way->memory;
    params.work_max = way->work_max;
    params.log = (struct shw_log){.function = remember, .user = outcome, .level = SHW_LOG_ERROR};
    outcome->result = shw_trainer_create(&params, &set->dataset, &trainer);
    if (trainer != NULL)
        trainer->blend_limits = &way->limits;
    return trainer;
}

static void go_on(struct shw_trainer *trainer, uint32_t rounds, struct outcome *outcome)
{
    bool finished = false;

    while (outcome->result == SHW_OK && !finished && rounds-- > 0)
        outcome->result = shw_trainer_step(trainer, &finished);
}

/* Trains, and after some rounds, if `next` is not NULL, goes on another way from a checkpoint. */
static struct outcome train_once(const struct shw_trainer_params *settings, const struct way *way,
                                 const struct way *next, uint32_t rounds, const struct random_set *set)
{
    const char *path = testing_path("checkpoint.ktx2");
    struct outcome outcome = {.result = SHW_OK};
    struct shw_trainer *trainer = begin(settings, way, set, &outcome);
    struct shw_forest *forest = NULL;

    if (next != NULL) {
        go_on(trainer, rounds, &outcome);
        if (outcome.result == SHW_OK)
            outcome.result = shw_trainer_save(trainer, path);
        shw_trainer_destroy(&trainer);
        if (outcome.result != SHW_OK)
            return outcome;
        trainer = begin(settings, next, set, &outcome);
        if (outcome.result == SHW_OK)
            outcome.result = shw_trainer_load(trainer, path);
    }
    go_on(trainer, UINT32_MAX, &outcome);
    if (outcome.result == SHW_OK)
        outcome.result = shw_trainer_get_forest(trainer, &forest);
    if (outcome.result == SHW_OK)
        outcome.hash = shw_forest_hash(forest);
    shw_forest_destroy(&forest);
    shw_trainer_destroy(&trainer);
    return outcome;
}

/* More memory where that is what is missing, else larger buffers, too. */
static void widen(struct way *way, bool memory_only)
{
    way->memory += way->memory / 4;
    if (!memory_only)
        way->range += way->range / 4;
}

/* With as much more as it takes, where memory or buffers are too small: what fits barely is what is to be tested. */
static struct outcome train(const struct shw_trainer_params *settings, struct way way, struct way *next,
                            uint32_t rounds, const struct random_set *set)
{
    uint32_t *range = &testing_device()->properties.limits.maxStorageBufferRange, kept = *range;
    struct outcome outcome = {.result = SHW_ERROR_LIMIT};

    for (int tries = 0; outcome.result == SHW_ERROR_LIMIT && tries < 60; tries++) {
        uint32_t wanted = next != NULL && next->range > way.range ? next->range : way.range;
        bool memory_only;
        *range = wanted > 0 && wanted < kept ? wanted : kept;
        outcome = train_once(settings, &way, next, rounds, set);
        *range = kept;
        memory_only = strstr(outcome.message, "MiB of device memory") != NULL;
        widen(&way, memory_only);
        if (next != NULL)
            widen(next, memory_only);
    }
    testing_device_check();
    return outcome;
}

static void describe_way(const char *what, const struct way *way)
{
    cases_describe(" %s %s (threads %u, memory %" PRIu64 ", work_max %" PRIu64
                   ", range %u, points %u, side %u, bytes %" PRIu64 ");",
                   what, shw_technique_name(way->technique), way->threads, way->memory, way->work_max, way->range,
                   way->limits.points, way->limits.side, (uint64_t)way->limits.bytes);
}

static void check(const struct outcome *expected, const struct outcome *got)
{
    if (got->result != expected->result)
        fail_msg("%s (%s) instead of %s (%s)", shw_result_string(got->result), got->message,
                 shw_result_string(expected->result), expected->message);
    if (got->hash != expected->hash)
        fail_msg("the forest %016" PRIx64 " instead of %016" PRIx64, got->hash, expected->hash);
}

static void run_case(uint64_t seed)
{
    struct testing_random random = {seed};
    struct shw_trainer_params settings;
    double weights[256];
    struct random_set set;
    struct way plain = {.technique = SHW_TECHNIQUE_CPU, .threads = 1}, ways[2];
    struct outcome expected, got;
    uint32_t rounds;

    random_set_make(&random, &set);
    random_settings(&random, set.dataset.class_count, &settings, weights);
    expected = train(&settings, plain, NULL, 0, &set);
    for (int t = 1; t < 3; t++) {
        ways[0] = random_way(&random, techniques[t]);
        describe_way("by", &ways[0]);
        got = train(&settings, ways[0], NULL, 0, &set);
        check(&expected, &got);
    }
    for (int w = 0; w < 2; w++)
        ways[w] = random_way(&random, techniques[testing_random_below(&random, 3)]);
    rounds = testing_random_below(&random, settings.tree_count * settings.depth + 1);
    describe_way("begun by", &ways[0]);
    describe_way("finished by", &ways[1]);
    cases_describe(" checkpoint after %u rounds", rounds);
    got = train(&settings, ways[0], &ways[1], rounds, &set);
    check(&expected, &got);
    random_set_free(&set);
}

static void techniques_agree(void **state)
{
    (void)state;
    cases_run(80, run_case);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(techniques_agree, cases_report)};

    return cmocka_run_group_tests(tests, NULL, testing_device_teardown);
}
