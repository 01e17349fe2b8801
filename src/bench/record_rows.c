#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "bench/bench.h"
#include "bench/records.h"
#include "bench/timing.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"

#define SHW_BENCH_RECORD_CHUNKS_MAX 64u

/* Chunks of at most 1 GiB. */
struct shw_bench_record_buffers {
    uint32_t chunk_count;
    uint64_t chunk, count; /* records of each chunk but the last; in all */
    struct shw_buffer records[SHW_BENCH_RECORD_CHUNKS_MAX], classes[SHW_BENCH_RECORD_CHUNKS_MAX];
};

#define PIECE_BYTES ((uint64_t)64 << 20)

struct copying {
    struct shw_bench *bench;
    struct shw_buffer host[2], device; /* to be read and to be written */
    uint64_t bytes[2];
};

static void copy(struct copying *copying, VkCommandBuffer commands, uint64_t bytes, const struct shw_buffer *from,
                 const struct shw_buffer *to)
{
    for (uint64_t at = 0; at < bytes; at += from->size) {
        const VkBufferCopy part = {.size = shw_min_u64(from->size, bytes - at)};
        copying->bench->device->vk.CmdCopyBuffer(commands, from->handle, to->handle, 1, &part);
    }
}

static void record_copies(void *user, VkCommandBuffer commands)
{
    struct copying *copying = user;

    copy(copying, commands, copying->bytes[0], &copying->host[0], &copying->device);
    shw_memory_barrier(copying->bench->device, commands, shw_use_copy_target, shw_use_copy_source);
    copy(copying, commands, copying->bytes[1], &copying->device, &copying->host[1]);
}

/* Times copies of `up` bytes from memory that the device reads itself to the device's own, and then of `down` bytes
 * back. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
static enum shw_result record_copy_time(struct shw_bench *bench, uint64_t up, uint64_t down,
                                        struct shw_bench_times *times)
{
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct copying copying = {.bench = bench, .bytes = {up, down}};
    const struct shw_bench_work work = {.record = record_copies, .user = &copying, .most = 1};
    uint64_t piece = shw_min_u64(PIECE_BYTES, shw_max_u64(up, down));
    enum shw_result result;

    SHW_TRY(shw_buffer_create(bench->device, piece, usage, SHW_MEMORY_UPLOAD, "to be read", &copying.host[0]));
    SHW_TRY(shw_buffer_create(bench->device, piece, usage, SHW_MEMORY_READBACK, "to be written", &copying.host[1]));
    SHW_TRY(shw_buffer_create(bench->device, piece, usage, SHW_MEMORY_DEVICE, "records", &copying.device));
    memset(copying.host[0].mapped, 1, piece);
    SHW_TRY(shw_bench_time(bench, &work, times));

fail:
    shw_buffer_destroy(bench->device, &copying.host[0]);
    shw_buffer_destroy(bench->device, &copying.host[1]);
    shw_buffer_destroy(bench->device, &copying.device);
    return result;
}

#define CHUNK_BYTES ((uint64_t)1 << 30)
#define STAGE_BYTES ((uint64_t)64 << 20)

static uint64_t chunk_bytes(const struct shw_bench *bench)
{
    return shw_min_u64(CHUNK_BYTES, bench->device->properties.limits.maxStorageBufferRange);
}

static uint32_t record_chunk_count(const struct shw_bench_record_buffers *buffers, uint32_t chunk)
{
    return (uint32_t)shw_min_u64(buffers->chunk, buffers->count - chunk * buffers->chunk);
}

/* Copies between the host and a buffer, piece by piece. */
static enum shw_result transfer(struct shw_bench *bench, const struct shw_buffer *buffer, void *host, uint64_t bytes,
                                bool up)
{
    struct shw_device *device = bench->device;
    uint64_t piece = shw_min_u64(bytes, STAGE_BYTES);
    struct shw_buffer stage;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(shw_buffer_create(device, piece, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                    up ? SHW_MEMORY_UPLOAD : SHW_MEMORY_READBACK, "staging", &stage));
    for (uint64_t at = 0; at < bytes; at += piece) {
        uint64_t size = shw_min_u64(piece, bytes - at);
        VkCommandBuffer commands;
        if (up)
            memcpy(stage.mapped, (const char *)host + at, size);
        SHW_TRY(shw_submit_begin(device, &commands));
        shw_memory_barrier(device, commands, shw_use_anything, up ? shw_use_copy_target : shw_use_copy_source);
        device->vk.CmdCopyBuffer(commands, up ? stage.handle : buffer->handle, up ? buffer->handle : stage.handle, 1,
                                 &(VkBufferCopy){.srcOffset = up ? 0 : at, .dstOffset = up ? at : 0, .size = size});
        shw_memory_barrier(device, commands, shw_use_copy_target, up ? shw_use_anything : shw_use_host_read);
        SHW_TRY(shw_submit_wait(device, commands));
        if (!up)
            memcpy((char *)host + at, stage.mapped, size);
    }

fail:
    shw_buffer_destroy(device, &stage);
    return result;
}

/* Repeats the first `bytes` bytes of a buffer to its end, by copies of what is there already. */
static enum shw_result repeat(struct shw_bench *bench, const struct shw_buffer *from, const struct shw_buffer *to,
                              uint64_t bytes, uint64_t all)
{
    struct shw_device *device = bench->device;
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    for (uint64_t at = from == to ? bytes : 0; at < all;) {
        uint64_t size = shw_min_u64(from == to ? at : bytes, all - at);
        shw_memory_barrier(device, commands, shw_use_copy_target, shw_use_anything);
        device->vk.CmdCopyBuffer(commands, from->handle, to->handle, 1, &(VkBufferCopy){.dstOffset = at, .size = size});
        at += size;
    }
    shw_memory_barrier(device, commands, shw_use_copy_target, shw_use_anything);
    return shw_submit_wait(device, commands);
}

static enum shw_result make_chunk(struct shw_bench *bench, uint32_t c, const float *values, uint64_t distinct,
                                  uint64_t row_bytes, struct shw_bench_record_buffers *buffers)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    uint64_t count = record_chunk_count(buffers, c);

    SHW_PROPAGATE(
        shw_buffer_create(bench->device, count * row_bytes, usage, SHW_MEMORY_DEVICE, "records", &buffers->records[c]));
    SHW_PROPAGATE(shw_buffer_create(bench->device, count * sizeof(uint32_t), usage, SHW_MEMORY_DEVICE, "classes",
                                    &buffers->classes[c]));
    if (c > 0) /* the first chunk begins with the first record, as all do */
        return repeat(bench, &buffers->records[0], &buffers->records[c], buffers->chunk * row_bytes, count * row_bytes);
    SHW_PROPAGATE(transfer(bench, &buffers->records[0], (void *)(uintptr_t)values,
                           shw_min_u64(distinct, count) * row_bytes, true));
    return repeat(bench, &buffers->records[0], &buffers->records[0], distinct * row_bytes, count * row_bytes);
}

/* Puts `distinct` records on the device, repeated up to `count`. Free with record_buffers_free(), also on
 * failure. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST, LIMIT. */
static enum shw_result record_buffers_make(struct shw_bench *bench, const float *values, uint64_t distinct,
                                           uint64_t count, uint32_t attributes,
                                           struct shw_bench_record_buffers *buffers)
{
    uint64_t row_bytes = attributes * sizeof(float), most = chunk_bytes(bench) / row_bytes;

    *buffers = (struct shw_bench_record_buffers){.chunk = shw_min_u64(count, most), .count = count};
    if (count > most)
        buffers->chunk = most >= distinct ? most / distinct * distinct : most;
    if (count > most && most < distinct)
        return shw_fail(&bench->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "records of %u attributes take too large a "
                        "buffer",
                        attributes);
    buffers->chunk_count = (uint32_t)((count + buffers->chunk - 1) / buffers->chunk);
    if (buffers->chunk_count > SHW_BENCH_RECORD_CHUNKS_MAX)
        return shw_fail(&bench->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "more than %u buffers of records",
                        SHW_BENCH_RECORD_CHUNKS_MAX);
    for (uint32_t c = 0; c < buffers->chunk_count; c++)
        SHW_PROPAGATE(make_chunk(bench, c, values, distinct, row_bytes, buffers));
    return SHW_OK;
}

static void record_buffers_free(struct shw_bench *bench, struct shw_bench_record_buffers *buffers)
{
    for (uint32_t c = 0; c < buffers->chunk_count; c++) {
        shw_buffer_destroy(bench->device, &buffers->records[c]);
        shw_buffer_destroy(bench->device, &buffers->classes[c]);
    }
    *buffers = (struct shw_bench_record_buffers){0};
}

/* Whether all classes are those of the distinct records. */
static enum shw_result record_classes_equal(struct shw_bench *bench, const struct shw_bench_record_buffers *buffers,
                                            const uint32_t *expected, uint64_t distinct, bool *equal)
{
    uint32_t *classes = malloc(buffers->chunk * sizeof *classes);
    enum shw_result result = classes != NULL ? SHW_OK : shw_fail_memory(&bench->log, "classes of records");

    *equal = true;
    for (uint32_t c = 0; c < buffers->chunk_count && result == SHW_OK; c++) {
        uint64_t count = record_chunk_count(buffers, c);
        result = transfer(bench, &buffers->classes[c], classes, count * sizeof *classes, false);
        for (uint64_t r = 0; r < count && result == SHW_OK; r += distinct)
            *equal = *equal && memcmp(classes + r, expected, shw_min_u64(distinct, count - r) * sizeof *classes) == 0;
    }
    free(classes);
    return result;
}

#define CHECKED_MAX   65536u      /* records whose leaves and sums are compared */
#define LEAVES_MAX    (1u << 24)  /* of them, of all trees */
#define DISTINCT_WORK 60000000u   /* tests that `serial` makes for what is expected */
#define SERIAL_WORK   200000000.0 /* tests of a row by `serial`, by `cpu` and of nodes by speculation */
#define CPU_WORK      10000000000.0
#define NODE_WORK     300000000000.0 /* with --quick a hundredth, without hardware a millionth */
#define STILL_MS      1000.0         /* between two rows, in which programs are compiled and results are compared */

/* Device techniques first, so that the device does not rest meanwhile. */
static const enum shw_record_technique techniques[] = {
    SHW_RECORD_COMPUTE, SHW_RECORD_SPECULATIVE, SHW_RECORD_SPECULATIVE_MAPPED, SHW_RECORD_WINDOWED, SHW_RECORD_FRAGMENT,
    SHW_RECORD_CPU,     SHW_RECORD_SERIAL};

#define TECHNIQUES (sizeof techniques / sizeof *techniques)

struct rows {
    struct shw_bench *bench;
    const struct shw_bench_record_setting *setting;
    const struct shw_record_forest_info *info;
    /* by `serial`: classes of the distinct records, and leaves and sums of the first `checked` */
    uint32_t *expected_classes, *expected_leaves;
    int64_t *expected_sums;
    uint64_t checked;
    double path_length; /* tests of a record in a tree, the mean */
    uint32_t depth;

    float *whole;      /* all records in memory, for outer times */
    uint32_t *classes; /* in memory, of all of them or of the distinct ones */
    uint32_t *leaves;  /* of the first ones */
    int64_t *sums;
    struct shw_bench_record_buffers buffers;
    bool on_device;

    enum shw_record_technique technique; /* of the row */
    struct shw_record_evaluator *evaluator;
    uint32_t slot;          /* of the next recording */
    enum shw_result failed; /* of recording */
    struct shw_bench_times times;
};

uint64_t shw_bench_records_max(const struct shw_bench *bench, uint32_t attributes)
{
    uint64_t memory = bench->device != NULL ? bench->description.memory_bytes / 4 : (uint64_t)1 << 30;
    uint64_t most = memory / ((attributes + 1) * sizeof(float));

    if (shw_bench_is_small(bench))
        most = shw_min_u64(most, 256);
    else if (bench->options.quick)
        most = shw_min_u64(most, 1000000);
    return bench->options.records > 0 ? shw_min_u64(most, bench->options.records) : most;
}

uint64_t shw_bench_records_distinct(uint64_t count, uint64_t tests_per_record)
{
    return shw_min_u64(count, shw_max_u64(1024, DISTINCT_WORK / shw_max_u64(1, tests_per_record)));
}

static bool is_host(enum shw_record_technique technique)
{
    return !shw_record_technique_needs_device(technique);
}

static bool wants(const struct rows *rows, enum shw_record_technique technique)
{
    const struct shw_bench *bench = rows->bench;
    uint32_t chosen = bench->options.record_techniques;

    if (is_host(technique) ? rows->setting->device_only : bench->device == NULL)
        return false;
    return (chosen == 0 && bench->options.techniques == 0) || (chosen >> technique & 1u) != 0;
}

static struct shw_records records_of(const struct rows *rows, const float *values, uint64_t count)
{
    return (struct shw_records){.values = values, .count = count, .attribute_count = rows->info->attribute_count};
}

static enum shw_result create(struct rows *rows, enum shw_record_technique technique, uint32_t slots)
{
    const struct shw_record_evaluator_params params = {.forest = rows->setting->forest,
                                                       .device = is_host(technique) ? NULL : rows->bench->device,
                                                       .technique = technique,
                                                       .slots = slots,
                                                       .log = rows->bench->log};

    return shw_record_evaluator_create(&params, &rows->evaluator);
}

/* The tests on the path to each leaf of a tree. */
static void count_tests(const struct shw_record_forest_info *info, uint32_t t, uint32_t *by_leaf, uint32_t *depths)
{
    const struct shw_record_tree *tree = &info->trees[t];

    depths[0] = 0;
    for (uint32_t n = 0; n < tree->node_count; n++) {
        const struct shw_record_node *node = &info->nodes[tree->first_node + n];
        if (node->is_split)
            depths[node->left] = depths[node->left + 1] = depths[n] + 1;
        else
            by_leaf[node->leaf] = depths[n];
    }
}

static enum shw_result measure_paths(struct rows *rows)
{
    const struct shw_record_forest_info *info = rows->info;
    uint32_t *depths = malloc(info->node_count * sizeof *depths), *by_leaf = malloc(info->node_count * sizeof *by_leaf);
    double tests = 0;

    for (uint32_t t = 0; depths != NULL && by_leaf != NULL && t < info->tree_count; t++) {
        count_tests(info, t, by_leaf, depths);
        for (uint64_t r = 0; r < rows->checked; r++)
            tests += by_leaf[rows->expected_leaves[r * info->tree_count + t]];
        rows->depth = shw_max_u32(rows->depth, info->trees[t].depth);
    }
    rows->path_length = tests / ((double)rows->checked * info->tree_count);
    free(by_leaf);
    if (depths == NULL || by_leaf == NULL) {
        free(depths);
        return shw_fail_memory(&rows->bench->log, "the paths of records");
    }
    free(depths);
    return SHW_OK;
}

static bool allocate(struct rows *rows)
{
    const struct shw_bench_record_setting *setting = rows->setting;
    bool is_outer = setting->time == SHW_BENCH_RECORD_OUTER;
    uint64_t leaf_count;

    rows->checked = shw_min_u64(shw_min_u64(setting->distinct, CHECKED_MAX), LEAVES_MAX / rows->info->tree_count);
    leaf_count = rows->checked * rows->info->tree_count;
    rows->expected_classes = malloc(setting->distinct * sizeof *rows->expected_classes);
    rows->expected_leaves = malloc(leaf_count * sizeof *rows->expected_leaves);
    rows->expected_sums = malloc(rows->checked * rows->info->output_count * sizeof *rows->expected_sums);
    rows->classes = malloc((is_outer ? setting->count : setting->distinct) * sizeof *rows->classes);
    rows->leaves = malloc(leaf_count * sizeof *rows->leaves);
    rows->sums = malloc(rows->checked * rows->info->output_count * sizeof *rows->sums);
    return rows->expected_classes != NULL && rows->expected_leaves != NULL && rows->expected_sums != NULL &&
           rows->classes != NULL && rows->leaves != NULL && rows->sums != NULL;
}

static enum shw_result expect(struct rows *rows)
{
    const struct shw_bench_record_setting *setting = rows->setting;
    const struct shw_records all = records_of(rows, setting->values, setting->distinct);
    const struct shw_records first = records_of(rows, setting->values, rows->checked);
    enum shw_result result;

    SHW_TRY(create(rows, SHW_RECORD_SERIAL, 1));
    SHW_TRY(shw_record_evaluator_run(rows->evaluator, &all,
                                     &(struct shw_record_results){.classes = rows->expected_classes}));
    SHW_TRY(shw_record_evaluator_run(
        rows->evaluator, &first,
        &(struct shw_record_results){.sums = rows->expected_sums, .leaves = rows->expected_leaves}));
    SHW_TRY(measure_paths(rows));

fail:
    shw_record_evaluator_destroy(&rows->evaluator);
    return result;
}

/* All records in memory, which may be the distinct ones. */
static enum shw_result make_whole(struct rows *rows)
{
    const struct shw_bench_record_setting *setting = rows->setting;
    size_t row = rows->info->attribute_count * sizeof(float);

    if (setting->time != SHW_BENCH_RECORD_OUTER)
        return SHW_OK;
    rows->whole = malloc(setting->count * row);
    if (rows->whole == NULL)
        return shw_fail_memory(&rows->bench->log, "all records");
    for (uint64_t r = 0; r < setting->count; r += setting->distinct)
        memcpy((char *)rows->whole + r * row, setting->values,
               shw_min_u64(setting->distinct, setting->count - r) * row);
    return SHW_OK;
}

static enum shw_result put_on_device(struct rows *rows)
{
    const struct shw_bench_record_setting *setting = rows->setting;

    if (rows->bench->device == NULL || setting->time == SHW_BENCH_RECORD_OUTER || rows->on_device)
        return SHW_OK;
    SHW_PROPAGATE(record_buffers_make(rows->bench, setting->values, setting->distinct, setting->count,
                                      rows->info->attribute_count, &rows->buffers));
    rows->on_device = true;
    return SHW_OK;
}

static void record(void *user, VkCommandBuffer commands)
{
    struct rows *rows = user;
    const VkPipelineStageFlags anywhere = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

    for (uint32_t c = 0; c < rows->buffers.chunk_count; c++) {
        const struct shw_record_source source = {.buffer = rows->buffers.records[c].handle,
                                                 .count = record_chunk_count(&rows->buffers, c),
                                                 .attribute_count = rows->info->attribute_count,
                                                 .before_stage = anywhere,
                                                 .before_access = VK_ACCESS_SHADER_READ_BIT};
        const struct shw_record_target target = {.classes = {.buffer = rows->buffers.classes[c].handle},
                                                 .before_stage = anywhere,
                                                 .before_access = VK_ACCESS_SHADER_WRITE_BIT,
                                                 .after_stage = anywhere,
                                                 .after_access = VK_ACCESS_SHADER_WRITE_BIT};
        enum shw_result result =
            shw_record_evaluator_record(rows->evaluator, commands, rows->slot + c, &source, &target);
        if (result != SHW_OK)
            rows->failed = result;
    }
    rows->slot = (rows->slot + rows->buffers.chunk_count) % (rows->setting->slots * rows->buffers.chunk_count);
}

/* On the host, the distinct records as often as it takes. */
static enum shw_result run_host(void *user)
{
    struct rows *rows = user;
    const struct shw_bench_record_setting *setting = rows->setting;

    for (uint64_t r = 0; r < setting->count; r += setting->distinct) {
        const struct shw_records records =
            records_of(rows, setting->values, shw_min_u64(setting->distinct, setting->count - r));
        SHW_PROPAGATE(shw_record_evaluator_run(rows->evaluator, &records,
                                               &(struct shw_record_results){.classes = rows->classes}));
    }
    return SHW_OK;
}

static enum shw_result run_whole(void *user)
{
    struct rows *rows = user;
    const struct shw_records records = records_of(rows, rows->whole, rows->setting->count);

    return shw_record_evaluator_run(rows->evaluator, &records, &(struct shw_record_results){.classes = rows->classes});
}

/* Leaves, sums and classes of the first records. */
static enum shw_result check_first(struct rows *rows, bool *equal)
{
    const struct shw_records records = records_of(rows, rows->setting->values, rows->checked);
    const struct shw_record_results results = {.classes = rows->classes, .sums = rows->sums, .leaves = rows->leaves};

    SHW_PROPAGATE(shw_record_evaluator_run(rows->evaluator, &records, &results));
    *equal =
        memcmp(rows->leaves, rows->expected_leaves, rows->checked * rows->info->tree_count * sizeof *rows->leaves) ==
            0 &&
        memcmp(rows->sums, rows->expected_sums, rows->checked * rows->info->output_count * sizeof *rows->sums) == 0 &&
        memcmp(rows->classes, rows->expected_classes, rows->checked * sizeof *rows->classes) == 0;
    return SHW_OK;
}

/* Classes in memory, of the last run. */
static bool host_classes_equal(const struct rows *rows)
{
    const struct shw_bench_record_setting *setting = rows->setting;
    uint64_t last = setting->count % setting->distinct;

    if (setting->time != SHW_BENCH_RECORD_OUTER)
        return memcmp(rows->classes, rows->expected_classes,
                      (last > 0 ? last : setting->distinct) * sizeof *rows->classes) == 0;
    for (uint64_t r = 0; r < setting->count; r += setting->distinct)
        if (memcmp(rows->classes + r, rows->expected_classes,
                   shw_min_u64(setting->distinct, setting->count - r) * sizeof *rows->classes) != 0)
            return false;
    return true;
}

static json_t *describe(const struct rows *rows)
{
    const struct shw_record_forest_info *info = rows->info;
    json_t *described =
        json_pack("{s:I, s:i, s:i, s:i, s:i, s:f, s:s}", "records", (json_int_t)rows->setting->count, "trees",
                  (int)info->tree_count, "depth", (int)rows->depth, "attributes", (int)info->attribute_count, "nodes",
                  (int)info->node_count, "path_length", rows->path_length, "time",
                  rows->setting->time == SHW_BENCH_RECORD_OUTER ? "outer" : "inner");

    if (described != NULL && rows->setting->described != NULL)
        json_object_update(described, rows->setting->described);
    return described;
}

static enum shw_result add(struct rows *rows, const char *technique, const char *skipped, int equals)
{
    const struct shw_bench_record_setting *setting = rows->setting;
    const double ms = setting->published != NULL && technique == shw_record_technique_name(rows->technique)
                          ? (*setting->published)[rows->technique]
                          : 0;
    const struct shw_bench_published published = {
        "Spencer 2021", is_host(rows->technique) ? "Core 2 Duo E8600" : "Quadro 2000", "Table 1, average", ms};
    char id[192];
    const struct shw_bench_row row = {.suite = "records",
                                      .stage = setting->stage,
                                      .technique = technique,
                                      .title = setting->title,
                                      .series = setting->series,
                                      .id = id,
                                      .setting = describe(rows),
                                      .times = skipped == NULL ? &rows->times : NULL,
                                      .skipped = skipped,
                                      .unit = "records",
                                      .units = (double)setting->count,
                                      .work = (double)setting->count * rows->info->tree_count * rows->path_length,
                                      .work_unit = "node visits",
                                      .equals_cpu = equals,
                                      .published = &published,
                                      .published_count = ms > 0};

    snprintf(id, sizeof id, "records/%s/%s%s%s%s/%s", setting->stage, setting->series != NULL ? "by-" : "",
             setting->series != NULL ? setting->series : "", setting->series != NULL ? "/" : "", setting->name,
             technique);
    return shw_bench_add(rows->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static enum shw_result time_on_device(struct rows *rows, bool *equal)
{
    const struct shw_bench_work work = {.record = record, .user = rows, .most = rows->setting->slots};
    bool same;

    rows->slot = 0;
    rows->failed = SHW_OK;
    SHW_PROPAGATE(shw_bench_time(rows->bench, &work, &rows->times));
    SHW_PROPAGATE(rows->failed);
    SHW_PROPAGATE(
        record_classes_equal(rows->bench, &rows->buffers, rows->expected_classes, rows->setting->distinct, &same));
    *equal = *equal && same;
    return SHW_OK;
}

static enum shw_result time_on_host(struct rows *rows, bool *equal)
{
    const struct shw_bench_work work = {.run = rows->setting->time == SHW_BENCH_RECORD_OUTER ? run_whole : run_host,
                                        .user = rows};

    SHW_PROPAGATE(shw_bench_time(rows->bench, &work, &rows->times));
    *equal = *equal && host_classes_equal(rows);
    return SHW_OK;
}

static enum shw_result time_technique(struct rows *rows)
{
    enum shw_record_technique technique = rows->technique;
    bool on_device = !is_host(technique) && rows->setting->time == SHW_BENCH_RECORD_INNER, equal = false;
    enum shw_result result;

    if (on_device)
        SHW_TRY(put_on_device(rows));
    SHW_TRY(create(rows, technique, on_device ? rows->setting->slots * rows->buffers.chunk_count : 1));
    SHW_TRY(check_first(rows, &equal));
    if (shw_bench_now() - rows->bench->busy_until < STILL_MS)
        shw_bench_was_busy(rows->bench);
    SHW_TRY(on_device ? time_on_device(rows, &equal) : time_on_host(rows, &equal));
    SHW_TRY(add(rows, shw_record_technique_name(technique), NULL, equal));

fail:
    shw_record_evaluator_destroy(&rows->evaluator);
    return shw_bench_is_skip(result) ? add(rows, shw_record_technique_name(technique), rows->bench->message, -1)
                                     : result;
}

/* Whether a row would take too long; then why. */
static bool is_too_much(const struct rows *rows, char text[static 128])
{
    double splits = (rows->info->node_count - rows->info->tree_count) / 2.0, count = (double)rows->setting->count;
    double visits = count * rows->info->tree_count * rows->path_length, scale = shw_bench_is_small(rows->bench) ? 1e-6
                                                                                : rows->bench->options.quick    ? 0.01
                                                                                                                : 1;
    enum shw_record_technique technique = rows->technique;

    if (technique == SHW_RECORD_SERIAL && visits > SERIAL_WORK) {
        snprintf(text, 128, "%.2g node visits; serial is timed with up to %.0e", visits, SERIAL_WORK);
        return true;
    }
    if (technique == SHW_RECORD_CPU && visits > CPU_WORK) {
        snprintf(text, 128, "%.2g node visits; cpu is timed with up to %.0e", visits, CPU_WORK);
        return true;
    }
    if ((technique == SHW_RECORD_SPECULATIVE || technique == SHW_RECORD_SPECULATIVE_MAPPED) &&
        count * splits > scale * NODE_WORK) {
        snprintf(text, 128, "%.2g tests of all nodes; speculation is timed with up to %.0e", count * splits,
                 scale * NODE_WORK);
        return true;
    }
    return false;
}

static enum shw_result time_all(struct rows *rows)
{
    char reason[128];

    for (size_t t = 0; t < TECHNIQUES; t++) {
        rows->technique = techniques[t];
        if (!wants(rows, techniques[t]))
            continue;
        shw_bench_say(rows->bench, "records/%s/%s/%s", rows->setting->stage, rows->setting->name,
                      shw_record_technique_name(techniques[t]));
        if (is_too_much(rows, reason))
            SHW_PROPAGATE(add(rows, shw_record_technique_name(techniques[t]), reason, -1));
        else
            SHW_PROPAGATE(time_technique(rows));
    }
    return SHW_OK;
}

static enum shw_result time_copy(struct rows *rows)
{
    const struct shw_bench_record_setting *setting = rows->setting;
    enum shw_result result;

    if (!setting->copies || rows->bench->device == NULL)
        return SHW_OK;
    shw_bench_say(rows->bench, "records/%s/%s/copy", setting->stage, setting->name);
    result = record_copy_time(rows->bench, setting->count * rows->info->attribute_count * sizeof(float),
                              setting->count * sizeof(uint32_t), &rows->times);
    if (result != SHW_OK && !shw_bench_is_skip(result))
        return result;
    return add(rows, "copy", result == SHW_OK ? NULL : rows->bench->message, -1);
}

static void free_rows(struct rows *rows)
{
    if (rows->bench->device != NULL)
        record_buffers_free(rows->bench, &rows->buffers);
    free(rows->expected_classes);
    free(rows->expected_leaves);
    free(rows->expected_sums);
    free(rows->whole);
    free(rows->classes);
    free(rows->leaves);
    free(rows->sums);
    free(rows);
}

static enum shw_result begin(struct shw_bench *bench, const struct shw_bench_record_setting *setting, struct rows **out)
{
    struct rows *rows = calloc(1, sizeof *rows);
    enum shw_result result;

    if (rows == NULL)
        return shw_fail_memory(&bench->log, "a setting of the bench");
    rows->bench = bench;
    rows->setting = setting;
    rows->info = shw_record_forest_get_info(setting->forest);
    if (!allocate(rows))
        result = shw_fail_memory(&bench->log, "the results of records");
    else
        result = expect(rows);
    if (result == SHW_OK)
        *out = rows;
    else
        free_rows(rows);
    return result;
}

enum shw_result shw_bench_record_rows(struct shw_bench *bench, const struct shw_bench_record_setting *setting)
{
    struct rows *rows = NULL;
    enum shw_result result;

    SHW_PROPAGATE(begin(bench, setting, &rows));
    result = make_whole(rows);
    if (result == SHW_OK)
        result = time_copy(rows);
    if (result == SHW_OK)
        result = time_all(rows);
    free_rows(rows);
    return result;
}
