/* Training on random images by random parameters: every technique makes the same forest, whatever memory, work,
 * threads, vector instructions and slices it has, whatever its trainer has trained before, where one goes on from
 * another's checkpoint, and where several work together. */
#include "testing/testing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "random_set.h"
#include "random_training.h"
#include "testing/cases.h"
#include "testing/device.h"
#include "testing/exchange.h"
#include "ways.h"

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};

/* A case, with what `cpu` makes of it. */
struct scene {
    struct testing_random random;
    struct random_set set;
    struct random_training training;
    struct shw_device *device;
    struct outcome expected;
};

static uint32_t cases_run, cases_refused;

static void check(const struct scene *scene, const char *what, struct training training)
{
    struct outcome got;

    training.params = &scene->training.params;
    training.dataset = &scene->set.dataset;
    training.device = scene->device;
    got = train_by(&training);
    testing_device_check();
    if (got.result != scene->expected.result)
        fail_msg("%s: %s (%s) instead of %s (%s)", what, shw_result_string(got.result), got.message,
                 shw_result_string(scene->expected.result), scene->expected.message);
    if (got.hash != scene->expected.hash)
        fail_msg("%s: the forest %016" PRIx64 " instead of %016" PRIx64, what, got.hash, scene->expected.hash);
}

static struct way any_way(struct scene *scene)
{
    return random_way(&scene->random, techniques[testing_random_below(&scene->random, 3)]);
}

static void check_techniques(struct scene *scene)
{
    for (int t = 0; t < 3; t++) {
        struct way way = random_way(&scene->random, techniques[t]);
        describe_way("by", &way);
        check(scene, shw_technique_name(techniques[t]), (struct training){.way_count = 1, .ways = &way});
    }
}

static void check_resuming(struct scene *scene)
{
    static const char *const names[] = {"saved between rounds", "saved within a round", "cancelled"};
    const struct shw_trainer_params *params = &scene->training.params;
    struct way ways[3];
    struct training training = {.way_count = 2 + random_chance(&scene->random, 30),
                                .ways = ways,
                                .handing_over = (enum handing_over)testing_random_below(&scene->random, 3)};

    for (uint32_t w = 0; w < training.way_count; w++)
        ways[w] = any_way(scene);
    if (training.handing_over == HAND_OVER_WITHIN_A_ROUND)
        for (uint32_t w = 0; w < training.way_count; w++)
            ways[w].recorded = ways[w].technique != SHW_TECHNIQUE_CPU;
    training.steps = testing_random_below(&scene->random, params->tree_count * params->depth + 1);
    for (uint32_t w = 0; w < training.way_count; w++)
        describe_way(w == 0 ? "begun by" : "resumed by", &ways[w]);
    testing_describe(" %s after %u;", names[training.handing_over], training.steps);
    check(scene, "resumed", training);
}

static void check_workers(struct scene *scene)
{
    uint32_t most = scene->training.params.candidates < 3 ? scene->training.params.candidates : 3;
    struct way ways[3];
    struct training training = {
        .way_count = 1 + testing_random_below(&scene->random, most), .ways = ways, .together = true};

    for (uint32_t w = 0; w < training.way_count; w++) {
        ways[w] = any_way(scene);
        describe_way("together by", &ways[w]);
    }
    check(scene, "together", training);
}

static void run_case(uint64_t seed)
{
    struct scene scene = {.random = {seed}};
    struct way plain = plain_way;

    random_set_make(&scene.random, &scene.set);
    random_training_make(&scene.random, scene.set.dataset.class_count, &scene.training);
    scene.device = random_chance(&scene.random, 30) ? testing_device() : testing_device_plain();
    scene.expected = train_by(&(struct training){.params = &scene.training.params,
                                                 .dataset = &scene.set.dataset,
                                                 .device = scene.device,
                                                 .way_count = 1,
                                                 .ways = &plain});
    check_techniques(&scene);
    check_resuming(&scene);
    if (random_chance(&scene.random, 40))
        check_workers(&scene);
    random_set_free(&scene.set);
    unsetenv("SHADEWOOD_SIMD");
    cases_run++;
    cases_refused += scene.expected.result != SHW_OK;
}

TESTING_CASE_WITH(techniques_agree, NULL, testing_sweep_teardown)
{
    testing_sweep(&(struct testing_sweep){.name = "train", .usual = 20, .sanitized = 5, .run = run_case});
    assert_true(cases_refused <= 1 + cases_run / 10); /* or else nothing would be compared */
}

TESTING_FIXTURE(NULL, testing_device_teardown)
