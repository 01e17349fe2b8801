/* Splits of a round and the way of samples, recorded and run on the device. */
#include <string.h>

#include "base/log.h"
#include "train/on_device.h"
#include "vulkan/barrier.h"
#include "vulkan/submit.h"

#define GROUPS_X 32768u

/* What one run of the device consists of. */
struct recording {
    struct shw_device_training *training;
    VkCommandBuffer commands;
    struct shw_train_push push;
};

/* Ends the work of a program, so that the next can use what it has written. */
static void complete(const struct recording *recording, enum shw_training_program program)
{
    shw_memory_barrier(recording->training->device, recording->commands, shw_use_compute_write, shw_use_compute_write);
    shw_device_clock_mark(recording->training, recording->commands, program);
}

static void dispatch_chunk(struct recording *recording, enum shw_training_program program, size_t groups)
{
    struct shw_device_training *training = recording->training;
    uint32_t x = groups < GROUPS_X ? (uint32_t)groups : GROUPS_X;

    if (groups == 0)
        return;
    recording->push.groups_x = x;
    shw_program_dispatch(training->device, recording->commands, &training->programs[program],
                         training->sets[program][recording->push.chunk], &recording->push, x,
                         (uint32_t)((groups + GROUPS_X - 1) / GROUPS_X), 1);
}

static void dispatch(struct recording *recording, enum shw_training_program program, size_t groups)
{
    dispatch_chunk(recording, program, groups);
    complete(recording, program);
}

/* The same for the images of every chunk. */
static void dispatch_chunks(struct recording *recording, enum shw_training_program program, size_t groups)
{
    for (uint32_t c = 0; c < recording->training->chunk_count; c++) {
        recording->push.chunk = c;
        dispatch_chunk(recording, program, groups);
    }
    recording->push.chunk = 0;
    complete(recording, program);
}

static struct shw_train_push push_of(const struct shw_device_training *training, const struct shw_trainer *trainer)
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
                                  .channel_count = trainer->set->channel_count,
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

static void record_batch(struct recording *recording, const struct shw_device_batch *batch)
{
    struct shw_device_training *training = recording->training;
    struct shw_train_push *push = &recording->push;
    size_t rows = (size_t)batch->open_count * batch->candidate_count;

    push->open_begin = batch->open_begin;
    push->open_count = batch->open_count;
    push->candidate_begin = batch->candidate_begin;
    push->candidate_count = batch->candidate_count;
    push->item_begin = batch->item_begin;
    push->item_end = batch->item_end;
    push->split_groups = (batch->candidate_count + push->split_candidates - 1) / push->split_candidates;
    training->device->vk.CmdFillBuffer(recording->commands, training->histogram.handle, 0,
                                       batch->histogram_words * sizeof(uint32_t), 0);
    shw_memory_barrier(training->device, recording->commands, shw_use_copy_target, shw_use_compute_write);
    shw_device_clock_mark(training, recording->commands, SHW_PROGRAM_COUNT);
    dispatch(recording, SHW_PROGRAM_CANDIDATES, (rows + SHW_SPLIT_WORKGROUP - 1) / SHW_SPLIT_WORKGROUP);
    dispatch_chunks(recording, SHW_PROGRAM_PROBES, (rows * push->probe_count + SHW_SPLIT_WORKGROUP - 1) / SHW_SPLIT_WORKGROUP);
    dispatch(recording, SHW_PROGRAM_THRESHOLDS, rows);
    dispatch_chunks(recording, SHW_PROGRAM_HISTOGRAM, batch->item_end - batch->item_begin);
    dispatch(recording, SHW_PROGRAM_SPLIT, (size_t)batch->open_count * push->split_groups);
    dispatch(recording, SHW_PROGRAM_WINNERS, batch->open_count);
}

/* Makes the buffers of the round large enough, and carries its tables there. */
static enum shw_result prepare(struct shw_device_training *training, const struct shw_trainer *trainer)
{
    const struct shw_device_tables *round = &training->round;
    const struct shw_train_push push = push_of(training, trainer);
    size_t word = sizeof(uint32_t), opens = trainer->growth.open_count, groups = 0, children;
    enum shw_result result;

    for (uint32_t b = 0; b < round->batch_count; b++) {
        size_t count = (round->batches[b].candidate_count + push.split_candidates - 1) / push.split_candidates;
        count *= round->batches[b].open_count;
        groups = count > groups ? count : groups;
    }
    children = opens * push.class_count + round->segment_count + 1;
    SHW_TRY(shw_device_need(training, &training->tables, round->count * word, SHW_MEMORY_DEVICE, "tables"));
    SHW_TRY(
        shw_device_need(training, &training->features, round->rows * SHW_FEATURE_WORDS * word, SHW_MEMORY_DEVICE, "features"));
    SHW_TRY(shw_device_need(training, &training->probes, round->rows * push.probe_count * word, SHW_MEMORY_DEVICE, "probes"));
    SHW_TRY(shw_device_need(training, &training->thresholds, round->rows * (SHW_THRESHOLD_WORDS + push.bins - 1) * word,
                            SHW_MEMORY_DEVICE, "thresholds"));
    SHW_TRY(shw_device_need(training, &training->histogram, round->histogram_words * word, SHW_MEMORY_DEVICE, "histograms"));
    SHW_TRY(shw_device_need(training, &training->bests, groups * SHW_BEST_WORDS * word, SHW_MEMORY_DEVICE, "tests"));
    SHW_TRY(shw_device_need(training, &training->winners, opens * SHW_WINNER_WORDS * word, SHW_MEMORY_DEVICE, "splits"));
    SHW_TRY(shw_device_need(training, &training->children, children * word, SHW_MEMORY_DEVICE, "counts of children"));
    children = opens * push.class_count > opens * SHW_WINNER_WORDS ? opens * push.class_count : opens * SHW_WINNER_WORDS;
    SHW_TRY(shw_device_need(training, &training->readback, children * word, SHW_MEMORY_READBACK, "readback"));
    shw_device_bind_buffers(training);
    SHW_TRY(shw_device_send(training, &training->tables, 0, round->words, round->count * word));

fail:
    return result;
}

/* Runs what was recorded, and brings the first words of a buffer to the host. */
static enum shw_result finish(struct recording *recording, const struct shw_buffer *buffer, size_t words)
{
    struct shw_device_training *training = recording->training;
    struct shw_device *device = training->device;
    VkBufferCopy region = {.size = words * sizeof(uint32_t)};
    enum shw_result result;

    shw_memory_barrier(device, recording->commands, shw_use_compute_write, shw_use_copy_source);
    device->vk.CmdCopyBuffer(recording->commands, buffer->handle, training->readback.handle, 1, &region);
    shw_buffer_barrier(device, recording->commands, training->readback.handle, shw_use_copy_target, shw_use_host_read);
    shw_device_clock_mark(training, recording->commands, SHW_PROGRAM_COUNT);
    SHW_TRY(shw_submit_wait(device, recording->commands));
    SHW_TRY(shw_device_clock_read(training));

fail:
    return result;
}

enum shw_result shw_split_on_device(struct shw_device_training *training, struct shw_trainer *trainer, struct shw_split *splits)
{
    uint32_t opens = trainer->growth.open_count;
    struct recording recording = {.training = training};
    enum shw_result result;

    SHW_TRY(shw_device_tables_make(training, trainer));
    SHW_TRY(prepare(training, trainer));
    recording.push = push_of(training, trainer);
    SHW_TRY(shw_submit_begin(training->device, &recording.commands));
    memset(training->clock.seconds, 0, sizeof training->clock.seconds);
    shw_device_clock_begin(training, recording.commands);
    for (uint32_t b = 0; b < training->round.batch_count; b++)
        record_batch(&recording, &training->round.batches[b]);
    SHW_TRY(finish(&recording, &training->winners, (size_t)opens * SHW_WINNER_WORDS));
    for (uint32_t o = 0; o < opens; o++) {
        const uint32_t *winner = (const uint32_t *)training->readback.mapped + (size_t)o * SHW_WINNER_WORDS;
        struct shw_packed_feature feature = {winner[8], {winner[9], winner[10], winner[11], winner[12]}};
        splits[o] = (struct shw_split){.found = winner[0] != SHW_NO_SPLIT};
        if (!splits[o].found)
            continue;
        splits[o].candidate = winner[0];
        splits[o].t0 = (int32_t)winner[1];
        splits[o].t1 = (int32_t)winner[2];
        splits[o].feature = shw_feature_unpack(&feature);
    }
    for (uint32_t o = 0; o < opens; o++)
        trainer->responses += (uint64_t)trainer->growth.open[o].count * trainer->params.candidates;

fail:
    return result;
}

/* Tells the device which splits the trainer has dropped. */
static enum shw_result send_decisions(struct shw_device_training *training, const struct shw_trainer *trainer,
                                      const struct shw_split *splits)
{
    uint32_t *winners = training->readback.mapped, opens = trainer->growth.open_count, dropped = 0;

    for (uint32_t o = 0; o < opens; o++)
        if (!splits[o].found && winners[(size_t)o * SHW_WINNER_WORDS] != SHW_NO_SPLIT) {
            winners[(size_t)o * SHW_WINNER_WORDS] = SHW_NO_SPLIT;
            dropped++;
        }
    if (dropped == 0)
        return SHW_OK;
    return shw_device_send(training, &training->winners, 0, winners, (VkDeviceSize)opens * SHW_WINNER_WORDS * sizeof *winners);
}

enum shw_result shw_partition_on_device(struct shw_device_training *training, struct shw_trainer *trainer,
                                        const struct shw_split *splits, uint32_t *child_counts)
{
    struct shw_device *device = training->device;
    const struct shw_growth *growth = &trainer->growth;
    uint32_t classes = trainer->dataset->class_count, segments = training->round.segment_count;
    struct recording recording = {.training = training, .push = push_of(training, trainer)};
    struct shw_buffer kept;
    enum shw_result result;

    SHW_TRY(send_decisions(training, trainer, splits));
    SHW_TRY(shw_submit_begin(device, &recording.commands));
    shw_device_clock_begin(training, recording.commands);
    device->vk.CmdFillBuffer(recording.commands, training->children.handle, 0, VK_WHOLE_SIZE, 0);
    shw_memory_barrier(device, recording.commands, shw_use_copy_target, shw_use_compute_write);
    dispatch_chunks(&recording, SHW_PROGRAM_SIDES, segments);
    dispatch(&recording, SHW_PROGRAM_SCAN, 1);
    dispatch(&recording, SHW_PROGRAM_MOVE, segments);
    SHW_TRY(finish(&recording, &training->children, (size_t)growth->open_count * classes));
    for (uint32_t o = 0; o < growth->open_count; o++) {
        const uint32_t *all = growth->open_counts + (size_t)o * classes;
        const uint32_t *right = (const uint32_t *)training->readback.mapped + (size_t)o * classes;
        for (uint32_t c = 0; c < classes; c++) {
            child_counts[2 * (size_t)o * classes + c] = all[c] - right[c];
            child_counts[(2 * (size_t)o + 1) * classes + c] = right[c];
        }
    }
    kept = training->samples;
    training->samples = training->moved;
    training->moved = kept;

fail:
    return result;
}
