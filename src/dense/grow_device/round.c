#include "dense/grow_device/round.h"

#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/grow/fern.h"
#include "dense/grow/splitting.h"
#include "vulkan/commands.h"

/* Histograms by compute shaders. */

/* Pieces are items. */
static bool record(struct shw_train_compute *training, VkCommandBuffer commands, struct shw_train_push *push,
                   const struct shw_compute_batch *batch, uint32_t *piece, uint64_t *work)
{
    const uint32_t *items = training->round.words + training->round.items + (size_t)batch->item_begin * SHW_ITEM_WORDS;
    uint32_t first = *piece, end = first, count = batch->item_end - batch->item_begin;
    uint64_t done = 0;

    while (end < count && (end == first || done < *work)) {
        done += (uint64_t)items[(size_t)end * SHW_ITEM_WORDS + 2] * items[(size_t)end * SHW_ITEM_WORDS + 4];
        end++;
    }
    push->item_begin = batch->item_begin + first;
    push->item_end = batch->item_begin + end;
    shw_compute_dispatch(training, commands, SHW_PROGRAM_HISTOGRAM, push, end - first);
    *work = done;
    *piece = end;
    return end == count;
}

const struct shw_histogram_counter shw_counter_compute = {.record = record};

/* Histograms for the caller's splitter, counted on the device and read back. */

static void read_thresholds(const uint32_t *row, uint32_t count, struct shw_thresholds *thresholds)
{
    thresholds->count = row[0] != 0 ? count : 0;
    thresholds->low = (int32_t)row[1];
    thresholds->range = row[2];
    memcpy(thresholds->values, row + SHW_THRESHOLD_WORDS, count * sizeof *thresholds->values);
}

/* Passes the histograms of the batch, which were read back, to the splitter. Errors: MEMORY, those of the splitter. */
static enum shw_result splitting_compute(struct shw_train_compute *training, const struct shw_trainer *trainer,
                                         const struct shw_compute_batch *batch)
{
    struct shw_splitting *splitting = trainer->splitting;
    uint32_t count = splitting->round.bin_count - 1, *words = training->readback.mapped;
    const uint32_t *row = words + batch->histogram_words;
    struct shw_thresholds thresholds;

    for (uint32_t o = 0; o < batch->open_count; o++) {
        uint32_t open = batch->open_begin + o;
        SHW_PROPAGATE(shw_splitting_add(splitting, open, batch->candidate_begin, batch->candidate_count, words));
        words += batch->candidate_count * shw_splitting_words(splitting, open);
        for (uint32_t c = 0; c < batch->candidate_count; c++, row += SHW_THRESHOLD_WORDS + count) {
            read_thresholds(row, count, &thresholds);
            shw_splitting_set_thresholds(splitting, o, c, &thresholds);
        }
    }
    return shw_splitting_call(splitting);
}

/* The order of a training round's work on the device, divided into pieces that can be submitted one after the other.
 *
 * For each batch: candidates; probes, sweeping over all chunks; thresholds; histograms, sweeping over all chunks; the
 * best tests. Then, after the host has decided, the side of every sample, sweeping over all chunks, and the move of
 * samples to the children. Each sweep goes in the opposite direction of the previous one, so that chunks still on the
 * device are used first. */
#include <string.h>

/* Work other than responses, in units of one response. */
#define WORK_OF_A_PIXEL 32u /* to make channels and integral images */
#define WORK_OF_A_TEST  4u

#define BATCH_BYTES_MIN ((VkDeviceSize)1 << 20)  /* smaller batches would not help */
#define FORESEEN_MAX    ((VkDeviceSize)16 << 20) /* of a buffer for what later rounds may need; of batches, all */

/* The state of one recording. */
struct recording {
    struct shw_train_compute *training;
    const struct shw_trainer *trainer;
    VkCommandBuffer commands;
    struct shw_train_push push;
    uint64_t left; /* work */
    bool uploaded; /* the features of a batch */
};

static void spend(struct recording *recording, uint64_t work)
{
    recording->left = recording->left > work ? recording->left - work : 0;
}

/* How many nodes later rounds may have for each that this one has: nodes double from round to round, and making buffers
 * again takes longer than most rounds. */
static uint32_t foresee_growth(const struct shw_train_compute *training, const struct shw_trainer *trainer)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    const struct shw_trainer_params *params = &trainer->params;
    const uint32_t rounds = shw_min_u32(params->depth - 1 - shw_min_u32(params->depth - 1, builder->depth), 4);
    uint32_t most = builder->whole_samples / 2 / shw_max_u32(params->samples_min, 1);

    if (training->is_scarce)
        return 1;
    if (params->leaf_max > 0)
        most = shw_min_u32(most, params->leaf_max);
    return shw_min_u32(1u << rounds, (most + builder->open_count - 1) / builder->open_count);
}

static VkDeviceSize foresee_bytes(size_t words, uint32_t growth, VkDeviceSize most)
{
    const VkDeviceSize bytes = words * sizeof(uint32_t);

    return growth <= 1 || bytes >= most ? bytes : bytes > most / growth ? most : bytes * growth;
}

static void drop_buffers(struct shw_train_compute *training)
{
    struct shw_buffer *const buffers[] = {&training->tables,         &training->table_upload, &training->features,
                                          &training->feature_upload, &training->probes,       &training->probe_upload,
                                          &training->thresholds,     &training->histogram,    &training->bests,
                                          &training->winners,        &training->decisions,    &training->children,
                                          &training->readback};

    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        shw_buffer_destroy(training->device, buffers[i]);
}

/* The counts of children, and what the scan of segments needs. */
static size_t children_words(const struct shw_train_compute *training)
{
    return (size_t)training->trainer->builder.open_count * training->constants.class_count +
           training->round.segment_count + 1;
}

/* Makes the round's buffers large enough. */
static enum shw_result need_buffers(struct shw_train_compute *training, const struct shw_trainer *trainer)
{
    const struct shw_compute_tables *round = &training->round;
    const struct shw_train_constants *constants = &training->constants;
    const bool is_proposed = trainer->proposed.candidates != NULL;
    const uint32_t growth = foresee_growth(training, trainer);
    const VkDeviceSize batch = training->batch_bytes, small = batch / 16 < FORESEEN_MAX ? batch / 16 : FORESEEN_MAX;
    size_t opens = trainer->builder.open_count, groups = 0, readback;
    size_t features = round->rows * (SHW_FEATURE_WORDS + (is_proposed ? SHW_INTERVAL_WORDS : 0));
    size_t tables = sizeof *constants / sizeof(uint32_t) + round->count;
    size_t thresholds = round->rows * (SHW_THRESHOLD_WORDS + trainer->params.bins - 1);
    size_t probes = round->rows * constants->probe_count;

    for (uint32_t b = 0; b < round->batch_count; b++) {
        struct shw_train_push push = shw_compute_push(training, &round->batches[b]);
        if ((size_t)push.open_count * push.split_groups > groups)
            groups = (size_t)push.open_count * push.split_groups;
    }
    readback = opens * (SHW_WINNER_WORDS + constants->class_count);
    if (trainer->splitting != NULL && readback < round->histogram_words + thresholds)
        readback = round->histogram_words + thresholds;
    if (trainer->division != NULL && readback < probes)
        readback = probes;
    const struct {
        struct shw_buffer *buffer;
        size_t words;
        const char *name;
        enum shw_memory_kind kind;
        VkDeviceSize most; /* bytes, unless this round needs more */
    } buffers[] = {
        {&training->tables, tables, "tables", SHW_MEMORY_DEVICE, small},
        {&training->table_upload, tables, "tables", SHW_MEMORY_UPLOAD, small},
        {&training->features, features, "features", SHW_MEMORY_DEVICE, batch / 8},
        {&training->feature_upload, is_proposed ? features : 0, "features", SHW_MEMORY_UPLOAD, small},
        {&training->probes, probes, "probes", SHW_MEMORY_DEVICE, batch},
        {&training->probe_upload, trainer->division != NULL ? probes : 0, "probes", SHW_MEMORY_UPLOAD, small},
        {&training->thresholds, thresholds, "thresholds", SHW_MEMORY_DEVICE, batch},
        {&training->histogram, round->histogram_words, "histograms", SHW_MEMORY_DEVICE, batch},
        {&training->bests, groups * SHW_BEST_WORDS, "tests", SHW_MEMORY_DEVICE, small},
        {&training->winners, opens * SHW_WINNER_WORDS, "splits", SHW_MEMORY_DEVICE, small},
        {&training->decisions, opens * SHW_WINNER_WORDS, "splits", SHW_MEMORY_UPLOAD, small},
        {&training->children, children_words(training), "counts of children", SHW_MEMORY_DEVICE, small},
        {&training->readback, readback, "readback", SHW_MEMORY_READBACK, small},
    };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        SHW_PROPAGATE(shw_compute_need_more(training, buffers[i].buffer, buffers[i].words * sizeof(uint32_t),
                                            foresee_bytes(buffers[i].words, growth, buffers[i].most), buffers[i].kind,
                                            buffers[i].name));
    return training->counter->begin != NULL ? training->counter->begin(training, trainer) : SHW_OK;
}

/* Makes tables and buffers; if device memory runs out, for this round only, then for smaller batches. */
static enum shw_result lay_out(struct shw_train_compute *training, const struct shw_trainer *trainer)
{
    enum shw_result result;

    for (;;) {
        training->may_shrink = !training->is_scarce || training->batch_bytes >= 2 * BATCH_BYTES_MIN;
        SHW_PROPAGATE(shw_compute_tables_make(training, trainer));
        training->constants = shw_compute_constants(trainer, &training->round);
        result = need_buffers(training, trainer);
        if (result != SHW_ERROR_DEVICE_MEMORY || !training->may_shrink)
            return result;
        if (!training->is_scarce) {
            training->is_scarce = true;
            drop_buffers(training);
            continue;
        }
        training->batch_bytes /= 2;
        shw_log_message(training->log, SHW_LOG_INFO, SHW_LOG_OUT_OF_MEMORY,
                        "trying again with %llu MiB of histograms at a time",
                        (unsigned long long)training->batch_bytes >> 20);
    }
}

enum shw_result shw_compute_begin(void *state)
{
    struct shw_train_compute *training = state;
    const struct shw_trainer *trainer = training->trainer;
    struct shw_compute_plan *plan = &training->plan;
    const struct shw_tree_builder *builder = &trainer->builder;

    SHW_PROPAGATE(lay_out(training, trainer));
    shw_compute_bind_buffers(training);
    memcpy(training->table_upload.mapped, &training->constants, sizeof training->constants);
    memcpy((char *)training->table_upload.mapped + sizeof training->constants, training->round.words,
           training->round.count * sizeof(uint32_t));
    plan->step = SHW_STEP_BEGIN;
    plan->batch = plan->swept = plan->item = 0;
    plan->planned = plan->winners_fetched = plan->decided = false;
    plan->split_by_caller = trainer->splitting != NULL;
    plan->divided = plan->probing = trainer->division != NULL;
    plan->decide =
        trainer->params.exchange != NULL || plan->split_by_caller ||
        (trainer->params.leaf_max > 0 && builder->leaf_count + builder->open_count > trainer->params.leaf_max);
    if (!plan->divided || trainer->candidate_begin == 0)
        memset(training->clock.seconds, 0, sizeof training->clock.seconds);
    return SHW_OK;
}

static void copy(const struct recording *recording, const struct shw_buffer *from, VkDeviceSize from_offset,
                 const struct shw_buffer *to, VkDeviceSize to_offset, VkDeviceSize size)
{
    VkBufferCopy region = {from_offset, to_offset, size};

    recording->training->device->vk.CmdCopyBuffer(recording->commands, from->handle, to->handle, 1, &region);
}

static void begin(struct recording *recording)
{
    struct shw_train_compute *training = recording->training;
    size_t word = sizeof(uint32_t), logs = 2 * SHW_TIMES_LOG2_COUNT * word;

    if (training->plan.samples) { /* of a new tree */
        copy(recording, &training->constant_upload, 0, &training->times_log2, 0, logs);
        copy(recording, &training->constant_upload, logs, &training->images, 0,
             (VkDeviceSize)training->integrals.set->count * SHW_IMAGE_WORDS * word);
        if (training->sample_capacity > 0)
            copy(recording, &training->sample_upload, 0, &training->samples, 0,
                 (VkDeviceSize)3 * training->sample_capacity * word);
    }
    training->uploads_samples = training->plan.samples;
    training->plan.samples = false;
    copy(recording, &training->table_upload, 0, &training->tables, 0,
         sizeof training->constants + training->round.count * word);
    shw_memory_barrier(training->device, recording->commands, shw_use_copy_target, shw_use_compute_write);
}

static enum shw_result plan_sweep(struct recording *recording)
{
    struct shw_compute_plan *plan = &recording->training->plan;
    struct shw_compute_images *integrals = &recording->training->integrals;
    uint32_t count = integrals->chunk_count;

    for (uint32_t i = 0; i < count; i++)
        plan->sweep[i] = plan->backwards ? count - 1 - i : i;
    plan->backwards = !plan->backwards;
    plan->planned = true;
    plan->swept = plan->item = 0;
    return shw_compute_images_plan(integrals, plan->sweep, count);
}

/* Prepares the current chunk of the sweep; *ready is false if that needs another submission. */
static enum shw_result bring_chunk(struct recording *recording, bool *ready)
{
    struct shw_train_compute *training = recording->training;
    struct shw_compute_images *integrals = &training->integrals;
    uint32_t chunk = training->plan.sweep[training->plan.swept];
    uint64_t pixels = 0, most = recording->left / WORK_OF_A_PIXEL + 1;
    bool moves = integrals->chunks[chunk].place == SHW_NO_CHUNK;

    SHW_PROPAGATE(shw_compute_images_fill(integrals, recording->commands, chunk, most, &pixels));
    spend(recording, pixels * WORK_OF_A_PIXEL);
    if (pixels > 0 || moves)
        shw_compute_clock_mark(training, recording->commands, SHW_CLOCK_OTHER);
    *ready = shw_compute_images_ready(integrals, chunk);
    recording->push.chunk = chunk;
    return SHW_OK;
}

/* Records histograms of a chunk as far as the remaining work allows; true if that was all of them. */
static bool count(struct recording *recording, const struct shw_compute_batch *batch)
{
    struct shw_train_compute *training = recording->training;
    uint64_t work = recording->left;
    bool last =
        training->sample_capacity == 0 ||
        training->counter->record(training, recording->commands, &recording->push, batch, &training->plan.item, &work);

    spend(recording, work);
    if (last)
        training->plan.item = 0;
    return last;
}

/* Continues a sweep; *pause: the rest needs another submission. The last chunk ends the step. */
static enum shw_result sweep(struct recording *recording, enum shw_training_program program, enum shw_compute_step next,
                             bool *pause)
{
    struct shw_train_compute *training = recording->training;
    struct shw_compute_plan *plan = &training->plan;
    const struct shw_compute_batch *batch = &training->round.batches[plan->batch];
    uint64_t rows;
    bool ready, whole = true;

    if (!plan->planned)
        SHW_PROPAGATE(plan_sweep(recording));
    SHW_PROPAGATE(bring_chunk(recording, &ready));
    *pause = !ready;
    if (!ready)
        return SHW_OK;
    switch (program) {
    case SHW_PROGRAM_PROBES:
        rows = (uint64_t)batch->open_count * batch->candidate_count * training->constants.probe_count;
        shw_compute_dispatch(training, recording->commands, program, &recording->push,
                             (rows + SHW_SPLIT_WORKGROUP - 1) / SHW_SPLIT_WORKGROUP);
        spend(recording, rows);
        break;
    case SHW_PROGRAM_HISTOGRAM: whole = count(recording, batch); break;
    default:
        shw_compute_dispatch(training, recording->commands, program, &recording->push, training->round.segment_count);
        spend(recording, training->sample_capacity);
    }
    if (!whole)
        return SHW_OK;
    if (++plan->swept == training->integrals.chunk_count) {
        shw_compute_complete(training, recording->commands, program);
        plan->planned = false;
        plan->step = next;
    }
    return SHW_OK;
}

/* The features of a batch, row by row, then the intervals of their responses. */
static void write_proposed(const struct shw_trainer *trainer, const struct shw_compute_batch *batch, uint32_t *words)
{
    const size_t rows = (size_t)batch->open_count * batch->candidate_count;

    for (size_t row = 0; row < rows; row++) {
        const uint32_t open = batch->open_begin + (uint32_t)(row / batch->candidate_count);
        const uint32_t candidate =
            trainer->candidate_begin + batch->candidate_begin + (uint32_t)(row % batch->candidate_count);
        const struct shw_feature feature = shw_candidate_feature(trainer, open, candidate);
        const struct shw_interval interval = shw_candidate_interval(trainer, open, candidate);
        memcpy(words + row * SHW_FEATURE_WORDS, feature.words, sizeof feature.words);
        memcpy(words + rows * SHW_FEATURE_WORDS + row * SHW_INTERVAL_WORDS, &interval, sizeof interval);
    }
}

static void upload_proposed(struct recording *recording, const struct shw_compute_batch *batch, size_t rows)
{
    struct shw_train_compute *training = recording->training;

    write_proposed(recording->trainer, batch, training->feature_upload.mapped);
    copy(recording, &training->feature_upload, 0, &training->features, 0,
         rows * (SHW_FEATURE_WORDS + SHW_INTERVAL_WORDS) * sizeof(uint32_t));
    recording->uploaded = true;
}

static void candidates(struct recording *recording)
{
    struct shw_train_compute *training = recording->training;
    const struct shw_compute_batch *batch = &training->round.batches[training->plan.batch];
    size_t rows = (size_t)batch->open_count * batch->candidate_count;

    training->device->vk.CmdFillBuffer(recording->commands, training->histogram.handle, 0,
                                       batch->histogram_words * sizeof(uint32_t), 0);
    if (training->constants.proposed != 0)
        upload_proposed(recording, batch, rows);
    shw_memory_barrier(training->device, recording->commands, shw_use_copy_target, shw_use_compute_write);
    shw_compute_clock_mark(training, recording->commands, SHW_CLOCK_OTHER);
    if (training->constants.proposed == 0)
        shw_compute_dispatch(training, recording->commands, SHW_PROGRAM_CANDIDATES, &recording->push,
                             (rows + SHW_SPLIT_WORKGROUP - 1) / SHW_SPLIT_WORKGROUP);
    shw_compute_complete(training, recording->commands, SHW_PROGRAM_CANDIDATES);
    spend(recording, rows);
}

/* Where workers divide the images: takes what this worker's samples say of a batch, whose responses of probes have been
 * read back. */
static void take_probes(const struct shw_train_compute *training, const struct shw_compute_batch *batch)
{
    const struct shw_trainer *trainer = training->trainer;
    const struct shw_trainer_params *params = &trainer->params;
    const uint32_t probe_count = training->constants.probe_count, values = shw_threshold_values(params);
    const int32_t *row = training->readback.mapped;

    for (uint32_t o = batch->open_begin; o < batch->open_begin + batch->open_count; o++) {
        const uint32_t own =
            trainer->fern_level != NULL ? trainer->fern_level->probe_count : trainer->builder.open[o].all;
        const uint32_t count = params->thresholds == SHW_THRESHOLDS_BEST ? shw_min_u32(probe_count, own) : values;
        for (uint32_t c = batch->candidate_begin; c < batch->candidate_begin + batch->candidate_count;
             c++, row += probe_count)
            for (uint32_t n = 0; n < count; n++)
                shw_threshold_values_take(params, n, row[n], shw_division_values(trainer, o, 0) + c,
                                          trainer->candidate_count);
    }
}

/* The same of all workers, as responses of probes. */
static void upload_probes(struct recording *recording, const struct shw_compute_batch *batch)
{
    struct shw_train_compute *training = recording->training;
    const struct shw_trainer *trainer = recording->trainer;
    const uint32_t probe_count = training->constants.probe_count, values = shw_threshold_values(&trainer->params);
    int32_t *row = training->probe_upload.mapped, taken[256];

    for (uint32_t o = batch->open_begin; o < batch->open_begin + batch->open_count; o++)
        for (uint32_t c = batch->candidate_begin; c < batch->candidate_begin + batch->candidate_count;
             c++, row += probe_count) {
            for (uint32_t n = 0; n < values; n++)
                taken[n] = shw_division_values(trainer, o, n)[c];
            shw_threshold_values_settle(&trainer->params, taken);
            for (uint32_t n = 0; n < probe_count; n++)
                row[n] = taken[n < values ? n : values - 1];
        }
    copy(recording, &training->probe_upload, 0, &training->probes, 0,
         (size_t)(row - (int32_t *)training->probe_upload.mapped) * sizeof *row);
    shw_memory_barrier(training->device, recording->commands, shw_use_copy_target, shw_use_compute_write);
}

static void fetch_probes(struct recording *recording)
{
    struct shw_train_compute *training = recording->training;
    const size_t rows = (size_t)recording->push.open_count * recording->push.candidate_count;

    shw_memory_barrier(training->device, recording->commands, shw_use_compute_write, shw_use_copy_source);
    copy(recording, &training->probes, 0, &training->readback, 0,
         rows * training->constants.probe_count * sizeof(uint32_t));
    shw_buffer_barrier(training->device, recording->commands, training->readback.handle, shw_use_copy_target,
                       shw_use_host_read);
    shw_memory_barrier(training->device, recording->commands, shw_use_copy_source, shw_use_copy_target);
}

static void split(struct recording *recording)
{
    struct shw_train_compute *training = recording->training;
    struct shw_train_push *push = &recording->push;
    size_t groups = (size_t)push->open_count * push->split_groups;

    shw_compute_dispatch(training, recording->commands, SHW_PROGRAM_SPLIT, push, groups);
    shw_compute_complete(training, recording->commands, SHW_PROGRAM_SPLIT);
    shw_compute_dispatch(training, recording->commands, SHW_PROGRAM_WINNERS, push, push->open_count);
    shw_compute_complete(training, recording->commands, SHW_PROGRAM_WINNERS);
    /* Histograms are cleared for the next batch. */
    shw_memory_barrier(training->device, recording->commands, shw_use_compute_write, shw_use_copy_target);
    spend(recording,
          (uint64_t)push->open_count * push->candidate_count * training->constants.test_count * WORK_OF_A_TEST);
}

/* For the caller's splitter: copies histograms, then thresholds, to the host instead of finding the best tests. */
static void fetch_histograms(struct recording *recording, const struct shw_compute_batch *batch)
{
    struct shw_train_compute *training = recording->training;
    size_t word = sizeof(uint32_t), row = SHW_THRESHOLD_WORDS + recording->push.bins - 1;
    size_t rows = (size_t)batch->open_count * batch->candidate_count, histograms = batch->histogram_words * word;

    shw_memory_barrier(training->device, recording->commands, shw_use_compute_write, shw_use_copy_source);
    copy(recording, &training->histogram, 0, &training->readback, 0, histograms);
    copy(recording, &training->thresholds, 0, &training->readback, histograms, rows * row * word);
    shw_buffer_barrier(training->device, recording->commands, training->readback.handle, shw_use_copy_target,
                       shw_use_host_read);
    shw_memory_barrier(training->device, recording->commands, shw_use_copy_source, shw_use_copy_target);
}

/* Before samples are moved: uploads the host's decisions and clears the counts of children. */
static void begin_children(struct recording *recording)
{
    struct shw_train_compute *training = recording->training;

    if (training->plan.decide)
        copy(recording, &training->decisions, 0, &training->winners, 0,
             (VkDeviceSize)recording->trainer->builder.open_count * SHW_WINNER_WORDS * sizeof(uint32_t));
    training->device->vk.CmdFillBuffer(recording->commands, training->children.handle, 0,
                                       children_words(training) * sizeof(uint32_t), 0);
    shw_memory_barrier(training->device, recording->commands, shw_use_copy_target, shw_use_compute_write);
}

static void move(struct recording *recording)
{
    struct shw_train_compute *training = recording->training;
    struct shw_train_push *push = &recording->push;

    shw_compute_dispatch(training, recording->commands, SHW_PROGRAM_SCAN, push, 1);
    shw_compute_complete(training, recording->commands, SHW_PROGRAM_SCAN);
    shw_compute_dispatch(training, recording->commands, SHW_PROGRAM_MOVE, push, training->round.segment_count);
    shw_compute_complete(training, recording->commands, SHW_PROGRAM_MOVE);
    spend(recording, training->sample_capacity);
}

/* Copies the splits to the host and, if `children`, also the counts of children. */
static void fetch(struct recording *recording, bool children)
{
    struct shw_train_compute *training = recording->training;
    VkDeviceSize opens = recording->trainer->builder.open_count, word = sizeof(uint32_t),
                 winners = opens * SHW_WINNER_WORDS * word;

    shw_memory_barrier(training->device, recording->commands, shw_use_compute_write, shw_use_copy_source);
    if (!training->plan.winners_fetched)
        copy(recording, &training->winners, 0, &training->readback, 0, winners);
    training->plan.winners_fetched = true;
    if (children)
        copy(recording, &training->children, 0, &training->readback, winners,
             opens * training->constants.class_count * word);
    shw_buffer_barrier(training->device, recording->commands, training->readback.handle, shw_use_copy_target,
                       shw_use_host_read);
    recording->left = 0;
}

static enum shw_result record_step(struct recording *recording, bool *pause)
{
    struct shw_train_compute *training = recording->training;
    struct shw_compute_plan *plan = &training->plan;
    enum shw_result result = SHW_OK;

    if (plan->step >= SHW_STEP_CANDIDATES && plan->step <= SHW_STEP_SPLIT)
        recording->push = shw_compute_push(training, &training->round.batches[plan->batch]);
    switch (plan->step) {
    case SHW_STEP_BEGIN:
        begin(recording);
        plan->step = SHW_STEP_CANDIDATES;
        break;
    case SHW_STEP_CANDIDATES:
        *pause = recording->uploaded;
        if (recording->uploaded)
            break;
        candidates(recording);
        plan->step = plan->divided && !plan->probing ? SHW_STEP_THRESHOLDS : SHW_STEP_PROBES;
        break;
    case SHW_STEP_PROBES:
        result =
            sweep(recording, SHW_PROGRAM_PROBES, plan->probing ? SHW_STEP_FETCH_PROBES : SHW_STEP_THRESHOLDS, pause);
        break;
    case SHW_STEP_FETCH_PROBES:
        fetch_probes(recording);
        plan->step = SHW_STEP_SHARE_PROBES;
        *pause = true;
        break;
    case SHW_STEP_THRESHOLDS:
        if (plan->divided)
            upload_probes(recording, &training->round.batches[plan->batch]);
        shw_compute_dispatch(training, recording->commands, SHW_PROGRAM_THRESHOLDS, &recording->push,
                             (size_t)recording->push.open_count * recording->push.candidate_count);
        shw_compute_complete(training, recording->commands, SHW_PROGRAM_THRESHOLDS);
        plan->step = SHW_STEP_HISTOGRAM;
        break;
    case SHW_STEP_HISTOGRAM: result = sweep(recording, SHW_PROGRAM_HISTOGRAM, SHW_STEP_SPLIT, pause); break;
    case SHW_STEP_SPLIT:
        if (plan->split_by_caller) {
            fetch_histograms(recording, &training->round.batches[plan->batch]);
            plan->step = SHW_STEP_HAND_OVER;
            *pause = true;
            break;
        }
        split(recording);
        plan->step = ++plan->batch < training->round.batch_count ? SHW_STEP_CANDIDATES : SHW_STEP_DECIDE;
        break;
    case SHW_STEP_DECIDE:
        if (plan->decide && !plan->decided) {
            fetch(recording, false);
            *pause = true;
        } else {
            recording->push = shw_compute_push(training, NULL);
            begin_children(recording);
            plan->step = SHW_STEP_SIDES;
        }
        break;
    case SHW_STEP_SIDES: result = sweep(recording, SHW_PROGRAM_SIDES, SHW_STEP_MOVE, pause); break;
    case SHW_STEP_MOVE:
        move(recording);
        plan->step = SHW_STEP_FETCH;
        break;
    case SHW_STEP_FETCH:
        fetch(recording, true);
        plan->step = SHW_STEP_END;
        *pause = true;
        break;
    case SHW_STEP_SHARE_PROBES:
    case SHW_STEP_HAND_OVER:
    case SHW_STEP_END: *pause = true;
    }
    return result;
}

enum shw_result shw_compute_record(void *state, VkCommandBuffer commands, uint64_t work_max)
{
    struct shw_train_compute *training = state;
    const struct shw_trainer *trainer = training->trainer;
    struct recording recording = {.training = training,
                                  .trainer = trainer,
                                  .commands = commands,
                                  .push = shw_compute_push(training, NULL),
                                  .left = work_max > 0 ? work_max : 1};
    bool pause = false;

    /* Makes what the previous submission has written visible to this one. */
    shw_compute_clock_begin(training, commands);
    shw_memory_barrier(training->device, commands, shw_use_compute_write, shw_use_compute_write);
    while (!pause && recording.left > 0)
        SHW_PROPAGATE(record_step(&recording, &pause));
    shw_compute_clock_mark(training, commands, SHW_CLOCK_OTHER);
    return SHW_OK;
}

/* Errors: UNSUPPORTED if samples are missing from a histogram. */
static enum shw_result read_splits(const struct shw_train_compute *training)
{
    const struct shw_trainer *trainer = training->trainer;
    struct shw_split *splits = trainer->builder.splits;

    for (uint32_t o = 0; o < trainer->builder.open_count; o++) {
        const uint32_t *winner = (const uint32_t *)training->readback.mapped + (size_t)o * SHW_WINNER_WORDS;
        if (winner[13] != 0)
            return shw_tree_builder_lost(trainer, o);
        splits[o] = (struct shw_split){.found = winner[0] != SHW_NO_SPLIT};
        if (!splits[o].found)
            continue;
        splits[o].candidate = winner[0];
        splits[o].t0 = (int32_t)winner[1];
        splits[o].t1 = (int32_t)winner[2];
        splits[o].score = shw_score_of_words(trainer->params.score, winner + 3);
        memcpy(&splits[o].feature, winner + 8, sizeof splits[o].feature);
    }
    return SHW_OK;
}

static void read_children(const struct shw_train_compute *training)
{
    const struct shw_trainer *trainer = training->trainer;
    const struct shw_tree_builder *builder = &trainer->builder;
    const uint32_t *own_counts = shw_tree_builder_own_counts(builder);
    uint32_t *child_counts = builder->child_counts;
    size_t classes = trainer->dataset->class_count;
    const uint32_t *right =
        (const uint32_t *)training->readback.mapped + (size_t)builder->open_count * SHW_WINNER_WORDS;

    for (uint32_t o = 0; o < builder->open_count; o++)
        for (size_t c = 0; c < classes; c++, right++) {
            child_counts[2 * o * classes + c] = own_counts[o * classes + c] - *right;
            child_counts[(2 * o + 1) * classes + c] = *right;
        }
}

/* Hands the histograms of a batch to the splitter; *event says whether they were the round's last. */
static enum shw_result hand_over(struct shw_train_compute *training, enum shw_train_event *event)
{
    struct shw_compute_plan *plan = &training->plan;
    const struct shw_compute_batch *batch = &training->round.batches[plan->batch++];
    bool last = plan->batch == training->round.batch_count;

    plan->step = last ? SHW_STEP_DECIDE : SHW_STEP_CANDIDATES;
    *event = last ? SHW_TRAIN_DECIDE : SHW_TRAIN_MORE;
    return splitting_compute(training, training->trainer, batch);
}

/* Takes the responses of probes of a batch; after the last one, exchanges those of all. */
static enum shw_result share_probes(struct shw_train_compute *training)
{
    struct shw_compute_plan *plan = &training->plan;

    take_probes(training, &training->round.batches[plan->batch]);
    plan->step = SHW_STEP_CANDIDATES;
    if (++plan->batch < training->round.batch_count)
        return SHW_OK;
    plan->batch = 0;
    plan->probing = false;
    return shw_division_share_values(training->trainer);
}

enum shw_result shw_compute_submitted(void *state, enum shw_train_event *event)
{
    struct shw_train_compute *training = state;
    struct shw_compute_plan *plan = &training->plan;

    training->uploads_samples = false;
    shw_compute_images_submitted(&training->integrals);
    SHW_PROPAGATE(shw_compute_clock_read(training));
    *event = SHW_TRAIN_MORE;
    if (plan->step == SHW_STEP_SHARE_PROBES)
        return share_probes(training);
    if (plan->step == SHW_STEP_HAND_OVER)
        return hand_over(training, event);
    if (plan->step == SHW_STEP_DECIDE && plan->winners_fetched && !plan->decided) {
        SHW_PROPAGATE(read_splits(training));
        *event = SHW_TRAIN_DECIDE;
    } else if (plan->step == SHW_STEP_END) {
        struct shw_buffer kept = training->samples;
        if (!plan->decide)
            SHW_PROPAGATE(read_splits(training));
        read_children(training);
        training->samples = training->moved;
        training->moved = kept;
        *event = SHW_TRAIN_DONE;
    }
    return SHW_OK;
}

void shw_compute_decide(void *state)
{
    struct shw_train_compute *training = state;
    const struct shw_tree_builder *builder = &training->trainer->builder;
    uint32_t *decisions = training->decisions.mapped;

    for (uint32_t o = 0; o < builder->open_count; o++) {
        const struct shw_split *split = &builder->splits[o];
        uint32_t *winner = decisions + (size_t)o * SHW_WINNER_WORDS;
        memset(winner, 0, SHW_WINNER_WORDS * sizeof *winner);
        winner[0] = split->found ? split->candidate : SHW_NO_SPLIT;
        winner[1] = (uint32_t)split->t0;
        winner[2] = (uint32_t)split->t1;
        memcpy(winner + 8, &split->feature, sizeof split->feature);
    }
    training->plan.decided = true;
}
