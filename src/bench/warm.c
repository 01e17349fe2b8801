#include "bench/warm.h"

#include "vulkan/barrier.h"
#include "vulkan/memory.h"
#include "vulkan/submit.h"

#define BYTES    ((VkDeviceSize)256 << 20)
#define COPIES   8u     /* per submission */
#define WARM_MS  1500.0 /* what an NVIDIA H200 needs */
#define STILL_MS 100.0  /* shorter idle times need no warming up */

void shw_bench_was_busy(struct shw_bench *bench)
{
    bench->busy_until = shw_bench_now();
}

static enum shw_result copy(struct shw_bench *bench, const struct shw_buffer buffers[2])
{
    struct shw_device *device = bench->device;
    const VkBufferCopy all = {.size = BYTES};
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    for (uint32_t i = 0; i < COPIES; i++) {
        shw_memory_barrier(device, commands, shw_use_copy_target, shw_use_copy_source);
        shw_memory_barrier(device, commands, shw_use_copy_source, shw_use_copy_target);
        device->vk.CmdCopyBuffer(commands, buffers[i % 2].handle, buffers[1 - i % 2].handle, 1, &all);
    }
    return shw_submit_wait(device, commands);
}

enum shw_result shw_bench_warm(struct shw_bench *bench)
{
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct shw_buffer buffers[2] = {{0}, {0}};
    double begun = shw_bench_now();
    enum shw_result result = SHW_OK;

    if (bench->device == NULL || bench->description.is_cpu || begun - bench->busy_until < STILL_MS)
        return SHW_OK;
    if (shw_buffer_try(bench->device, BYTES, usage, SHW_MEMORY_DEVICE, "warming up", &buffers[0]) == SHW_OK &&
        shw_buffer_try(bench->device, BYTES, usage, SHW_MEMORY_DEVICE, "warming up", &buffers[1]) == SHW_OK)
        while (shw_bench_now() - begun < WARM_MS)
            SHW_TRY(copy(bench, buffers));
    shw_bench_was_busy(bench);

fail:
    for (int i = 0; i < 2; i++)
        shw_buffer_destroy(bench->device, &buffers[i]);
    return result;
}
