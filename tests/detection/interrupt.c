/* Labelling and detection that are interrupted: they end with CANCELLED, whatever stage they have come to, and nothing
 * that follows is done. */
#include "testing/labelling.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

#include "detection/detect/detector.h"
#include "testing/cascades.h"
#include "testing/random_forest.h"

enum { WIDTH = 70, HEIGHT = 50, PIXELS = WIDTH * HEIGHT };

struct interruption {
    struct shw_labeller *labeller;
    unsigned calls;
};

/* A stage on the host that has nothing right to say, and somebody who wants no more of it. */
static enum shw_result interrupt(void *user, const struct shw_stage_host_frame *frame)
{
    struct interruption *interruption = user;

    (void)frame;
    interruption->calls++;
    shw_labeller_interrupt(interruption->labeller);
    return SHW_OK;
}

static struct shw_forest *make_forest(void)
{
    struct random_forest_params params = {.seed = 3, .classes = 4, .trees = 3, .depth = 5, .split_percent = 90};

    return random_forest(&params);
}

static void check_cancelled(struct shw_labeller *labeller, const struct testing_log *memory)
{
    struct testing_random random = {1};
    struct shw_image image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0);
    uint16_t argmax[PIXELS], before[PIXELS];
    struct shw_labelling out = {.argmax = argmax};

    memset(argmax, 0x5a, sizeof argmax);
    memcpy(before, argmax, sizeof before);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &out), SHW_ERROR_CANCELLED);
    assert_int_equal(memory->last_item, SHW_LOG_PROGRESS);
    assert_memory_equal(argmax, before, sizeof before);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &out), SHW_ERROR_CANCELLED); /* and for ever */
    assert_memory_equal(argmax, before, sizeof before);
    free((void *)(uintptr_t)image.pixels);
}

static void check_stage(enum shw_stage stage)
{
    struct interruption interruption = {0};
    const struct shw_stage_technique custom = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                               .name = "unwilling",
                                               .stage = stage,
                                               .form = SHW_PLANES_HOST,
                                               .run = interrupt,
                                               .user = &interruption};
    struct testing_log memory;
    struct shw_forest *forest = make_forest();
    struct shw_labeller_params params = {.forest = forest,
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .threads = 3,
                                         .log = testing_log(&memory)};

    params.custom[stage] = &custom;
    *(stage == SHW_STAGE_CHANNELS ? &params.channels : &params.integrate) = SHW_TECHNIQUE_CUSTOM;
    assert_int_equal(shw_labeller_create(&params, &interruption.labeller), SHW_OK);
    check_cancelled(interruption.labeller, &memory);
    assert_int_equal(interruption.calls, 1);
    shw_labeller_destroy(&interruption.labeller);
    shw_forest_destroy(&forest);
}

TESTING_CASE(stages_that_follow_are_left_out)
{
    check_stage(SHW_STAGE_CHANNELS);
    check_stage(SHW_STAGE_INTEGRATE);
}

TESTING_CASE(what_has_not_begun_does_not_begin)
{
    struct testing_log memory;
    struct shw_forest *forest = make_forest();
    struct shw_labeller_params params = {.forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .log = testing_log(&memory)};
    struct shw_labeller *labeller = NULL;

    for (uint32_t threads = 1; threads < 4; threads++) {
        params.threads = threads;
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        shw_labeller_interrupt(labeller);
        check_cancelled(labeller, &memory);
        shw_labeller_destroy(&labeller);
    }
    shw_forest_destroy(&forest);
}

static struct shw_cascade *make_cascade(void)
{
    const struct random_cascade_params params = {.seed = 6,
                                                 .kind = SHW_CASCADE_PIXELS,
                                                 .planes = {.shrink = 1},
                                                 .window_width = 6,
                                                 .window_height = 6,
                                                 .stages = 4,
                                                 .pass_percent = 90};

    return random_cascade(&params);
}

struct detecting {
    struct shw_detector *detector;
    struct shw_image image;
    atomic_uint runs;
    enum shw_result result;
};

/* Runs until that fails. */
static void *detect(void *user)
{
    struct detecting *detecting = user;
    struct shw_detections found = {0};

    while ((detecting->result = shw_detector_run(detecting->detector, &detecting->image, &found)) == SHW_OK) {
        free(found.items);
        found = (struct shw_detections){0};
        atomic_fetch_add(&detecting->runs, 1);
    }
    assert_null(found.items);
    return NULL;
}

/* From another thread, wherever the detector is. */
TESTING_CASE(detectors_are_interrupted)
{
    struct testing_random random = {1};
    struct shw_cascade *cascade = make_cascade();

    for (uint32_t threads = 1; threads < 4; threads++) {
        struct testing_log memory;
        const struct shw_detector_params params = {
            .cascade = cascade, .technique = SHW_TECHNIQUE_CPU, .threads = threads, .log = testing_log(&memory)};
        struct detecting detecting = {.image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0)};
        pthread_t thread;

        assert_int_equal(shw_detector_create(&params, &detecting.detector), SHW_OK);
        assert_int_equal(pthread_create(&thread, NULL, detect, &detecting), 0);
        while (atomic_load(&detecting.runs) == 0)
            sched_yield();
        shw_detector_interrupt(detecting.detector);
        pthread_join(thread, NULL);
        assert_int_equal(detecting.result, SHW_ERROR_CANCELLED);
        assert_int_equal(memory.last_item, SHW_LOG_PROGRESS);
        shw_detector_destroy(&detecting.detector);
        free((void *)(uintptr_t)detecting.image.pixels);
    }
    shw_cascade_destroy(&cascade);
}

/* The technique itself tests no window any more. */
TESTING_CASE(detection_stops_within_an_image)
{
    struct testing_random random = {1};
    struct shw_cascade *cascade = make_cascade();
    struct shw_detector_params params = {.cascade = cascade};
    struct shw_image image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0);
    uint64_t survivors[5], before;

    assert_int_equal(shw_scan_resolve(cascade, NULL, &params.scan), SHW_OK);
    for (params.threads = 1; params.threads < 4; params.threads++) {
        struct shw_detections found[2] = {{0}};
        void *technique = NULL;

        assert_int_equal(shw_detect_cpu.create(&params, &technique), SHW_OK);
        assert_int_equal(shw_detect_cpu.run(technique, &image, &found[0]), SHW_OK);
        shw_detect_cpu.get_survivors(technique, survivors);
        before = survivors[0];
        assert_true(before > 1000);
        assert_true(found[0].count > 0);
        shw_detect_cpu.interrupt(technique);
        assert_int_equal(shw_detect_cpu.run(technique, &image, &found[1]), SHW_OK);
        shw_detect_cpu.get_survivors(technique, survivors);
        assert_true(survivors[0] == before);
        assert_int_equal(found[1].count, 0);
        shw_detect_cpu.destroy(technique);
        free(found[0].items);
    }
    free((void *)(uintptr_t)image.pixels);
    shw_cascade_destroy(&cascade);
}
