#include "dense/train/passes_compute.h"

#include "dense/train/backend_compute.h"
#include "vulkan/commands.h"

#define GROUPS_X 32768u

void shw_compute_complete(struct shw_train_compute *training, VkCommandBuffer commands,
                          enum shw_training_program program)
{
    shw_memory_barrier(training->device, commands, shw_use_compute_write, shw_use_compute_write);
    shw_compute_clock_mark(training, commands, program);
}

void shw_compute_dispatch(struct shw_train_compute *training, VkCommandBuffer commands,
                          enum shw_training_program program, struct shw_train_push *push, size_t groups)
{
    uint32_t place = training->integrals.chunks[push->chunk].place, x = groups < GROUPS_X ? (uint32_t)groups : GROUPS_X;

    if (groups == 0)
        return;
    push->groups_x = x;
    shw_program_dispatch(training->device, commands, &training->programs[program],
                         training->sets[program].handles[place != SHW_NO_CHUNK ? place : 0], push, x,
                         (uint32_t)((groups + GROUPS_X - 1) / GROUPS_X), 1);
}

struct shw_train_constants shw_compute_constants(const struct shw_trainer *trainer,
                                                 const struct shw_compute_tables *tables)
{
    const struct shw_trainer_params *params = &trainer->params;
    uint32_t together = SHW_SPLIT_WORKGROUP / tables->test_count;

    return (struct shw_train_constants){
        .item_table = tables->items,
        .segment_table = tables->segments,
        .test_table = tables->tests,
        .test_count = tables->test_count,
        .channel_table = tables->channels,
        .channel_count = trainer->channels.channel_count,
        .size_max = params->size_max,
        .offset_max = params->offset_max,
        .single_percent = params->single_percent,
        .candidate_key = shw_draw_key(params->seed, trainer->tree_count, SHW_DRAW_CANDIDATES),
        .candidate_first = trainer->candidate_begin,
        .threshold_key = shw_draw_key(params->seed, trainer->tree_count, SHW_DRAW_THRESHOLDS),
        .pool_round = params->pool == SHW_POOL_ROUND,
        .depth = trainer->builder.depth,
        .probe_count = params->thresholds == SHW_THRESHOLDS_BEST ? SHW_THRESHOLD_SAMPLES : params->bins - 1,
        .class_count = trainer->dataset->class_count,
        .level_probe_table = tables->level_probes,
        .level_probe_count = tables->level_probe_count,
        .score = (uint32_t)params->score,
        .samples_min = params->samples_min,
        .split_candidates = together > 0 ? together : 1,
    };
}

struct shw_train_push shw_compute_push(const struct shw_train_compute *training, const struct shw_compute_batch *batch)
{
    const struct shw_trainer *trainer = training->trainer;
    struct shw_train_push push = {.open_count = trainer->builder.open_count,
                                  .segment_end = training->round.segment_count,
                                  .sample_capacity = training->sample_capacity,
                                  .bins = trainer->params.bins,
                                  .all_bins = shw_histogram_bins(&trainer->params),
                                  .scheme = (uint32_t)trainer->params.thresholds};

    if (batch == NULL)
        return push;
    push.open_begin = batch->open_begin;
    push.open_count = batch->open_count;
    push.candidate_begin = batch->candidate_begin;
    push.candidate_count = batch->candidate_count;
    push.split_groups =
        (batch->candidate_count + training->constants.split_candidates - 1) / training->constants.split_candidates;
    return push;
}
