#include "dense/grow/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/machine.h"
#include "dense/forest/forest.h"
#include "dense/grow/fern.h"
#include "dense/grow/splitting.h"
#include "dense/grow_cpu/memory.h"
#include "dense/grow_device/programs_ahead.h"
#include "dense/samples/derived_sets.h"
#include "dense/samples/image_store.h"
#include "dense/split/traits.h"
#include "dense/train/forest.h"
#include "dense/train/level_set.h"
#include "dense/train/out_of_bag.h"
#include "dense/train/params.h"
#include "dense/train/team.h"
#include "dense/train/workers.h"
#include "vulkan/commands.h"

#define LEAST_TO_KEEP ((uint64_t)256 << 20) /* bytes of memory with which what the level below says is kept */

static void drop_state(struct shw_trainer *trainer)
{
    if (trainer->state != NULL)
        trainer->backend->destroy(&trainer->state);
}

/* Fills in everything that training begins with and that is not there yet: threads, device memory, images. */
static enum shw_result set_up(struct shw_trainer *trainer, const struct shw_trainer_params *params,
                              const struct shw_dataset *dataset)
{
    const struct shw_train_backend *backend;
    enum shw_result result;

    trainer->params = *params;
    trainer->words = &shw_image_train_words;
    trainer->start = shw_trainer_clock();
    if (params->helper_count > 0)
        SHW_TRY(shw_team_create(params, dataset, &dataset, &trainer->params.exchange, &trainer->team));
    trainer->dataset = dataset;
    SHW_TRY(shw_trainer_params_complete(&trainer->params, dataset, &trainer->channels, &backend));
    if (trainer->params.exchange != NULL && trainer->params.exchange->divide == SHW_DIVIDE_IMAGES)
        SHW_TRY(shw_division_create(trainer, &trainer->dataset));
    if (trainer->team != NULL)
        SHW_TRY(shw_team_hire(trainer->team, params));
    trainer->params.helpers = NULL; /* borrowed until here */
    if (trainer->params.fill > SHW_FILL_NONE) {
        SHW_TRY(shw_derived_set_fill(trainer->dataset, trainer->params.fill, &trainer->params.log, &trainer->filled));
        trainer->dataset = shw_derived_set_dataset(trainer->filled);
    }
    if (trainer->params.feature->reads_depth && trainer->channels.channels[0].content == SHW_CONTENT_DEPTH) {
        SHW_TRY(shw_derived_set_void(trainer->dataset, &trainer->params.log, &trainer->depth_labels));
        trainer->dataset = shw_derived_set_dataset(trainer->depth_labels);
    }
    if (trainer->params.below != NULL) {
        trainer->params.below = trainer->below = shw_forest_hold(trainer->params.below);
        SHW_TRY(shw_level_set_create(trainer->dataset, shw_trainer_part(trainer), &trainer->params, &trainer->channels,
                                     &trainer->above));
        trainer->dataset = shw_level_set_dataset(trainer->above);
    }
    if (backend != trainer->backend) {
        drop_state(trainer);
        shw_train_images_drop_planes(&trainer->images);
    }
    trainer->backend = backend;
    shw_log_message(&params->log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO, "training rounds by %s",
                    shw_technique_name(trainer->params.technique));
    trainer->bins = trainer->params.bins;
    shw_candidates_share_all(trainer);
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

enum shw_result shw_trainer_create_abi(uint32_t abi, const struct shw_trainer_params *params,
                                       const struct shw_dataset *dataset, struct shw_trainer **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, dataset);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_trainer *trainer = calloc(1, sizeof *trainer);
    enum shw_result result =
        trainer != NULL ? set_up(trainer, params, dataset) : shw_fail_memory(&params->log, "a trainer");

    if (result == SHW_OK)
        *out = trainer;
    else
        shw_trainer_destroy(&trainer);
    return result;
}

/* Releases what is not worth keeping for another training. */
static void forget_training(struct shw_trainer *trainer)
{
    shw_programs_ahead_end(&trainer->programs);
    if (trainer->team != NULL)
        shw_team_interrupt(trainer->team);
    shw_trainer_clear(trainer);
    shw_out_of_bag_free(&trainer->out_of_bag);
    shw_image_store_destroy(&trainer->store);
    shw_level_set_destroy(&trainer->above);
    shw_forest_destroy(&trainer->below);
    shw_derived_set_destroy(&trainer->depth_labels);
    shw_derived_set_destroy(&trainer->filled);
    shw_forest_destroy(&trainer->forest);
    shw_division_destroy(&trainer->division);
    free(trainer->class_weights);
    free(trainer->notes);
    free(trainer->rates);
    free(trainer->trees);
    shw_team_destroy(&trainer->team); /* last: what the sets above hold was read from its data set */
}

enum shw_result shw_trainer_renew(struct shw_trainer *trainer, const struct shw_trainer_params *params,
                                  const struct shw_dataset *dataset)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, params);
    SHW_REFUSE_NULL(&trainer->params.log, dataset);

    struct shw_trainer kept;

    if (params->device != trainer->params.device || trainer->in_doubt)
        drop_state(trainer);
    if (trainer->state != NULL && trainer->backend->rest != NULL)
        trainer->backend->rest(trainer->state);
    if (params->threads != trainer->params.threads)
        shw_thread_pool_destroy(&trainer->pool);
    forget_training(trainer);
    kept = (struct shw_trainer){.pool = trainer->pool,
                                .images = trainer->images,
                                .backend = trainer->backend,
                                .state = trainer->state,
                                .batch = trainer->batch,
                                .batch_bytes = trainer->batch_bytes};
    *trainer = kept;
    return set_up(trainer, params, dataset);
}

void shw_trainer_destroy(struct shw_trainer **handle)
{
    struct shw_trainer *trainer = handle != NULL ? *handle : NULL;

    if (trainer == NULL)
        return;
    drop_state(trainer); /* first: it may hold examples that were read ahead */
    forget_training(trainer);
    shw_train_images_free(&trainer->images);
    shw_thread_pool_destroy(&trainer->pool);
    free(trainer->batch);
    free(trainer);
    *handle = NULL;
}

static double weigh_equally(double frequency)
{
    (void)frequency;
    return 1;
}

static double weigh_by_root(double frequency)
{
    return 1 / sqrt(frequency);
}

static double weigh_by_inverse(double frequency)
{
    return 1 / frequency;
}

#define WEIGHT(value, name, help, weight) [value] = weight,
static double (*const frequency_weights[])(double frequency) = {SHW_WEIGHTINGS(WEIGHT)};

/* Weights from class frequencies, scaled so that the most frequent class has weight 1; given weights are scaled so that
 * the smallest is 1. */
static enum shw_result weigh_classes(struct shw_trainer *trainer)
{
    uint32_t classes = trainer->dataset->class_count;
    const uint64_t *pixels = shw_trainer_whole(trainer)->class_pixels;
    double *weights = trainer->class_weights, least = INFINITY;

    if (trainer->params.weighting == SHW_WEIGHTING_NONE)
        return SHW_OK;
    if (weights == NULL) {
        weights = trainer->class_weights = malloc(classes * sizeof *weights);
        if (weights == NULL)
            return shw_fail_memory(&trainer->params.log, "class weights");
        for (uint32_t c = 0; c < classes; c++) {
            double frequency = pixels[c] > 0 ? (double)pixels[c] : 1;
            weights[c] = frequency_weights[trainer->params.weighting](frequency);
        }
    }
    for (uint32_t c = 0; c < classes; c++)
        if (pixels[c] > 0 && weights[c] < least)
            least = weights[c];
    for (uint32_t c = 0; c < classes && isfinite(least); c++)
        weights[c] = pixels[c] > 0 ? weights[c] / least : 1;
    return SHW_OK;
}

/* Labels the training set by the level below, and keeps what fits into a quarter of the host's memory. With little of
 * it, training needs all. */
static enum shw_result ask_below(struct shw_trainer *trainer)
{
    const bool by_host = trainer->params.technique == SHW_TECHNIQUE_CPU;
    const uint64_t limit = by_host ? shw_cpu_memory_limit(&trainer->params) : shw_machine_memory();
    const uint64_t budget = limit >= LEAST_TO_KEEP || !by_host ? limit / 4 : 0;

    if (trainer->above == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_level_set_fill(trainer->above, budget, &trainer->interrupted));
    if (by_host)
        trainer->params.memory = limit - shw_level_set_bytes(trainer->above);
    return SHW_OK;
}

enum shw_result shw_trainer_prepare(struct shw_trainer *trainer)
{
    SHW_REFUSE_NULL(NULL, trainer);

    struct shw_train_images before;
    enum shw_result result;

    if (trainer->team != NULL)
        SHW_PROPAGATE(shw_team_begin(trainer->team, NULL, NULL));
    if (trainer->loaded)
        return SHW_OK;
    SHW_PROPAGATE(ask_below(trainer));
    trainer->in_doubt = true;
    if (trainer->backend->open != NULL)
        SHW_PROPAGATE(trainer->backend->open(trainer));
    before = trainer->images;
    SHW_TRY(shw_train_images_measure(&trainer->params, trainer->dataset, trainer->pool, &trainer->images));
    if (trainer->division != NULL)
        SHW_TRY(shw_division_measure(trainer));
    SHW_TRY(weigh_classes(trainer));
    SHW_TRY(trainer->backend->create(trainer, &before, &trainer->state));
    trainer->loaded = true;
    trainer->in_doubt = false;

fail:
    shw_train_images_free(&before);
    return result;
}

/* Begins to count the candidates of the round, or of a block of them. */
static enum shw_result begin_counting(struct shw_trainer *trainer)
{
    if (shw_trainer_has_splitter(trainer))
        SHW_PROPAGATE(shw_splitting_begin(trainer));
    return trainer->backend->begin(trainer->state);
}

/* Loads the training set and begins a tree if necessary, then begins a round. */
static enum shw_result begin_round(struct shw_trainer *trainer)
{
    struct shw_tree_builder *builder = &trainer->builder;
    struct shw_round *round = &trainer->round;

    SHW_PROPAGATE(shw_trainer_prepare(trainer));
    round->begin = shw_trainer_clock();
    if (builder->nodes == NULL)
        SHW_PROPAGATE(shw_tree_builder_begin(trainer));
    if (!builder->handed_over && trainer->backend->begin_tree != NULL)
        SHW_PROPAGATE(trainer->backend->begin_tree(trainer->state));
    builder->handed_over = true;
    *round = (struct shw_round){.tree = trainer->tree_count,
                                .depth = builder->depth,
                                .open_nodes = builder->open_count,
                                .tree_samples = builder->whole_samples,
                                .begin = round->begin};
    for (uint32_t o = 0; o < builder->open_count; o++)
        round->samples += builder->open[o].all;
    for (size_t i = 0; i < (size_t)builder->open_count * trainer->dataset->class_count; i++)
        round->classes += builder->open_counts[i] > 0;
    SHW_PROPAGATE(shw_candidates_begin(trainer));
    SHW_PROPAGATE(shw_tree_builder_round_begin(trainer));
    if (trainer->params.ferns)
        SHW_PROPAGATE(shw_fern_level_begin(trainer));
    if (trainer->division != NULL)
        SHW_PROPAGATE(shw_division_begin(trainer));
    return begin_counting(trainer);
}

/* Makes the round's splits; finishes tree and forest when they are complete. */
static enum shw_result end_round(struct shw_trainer *trainer, bool *finished)
{
    struct shw_tree_builder *builder = &trainer->builder;
    struct shw_round *round = &trainer->round;

    if (trainer->params.splitter != NULL)
        SHW_PROPAGATE(shw_splitting_check(trainer));
    shw_splitting_free(&trainer->splitting);
    shw_division_end(trainer);
    shw_fern_level_free(&trainer->fern_level);
    SHW_PROPAGATE(shw_tree_builder_round_end(trainer, &round->splits));
    shw_candidates_end(trainer);
    if (builder->open_count == 0) {
        SHW_PROPAGATE(shw_tree_builder_finish(trainer));
        SHW_PROPAGATE(shw_out_of_bag_add(trainer));
    }
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
    if (trainer == NULL)
        return;

    atomic_store_explicit(&trainer->interrupted, true, memory_order_relaxed);
    if (trainer->team != NULL)
        shw_team_interrupt(trainer->team);
}

/* After a block of candidates has been counted: scores it, and begins to count the next one unless it was the last. */
static enum shw_result end_block(struct shw_trainer *trainer, bool *more)
{
    *more = false;
    if (trainer->division == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_division_settle(trainer, more));
    if (!*more)
        return SHW_OK;
    shw_splitting_free(&trainer->splitting);
    return begin_counting(trainer);
}

/* Settles which splits are made, after counting. */
static enum shw_result decide(struct shw_trainer *trainer)
{
    if (trainer->splitting != NULL && trainer->division == NULL)
        SHW_PROPAGATE(shw_splitting_end(trainer->splitting, trainer->builder.splits));
    if (trainer->params.exchange != NULL)
        SHW_PROPAGATE(shw_workers_share_splits(trainer));
    shw_tree_builder_recall_features(trainer);
    shw_tree_builder_limit(trainer);
    trainer->backend->decide(trainer->state);
    return SHW_OK;
}

/* Calls the back end's submitted(); *done: the round has finished. */
static enum shw_result advance(struct shw_trainer *trainer, bool *done)
{
    enum shw_train_event event;
    bool more = false;

    SHW_PROPAGATE(trainer->backend->submitted(trainer->state, &event));
    if (event == SHW_TRAIN_DECIDE)
        SHW_PROPAGATE(end_block(trainer, &more));
    if (event == SHW_TRAIN_DECIDE && !more)
        SHW_PROPAGATE(decide(trainer));
    trainer->in_doubt = false;
    *done = event == SHW_TRAIN_DONE;
    return SHW_OK;
}

static bool draw_ahead(void *user)
{
    return shw_tree_samples_draw_ahead(user);
}

/* Records the next part of the round, submits it and waits. */
static enum shw_result submit(struct shw_trainer *trainer)
{
    struct shw_device *device = trainer->params.device;
    VkCommandBuffer commands;
    enum shw_result result;

    trainer->in_doubt = true;
    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    result = trainer->backend->record(trainer->state, commands, trainer->params.work_max);
    if (result == SHW_OK)
        return shw_submit_wait_meanwhile(device, commands, draw_ahead, trainer);
    shw_submit_abandon(device, commands);
    return result;
}

enum shw_result shw_trainer_step(struct shw_trainer *trainer, bool *finished)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, finished);

    bool done = false;

    *finished = trainer->finished;
    if (trainer->finished)
        return SHW_OK;
    SHW_PROPAGATE(shw_trainer_check_interruption(trainer));
    if (trainer->builder.splits == NULL)
        SHW_PROPAGATE(begin_round(trainer));
    while (!done) {
        SHW_PROPAGATE(shw_trainer_check_interruption(trainer));
        if (trainer->backend->record != NULL)
            SHW_PROPAGATE(submit(trainer));
        SHW_PROPAGATE(advance(trainer, &done));
    }
    return end_round(trainer, finished);
}

enum shw_result shw_trainer_record(struct shw_trainer *trainer, VkCommandBuffer commands)
{
    SHW_REFUSE_NULL(NULL, trainer);

    if (trainer->finished || trainer->recorded)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s",
                        trainer->finished ? "the forest is finished"
                                          : "what was recorded before has not been completed");
    if (trainer->backend->record == NULL)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "training on the CPU cannot be recorded: use shw_trainer_step() on a separate thread");
    if (commands == VK_NULL_HANDLE)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "`commands` is VK_NULL_HANDLE");
    SHW_PROPAGATE(shw_trainer_check_interruption(trainer));
    /* Workers that divide the images exchange something when a round begins, and another worker may wait for the device
     * that is being recorded for. */
    trainer->begins = trainer->division != NULL && trainer->builder.splits == NULL;
    trainer->recorded = trainer->begins;
    if (trainer->begins)
        return SHW_OK;
    if (trainer->builder.splits == NULL)
        SHW_PROPAGATE(begin_round(trainer));
    trainer->in_doubt = true;
    SHW_PROPAGATE(trainer->backend->record(trainer->state, commands, trainer->params.work_max));
    trainer->recorded = true;
    return SHW_OK;
}

enum shw_result shw_trainer_complete(struct shw_trainer *trainer, bool *finished)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, finished);

    bool done;

    *finished = trainer->finished;
    if (!trainer->recorded)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "nothing has been recorded");
    trainer->recorded = false;
    if (trainer->begins)
        return begin_round(trainer);
    SHW_PROPAGATE(advance(trainer, &done));
    if (done)
        SHW_PROPAGATE(end_round(trainer, finished));
    return SHW_OK;
}

enum shw_technique shw_trainer_get_technique(const struct shw_trainer *trainer)
{
    return trainer != NULL ? trainer->params.technique : SHW_TECHNIQUE_AUTO;
}

enum shw_result shw_trainer_get_forest(struct shw_trainer *trainer, struct shw_forest **forest)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, forest);

    if (trainer->forest == NULL)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the forest is not finished, or has been taken already");
    *forest = trainer->forest;
    trainer->forest = NULL;
    return SHW_OK;
}

static enum shw_result train_level(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
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

enum shw_result shw_train_abi(uint32_t abi, const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                              struct shw_forest **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, dataset);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_forest *forest = shw_forest_hold(params->below), *above = NULL;
    uint32_t levels = params->levels > 1 ? params->levels : 1;
    enum shw_result result = shw_levels_check(params, dataset);

    for (uint32_t level = 0; level < levels && result == SHW_OK; level++) {
        const struct shw_trainer_params of_level = shw_level_params(params, forest);
        result = train_level(&of_level, dataset, &above);
        if (result != SHW_OK)
            break;
        shw_forest_destroy(&forest);
        forest = above;
        above = NULL;
    }
    if (result == SHW_OK)
        *out = forest;
    else
        shw_forest_destroy(&forest);
    return result;
}
