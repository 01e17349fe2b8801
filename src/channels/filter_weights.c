#include <string.h>

#include "channels/filter_bank_stage.h"

#define PADDING 7u /* zeros after each kernel: an invocation of the shader runs over it with eight pixels */

uint32_t shw_filter_weights_offset(enum shw_kernel kernel)
{
    uint32_t offset = 0;

    for (uint32_t i = 0; i < kernel; i++)
        offset += 2 * shw_filter_kernels[i].radius + 1 + PADDING;
    return offset;
}

enum shw_result shw_filter_weights_create(struct shw_device *device, struct shw_buffer *weights)
{
    uint32_t count = shw_filter_weights_offset(SHW_KERNEL_COUNT);
    enum shw_result result = shw_buffer_create(device, count * sizeof(int32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                               SHW_MEMORY_TABLE, "filter weights", weights);
    int32_t *weight = weights->mapped;

    if (result != SHW_OK)
        return result;
    memset(weight, 0, count * sizeof *weight);
    for (uint32_t i = 0; i < SHW_KERNEL_COUNT; i++, weight += PADDING)
        for (uint32_t tap = 0; tap <= 2 * shw_filter_kernels[i].radius; tap++)
            *weight++ = shw_filter_kernels[i].weights[tap];
    return SHW_OK;
}
