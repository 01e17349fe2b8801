/* Training on random images by random parameters: every technique makes the same forest, whatever memory, work,
 * threads, vector instructions and slices it has, whatever its trainer has trained before, where one goes on from
 * another's checkpoint, and where several work together. */
#include "testing/testing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/integers.h"
#include "random_set.h"
#include "random_training.h"
#include "testing/cases.h"
#include "testing/device.h"
#include "testing/exchange.h"
#include "variants.h"

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

static struct variant any_variant(struct scene *scene)
{
    return random_variant(&scene->random, techniques[testing_random_below(&scene->random, 3)]);
}

static void check_techniques(struct scene *scene)
{
    for (int t = 0; t < 3; t++) {
        struct variant variant = random_variant(&scene->random, techniques[t]);
        describe_variant("by", &variant);
        check(scene, shw_technique_name(techniques[t]), (struct training){.variant_count = 1, .variants = &variant});
    }
}

static void check_resuming(struct scene *scene)
{
    static const char *const names[] = {"saved between rounds", "saved within a round", "cancelled"};
    const struct shw_trainer_params *params = &scene->training.params;
    struct variant variants[3];
    struct training training = {.variant_count = 2 + random_chance(&scene->random, 30),
                                .variants = variants,
                                .handing_over = (enum handing_over)testing_random_below(&scene->random, 3)};

    for (uint32_t w = 0; w < training.variant_count; w++)
        variants[w] = any_variant(scene);
    if (training.handing_over == HAND_OVER_WITHIN_A_ROUND)
        for (uint32_t w = 0; w < training.variant_count; w++)
            variants[w].recorded = variants[w].technique != SHW_TECHNIQUE_CPU;
    training.steps = testing_random_below(&scene->random, params->tree_count * params->depth + 1);
    for (uint32_t w = 0; w < training.variant_count; w++)
        describe_variant(w == 0 ? "begun by" : "resumed by", &variants[w]);
    testing_describe(" %s after %u;", names[training.handing_over], training.steps);
    check(scene, "resumed", training);
}

static void check_workers(struct scene *scene)
{
    uint32_t most = scene->training.params.candidates < 3 ? scene->training.params.candidates : 3;
    struct variant variants[3];
    struct training training = {
        .variant_count = 1 + testing_random_below(&scene->random, most), .variants = variants, .together = true};

    for (uint32_t w = 0; w < training.variant_count; w++) {
        variants[w] = any_variant(scene);
        describe_variant("together by", &variants[w]);
    }
    check(scene, "together", training);
}

static void check_images(struct scene *scene, uint64_t seed)
{
    const struct shw_trainer_params *params = &scene->training.params;
    const struct shw_dataset *dataset = &scene->set.dataset;
    const uint32_t most = shw_min_u32(3, shw_min_u32(params->candidates, dataset->count));
    struct variant variants[3];
    struct training training = {.variants = variants, .together = true, .divide = SHW_DIVIDE_IMAGES};

    if (params->splitter != NULL || dataset->picture_count > 0)
        return;
    scene->random = (struct testing_random){seed ^ 0x1a9e5}; /* the cases of earlier seeds remain what they are */
    training.variant_count = 1 + testing_random_below(&scene->random, most);
    for (uint32_t w = 0; w < training.variant_count; w++) {
        variants[w] = any_variant(scene);
        describe_variant("images divided by", &variants[w]);
    }
    check(scene, "images divided", training);
}

static void run_case(uint64_t seed)
{
    struct scene scene = {.random = {seed}};
    struct variant plain = plain_variant;

    random_set_make(&scene.random, &scene.set);
    random_training_make(&scene.random, scene.set.dataset.class_count, &scene.training);
    scene.device = random_chance(&scene.random, 30) ? testing_device() : testing_device_plain();
    scene.expected = train_by(&(struct training){.params = &scene.training.params,
                                                 .dataset = &scene.set.dataset,
                                                 .device = scene.device,
                                                 .variant_count = 1,
                                                 .variants = &plain});
    check_techniques(&scene);
    check_resuming(&scene);
    if (random_chance(&scene.random, 40))
        check_workers(&scene);
    check_images(&scene, seed);
    random_set_free(&scene.set);
    unsetenv("SHADEWOOD_SIMD");
    cases_run++;
    cases_refused += scene.expected.result != SHW_OK;
}

TESTING_CASE_WITH(techniques_agree, NULL, testing_sweep_teardown)
{
    testing_sweep(&(struct testing_sweep){
        .name = "train", .usual = testing_is_slow() ? 20 : 10, .sanitized = 5, .run = run_case});
    assert_true(cases_refused <= 1 + cases_run / 10); /* or else nothing would be compared */
}

TESTING_FIXTURE(NULL, testing_device_teardown)
