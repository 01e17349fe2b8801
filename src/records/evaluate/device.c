#include "records/evaluate/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "vulkan/commands.h"

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
    shw_record_passes_measure(device);
    SHW_TRY(walker->create(device, device->state));
    if (device->in_passes)
        SHW_TRY(shw_record_passes_create(device));
    SHW_TRY(create_slots(device));
    shw_record_transfer_begin(params, device, shw_record_device_record, &device->transfer);
    device->settings = NULL;
    *state = device;
    return SHW_OK;

fail:
    shw_record_device_destroy(device);
    return result;
}

void shw_record_device_destroy(void *state)
{
    struct shw_record_device *device = state;

    if (device == NULL)
        return;
    shw_record_transfer_end(&device->transfer);
    shw_sets_destroy(device->device, &device->sets);
    shw_record_passes_release(device);
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

void shw_record_device_dispatch(const struct shw_record_device *device, VkCommandBuffer commands,
                                const struct shw_program *program, const struct shw_record_piece *piece, uint32_t x,
                                uint32_t y)
{
    shw_program_bind_at(device->device, commands, program, piece->set, piece->offsets, SHW_RECORD_DYNAMIC,
                        &piece->push);
    device->device->vk.CmdDispatch(commands, x, y, 1);
}
