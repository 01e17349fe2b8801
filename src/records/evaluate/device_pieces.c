/* Recording: as many pieces as the ranges of descriptors need. */
#include <shadewood/records.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/device.h"
#include "shared/record.h"
#include "vulkan/commands.h"

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
        "records: as they lie, at most %llu of these %u can be recorded at once, since a shader's storage buffers "
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
        shw_record_passes_record(device, commands, piece);
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

enum shw_result shw_record_device_check(const struct shw_record_evaluator_params *params,
                                        const struct shw_record_source *source, const struct shw_record_target *target)
{
    VkDeviceSize alignment = params->device->properties.limits.minStorageBufferOffsetAlignment;

    if ((source->offset | target->classes.offset | target->sums.offset | target->leaves.offset) % alignment != 0)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "records: the offsets of buffers must be multiples of %llu on this device",
                        (unsigned long long)alignment);
    if (source->before_stage == 0 || target->before_stage == 0 || target->after_stage == 0)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "records: the stages that use the buffers before and after must be given "
                        "(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT: none)");
    return SHW_OK;
}

enum shw_result shw_record_device_record(void *state, VkCommandBuffer commands, uint32_t slot,
                                         const struct shw_record_source *source, const struct shw_record_target *target)
{
    struct shw_record_device *device = state;
    struct shw_use before = {.stages = source->before_stage | target->before_stage,
                             .access = source->before_access | target->before_access};
    struct shw_use after = {.stages = target->after_stage, .access = target->after_access};
    struct plan plan;

    SHW_PROPAGATE(shw_record_device_check(device->params, source, target));
    SHW_PROPAGATE(make_plan(device, source, target, &plan));
    if (device->in_passes) { /* earlier recordings have finished with what this one writes */
        before.stages |= shw_use_compute_write.stages;
        before.access |= shw_use_compute_write.access;
    }
    shw_memory_barrier(device->device, commands, before, shw_use_compute_write);
    record_pieces(device, commands, slot, source, target, &plan);
    shw_memory_barrier(device->device, commands, shw_use_compute_write, after);
    return SHW_OK;
}
