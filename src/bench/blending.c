/* Training by blending compared with the device's blending rate, by timestamps: a tree is grown, then the histograms of
 * its last round are computed again as a whole, as points scattered by the vertex shader, and as points at the same
 * positions read from a buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/data.h"
#include "bench/document.h"
#include "bench/training.h"
#include "dense/grow_device/blend.h"
#include "dense/grow_device/round.h"
#include "vulkan/commands.h"

SHW_SHADER_DECLARE(bench_point_positions_comp);
SHW_SHADER_DECLARE(bench_point_positions_vert);
SHW_SHADER_DECLARE(train_blend_one_frag);

#define POSITIONS  0u /* binding */
#define MARKS      512u
#define IMAGES     20u
#define CPU_IMAGES 4u /* if the device is a CPU */
#define CPU_PIXELS 300u
#define ROUNDS     6u
#define CANDIDATES 100
#define BINS       3
#define RUNS_MAX   9u
#define WORKGROUP  64u

/* What is timed of a round. */
enum kind { BARE, SCATTERED, HISTOGRAM, KINDS };

struct rate {
    struct shw_device *device;
    struct shw_trainer *trainer;
    struct shw_train_compute *training;
    struct shw_program positions, points;
    struct shw_sets positions_sets, points_sets; /* one each */
    struct shw_buffer buffer;
    VkQueryPool marks;
    uint32_t mark_count;
    double ms[KINDS];
    uint64_t drawn;
};

/* Programs and buffers of the bare points. */
static enum shw_result create(struct rate *rate)
{
    const struct shw_histogram_blend *blend = rate->training->blend;
    const struct shw_binding bindings[] = {{POSITIONS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                           {SHW_TRAIN_TABLES, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                           {SHW_TRAIN_SAMPLES, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                           {SHW_TRAIN_THRESHOLDS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                           {SHW_BLEND_LEAVES, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                           {SHW_BLEND_RESPONSES, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}};
    const VkFormat format = VK_FORMAT_R32_SFLOAT;
    const struct shw_program_params positions = {.name = "bench positions",
                                                 .compute = SHW_SHADER(bench_point_positions_comp),
                                                 .bindings = bindings,
                                                 .binding_count = 6,
                                                 .push_bytes = sizeof(struct shw_blend_push)};
    const struct shw_program_params points = {.name = "bench points",
                                              .vertex = SHW_SHADER(bench_point_positions_vert),
                                              .fragment = SHW_SHADER(train_blend_one_frag),
                                              .bindings = bindings,
                                              .binding_count = 1,
                                              .attachment_count = 1,
                                              .attachments = &format,
                                              .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                              .additive = true,
                                              .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST};
    const VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = MARKS};
    VkDeviceSize most = 0;

    for (uint32_t g = 0; g < blend->group_count; g++)
        most = blend->groups[g].count > most ? blend->groups[g].count : most;
    SHW_PROPAGATE(shw_program_create(rate->device, &positions, &rate->positions));
    SHW_PROPAGATE(shw_program_create(rate->device, &points, &rate->points));
    SHW_PROPAGATE(shw_sets_create(rate->device, &rate->positions, 1, &rate->positions_sets));
    SHW_PROPAGATE(shw_sets_create(rate->device, &rate->points, 1, &rate->points_sets));
    SHW_PROPAGATE(shw_buffer_create(rate->device, most * blend->layers * 2 * sizeof(float),
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_DEVICE, "positions", &rate->buffer));
    VK_PROPAGATE(rate->device, CreateQueryPool(rate->device->handle, &queries, rate->device->allocator, &rate->marks));
    const struct shw_resource resources[] = {
        {.buffer = rate->buffer.handle},       {.buffer = rate->training->tables.handle},
        {.buffer = blend->points.handle},      {.buffer = rate->training->thresholds.handle},
        {.view = blend->leaf_target.views[0]}, {.view = blend->responses.view}};
    shw_set_write(rate->device, &rate->positions, rate->positions_sets.handles[0], resources);
    shw_set_write(rate->device, &rate->points, rate->points_sets.handles[0], resources);
    return SHW_OK;
}

static void destroy(struct rate *rate)
{
    struct shw_device *device = rate->device;

    if (rate->marks != VK_NULL_HANDLE)
        device->vk.DestroyQueryPool(device->handle, rate->marks, device->allocator);
    shw_buffer_destroy(device, &rate->buffer);
    shw_sets_destroy(device, &rate->positions_sets);
    shw_sets_destroy(device, &rate->points_sets);
    shw_program_destroy(device, &rate->positions);
    shw_program_destroy(device, &rate->points);
    shw_trainer_destroy(&rate->trainer);
}

/* It is taken when all previous work has completed and no later work has started. */
static void mark(struct rate *rate, VkCommandBuffer commands)
{
    const struct shw_use all = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

    shw_memory_barrier(rate->device, commands, all, all);
    rate->device->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, rate->marks, rate->mark_count++);
    shw_memory_barrier(rate->device, commands, all, all);
}

/* Some candidates of a group, by both methods. */
static void record_block(struct rate *rate, VkCommandBuffer commands, struct shw_blend_push push, uint32_t layers)
{
    const struct shw_histogram_blend *blend = rate->training->blend;
    uint32_t place = rate->training->integrals.chunks[push.chunk].place;
    struct shw_blend_push bare = push;
    struct shw_use dropped = shw_use_blended; /* except the contents */

    dropped.layout = VK_IMAGE_LAYOUT_UNDEFINED;
    shw_blend_record_responses(rate->training, commands, push, layers);
    shw_image_barrier(rate->device, commands, blend->counts.handle, dropped, shw_use_blended);
    mark(rate, commands);
    shw_blend_record_points(rate->training, commands, &blend->programs[SHW_BLEND_SCATTER_FIRST],
                            blend->sets[SHW_BLEND_SCATTER_FIRST].handles[place], &push, layers);
    mark(rate, commands);
    shw_program_dispatch(rate->device, commands, &rate->positions, rate->positions_sets.handles[0], &push,
                         (push.count + WORKGROUP - 1) / WORKGROUP, layers, 1);
    mark(rate, commands);
    bare.count *= layers;
    shw_blend_record_points(rate->training, commands, &rate->points, rate->points_sets.handles[0], &bare, 1);
    mark(rate, commands);
    rate->drawn += bare.count;
}

/* The milliseconds between marks that follow each other are those of a kind; KINDS: of none. */
static enum shw_result read_marks(struct rate *rate, const enum kind *kinds, uint32_t period)
{
    struct shw_device *device = rate->device;
    uint64_t ticks[MARKS];
    double unit = 1e-6 * (double)device->properties.limits.timestampPeriod;

    VK_PROPAGATE(device, GetQueryPoolResults(device->handle, rate->marks, 0, rate->mark_count, sizeof ticks, ticks,
                                             sizeof *ticks, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    for (uint32_t i = 0; i + 1 < rate->mark_count; i++)
        if (kinds[i % period] < KINDS)
            rate->ms[kinds[i % period]] += unit * (double)(ticks[i + 1] - ticks[i]);
    return SHW_OK;
}

static enum shw_result begin(struct rate *rate, VkCommandBuffer *commands)
{
    SHW_PROPAGATE(shw_submit_begin(rate->device, commands));
    rate->device->vk.CmdResetQueryPool(*commands, rate->marks, 0, MARKS);
    rate->mark_count = 0;
    return SHW_OK;
}

static enum shw_result time_group(struct rate *rate, const struct shw_train_push *push,
                                  const struct shw_blend_group *group, size_t cells)
{
    const struct shw_histogram_blend *blend = rate->training->blend;
    struct shw_blend_push blend_push = shw_blend_push_of(blend, push, group);
    static const enum kind kinds[] = {SCATTERED, KINDS, BARE, KINDS};
    size_t most = (size_t)blend->tiling.height << blend->tiling.width_shift;
    VkCommandBuffer commands;

    blend_push.chunk = group->chunk;
    blend_push.cell_count = (uint32_t)(cells < most ? cells : most);
    SHW_PROPAGATE(begin(rate, &commands));
    shw_blend_record_leaves(rate->training, commands, &blend_push);
    for (; blend_push.candidate < push->candidate_count; blend_push.candidate += blend->layers) {
        uint32_t left = push->candidate_count - blend_push.candidate;
        record_block(rate, commands, blend_push, left < blend->layers ? left : blend->layers);
    }
    SHW_PROPAGATE(shw_submit_wait(rate->device, commands));
    return read_marks(rate, kinds, 4);
}

/* A chunk's part of the histograms as a round records it: leaf images, responses, points and flushes. */
static enum shw_result time_chunk(struct rate *rate, struct shw_train_push push, const struct shw_compute_batch *batch)
{
    static const enum kind kinds[] = {HISTOGRAM, KINDS};
    VkCommandBuffer commands;
    uint32_t piece = 0;
    uint64_t work = UINT64_MAX;

    SHW_PROPAGATE(begin(rate, &commands));
    shw_compute_clock_begin(rate->training, commands);
    mark(rate, commands);
    shw_blend_record(rate->training, commands, &push, batch, &piece, &work);
    mark(rate, commands);
    SHW_PROPAGATE(shw_submit_wait(rate->device, commands));
    return read_marks(rate, kinds, 2);
}

/* All groups of the last round once, each way. */
static enum shw_result time_round(struct rate *rate, const struct shw_train_push *push,
                                  const struct shw_compute_batch *batch)
{
    struct shw_train_push chunk = *push;

    memset(rate->ms, 0, sizeof rate->ms);
    rate->drawn = 0;
    for (uint32_t g = 0; g < rate->training->blend->group_count; g++)
        SHW_PROPAGATE(time_group(rate, push, &rate->training->blend->groups[g], batch->histogram_words));
    for (chunk.chunk = 0; chunk.chunk < rate->training->integrals.chunk_count; chunk.chunk++)
        SHW_PROPAGATE(time_chunk(rate, chunk, batch));
    return SHW_OK;
}

static enum shw_result add(struct shw_bench *bench, const struct rate *rate, const char *stage, const char *title,
                           uint32_t nodes, const struct shw_bench_times *times)
{
    char id[64];
    const struct shw_bench_row row = {
        .suite = "blending",
        .stage = stage,
        .technique = "blend",
        .title = title,
        .id = id,
        .setting = json_pack("{s:i, s:i, s:i}", "nodes", (int)nodes, "candidates", CANDIDATES, "bins", BINS),
        .times = times,
        .skipped = times == NULL ? "needs a device with timestamps that blends R32_SFLOAT" : NULL,
        .unit = "points",
        .units = (double)rate->drawn,
        .work = (double)rate->drawn,
        .work_unit = "points",
        .equals_cpu = -1,
        .unchecked = times == NULL ? NULL : "bare points build no histogram; suite training compares the forests"};

    snprintf(id, sizeof id, "blending/%s/blend", stage);
    return shw_bench_add(bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static enum shw_result time_rounds(struct shw_bench *bench, struct rate *rate, struct shw_bench_times times[KINDS])
{
    const struct shw_compute_batch *batch = &rate->training->round.batches[rate->training->round.batch_count - 1];
    const struct shw_train_push push = shw_compute_push(rate->training, batch);
    uint32_t runs = bench->options.runs < RUNS_MAX ? bench->options.runs : RUNS_MAX;
    double start = shw_bench_now();

    SHW_PROPAGATE(create(rate));
    SHW_PROPAGATE(time_round(rate, &push, batch)); /* does not count */
    for (uint32_t r = 0; r < runs && (r < 3 || shw_bench_now() - start < 1e3 * bench->options.seconds); r++) {
        SHW_PROPAGATE(time_round(rate, &push, batch));
        for (int k = 0; k < KINDS; k++) {
            times[k].device[r] = rate->ms[k];
            times[k].device_runs = r + 1;
        }
    }
    return SHW_OK;
}

/* Stages and titles of the rows. */
static const char *const rows[KINDS][2] = {
    [BARE] = {"bare", "points on counts, their positions from a buffer"},
    [SCATTERED] = {"scattered", "points on counts, scattered by the vertex shader"},
    [HISTOGRAM] = {"histogram", "leaf images, responses, points, flushes"}};

enum shw_result shw_bench_blending(struct shw_bench *bench)
{
    struct shw_trainer_params params = {.device = bench->device,
                                        .technique = SHW_TECHNIQUE_BLEND,
                                        .tree_count = 1,
                                        .depth = ROUNDS,
                                        .candidates = CANDIDATES,
                                        .thresholds = SHW_THRESHOLDS_RANDOM,
                                        .bins = BINS,
                                        .pixels_per_image = bench->description.is_cpu ? CPU_PIXELS : SHW_PIXELS_ALL,
                                        .log = bench->log};
    struct rate rate = {.device = bench->device};
    struct shw_bench_times *times = calloc(KINDS, sizeof *times);
    struct shw_dataset scenes = {0};
    uint32_t nodes;
    bool finished = false;
    enum shw_result result;

    if (times == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    if (bench->device == NULL || !bench->description.blends_r32_sfloat || bench->device->timestamp_bits == 0 ||
        !shw_bench_wants(bench, SHW_TECHNIQUE_BLEND)) {
        result = shw_bench_wants(bench, SHW_TECHNIQUE_BLEND) ? add(bench, &rate, rows[BARE][0], rows[BARE][1], 0, NULL)
                                                             : SHW_OK;
        free(times);
        return result;
    }
    SHW_TRY(shw_bench_scenes_open(bench, 320, 213, bench->description.is_cpu ? CPU_IMAGES : IMAGES, &scenes));
    shw_bench_say(bench, "blending");
    SHW_TRY(shw_trainer_create(&params, &scenes, &rate.trainer));
    while (!finished)
        SHW_TRY(shw_trainer_step(rate.trainer, &finished));
    rate.training = shw_compute_of(rate.trainer);
    nodes = rate.training->round.batches[rate.training->round.batch_count - 1].open_count;
    SHW_TRY(time_rounds(bench, &rate, times));
    for (int k = 0; k < KINDS; k++)
        SHW_TRY(add(bench, &rate, rows[k][0], rows[k][1], nodes, &times[k]));

fail:
    destroy(&rate);
    shw_bench_scenes_close(&scenes);
    free(times);
    return result;
}
