#include "bench/record_copy.h"

#include <string.h>

#include "base/integers.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"

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

static void record(void *user, VkCommandBuffer commands)
{
    struct copying *copying = user;

    copy(copying, commands, copying->bytes[0], &copying->host[0], &copying->device);
    shw_memory_barrier(copying->bench->device, commands, shw_use_copy_target, shw_use_copy_source);
    copy(copying, commands, copying->bytes[1], &copying->device, &copying->host[1]);
}

enum shw_result shw_bench_record_copy_time(struct shw_bench *bench, uint64_t up, uint64_t down,
                                           struct shw_bench_times *times)
{
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct copying copying = {.bench = bench, .bytes = {up, down}};
    const struct shw_bench_work work = {.record = record, .user = &copying, .most = 1};
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
