/* A calibration: stages, training rounds and whole frames, as far as time permits. */
#include "dense/calibration/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>
#include <shadewood/train.h>

#include "base/log.h"
#include "dense/pipeline/choice.h"
#include "vulkan/device.h"

#define IMAGES          4u
#define PIXELS_FEW      500u
#define CANDIDATES_FEW  60u
#define CANDIDATES_MANY 1000u /* and all pixels, so that a device is fully used */

/* Pieces of the image, as large as the small frame, below each other. */
struct set {
    struct shw_dataset dataset;
    const struct shw_calibrator *calibrator;
    uint16_t *labels; /* piece by piece */
};

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    static const char *const names[IMAGES] = {"0", "1", "2", "3"};
    const struct set *set = user;
    const struct shw_image *piece = &set->calibrator->frames[0].image;

    *example = (struct shw_labelled_image){
        .name = names[index], .image = *piece, .labels = set->labels + (size_t)index * piece->width * piece->height};
    example->image.pixels = set->calibrator->pixels + index * piece->height * piece->stride;
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

static enum shw_result make_set(const struct shw_calibrator *calibrator, struct set *set)
{
    const struct shw_image *piece = &calibrator->frames[0].image;
    size_t width = piece->stride / 3, rows = IMAGES * (size_t)piece->height;

    *set = (struct set){.calibrator = calibrator, .labels = malloc(rows * piece->width * sizeof *set->labels)};
    if (set->labels == NULL)
        return shw_fail_memory(&calibrator->log, "a calibration");
    for (size_t y = 0; y < rows; y++)
        memcpy(set->labels + y * piece->width, calibrator->labels + y * width, piece->width * sizeof *set->labels);
    set->dataset = (struct shw_dataset){.count = IMAGES,
                                        .class_count = SHW_CALIBRATE_CLASSES,
                                        .user = set,
                                        .read = read_example,
                                        .release = release_example};
    return SHW_OK;
}

struct rounds {
    uint32_t candidates;
    double ns; /* per response, in the fastest round; 0: none yet */
};

/* Rounds with one open node also draw the tree's samples. */
static bool note(void *user, const struct shw_train_progress *progress)
{
    struct rounds *rounds = user;
    double ns = 1e9 * progress->round_seconds / ((double)progress->round_samples * rounds->candidates);

    if (progress->depth > 0 && (rounds->ns == 0 || ns < rounds->ns))
        rounds->ns = ns;
    return true;
}

static enum shw_result train(struct shw_calibrator *calibrator, const struct set *set, enum shw_technique technique,
                             bool few)
{
    struct rounds rounds = {.candidates = few ? CANDIDATES_FEW : CANDIDATES_MANY};
    struct shw_trainer_params params = {.tree_count = 2,
                                        .depth = 2,
                                        .candidates = rounds.candidates,
                                        .offset_max = 40,
                                        .pixels_per_image = few ? PIXELS_FEW : SHW_PIXELS_ALL,
                                        .device = technique != SHW_TECHNIQUE_CPU ? calibrator->device : NULL,
                                        .technique = technique,
                                        .threads = shw_thread_pool_size(calibrator->pool),
                                        .progress = note,
                                        .progress_user = &rounds,
                                        .log = calibrator->log};
    struct shw_forest *forest = NULL;
    double begin = shw_clock();
    enum shw_result result = shw_train(&params, &set->dataset, &forest);

    if (result == SHW_OK)
        calibrator->result->training_ns[technique] = rounds.ns;
    shw_forest_destroy(&forest);
    shw_calibrate_step(calibrator, begin);
    return shw_calibrate_is_missing(result) ? SHW_OK : result;
}

static enum shw_result measure_training(struct shw_calibrator *calibrator, enum shw_technique technique)
{
    bool few = technique == SHW_TECHNIQUE_CPU || calibrator->is_cpu;
    struct shw_device_description description;
    struct set set;
    enum shw_result result;

    shw_device_describe(calibrator->device, &description);
    if (technique == SHW_TECHNIQUE_BLEND && (!description.has_graphics || !description.blends_r32_sfloat))
        return SHW_OK;
    result = make_set(calibrator, &set);
    if (result == SHW_OK)
        result = train(calibrator, &set, technique, few);
    free(set.labels);
    return result;
}

/* Whole frames, to compare with the predictions from the parts. */

#define BEST     5    /* combinations, besides those of a single technique */
#define LARGE_MS 12.0 /* the large frame is used if the best combination takes less */

struct mixture {
    enum shw_technique techniques[SHW_STAGE_COUNT];
    double ms;
};

static int by_prediction(const void *a, const void *b)
{
    const struct mixture *left = a, *right = b;

    return (left->ms > right->ms) - (left->ms < right->ms);
}

/* All combinations, by prediction; returns the number of those with all parts measured. */
static uint32_t rank(const struct shw_calibrator *calibrator, const struct shw_calibration_work *work,
                     struct mixture mixtures[27])
{
    uint32_t count = 0;

    for (int m = 0; m < 27; m++) {
        struct mixture *mixture = &mixtures[count];
        mixture->techniques[0] = (enum shw_technique)(SHW_TECHNIQUE_CPU + m / 9);
        mixture->techniques[1] = (enum shw_technique)(SHW_TECHNIQUE_CPU + m / 3 % 3);
        mixture->techniques[2] = (enum shw_technique)(SHW_TECHNIQUE_CPU + m % 3);
        mixture->ms = shw_calibration_sum(calibrator->result, work, mixture->techniques);
        count += isfinite(mixture->ms) ? 1 : 0;
    }
    qsort(mixtures, count, sizeof *mixtures, by_prediction);
    return count;
}

struct frame {
    struct shw_labeller *labeller;
    const struct shw_image *image;
    struct shw_labelling out;
};

static enum shw_result run_frame(void *user)
{
    const struct frame *frame = user;

    return shw_labeller_run(frame->labeller, SHW_COLOUR_IMAGE(*frame->image), &frame->out);
}

static enum shw_result measure_frame(struct shw_calibrator *calibrator, const struct shw_calibrate_frame *at,
                                     const struct mixture *mixture, uint16_t *argmax)
{
    struct shw_labeller_params params = {.forest = calibrator->forest,
                                         .device = calibrator->device,
                                         .outputs = at->work.outputs,
                                         .channels = mixture->techniques[0],
                                         .integrate = mixture->techniques[1],
                                         .evaluate = mixture->techniques[2],
                                         .threads = shw_thread_pool_size(calibrator->pool),
                                         .log = calibrator->log};
    struct frame frame = {.image = &at->image, .out = {.argmax = argmax}};
    struct shw_calibration *calibration = calibrator->result;
    struct shw_calibration_frame *measured = &calibration->frames[calibration->frame_count];
    double begin = shw_clock();
    enum shw_result result;

    SHW_TRY(shw_labeller_create(&params, &frame.labeller));
    SHW_TRY(run_frame(&frame));
    SHW_TRY(shw_calibrate_time(run_frame, &frame, &measured->measured_ms));
    memcpy(measured->techniques, mixture->techniques, sizeof measured->techniques);
    measured->predicted_ms = mixture->ms;
    calibration->frame_count++;

fail:
    shw_labeller_destroy(&frame.labeller);
    shw_calibrate_step(calibrator, begin);
    return shw_calibrate_is_missing(result) ? SHW_OK : result;
}

static enum shw_result measure_frames(struct shw_calibrator *calibrator)
{
    const struct shw_calibrate_frame *at = &calibrator->frames[SHW_CALIBRATE_SIZES - 1];
    struct mixture mixtures[27];
    uint32_t count = rank(calibrator, &at->work, mixtures);
    uint16_t *argmax = malloc((size_t)at->image.width * at->image.height * sizeof *argmax);
    enum shw_result result = SHW_OK;

    if (argmax == NULL)
        return shw_fail_memory(&calibrator->log, "a calibration");
    if (count > 0 && mixtures[0].ms > LARGE_MS) {
        at = &calibrator->frames[0];
        count = rank(calibrator, &at->work, mixtures);
    }
    calibrator->result->work = at->work;
    for (uint32_t m = 0; m < count && shw_calibrate_goes_on(calibrator, SHW_TECHNIQUE_AUTO); m++) {
        const enum shw_technique *techniques = mixtures[m].techniques;
        if (m < BEST || (techniques[0] == techniques[1] && techniques[1] == techniques[2]))
            SHW_TRY(measure_frame(calibrator, at, &mixtures[m], argmax));
    }

fail:
    free(argmax);
    return result;
}

#define MILLISECONDS 700u /* a measurement in progress is completed, so that the total is about a second */

static enum shw_result measure_stages(struct shw_calibrator *calibrator, enum shw_technique technique)
{
    return technique == SHW_TECHNIQUE_CPU ? shw_calibrate_cpu(calibrator) : shw_calibrate_device(calibrator, technique);
}

/* The parts, the most important first, and the share of the time after which each starts nothing new. */
static const struct {
    enum shw_result (*measure)(struct shw_calibrator *calibrator, enum shw_technique technique);
    enum shw_technique technique;
    double end;
} parts[] = {
    {measure_stages, SHW_TECHNIQUE_CPU, 0.3},      {measure_stages, SHW_TECHNIQUE_COMPUTE, 0.5},
    {measure_training, SHW_TECHNIQUE_CPU, 0.6},    {measure_training, SHW_TECHNIQUE_COMPUTE, 0.65},
    {measure_stages, SHW_TECHNIQUE_FRAGMENT, 0.7}, {measure_training, SHW_TECHNIQUE_BLEND, 0.75},
};
#define FRAMES_END 0.9

static enum shw_result measure(struct shw_calibrator *calibrator, double seconds)
{
    SHW_PROPAGATE(shw_calibrate_make_work(calibrator));
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        calibrator->longest = 0;
        calibrator->end = calibrator->begin + parts[p].end * seconds;
        if (parts[p].technique == SHW_TECHNIQUE_FRAGMENT && !calibrator->device->has_graphics)
            continue;
        if (shw_calibrate_goes_on(calibrator, parts[p].technique))
            SHW_PROPAGATE(parts[p].measure(calibrator, parts[p].technique));
    }
    calibrator->longest = 0;
    calibrator->end = calibrator->begin + FRAMES_END * seconds;
    return measure_frames(calibrator);
}

enum shw_result shw_calibrate_abi(uint32_t abi, const struct shw_calibrate_params *params,
                                  struct shw_calibration *calibration)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, calibration);

    struct shw_calibrator calibrator = {
        .device = params->device, .log = params->log, .begin = shw_clock(), .result = calibration};
    double seconds = 1e-3 * (params->milliseconds > 0 ? params->milliseconds : MILLISECONDS);
    struct shw_device_description description;
    enum shw_result result;

    memset(calibration, 0, sizeof *calibration);
    if (params->device == NULL || params->device->own == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a calibration submits work: it needs a device made by shw_device_create()");
    shw_device_describe(params->device, &description);
    calibrator.is_cpu = description.is_cpu;
    calibration->version = SHW_CALIBRATION_VERSION;
    calibration->vendor_id = description.vendor_id;
    calibration->device_id = description.device_id;
    calibration->driver_version = description.driver_version;
    memcpy(calibration->pipeline_cache_uuid, description.pipeline_cache_uuid, sizeof calibration->pipeline_cache_uuid);
    if (shw_thread_pool_create(params->threads, &calibrator.pool) != SHW_OK) {
        result = shw_fail_memory(&params->log, "threads");
        goto fail;
    }
    calibration->threads = shw_thread_pool_size(calibrator.pool);
    SHW_TRY(measure(&calibrator, seconds));
    calibration->milliseconds = 1e3 * (shw_clock() - calibrator.begin);

fail:
    shw_calibrate_free_work(&calibrator);
    shw_thread_pool_destroy(&calibrator.pool);
    return result;
}
