/* What a calibration makes of its numbers, against an exhaustive oracle. */
#include "testing/testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "testing/random_forest.h"

enum { CPU = SHW_TECHNIQUE_CPU, FRAGMENT = SHW_TECHNIQUE_FRAGMENT, COMPUTE = SHW_TECHNIQUE_COMPUTE };

static struct shw_cost random_cost(struct testing_random *random, uint32_t missing_percent)
{
    return (struct shw_cost){.measured = testing_random_below(random, 100) >= missing_percent,
                             .fixed_ms = 1e-3 * testing_random_below(random, 400),
                             .unit_ns = 1e-3 * testing_random_below(random, 3000)};
}

static struct shw_calibration random_calibration(struct testing_random *random, uint32_t missing_percent)
{
    struct shw_calibration calibration = {.version = SHW_CALIBRATION_VERSION,
                                          .threads = 1 + testing_random_below(random, 4)};

    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        for (int t = CPU; t <= (int)COMPUTE; t++)
            calibration.stages[s][t] = random_cost(random, missing_percent);
    for (uint32_t h = 0; h < SHW_HAND_OVER_COUNT; h++)
        calibration.hand_overs[h] = random_cost(random, missing_percent / 2);
    calibration.frame_count = testing_random_below(random, 5);
    for (uint32_t f = 0; f < calibration.frame_count; f++) {
        struct shw_calibration_frame *frame = &calibration.frames[f];
        for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
            frame->techniques[s] = (enum shw_technique)(CPU + (int)testing_random_below(random, 3));
        frame->predicted_ms = 1 + testing_random_below(random, 20);
        frame->measured_ms = 1 + testing_random_below(random, 20);
    }
    return calibration;
}

static struct shw_calibration_work random_work(struct testing_random *random)
{
    return (struct shw_calibration_work){.width = 1 + testing_random_below(random, 2000),
                                         .height = 1 + testing_random_below(random, 2000),
                                         .channel_count = 1 + testing_random_below(random, 20),
                                         .tree_count = 1 + testing_random_below(random, 9),
                                         .visits = 1 + testing_random_below(random, 100),
                                         .class_count = 1 + testing_random_below(random, 60),
                                         .outputs = 1 + testing_random_below(random, 15),
                                         .threads = testing_random_below(random, 3),
                                         .recorded = testing_random_below(random, 3) == 0};
}

static double of(struct shw_cost cost, double units)
{
    return cost.measured ? cost.fixed_ms + units * cost.unit_ns / 1e6 : INFINITY;
}

/* Planes follow their way step by step: where they are, and where they must be. */
static double carry(const struct shw_calibration *calibration, int from, int to, double bytes)
{
    const struct shw_cost *costs = calibration->hand_overs;
    enum {
        HOST,
        BUFFER,
        IMAGE
    } place = from == CPU       ? HOST
              : from == COMPUTE ? BUFFER
                                : IMAGE,
      aim = to == CPU       ? HOST
            : to == COMPUTE ? BUFFER
                            : IMAGE;
    double ms = 0;

    if (place == aim)
        return 0;
    if (place == HOST) {
        ms += of(costs[SHW_HAND_OVER_UPLOAD], bytes);
        place = BUFFER;
    }
    if (place == IMAGE) {
        ms += of(costs[SHW_HAND_OVER_TO_BUFFER], bytes);
        place = BUFFER;
    }
    if (aim == HOST)
        ms += of(costs[SHW_HAND_OVER_DOWNLOAD], bytes) + of(costs[SHW_HAND_OVER_SUBMISSION], 0);
    if (aim == IMAGE)
        ms += of(costs[SHW_HAND_OVER_TO_IMAGE], bytes);
    return ms;
}

static double oracle(const struct shw_calibration *calibration, const struct shw_calibration_work *work,
                     const int techniques[3])
{
    double pixels = (double)work->width * work->height, planes = pixels * work->channel_count, ms = 0, ratio = 0;
    bool classes = (work->outputs & (SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION)) != 0;
    double units[3] = {planes, planes,
                       pixels * work->visits + (classes ? pixels * work->tree_count * work->class_count / 16 : 0)};
    double integrals = 4.0 * (work->width + 1) * (work->height + 1) * work->channel_count;
    double results = pixels * 4 * (work->outputs == SHW_OUTPUT_TREE_LEAF ? 1 : work->tree_count);

    results += (work->outputs & SHW_OUTPUT_DISTRIBUTION) != 0 ? pixels * 2 * work->class_count : 0;
    results += (work->outputs & SHW_OUTPUT_ARGMAX) != 0 ? pixels * 2 : 0;
    for (int s = 0; s < 3; s++) {
        double slower = techniques[s] == CPU && work->threads > 0 ? (double)calibration->threads / work->threads : 1;
        if (work->recorded && techniques[s] == CPU)
            return INFINITY;
        ms += slower * of(calibration->stages[s][techniques[s]], units[s]);
    }
    ms += carry(calibration, techniques[0], techniques[1], 2 * planes) +
          carry(calibration, techniques[1], techniques[2], integrals);
    if (work->recorded)
        return ms;
    if (techniques[0] != CPU)
        ms += of(calibration->hand_overs[SHW_HAND_OVER_SOURCE], pixels);
    if (techniques[2] != CPU)
        ms += of(calibration->hand_overs[SHW_HAND_OVER_DOWNLOAD], results) +
              of(calibration->hand_overs[SHW_HAND_OVER_SUBMISSION], 0);
    for (uint32_t f = 0; f < calibration->frame_count; f++) {
        const struct shw_calibration_frame *frame = &calibration->frames[f];
        if ((int)frame->techniques[0] == techniques[0] && (int)frame->techniques[1] == techniques[1] &&
            (int)frame->techniques[2] == techniques[2])
            return ms * frame->measured_ms / frame->predicted_ms;
        ratio = fmax(ratio, frame->measured_ms / frame->predicted_ms);
    }
    return ms * (calibration->frame_count > 0 ? ratio : 1);
}

static bool about(double a, double b)
{
    return (isinf(a) && isinf(b)) || fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

TESTING_CASE(choices_are_the_best_of_all)
{
    struct testing_random random = {11};
    unsigned found = 0, none = 0, mixed = 0;

    for (int round = 0; round < 4000; round++) {
        struct shw_calibration calibration = random_calibration(&random, round % 4 == 0 ? 40 : 0);
        struct shw_calibration_work work = random_work(&random);
        enum shw_technique chosen[3] = {SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_AUTO};
        uint32_t allowed[3];
        double best = INFINITY;
        bool any;

        for (int s = 0; s < 3; s++)
            allowed[s] = testing_random_below(&random, 4) == 0 ? 1u << (1 + testing_random_below(&random, 3)) : 14;
        for (int m = 0; m < 27; m++) {
            const int techniques[3] = {1 + m / 9, 1 + m / 3 % 3, 1 + m % 3};
            const enum shw_technique mixture[3] = {(enum shw_technique)techniques[0], (enum shw_technique)techniques[1],
                                                   (enum shw_technique)techniques[2]};
            double ms = oracle(&calibration, &work, techniques);
            assert_true(about(shw_calibration_predict(&calibration, &work, mixture), ms));
            if ((allowed[0] >> techniques[0] & allowed[1] >> techniques[1] & allowed[2] >> techniques[2] & 1) != 0)
                best = fmin(best, ms);
        }
        any = shw_calibration_choose(&calibration, &work, allowed, chosen);
        assert_int_equal(any, !isinf(best));
        if (any) {
            for (int s = 0; s < 3; s++)
                assert_true((allowed[s] >> chosen[s] & 1) != 0);
            assert_true(about(shw_calibration_predict(&calibration, &work, chosen), best));
            mixed += chosen[0] != chosen[1] || chosen[1] != chosen[2];
        } else {
            assert_int_equal(chosen[0], SHW_TECHNIQUE_AUTO);
        }
        found += any;
        none += !any;
    }
    assert_true(found > 2500 && none > 100 && mixed > 500);
}

TESTING_CASE(equal_predictions_take_the_first)
{
    struct shw_calibration calibration = {.threads = 1};
    struct shw_calibration_work work = {0};
    const uint32_t all[3] = {14, 14, 14};
    enum shw_technique chosen[3];

    assert_false(shw_calibration_choose(&calibration, &work, all, chosen));
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        for (int t = CPU; t <= (int)COMPUTE; t++)
            calibration.stages[s][t] = (struct shw_cost){true, 1, 0};
    for (uint32_t h = 0; h < SHW_HAND_OVER_COUNT; h++)
        calibration.hand_overs[h].measured = true;
    assert_true(shw_calibration_choose(&calibration, &work, all, chosen));
    assert_true(chosen[0] == SHW_TECHNIQUE_CPU && chosen[1] == SHW_TECHNIQUE_CPU && chosen[2] == SHW_TECHNIQUE_CPU);
    work.recorded = true;
    assert_true(shw_calibration_choose(&calibration, &work, all, chosen));
    assert_true(chosen[0] == SHW_TECHNIQUE_FRAGMENT && chosen[1] == SHW_TECHNIQUE_FRAGMENT &&
                chosen[2] == SHW_TECHNIQUE_FRAGMENT);
}

TESTING_CASE(nonsense_is_never_predicted)
{
    struct testing_random random = {12};
    struct shw_calibration calibration = random_calibration(&random, 0);
    struct shw_calibration_work work = {0};
    const enum shw_technique mixtures[][3] = {{SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU},
                                              {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_BLEND, SHW_TECHNIQUE_CPU},
                                              {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, (enum shw_technique)99}};

    for (int m = 0; m < 3; m++)
        assert_true(isinf(shw_calibration_predict(&calibration, &work, mixtures[m])));
}

TESTING_CASE(training_takes_the_fastest_allowed)
{
    struct shw_calibration calibration = {
        .training_ns = {[SHW_TECHNIQUE_CPU] = 7, [SHW_TECHNIQUE_COMPUTE] = 3, [SHW_TECHNIQUE_BLEND] = 2}};

    assert_int_equal(shw_calibration_choose_training(&calibration, ~0u), SHW_TECHNIQUE_BLEND);
    assert_int_equal(
        shw_calibration_choose_training(&calibration, 1u << SHW_TECHNIQUE_CPU | 1u << SHW_TECHNIQUE_COMPUTE),
        SHW_TECHNIQUE_COMPUTE);
    assert_int_equal(shw_calibration_choose_training(&calibration, 1u << SHW_TECHNIQUE_FRAGMENT), SHW_TECHNIQUE_AUTO);
    calibration.training_ns[SHW_TECHNIQUE_BLEND] = 0;
    assert_int_equal(shw_calibration_choose_training(&calibration, ~0u), SHW_TECHNIQUE_COMPUTE);
}

TESTING_CASE(only_its_own_device_fits)
{
    struct shw_device_description device = {
        .vendor_id = 1, .device_id = 2, .driver_version = 3, .pipeline_cache_uuid = {4}};
    struct shw_calibration right = {.version = SHW_CALIBRATION_VERSION,
                                    .vendor_id = 1,
                                    .device_id = 2,
                                    .driver_version = 3,
                                    .pipeline_cache_uuid = {4}},
                           wrong;

    assert_true(shw_calibration_fits(&right, &device));
#define WRONG(member)                                                                                                  \
    wrong = right;                                                                                                     \
    wrong.member++;                                                                                                    \
    assert_false(shw_calibration_fits(&wrong, &device))
    WRONG(version);
    WRONG(vendor_id);
    WRONG(device_id);
    WRONG(driver_version);
    WRONG(pipeline_cache_uuid[15]);
#undef WRONG
}

TESTING_CASE(work_is_what_the_forest_has)
{
    struct random_forest_params params = {
        .seed = 5, .channels = SHW_CHANNELS_WINN17, .classes = 9, .trees = 3, .depth = 6};
    struct shw_forest *forest = random_forest(&params);
    struct shw_calibration_work work = shw_calibration_work_of(forest, SHW_OUTPUT_DISTRIBUTION);

    assert_true(work.channel_count == 17 && work.tree_count == 3 && work.visits == 18 && work.class_count == 9);
    assert_true(work.outputs == SHW_OUTPUT_DISTRIBUTION && work.width == 640 && work.height == 480 && !work.recorded);
    work = shw_calibration_work_of(forest, SHW_OUTPUT_TREE_LEAF);
    assert_true(work.tree_count == 1 && work.visits == 6);
    shw_forest_destroy(&forest);
}
