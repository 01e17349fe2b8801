/* The passes of a training round, each as it is recorded. */
#include "train/on_device.h"
#include "vulkan/barrier.h"

#define GROUPS_X 32768u

void shw_device_complete(struct shw_device_training *training, VkCommandBuffer commands,
                         enum shw_training_program program)
{
    shw_memory_barrier(training->device, commands, shw_use_compute_write, shw_use_compute_write);
    shw_device_clock_mark(training, commands, program);
}

void shw_device_dispatch(struct shw_device_training *training, VkCommandBuffer commands,
                         enum shw_training_program program, struct shw_train_push *push, size_t groups)
{
    uint32_t place = training->integrals.chunks[push->chunk].place, x = groups < GROUPS_X ? (uint32_t)groups : GROUPS_X;

    if (groups == 0)
        return;
    push->groups_x = x;
    shw_program_dispatch(training->device, commands, &training->programs[program],
                         training->sets[program][place != SHW_NO_CHUNK ? place : 0], push, x,
                         (uint32_t)((groups + GROUPS_X - 1) / GROUPS_X), 1);
}

struct shw_train_push shw_device_push(const struct shw_device_training *training, const struct shw_trainer *trainer)
{
    const struct shw_trainer_params *params = &trainer->params;
    const struct shw_device_tables *round = &training->round;
    struct shw_train_push push = {.open_count = trainer->growth.open_count,
                                  .item_table = round->items,
                                  .segment_table = round->segments,
                                  .segment_end = round->segment_count,
                                  .sample_capacity = training->sample_capacity,
                                  .class_count = trainer->dataset->class_count,
                                  .bins = params->bins,
                                  .scheme = (uint32_t)params->thresholds,
                                  .candidate_key = shw_draw_key(params->seed, trainer->tree_count, SHW_DRAW_CANDIDATES),
                                  .threshold_key = shw_draw_key(params->seed, trainer->tree_count, SHW_DRAW_THRESHOLDS),
                                  .pool_round = params->pool == SHW_POOL_ROUND,
                                  .round = trainer->growth.depth,
                                  .channel_table = round->channels,
                                  .channel_count = trainer->channels.channel_count,
                                  .size_max = params->size_max,
                                  .offset_max = params->offset_max,
                                  .single_percent = params->single_percent,
                                  .score = (uint32_t)params->score,
                                  .samples_min = params->samples_min,
                                  .test_table = round->tests,
                                  .test_count = round->test_count};

    push.probe_count = params->thresholds == SHW_THRESHOLDS_BEST ? SHW_THRESHOLD_SAMPLES : params->bins - 1;
    push.split_candidates = SHW_SPLIT_WORKGROUP / push.test_count > 0 ? SHW_SPLIT_WORKGROUP / push.test_count : 1;
    return push;
}

void shw_device_push_batch(struct shw_train_push *push, const struct shw_device_batch *batch)
{
    push->open_begin = batch->open_begin;
    push->open_count = batch->open_count;
    push->candidate_begin = batch->candidate_begin;
    push->candidate_count = batch->candidate_count;
    push->split_groups = (batch->candidate_count + push->split_candidates - 1) / push->split_candidates;
}

void shw_device_histogram(struct shw_device_training *training, VkCommandBuffer commands, struct shw_train_push *push,
                          const struct shw_device_batch *batch, uint32_t first, uint32_t end)
{
    push->item_begin = batch->item_begin + first;
    push->item_end = batch->item_begin + end;
    shw_device_dispatch(training, commands, SHW_PROGRAM_HISTOGRAM, push, end - first);
}
