/* Records from the host: copies, and pieces in flight on the device. */
#include "records/evaluate/device.h"

#include <shadewood/records.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "vulkan/commands.h"

/* Copies of records and results between the caller's memory and that of a device, by several threads. */

/* Where the results of a piece are: bytes from the beginning, classes first, and bytes a record, 0 of what is not
 * wanted. */
struct shw_record_parts {
    uint64_t sums, leaves, end;
    uint64_t class_bytes, sum_bytes, leaf_bytes;
};

#define SHARE_BYTES (256u << 10) /* that a thread copies at a time */

struct copy {
    const struct shw_records *records;
    float *to;
    const char *from;
    const struct shw_record_parts *parts;
    const struct shw_record_results *results;
    uint64_t first;
    uint32_t attributes, count, share; /* records: of all and of an index */
};

/* Whether the values of an attribute are next to each other; they stay so. Otherwise those of a record will be. */
static bool records_are_columns(const struct shw_records *records)
{
    return records->record_stride == 1 && records->attribute_stride > 1;
}

static void run_copy(struct shw_thread_pool *pool, struct copy *copy, uint64_t record_bytes,
                     void (*work)(void *user, uint32_t index, uint32_t thread))
{
    copy->share = (uint32_t)shw_max_u64(SHARE_BYTES / shw_max_u64(record_bytes, 1), 1);
    shw_thread_pool_run(copy->count > copy->share ? pool : NULL,
                        (uint32_t)(((uint64_t)copy->count + copy->share - 1) / copy->share), work, copy);
}

static void copy_columns(const struct copy *copy, uint32_t first, uint32_t count)
{
    const float *from = copy->records->values + copy->first + first;

    for (uint32_t a = 0; a < copy->attributes; a++)
        memcpy(copy->to + (uint64_t)a * copy->count + first, from + a * copy->records->attribute_stride,
               count * sizeof *from);
}

static void copy_rows(const struct copy *copy, uint32_t first, uint32_t count)
{
    const struct shw_records *records = copy->records;
    const float *from = records->values + (copy->first + first) * records->record_stride;
    float *to = copy->to + (uint64_t)first * copy->attributes;

    if (records->attribute_stride == 1 && records->record_stride == copy->attributes) {
        memcpy(to, from, (uint64_t)count * copy->attributes * sizeof *to);
        return;
    }
    for (uint32_t r = 0; r < count; r++, from += records->record_stride, to += copy->attributes) {
        if (records->attribute_stride == 1)
            memcpy(to, from, copy->attributes * sizeof *to);
        else
            for (uint32_t a = 0; a < copy->attributes; a++)
                to[a] = from[a * records->attribute_stride];
    }
}

static void copy_share_up(void *user, uint32_t index, uint32_t thread)
{
    const struct copy *copy = user;
    uint32_t first = index * copy->share, count = shw_min_u32(copy->share, copy->count - first);

    (void)thread;
    if (records_are_columns(copy->records))
        copy_columns(copy, first, count);
    else
        copy_rows(copy, first, count);
}

/* Copies the first `attributes` attributes of `count` records, without padding. */
static void records_copy_up(struct shw_thread_pool *pool, const struct shw_records *records, uint32_t attributes,
                            uint64_t first, uint32_t count, float *to)
{
    struct copy copy = {.records = records, .to = to, .first = first, .attributes = attributes, .count = count};

    run_copy(pool, &copy, sizeof(float) * (uint64_t)attributes, copy_share_up);
}

static void copy_share_down(void *user, uint32_t index, uint32_t thread)
{
    const struct copy *copy = user;
    const struct shw_record_parts *parts = copy->parts;
    const struct shw_record_results *results = copy->results;
    uint64_t first = (uint64_t)index * copy->share, to = copy->first + first,
             count = shw_min_u64(copy->share, copy->count - first);

    (void)thread;
    if (parts->class_bytes > 0)
        memcpy((char *)results->classes + to * parts->class_bytes, copy->from + first * parts->class_bytes,
               count * parts->class_bytes);
    if (parts->sum_bytes > 0)
        memcpy((char *)results->sums + to * parts->sum_bytes, copy->from + parts->sums + first * parts->sum_bytes,
               count * parts->sum_bytes);
    if (parts->leaf_bytes > 0)
        memcpy((char *)results->leaves + to * parts->leaf_bytes, copy->from + parts->leaves + first * parts->leaf_bytes,
               count * parts->leaf_bytes);
}

/* Copies the results of `count` records, the first of which is `first` of the caller's. */
static void records_copy_down(struct shw_thread_pool *pool, const void *from, const struct shw_record_parts *parts,
                              const struct shw_record_results *results, uint64_t first, uint32_t count)
{
    struct copy copy = {.from = from, .parts = parts, .results = results, .first = first, .count = count};

    run_copy(pool, &copy, parts->class_bytes + parts->sum_bytes + parts->leaf_bytes, copy_share_down);
}

#define PIECE_BYTES ((uint64_t)16 << 20) /* of records and results */
#define ALIGNMENT   256u                 /* of parts of a buffer: the most that Vulkan lets devices ask for */

void shw_record_transfer_begin(const struct shw_record_evaluator_params *params, void *state,
                               enum shw_result (*record)(void *state, VkCommandBuffer commands, uint32_t slot,
                                                         const struct shw_record_source *source,
                                                         const struct shw_record_target *target),
                               struct shw_record_transfer *transfer)
{
    VkPhysicalDeviceType type = params->device->properties.deviceType;

    *transfer = (struct shw_record_transfer){.params = params,
                                             .info = shw_record_forest_get_info(params->forest),
                                             .device = params->device,
                                             .state = state,
                                             .record = record,
                                             .piece_bytes = PIECE_BYTES,
                                             .is_direct = type == VK_PHYSICAL_DEVICE_TYPE_CPU ||
                                                          type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU};
}

static void free_memory(struct shw_record_transfer *transfer)
{
    for (uint32_t f = 0; f < SHW_RECORD_FLIGHTS; f++) {
        struct shw_record_flight *flight = &transfer->flights[f];
        shw_buffer_destroy(transfer->device, &flight->upload);
        shw_buffer_destroy(transfer->device, &flight->records);
        shw_buffer_destroy(transfer->device, &flight->results);
        shw_buffer_destroy(transfer->device, &flight->readback);
    }
    transfer->record_bytes = transfer->result_bytes = 0;
}

static void end_flight(struct shw_device *device, struct shw_record_flight *flight)
{
    if (flight->fence != VK_NULL_HANDLE)
        device->vk.DestroyFence(device->handle, flight->fence, device->allocator);
    if (flight->copied != VK_NULL_HANDLE)
        device->vk.DestroySemaphore(device->handle, flight->copied, device->allocator);
    if (flight->times != VK_NULL_HANDLE)
        device->vk.DestroyQueryPool(device->handle, flight->times, device->allocator);
    if (flight->pool != VK_NULL_HANDLE)
        device->vk.DestroyCommandPool(device->handle, flight->pool, device->allocator);
    if (flight->transfer_pool != VK_NULL_HANDLE)
        device->vk.DestroyCommandPool(device->handle, flight->transfer_pool, device->allocator);
    *flight = (struct shw_record_flight){0};
}

void shw_record_transfer_end(struct shw_record_transfer *transfer)
{
    if (transfer->device == NULL)
        return;
    free_memory(transfer);
    for (uint32_t f = 0; f < SHW_RECORD_FLIGHTS; f++)
        end_flight(transfer->device, &transfer->flights[f]);
    shw_thread_pool_destroy(&transfer->pool);
    *transfer = (struct shw_record_transfer){0};
}

static bool has_queue_for_copies(const struct shw_record_transfer *transfer)
{
    return !transfer->is_direct && transfer->device->own->transfer != VK_NULL_HANDLE;
}

static enum shw_result make_commands(struct shw_device *device, uint32_t family, VkCommandPool *pool,
                                     VkCommandBuffer *commands)
{
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                         .queueFamilyIndex = family};
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};

    VK_PROPAGATE(device, CreateCommandPool(device->handle, &pool_info, device->allocator, pool));
    info.commandPool = *pool;
    VK_PROPAGATE(device, AllocateCommandBuffers(device->handle, &info, commands));
    return SHW_OK;
}

static enum shw_result make_flight(const struct shw_record_transfer *transfer, struct shw_record_flight *flight)
{
    struct shw_device *device = transfer->device;
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkQueryPoolCreateInfo times = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};

    VK_PROPAGATE(device, CreateFence(device->handle, &fence, device->allocator, &flight->fence));
    if (transfer->params->timing && device->timestamp_bits > 0)
        VK_PROPAGATE(device, CreateQueryPool(device->handle, &times, device->allocator, &flight->times));
    SHW_PROPAGATE(make_commands(device, device->queue_family, &flight->pool, &flight->commands));
    if (!has_queue_for_copies(transfer))
        return SHW_OK;
    VK_PROPAGATE(device, CreateSemaphore(device->handle, &semaphore, device->allocator, &flight->copied));
    return make_commands(device, device->own->transfer_family, &flight->transfer_pool, &flight->copies);
}

static enum shw_result make_flights(struct shw_record_transfer *transfer)
{
    enum shw_result result = SHW_OK;

    if (transfer->pool != NULL)
        return SHW_OK;
    for (uint32_t f = 0; f < SHW_RECORD_FLIGHTS; f++)
        SHW_TRY(make_flight(transfer, &transfer->flights[f]));
    if (shw_thread_pool_create(transfer->params->threads, &transfer->pool) == SHW_OK)
        return SHW_OK;
    result = shw_fail_memory(&transfer->params->log, "threads");

fail:
    for (uint32_t f = 0; f < SHW_RECORD_FLIGHTS; f++)
        end_flight(transfer->device, &transfer->flights[f]);
    return result;
}

static enum shw_result make_buffers(struct shw_record_transfer *transfer, struct shw_record_flight *flight)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct shw_device *device = transfer->device;
    bool is_direct = transfer->is_direct;

    SHW_PROPAGATE(shw_buffer_create(device, transfer->record_bytes, usage,
                                    is_direct ? SHW_MEMORY_TABLE : SHW_MEMORY_DEVICE, "records", &flight->records));
    SHW_PROPAGATE(shw_buffer_create(device, transfer->result_bytes, usage,
                                    is_direct ? SHW_MEMORY_READBACK : SHW_MEMORY_DEVICE, "results", &flight->results));
    if (is_direct)
        return SHW_OK;
    SHW_PROPAGATE(shw_buffer_create(device, transfer->record_bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD,
                                    "records", &flight->upload));
    return shw_buffer_create(device, transfer->result_bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK,
                             "results", &flight->readback);
}

static enum shw_result make_memory(struct shw_record_transfer *transfer, uint64_t record_bytes, uint64_t result_bytes)
{
    enum shw_result result = SHW_OK;

    if (record_bytes <= transfer->record_bytes && result_bytes <= transfer->result_bytes)
        return SHW_OK;
    free_memory(transfer);
    transfer->record_bytes = record_bytes;
    transfer->result_bytes = result_bytes;
    for (uint32_t f = 0; f < SHW_RECORD_FLIGHTS; f++)
        SHW_TRY(make_buffers(transfer, &transfer->flights[f]));
    return SHW_OK;

fail:
    free_memory(transfer);
    return result;
}

/* Where the results of a piece of at most `count` records are in their buffer. */
static struct shw_record_parts parts_of(const struct shw_record_transfer *transfer,
                                        const struct shw_record_results *results, uint64_t count)
{
    const struct shw_record_forest_info *info = transfer->info;
    struct shw_record_parts parts = {0};

    if (results->classes != NULL)
        parts.class_bytes = sizeof(uint32_t);
    if (results->sums != NULL)
        parts.sum_bytes = sizeof(int64_t) * info->output_count;
    if (results->leaves != NULL)
        parts.leaf_bytes = sizeof(uint32_t) * (uint64_t)info->tree_count;
    parts.sums = shw_align_up(parts.class_bytes * count, ALIGNMENT);
    parts.leaves = parts.sums + shw_align_up(parts.sum_bytes * count, ALIGNMENT);
    parts.end = shw_max_u64(parts.leaves + parts.leaf_bytes * count, ALIGNMENT);
    return parts;
}

/* Records of a piece. */
static uint64_t piece_of(const struct shw_record_transfer *transfer, const struct shw_record_results *results,
                         uint64_t count)
{
    struct shw_record_parts one = parts_of(transfer, results, 0);
    uint64_t bytes = sizeof(float) * (uint64_t)shw_max_u32(transfer->info->attribute_count, 1) + one.class_bytes +
                     one.sum_bytes + one.leaf_bytes;
    uint64_t memory = transfer->params->memory / SHW_RECORD_FLIGHTS / (transfer->is_direct ? 1 : 2);

    return shw_min_u64(count, shw_max_u64(shw_min_u64(memory, transfer->piece_bytes) / bytes, 1));
}

/* What run() works with. */
struct run {
    struct shw_record_transfer *transfer;
    const struct shw_records *records;
    const struct shw_record_results *results;
    struct shw_record_parts parts;
};

/* Between the queues: one releases the records, the other one acquires them. */
static void pass_on(const struct shw_device *device, VkCommandBuffer commands, VkBuffer buffer, bool is_release)
{
    const VkPipelineStageFlags before =
                                   is_release ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                               after = is_release ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT
                                                  : VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkBufferMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                           .srcAccessMask = is_release ? VK_ACCESS_TRANSFER_WRITE_BIT : 0,
                                           .dstAccessMask = is_release ? 0 : VK_ACCESS_MEMORY_READ_BIT,
                                           .srcQueueFamilyIndex = device->own->transfer_family,
                                           .dstQueueFamilyIndex = device->queue_family,
                                           .buffer = buffer,
                                           .size = VK_WHOLE_SIZE};

    device->vk.CmdPipelineBarrier(commands, before, after, 0, 0, NULL, 1, &barrier, 0, NULL);
}

static void record_upload(const struct run *run, const struct shw_record_flight *flight, VkCommandBuffer commands)
{
    const VkBufferCopy copy = {
        .size = sizeof(float) * (VkDeviceSize)shw_max_u32(run->transfer->info->attribute_count, 1) * flight->count};

    run->transfer->device->vk.CmdCopyBuffer(commands, flight->upload.handle, flight->records.handle, 1, &copy);
}

static void record_download(const struct run *run, const struct shw_record_flight *flight, VkCommandBuffer commands)
{
    const struct shw_record_parts *parts = &run->parts;
    const VkBufferCopy copies[] = {{0, 0, parts->class_bytes * flight->count},
                                   {parts->sums, parts->sums, parts->sum_bytes * flight->count},
                                   {parts->leaves, parts->leaves, parts->leaf_bytes * flight->count}};
    const struct shw_device *device = run->transfer->device;

    for (uint32_t c = 0; c < 3; c++)
        if (copies[c].size > 0)
            device->vk.CmdCopyBuffer(commands, flight->results.handle, flight->readback.handle, 1, &copies[c]);
    shw_memory_barrier(device, commands, shw_use_copy_target, shw_use_host_read);
}

static struct shw_record_target target_of(const struct run *run, const struct shw_record_flight *flight)
{
    bool is_direct = run->transfer->is_direct;
    struct shw_record_target target = {
        .before_stage = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
        .after_stage = is_direct ? VK_PIPELINE_STAGE_HOST_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT,
        .after_access = is_direct ? VK_ACCESS_HOST_READ_BIT : VK_ACCESS_TRANSFER_READ_BIT};

    if (run->results->classes != NULL)
        target.classes = (struct shw_record_target_buffer){flight->results.handle, 0};
    if (run->results->sums != NULL)
        target.sums = (struct shw_record_target_buffer){flight->results.handle, run->parts.sums};
    if (run->results->leaves != NULL)
        target.leaves = (struct shw_record_target_buffer){flight->results.handle, run->parts.leaves};
    return target;
}

static struct shw_record_source source_of(const struct run *run, const struct shw_record_flight *flight)
{
    const struct shw_records *records = run->records;
    uint32_t attributes = shw_max_u32(run->transfer->info->attribute_count, 1);
    bool in_columns = records_are_columns(records);

    return (struct shw_record_source){
        .buffer = flight->records.handle,
        .count = flight->count,
        .attribute_count = attributes,
        .record_stride = in_columns ? 1 : attributes,
        .attribute_stride = in_columns ? flight->count : 1,
        .has_missing = records->has_missing,
        .missing = records->missing,
        .before_stage = run->transfer->is_direct              ? VK_PIPELINE_STAGE_HOST_BIT
                        : has_queue_for_copies(run->transfer) ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
                                                              : VK_PIPELINE_STAGE_TRANSFER_BIT,
        .before_access = run->transfer->is_direct              ? VK_ACCESS_HOST_WRITE_BIT
                         : has_queue_for_copies(run->transfer) ? 0
                                                               : VK_ACCESS_TRANSFER_WRITE_BIT};
}

static void stamp(const struct shw_device *device, const struct shw_record_flight *flight, uint32_t query)
{
    if (flight->times == VK_NULL_HANDLE)
        return;
    if (query == 0)
        device->vk.CmdResetQueryPool(flight->commands, flight->times, 0, 2);
    device->vk.CmdWriteTimestamp(flight->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, flight->times, query);
}

static enum shw_result record_flight(const struct run *run, uint32_t number)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    struct shw_record_transfer *transfer = run->transfer;
    const struct shw_record_flight *flight = &transfer->flights[number];
    const struct shw_record_source source = source_of(run, flight);
    const struct shw_record_target target = target_of(run, flight);
    struct shw_device *device = transfer->device;

    VK_PROPAGATE(device, ResetCommandPool(device->handle, flight->pool, 0));
    VK_PROPAGATE(device, BeginCommandBuffer(flight->commands, &begin));
    if (has_queue_for_copies(transfer)) {
        VK_PROPAGATE(device, ResetCommandPool(device->handle, flight->transfer_pool, 0));
        VK_PROPAGATE(device, BeginCommandBuffer(flight->copies, &begin));
        record_upload(run, flight, flight->copies);
        pass_on(device, flight->copies, flight->records.handle, true);
        VK_PROPAGATE(device, EndCommandBuffer(flight->copies));
        pass_on(device, flight->commands, flight->records.handle, false);
    } else if (!transfer->is_direct) {
        record_upload(run, flight, flight->commands);
    }
    stamp(device, flight, 0);
    SHW_PROPAGATE(
        transfer->record(transfer->state, flight->commands, transfer->params->slots + number, &source, &target));
    stamp(device, flight, 1);
    if (!transfer->is_direct)
        record_download(run, flight, flight->commands);
    VK_PROPAGATE(device, EndCommandBuffer(flight->commands));
    return SHW_OK;
}

static enum shw_result submit_flight(const struct shw_record_transfer *transfer, const struct shw_record_flight *flight)
{
    static const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    bool has_copies = has_queue_for_copies(transfer);
    const VkSubmitInfo copies = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &flight->copies,
                                 .signalSemaphoreCount = 1,
                                 .pSignalSemaphores = &flight->copied};
    const VkSubmitInfo work = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = has_copies,
                               .pWaitSemaphores = &flight->copied,
                               .pWaitDstStageMask = &all,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &flight->commands};
    struct shw_device *device = transfer->device;
    enum shw_result result = SHW_OK;

    pthread_mutex_lock(&device->own->mutex);
    VK_TRY(device, ResetFences(device->handle, 1, &flight->fence));
    if (has_copies)
        VK_TRY(device, QueueSubmit(device->own->transfer, 1, &copies, VK_NULL_HANDLE));
    VK_TRY(device, QueueSubmit(device->own->queue, 1, &work, flight->fence));

fail:
    pthread_mutex_unlock(&device->own->mutex);
    return result;
}

static enum shw_result add_time(struct shw_record_transfer *transfer, const struct shw_record_flight *flight)
{
    struct shw_device *device = transfer->device;
    uint64_t times[2], mask = UINT64_MAX >> (64 - device->timestamp_bits);

    if (flight->times == VK_NULL_HANDLE)
        return SHW_OK;
    VK_PROPAGATE(device, GetQueryPoolResults(device->handle, flight->times, 0, 2, sizeof times, times, sizeof *times,
                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    transfer->inner +=
        1e-9 * (double)device->properties.limits.timestampPeriod * (double)((times[1] - times[0]) & mask);
    return SHW_OK;
}

/* Waits for the piece and takes its results. */
static enum shw_result land(const struct run *run, struct shw_record_flight *flight)
{
    const struct shw_buffer *results = run->transfer->is_direct ? &flight->results : &flight->readback;
    uint32_t count = flight->count;

    flight->count = 0;
    SHW_PROPAGATE(shw_submit_wait_fence(run->transfer->device, flight->fence));
    SHW_PROPAGATE(add_time(run->transfer, flight));
    records_copy_down(run->transfer->pool, results->mapped, &run->parts, run->results, flight->first, count);
    return SHW_OK;
}

static enum shw_result start(const struct run *run, uint32_t number, uint64_t first, uint64_t count)
{
    struct shw_record_transfer *transfer = run->transfer;
    struct shw_record_flight *flight = &transfer->flights[number];
    enum shw_result result = SHW_OK;

    flight->first = first;
    flight->count = (uint32_t)count;
    records_copy_up(transfer->pool, run->records, transfer->info->attribute_count, first, flight->count,
                    transfer->is_direct ? flight->records.mapped : flight->upload.mapped);
    SHW_TRY(record_flight(run, number));
    SHW_TRY(submit_flight(transfer, flight));
    return SHW_OK;

fail:
    flight->count = 0; /* is not under way */
    return result;
}

/* After a failure: what is under way must end before its memory is used again. */
static void abandon(struct shw_record_transfer *transfer)
{
    for (uint32_t f = 0; f < SHW_RECORD_FLIGHTS; f++)
        if (transfer->flights[f].count > 0)
            shw_submit_wait_fence(transfer->device, transfer->flights[f].fence);
    for (uint32_t f = 0; f < SHW_RECORD_FLIGHTS; f++)
        transfer->flights[f].count = 0;
}

static enum shw_result run_pieces(const struct run *run, uint64_t piece)
{
    struct shw_record_flight *flights = run->transfer->flights;
    uint32_t number = 0;

    for (uint64_t first = 0, count; first < run->records->count; first += count) {
        count = shw_min_u64(piece, run->records->count - first);
        if (flights[number].count > 0)
            SHW_PROPAGATE(land(run, &flights[number]));
        SHW_PROPAGATE(start(run, number, first, count));
        number = (number + 1) % SHW_RECORD_FLIGHTS;
    }
    for (uint32_t f = 0; f < SHW_RECORD_FLIGHTS; f++, number = (number + 1) % SHW_RECORD_FLIGHTS)
        if (flights[number].count > 0)
            SHW_PROPAGATE(land(run, &flights[number]));
    return SHW_OK;
}

enum shw_result shw_record_transfer_run(struct shw_record_transfer *transfer, const struct shw_records *records,
                                        const struct shw_record_results *results, double *inner_seconds)
{
    uint64_t attributes = shw_max_u32(transfer->info->attribute_count, 1),
             piece = piece_of(transfer, results, records->count);
    struct run run = {transfer, records, results, parts_of(transfer, results, piece)};
    enum shw_result result = SHW_OK;

    if (transfer->device->own == NULL)
        return shw_fail(&transfer->params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "records: work for an imported device is only recorded; its owner submits it");
    transfer->inner = 0;
    SHW_PROPAGATE(make_flights(transfer));
    SHW_PROPAGATE(make_memory(transfer, sizeof(float) * attributes * piece, run.parts.end));
    SHW_TRY(run_pieces(&run, piece));
    *inner_seconds = transfer->inner;
    return SHW_OK;

fail:
    abandon(transfer);
    return result;
}
