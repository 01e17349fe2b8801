/* The compute shaders of training rounds (shaders/dense/train), and the buffers that they read and write. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "dense/grow_device/round.h"
#include "dense/split/traits.h"
#include "vulkan/commands.h"
#include "vulkan/windows.h"

SHW_SHADER_DECLARE(train_thresholds_comp);
SHW_SHADER_DECLARE(train_split_comp);
SHW_SHADER_DECLARE(train_winners_comp);
SHW_SHADER_DECLARE(train_scan_comp);
SHW_SHADER_DECLARE(train_move_comp);

#define SMALL      ((VkDeviceSize)16 << 20) /* with `renewed`, buffers up to this size become a power of two */
#define SMALL_STEP ((VkDeviceSize)64 << 10)

/* The storage buffers of each program, in order of their bindings. */
static const uint8_t bindings_of[SHW_PROGRAM_COUNT][9] = {
    [SHW_PROGRAM_CANDIDATES] = {2, SHW_TRAIN_TABLES, SHW_TRAIN_FEATURES},
    [SHW_PROGRAM_PROBES] = {6, SHW_TRAIN_INTEGRALS, SHW_TRAIN_IMAGES, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES,
                            SHW_TRAIN_FEATURES, SHW_TRAIN_PROBES},
    [SHW_PROGRAM_THRESHOLDS] = {4, SHW_TRAIN_TABLES, SHW_TRAIN_FEATURES, SHW_TRAIN_PROBES, SHW_TRAIN_THRESHOLDS},
    [SHW_PROGRAM_HISTOGRAM] = {7, SHW_TRAIN_INTEGRALS, SHW_TRAIN_IMAGES, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES,
                               SHW_TRAIN_FEATURES, SHW_TRAIN_THRESHOLDS, SHW_TRAIN_HISTOGRAM},
    [SHW_PROGRAM_SPLIT] = {5, SHW_TRAIN_TABLES, SHW_TRAIN_THRESHOLDS, SHW_TRAIN_HISTOGRAM, SHW_TRAIN_BESTS,
                           SHW_TRAIN_TIMES_LOG2},
    [SHW_PROGRAM_WINNERS] = {5, SHW_TRAIN_TABLES, SHW_TRAIN_FEATURES, SHW_TRAIN_THRESHOLDS, SHW_TRAIN_BESTS,
                             SHW_TRAIN_WINNERS},
    [SHW_PROGRAM_SIDES] = {6, SHW_TRAIN_INTEGRALS, SHW_TRAIN_IMAGES, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES,
                           SHW_TRAIN_WINNERS, SHW_TRAIN_CHILDREN},
    [SHW_PROGRAM_SCAN] = {2, SHW_TRAIN_TABLES, SHW_TRAIN_CHILDREN},
    [SHW_PROGRAM_MOVE] = {5, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES, SHW_TRAIN_MOVED, SHW_TRAIN_WINNERS,
                          SHW_TRAIN_CHILDREN},
};

const struct shw_buffer *shw_compute_buffer(const struct shw_train_compute *training, uint32_t binding, uint32_t place)
{
    const struct shw_buffer *buffers[] = {
        [SHW_TRAIN_INTEGRALS] = &training->integrals.places[place].buffer,
        [SHW_TRAIN_IMAGES] = &training->images,
        [SHW_TRAIN_TABLES] = &training->tables,
        [SHW_TRAIN_SAMPLES] = &training->samples,
        [SHW_TRAIN_MOVED] = &training->moved,
        [SHW_TRAIN_FEATURES] = &training->features,
        [SHW_TRAIN_PROBES] = &training->probes,
        [SHW_TRAIN_THRESHOLDS] = &training->thresholds,
        [SHW_TRAIN_HISTOGRAM] = &training->histogram,
        [SHW_TRAIN_BESTS] = &training->bests,
        [SHW_TRAIN_WINNERS] = &training->winners,
        [SHW_TRAIN_CHILDREN] = &training->children,
        [SHW_TRAIN_TIMES_LOG2] = &training->times_log2,
    };

    return buffers[binding];
}

#define BINDINGS_MAX (8u + SHW_WINDOWS - 1u)

/* Whether a program reads planes; they are its first binding. */
static bool reads_planes(uint32_t program)
{
    return bindings_of[program][1] == SHW_TRAIN_INTEGRALS;
}

uint32_t shw_compute_count_bindings(void)
{
    uint32_t most = 0;

    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++)
        if (reads_planes(p))
            most = shw_max_u32(most, bindings_of[p][0]);
    return most + SHW_WINDOWS - 1;
}

/* Adds the windows of planes after the first to the resources of a program. */
static void add_windows(const struct shw_train_compute *training, uint32_t program, uint32_t place,
                        struct shw_resource *resources)
{
    const struct shw_buffer *planes = &training->integrals.places[place].buffer;

    if (!training->has_windows || !reads_planes(program))
        return;
    resources[0] = shw_window(planes, (uint32_t)training->range, 0);
    for (uint32_t window = 1; window < SHW_WINDOWS; window++)
        resources[bindings_of[program][0] + window - 1] = shw_window(planes, (uint32_t)training->range, window);
}

void shw_compute_bind_buffers(struct shw_train_compute *training)
{
    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++)
        for (uint32_t place = 0; place < training->integrals.place_count; place++) {
            struct shw_resource resources[BINDINGS_MAX];
            bool complete = true;
            for (uint32_t i = 0; i < bindings_of[p][0]; i++) {
                const struct shw_buffer *buffer = shw_compute_buffer(training, bindings_of[p][i + 1], place);
                resources[i] = (struct shw_resource){.buffer = buffer->handle};
                complete &= buffer->handle != VK_NULL_HANDLE;
            }
            add_windows(training, p, place, resources);
            if (complete)
                shw_set_write(training->device, &training->programs[p], training->sets[p].handles[place], resources);
        }
}

void shw_train_specialize(const struct shw_train_compute *training, struct shw_train_specialization *specialization)
{
    const struct shw_mirror *mirror = &training->mirror;
    uint32_t words[SHW_TRAIN_IDS] = {training->shared_words,
                                     training->paired,
                                     mirror->turned[0],
                                     mirror->turned[1],
                                     mirror->negated[0],
                                     mirror->negated[1],
                                     shw_window_shift((uint32_t)training->range),
                                     mirror->exchanges};

    for (uint32_t c = 0; c < SHW_CHANNELS_MAX; c++)
        words[SHW_TRAIN_ID_PARTNERS + c / 4] |= mirror->partners[c] << c % 4 * 8;
    words[SHW_TRAIN_ID_HAS_CHANNELS] = training->reads_channels;
    words[SHW_TRAIN_ID_MEAN_SIDES] = training->shapes.side_count;
    words[SHW_TRAIN_ID_MEAN_HEIGHTS] = training->shapes.heights;
    words[SHW_TRAIN_ID_MEAN_MARGIN] = training->shapes.margin;
    for (uint32_t i = 0; i < training->shapes.side_count; i++)
        words[SHW_TRAIN_ID_SIDES + i / 4] |= (uint32_t)training->shapes.sides[i] << i % 4 * 8;
    memcpy(specialization->words, words, sizeof words);
    for (uint32_t i = 0; i < SHW_TRAIN_IDS; i++)
        specialization->entries[i] = (VkSpecializationMapEntry){i, i * sizeof(uint32_t), sizeof(uint32_t)};
    specialization->info = (VkSpecializationInfo){SHW_TRAIN_IDS, specialization->entries, sizeof specialization->words,
                                                  specialization->words};
}

/* Those of the feature type, in the order of the programs. */
enum { CANDIDATES, PROBES, HISTOGRAM, SIDES, OF_FEATURE };

enum shw_result shw_compute_shaders(const struct shw_train_compute *training,
                                    struct shw_shader shaders[SHW_PROGRAM_COUNT])
{
    static const enum shw_feature_role roles[2][OF_FEATURE] = {
        {SHW_ROLE_CANDIDATES, SHW_ROLE_PROBES, SHW_ROLE_HISTOGRAM, SHW_ROLE_SIDES},
        {SHW_ROLE_CANDIDATES, SHW_ROLE_PROBES_WINDOWS, SHW_ROLE_HISTOGRAM_WINDOWS, SHW_ROLE_SIDES_WINDOWS}};
    struct shw_shader own[OF_FEATURE];

    SHW_PROPAGATE(shw_feature_shaders(training->feature, OF_FEATURE, roles[training->has_windows], training->log, own));
    shaders[SHW_PROGRAM_CANDIDATES] = own[CANDIDATES];
    shaders[SHW_PROGRAM_PROBES] = own[PROBES];
    shaders[SHW_PROGRAM_HISTOGRAM] = own[HISTOGRAM];
    shaders[SHW_PROGRAM_SIDES] = own[SIDES];
    shaders[SHW_PROGRAM_THRESHOLDS] = SHW_SHADER(train_thresholds_comp);
    shaders[SHW_PROGRAM_SPLIT] = SHW_SHADER(train_split_comp);
    shaders[SHW_PROGRAM_WINNERS] = SHW_SHADER(train_winners_comp);
    shaders[SHW_PROGRAM_SCAN] = SHW_SHADER(train_scan_comp);
    shaders[SHW_PROGRAM_MOVE] = SHW_SHADER(train_move_comp);
    return SHW_OK;
}

enum shw_result shw_compute_program_create(const struct shw_train_compute *training, uint32_t number,
                                           struct shw_shader shader, struct shw_program *program)
{
    static const char *const names[SHW_PROGRAM_COUNT] = {
        [SHW_PROGRAM_CANDIDATES] = "train candidates",
        [SHW_PROGRAM_PROBES] = "train probes",
        [SHW_PROGRAM_THRESHOLDS] = "train thresholds",
        [SHW_PROGRAM_HISTOGRAM] = "train histogram",
        [SHW_PROGRAM_SPLIT] = "train split",
        [SHW_PROGRAM_WINNERS] = "train winners",
        [SHW_PROGRAM_SIDES] = "train sides",
        [SHW_PROGRAM_SCAN] = "train scan",
        [SHW_PROGRAM_MOVE] = "train move",
    };
    struct shw_train_specialization constants;
    struct shw_binding bindings[BINDINGS_MAX];
    struct shw_program_params params = {.name = names[number],
                                        .compute = shader,
                                        .bindings = bindings,
                                        .binding_count = bindings_of[number][0],
                                        .push_bytes = sizeof(struct shw_train_push),
                                        .specialization = reads_planes(number) ? &constants.info : NULL};

    shw_train_specialize(training, &constants);
    for (uint32_t i = 0; i < bindings_of[number][0]; i++)
        bindings[i] = (struct shw_binding){bindings_of[number][i + 1], VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    for (uint32_t window = 1; training->has_windows && reads_planes(number) && window < SHW_WINDOWS; window++)
        bindings[params.binding_count++] =
            (struct shw_binding){SHW_TRAIN_INTEGRALS_MORE + window - 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    return shw_program_create(training->device, &params, program);
}

enum shw_result shw_compute_programs_create(struct shw_train_compute *training)
{
    struct shw_shader shaders[SHW_PROGRAM_COUNT];

    SHW_PROPAGATE(shw_compute_shaders(training, shaders));
    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++)
        SHW_PROPAGATE(shw_compute_program_create(training, p, shaders[p], &training->programs[p]));
    return SHW_OK;
}

void shw_compute_programs_destroy(struct shw_train_compute *training)
{
    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++)
        shw_program_destroy(training->device, &training->programs[p]);
}

void shw_compute_sets_destroy(struct shw_train_compute *training)
{
    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++)
        shw_sets_destroy(training->device, &training->sets[p]);
    free(training->plan.sweep);
    training->plan.sweep = NULL;
}

enum shw_result shw_compute_sets_create(struct shw_train_compute *training)
{
    uint32_t places = training->integrals.place_count;

    training->plan.sweep = malloc(training->integrals.chunk_count * sizeof *training->plan.sweep);
    if (training->plan.sweep == NULL)
        return shw_fail_memory(training->log, "training on the device");
    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++)
        SHW_PROPAGATE(shw_sets_create(training->device, &training->programs[p], places, &training->sets[p]));
    return SHW_OK;
}

/* The size to make a buffer of at least `size` bytes. */
static VkDeviceSize round_up(const struct shw_train_compute *training, VkDeviceSize size)
{
    VkDeviceSize step = SMALL_STEP;

    if (!training->renewed || size > SMALL)
        return size;
    while (step < size)
        step *= 2;
    return step;
}

enum shw_result shw_compute_need_more(struct shw_train_compute *training, struct shw_buffer *buffer, VkDeviceSize size,
                                      VkDeviceSize more, enum shw_memory_kind kind, const char *name)
{
    VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    enum shw_result result;

    size = shw_align_up(size, 16);
    if (buffer->size >= size)
        return SHW_OK;
    size = round_up(training, size);
    if (kind == SHW_MEMORY_DEVICE && size > training->range)
        return shw_fail(&training->device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "%s need a storage buffer of %llu bytes; the device has at most %llu bytes: %s, or use the "
                        "technique cpu",
                        name, (unsigned long long)size, (unsigned long long)training->range,
                        training->trainer->words->fewer_samples);
    more = shw_align_up(more < training->range ? more : size, 16);
    shw_buffer_destroy(training->device, buffer);
    result = shw_buffer_try(training->device, more > size ? more : size, usage, kind, name, buffer);
    if (result == SHW_ERROR_DEVICE_MEMORY && !training->may_shrink)
        shw_fail(training->log, result, SHW_LOG_OUT_OF_MEMORY,
                 "not enough device memory for %s (%llu bytes): train with fewer samples, candidates or bins", name,
                 (unsigned long long)size);
    return result;
}

enum shw_result shw_compute_need(struct shw_train_compute *training, struct shw_buffer *buffer, VkDeviceSize size,
                                 enum shw_memory_kind kind, const char *name)
{
    return shw_compute_need_more(training, buffer, size, 0, kind, name);
}

/* Device time of each pass, from timestamps. */

/* Marks that are reset at a time: most recordings have few, and validation layers keep something of every reset. */
#define RESET_COUNT 64u

const char *const shw_compute_pass_names[SHW_CLOCK_COUNT] = {
    [SHW_PROGRAM_CANDIDATES] = "candidates",
    [SHW_PROGRAM_PROBES] = "probes",
    [SHW_PROGRAM_THRESHOLDS] = "thresholds",
    [SHW_PROGRAM_HISTOGRAM] = "histogram",
    [SHW_PROGRAM_SPLIT] = "split",
    [SHW_PROGRAM_WINNERS] = "winners",
    [SHW_PROGRAM_SIDES] = "sides",
    [SHW_PROGRAM_SCAN] = "scan",
    [SHW_PROGRAM_MOVE] = "move",
    [SHW_CLOCK_OTHER] = "other",
    [SHW_CLOCK_LEAVES] = "leaf images",
    [SHW_CLOCK_RESPONSES] = "responses",
    [SHW_CLOCK_SCATTER] = "scatter",
};

enum shw_result shw_compute_clock_create(struct shw_train_compute *training)
{
    struct shw_device *device = training->device;
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                  .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                  .queryCount = SHW_CLOCK_MARKS};

    if (device->timestamp_bits > 0)
        VK_PROPAGATE(device, CreateQueryPool(device->handle, &info, device->allocator, &training->clock.pool));
    return SHW_OK;
}

void shw_compute_clock_begin(struct shw_train_compute *training, VkCommandBuffer commands)
{
    struct shw_compute_clock *clock = &training->clock;

    if (clock->pool == VK_NULL_HANDLE)
        return;
    clock->count = 0;
    shw_compute_clock_mark(training, commands, SHW_CLOCK_OTHER);
}

void shw_compute_clock_mark(struct shw_train_compute *training, VkCommandBuffer commands, uint32_t pass)
{
    struct shw_compute_clock *clock = &training->clock;

    if (clock->pool == VK_NULL_HANDLE || clock->count == SHW_CLOCK_MARKS)
        return;
    if (clock->count % RESET_COUNT == 0)
        training->device->vk.CmdResetQueryPool(commands, clock->pool, clock->count, RESET_COUNT);
    clock->marks[clock->count] = (uint8_t)pass;
    training->device->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, clock->pool, clock->count++);
}

enum shw_result shw_compute_clock_read(struct shw_train_compute *training)
{
    struct shw_device *device = training->device;
    struct shw_compute_clock *clock = &training->clock;
    uint64_t ticks[SHW_CLOCK_MARKS];

    if (clock->pool == VK_NULL_HANDLE)
        return SHW_OK;
    VK_PROPAGATE(device, GetQueryPoolResults(device->handle, clock->pool, 0, clock->count, sizeof ticks, ticks,
                                             sizeof *ticks, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    for (uint32_t i = 1; i < clock->count; i++) {
        uint64_t taken = ticks[i] - ticks[i - 1];
        if (device->timestamp_bits < 64)
            taken &= ((uint64_t)1 << device->timestamp_bits) - 1;
        clock->seconds[clock->marks[i]] += 1e-9 * (double)taken * (double)device->properties.limits.timestampPeriod;
    }
    return SHW_OK;
}

void shw_compute_get_passes(const void *state, struct shw_train_progress *progress)
{
    const struct shw_train_compute *training = state;

    if (training->clock.pool == VK_NULL_HANDLE)
        return;
    progress->pass_count = SHW_CLOCK_COUNT;
    progress->pass_names = shw_compute_pass_names;
    progress->pass_seconds = training->clock.seconds;
}

/* Records the passes of a training round. */

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
        .offset_min = params->offset_min,
        .shapes = params->shapes,
        .candidates = params->candidates,
        .candidate_key = trainer->candidate_key,
        .candidate_first = trainer->candidate_begin,
        .proposed = trainer->proposed.candidates != NULL,
        .threshold_key = shw_draw_key(params->seed, shw_trainer_tree(trainer), SHW_DRAW_THRESHOLDS),
        .pool_round = shw_pool_is_shared(params->pool),
        .depth = trainer->builder.depth,
        .probe_count = shw_threshold_probes(params),
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
