#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "train/learning.h"
#include "train/on_device.h"
#include "vulkan/submit.h"

double shw_trainer_clock(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Fills in all that a training begins with, but for what is there already: threads, device memory, images. */
static enum shw_result set_up(struct shw_trainer *trainer, const struct shw_trainer_params *params,
                              const struct shw_dataset *dataset)
{
    enum shw_result result;

    trainer->params = *params;
    trainer->blend_limits = (struct shw_blend_limits){SHW_BLEND_POINTS, UINT32_MAX, SHW_BLEND_BYTES, false};
    trainer->dataset = dataset;
    trainer->start = shw_trainer_clock();
    SHW_TRY(shw_trainer_params_complete(&trainer->params, dataset, &trainer->channels));
    shw_log_message(&params->log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO, "training rounds by %s",
                    shw_technique_name(trainer->params.technique));
    trainer->trees = calloc(trainer->params.tree_count, sizeof *trainer->trees);
    if (params->class_weights != NULL)
        trainer->class_weights = malloc(dataset->class_count * sizeof *trainer->class_weights);
    if (params->notes != NULL)
        trainer->params.notes = trainer->notes = strdup(params->notes);
    if (trainer->trees == NULL || (params->notes != NULL && trainer->notes == NULL) ||
        (params->class_weights != NULL && trainer->class_weights == NULL) ||
        (trainer->pool == NULL && shw_thread_pool_create(params->threads, &trainer->pool) != SHW_OK)) {
        result = shw_fail_memory(&params->log, "a trainer");
        goto fail;
    }
    if (params->class_weights != NULL)
        memcpy(trainer->class_weights, params->class_weights, dataset->class_count * sizeof *trainer->class_weights);

fail:
    trainer->params.class_weights = NULL;
    if (trainer->notes == NULL)
        trainer->params.notes = NULL;
    return result;
}

enum shw_result shw_trainer_create(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                   struct shw_trainer **out)
{
    struct shw_trainer *trainer = calloc(1, sizeof *trainer);
    enum shw_result result =
        trainer != NULL ? set_up(trainer, params, dataset) : shw_fail_memory(&params->log, "a trainer");

    if (result == SHW_OK)
        *out = trainer;
    else
        shw_trainer_destroy(&trainer);
    return result;
}

/* What is the training's own, and not worth keeping for another one. */
static void forget_training(struct shw_trainer *trainer)
{
    shw_trainer_clear(trainer);
    shw_forest_destroy(&trainer->forest);
    free(trainer->class_weights);
    free(trainer->notes);
    free(trainer->trees);
}

enum shw_result shw_trainer_renew(struct shw_trainer *trainer, const struct shw_trainer_params *params,
                                  const struct shw_dataset *dataset)
{
    struct shw_trainer kept;

    if (params->device != trainer->params.device || trainer->in_doubt)
        shw_device_training_destroy(&trainer->device);
    if (trainer->device != NULL)
        shw_device_training_rest(trainer->device);
    if (params->threads != trainer->params.threads)
        shw_thread_pool_destroy(&trainer->pool);
    forget_training(trainer);
    kept = (struct shw_trainer){.pool = trainer->pool,
                                .images = trainer->images,
                                .device = trainer->device,
                                .batch = trainer->batch,
                                .batch_bytes = trainer->batch_bytes};
    *trainer = kept;
    return set_up(trainer, params, dataset);
}

void shw_tree_free(struct shw_tree *tree)
{
    free((void *)(uintptr_t)tree->nodes);
    free((void *)(uintptr_t)tree->distributions);
    *tree = (struct shw_tree){0};
}

void shw_trainer_clear(struct shw_trainer *trainer)
{
    while (trainer->tree_count > 0)
        shw_tree_free(&trainer->trees[--trainer->tree_count]);
    shw_growth_free(&trainer->growth);
    shw_learning_free(&trainer->learning);
}

void shw_trainer_destroy(struct shw_trainer **handle)
{
    struct shw_trainer *trainer = handle != NULL ? *handle : NULL;

    if (trainer == NULL)
        return;
    forget_training(trainer);
    shw_device_training_destroy(&trainer->device);
    shw_train_images_free(&trainer->images);
    shw_thread_pool_destroy(&trainer->pool);
    free(trainer->batch);
    free(trainer);
    *handle = NULL;
}

/* Weights from the classes' frequencies, scaled so that the most frequent class weighs 1; with given ones, the
 * lightest. */
static enum shw_result weigh_classes(struct shw_trainer *trainer)
{
    uint32_t classes = trainer->dataset->class_count;
    const uint64_t *pixels = trainer->images.class_pixels;
    double *weights = trainer->class_weights, least = INFINITY;

    if (trainer->params.weighting == SHW_WEIGHTING_NONE)
        return SHW_OK;
    if (weights == NULL) {
        weights = trainer->class_weights = malloc(classes * sizeof *weights);
        if (weights == NULL)
            return shw_fail_memory(&trainer->params.log, "class weights");
        for (uint32_t c = 0; c < classes; c++) {
            double frequency = pixels[c] > 0 ? (double)pixels[c] : 1;
            weights[c] = 1 / (trainer->params.weighting == SHW_WEIGHTING_INVERSE ? frequency : sqrt(frequency));
        }
    }
    for (uint32_t c = 0; c < classes; c++)
        if (pixels[c] > 0 && weights[c] < least)
            least = weights[c];
    for (uint32_t c = 0; c < classes && isfinite(least); c++)
        weights[c] = pixels[c] > 0 ? weights[c] / least : 1;
    return SHW_OK;
}

/* Integral images for the technique `cpu`: those of the training before, if it had the same images. */
static enum shw_result integrate(struct shw_trainer *trainer, struct shw_train_images *before, bool same)
{
    struct shw_train_images *images = &trainer->images;

    if (!same || before->integrals == NULL)
        return shw_train_images_integrate(&trainer->params, trainer->dataset, trainer->pool, images);
    images->integrals = before->integrals;
    images->integral_count = before->integral_count;
    before->integrals = NULL;
    for (uint32_t i = 0; i < images->count; i++)
        images->images[i].integrals = before->images[i].integrals;
    return SHW_OK;
}

enum shw_result shw_trainer_prepare(struct shw_trainer *trainer)
{
    struct shw_train_images before = trainer->images;
    enum shw_result result = SHW_OK;
    bool same;

    if (trainer->loaded)
        return SHW_OK;
    trainer->in_doubt = true;
    result = shw_train_images_measure(&trainer->params, trainer->dataset, trainer->pool, &trainer->images);
    same = result == SHW_OK && shw_train_images_equal(&before, &trainer->images);
    if (result == SHW_OK && trainer->params.technique == SHW_TECHNIQUE_CPU)
        result = integrate(trainer, &before, same);
    shw_train_images_free(&before);
    if (result != SHW_OK)
        goto fail;
    trainer->simd = shw_simd_level();
    trainer->respond = shw_respond_choose(trainer->params.feature, trainer->images.integral_count, trainer->simd);
    SHW_TRY(weigh_classes(trainer));
    if (trainer->params.technique == SHW_TECHNIQUE_CPU)
        shw_device_training_destroy(&trainer->device);
    else
        SHW_TRY(shw_device_training_renew(&trainer->device, trainer, same));
    trainer->loaded = true;
    trainer->in_doubt = false;

fail:
    return result;
}

struct shw_class shw_dataset_class(const struct shw_dataset *dataset, uint32_t index, char name[SHW_CLASS_NAME_SIZE])
{
    if (dataset->classes != NULL)
        return dataset->classes[index];
    snprintf(name, SHW_CLASS_NAME_SIZE, "class %u", index);
    /* not those of base/class_colour.h: checkpoints tell data sets apart by colours, too, and earlier ones have
     * these */
    return (struct shw_class){.name = name,
                              .colour = {(uint8_t)(index * 67), (uint8_t)(index * 151), (uint8_t)(index * 29)}};
}

enum shw_result shw_trainer_make_forest(const struct shw_trainer *trainer, uint32_t tree_count, const char *record,
                                        struct shw_forest **forest)
{
    struct shw_forest_params params = {.info = {.channels = trainer->params.channels,
                                                .feature = trainer->params.feature,
                                                .class_count = trainer->dataset->class_count,
                                                .tree_count = tree_count,
                                                .training = record},
                                       .trees = trainer->trees,
                                       .log = trainer->params.log};
    uint32_t class_count = params.info.class_count;
    struct shw_class *classes = calloc(class_count, sizeof *classes);
    char(*names)[SHW_CLASS_NAME_SIZE] = calloc(class_count, sizeof *names);
    enum shw_result result;

    if (classes == NULL || names == NULL) {
        result = shw_fail_memory(&trainer->params.log, "class names");
        goto fail;
    }
    for (uint32_t c = 0; c < class_count; c++)
        classes[c] = shw_dataset_class(trainer->dataset, c, names[c]);
    params.info.classes = classes;
    result = shw_forest_create(&params, forest);

fail:
    free(classes);
    free(names);
    return result;
}

enum shw_result shw_trainer_finish(struct shw_trainer *trainer)
{
    char *record = shw_trainer_get_record(trainer);
    enum shw_result result = record != NULL
                                 ? shw_trainer_make_forest(trainer, trainer->tree_count, record, &trainer->forest)
                                 : shw_fail_memory(&trainer->params.log, "the training record");

    free(record);
    trainer->finished = result == SHW_OK;
    return result;
}

/* Until a round is under way: the training set is loaded, a tree begun. */
static enum shw_result begin_round(struct shw_trainer *trainer)
{
    struct shw_growth *growth = &trainer->growth;
    struct shw_round *round = &trainer->round;

    SHW_PROPAGATE(shw_trainer_prepare(trainer));
    round->begin = shw_trainer_clock();
    if (growth->nodes == NULL)
        SHW_PROPAGATE(shw_growth_begin(trainer));
    *round = (struct shw_round){.tree = trainer->tree_count,
                                .depth = growth->depth,
                                .open_nodes = growth->open_count,
                                .tree_samples = growth->samples.count,
                                .begin = round->begin};
    for (uint32_t o = 0; o < growth->open_count; o++)
        round->samples += growth->open[o].count;
    SHW_PROPAGATE(shw_growth_round_begin(trainer));
    if (trainer->params.learner != NULL)
        SHW_PROPAGATE(shw_learning_begin(trainer));
    if (trainer->device != NULL)
        SHW_PROPAGATE(shw_device_round_begin(trainer->device, trainer));
    return SHW_OK;
}

/* Makes the round's splits, and ends tree and forest where they are complete. */
static enum shw_result end_round(struct shw_trainer *trainer, bool *finished)
{
    struct shw_growth *growth = &trainer->growth;
    struct shw_round *round = &trainer->round;

    if (trainer->learning != NULL)
        SHW_PROPAGATE(shw_learning_check(trainer));
    shw_learning_free(&trainer->learning);
    SHW_PROPAGATE(shw_growth_round_end(trainer, &round->splits));
    if (growth->open_count == 0)
        SHW_PROPAGATE(shw_growth_finish(trainer));
    round->seconds = shw_trainer_clock() - round->begin;
    if (!shw_progress_report(trainer, round))
        return shw_fail(&trainer->params.log, SHW_ERROR_CANCELLED, SHW_LOG_PROGRESS, "training was stopped");
    if (trainer->tree_count == trainer->params.tree_count) {
        SHW_PROPAGATE(shw_trainer_finish(trainer));
        *finished = true;
    }
    return SHW_OK;
}

void shw_trainer_interrupt(struct shw_trainer *trainer)
{
    atomic_store_explicit(&trainer->interrupted, true, memory_order_relaxed);
}

bool shw_trainer_is_interrupted(const struct shw_trainer *trainer)
{
    return atomic_load_explicit(&trainer->interrupted, memory_order_relaxed);
}

static enum shw_result check_interruption(const struct shw_trainer *trainer)
{
    return shw_trainer_is_interrupted(trainer)
               ? shw_fail(&trainer->params.log, SHW_ERROR_CANCELLED, SHW_LOG_PROGRESS, "training was stopped")
               : SHW_OK;
}

static enum shw_result run_on_cpu(struct shw_trainer *trainer)
{
    struct shw_growth *growth = &trainer->growth;

    SHW_PROPAGATE(trainer->learning != NULL ? shw_learn_cpu(trainer, growth->splits)
                                            : shw_split_cpu(trainer, growth->splits));
    SHW_PROPAGATE(check_interruption(trainer));
    shw_growth_limit(trainer);
    return shw_partition_cpu(trainer, growth->splits, growth->child_counts);
}

/* Hands histograms over, and after the last ones lets the learner choose. */
static enum shw_result hand_over(struct shw_trainer *trainer)
{
    struct shw_split *splits = trainer->growth.splits;
    bool last;

    SHW_PROPAGATE(shw_device_round_hand_over(trainer->device, trainer, &last));
    if (last) {
        SHW_PROPAGATE(shw_learning_end(trainer->learning, splits));
        shw_growth_limit(trainer);
        shw_device_round_learned(trainer->device, trainer, splits);
    }
    return SHW_OK;
}

/* Tells the round on the device that what was recorded has finished; *done: so has the round. */
static enum shw_result advance(struct shw_trainer *trainer, bool *done)
{
    struct shw_growth *growth = &trainer->growth;
    enum shw_device_event event;

    SHW_PROPAGATE(shw_device_round_submitted(trainer->device, trainer, growth->splits, growth->child_counts, &event));
    if (event == SHW_DEVICE_DECIDE) {
        shw_growth_limit(trainer);
        shw_device_round_decide(trainer->device, trainer, growth->splits);
    }
    if (event == SHW_DEVICE_HISTOGRAMS)
        SHW_PROPAGATE(hand_over(trainer));
    *done = event == SHW_DEVICE_DONE;
    return SHW_OK;
}

static enum shw_result run_on_device(struct shw_trainer *trainer)
{
    struct shw_device *device = trainer->params.device;
    enum shw_result result = SHW_OK;
    bool done = false;

    while (!done) {
        VkCommandBuffer commands;
        SHW_TRY(check_interruption(trainer));
        trainer->in_doubt = true;
        SHW_TRY(shw_submit_begin(device, &commands));
        result = shw_device_round_record(trainer->device, trainer, commands, trainer->params.work_max);
        if (result != SHW_OK) {
            shw_submit_abandon(device, commands);
            return result;
        }
        SHW_TRY(shw_submit_wait(device, commands));
        SHW_TRY(advance(trainer, &done));
        trainer->in_doubt = false;
    }

fail:
    return result;
}

enum shw_result shw_trainer_step(struct shw_trainer *trainer, bool *finished)
{
    *finished = trainer->finished;
    if (trainer->finished)
        return SHW_OK;
    SHW_PROPAGATE(check_interruption(trainer));
    if (trainer->growth.splits == NULL)
        SHW_PROPAGATE(begin_round(trainer));
    SHW_PROPAGATE(trainer->device != NULL ? run_on_device(trainer) : run_on_cpu(trainer));
    return end_round(trainer, finished);
}

enum shw_result shw_trainer_record(struct shw_trainer *trainer, VkCommandBuffer commands)
{
    if (trainer->finished || trainer->recorded)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s",
                        trainer->finished ? "the forest is finished"
                                          : "what was recorded before has not been completed");
    if (trainer->params.technique == SHW_TECHNIQUE_CPU)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "training on the CPU cannot be recorded: use shw_trainer_step() on a thread of its own");
    SHW_PROPAGATE(check_interruption(trainer));
    if (trainer->growth.splits == NULL)
        SHW_PROPAGATE(begin_round(trainer));
    trainer->in_doubt = true;
    SHW_PROPAGATE(shw_device_round_record(trainer->device, trainer, commands, trainer->params.work_max));
    trainer->recorded = true;
    return SHW_OK;
}

enum shw_result shw_trainer_complete(struct shw_trainer *trainer, bool *finished)
{
    bool done;

    *finished = trainer->finished;
    if (!trainer->recorded)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "nothing has been recorded");
    trainer->recorded = false;
    SHW_PROPAGATE(advance(trainer, &done));
    trainer->in_doubt = false;
    if (done)
        SHW_PROPAGATE(end_round(trainer, finished));
    return SHW_OK;
}

enum shw_technique shw_trainer_get_technique(const struct shw_trainer *trainer)
{
    return trainer->params.technique;
}

enum shw_result shw_trainer_get_forest(struct shw_trainer *trainer, struct shw_forest **forest)
{
    if (trainer->forest == NULL)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the forest is not finished, or has been taken already");
    *forest = trainer->forest;
    trainer->forest = NULL;
    return SHW_OK;
}

enum shw_result shw_train(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                          struct shw_forest **forest)
{
    struct shw_trainer *trainer = NULL;
    bool finished = false;
    enum shw_result result = shw_trainer_create(params, dataset, &trainer);

    while (result == SHW_OK && !finished)
        result = shw_trainer_step(trainer, &finished);
    if (result == SHW_OK)
        result = shw_trainer_get_forest(trainer, forest);
    shw_trainer_destroy(&trainer);
    return result;
}
