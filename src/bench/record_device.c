#include "bench/record_device.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "vulkan/commands.h"

#define CHUNK_BYTES ((uint64_t)1 << 30)
#define STAGE_BYTES ((uint64_t)64 << 20)

static uint64_t chunk_bytes(const struct shw_bench *bench)
{
    return shw_min_u64(CHUNK_BYTES, bench->device->properties.limits.maxStorageBufferRange);
}

uint32_t shw_bench_record_chunk_count(const struct shw_bench_record_buffers *buffers, uint32_t chunk)
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
    uint64_t count = shw_bench_record_chunk_count(buffers, c);

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

enum shw_result shw_bench_record_buffers_make(struct shw_bench *bench, const float *values, uint64_t distinct,
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

void shw_bench_record_buffers_free(struct shw_bench *bench, struct shw_bench_record_buffers *buffers)
{
    for (uint32_t c = 0; c < buffers->chunk_count; c++) {
        shw_buffer_destroy(bench->device, &buffers->records[c]);
        shw_buffer_destroy(bench->device, &buffers->classes[c]);
    }
    *buffers = (struct shw_bench_record_buffers){0};
}

enum shw_result shw_bench_record_classes_equal(struct shw_bench *bench, const struct shw_bench_record_buffers *buffers,
                                               const uint32_t *expected, uint64_t distinct, bool *equal)
{
    uint32_t *classes = malloc(buffers->chunk * sizeof *classes);
    enum shw_result result = classes != NULL ? SHW_OK : shw_fail_memory(&bench->log, "classes of records");

    *equal = true;
    for (uint32_t c = 0; c < buffers->chunk_count && result == SHW_OK; c++) {
        uint64_t count = shw_bench_record_chunk_count(buffers, c);
        result = transfer(bench, &buffers->classes[c], classes, count * sizeof *classes, false);
        for (uint64_t r = 0; r < count && result == SHW_OK; r += distinct)
            *equal = *equal && memcmp(classes + r, expected, shw_min_u64(distinct, count - r) * sizeof *classes) == 0;
    }
    free(classes);
    return result;
}
