#include <assert.h>
#include <string.h>

#include "channels/filter_bank_stage.h"

/* Compute shaders read weights by fours. */
static uint32_t padded(uint32_t kernel)
{
    return (2 * shw_filter_kernels[kernel].radius + 1 + 3) & ~3u;
}

uint32_t shw_filter_weights_offset(enum shw_kernel kernel)
{
    uint32_t offset = 0;

    for (uint32_t i = 0; i < kernel; i++)
        offset += padded(i);
    return offset;
}

enum shw_result shw_filter_weights_create(struct shw_device *device, struct shw_buffer *weights)
{
    enum shw_result result = shw_buffer_create(device, SHW_FILTER_WEIGHTS_MAX * sizeof(int32_t),
                                               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                                               SHW_MEMORY_TABLE, "filter weights", weights);
    int32_t *weight = weights->mapped;

    if (result != SHW_OK)
        return result;
    assert(shw_filter_weights_offset(SHW_KERNEL_COUNT) <= SHW_FILTER_WEIGHTS_MAX);
    memset(weight, 0, SHW_FILTER_WEIGHTS_MAX * sizeof *weight);
    for (uint32_t i = 0; i < SHW_KERNEL_COUNT; weight += padded(i++))
        for (uint32_t tap = 0; tap <= 2 * shw_filter_kernels[i].radius; tap++)
            weight[tap] = shw_filter_kernels[i].weights[tap];
    return SHW_OK;
}
