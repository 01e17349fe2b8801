/* Records on a device: passes over slices of the trees, pieces of a recording, tables. */
#include "records/evaluate/device.h"

#include <shadewood/records.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "shared/record.h"
#include "vulkan/commands.h"

/* Makes a program of work groups of `lanes` with the bindings and constants of shaders/records/evaluate/tables.glsl;
 * `own` are `count` constants from the number 16 on. */
#define SHW_RECORD_CONSTANTS_MAX 16u
#define SHW_RECORD_SPARE         256u /* at least minStorageBufferOffsetAlignment of any device */

#define SHW_RECORD_SETS 32u /* of a slot */

/* Evaluation in passes, slice by slice of the trees: the walk writes where records end, and what is there is added to
 * the sums. */

SHW_SHADER_DECLARE(record_sums_comp);
SHW_SHADER_DECLARE(record_classes_comp);

#define LANES        64u
#define RECORDS_MOST 65536u
#define TREES_MOST   256u       /* of a slice */
#define CHUNK_TREES  64u        /* of at most SHW_RECORD_DEPTH_MAX tests each */
#define PLACES_MOST  (1u << 24) /* elements of both buffers */
#define SUMS_MOST    (1u << 22)
#define GROUPS_MOST  32768u /* of one row of a dispatch */

/* Sizes are known before the walker makes the tables. */
static void record_passes_measure(struct shw_record_device *device)
{
    struct shw_record_passes *passes = &device->passes;
    uint32_t outputs = device->info->output_count;

    passes->trees = shw_min_u32(shw_max_u32(device->info->tree_count, 1), TREES_MOST);
    passes->chunk_trees = CHUNK_TREES;
    passes->records = shw_min_u32(RECORDS_MOST, shw_min_u32(PLACES_MOST / passes->trees, SUMS_MOST / outputs));
}

/* Constants 0 to 15 of shaders/records/evaluate/tables.glsl. */
static void write_constants(const struct shw_record_device *device, uint32_t lanes, uint32_t *constants)
{
    const struct shw_record_forest_info *info = device->info;
    const struct shw_record_order *order = &device->order;
    uint32_t mapped = order->column_count > 0 && order->columns[order->column_count - 1] + 1 != order->column_count;

    memset(constants, 0, 16 * sizeof *constants);
    constants[0] = lanes;
    constants[1] = info->output_count;
    constants[2] = device->in_passes ? 1 : info->values_per_leaf;
    constants[3] = info->tree_count;
    constants[4] = order->narrow;
    constants[5] = device->in_passes;
    constants[6] = device->numbers.handle != VK_NULL_HANDLE;
    constants[7] = order->missing_right;
    constants[8] = order->zero_missing;
    constants[9] = mapped;
    constants[10] = (uint32_t)((uint64_t)info->cut & UINT32_MAX);
    constants[11] = (uint32_t)((uint64_t)info->cut >> 32);
    constants[12] = device->in_passes ? 0 : device->tables.classes_at;
    constants[13] = device->tables.sets_at;
}

enum shw_result shw_record_device_program(struct shw_record_device *device, const char *name, struct shw_shader shader,
                                          uint32_t lanes, const uint32_t *own, uint32_t count,
                                          struct shw_program *program)
{
    VkSpecializationMapEntry entries[16 + SHW_RECORD_CONSTANTS_MAX];
    uint32_t constants[16 + SHW_RECORD_CONSTANTS_MAX];
    const VkSpecializationInfo specialization = {16 + count, entries, (16 + count) * sizeof *constants, constants};
    struct shw_binding bindings[SHW_RECORD_BINDINGS];
    const struct shw_program_params params = {.name = name,
                                              .compute = shader,
                                              .bindings = bindings,
                                              .binding_count = SHW_RECORD_BINDINGS,
                                              .push_bytes = sizeof(struct shw_record_push),
                                              .specialization = &specialization};

    write_constants(device, lanes, constants);
    if (count > 0)
        memcpy(constants + 16, own, count * sizeof *own);
    for (uint32_t c = 0; c < 16 + count; c++)
        entries[c] = (VkSpecializationMapEntry){c, c * (uint32_t)sizeof *constants, sizeof *constants};
    for (uint32_t b = 0; b < SHW_RECORD_BINDINGS; b++)
        bindings[b] = (struct shw_binding){b, b < SHW_RECORD_DYNAMIC ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC
                                                                     : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    SHW_PROPAGATE(shw_program_create(device->device, &params, program));
    if (device->first.pipeline == VK_NULL_HANDLE)
        device->first = *program;
    return SHW_OK;
}

static enum shw_result record_passes_create(struct shw_record_device *device)
{
    struct shw_record_passes *passes = &device->passes;
    const uint32_t of_all = device->info->values_per_leaf == device->info->output_count;

    SHW_PROPAGATE(shw_buffer_create(device->device, sizeof(uint32_t) * (uint64_t)passes->records * passes->trees,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_DEVICE, "places in trees",
                                    &passes->places));
    SHW_PROPAGATE(shw_buffer_create(device->device,
                                    sizeof(uint64_t) * (uint64_t)passes->records * device->info->output_count,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_DEVICE, "sums", &passes->sums));
    SHW_PROPAGATE(shw_record_device_program(device, "record sums", SHW_SHADER(record_sums_comp), LANES, &of_all, 1,
                                            &passes->add));
    return shw_record_device_program(device, "record classes", SHW_SHADER(record_classes_comp), LANES, NULL, 0,
                                     &passes->decide);
}

static void record_passes_release(struct shw_record_device *device)
{
    struct shw_record_passes *passes = &device->passes;

    shw_program_destroy(device->device, &passes->add);
    shw_program_destroy(device->device, &passes->decide);
    shw_buffer_destroy(device->device, &passes->places);
    shw_buffer_destroy(device->device, &passes->sums);
}

static void wait_for_pass(const struct shw_record_device *device, VkCommandBuffer commands)
{
    shw_memory_barrier(device->device, commands, shw_use_compute_write, shw_use_compute_write);
}

/* Words of a chunk: its first tree, and the one after its last. */
static const uint32_t *chunk_at(const struct shw_record_device *device, uint32_t chunk)
{
    return device->tables.words + 4 * (size_t)SHW_RECORD_CHUNK_TEXELS * chunk;
}

/* Depths of a chunk's trees, and their number. */
static uint64_t depths_of(const struct shw_record_device *device, uint32_t chunk)
{
    const uint32_t *trees = chunk_at(device, chunk);
    uint64_t depths = 1;

    for (uint32_t t = trees[0]; t < trees[1]; t++)
        depths += 1 + (uint64_t)device->info->trees[device->order.trees[t]].depth;
    return depths;
}

/* The slice from chunk `first` on. */
static void set_slice(const struct shw_record_device *device, uint32_t first, struct shw_record_push *push)
{
    uint64_t depths = depths_of(device, first);

    push->first_chunk = first;
    push->first_tree = chunk_at(device, first)[0];
    push->end_chunk = first + 1;
    while (push->end_chunk < device->tables.chunk_count &&
           chunk_at(device, push->end_chunk)[1] - push->first_tree <= device->passes.trees &&
           depths + depths_of(device, push->end_chunk) <= device->depths_most)
        depths += depths_of(device, push->end_chunk++);
    push->end_tree = chunk_at(device, push->end_chunk - 1)[1];
}

void shw_record_device_dispatch(const struct shw_record_device *device, VkCommandBuffer commands,
                                const struct shw_program *program, const struct shw_record_piece *piece, uint32_t x,
                                uint32_t y)
{
    shw_program_bind_at(device->device, commands, program, piece->set, piece->offsets, SHW_RECORD_DYNAMIC,
                        &piece->push);
    device->device->vk.CmdDispatch(commands, x, y, 1);
}

static void record_sums(const struct shw_record_device *device, VkCommandBuffer commands,
                        const struct shw_record_piece *piece)
{
    uint32_t groups = (piece->push.count * device->info->output_count + LANES - 1) / LANES;
    uint32_t columns = shw_min_u32(groups, GROUPS_MOST);

    wait_for_pass(device, commands);
    shw_record_device_dispatch(device, commands, &device->passes.add, piece, columns, (groups + columns - 1) / columns);
}

static void record_passes_record(struct shw_record_device *device, VkCommandBuffer commands,
                                 struct shw_record_piece *piece)
{
    uint32_t chunks = device->tables.chunk_count;

    for (uint32_t c = 0; c < chunks; c = piece->push.end_chunk) {
        set_slice(device, c, &piece->push);
        device->walker->record(device, device->state, commands, piece);
        if ((piece->push.wanted & SHW_RECORD_WANTS_VALUES) != 0)
            record_sums(device, commands, piece);
        if (piece->push.end_chunk < chunks) /* the next slice writes the places again */
            wait_for_pass(device, commands);
    }
    if ((piece->push.wanted & SHW_RECORD_WANTS_CLASSES) == 0)
        return;
    wait_for_pass(device, commands);
    shw_record_device_dispatch(device, commands, &device->passes.decide, piece, (piece->push.count + LANES - 1) / LANES,
                               1);
}

/* Recording: as many pieces as the ranges of descriptors need. */

/* A descriptor has the same offset in all pieces of a set, and a piece's own offset is added to it. */
struct plan {
    uint32_t count;                       /* records of a piece; the last one may have fewer */
    uint32_t per_set;                     /* pieces */
    uint64_t strides[SHW_RECORD_DYNAMIC]; /* bytes from record to record; 0: not wanted */
};

/* The bytes of `count` records from the first to the last that is read. */
static uint64_t source_bytes(const struct shw_record_device *device, const struct shw_record_source *source,
                             uint64_t count)
{
    uint64_t attributes = shw_max_u32(device->info->attribute_count, 1);

    return sizeof(float) * ((count - 1) * source->record_stride + (attributes - 1) * source->attribute_stride + 1);
}

static uint64_t bytes_of(const struct shw_record_device *device, const struct shw_record_source *source,
                         const struct plan *plan, uint32_t binding, uint64_t count)
{
    return binding == SHW_RECORD_RECORDS ? source_bytes(device, source, count) : count * plan->strides[binding];
}

/* As many records as fit a range, at most `count`. */
static uint64_t fit(const struct shw_record_device *device, const struct shw_record_source *source,
                    const struct plan *plan, uint64_t count)
{
    for (uint32_t b = 0; b < SHW_RECORD_DYNAMIC; b++) {
        uint64_t least = bytes_of(device, source, plan, b, 1), most = device->range_most;
        if (plan->strides[b] > 0 && least > most)
            return 0;
        if (plan->strides[b] > 0)
            count = shw_min_u64(count, (most - least) / plan->strides[b] + 1);
    }
    return count;
}

static enum shw_result refuse(const struct shw_record_device *device, uint32_t count, uint64_t most)
{
    return shw_fail(
        &device->params->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
        "records: with these strides at most %llu of the %u records can be recorded at once, since storage buffers "
        "have at most %llu bytes on this device",
        (unsigned long long)most, count, (unsigned long long)device->range_most);
}

static enum shw_result make_plan(const struct shw_record_device *device, const struct shw_record_source *source,
                                 const struct shw_record_target *target, struct plan *plan)
{
    const struct shw_record_forest_info *info = device->info;
    uint32_t unit = shw_max_u32((uint32_t)device->device->properties.limits.minStorageBufferOffsetAlignment / 4, 4);
    uint64_t count, most = shw_max_u64(SHW_RECORD_VISITS_MOST / shw_max_u64(device->order.depths, 1), 1024), widest = 1;

    *plan = (struct plan){
        .strides = {sizeof(float) * (uint64_t)source->record_stride,
                    target->classes.buffer != VK_NULL_HANDLE ? sizeof(uint32_t) : 0,
                    target->sums.buffer != VK_NULL_HANDLE ? sizeof(int64_t) * info->output_count : 0,
                    target->leaves.buffer != VK_NULL_HANDLE ? sizeof(uint32_t) * (uint64_t)info->tree_count : 0}};
    count = fit(device, source, plan, source->count);
    most = shw_min_u64(most, device->records_most);
    if (device->in_passes)
        most = shw_min_u64(most, device->passes.records);
    if (shw_min_u64(count, most) < source->count) {
        if (count < unit)
            return refuse(device, source->count, count);
        count = shw_max_u64(shw_min_u64(count, most) / unit, 1) * unit;
    }
    for (uint32_t b = 0; b < SHW_RECORD_DYNAMIC; b++)
        widest = shw_max_u64(widest, plan->strides[b]);
    plan->count = (uint32_t)count;
    plan->per_set = (uint32_t)shw_max_u64(device->offset_most / (widest * count), 1);
    if (source->count / count / plan->per_set + 2 > SHW_RECORD_SETS)
        return refuse(device, source->count, (uint64_t)(SHW_RECORD_SETS - 2) * plan->per_set * count);
    return SHW_OK;
}

/* Validation takes every buffer that is bound for one that is used, so that each slot has its own instead. */
static struct shw_resource resource_of(const struct shw_record_device *device, uint32_t slot, VkBuffer buffer,
                                       VkDeviceSize offset, VkDeviceSize size)
{
    if (buffer != VK_NULL_HANDLE)
        return (struct shw_resource){VK_NULL_HANDLE, buffer, offset, size};
    return (struct shw_resource){VK_NULL_HANDLE, device->spare.handle, (VkDeviceSize)SHW_RECORD_SPARE * slot,
                                 SHW_RECORD_SPARE};
}

/* For pieces of `count` records, the first of which begins at `first`. */
static void write_set(const struct shw_record_device *device, uint32_t slot, const struct shw_record_source *source,
                      const struct shw_record_target *target, const struct plan *plan, uint64_t first, uint64_t count,
                      VkDescriptorSet set)
{
    const struct shw_record_target_buffer buffers[SHW_RECORD_DYNAMIC] = {
        {source->buffer, source->offset}, target->classes, target->sums, target->leaves};
    const VkBuffer own[SHW_RECORD_BINDINGS] = {
        [SHW_RECORD_NODES] = device->nodes.handle,          [SHW_RECORD_TABLES] = device->table.handle,
        [SHW_RECORD_LEAF_VALUES] = device->values.handle,   [SHW_RECORD_LEAF_NUMBERS] = device->numbers.handle,
        [SHW_RECORD_PLACES] = device->passes.places.handle, [SHW_RECORD_PASS_SUMS] = device->passes.sums.handle};
    struct shw_resource resources[SHW_RECORD_BINDINGS];

    for (uint32_t b = 0; b < SHW_RECORD_DYNAMIC; b++)
        resources[b] = resource_of(device, slot, buffers[b].buffer, buffers[b].offset + first * plan->strides[b],
                                   bytes_of(device, source, plan, b, count));
    for (uint32_t b = SHW_RECORD_DYNAMIC; b < SHW_RECORD_BINDINGS; b++)
        resources[b] = resource_of(device, slot, own[b], 0, 0);
    shw_set_write(device->device, &device->first, set, resources);
}

static uint32_t wanted_of(const struct shw_record_device *device, const struct shw_record_source *source,
                          const struct shw_record_target *target)
{
    const struct shw_record_order *order = &device->order;
    bool is_dense = order->column_count > 0 && order->columns[order->column_count - 1] + 1 == order->column_count;
    uint32_t wanted = 0;

    if (target->classes.buffer != VK_NULL_HANDLE)
        wanted |= SHW_RECORD_WANTS_CLASSES;
    if (target->sums.buffer != VK_NULL_HANDLE)
        wanted |= SHW_RECORD_WANTS_SUMS;
    if (target->leaves.buffer != VK_NULL_HANDLE)
        wanted |= SHW_RECORD_WANTS_LEAVES;
    if (is_dense && source->attribute_stride == 1 && source->record_stride % 4 == 0)
        wanted |= SHW_RECORD_HAS_FOURS;
    return wanted;
}

static struct shw_record_push push_of(const struct shw_record_device *device, const struct shw_record_source *source,
                                      const struct shw_record_target *target)
{
    const struct shw_device_forest *tables = &device->tables;

    return (struct shw_record_push){
        .record_stride = source->record_stride,
        .attribute_stride = source->attribute_stride,
        .missing = source->has_missing ? shw_record_code_of(source->missing) : SHW_RECORD_MISSING,
        .wanted = wanted_of(device, source, target),
        .end_chunk = tables->chunk_count,
        .end_tree = device->info->tree_count,
        .trees_at = tables->trees_at,
        .base_at = tables->base_at,
        .columns_at = tables->columns_at,
        .pitch = device->passes.records,
    };
}

static void record_piece(struct shw_record_device *device, VkCommandBuffer commands, struct shw_record_piece *piece)
{
    if (device->in_passes)
        record_passes_record(device, commands, piece);
    else
        device->walker->record(device, device->state, commands, piece);
}

static void record_pieces(struct shw_record_device *device, VkCommandBuffer commands, uint32_t slot,
                          const struct shw_record_source *source, const struct shw_record_target *target,
                          const struct plan *plan)
{
    const VkDescriptorSet *sets = device->sets.handles + (size_t)slot * SHW_RECORD_SETS;
    struct shw_record_piece piece = {.push = push_of(device, source, target)};
    uint64_t region = (uint64_t)plan->per_set * plan->count, begin = 0;

    for (uint64_t first = 0; first < source->count; first += piece.push.count) {
        piece.push.count = (uint32_t)shw_min_u64(plan->count, source->count - first);
        if (first > 0)
            shw_memory_barrier(device->device, commands, shw_use_compute_write, shw_use_compute_write);
        if (first % region == 0 || piece.push.count < plan->count) {
            begin = first;
            piece.set = *sets++;
            write_set(device, slot, source, target, plan, begin, piece.push.count, piece.set);
        }
        for (uint32_t b = 0; b < SHW_RECORD_DYNAMIC; b++)
            piece.offsets[b] = (uint32_t)((first - begin) * plan->strides[b]);
        record_piece(device, commands, &piece);
    }
}

struct shw_use shw_record_use_before(const struct shw_record_source *source, const struct shw_record_target *target)
{
    return (struct shw_use){.stages = source->before_stage | target->before_stage,
                            .access = source->before_access | target->before_access};
}

struct shw_use shw_record_use_after(const struct shw_record_target *target)
{
    return (struct shw_use){.stages = target->after_stage, .access = target->after_access};
}

enum shw_result shw_record_device_check(const struct shw_record_evaluator_params *params,
                                        const struct shw_record_source *source, const struct shw_record_target *target)
{
    const VkDeviceSize alignment = params->device->properties.limits.minStorageBufferOffsetAlignment;
    const struct shw_use records_before = {.stages = source->before_stage, .access = source->before_access};
    const struct shw_use results_before = {.stages = target->before_stage, .access = target->before_access};

    if ((source->offset | target->classes.offset | target->sums.offset | target->leaves.offset) % alignment != 0)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "records: the offsets of buffers must be multiples of %llu on this device",
                        (unsigned long long)alignment);
    SHW_PROPAGATE(
        shw_sides_check(params->device, records_before, shw_record_use_after(target), "records", &params->log));
    return shw_sides_check(params->device, results_before, shw_record_use_after(target), "results", &params->log);
}

enum shw_result shw_record_device_record(void *state, VkCommandBuffer commands, uint32_t slot,
                                         const struct shw_record_source *source, const struct shw_record_target *target)
{
    struct shw_record_device *device = state;
    struct shw_use before = shw_record_use_before(source, target);
    struct plan plan;

    SHW_PROPAGATE(shw_record_device_check(device->params, source, target));
    SHW_PROPAGATE(make_plan(device, source, target, &plan));
    if (device->in_passes) { /* earlier recordings have finished with what this one writes */
        before.stages |= shw_use_compute_write.stages;
        before.access |= shw_use_compute_write.access;
    }
    shw_memory_barrier(device->device, commands, before, shw_use_compute_write);
    record_pieces(device, commands, slot, source, target, &plan);
    shw_memory_barrier(device->device, commands, shw_use_compute_write, shw_record_use_after(target));
    return SHW_OK;
}

#define VALUES_MOST     16u                 /* of a leaf, whose sums a lane keeps */
#define DEPTHS_MOST     ((uint64_t)1 << 18) /* of the trees that a lane walks in one dispatch, and their number */
#define DEPTHS_MOST_CPU ((uint64_t)1 << 14) /* llvmpipe ends loops after 65,535 iterations of an invocation */

static enum shw_result check_device(const struct shw_record_evaluator_params *params)
{
    const VkPhysicalDeviceLimits *limits = &params->device->properties.limits;

    if (limits->maxPerStageDescriptorStorageBuffers < SHW_RECORD_BINDINGS)
        return shw_fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "records need %u storage buffers in a shader; the device has at most %u: use the technique cpu",
                        SHW_RECORD_BINDINGS, limits->maxPerStageDescriptorStorageBuffers);
    return SHW_OK;
}

/* Those of the caller, and of run(). */
static enum shw_result create_slots(struct shw_record_device *device)
{
    uint32_t slots = device->params->slots + SHW_RECORD_FLIGHTS;

    SHW_PROPAGATE(shw_buffer_create(device->device, (VkDeviceSize)SHW_RECORD_SPARE * slots,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_DEVICE, "no results",
                                    &device->spare));
    return shw_sets_create(device->device, &device->first, SHW_RECORD_SETS * slots, &device->sets);
}

void shw_record_device_destroy(void *state)
{
    struct shw_record_device *device = state;

    if (device == NULL)
        return;
    shw_record_transfer_end(&device->transfer);
    shw_sets_destroy(device->device, &device->sets);
    record_passes_release(device);
    if (device->state != NULL)
        device->walker->release(device, device->state);
    free(device->state);
    shw_buffer_destroy(device->device, &device->nodes);
    shw_buffer_destroy(device->device, &device->table);
    shw_buffer_destroy(device->device, &device->values);
    shw_buffer_destroy(device->device, &device->numbers);
    shw_buffer_destroy(device->device, &device->spare);
    shw_device_forest_free(&device->tables);
    shw_record_order_free(&device->order);
    free(device);
}

enum shw_result shw_record_device_create(const struct shw_record_evaluator_params *params,
                                         const struct shw_record_walker *walker, const void *settings, void **state)
{
    struct shw_record_device *device;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(check_device(params));
    device = calloc(1, sizeof *device);
    if (device == NULL)
        return shw_fail_memory(&params->log, "an evaluator of records");
    device->params = params;
    device->info = shw_record_forest_get_info(params->forest);
    device->device = params->device;
    device->walker = walker;
    device->settings = settings;
    device->records_most = device->offset_most = UINT32_MAX;
    device->range_most = params->device->properties.limits.maxStorageBufferRange;
    device->state = calloc(1, walker->size);
    if (device->state == NULL) {
        result = shw_fail_memory(&params->log, "an evaluator of records");
        goto fail;
    }
    SHW_TRY(shw_record_order_make(device->info, &params->log, &device->order));
    device->depths_most =
        params->device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? DEPTHS_MOST_CPU : DEPTHS_MOST;
    device->in_passes = device->info->values_per_leaf > VALUES_MOST ||
                        device->order.depths + device->info->tree_count > device->depths_most;
    record_passes_measure(device);
    SHW_TRY(walker->create(device, device->state));
    if (device->in_passes)
        SHW_TRY(record_passes_create(device));
    SHW_TRY(create_slots(device));
    shw_record_transfer_begin(params, device, shw_record_device_record, &device->transfer);
    device->settings = NULL;
    *state = device;
    return SHW_OK;

fail:
    shw_record_device_destroy(device);
    return result;
}

enum shw_result shw_record_device_run(void *state, const struct shw_records *records,
                                      const struct shw_record_results *results, double *inner_seconds)
{
    struct shw_record_device *device = state;

    return shw_record_transfer_run(&device->transfer, records, results, inner_seconds);
}

static enum shw_result copy_to(struct shw_device *device, const struct shw_buffer *from, const struct shw_buffer *to)
{
    const VkBufferCopy copy = {.size = from->size};
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    device->vk.CmdCopyBuffer(commands, from->handle, to->handle, 1, &copy);
    shw_memory_barrier(device, commands, shw_use_copy_target, shw_use_compute_read);
    return shw_submit_wait(device, commands);
}

/* An imported device cannot be submitted to: its tables are where the host can write them. */
enum shw_result shw_record_device_upload(struct shw_record_device *records, const void *bytes, uint64_t size,
                                         const char *name, struct shw_buffer *buffer)
{
    struct shw_device *device = records->device;
    uint64_t most = device->properties.limits.maxStorageBufferRange, room = shw_max_u64(size, 16);
    bool is_staged = device->own != NULL;
    struct shw_buffer staging = {0};
    enum shw_result result = SHW_OK;

    if (size > most)
        return shw_fail(&records->params->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "records: %s take a storage buffer of %llu bytes; the device has at most %llu: use the "
                        "technique cpu",
                        name, (unsigned long long)size, (unsigned long long)most);
    SHW_TRY(shw_buffer_create(device, room,
                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | (is_staged ? VK_BUFFER_USAGE_TRANSFER_DST_BIT : 0),
                              is_staged ? SHW_MEMORY_DEVICE : SHW_MEMORY_TABLE, name, buffer));
    if (is_staged)
        SHW_TRY(shw_buffer_create(device, room, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, name, &staging));
    if (size > 0)
        memcpy(is_staged ? staging.mapped : buffer->mapped, bytes, size);
    if (is_staged)
        SHW_TRY(copy_to(device, &staging, buffer));

fail:
    shw_buffer_destroy(device, &staging);
    return result;
}

static enum shw_result upload_numbers(struct shw_record_device *device, const struct shw_record_layout *layout)
{
    if (layout->leaf_of_place == NULL)
        return SHW_OK;
    return shw_record_device_upload(device, layout->leaf_of_place,
                                    sizeof(uint32_t) * (uint64_t)layout->first_place[device->info->tree_count],
                                    "leaf numbers", &device->numbers);
}

enum shw_result shw_record_device_tables(struct shw_record_device *device, const struct shw_record_layout *layout)
{
    struct shw_device_forest *tables = &device->tables;

    SHW_PROPAGATE(shw_device_forest_make(device->info, &device->order, layout,
                                         device->in_passes ? device->passes.chunk_trees : UINT32_MAX,
                                         device->depths_most, &device->params->log, tables));
    SHW_PROPAGATE(shw_record_device_upload(device, tables->words, 4 * sizeof(uint32_t) * tables->texels, "tables",
                                           &device->table));
    SHW_PROPAGATE(shw_record_device_upload(device, tables->values, sizeof(int32_t) * tables->value_count, "leaf values",
                                           &device->values));
    free(tables->values);
    tables->values = NULL;
    return upload_numbers(device, layout);
}
